//! The driver: fold, ask what is owed, perform it, store it, again.

use crate::boundary::Boundaries;
use crate::checking::Series;
use crate::compose::{Papers, Setting};
use crate::edits::Reviewed;
use crate::ending::Owed;
use crate::ending::of_a_signal;
pub use crate::ending::{EngineError, Stop};
use crate::experience::Experience;
use crate::finishing::Finish;
use crate::journal::{Journal, Listener, Writer};
use crate::ports::{
    Agents, Check, CheckFolder, Checks, Clock, Commit, Deadlines, Inbox, Merging, Store, Trailers, Workspace,
    WorkspaceError,
};
use crate::progress::Progress;
use crate::together::require_together;
use crate::undone::Undone;
use redraft_core::event::{
    BudgetReached, BudgetSet, Certify, Entry, Event, Extra, FeatureCreated, Limits, StageClosed,
};
use redraft_core::findings::Threshold;
use redraft_core::ids::{BlobId, FeatureId, Revision, Role};
use redraft_core::lint;
use redraft_core::phase::Phase;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::policy::{Knowledge, Policy};
use redraft_core::price::OverBudget;
use redraft_core::redact::Redactor;
use redraft_core::review::Effect;
use redraft_core::ticket::{Scope, Ticket};
use redraft_core::usage::Usd;
use std::collections::{BTreeMap, BTreeSet};

/// The world a run works in.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    pub store: &'a dyn Store,
    pub workspace: &'a dyn Workspace,
    pub inbox: &'a dyn Inbox,
    pub clock: &'a dyn Clock,
    pub boundaries: &'a Boundaries,
    pub progress: &'a dyn Progress,
    /// Runs the project's own checks.
    pub checks: &'a dyn Checks,
    /// Where they run.
    pub check_folder: &'a dyn CheckFolder,
    /// Brings the feature's branch back to where it began.
    pub merging: &'a dyn Merging,
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
    pub knowledge: Knowledge,
    pub config: BlobId,
    pub deadlines: Deadlines,
    /// What the feature may cost in all.
    pub budget: Usd,
    /// Who edits and decides, for the record.
    pub person: String,
    /// Whether its author revises; otherwise it rests where a revision is due.
    pub revises: bool,
    /// The phase after which this run rests, though the feature goes on.
    pub until: Option<Phase>,
    /// Role texts of the repository, as their files are.
    pub profiles: BTreeMap<Role, String>,
    /// What roles are told about the feature's project.
    pub project: Option<String>,
    /// Which mechanical faults are looked for.
    pub lint: lint::Settings,
    /// What code must pass before anybody reviews it, in this order; a person has accepted these commands.
    pub checks: Vec<Check>,
    /// What is done to code between its last task and its first review.
    pub extras: Vec<Extra>,
    /// Whether a person is asked before code is written.
    pub asks_first: bool,
    pub finish: Finish,
}

/// How long a signal that ended git may take to reach this process.
const SIGNAL_MS: u64 = 200;

/// Whether an event changes what people read beside the artifact; the others wait for the next one that does.
fn shows(event: &Event) -> bool {
    match event {
        Event::Judged(_)
        | Event::Drafted(_)
        | Event::Built(_)
        | Event::TakenOut(_)
        | Event::Edited(_)
        | Event::Decided(_)
        | Event::RetroWritten(_)
        | Event::BankJudged(_)
        | Event::BankApplied(_)
        | Event::PhaseClosed(_) => true,
        Event::FeatureCreated(_)
        | Event::LoopOpened(_)
        | Event::Adopted(_)
        | Event::LaneSet(_)
        | Event::PhaseSkipped(_)
        | Event::WentBack(_)
        | Event::Merged(_)
        | Event::Unblocked(_)
        | Event::Started(_)
        | Event::Raised(_)
        | Event::Answered(_)
        | Event::Failed(_)
        | Event::Lost(_)
        | Event::Checked(_)
        | Event::Asked(_)
        | Event::StageClosed(_)
        | Event::Cancelled(_)
        | Event::Trusted(_)
        | Event::AgentsMet(_)
        | Event::Probed(_)
        | Event::Redacted(_)
        | Event::Unreadable(_)
        | Event::BudgetSet(_)
        | Event::BudgetReached(_)
        | Event::CostCorrected(_) => false,
    }
}

