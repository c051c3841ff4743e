//! What a schedule comes to: what each task waits for, the longest chain of them, and how long several jobs take.
//!
//! Nothing is decided by it. `documents::schedule` says which tasks may run side by side, [`PastTasks`]
//! how long a task takes, where there were any. Start at [`Outlook::new`].

mod past;
#[cfg(test)]
mod tests;

pub use past::{PastTasks, UsualTask};

use redraft_documents::schedule::{Reason, Schedule, TaskProgress};
use redraft_facts::prelude::*;

/// A schedule from where its tasks are now. What is under way counts as a whole task that is to come.
#[derive(Debug, Clone)]
pub struct Outlook<'a> {
    schedule: &'a Schedule,
    states: Vec<TaskProgress>,
    /// How long each task takes, in any unit.
    lasts: &'a [u64],
    /// What each task waits for, without what follows from the rest.
    waits: Vec<Vec<usize>>,
}

/// That a task waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait<'a> {
    pub task: usize,
    pub why: Reason<'a>,
}

/// When a task is carried out, and by which job, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedSlot {
    pub begins: u64,
    pub ends: u64,
    pub job: usize,
}

impl<'a> Outlook<'a> {
    pub fn new(schedule: &'a Schedule, states: &[TaskProgress], lasts: &'a [u64]) -> Outlook<'a> {
        let to_come = |state: &TaskProgress| match state {
            TaskProgress::Ended => TaskProgress::Ended,
            TaskProgress::Open | TaskProgress::Running | TaskProgress::Landing => TaskProgress::Open,
        };
        let states: Vec<TaskProgress> = states.iter().map(to_come).collect();
        let waits = waits(schedule, &states);
        Outlook { schedule, states, lasts, waits }
    }

    /// What a task has to wait for: all that it needs, and of what else is before it only what does not wait in turn.
    pub fn waits(&self, task: usize) -> Vec<Wait<'a>> {
        let why = |other: &usize| Some(Wait { task: *other, why: self.schedule.why(task, *other)? });
        self.waits[task].iter().filter_map(why).collect()
    }

    /// The chain of tasks that takes longest, and how long: no number of jobs is faster.
    pub fn critical_path(&self) -> (Vec<usize>, u64) {
        let mut until = vec![0_u64; self.waits.len()];
        let mut last = None;
        let mut longest = vec![None; self.waits.len()];
        for task in self.to_come() {
            for before in self.waits[task].iter().copied() {
                if longest[task].is_none_or(|known: usize| until[known] < until[before]) {
                    longest[task] = Some(before);
                }
            }
            until[task] = self.lasts(task).saturating_add(longest[task].map_or(0, |before| until[before]));
            if last.is_none_or(|known: usize| until[known] < until[task]) {
                last = Some(task);
            }
        }
        let mut path: Vec<usize> = core::iter::successors(last, |task| longest[*task]).collect();
        path.reverse();
        (path, last.map_or(0, |task| until[task]))
    }

    /// When each task is carried out by so many jobs; none for one that has ended.
    pub fn plan(&self, jobs: usize) -> Vec<Option<PlannedSlot>> {
        let mut states = self.states.clone();
        let mut slots: Vec<Option<PlannedSlot>> = vec![None; states.len()];
        let mut running: Vec<(usize, PlannedSlot)> = Vec::new();
        let mut now = 0;
        loop {
            for task in self.schedule.ready(&states, jobs.max(1)) {
                let is_free = |job: &usize| running.iter().all(|(_, slot)| slot.job != *job);
                let job = (1..=jobs.max(1)).find(is_free).unwrap_or(1);
                let slot = PlannedSlot { begins: now, ends: self.lasts(task).saturating_add(now), job };
                states[task] = TaskProgress::Running;
                slots[task] = Some(slot);
                running.push((task, slot));
            }
            let Some(next) = running.iter().map(|(_, slot)| slot.ends).min() else { return slots };
            now = next;
            running.retain(|(task, slot)| {
                let ended = slot.ends == now;
                if ended {
                    states[*task] = TaskProgress::Ended;
                }
                !ended
            });
        }
    }

    /// The tasks that have not ended, in their order.
    pub fn to_come(&self) -> impl Iterator<Item = usize> {
        self.schedule.order().iter().copied().filter(|task| self.states[*task] != TaskProgress::Ended)
    }

    fn lasts(&self, task: usize) -> u64 {
        self.lasts.get(task).copied().unwrap_or(1)
    }
}

/// How many tasks of a plan begin beside another one that begins at the same time, the first of them apart: a cache holds
/// what they share once that has begun to answer.
pub fn beside(plan: &[Option<PlannedSlot>]) -> u64 {
    let begins: BTreeSet<u64> = plan.iter().flatten().map(|slot| slot.begins).collect();
    plan.iter().flatten().count().saturating_sub(begins.len()) as u64
}

/// How long a plan takes.
pub fn length(plan: &[Option<PlannedSlot>]) -> u64 {
    plan.iter().flatten().map(|slot| slot.ends).max().unwrap_or(0)
}

fn waits(schedule: &Schedule, states: &[TaskProgress]) -> Vec<Vec<usize>> {
    let order: Vec<usize> =
        schedule.order().iter().copied().filter(|task| states[*task] != TaskProgress::Ended).collect();
    let mut waits: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    // For each place in the order, all that is before it, as bits.
    let mut behind: Vec<Bits> = Vec::with_capacity(order.len());
    for (nth, task) in order.iter().copied().enumerate() {
        let mut known = Bits::new(nth);
        let mut kept = Vec::new();
        for place in (0..nth).rev() {
            let implied = known.has(place);
            let why = if implied { None } else { schedule.why(task, order[place]) };
            let needed = || matches!(schedule.why(task, order[place]), Some(Reason::Needs | Reason::Circle));
            if why.is_some() {
                known.add(&behind[place], place);
            }
            if why.is_some() || implied && needed() {
                kept.push(order[place]);
            }
        }
        kept.reverse();
        waits[task] = kept;
        behind.push(known);
    }
    waits
}

/// A set of small numbers.
#[derive(Debug, Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds a number and all that another set holds, which are smaller.
    fn add(&mut self, others: &Bits, number: usize) {
        self.0.iter_mut().zip(&others.0).for_each(|(own, other)| *own |= other);
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }
}
