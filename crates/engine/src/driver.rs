//! The driver: folds the events, asks what is pending, performs it, stores it, and begins again.
//!
//! [`Run`] holds everything and lends each part of the engine what it needs (`borrows`); the parts do the work. What
//! becomes of one effect is in `performing`.

mod borrows;
mod performing;

use crate::budget_pool::{BudgetPool, Draw};
use crate::checking::Series;
use crate::ending::{EngineError, Stop, UnsentWork, of_a_signal};
use crate::experience::Experience;
use crate::host::{KeptConversations, divide, out};
use crate::journal::{Journal, Listener, Writer};
use crate::ledger_match::require_ledger_matches_branch;
use crate::parked::{AgentLimits, hold_back};
use crate::projections::shows;
use crate::starting::WorktreeBaseline;
use crate::undone::Undone;
use crate::values::{ChangeUnderReview, LoopTexts, Rules, RunPorts};
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{DispatchOrder, Effect, Rejected};
use redraft_cost::price::OverBudget;
use redraft_facts::event::{BudgetReached, BudgetSet, Decision, Entry, FeatureCreated, MergeHistory, Merged};
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::redact::Typed;
use redraft_facts::ticket::{Purpose, Scope, Ticket};
use std::sync::Arc;

/// How long a signal that ended git may take to reach this process.
const SIGNAL_MS: u64 = 200;

pub struct Run<'a> {
    pub(crate) parts: RunPorts<'a>,
    pub(crate) rules: Rules,
    pub(crate) journal: Journal<'a>,
    /// What the open loop was opened with.
    pub(crate) loop_texts: LoopTexts,
    /// Whether this run sends nothing itself, because a host does the work.
    pub(crate) serves: bool,
    /// What the host that is served can go on with.
    pub(crate) kept: KeptConversations,
    created: FeatureCreated,
    experience: Experience,
    before: WorktreeBaseline,
    /// Whether parks are disregarded, and what is out with hosts is taken back.
    sends_now: bool,
    /// Where a change is reviewed by itself: its current state.
    change: Option<ChangeUnderReview>,
    /// The checks that were run since the check folder was emptied.
    series: Option<Series>,
    /// The commit at which the base of the code was last looked at.
    based: Option<String>,
    /// The last event with which everything committed was read.
    read_at: Option<u64>,
    /// What it draws on a pool that other runs draw on, too.
    draw: Option<Draw>,
    /// What other runs know about the limits of agents, too.
    limits: Option<Arc<AgentLimits>>,
    /// Whether the worktrees of tasks were put away.
    slots_away: bool,
}

impl<'a> Run<'a> {
    /// Folds a feature's events. Refuses a ledger that is older than the feature's branch.
    pub fn load(parts: RunPorts<'a>, rules: Rules, feature: FeatureId) -> Result<Self, EngineError> {
        Run::load_scope(parts, rules, Scope::Feature(feature))
    }

    /// The same for the review of a document by itself.
    pub fn load_scope(parts: RunPorts<'a>, rules: Rules, scope: Scope) -> Result<Self, EngineError> {
        let RunPorts { store, clock, redactor, progress, workspace, .. } = parts;
        let journal = Journal::open(Writer { store, clock, redactor }, scope.clone())?;
        let journal = journal.with_listener(Listener { progress, worktree: Some(workspace) });
        let state = journal.state();
        let created = state.created.clone().ok_or(EngineError::Unknown(scope))?;
        require_ledger_matches_branch(workspace, &created, state, journal.entries())?;
        let experience = Experience::load(store, &journal)?;
        let loop_texts = match &state.open {
            Some(open) => LoopTexts::load(parts.store, &open.opened)?,
            None => LoopTexts::default(),
        };
        Ok(Self {
            parts,
            rules,
            journal,
            loop_texts,
            serves: false,
            kept: KeptConversations::default(),
            created,
            experience,
            before: WorktreeBaseline::default(),
            sends_now: false,
            change: None,
            series: None,
            based: None,
            read_at: None,
            draw: None,
            limits: None,
            slots_away: false,
        })
    }

    /// Sets the current state of the change that is reviewed by itself here.
    pub fn review(&mut self, change: ChangeUnderReview) {
        self.change = Some(change);
    }

