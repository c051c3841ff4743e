//! The state of a feature, folded from its first event on: which phases are behind it, which loop is open, what comes
//! next.
//!
//! The same shape as [`crate::review`], one level up: [`step`] folds an event, [`pending`] says what to do next. Loop
//! events are handed down unchanged.

mod attribution;
mod comments;
mod course_changes;
mod parked;
pub mod put_off;
pub mod warned;

pub use comments::Comments;

use crate::attribution::Attribution;
use crate::bills::Bills;
use crate::review::{self, Effect, Loop, LoopEnd, Rejected};
use crate::tally::Tally;
use course_changes::{go_back, set_lane, skip};
use redraft_facts::event::{
    Adopted, BudgetReached, Cancelled, Certify, Decision, Entry, Event, FeatureCreated, FeatureLife,
    LoopOpened, Merged, PhaseClosed,
};
use redraft_facts::findings::{Ruling, SettledFinding};
use redraft_facts::forecast::Forecast;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::probed::MetAgent;
use redraft_facts::usage::{Money, Usd};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipeline {
    pub created: Option<FeatureCreated>,
    pub open: Option<Loop>,
    /// Loops that ended, oldest first.
    pub past: Vec<Loop>,
    /// Phases that a person left out.
    pub skipped: BTreeSet<Phase>,
    /// Features that come before it and that a person goes on without.
    pub unblocked: BTreeSet<String>,
    /// Where it was found and how, if it was begun elsewhere.
    pub adopted: Option<Adopted>,
    pub cancelled: bool,
    /// How its branch was merged.
    pub merged: Option<Merged>,
    /// The agents it works with, as they were last met.
    pub met: Vec<MetAgent>,
    pub dispatches: u32,
    /// What its dispatches came to. A budget counts all of it ([`Money::counted`]).
    pub money: Money,
    /// The dispatches that are under way, for their bills.
    pub bills: Bills,
    /// What was expected when a person was last asked before code is written, until they answer.
    pub estimate: Option<Forecast>,
    /// How many dispatches were given to hosts; their cost is unknown here.
    pub untold: u32,
    /// What a person said the feature may cost; without it the configuration decides.
    pub budget: Option<Usd>,
    /// Why nothing more was sent, until something is.
    pub short: Option<BudgetReached>,
    /// Agents whose usage limit was reached, and until when, in milliseconds since 1970. An agent that is sent to again
    /// is taken out: the entry is then out of date.
    pub parked: BTreeMap<AgentName, i64>,
    /// The agent that each role was last sent to.
    pub sent_to: BTreeMap<Role, AgentName>,
    /// What people have settled, oldest first.
    pub settled: Vec<SettledFinding>,
    /// What people have said unasked.
    pub comments: Comments,
    /// What is watched over several features.
    pub tally: Tally,
    /// Who was asked, who judged and who wrote.
    pub players: Attribution,
    /// The lease under which a clone drives it, where it is shared; an earlier one no longer counts.
    pub fence: u64,
    /// The last event folded in.
    pub seq: u64,
}

impl Pipeline {
    /// Folds stored entries. An entry that does not fit means the ledger and this program disagree.
    pub fn replay<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Pipeline, Rejected> {
        let mut state = Pipeline::default();
        for entry in entries {
            fold(&mut state, &entry.event)?;
            state.seq = entry.seq;
        }
        Ok(state)
    }

    pub fn closed(&self, phase: Phase) -> Option<&PhaseClosed> {
        self.past.iter().rev().find_map(|past| match &past.end {
            Some(LoopEnd::Closed(closed)) if closed.phase == phase => Some(closed),
            _ => None,
        })
    }

    /// The open loop, or the last one that ended.
    pub fn latest(&self) -> Option<&Loop> {
        self.open.as_ref().or(self.past.last())
    }

    /// The last loop of each phase, in the order of the phases.
    pub fn standing(&self) -> impl Iterator<Item = &Loop> {
        let mut last: BTreeMap<Phase, &Loop> = BTreeMap::new();
        for one in self.past.iter().chain(&self.open) {
            last.insert(one.opened.phase, one);
        }
        last.into_values()
    }

