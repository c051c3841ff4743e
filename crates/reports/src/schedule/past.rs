//! What earlier tasks took: how long their agents worked on each, and what was billed for it.
//!
//! What a rehearsal did says nothing about a real agent, so it does not count. Neither do checks between the attempts.

use redraft_core::bills::{Bill, Bills};
use redraft_cost::price::Cards;
use redraft_facts::choice::Prediction;
use redraft_facts::event::{Event, PlayerKind};
use redraft_facts::ids::TaskId;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Scope, Ticket, Unit};
use redraft_facts::usage::{Usage, Usd};

/// Only the latest tasks count, so that the median follows a repository that changes.
const TASKS_MAX: usize = 100;
/// From so many tasks on, a feature's own are asked alone.
const OWN_MIN: usize = 3;

#[derive(Debug, Clone, Default)]
pub struct PastTasks {
    bills: Bills,
    tasks: Vec<PastTask>,
    places: BTreeMap<(Scope, u16, TaskId), usize>,
}

#[derive(Debug, Clone)]
struct PastTask {
    scope: Scope,
    /// Of all its answers; none before the first.
    wall_ms: Option<u64>,
    /// None where it is not known.
    costs: BTreeMap<Ticket, Option<Usd>>,
    /// How much more its first prompt would have cost if a cache had held nothing of it; none where it is not known.
    cached: Option<Usd>,
    rehearsed: bool,
}

/// What a task usually took: the median, of two in the middle the larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsualTask {
    pub wall_ms: u64,
    /// Of how many tasks.
    pub timed: usize,
    pub cost: Option<Usd>,
    /// Of how many tasks the whole bill is known.
    pub billed: usize,
    /// How much more one costs that finds nothing in a cache of what tasks share: the most that is lost where several begin
    /// together.
    pub cached: Option<Usd>,
    /// Whether these are tasks of the feature itself.
    pub own: bool,
}

impl PastTasks {
    /// The kinds of events that have to be taken in.
    pub const KINDS: [&'static str; 6] =
        ["started", "raised", "answered", "failed", "lost", "cost-corrected"];

    pub fn take(&mut self, event: &Event) {
        if let Event::Started(fact) = event
            && let Some(task) = self.task(&fact.ticket)
        {
            task.rehearsed |= fact.player.kind == PlayerKind::Rehearsal;
            if task.costs.is_empty() {
                task.cached = fact.choice.prediction.as_ref().and_then(worth_of_cache);
            }
            task.costs.insert(fact.ticket.clone(), None);
        }
        if let Event::Answered(fact) = event
            && let Some(task) = self.task(&fact.ticket)
        {
            task.wall_ms = Some(task.wall_ms.unwrap_or(0).saturating_add(fact.wall_ms));
        }
        if let Some(ended) = self.bills.take(event) {
            let cost = match ended.bill {
                Bill::Known(usage) if ended.beyond == Usd(0) => Some(usage.cost),
                Bill::Known(_) | Bill::Unknown { .. } | Bill::UnderWay => None,
            };
            if let Some(task) = self.task(&ended.ticket) {
                task.costs.insert(ended.ticket, cost);
            }
        }
    }

    /// What a task of this feature can be expected to take; none where nothing is known.
    pub fn usual(&self, feature: Option<&Scope>) -> Option<UsualTask> {
        let known = || self.tasks.iter().rev().filter(|task| !task.rehearsed && task.wall_ms.is_some());
        let own: Vec<&PastTask> =
            known().filter(|task| Some(&task.scope) == feature).take(TASKS_MAX).collect();
        let is_own = own.len() >= OWN_MIN;
        let tasks = if is_own { own } else { known().take(TASKS_MAX).collect() };
        let times: Vec<u64> = tasks.iter().filter_map(|task| task.wall_ms).collect();
        let whole = |task: &&PastTask| {
            let sum = |sum: Usd, cost: &Option<Usd>| Some(sum + (*cost)?);
            task.costs.values().try_fold(Usd(0), sum)
        };
        let cached: Vec<u64> = tasks.iter().filter_map(|task| task.cached).map(|cost| cost.0).collect();
        let costs: Vec<u64> = tasks.iter().filter_map(whole).map(|cost| cost.0).collect();
        Some(UsualTask {
            timed: times.len(),
            wall_ms: median(times)?,
            billed: costs.len(),
            cost: median(costs).map(Usd),
            cached: median(cached).map(Usd),
            own: is_own,
        })
    }

    fn task(&mut self, ticket: &Ticket) -> Option<&mut PastTask> {
        let Unit::Task(id) = &ticket.unit else { return None };
        if ticket.purpose != Purpose::Implement {
            return None;
        }
        let key = (ticket.scope.clone(), ticket.pass, id.clone());
        let place = *self.places.entry(key).or_insert(self.tasks.len());
        if place == self.tasks.len() {
            let scope = ticket.scope.clone();
            self.tasks.push(PastTask {
                scope,
                wall_ms: None,
                costs: BTreeMap::new(),
                cached: None,
                rehearsed: false,
            });
        }
        self.tasks.get_mut(place)
    }
}

/// What is saved because a cache holds a part of the prompt; none where the prices are not known.
fn worth_of_cache(prediction: &Prediction) -> Option<Usd> {
    let cards = Cards::builtin();
    let card = cards.find(&prediction.card).ok()?;
    let read = prediction.usage.read;
    let cost = |usage: Usage| card.cost(&usage, read);
    let (without, with) =
        (cost(Usage { written: read, ..Usage::default() }), cost(Usage { read, ..Usage::default() }));
    Some(Usd(without.0.saturating_sub(with.0)))
}

fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}