pub struct Run<'a> {
    pub(crate) parts: Parts<'a>,
    pub(crate) rules: Rules,
    pub(crate) created: FeatureCreated,
    pub(crate) journal: Journal<'a>,
    pub(crate) experience: Experience,
    /// The tree of the last mark that a ref keeps.
    pub(crate) kept_mark: String,
    /// What the open loop was opened with.
    pub(crate) papers: Papers,
    /// Whether parks are disregarded, and what is out with hosts is taken back.
    pub(crate) sends_now: bool,
    /// Whether this run sends nothing itself, because a host does the work.
    pub(crate) serves: bool,
    /// Where a change is reviewed by itself: how it stands now.
    pub(crate) change: Option<Reviewed>,
    /// The checks that were run since the check folder was emptied.
    pub(crate) series: Option<Series>,
    /// What was in the worktree and in no commit before the agents at work now began; none where nobody builds.
    pub(crate) unseen: Option<BTreeSet<String>>,
    /// The commit at which the base of the code was last looked at.
    pub(crate) based: Option<String>,
}

impl<'a> Run<'a> {
    /// Folds a feature's events. Refuses a ledger that is older than the feature's branch.
    pub fn load(parts: Parts<'a>, rules: Rules, feature: FeatureId) -> Result<Self, EngineError> {
        Run::load_scope(parts, rules, Scope::Feature(feature))
    }

    /// The same for the review of a document by itself.
    pub fn load_scope(parts: Parts<'a>, rules: Rules, scope: Scope) -> Result<Self, EngineError> {
        let Parts { store, clock, redactor, progress, workspace, .. } = parts;
        let journal = Journal::open(Writer { store, clock, redactor }, scope.clone())?;
        let journal = journal.heard_by(Listener { progress, worktree: Some(workspace) });
        let state = journal.state();
        let created = state.created.clone().ok_or(EngineError::Unknown(scope))?;
        require_together(workspace, &created, state, journal.entries())?;
        let experience = Experience::load(store, &journal)?;
        let papers = match &state.open {
            Some(open) => Papers::of(parts.store, &open.opened)?,
            None => Papers::default(),
        };
        Ok(Self {
            papers,
            parts,
            rules,
            created,
            journal,
            experience,
            kept_mark: String::new(),
            sends_now: false,
            serves: false,
            change: None,
            series: None,
            based: None,
            unseen: None,
        })
    }

    /// Says how the change stands that is reviewed by itself here.
    pub fn review(&mut self, change: Reviewed) {
        self.change = Some(change);
    }

    pub fn state(&self) -> &Pipeline {
        self.journal.state()
    }

    pub fn entries(&self) -> &[Entry] {
        self.journal.entries()
    }

    /// What this run undid in the worktree.
    pub fn undone(&self) -> &[Undone] {
        self.journal.undone()
    }

    /// Goes on until nothing is owed, a person is needed, or the user stops it.
    pub fn drive(&mut self) -> Result<Stop, EngineError> {
        match self.advance() {
            // Git may die of the signal a moment before we are told of it.
            Err(error) if of_a_signal(&error) && !self.parts.clock.wait_ms(SIGNAL_MS) => {
                Ok(Stop::Interrupted)
            }
            end => end,
        }
    }