    /// Also sends to agents whose limit is said to last, and takes back what is out with hosts: a person knows better.
    pub fn send_now(&mut self) {
        self.sends_now = true;
    }

    /// Spends only what this pool allows as well, from now on.
    pub fn draw_on(&mut self, pool: Arc<BudgetPool>) {
        let counted = self.journal.state().money.counted();
        self.draw = Some(Draw::new(pool, self.created.scope(), counted));
    }

    /// Knows of the limits of agents what these runs know, and tells them.
    pub fn share_limits(&mut self, limits: Arc<AgentLimits>) {
        self.limits = Some(limits);
    }

    /// Decides in this name from now on: what a demo chooses, no person has chosen.
    pub fn decide_as(&mut self, name: &str) {
        self.rules.person = name.to_owned();
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

    /// Stores a person's answer to the open question; false where somebody commented meanwhile, so that it does not
    /// stand any more as it was seen. The answer is then stored nowhere.
    pub fn decide(
        &mut self,
        choice: Decision,
        why: impl Into<Typed>,
        answers: Vec<impl Into<Typed>>,
    ) -> Result<bool, EngineError> {
        let answers: Vec<Typed> = answers.into_iter().map(Into::into).collect();
        let seen = self.journal.asked_at();
        if self.take_comments()? && self.journal.asked_at() != seen {
            return Ok(false);
        }
        self.journal.decide(&self.rules.person, choice, &why.into(), &answers)?;
        self.project().map(|()| true)
    }

    /// Stores that a person chose another lane or another end for the feature.
    pub fn set_lane(&mut self, lane: Lane, until: Phase, why: impl Into<Typed>) -> Result<(), EngineError> {
        if !self.journal.set_lane(lane, until, &self.rules.person, &why.into())? {
            let what = format!("lane {lane} until {until}");
            return Err(EngineError::Bug(Rejected { what }));
        }
        self.project()
    }

    /// Merges a feature that has come to its end. A merge that was made and not stored is stored.
    pub fn merge(&mut self, history: MergeHistory) -> Result<Merged, EngineError> {
        // What a person said while another one was asked whether to merge may open a phase again.
        self.take_comments()?;
        self.finishing().merge(history)
    }

    /// Writes the projections next to the artifacts. They can be deleted and come back the same.
    pub fn project(&self) -> Result<(), EngineError> {
        self.worktree().write_projections(self.journal.entries())
    }

    /// Stores the budget of this run's rules as the feature's own, so that every later run keeps to it.
    pub fn keep_budget(&mut self) -> Result<(), EngineError> {
        let limit = self.rules.budget;
        if self.journal.state().budget == Some(limit) || pipeline::pending(self.journal.state()).is_empty() {
            return Ok(());
        }
        self.journal.record(BudgetSet { limit, by: self.rules.person.clone() })
    }

    /// Goes on until nothing is pending, a person is needed, or the user stops it.
    pub fn drive(&mut self) -> Result<Stop, EngineError> {
        match self.advance() {
            // The signal may kill git a moment before it reaches us.
            Err(error) if of_a_signal(&error) && !self.parts.clock.wait_ms(SIGNAL_MS) => {
                Ok(Stop::Interrupted)
            }
            Err(error @ EngineError::Store(_)) => {
                // The files of a close are written before the close is stored. Where it could not be, they say what has
                // not happened; should they not be written now, the next run does it.
                let _ = self.project();
                Err(error)
            }
            end => end,
        }
    }

    fn advance(&mut self) -> Result<Stop, EngineError> {
        loop {
            self.take_comments()?;
            self.set_jobs()?;
            let effects = pipeline::pending(self.journal.state());
            if effects.is_empty() || self.is_far_enough(&effects) {
                self.project()?;
                self.put_slots_away()?;
                let lies_open = self.journal.state().merged.is_none() && !self.journal.state().cancelled;
                let is_read = self.read_at == Some(self.journal.state().seq);
                if lies_open && !self.created.is_review() && !is_read {
                    // A person who learns that it is approved may merge it by hand.
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
            // Changes made while a host is at work are that host's, and what was put back before a crash is ours.
            let ours = self.building().was_taking_out(&effects)? || self.landing().was_landing(&effects)?;
            if out.is_empty() && !ours && self.take_in_edits()? {
                continue;
            }
            let closes =
                |effect: &Effect| matches!(effect, Effect::CloseStage { .. } | Effect::ClosePhase { .. });
            if effects.iter().any(closes) && self.take_comments()? {
                continue;
            }
            let mut orders = Vec::new();
            for effect in effects {
                match effect {
                    Effect::Dispatch(order) => orders.push(order),
                    Effect::Ask(question) => return self.ask(question),
                    effect => self.perform(effect)?,
                }
            }
            if self.learning().go_on_without_unwanted(&orders)? {
                continue;
            }
            let UnsentWork { hosts, others: orders, .. } = divide(orders, self.parts.agents)?;
            let idle = orders.is_empty() && hosts.is_empty() && out.is_empty();
            if !idle && (self.serves || orders.is_empty()) {
                self.project()?;
                return Ok(Stop::Host(UnsentWork { out, hosts, others: orders }));
            }
            let (orders, parked) = self.hold_back(orders)?;
            if let Some(until_ms) = parked.filter(|_| orders.is_empty()) {
                self.project()?;
                return Ok(Stop::Parked(until_ms));
            }
            let stop = self.sending().dispatch(orders)?;
            if let Some(limits) = &self.limits {
                limits.with(&self.journal.state().parked);
            }
            if let Some(stop) = stop {
                if let Stop::OverBudget { ticket, over } = &stop {
                    // At the end of a feature, the run does not wait for something there is no money for.
                    if self.learning().go_on_without(ticket, &over.to_string())? {
                        continue;
                    }
                    self.note_short(ticket.clone(), *over)?;
                }
                self.project()?;
                return Ok(stop);
            }
        }
    }

    /// Takes in what people have said since it was last looked; whether anything was stored.
    pub(crate) fn take_comments(&mut self) -> Result<bool, EngineError> {
        self.journal.take_comments(self.parts.comments, self.parts.boundaries)
    }

    /// Stores that the budget is too small, so that later readers are shown a command that goes on; once, however often
    /// it is tried.
    fn note_short(&mut self, ticket: Ticket, over: OverBudget) -> Result<(), EngineError> {
        let OverBudget { needed, left, limit } = over;
        let reached = BudgetReached { ticket, needed, left, limit };
        if self.journal.state().short.as_ref() == Some(&reached) {
            return Ok(());
        }
        self.journal.record(reached)
    }

    /// Whether the next pending effect belongs to a phase that this run was not asked for.
    fn is_far_enough(&self, effects: &[Effect]) -> bool {
        let Some(until) = self.rules.until else { return false };
        matches!(effects, [Effect::Open { phase, .. }] if *phase > until)
    }

    /// Where a run rests that goes on only when a person has edited the document: a revision is due that its author is
    /// not to make, or a document or a change that is reviewed by itself is approved. Such a review is never closed:
    /// the next time, the reviewer that knows the text is asked about what changed.
    fn rests_with_a_person(&self, effects: &[Effect]) -> Option<Stop> {
        let writes = |purpose: Purpose| matches!(purpose, Purpose::Revise | Purpose::Draft);
        match effects {
            [Effect::ClosePhase { .. }] if self.created.is_review() => Some(Stop::Done),
            [Effect::Dispatch(order)] if !self.rules.revises && writes(order.ticket.purpose) => {
                Some(Stop::Findings)
            }
            _ => None,
        }
    }

    /// What is out with hosts: neither submitted nor expired, nor taken back by this run.
    pub(crate) fn out(&self) -> Result<Vec<(Ticket, i64)>, EngineError> {
        if self.sends_now { Ok(Vec::new()) } else { out(&self.journal, self.parts.inbox) }
    }

    fn hold_back(
        &self,
        orders: Vec<DispatchOrder>,
    ) -> Result<(Vec<DispatchOrder>, Option<i64>), EngineError> {
        if self.sends_now {
            return Ok((orders, None));
        }
        let (limits, now_ms) = (self.limits.as_deref(), self.parts.clock.now_ms());
        hold_back(orders, self.journal.state(), limits, self.parts.agents, now_ms)
    }
}
