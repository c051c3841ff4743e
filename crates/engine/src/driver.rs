//! The driver: fold, ask what is owed, perform it, store it, again.

use crate::boundary::Boundaries;
use crate::compose::folder;
use crate::ports::{
    Agents, Append, Clock, Commit, Deadlines, Inbox, Store, StoreError, Trailers, Workspace, WorkspaceError,
};
use redraft_core::event::{
    Asked, Certify, Checked, Decided, Decision, Edited, Entry, Event, FeatureCreated, Limits, LoopOpened,
    Question, StageClosed,
};
use redraft_core::findings::Threshold;
use redraft_core::ids::{BlobId, FeatureId, Revision};
use redraft_core::lint;
use redraft_core::phase::Phase;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::policy::Policy;
use redraft_core::price::OverBudget;
use redraft_core::profile;
use redraft_core::project;
use redraft_core::redact::Redactor;
use redraft_core::review::{self, Effect, Loop, Rejected};
use redraft_core::ticket::{Scope, Ticket};
use redraft_core::usage::Usd;

/// The world a run works in.
pub struct Parts<'a> {
    pub store: &'a dyn Store,
    pub workspace: &'a dyn Workspace,
    pub inbox: &'a dyn Inbox,
    pub clock: &'a dyn Clock,
    pub boundaries: &'a Boundaries,
    pub progress: &'a dyn Progress,
    pub agents: &'a dyn Agents,
    /// Takes secrets out of whatever is sent or stored.
    pub redactor: &'a Redactor,
}

/// What a loop opened by this run is held to.
#[derive(Debug, Clone)]
pub struct Rules {
    pub limits: Limits,
    pub threshold: Threshold,
    pub certify: Certify,
    pub policy: Policy,
    pub config: BlobId,
    pub deadlines: Deadlines,
    /// What the feature may cost in all.
    pub budget: Usd,
    /// Who edits and decides, for the record.
    pub person: String,
}

/// Told everything that happens, in order.
pub trait Progress: Send + Sync {
    /// A fact was stored.
    fn stored(&self, entry: &Entry, state: &Pipeline);
}

/// Why a run came to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is owed.
    Done,
    /// A person must decide.
    Asking(Question),
    /// The next dispatch could cost more than is left.
    OverBudget { ticket: Ticket, over: OverBudget },
    /// An agent's usage limit is reached until then, in milliseconds since 1970; the same command continues.
    Parked(i64),
    /// The user asked it to stop; the same command continues.
    Interrupted,
}

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error("event {seq} does not follow from the ones before it: {rejected}")]
    History { seq: u64, rejected: Rejected },
    #[error(
        "the ledger of feature {feature} ends at event {last}, but branch {branch} was written at event {seen}"
    )]
    LedgerBehind { feature: FeatureId, branch: String, last: u64, seen: u64 },
    #[error("feature {0} is not in this ledger")]
    UnknownFeature(FeatureId),
    #[error("{0}")]
    Agent(String),
    #[error("{ticket}: the answer cannot be kept: {detail}")]
    Inbox { ticket: Ticket, detail: String },
    #[error("nothing is being asked")]
    NothingAsked,
    #[error("`{}` is not a choice here", choice.name())]
    NotAChoice { choice: Decision, question: Question },
    #[error("the engine stored a fact the machine does not accept: {0}")]
    Bug(Rejected),
}

/// Whether an event changes what people read beside the artifact; the others wait for the next one that does.
fn shows(event: &Event) -> bool {
    match event {
        Event::Judged(_)
        | Event::Drafted(_)
        | Event::Edited(_)
        | Event::Decided(_)
        | Event::PhaseClosed(_) => true,
        Event::FeatureCreated(_)
        | Event::LoopOpened(_)
        | Event::Started(_)
        | Event::Answered(_)
        | Event::Failed(_)
        | Event::Lost(_)
        | Event::Checked(_)
        | Event::Asked(_)
        | Event::StageClosed(_)
        | Event::Cancelled(_)
        | Event::Trusted(_) => false,
    }
}

