//! Tasks that are carried out side by side: what happens from the end of one until it is part of the feature.
//!
//! ```text
//!   finished ──► queue ──► put on top of the feature, in no checkout ──► checks ──► part of the feature
//!      ▲                                │ conflict                         │ red
//!      └──────── its own implementer ◄──┴── halved until the task is found ┘
//! ```
//!
//! All that waits is tried at once, in the order in which it was finished. What fails is run once more; what fails
//! twice is halved until the first task with which it fails is known, and then until the one without which that task
//! passes is known, too. For `n` tasks that takes at most `2·⌈log₂ n⌉ + 1` runs of the checks, those that are run once
//! more apart. Here is what is remembered and what follows from it; `step::land` says how facts change it.

use redraft_facts::event::{Checked, Combined, CombinedStep, Enqueued};
use redraft_facts::ids::{Revision, TaskId};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Ticket, Unit};

/// How often a check of the same files must fail to count.
const FAILURES: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    /// How many tasks may be under way. With one, each is carried out in the feature's own worktree.
    pub jobs: u16,
    /// Finished tasks, in the order in which they were finished.
    pub queue: Vec<Enqueued>,
    /// What was put on top of what the feature is now, with all the tasks that this was asked for.
    pub(super) combined: Vec<(Vec<TaskId>, Combined)>,
    /// How checks of that ended, each run of them.
    pub(super) tried: Vec<Checked>,
    /// What becomes part of the feature next, one after the other: all its checks have passed.
    pub passed: Vec<CombinedStep>,
}

/// Why a finished task is carried out once more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentBack {
    /// It and what has become part of the feature, or these tasks, have changed the same lines.
    Conflict { files: Vec<String>, with: Vec<TaskId> },
    /// A check fails with it; where it passes without another task, that one is named.
    Red { gate: String, evidence: String, with: Option<TaskId> },
}

/// What the queue needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    Combine(Vec<TaskId>),
    Check {
        revision: Revision,
        gate: String,
    },
    Passed(Vec<CombinedStep>),
    /// These have passed, and the task behind them has not.
    Red {
        passed: Vec<CombinedStep>,
        task: TaskId,
        with: Option<TaskId>,
        gate: String,
        evidence: String,
        /// Whether it probably fails because of its sandbox, which no implementer can mend.
        refused: bool,
    },
}

enum Verdict<'a> {
    Unknown(&'a str),
    Green,
    Red(&'a Checked),
}

impl Default for Landing {
    fn default() -> Landing {
        Landing { jobs: 1, queue: vec![], combined: vec![], tried: vec![], passed: vec![] }
    }
}

/// The task of a dispatch; none where it is about the whole.
pub(super) fn task_of(ticket: &Ticket) -> Option<&TaskId> {
    match &ticket.unit {
        Unit::Task(id) => Some(id),
        Unit::Whole => None,
    }
}

impl Landing {
    /// The dispatch whose work waits.
    pub fn ticket_of(&self, task: &TaskId) -> Option<&Ticket> {
        self.queue.iter().map(|one| &one.work.ticket).find(|ticket| task_of(ticket) == Some(task))
    }

    /// A commit that holds what was put together, if something has come to this.
    pub fn commit_of(&self, revision: &Revision) -> Option<&str> {
        let steps = self.combined.iter().flat_map(|(_, one)| &one.steps).chain(&self.passed);
        steps.into_iter().find(|step| step.revision == *revision).map(|step| step.commit.as_str())
    }

    pub(super) fn tasks(&self) -> Vec<TaskId> {
        self.queue.iter().filter_map(|one| task_of(&one.work.ticket)).cloned().collect()
    }

    /// What the feature is has changed, so nothing that was tried on top of it counts.
    pub(super) fn forget(&mut self) {
        self.combined.clear();
        self.tried.clear();
        self.passed.clear();
    }

    fn combination(&self, tasks: &[TaskId]) -> Option<&Combined> {
        self.combined.iter().find(|(asked, _)| asked == tasks).map(|(_, one)| one)
    }

    fn verdict<'a>(&'a self, gates: &'a [String], revision: &Revision) -> Verdict<'a> {
        for gate in gates {
            let runs = || self.tried.iter().filter(|run| run.gate == *gate && run.revision == *revision);
            if runs().any(|run| run.passed) {
                continue;
            }
            return match runs().nth(FAILURES - 1) {
                Some(failed) => Verdict::Red(failed),
                None => Verdict::Unknown(gate),
            };
        }
        Verdict::Green
    }

    /// What comes next, from what was tried; none where nothing waits.
    pub(super) fn next(&self, gates: &[String]) -> Option<Next> {
        let batch = self.tasks();
        if batch.is_empty() {
            return None;
        }
        let Some(whole) = self.combination(&batch) else { return Some(Next::Combine(batch)) };
        let check = |step: &CombinedStep, gate: &str| Next::Check {
            revision: step.revision.clone(),
            gate: gate.to_owned(),
        };
        let all = whole.steps.last()?;
        let mut failed = match self.verdict(gates, &all.revision) {
            Verdict::Unknown(gate) => return Some(check(all, gate)),
            Verdict::Green => return Some(Next::Passed(whole.steps.clone())),
            Verdict::Red(failed) => failed,
        };
        // How many pass together, and how many do not.
        let (mut green, mut red) = (0, whole.steps.len());
        while red - green > 1 {
            let middle = usize::midpoint(green, red);
            let step = &whole.steps[middle - 1];
            match self.verdict(gates, &step.revision) {
                Verdict::Unknown(gate) => return Some(check(step, gate)),
                Verdict::Green => green = middle,
                Verdict::Red(run) => (red, failed) = (middle, run),
            }
        }
        let task = batch[red - 1].clone();
        // The fewest of those before it with which it fails, and the most with which it passes.
        let (mut least, mut most, mut passes) = (0, red - 1, None);
        while least < most {
            let middle = usize::midpoint(least, most);
            let tasks: Vec<TaskId> = batch[..middle].iter().chain([&task]).cloned().collect();
            let Some(tried) = self.combination(&tasks) else { return Some(Next::Combine(tasks)) };
            // What cannot be put together says nothing, and is not the reason.
            let step = tried.steps.last().filter(|_| tried.conflict.is_none());
            match step.map(|step| (step, self.verdict(gates, &step.revision))) {
                Some((step, Verdict::Unknown(gate))) => return Some(check(step, gate)),
                Some((_, Verdict::Red(run))) => (most, failed) = (middle, run),
                Some((_, Verdict::Green)) => (least, passes) = (middle + 1, Some(middle)),
                None => least = middle + 1,
            }
        }
        let with = passes.filter(|count| count + 1 == most).map(|place| batch[place].clone());
        let passed = whole.steps[..red - 1].to_vec();
        let Checked { gate, evidence, .. } = failed.clone();
        let refused = failed.refused().is_some();
        let evidence = failed.refused().map_or(evidence, str::to_owned);
        Some(Next::Red { passed, task, with, gate, evidence, refused })
    }
}

#[cfg(test)]
mod tests;