    fn advance(&mut self) -> Result<Stop, EngineError> {
        loop {
            let effects = pipeline::pending(self.journal.state());
            if effects.is_empty() || self.is_far_enough(&effects) {
                self.project()?;
                let lies_open = self.journal.state().merged.is_none() && !self.journal.state().cancelled;
                if lies_open && !self.created.is_review() {
                    // Whoever hears that it is approved may merge it by hand.
                    self.parts.workspace.require_readable(&self.created.base_commit)?;
                }
                return Ok(Stop::Done);
            }
            if let Some(rest) = self.rests_with_a_person(&effects) {
                if self.take_in_edits()? {
                    continue;
                }
                return Ok(rest);
            }
            let out = self.out()?;
            let lost = effects.iter().find_map(|effect| match effect {
                Effect::Recover(ticket) if !out.iter().any(|(one, _)| one == ticket) => Some(ticket.clone()),
                _ => None,
            });
            if let Some(ticket) = lost {
                self.recover(&ticket)?;
                continue;
            }
            if self.parts.clock.leaving() {
                self.project()?;
                return Ok(Stop::Interrupted);
            }
            if self.journal.entries().last().is_some_and(|entry| shows(&entry.event)) {
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
            // What changes while a host is at work is that host's doing.
            if out.is_empty() && self.take_in_edits()? {
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
            if self.does_without(&orders)? {
                continue;
            }
            let Owed { hosts, others: orders, .. } = self.divide(orders)?;
            let idle = orders.is_empty() && hosts.is_empty() && out.is_empty();
            if !idle && (self.serves || orders.is_empty()) {
                self.project()?;
                return Ok(Stop::Host(Owed { out, hosts, others: orders }));
            }
            let (orders, parked) = self.hold_back(orders)?;
            if let Some(until_ms) = parked.filter(|_| orders.is_empty()) {
                self.project()?;
                return Ok(Stop::Parked(until_ms));
            }
            if let Some(stop) = self.dispatch(orders)? {
                if let Stop::OverBudget { ticket, over } = &stop {
                    // What there is no money for is not waited for at the end.
                    if self.goes_without(ticket, &over.to_string())? {
                        continue;
                    }
                    self.note_short(ticket.clone(), *over)?;
                }
                self.project()?;
                return Ok(stop);
            }
        }
    }

    /// Stores the budget of this run's rules as the feature's own, so that every later run keeps to it.
    pub fn keep_budget(&mut self) -> Result<(), EngineError> {
        let limit = self.rules.budget;
        if self.journal.state().budget == Some(limit) || pipeline::pending(self.journal.state()).is_empty() {
            return Ok(());
        }
        self.journal.record(BudgetSet { limit, by: self.rules.person.clone() })
    }

    /// Stored, so that whoever looks later is told a command that goes on; once, however often it is tried.
    fn note_short(&mut self, ticket: Ticket, over: OverBudget) -> Result<(), EngineError> {
        let OverBudget { needed, left, limit } = over;
        let reached = BudgetReached { ticket, needed, left, limit };
        if self.journal.state().short.as_ref() == Some(&reached) {
            return Ok(());
        }
        self.journal.record(reached)
    }

    fn perform(&mut self, effect: Effect) -> Result<(), EngineError> {
        match effect {
            Effect::Open { phase, pass } => self.open(phase, pass),
            Effect::Check { revision, gate, empty } => self.check(revision, gate, empty),
            Effect::CloseStage { stage, outcome, round, revision } => {
                let pass = self.journal.open_loop()?.opened.pass;
                self.journal.record(StageClosed { pass, stage, outcome, round, revision })
            }
            Effect::TakeOut { before, files } => self.take_out(&before, files),
            Effect::WriteRetro { why } => self.write_retro(None, None, Some(why)),
            Effect::LeaveBank { why } => self.leave_bank(None, why),
            Effect::ApplyLessons => self.apply_lessons(),
            Effect::ClosePhase { revision } => self.close_phase(revision),
            // Taken out of the list before it comes here.
            Effect::Dispatch(_)
            | Effect::Ask(_)
            | Effect::Recover(_)
            | Effect::Snapshot(_)
            | Effect::Judge(_) => Ok(()),
        }
    }

    pub(crate) fn setting(&self) -> Setting<'_> {
        Setting { pipeline: self.journal.state(), papers: &self.papers }
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
            self.refuse_secret(path, &bytes)?;
        }
        Ok(self.parts.workspace.commit(paths, message, trailers)?)
    }

    /// Refuses these files before git stores anything of them, where one has a secret that no known revision has. What
    /// cannot be read is left to the commit.
    pub(crate) fn refuse_new_secrets(&self, paths: &[String]) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let known: Vec<&Revision> = open.revision.iter().chain(&open.opened.base).collect();
        for path in paths {
            let Ok(Some(bytes)) = self.parts.workspace.read(path) else { continue };
            let is_there = |revision: &&Revision| matches!(self.parts.workspace.read_at(revision, path), Ok(Some(then)) if then == bytes);
            if !known.iter().any(is_there) {
                self.refuse_secret(path, &bytes)?;
            }
        }
        Ok(())
    }

    fn refuse_secret(&self, path: &str, bytes: &[u8]) -> Result<(), EngineError> {
        match self.parts.redactor.find(&String::from_utf8_lossy(bytes)).first() {
            None => Ok(()),
            Some(found) => {
                let (path, line, kind) = (path.to_owned(), found.line, found.kind.name());
                Err(WorkspaceError::Secret { path, line, kind }.into())
            }
        }
    }
}