pub struct Run<'a> {
    pub(crate) parts: Parts<'a>,
    pub(crate) rules: Rules,
    pub(crate) scope: Scope,
    pub(crate) created: FeatureCreated,
    pub(crate) state: Pipeline,
    pub(crate) entries: Vec<Entry>,
    /// The tree of the last mark that a ref keeps.
    pub(crate) kept_mark: String,
}

impl<'a> Run<'a> {
    /// Folds a feature's events. Refuses a ledger that is older than the feature's branch.
    pub fn load(parts: Parts<'a>, rules: Rules, feature: FeatureId) -> Result<Self, EngineError> {
        let scope = Scope::Feature(feature);
        let entries = parts.store.read(scope)?;
        let mut state = Pipeline::default();
        for entry in &entries {
            let folded = pipeline::fold(&mut state, &entry.event);
            folded.map_err(|rejected| EngineError::History { seq: entry.seq, rejected })?;
            state.seq = entry.seq;
        }
        let created = state.created.clone().ok_or(EngineError::UnknownFeature(feature))?;
        let seen = parts.workspace.newest_seq(&created.base_commit)?;
        if seen > state.seq {
            let (branch, last) = (created.branch.clone(), state.seq);
            return Err(EngineError::LedgerBehind { feature, branch, last, seen });
        }
        Ok(Self { parts, rules, scope, created, state, entries, kept_mark: String::new() })
    }