    /// The loops whose findings count: for a feature the last of each phase, for a document by itself the one that
    /// judges it as the kind it is taken for now.
    pub fn relevant(&self) -> impl Iterator<Item = &Loop> {
        let alone = self.created.as_ref().filter(|created| created.is_review());
        let kind = alone.map(|created| created.until);
        self.standing().filter(move |one| kind.is_none_or(|kind| one.opened.phase == kind))
    }

    /// The phase the feature stands in: the open one, else the next of its lane.
    pub fn phase(&self) -> Option<Phase> {
        let open = self.open.as_ref().map(|open| open.opened.phase);
        open.or_else(|| self.next())
    }

    /// The first phase that is not over.
    fn next(&self) -> Option<Phase> {
        let taken = self.adopted.as_ref();
        if taken.is_some_and(|taken| matches!(taken.life, FeatureLife::Completed | FeatureLife::Abandoned)) {
            return None;
        }
        self.phases().find(|phase| !self.is_over(*phase))
    }

    /// Whether a phase was closed, or its document taken as it was found.
    pub fn is_over(&self, phase: Phase) -> bool {
        let taken = self.adopted.as_ref().is_some_and(|taken| taken.accepted.contains(&phase));
        taken || self.closed(phase).is_some()
    }

    /// Where it stands, in one word.
    pub fn life(&self) -> FeatureLife {
        let taken = self.adopted.as_ref().map(|taken| taken.life);
        match () {
            () if self.cancelled || taken == Some(FeatureLife::Abandoned) => FeatureLife::Abandoned,
            // A feature that nobody has worked on here stays as it was found: having nothing left to do here does not
            // make it completed.
            () if self.phase().is_none() => {
                taken.filter(|_| self.latest().is_none()).unwrap_or(FeatureLife::Completed)
            }
            () if self.latest().is_none() && taken.is_none_or(|taken| taken == FeatureLife::Planned) => {
                FeatureLife::Planned
            }
            () => FeatureLife::Active,
        }
    }

    /// The features that come before it, without those that a person goes on without.
    pub fn waits_for(&self) -> impl Iterator<Item = &String> {
        let all = self.created.iter().flat_map(|created| &created.depends_on);
        all.filter(|name| !self.unblocked.contains(*name))
    }

    /// The phases it passes through, in order: those of its lane up to its end, without those left out.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        let created = self.created.as_ref();
        let until = created.map(|created| created.until);
        // A document by itself has one phase, whichever that is.
        let alone = created.filter(|created| created.is_review()).map(|created| created.until);
        let lane = created.filter(|_| alone.is_none()).map(|created| created.lane.phases());
        let lane = lane.unwrap_or_default().iter().copied();
        // What was begun elsewhere and is built elsewhere is not merged from here either.
        let left_out = |phase: &Phase| {
            let elsewhere = *phase == Phase::Finish && self.adopted.is_some();
            let builds_on = if elsewhere { Phase::Implement } else { *phase };
            self.skipped.contains(phase) || self.skipped.contains(&builds_on)
        };
        let lane = lane.filter(move |phase| Some(*phase) <= until && !left_out(phase));
        alone.into_iter().chain(lane)
    }

    /// Why a phase has no artifact, where that is by design; empty for a document by itself, where nothing is said.
    pub fn left_out(&self, phase: Phase) -> Option<String> {
        let created = self.created.as_ref()?;
        if created.is_review() {
            return Some(String::new());
        }
        let in_lane = created.lane.phases().contains(&phase);
        if !in_lane {
            return Some(format!("phase skipped, lane {}", created.lane));
        }
        self.skipped.contains(&phase).then(|| "phase skipped".to_owned())
    }
}

pub fn step(state: &Pipeline, event: &Event) -> Result<Pipeline, Rejected> {
    let mut next = state.clone();
    fold(&mut next, event).map(|()| next)
}

