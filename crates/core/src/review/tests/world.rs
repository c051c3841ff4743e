//! A world in which agents, gates and people answer as a list of numbers tells them to.

use crate::cost::{self, Cached, Marks};
use crate::event::*;
use crate::findings::{Finding, FindingChange, Status, Threshold};
use crate::ids::{AgentName, BlobId, FeatureId, FindingId, Revision, Role, SessionId};
use crate::phase::{Lane, Phase};
use crate::pipeline::{self, Pipeline};
use crate::policy::{Choice, Knowledge, Policy, Prediction, Strategy};
use crate::prelude::*;
use crate::price::Lifetime;
use crate::review::{Effect, Order, case_for, decision};
use crate::ticket::{Purpose, Ticket};
use crate::usage::{Usage, Usd};
use crate::verdict::{Claim, Severity, Verdict};

/// How often each kind of answer is drawn, out of 100.
#[derive(Debug, Clone)]
pub(super) struct Habits {
    pub reject: u8,
    pub unusable: u8,
    /// How many of the unusable answers reject for what is settled.
    pub insists: u8,
    pub fail: u8,
    pub lose: u8,
    pub unchanged: u8,
    pub gate_fails: u8,
    pub edit: u8,
    /// How many of its first drafts are questions instead.
    pub asks: u8,
    /// Answers questions instead of ending there.
    pub person: bool,
}

pub(super) const CALM: Habits = Habits {
    reject: 0,
    unusable: 0,
    insists: 0,
    fail: 0,
    lose: 0,
    unchanged: 0,
    gate_fails: 0,
    edit: 0,
    asks: 0,
    person: false,
};

#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub panels: Vec<usize>,
    pub limits: Limits,
    pub certify: Certify,
    pub policy: Policy,
    pub knowledge: Knowledge,
}

pub(super) fn rules(panels: &[usize]) -> Rules {
    let panels = panels.to_vec();
    Rules {
        panels,
        limits: Limits::default(),
        certify: Certify::Resume,
        policy: Policy::Guarded,
        knowledge: Knowledge::Full,
    }
}

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
    /// A person who is asked for the first time wants a new pass.
    pub rerun_first: bool,
    /// Verdicts to give in order before anything is drawn; then the first effect is always the one performed.
    pub script: Option<alloc::collections::VecDeque<bool>>,
}

impl World {
    pub(super) fn new(rules: Rules, habits: Habits, draws: Vec<u8>) -> World {
        World::of(FeatureId(31), rules, habits, draws)
    }

    pub(super) fn of(id: FeatureId, rules: Rules, habits: Habits, draws: Vec<u8>) -> World {
        let draws = if draws.is_empty() { vec![0] } else { draws };
        let (state, log) = (Pipeline::default(), Vec::new());
        let (at, revisions, people, rerun_first) = (0, 0, 0, false);
        let script = None;
        let mut world =
            World { rules, habits, state, log, draws, at, revisions, people, rerun_first, script };
        world.happen(FeatureCreated {
            id,
            slug: "x".into(),
            idea: "x".into(),
            lane: Lane::Standard,
            base_branch: "main".into(),
            base_commit: "c".into(),
            branch: "feature/031-x".into(),
            prd: None,
            in_place: false,
            until: Phase::Specify,
            lane_reason: String::new(),
            project: None,
            depends_on: vec![],
            document: None,
            brainstorm_source: None,
        });
        world
    }

    /// Plays until nothing is owed or a person is asked. False when that does not come within `steps_max`.
    pub(super) fn play(&mut self, steps_max: usize) -> bool {
        for _ in 0..steps_max {
            let effects = pipeline::pending(&self.state);
            if effects.is_empty() {
                return true;
            }
            let asked = matches!(effects.as_slice(), [Effect::Ask(_)]);
            if asked && (!self.habits.person || self.people >= 6) {
                return true;
            }
            // Who is asked something is more likely to look at the document.
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
        self.happen(Edited { revision, commit: "c".into(), by: "someone".into() });
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
            Effect::Check { revision, gate } => {
                let passed = !self.draw(self.habits.gate_fails);
                let pass = self.pass();
                self.happen(Checked { pass, revision, gate, passed, evidence: "e".into() });
            }
            Effect::Ask(_) => unreachable!("asked alone"),
            Effect::CloseStage { stage, outcome, round, revision } => {
                let pass = self.pass();
                self.happen(StageClosed { pass, stage, outcome, round, revision })
            }
            Effect::ClosePhase { revision } => {
                let open = self.state.open.as_ref().unwrap();
                let closed = crate::review::closing(open, revision);
                self.happen(closed);
            }
        }
    }

