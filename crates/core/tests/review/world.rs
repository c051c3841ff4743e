//! A world in which agents, gates and people answer as a list of numbers tells them to.

mod answers;
mod beside;
mod opening;
mod rules;

pub(super) use answers::started as sent;
pub(super) use rules::{CALM, Declaration, Habits, Rules, rules};

use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::Effect;
use redraft_facts::event::*;
use redraft_facts::ids::{BlobId, CommentId, FeatureId, Revision};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use redraft_facts::verdict::Severity;

/// How often a person changes the course of a feature; a world has to end.
const TURNS_MAX: u64 = 5;

/// How often a feature goes on in another clone, for the same reason.
const MOVES_MAX: u64 = 4;

/// How often a person comments, for the same reason.
const COMMENTS_MAX: usize = 6;

pub(super) struct World {
    pub rules: Rules,
    pub habits: Habits,
    pub state: Pipeline,
    pub log: Vec<Entry>,
    /// What is drawn from, over and over.
    draws: Vec<u8>,
    at: usize,
    revisions: u32,
    pub people: u64,
    /// How often a person has changed the course.
    turned: u64,
    /// How often it went on in another clone.
    moved: u64,
    /// A person who is asked for the first time wants a new pass.
    pub rerun_first: bool,
    /// Verdicts to give in order before anything is drawn; then the first effect is always the one performed.
    pub script: Option<std::collections::VecDeque<bool>>,
}

impl World {
    pub(super) fn new(rules: Rules, habits: Habits, draws: Vec<u8>) -> World {
        World::of(FeatureId(31), rules, habits, draws)
    }

    pub(super) fn of(id: FeatureId, rules: Rules, habits: Habits, draws: Vec<u8>) -> World {
        let draws = if draws.is_empty() { vec![0] } else { draws };
        let (state, log) = (Pipeline::default(), Vec::new());
        let (at, revisions, people, turned, moved, rerun_first) = (0, 0, 0, 0, 0, false);
        let script = None;
        let mut world = World {
            rules,
            habits,
            state,
            log,
            draws,
            at,
            revisions,
            people,
            turned,
            moved,
            rerun_first,
            script,
        };
        world.happen(FeatureCreated {
            id,
            uuid: redraft_facts::ids::FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6"),
            slug: "x".into(),
            idea: "x".into(),
            lane: world.rules.lane,
            base_branch: "main".into(),
            base_commit: "c".into(),
            branch: "feature/031-x".into(),
            prd: None,
            in_place: false,
            until: world.rules.until,
            lane_reason: String::new(),
            project: None,
            depends_on: vec![],
            document: world.rules.alone.then(|| "spec.md".into()),
            brainstorm_source: None,
            change: None,
            ask_after: vec![],
        });
        world
    }

    /// A feature that is about to build as many tasks as its rules say.
    pub(super) fn building(rules: Rules, habits: Habits, draws: Vec<u8>) -> World {
        let mut world = World::new(rules, habits, draws);
        world.happen(Adopted {
            from: "docs".into(),
            accepted: Phase::DOCUMENTS.to_vec(),
            life: FeatureLife::Active,
            by: "ann".into(),
            files: vec![],
            branch: None,
            rehearsed: None,
        });
        let (lane, until) = (Lane::Standard, Phase::Implement);
        world.happen(LaneSet { lane, until, by: "ann".into(), why: "w".into() });
        world
    }

    /// Plays until nothing is pending or a person is asked. False when that does not come within `steps_max`.
    pub(super) fn play(&mut self, steps_max: usize) -> bool {
        for _ in 0..steps_max {
            if self.turned < TURNS_MAX && self.draw(self.habits.turns) && self.turn() {
                continue;
            }
            if self.draw(self.habits.comments) && self.comment() {
                continue;
            }
            if self.jobs_differ() {
                continue;
            }
            // What was answered and not read yet never leaves the clone.
            let unread =
                self.state.open.iter().flat_map(|open| open.flights()).any(|(_, one)| one.answered.is_some());
            if self.moved < MOVES_MAX && !unread && self.draw(self.habits.moves) {
                self.move_on();
            }
            let effects = pipeline::pending(&self.state);
            if effects.is_empty() {
                return true;
            }
            if self.rules.alone && matches!(effects.as_slice(), [Effect::ClosePhase { .. }]) {
                return true;
            }
            if let [Effect::Dispatch(order), ..] = effects.as_slice()
                && self.draw(self.habits.short)
            {
                self.fall_short(order.ticket.clone());
            }
            let asked = matches!(effects.as_slice(), [Effect::Ask(_)]);
            if asked && (!self.habits.person || self.people >= 6) {
                return true;
            }
            // Somebody who is asked something is more likely to look at the document.
            let edits = if asked { self.habits.edit * 4 } else { self.habits.edit };
            if self.draw(edits) && self.can_edit() {
                self.people += 1;
                self.edit();
                continue;
            }
            if let [Effect::Ask(question)] = effects.as_slice() {
                self.ask(question.clone());
                continue;
            }
            let pick = if self.script.is_some() { 0 } else { self.number() as usize % effects.len() };
            self.perform(effects[pick].clone());
        }
        false
    }