/// Like [`step`], in place: for folding a history that was accepted once. After an error the state means nothing.
pub fn fold(state: &mut Pipeline, event: &Event) -> Result<(), Rejected> {
    match event {
        Event::FeatureCreated(created) if state.created.is_none() => state.created = Some(created.clone()),
        Event::FeatureCreated(_) | Event::Probed(_) | Event::Redacted(_) | Event::SigningBegan(_) => {
            return Err(unexpected(event));
        }
        // What was lost is not known here, and what comes next follows from what is left.
        Event::Unreadable(_) => {}
        Event::AgentsMet(fact) => {
            // A repetition would change nothing.
            if state.created.is_none() || state.cancelled || state.met == fact.agents {
                return Err(unexpected(event));
            }
            state.met.clone_from(&fact.agents);
        }
        // Only a process that knows of no agent at work hands a feature over.
        Event::DriverChanged(fact) => {
            // Whoever drives first is in the clone where it began.
            let from_elsewhere = fact.fence > 1;
            let at_work = state.open.as_ref().is_some_and(|open| open.flights().next().is_some());
            if state.created.is_none() || (at_work && from_elsewhere) || fact.fence <= state.fence {
                return Err(unexpected(event));
            }
            state.fence = fact.fence;
            if let Some(open) = state.open.as_mut().filter(|_| from_elsewhere) {
                open.forget_conversations("the feature was driven in another clone before");
            }
        }
        Event::ProposalSettled(fact) if state.created.is_some() => {
            // Where no loop is open, nothing goes on from the decision that stands.
            if let (Some(open), Some(_)) = (&mut state.open, &fact.against) {
                open.second.push(fact.clone());
            }
        }
        Event::LoopOpened(opened) => {
            let due = pending(state).contains(&Effect::Open { phase: opened.phase, pass: opened.pass });
            let Some(created) = state.created.as_ref().filter(|_| due && sound(opened)) else {
                return Err(unexpected(event));
            };
            let earlier = state.past.iter().rev().find(|past| past.opened.phase == opened.phase);
            let mut open = Loop::new(created.scope(), opened.clone(), earlier);
            if let Some(finishing) = &mut open.finishing {
                finishing.put_off = put_off::named(state, &opened.put_off);
            }
            state.open = Some(open);
            comments::opened(state);
        }
        Event::Commented(fact) => comments::comment(state, fact).ok_or_else(|| unexpected(event))?,
        Event::Adopted(adopted) => {
            if state.created.is_none() || state.latest().is_some() || state.adopted.is_some() {
                return Err(unexpected(event));
            }
            state.adopted = Some(adopted.clone());
        }
        Event::LaneSet(set) => set_lane(state, set).ok_or_else(|| unexpected(event))?,
        Event::PhaseSkipped(fact) => skip(state, fact.phase).ok_or_else(|| unexpected(event))?,
        Event::WentBack(fact) => go_back(state, fact.phase).ok_or_else(|| unexpected(event))?,
        Event::Unblocked(fact) => {
            // A repetition, or a feature that it never waited for, would change nothing.
            let waited = fact.dependencies.iter().all(|name| state.waits_for().any(|other| other == name));
            if fact.dependencies.is_empty() || !waited || state.cancelled {
                return Err(unexpected(event));
            }
            state.unblocked.extend(fact.dependencies.iter().cloned());
        }
        Event::Merged(merged) => {
            if !state.is_over(Phase::Finish) || state.open.is_some() || state.merged.is_some() {
                return Err(unexpected(event));
            }
            state.merged = Some(merged.clone());
        }
        Event::BudgetSet(_) | Event::BudgetReached(_) if state.created.is_none() || state.cancelled => {
            return Err(unexpected(event));
        }
        Event::BudgetSet(set) => {
            state.budget = Some(set.limit);
            let counted = state.money.counted();
            state.short = state.short.take().filter(|short| counted + short.needed > set.limit);
        }
        Event::BudgetReached(reached) => state.short = Some(reached.clone()),
        Event::CostCorrected(fact) => {
            // A repetition would change nothing, and the amount that is corrected must be the recorded one.
            let counted = state.bills.counted(&fact.ticket);
            if counted != Some(fact.was) || fact.cost == fact.was {
                return Err(unexpected(event));
            }
            state.bills.take(event);
            state.money = state.bills.total();
            // What was thought to be needed came from the same figure.
            if let Some(open) = state.open.as_mut() {
                open.forget_needs(&fact.ticket.role);
            }
            state.short = None;
        }
        Event::Cancelled(Cancelled { .. }) if state.open.is_none() => {
            if state.created.is_none() || state.cancelled || state.merged.is_some() {
                return Err(unexpected(event));
            }
            state.cancelled = true;
        }
        _ => {
            let open = state.open.as_mut().ok_or_else(|| unexpected(event))?;
            let tally = Tally::new(state.created.as_ref(), open, event);
            let parked = parked::parked(open, event);
            let settled = settled(open, event);
            let ruled = put_off::ruled(open, event);
            review::fold(open, event)?;
            put_off::rule(&mut state.past, &ruled);
            state.players.take(event);
            state.parked.extend(parked);
            state.settled.extend(settled);
            state.tally.add(&tally);
            if let Some(ended) = state.bills.take(event) {
                state.money += ended.money();
            }
            match event {
                Event::Started(started) => {
                    state.dispatches += 1;
                    state.untold += u32::from(started.pull);
                    state.short = None;
                    state.parked.remove(&started.agent);
                    state.sent_to.insert(started.ticket.role.clone(), started.agent.clone());
                }
                Event::Asked(asked) => state.estimate.clone_from(&asked.estimate),
                Event::Decided(_) => state.estimate = None,
                _ => {}
            }
        }
    }
    if let Some(ended) = state.open.take_if(|open| open.end.is_some()) {
        state.cancelled |= ended.end == Some(LoopEnd::Abandoned);
        state.past.push(ended);
    }
    Ok(())
}