    fn pass(&self) -> u16 {
        self.state.open.as_ref().map_or(0, |open| open.opened.pass)
    }

    fn open(&mut self, phase: Phase, pass: u16) {
        let mut letter = b'B';
        let mut panels = Vec::new();
        for size in &self.rules.panels {
            let mut roles = Vec::new();
            for _ in 0..*size {
                letter += 1;
                let role = Role::new(format!("reviewer-{}", letter as char));
                roles.push(PanelRole { role, letter: letter as char });
            }
            panels.push(Panel { roles });
        }
        self.happen(LoopOpened {
            phase,
            pass,
            author: Role::new("author"),
            panels,
            paths: vec!["spec.md".into()],
            gates: vec!["lint".into()],
            limits: self.rules.limits,
            rule: Threshold::Strict,
            certify: self.rules.certify,
            policy: self.rules.policy,
            knowledge: self.rules.knowledge,
            config: BlobId::new(""),
            base: None,
            profiles: BTreeMap::new(),
            project: None,
        });
    }

    fn start(&mut self, order: &Order) {
        let strategy = match self.rules.policy {
            Policy::Fresh => order.allowed[0],
            Policy::Resume => order.allowed[order.allowed.len() - 1],
            Policy::Digest if order.allowed.contains(&Strategy::Digest) => Strategy::Digest,
            Policy::Inline | Policy::Digest => order.allowed[0],
            Policy::Seed | Policy::Guarded | Policy::Cost => {
                order.allowed[self.number() as usize % order.allowed.len()]
            }
        };
        let session = match strategy {
            Strategy::Resume => order.conversation.as_ref().unwrap().id.clone(),
            Strategy::Inline | Strategy::Lazy | Strategy::Digest => {
                SessionId::new(format!("s-{}", order.ticket))
            }
        };
        self.happen(Started {
            ticket: order.ticket.clone(),
            agent: AgentName::new("fake"),
            sees: order.sees.clone(),
            since: order.since.clone(),
            choice: Choice {
                prediction: Some(prediction(strategy, &order.ticket)),
                ..Choice::new(strategy, "w")
            },
            prompt: BlobId::new(""),
            prompt_chars: 1,
            context_chars: 1,
            session: Some(session),
            tree: TreeMark::default(),
            reserved: Usd(1),
            expires_ms: 0,
            markers: vec![],
            missing: vec![],
        });
    }

    fn end_flight(&mut self, ticket: Ticket) {
        if self.draw(self.habits.fail) {
            let open = self.state.open.as_ref().unwrap();
            let reserved = open.seat_of(&ticket).and_then(|seat| seat.work.as_ref()?.flight.as_ref());
            let reserved = reserved.unwrap().started.reserved + Usd(1);
            self.happen(Raised { ticket: ticket.clone(), reserved });
        }
        if self.draw(self.habits.lose) {
            return self.happen(Lost { ticket, cost: Usd(1), undone: vec![] });
        }
        if self.draw(self.habits.fail) {
            let over = Now::OverBudget(Usd(7));
            let all = [Now::Wait(1), Now::FreshSession, Now::AskPerson, Now::GiveUp, over];
            let now = all[self.number() as usize % all.len()];
            return self.happen(Failed { ticket, now, detail: "d".into(), usage: None, undone: vec![] });
        }
        let open = self.state.open.as_ref().unwrap();
        let session =
            open.flights().find(|(_, f)| f.started.ticket == ticket).unwrap().1.started.session.clone();
        let session = session.filter(|_| !self.draw(self.habits.fail));
        // Some agents name a conversation themselves, or go on under another name.
        let renamed = self.draw(self.habits.fail).then(|| SessionId::new(format!("t-{ticket}")));
        let session = session.map(|session| renamed.unwrap_or(session));
        let (answer, usage) = (BlobId::new(""), Usage::default());
        self.happen(Answered {
            ticket,
            answer,
            usage,
            session,
            opened: None,
            undone: vec![],
            wall_ms: 0,
            denials: vec![],
            notes: vec![],
            formless: false,
            asked_ms: None,
            requests: None,
        });
    }

