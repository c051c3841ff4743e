//! Collects what earlier features of the repository needed, role by role, from their bills.
//!
//! Only phases that were closed count, and of them only roles that were played by agents whose bills are known from the
//! first dispatch to the last. Start at [`BillHistory::take`].

use redraft_facts::event::Event;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::{Usage, Usd};

/// Only the latest features count, so that an estimate follows a repository that changes.
const FEATURES_MAX: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BillHistory {
    /// Phases that are not closed yet.
    open: BTreeMap<(Scope, Phase), Work>,
    /// Of closed ones: what each role needed, the latest feature last.
    done: BTreeMap<(Phase, Role), Vec<Seen>>,
    /// How many tasks the features had whose code was approved.
    tasks: Vec<u32>,
}

/// A phase of one feature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Work {
    tasks: u32,
    roles: BTreeMap<Role, Seen>,
}

/// A role in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    dispatches: u32,
    tasks: u32,
    usage: Usage,
    /// Whether one of its bills is unknown, or its agent does not count.
    uncounted: bool,
}

/// What a role usually needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usual {
    pub(super) dispatches: u32,
    /// The usage of all of these dispatches, without a cost.
    pub(super) usage: Usage,
    /// About how large the conversation gets.
    pub(super) prompt: u64,
    pub(super) features: u32,
}

impl BillHistory {
    /// The kinds of events that have to be taken in.
    pub const KINDS: [&'static str; 7] =
        ["loop-opened", "started", "answered", "failed", "lost", "cost-corrected", "phase-closed"];

    /// `counts` says whether an agent's bills say something about a paid one.
    pub fn take(&mut self, scope: &Scope, event: &Event, counts: &dyn Fn(&AgentName) -> bool) {
        if !matches!(scope, Scope::Feature(_)) {
            return;
        }
        match event {
            Event::LoopOpened(fact) => {
                let work = self.open.entry((scope.clone(), fact.phase)).or_default();
                work.tasks = work.tasks.max(u32::try_from(fact.tasks.len()).unwrap_or(u32::MAX));
            }
            Event::Started(fact) => {
                let seen = self.seen(scope, fact.ticket.phase, &fact.ticket.role);
                seen.dispatches += 1;
                seen.uncounted |= fact.pull || !counts(&fact.agent);
            }
            Event::Answered(fact) => {
                let seen = self.seen(scope, fact.ticket.phase, &fact.ticket.role);
                seen.usage += fact.usage;
                seen.uncounted |= fact.usage.input() == 0 || fact.unknown > Usd(0);
            }
            Event::Failed(fact) => {
                let seen = self.seen(scope, fact.ticket.phase, &fact.ticket.role);
                match fact.usage {
                    // A connection that was never made says nothing about what a role needs.
                    Some(usage) if usage == Usage::default() => {
                        seen.dispatches = seen.dispatches.saturating_sub(1);
                    }
                    Some(usage) => seen.usage += usage,
                    None => seen.uncounted = true,
                }
            }
            Event::Lost(fact) => self.seen(scope, fact.ticket.phase, &fact.ticket.role).uncounted = true,
            // What was reported about it was wrong. In a phase that is already closed, the median takes care of it.
            Event::CostCorrected(fact) => {
                let work = self.open.get_mut(&(scope.clone(), fact.ticket.phase));
                if let Some(seen) = work.and_then(|work| work.roles.get_mut(&fact.ticket.role)) {
                    seen.uncounted = true;
                }
            }
            Event::PhaseClosed(fact) => {
                if let Some(work) = self.open.remove(&(scope.clone(), fact.phase)) {
                    self.close(fact.phase, work);
                }
            }
            _ => {}
        }
    }

    fn seen(&mut self, scope: &Scope, phase: Phase, role: &Role) -> &mut Seen {
        let work = self.open.entry((scope.clone(), phase)).or_default();
        work.roles.entry(role.clone()).or_default()
    }

    fn close(&mut self, phase: Phase, work: Work) {
        if work.tasks > 0 {
            push(&mut self.tasks, work.tasks);
        }
        let known = work.roles.into_iter().filter(|(_, seen)| !seen.uncounted && seen.dispatches > 0);
        for (role, seen) in known {
            push(self.done.entry((phase, role)).or_default(), Seen { tasks: work.tasks, ..seen });
        }
    }

    /// How many tasks a feature of this repository usually has.
    pub fn usual_tasks(&self) -> Option<u32> {
        median(self.tasks.iter().map(|tasks| u64::from(*tasks)))
            .map(|tasks| u32::try_from(tasks).unwrap_or(u32::MAX))
    }

    /// What a role usually needs in a phase: the median of each number. With `tasks` as many dispatches as that many tasks
    /// would have taken.
    pub(super) fn usual(&self, phase: Phase, role: &Role, tasks: Option<u32>) -> Option<Usual> {
        let seen = self.done.get(&(phase, role.clone()))?;
        let counted = |one: &Seen| match tasks {
            Some(tasks) => {
                (u64::from(one.dispatches) * u64::from(tasks)).div_ceil(u64::from(one.tasks.max(1)))
            }
            None => u64::from(one.dispatches),
        };
        let dispatches = median(seen.iter().map(counted))?;
        let each = |class: fn(&Usage) -> u64| {
            median(seen.iter().map(|one| class(&one.usage) / u64::from(one.dispatches))).unwrap_or(0)
        };
        let one = Usage {
            uncached: each(|usage| usage.uncached),
            written: each(|usage| usage.written),
            read: each(|usage| usage.read),
            output: each(|usage| usage.output),
            cost: Usd(0),
        };
        let times = |tokens: u64| tokens.saturating_mul(dispatches);
        Some(Usual {
            dispatches: u32::try_from(dispatches).unwrap_or(u32::MAX),
            usage: Usage {
                uncached: times(one.uncached),
                written: times(one.written),
                read: times(one.read),
                output: times(one.output),
                cost: Usd(0),
            },
            prompt: one.uncached.saturating_add(one.written),
            features: u32::try_from(seen.len()).unwrap_or(u32::MAX),
        })
    }
}

fn push<T>(list: &mut Vec<T>, one: T) {
    if list.len() == FEATURES_MAX {
        list.remove(0);
    }
    list.push(one);
}

/// The value in the middle; of two, the larger.
fn median(values: impl Iterator<Item = u64>) -> Option<u64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}
