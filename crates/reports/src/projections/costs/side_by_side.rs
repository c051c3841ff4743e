//! The cost of tasks run side by side, and how much of it is due to running them side by side.

use super::{Costs, Sum};
use redraft_facts::event::{Enqueued, Started};
use redraft_facts::ids::TaskId;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Ticket, Unit};

/// Dispatches in worktrees of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Beside {
    sent: BTreeSet<Ticket>,
    /// Those of them whose task was finished before, and sent back from the queue.
    again: BTreeSet<Ticket>,
    finished: BTreeSet<TaskId>,
}

impl Beside {
    pub(super) fn start(&mut self, fact: &Started) {
        let (Unit::Task(id), Some(_)) = (&fact.ticket.unit, &fact.slot) else { return };
        self.sent.insert(fact.ticket.clone());
        if self.finished.contains(id) {
            self.again.insert(fact.ticket.clone());
        }
    }

    pub(super) fn enqueue(&mut self, fact: &Enqueued) {
        if let (Unit::Task(id), None) = (&fact.work.ticket.unit, &fact.work.unfinished) {
            self.finished.insert(id.clone());
        }
    }
}

impl Costs {
    /// The sum of what was sent to tasks side by side, and of what of it was sent because a task came back from the
    /// queue; none where none were carried out side by side.
    pub fn side_by_side(&self) -> Option<(Sum, Sum)> {
        let of = |tickets: &BTreeSet<Ticket>| {
            let mut sum = Sum::default();
            self.dispatches()
                .filter(|one| tickets.contains(&one.ticket))
                .for_each(|one| sum.add_dispatch(one));
            sum
        };
        (!self.beside.sent.is_empty()).then(|| (of(&self.beside.sent), of(&self.beside.again)))
    }
}