    fn snapshot(&mut self, ticket: Ticket) {
        let mut questions = vec![];
        let revision = match () {
            () if ticket.purpose == Purpose::Draft && self.draw(self.habits.asks) => {
                let count = 1 + usize::from(self.number()) % 5;
                questions = vec![AuthorQuestion { question: "q".into(), assumed: "a".into() }; count];
                None
            }
            () if self.draw(self.habits.unusable) => None,
            () if ticket.purpose == Purpose::Revise && self.draw(self.habits.unchanged) => {
                self.state.open.as_ref().unwrap().revision.clone()
            }
            () => Some(self.new_revision()),
        };
        self.happen(Drafted {
            ticket,
            revision,
            commit: "c".into(),
            summary: "s".into(),
            notes: vec![],
            questions,
        });
    }

    fn judge(&mut self, ticket: Ticket) {
        let (unusable, drawn) = (self.draw(self.habits.unusable), self.draw(self.habits.reject));
        let reject = self.script.as_mut().map(|script| !script.pop_front().unwrap_or(true)).unwrap_or(drawn);
        let late = reject && self.state.open.as_ref().unwrap().late_left() && self.draw(20);
        let open = self.state.open.as_ref().unwrap();
        let facts = case_for(open, &ticket).unwrap();
        let mine = open.findings.iter().filter(|f| f.role == ticket.role && f.status == Status::Open);
        let fixed = mine.map(|f| FindingChange::Fixed { id: f.id.clone(), note: "n".into() });
        let mut changes: Vec<FindingChange> = fixed.collect();
        let why = "w".to_owned();
        let judgement = match (unusable, reject) {
            (true, _) if facts.repair_left => Judgement::Repair { why },
            (true, _) => Judgement::NoVerdict { why },
            (false, true) => Judgement::Rejected,
            (false, false) => Judgement::Approved,
        };
        let settled = unusable && self.draw(self.habits.insists);
        let open = self.state.open.as_ref().unwrap();
        if settled && !facts.repair_left {
            let put_off = finding(open.findings.len(), &ticket.role, facts.letter, false);
            changes.push(FindingChange::Raised(Finding { status: Status::Deferred, ..put_off }));
        } else if unusable {
            changes.clear();
        } else if reject {
            changes.push(FindingChange::Raised(finding(
                open.findings.len(),
                &ticket.role,
                facts.letter,
                late,
            )));
        }
        let late = late && !unusable;
        self.happen(Judged {
            ticket,
            judgement,
            verdict: Verdict::default(),
            changes,
            late,
            notes: vec![],
            settled,
        });
    }

    fn ask(&mut self, question: Question) {
        self.people += 1;
        self.happen(Asked { question: question.clone() });
        let choices: Vec<Decision> =
            question.choices.iter().copied().filter(|c| *c != Decision::Abandon).collect();
        let drawn = choices[self.number() as usize % choices.len()];
        let reruns = choices.contains(&Decision::Rerun) && core::mem::take(&mut self.rerun_first);
        let choice = if reruns { Decision::Rerun } else { drawn };
        let decided = decision(self.state.open.as_ref().unwrap(), &question, choice, "someone", "w");
        self.happen(decided);
    }
}

fn finding(number: usize, role: &Role, letter: char, late: bool) -> Finding {
    Finding {
        id: FindingId::new(format!("{letter}{}", number + 1)),
        role: role.clone(),
        round: 1,
        severity: Severity::Blocker,
        category: String::new(),
        claim: Claim::Present,
        file: String::new(),
        line: 0,
        section: String::new(),
        quote: String::new(),
        description: String::new(),
        suggestion: String::new(),
        status: Status::Open,
        late,
        unverified: None,
        note: String::new(),
    }
}

/// Different for each dispatch, so that one cannot pass for another.
fn prediction(strategy: Strategy, ticket: &Ticket) -> Prediction {
    let tokens = 1_000 * u64::from(ticket.round) + u64::from(ticket.attempt);
    let tail = Some(cost::Entry { tokens, lifetime: Lifetime::Hour, left_s: 3_600 });
    let began = if strategy == Strategy::Resume { Strategy::Inline } else { strategy };
    Prediction {
        card: "fake".into(),
        hit_rate: 1,
        since_s: None,
        marks: Marks::default(),
        overhead: 0,
        chars: [0; 5],
        usage: Usage::default(),
        later: Usd(0),
        leaves: Cached {
            system: None,
            stable: None,
            conversation: Some(cost::Conversation { began, tokens: tokens + 1, tail, earlier: None }),
        },
        alternatives: vec![],
    }
}