    pub fn state(&self) -> &Pipeline {
        &self.state
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Goes on until nothing is owed, a person is needed, or the user stops it.
    pub fn drive(&mut self) -> Result<Stop, EngineError> {
        match self.advance() {
            // Ctrl-C reaches git as well; what it interrupted is done again by the next run.
            Err(_) if self.parts.clock.stopped() => Ok(Stop::Interrupted),
            end => end,
        }
    }

    fn advance(&mut self) -> Result<Stop, EngineError> {
        loop {
            let effects = pipeline::pending(&self.state);
            if effects.is_empty() {
                self.project()?;
                return Ok(Stop::Done);
            }
            let lost = effects.iter().find_map(|effect| match effect {
                Effect::Recover(ticket) => Some(ticket.clone()),
                _ => None,
            });
            if let Some(ticket) = lost {
                self.recover(&ticket)?;
                continue;
            }
            if self.parts.clock.stopped() {
                self.project()?;
                return Ok(Stop::Interrupted);
            }
            if self.entries.last().is_some_and(|entry| shows(&entry.event)) {
                self.project()?;
            }
            let answered = effects.iter().find_map(|effect| match effect {
                Effect::Snapshot(ticket) | Effect::Judge(ticket) => Some(ticket.clone()),
                _ => None,
            });
            if let Some(ticket) = answered {
                self.conclude(&ticket)?;
                continue;
            }
            if self.take_in_edits()? {
                continue;
            }
            let mut orders = Vec::new();
            for effect in effects {
                match effect {
                    Effect::Dispatch(order) => orders.push(order),
                    Effect::Ask(question) => return self.ask(question).map(Stop::Asking),
                    effect => self.perform(effect)?,
                }
            }
            if let Some(stop) = self.dispatch(orders)? {
                self.project()?;
                return Ok(stop);
            }
        }
    }

    /// Stores a person's answer to the open question.
    pub fn decide(&mut self, choice: Decision, why: &str) -> Result<(), EngineError> {
        let open = self.state.open.as_ref().ok_or(EngineError::NothingAsked)?;
        let question = review::question(open).ok_or(EngineError::NothingAsked)?;
        if !question.choices.contains(&choice) {
            return Err(EngineError::NotAChoice { choice, question });
        }
        let ruled = match choice {
            Decision::Accept => review::rulings(open, &question.about),
            Decision::Rerun | Decision::Retry | Decision::Abandon => Vec::new(),
        };
        let Question { pass, number, about, .. } = question.clone();
        let mut events: Vec<Event> = Vec::new();
        if !self.already_asked(&question) {
            events.push(Asked { question }.into());
        }
        let (by, why) = (self.rules.person.clone(), why.to_owned());
        events.push(Decided { pass, number, about, choice, by, why, ruled }.into());
        self.append(events, &[])?;
        self.project()
    }

    fn perform(&mut self, effect: Effect) -> Result<(), EngineError> {
        match effect {
            Effect::Open { phase, pass } => self.open(phase, pass),
            Effect::Check { revision, gate } => self.check(revision, gate),
            Effect::CloseStage { stage, outcome, round, revision } => {
                let pass = self.open_loop()?.opened.pass;
                self.append(vec![StageClosed { pass, stage, outcome, round, revision }.into()], &[])
            }
            Effect::ClosePhase { revision } => self.close_phase(revision),
            // Taken out of the list before it comes here.
            Effect::Dispatch(_)
            | Effect::Ask(_)
            | Effect::Recover(_)
            | Effect::Snapshot(_)
            | Effect::Judge(_) => Ok(()),
        }
    }

    fn open(&mut self, phase: Phase, pass: u16) -> Result<(), EngineError> {
        let folder = folder(&self.created);
        let mut paths = vec![format!("{folder}/{}", phase.artifact())];
        paths.extend(phase.upstream().iter().map(|name| format!("{folder}/{name}")));
        let opened = LoopOpened {
            phase,
            pass,
            author: profile::author(phase),
            panels: profile::panels(phase),
            paths,
            gates: vec!["lint".to_owned()],
            limits: self.rules.limits,
            rule: self.rules.threshold,
            certify: self.rules.certify,
            policy: self.rules.policy,
            config: self.rules.config.clone(),
        };
        self.append(vec![opened.into()], &[])
    }

    fn check(&mut self, revision: Revision, gate: String) -> Result<(), EngineError> {
        let open = self.open_loop()?;
        let pass = open.opened.pass;
        let bytes = self.parts.workspace.read_at(&revision, open.artifact())?;
        let evidence = match bytes.map(String::from_utf8) {
            None => format!("{} is missing", open.artifact()),
            Some(Err(_)) => format!("{} is not UTF-8 text", open.artifact()),
            Some(Ok(text)) => lint::evidence(&lint::lint_spec(&text)),
        };
        let passed = evidence.is_empty();
        self.append(vec![Checked { pass, revision, gate, passed, evidence }.into()], &[])
    }

    /// A person's edit becomes a commit of its own and an event, and so reaches every role in its next delta.
    fn take_in_edits(&mut self) -> Result<bool, EngineError> {
        let Some(open) = &self.state.open else { return Ok(false) };
        let (paths, artifact) = (open.opened.paths.clone(), open.artifact().to_owned());
        let known = open.revision.clone();
        if known.is_none() && self.parts.workspace.read(&artifact)?.is_none() {
            return Ok(false);
        }
        let found = self.parts.workspace.revision(&paths)?;
        let Some(revision) = found.filter(|found| Some(found) != known.as_ref()) else { return Ok(false) };
        let (phase, epoch) = (open.opened.phase, open.epoch + 1);
        self.parts.boundaries.pass("before an edit is committed");
        let trailers = Trailers { ticket: String::new(), seq: self.state.seq };
        let message = format!("redraft: {phase} edited by a person");
        let commit = self.commit(&paths, &message, &trailers)?;
        let commit = match commit {
            Some(commit) => commit,
            None => self.parts.workspace.head()?.0,
        };
        self.keep_anchor(epoch, &revision)?;
        self.parts.boundaries.pass("before an edit is stored");
        self.append(vec![Edited { revision, commit: commit.0, by: self.rules.person.clone() }.into()], &[])?;
        Ok(true)
    }

    pub(crate) fn keep_anchor(&self, epoch: u32, revision: &Revision) -> Result<(), EngineError> {
        let open = self.open_loop()?;
        let (feature, phase, pass) = (self.created.id, open.opened.phase, open.opened.pass);
        let name = format!("{feature}/{phase}.{pass}/{epoch}");
        Ok(self.parts.workspace.keep(&name, revision)?)
    }

    fn ask(&mut self, question: Question) -> Result<Question, EngineError> {
        if !self.already_asked(&question) {
            self.append(vec![Asked { question: question.clone() }.into()], &[])?;
            self.project()?;
        }
        Ok(question)
    }

    fn already_asked(&self, question: &Question) -> bool {
        self.entries
            .iter()
            .rev()
            .any(|entry| matches!(&entry.event, Event::Asked(asked) if asked.question == *question))
    }

    /// The projections are committed with the close they tell of, so they are rendered as if it had happened.
    fn close_phase(&mut self, revision: Revision) -> Result<(), EngineError> {
        let open = self.open_loop()?;
        let closed = review::closing(open, revision);
        let (mut paths, phase) = (open.opened.paths.clone(), open.opened.phase);
        let word =
            if closed.approvals.len() == open.reviewers.len() { "approved" } else { "accepted by a ruling" };
        let at_ms = self.parts.clock.now_ms();
        let event = Event::from(closed);
        let mut entries = self.entries.clone();
        entries.push(Entry { seq: self.state.seq + 1, at_ms, event: event.clone() });
        self.write_projections(&entries)?;
        paths.extend(project::FILES.iter().map(|name| format!("{}/{name}", folder(&self.created))));
        let trailers = Trailers { ticket: String::new(), seq: self.state.seq };
        self.parts.boundaries.pass("before a close is committed");
        self.commit(&paths, &format!("redraft: {phase} {word}"), &trailers)?;
        self.parts.boundaries.pass("before a close is stored");
        self.append_at(at_ms, vec![event], &[])
    }

    /// Commits named paths, unless one of them holds a secret.
    pub(crate) fn commit(
        &self,
        paths: &[String],
        message: &str,
        trailers: &Trailers,
    ) -> Result<Option<Commit>, EngineError> {
        for path in paths {
            let Some(bytes) = self.parts.workspace.read(path)? else { continue };
            if let Some(found) = self.parts.redactor.find(&String::from_utf8_lossy(&bytes)).first() {
                let (path, line, kind) = (path.clone(), found.line, found.kind.name());
                return Err(WorkspaceError::Secret { path, line, kind }.into());
            }
        }
        Ok(self.parts.workspace.commit(paths, message, trailers)?)
    }

    pub(crate) fn open_loop(&self) -> Result<&Loop, EngineError> {
        let missing = || EngineError::Bug(Rejected { what: "an effect without an open loop".to_owned() });
        self.state.open.as_ref().ok_or_else(missing)
    }

    pub(crate) fn append(&mut self, events: Vec<Event>, blobs: &[Vec<u8>]) -> Result<(), EngineError> {
        self.append_at(self.parts.clock.now_ms(), events, blobs)
    }

    /// One transition: checked by the machine first, stored whole, then folded in.
    fn append_at(&mut self, at_ms: i64, events: Vec<Event>, blobs: &[Vec<u8>]) -> Result<(), EngineError> {
        let mut next = self.state.clone();
        let mut states = Vec::new();
        for event in &events {
            next = pipeline::step(&next, event).map_err(EngineError::Bug)?;
            states.push(next.clone());
        }
        let board = project::board_row(&next, at_ms);
        let append = Append {
            scope: self.scope,
            decided_on: self.state.seq,
            at_ms,
            events: &events,
            blobs,
            board: Some(&board),
        };
        let stored = self.parts.store.append(append)?;
        for (entry, mut state) in stored.into_iter().zip(states) {
            state.seq = entry.seq;
            self.parts.progress.stored(&entry, &state);
            self.state = state;
            self.entries.push(entry);
        }
        Ok(())
    }

    /// Writes the projections beside the artifacts. They can be deleted and come back the same.
    pub fn project(&self) -> Result<(), EngineError> {
        self.write_projections(&self.entries)
    }

    fn write_projections(&self, entries: &[Entry]) -> Result<(), EngineError> {
        let folder = folder(&self.created);
        for (name, text) in project::files(entries) {
            let path = format!("{folder}/{name}");
            if self.parts.workspace.read(&path)?.as_deref() != Some(text.as_bytes()) {
                self.parts.boundaries.pass("inside a projection");
                self.parts.workspace.write(&path, text.as_bytes())?;
            }
        }
        Ok(())
    }
}