    pub(super) fn happen(&mut self, event: impl Into<Event>) {
        let event = event.into();
        self.state = pipeline::step(&self.state, &event).unwrap_or_else(|e| panic!("{e}: {event:?}"));
        let seq = self.log.len() as u64 + 1;
        self.state.seq = seq;
        self.log.push(Entry { seq, at_ms: 0, event });
    }

    /// Another clone takes the feature: what is under way is lost.
    fn move_on(&mut self) {
        let flights: Vec<Ticket> = self
            .state
            .open
            .iter()
            .flat_map(|open| open.flights())
            .map(|(_, flight)| flight.started.ticket.clone())
            .collect();
        let clone = format!("clone-{}", self.moved);
        let changed = DriverChanged {
            clone,
            place: "there".into(),
            by: "bob".into(),
            fence: self.moved + 2,
            forced: false,
        };
        if !flights.is_empty() {
            let early = pipeline::step(&self.state, &changed.clone().into());
            assert!(early.is_err(), "nobody goes on while an agent is at work");
        }
        for ticket in flights {
            self.happen(Lost { ticket, cost: Usd(0), undone: vec![] });
        }
        self.happen(changed);
        self.moved += 1;
    }

    /// The budget is too small for this, and a person allows more, though not always enough.
    fn fall_short(&mut self, ticket: Ticket) {
        let (left, limit) = (Usd(1), Usd(10));
        self.happen(BudgetReached { ticket, needed: Usd(100), left, limit });
        let limit = Usd(if self.draw(50) { 20 } else { 1_000_000_000 });
        self.happen(BudgetSet { limit, by: "someone".into() });
    }

    fn number(&mut self) -> u8 {
        let number = self.draws[self.at % self.draws.len()];
        self.at += 1;
        // Mixed with the lap, so that a short list does not only repeat itself.
        let lap = (self.at / self.draws.len()) as u32;
        (u32::from(number).wrapping_add(lap).wrapping_mul(2_654_435_761) >> 24) as u8
    }

    fn draw(&mut self, percent: u8) -> bool {
        percent > 0 && self.number() % 100 < percent
    }

    fn can_edit(&self) -> bool {
        self.state.open.as_ref().is_some_and(|open| open.flights().next().is_none())
    }

    /// A person writes something new, or goes back to what was there before.
    fn edit(&mut self) {
        let now = self.state.open.as_ref().and_then(|open| open.revision.clone());
        let older = Revision::new(format!("r{}", 1 + u32::from(self.number()) % self.revisions.max(1)));
        let back = self.draw(25) && self.revisions > 0 && now != Some(older.clone());
        let revision = if back { older } else { self.new_revision() };
        self.happen(Edited {
            revision,
            commit: "c".into(),
            by: "someone".into(),
            first: false,
            compared: None,
        });
    }

    /// A person takes another lane, leaves a phase out or goes back, where the machine lets them.
    fn turn(&mut self) -> bool {
        let (by, why) = ("someone".to_owned(), "w".to_owned());
        let phase = Phase::ALL[usize::from(self.number()) % Phase::ALL.len()];
        let lane = Lane::ALL[usize::from(self.number()) % Lane::ALL.len()];
        let event: Event = match self.number() % 3 {
            0 => LaneSet { lane, until: phase, by, why }.into(),
            1 => PhaseSkipped { phase: self.state.phase().unwrap_or(phase), by, why }.into(),
            _ => WentBack { phase, by, why }.into(),
        };
        if pipeline::step(&self.state, &event).is_err() {
            return false;
        }
        self.turned += 1;
        self.people += 1;
        self.happen(event);
        true
    }

