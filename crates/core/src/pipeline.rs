//! A feature from its first event: which phases are behind it, which loop is open, what is owed.
//!
//! The same shape as [`crate::review`], one level up: [`step`] folds, [`pending`] tells. Loop events are handed
//! down unchanged.

use crate::event::{BudgetReached, Cancelled, Entry, Event, FeatureCreated, LoopOpened, Now, PhaseClosed};
use crate::ids::AgentName;
use crate::phase::Phase;
use crate::prelude::*;
use crate::probe::MetAgent;
use crate::project::Tally;
use crate::review::{self, Effect, End, Loop, Rejected};
use crate::usage::Usd;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipeline {
    pub created: Option<FeatureCreated>,
    pub open: Option<Loop>,
    /// Loops that ended, oldest first.
    pub past: Vec<Loop>,
    pub cancelled: bool,
    /// The agents it works with, as they were last met.
    pub met: Vec<MetAgent>,
    pub dispatches: u32,
    /// Billed where it is known, reserved where it is not.
    pub spent: Usd,
    /// What a person said the feature may cost; without it the configuration decides.
    pub budget: Option<Usd>,
    /// Why nothing more was sent, until something is.
    pub short: Option<BudgetReached>,
    /// Agents whose usage limit was reached, and until when, in milliseconds since 1970. An agent that is sent to again
    /// is taken out: it is then known better.
    pub parked: BTreeMap<AgentName, i64>,
    /// What is watched over several features.
    pub tally: Tally,
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
            Some(End::Closed(closed)) if closed.phase == phase => Some(closed),
            _ => None,
        })
    }

    /// Until when the last of its agents is parked, whether or not that is over.
    pub fn parked_until_ms(&self) -> Option<i64> {
        self.parked.values().max().copied()
    }

    /// The open loop, or the last one that ended.
    pub fn latest(&self) -> Option<&Loop> {
        self.open.as_ref().or(self.past.last())
    }

    /// The phase the feature stands in: the open one, else the next of its lane.
    pub fn phase(&self) -> Option<Phase> {
        let created = self.created.as_ref()?;
        let open = self.open.as_ref().map(|open| open.opened.phase);
        open.or_else(|| created.lane.phases().iter().copied().find(|phase| self.closed(*phase).is_none()))
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
        Event::FeatureCreated(_) | Event::Trusted(_) | Event::Probed(_) => return Err(unexpected(event)),
        Event::AgentsMet(fact) => {
            // Said again it would say nothing.
            if state.created.is_none() || state.cancelled || state.met == fact.agents {
                return Err(unexpected(event));
            }
            state.met.clone_from(&fact.agents);
        }
        Event::LoopOpened(opened) => {
            let due = pending(state).contains(&Effect::Open { phase: opened.phase, pass: opened.pass });
            let Some(created) = state.created.as_ref().filter(|_| due && sound(opened)) else {
                return Err(unexpected(event));
            };
            let earlier = state.past.last().filter(|past| past.opened.phase == opened.phase);
            state.open = Some(Loop::new(created.id, opened.clone(), earlier));
        }
        Event::BudgetSet(_) | Event::BudgetReached(_) if state.created.is_none() || state.cancelled => {
            return Err(unexpected(event));
        }
        Event::BudgetSet(set) => {
            state.budget = Some(set.limit);
            let spent = state.spent;
            state.short = state.short.take().filter(|short| spent + short.needed > set.limit);
        }
        Event::BudgetReached(reached) => state.short = Some(reached.clone()),
        Event::Cancelled(Cancelled { .. }) if state.open.is_none() => {
            if state.created.is_none() || state.cancelled {
                return Err(unexpected(event));
            }
            state.cancelled = true;
        }
        _ => {
            let open = state.open.as_mut().ok_or_else(|| unexpected(event))?;
            let cost = cost(open, event);
            let tally = Tally::of(state.created.as_ref(), open, event);
            let parked = parked(open, event);
            review::fold(open, event)?;
            state.parked.extend(parked);
            state.tally.add(&tally);
            state.spent = state.spent + cost;
            if let Event::Started(started) = event {
                state.dispatches += 1;
                state.short = None;
                state.parked.remove(&started.agent);
            }
        }
    }
    if let Some(ended) = state.open.take_if(|open| open.end.is_some()) {
        state.cancelled |= ended.end == Some(End::Abandoned);
        state.past.push(ended);
    }
    Ok(())
}

pub fn pending(state: &Pipeline) -> Vec<Effect> {
    let Some(created) = state.created.as_ref().filter(|_| !state.cancelled) else { return Vec::new() };
    if let Some(open) = &state.open {
        return review::pending(open);
    }
    let next = created.lane.phases().iter().copied().find(|phase| state.closed(*phase).is_none());
    let Some(phase) = next else { return Vec::new() };
    let passes = state.past.iter().filter(|past| past.opened.phase == phase).count() as u16;
    vec![Effect::Open { phase, pass: passes + 1 }]
}

/// What an event adds to the bill: a failure whose cost is unknown costs what was reserved.
fn cost(open: &Loop, event: &Event) -> Usd {
    match event {
        Event::Answered(fact) => fact.usage.cost,
        Event::Lost(fact) => fact.cost,
        Event::Failed(fact) => {
            let reserved = || open.flights().find(|(_, flight)| flight.started.ticket == fact.ticket);
            let reserved = || reserved().map(|(_, flight)| flight.started.reserved).unwrap_or_default();
            fact.usage.map_or_else(reserved, |usage| usage.cost)
        }
        _ => Usd(0),
    }
}

/// The agent that an event parks, and until when.
fn parked(open: &Loop, event: &Event) -> Option<(AgentName, i64)> {
    let Event::Failed(fact) = event else { return None };
    let Now::ParkUntil(until_ms) = fact.now else { return None };
    let (_, flight) = open.flights().find(|(_, flight)| flight.started.ticket == fact.ticket)?;
    Some((flight.started.agent.clone(), until_ms))
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
    let staffed = !opened.panels.is_empty() && opened.panels.iter().all(|panel| !panel.roles.is_empty());
    bounded && staffed && roles.len() == count && !roles.contains(&&opened.author) && !opened.paths.is_empty()
}

fn unexpected(event: &Event) -> Rejected {
    Rejected { what: format!("`{}`", event.kind()) }
}
