//! Plays scenarios: one process of Redraft after the other, with people and accidents between them.

mod accidents;
mod act;
mod claims;
mod settings;

use crate::left::{Left, trail};
use crate::script::{End, Step};
use crate::world::{FEATURE, FakeWorld, World, with};
pub(crate) use accidents::Accident;
use redraft_core::pipeline::{self, Pipeline};
use redraft_engine::ports::Append;
use redraft_engine::{EngineError, Rules, Run, RunPorts, Stop};
use redraft_facts::event::{Entry, Event, MergeHistory, Started};
use redraft_facts::probed::Recall;
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_testkit::fakes::{
    Crash, Died, RememberingListener, ScriptedAgents, ScriptedChecks, StillClock, outliving,
};
pub(crate) use settings::created;
use settings::rules;
use std::sync::Arc;

/// Where a play is disturbed: in which process, counted from 0, and at which moments of it and of those that recover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Disturbance {
    pub(crate) process: usize,
    pub(crate) at: Vec<usize>,
}

/// The result of a play.
pub(crate) struct Played {
    pub(crate) left: Left,
    /// What was stored, a line each.
    pub(crate) trail: Vec<String>,
    pub(crate) entries: Vec<Entry>,
    /// The moments of each process that are worth dying at.
    pub(crate) worth_dying_at: Vec<Vec<usize>>,
    /// How many moments each process had.
    pub(crate) lengths: Vec<usize>,
    /// Everything that happened, boundaries among it.
    pub(crate) moments: Vec<String>,
    /// Where it died.
    pub(crate) died: Vec<String>,
    /// The worktrees of tasks that were there when it died last.
    pub(crate) left_slots: Vec<u16>,
}

/// Plays a scenario in a new world.
pub(crate) fn play(
    steps: &[Step],
    world: &dyn World,
    fake: Option<&FakeWorld>,
    disturbance: &Disturbance,
) -> Played {
    play_with_accidents(steps, world, fake, disturbance, None)
}

/// The same, where something happens after each death.
pub(crate) fn play_with_accidents(
    steps: &[Step],
    world: &dyn World,
    fake: Option<&FakeWorld>,
    disturbance: &Disturbance,
    accident: Option<Accident>,
) -> Played {
    let mut stage = Stage::new(steps, world, fake);
    stage.disturbance = disturbance.clone();
    stage.accident = accident;
    for step in steps {
        stage.take(step);
    }
    assert_eq!(stage.agents.unscripted(), [], "somebody was asked whom nobody gave a line");
    if disturbance.at.is_empty() {
        let unused = stage.agents.unused();
        assert!(unused.is_empty(), "nobody asked for {unused:?}");
    }
    let entries = stage.entries();
    Played {
        left: Left::of(world, &entries),
        trail: trail(&entries),
        entries,
        worth_dying_at: stage.worth_dying_at,
        lengths: stage.lengths,
        moments: stage.moments,
        died: stage.died,
        left_slots: stage.left_slots,
    }
}

struct Stage<'w> {
    world: &'w dyn World,
    fake: Option<&'w FakeWorld>,
    crash: Arc<Crash>,
    clock: Arc<StillClock>,
    agents: ScriptedAgents,
    checks: ScriptedChecks,
    listener: RememberingListener,
    rules: Rules,
    disturbance: Disturbance,
    accident: Option<Accident>,
    process: usize,
    worth_dying_at: Vec<Vec<usize>>,
    lengths: Vec<usize>,
    moments: Vec<String>,
    died: Vec<String>,
    left_slots: Vec<u16>,
}