    /// A person says something about a phase, or opens again what was settled, where the machine lets them. What must be
    /// met in a phase that is over opens it again.
    fn comment(&mut self) -> bool {
        if self.state.comments.all.len() >= COMMENTS_MAX {
            return false;
        }
        let known: Vec<&Commented> = self.state.comments.all.iter().filter(|one| !one.reopens).collect();
        let known = known.get(usize::from(self.draws[self.at % self.draws.len()]) % known.len().max(1));
        let known = known.map(|one| (one.phase, one.finding.clone()));
        let again = known.filter(|_| self.draw(40));
        let phase = match self.draw(60) {
            true => self.state.phase(),
            false => Some(Phase::ALL[usize::from(self.number()) % Phase::ALL.len()]),
        };
        let phase = again.as_ref().map(|(phase, _)| *phase).or(phase).unwrap_or(Phase::Specify);
        let finding = again.as_ref().map_or_else(|| self.state.comments.next_finding(), |(_, id)| id.clone());
        let severity = if self.draw(25) { Severity::Warning } else { Severity::Blocker };
        let commented: Event = Commented {
            id: CommentId::new(format!("c{}", self.log.len())),
            phase,
            finding,
            reopens: again.is_some(),
            severity,
            file: String::new(),
            line: 0,
            text: "use Postgres".into(),
            by: "ann".into(),
        }
        .into();
        let back: Event = WentBack { phase, by: "ann".into(), why: "use Postgres".into() }.into();
        let events = match pipeline::step(&self.state, &commented) {
            Ok(_) => vec![commented],
            Err(_) => vec![back, commented],
        };
        let mut state = self.state.clone();
        if events.iter().any(|event| pipeline::fold(&mut state, event).is_err()) {
            return false;
        }
        self.people += 1;
        events.into_iter().for_each(|event| self.happen(event));
        true
    }

    fn new_revision(&mut self) -> Revision {
        self.revisions += 1;
        Revision::new(format!("r{}", self.revisions))
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Open { phase, pass } => self.open(phase, pass),
            Effect::Dispatch(order) => self.start(&order),
            Effect::Recover(ticket) => self.end_flight(ticket),
            Effect::Snapshot(ticket) => self.snapshot(ticket),
            Effect::Judge(ticket) => self.judge(ticket),
            Effect::Check { revision, gate, empty } => {
                let passed = !self.draw(self.habits.gate_fails) && !self.clashes(&revision);
                let refused = (!passed && self.draw(self.habits.refused)).then(|| "the network".into());
                let pass = self.pass();
                let (evidence, command, output) = ("e".into(), "c".into(), "o".into());
                let code = Some(i32::from(!passed));
                let checkout = Some(Checkout {
                    commit: "c".into(),
                    tree: revision.clone(),
                    empty,
                    prepared: BlobId::new("p"),
                    same_as: None,
                    notes: vec![],
                    sandbox: None,
                    refused,
                });
                self.happen(Checked {
                    pass,
                    revision,
                    gate,
                    passed,
                    evidence,
                    command,
                    code,
                    wall_ms: 1,
                    output,
                    checkout,
                });
            }
            Effect::TakeOut { files, .. } => {
                let revision = self.new_revision();
                self.happen(TakenOut { revision, commit: "c".into(), files });
            }
            Effect::WriteRetro { why } => self.write_retro(None, Some(why)),
            Effect::LeaveBank { .. } => self.judge_bank(None),
            Effect::ApplyLessons => self.happen(BankApplied { commit: "c".into(), notes: vec![] }),
            Effect::Combine { tasks } => self.combine(&tasks),
            Effect::Land { ticket, step } => self.land(ticket, step),
            Effect::Ask(_) => unreachable!("asked alone"),
            Effect::CloseStage { stage, outcome, round, revision } => {
                let pass = self.pass();
                self.happen(StageClosed { pass, stage, outcome, round, revision })
            }
            Effect::ClosePhase { revision } => {
                let open = self.state.open.as_ref().unwrap();
                let closed = redraft_core::review::closing(open, revision);
                self.happen(closed);
            }
        }
    }

    fn pass(&self) -> u16 {
        self.state.open.as_ref().map_or(0, |open| open.opened.pass)
    }
}
