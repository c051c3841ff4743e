//! What became of a feature's tasks, counted.

use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Implementing, TaskWork};
use redraft_facts::prelude::*;
use redraft_facts::text;
use serde::{Deserialize, Serialize};

/// What became of a feature's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskTally {
    pub done: usize,
    /// Tasks that a person went on without.
    pub blocked: usize,
    pub total: usize,
    /// Tasks that agents carry out now. Whoever shows the row leaves them out where nobody drives the feature.
    #[serde(default, skip_serializing_if = "is_none")]
    pub at_work: usize,
    /// Tasks that are finished and not yet part of the feature.
    #[serde(default, skip_serializing_if = "is_none")]
    pub queued: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn is_none(count: &usize) -> bool {
    *count == 0
}

impl TaskTally {
    pub(crate) fn new(implementing: &Implementing) -> TaskTally {
        let (done, blocked) = implementing.tally();
        let at_work = |task: &&TaskWork| {
            task.seat.flight().is_some_and(|flight| flight.answered.is_none() && !flight.started.pull)
        };
        let at_work = implementing.tasks.iter().filter(at_work).count();
        let (total, queued) = (implementing.tasks.len(), implementing.landing.queue.len());
        TaskTally { done, blocked, total, at_work, queued }
    }

    /// The tasks of a feature, once they are being carried out.
    pub fn count(state: &Pipeline) -> Option<TaskTally> {
        state.standing().filter_map(|one| one.implementing.as_ref()).last().map(TaskTally::new)
    }

    /// The same as [`TaskTally::in_words`], with what is under way.
    pub fn now_in_words(&self) -> String {
        self.with_now(self.in_words())
    }

    /// Behind the number of those that are done.
    pub(crate) fn beside_done(&self) -> String {
        self.with_now("tasks done".to_owned())
    }

    /// How many are done of all tasks of several features, and what is under way.
    pub fn summed(all: impl Iterator<Item = TaskTally>) -> Option<String> {
        let sum = |one: TaskTally, other: TaskTally| TaskTally {
            done: one.done + other.done,
            blocked: one.blocked + other.blocked,
            total: one.total + other.total,
            at_work: one.at_work + other.at_work,
            queued: one.queued + other.queued,
        };
        let sum = all.reduce(sum)?;
        Some(sum.with_now(format!("{} of {} done", sum.done, text::count(sum.total, "task"))))
    }

    fn with_now(&self, words: String) -> String {
        let counts = [(self.at_work, "at work"), (self.queued, "in the queue")];
        let now = counts.into_iter().filter(|(number, _)| *number > 0);
        now.fold(words, |words, (number, what)| format!("{words}, {number} {what}"))
    }

    /// Once all have ended, it does not say how many there were.
    pub fn in_words(&self) -> String {
        let TaskTally { done, blocked, total, .. } = *self;
        match total > done + blocked {
            true => format!("{done} of {} done, {blocked} skipped or blocked", text::count(total, "task")),
            false => format!("{} done, {blocked} skipped or blocked", text::count(done, "task")),
        }
    }
}