pub fn pending(state: &Pipeline) -> Vec<Effect> {
    if state.created.is_none() || state.cancelled {
        return Vec::new();
    }
    if let Some(open) = &state.open {
        return review::pending(open);
    }
    let Some(phase) = state.next() else { return Vec::new() };
    let passes = state.past.iter().filter(|past| past.opened.phase == phase).count() as u16;
    vec![Effect::Open { phase, pass: passes + 1 }]
}

/// The findings of a loop that an event settles, as they are before it.
fn settled(open: &Loop, event: &Event) -> Vec<SettledFinding> {
    let Event::Decided(fact) = event else { return Vec::new() };
    let overruled = fact.choice == Decision::Overrule;
    let ruling = |phase: Phase| {
        let (by, why) = (fact.by.clone(), fact.why.clone());
        Ruling { phase, pass: fact.pass, number: fact.number, by, why, overruled }
    };
    let own = open.findings.iter().filter(|finding| fact.ruled.contains(&finding.id));
    let own = own.map(|finding| (open.opened.phase, finding.clone()));
    let all = own.chain(put_off::ruled(open, event));
    all.map(|(phase, finding)| SettledFinding { ruling: ruling(phase), finding }).collect()
}

/// A loop without reviewers or limits could close on nothing.
fn sound(opened: &LoopOpened) -> bool {
    let limits = &opened.limits;
    let bounded = limits.rounds > 0 && limits.attempts > 0 && limits.gates > 0;
    let mut roles: Vec<_> =
        opened.panels.iter().flat_map(|panel| &panel.roles).map(|member| &member.role).collect();
    let count = roles.len();
    roles.sort();
    roles.dedup();
    // Gates alone may close a document only where nobody is expected to sign it.
    let reviewed = !opened.panels.is_empty() || (opened.certify == Certify::Off && !opened.gates.is_empty());
    let staffed = reviewed && opened.panels.iter().all(|panel| !panel.roles.is_empty());
    bounded && staffed && roles.len() == count && !roles.contains(&&opened.author) && !opened.paths.is_empty()
}

fn unexpected(event: &Event) -> Rejected {
    Rejected { what: format!("`{}`", event.kind()) }
}