impl<'w> Stage<'w> {
    #[expect(clippy::disallowed_methods, reason = "stands in for a command")]
    fn new(steps: &[Step], world: &'w dyn World, fake: Option<&'w FakeWorld>) -> Stage<'w> {
        let crash = fake.map(|fake| Arc::clone(&fake.crash)).unwrap_or_default();
        let clock = Arc::new(StillClock::default());
        let agents = ScriptedAgents::new(world.outside(), Arc::clone(&clock), Arc::clone(&crash));
        let checks = ScriptedChecks::new(world.outside(), Arc::clone(&clock));
        let (disturbance, listener, rules) =
            (Disturbance::default(), RememberingListener::default(), rules());
        let mut stage = Stage {
            world,
            fake,
            crash,
            clock,
            agents,
            checks,
            listener,
            rules,
            disturbance,
            accident: None,
            process: 0,
            worth_dying_at: Vec::new(),
            lengths: Vec::new(),
            moments: Vec::new(),
            died: Vec::new(),
            left_slots: Vec::new(),
        };
        let mut created = created(world);
        for step in steps {
            if let Step::Setting(setting) = step {
                stage.set(setting, &mut created);
            }
        }
        let events = [created.into()];
        let (scope, blobs) = (Scope::Feature(FEATURE), &[]);
        let append =
            Append { scope, decided_on: 0, at_ms: 0, events: &events, blobs, board: None, elsewhere: None };
        world.ledger().store().append(append).unwrap();
        stage
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Setting(_) => {}
            Step::Turn(turn) => self.agents.say(turn.clone()),
            Step::Act(act) => self.act(act),
            Step::Run(end) => {
                let found = self.runs(&mut |run| run.drive());
                self.came_to(found, end);
            }
            Step::Merge(history, end) => self.merge(*history, end),
            Step::Then(claim) if self.disturbance.at.is_empty() => self.holds(claim),
            Step::Then(_) => {}
        }
    }

    fn merge(&mut self, history: MergeHistory, end: &End) {
        let found = self.runs(&mut |run| run.merge(history).map(|_| Stop::Done));
        self.came_to(found, end);
    }

    /// One process that does this, begun again as often as it dies.
    fn runs<T>(
        &mut self,
        act: &mut dyn FnMut(&mut Run<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut deaths = match self.disturbance.process == self.process {
            true => self.disturbance.at.clone(),
            false => Vec::new(),
        }
        .into_iter();
        self.process += 1;
        loop {
            let at = deaths.next().unwrap_or(0);
            let found = self.process(at, act);
            self.moments.extend(self.crash.moments());
            match found {
                Ok(found) => {
                    self.worth_dying_at.push(self.crash.worth_dying_at());
                    self.lengths.push(self.crash.moments().len());
                    self.repeat_unheard();
                    return found;
                }
                Err(died) => {
                    self.died.push(died.moment);
                    self.left_slots = self.world.outside().slots();
                    self.crash.begin(0);
                    self.repeat_unheard();
                    if let Some(found) = self.accident.and_then(|accident| self.happens(accident, act)) {
                        return found;
                    }
                }
            }
        }
    }

    fn process<T>(
        &self,
        at: usize,
        act: &mut dyn FnMut(&mut Run<'_>) -> Result<T, EngineError>,
    ) -> Result<Result<T, EngineError>, Died> {
        self.crash.begin(at);
        self.clock.begin();
        let boundaries = self.crash.boundaries();
        let comments = self.agents.comments();
        let mut done = None;
        outliving(|| {
            self.world.process(&boundaries, &mut |ports| {
                let parts = RunPorts {
                    store: ports.store,
                    workspace: ports.workspace,
                    inbox: ports.inbox,
                    comments: comments.as_ref(),
                    clock: self.clock.as_ref(),
                    boundaries: &boundaries,
                    progress: &self.listener,
                    checks: &self.checks,
                    check_folder: ports.check_folder,
                    merging: ports.merging,
                    slots: ports.slots,
                    agents: &self.agents,
                    redactor: &Redactor::default(),
                };
                done = Some(Run::load(parts, self.rules.clone(), FEATURE).and_then(|mut run| act(&mut run)));
            });
        })?;
        match self.crash.is_dead() {
            // An agent's thread died first, and the run noticed it.
            true => Err(Died { moment: self.crash.moments().last().cloned().unwrap_or_default() }),
            false => Ok(done.expect("a process was opened")),
        }
    }

    /// Repeats what was not heard.
    fn repeat_unheard(&self) {
        let entries = self.entries();
        self.agents.forget_unheard(|ticket| self.is_heard(&entries, ticket));
    }

    fn is_heard(&self, entries: &[Entry], ticket: &Ticket) -> bool {
        let ends = |event: &Event| match event {
            Event::Answered(fact) => fact.ticket == *ticket,
            Event::Failed(fact) => fact.ticket == *ticket,
            Event::Lost(fact) => fact.ticket == *ticket,
            _ => false,
        };
        let session = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Started(fact) if fact.ticket == *ticket => Some(fact.session.clone()),
            _ => None,
        });
        let session = session.flatten().map(|session| session.to_string()).unwrap_or_default();
        let kept = || with(self.world, |ports| ports.inbox.get(ticket, &session).unwrap().is_some());
        entries.iter().any(|entry| ends(&entry.event)) || kept()
    }

    fn entries(&self) -> Vec<Entry> {
        self.world.ledger().store().read(Scope::Feature(FEATURE)).unwrap()
    }

    #[track_caller]
    fn came_to(&self, found: Result<Stop, EngineError>, end: &End) {
        let is = match (&found, end) {
            (Ok(Stop::Done), End::Done)
            | (Ok(Stop::Findings), End::Findings)
            | (Ok(Stop::OverBudget { .. }), End::ShortOfMoney)
            | (Ok(Stop::Parked(_)), End::Parked)
            | (Ok(Stop::Host(_)), End::Host)
            | (Ok(Stop::Interrupted), End::Interrupted) => true,
            (Ok(Stop::Asking(question)), End::Asks(text)) => question.text.contains(text.as_str()),
            (_, End::Somehow) => true,
            (Err(error), End::Fails(text)) => error.to_string().contains(text.as_str()),
            _ => false,
        };
        let unscripted = self.agents.unscripted();
        assert!(
            is,
            "expected {end:?}, found {found:?}; without a line: {unscripted:?}\n{}",
            trail(&self.entries()).join("\n")
        );
    }

    /// Stores what a command decides without the engine.
    #[expect(clippy::disallowed_methods, reason = "stands in for a command")]
    fn store(&self, event: Event) {
        let state = Pipeline::replay(&self.entries()).unwrap();
        pipeline::step(&state, &event).unwrap();
        let (scope, decided_on, events, blobs) = (Scope::Feature(FEATURE), state.seq, [event], &[]);
        let append =
            Append { scope, decided_on, at_ms: 0, events: &events, blobs, board: None, elsewhere: None };
        self.world.ledger().store().append(append).unwrap();
    }

    /// The ticket that was started last.
    fn out(&self) -> Ticket {
        let last = self.entries().into_iter().rev().find_map(|entry| match entry.event {
            Event::Started(fact) => Some(fact.ticket),
            _ => None,
        });
        last.expect("something was started")
    }

    /// The code that the role of a ticket was given last.
    fn code_of(&self, ticket: &Ticket) -> String {
        let given = self.entries().into_iter().rev().find_map(|entry| match entry.event {
            Event::Started(Started { ticket: one, recall: Some(Recall::Gives(code)), .. })
                if one.role == ticket.role =>
            {
                Some(code)
            }
            _ => None,
        });
        given.expect("a code was given")
    }

    fn fake(&self) -> &FakeWorld {
        self.fake.expect("only the fakes fail when they are told to")
    }
}
