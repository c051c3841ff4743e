//! Tasks that are carried out side by side in a [`World`].

use super::World;
use redraft_core::review::{Implementing, Landing};
use redraft_facts::event::*;
use redraft_facts::ids::{Revision, TaskId};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Ticket, Unit};

/// How often a person changes how many tasks are carried out at once; a world has to end.
const CHANGES_MAX: usize = 6;

impl World {
    fn implementing(&self) -> Option<&Implementing> {
        self.state.open.as_ref()?.implementing.as_ref()
    }

    pub(super) fn slot_of(&self, ticket: &Ticket) -> Option<Slot> {
        let open = self.state.open.as_ref()?;
        open.seat_of(ticket)?.flight()?.started.slot.clone()
    }

    /// Stores how many tasks may be carried out at once, where that is another number than before.
    pub(super) fn jobs_differ(&mut self) -> bool {
        let Some(now) = self.implementing().map(|implementing| implementing.landing.jobs) else {
            return false;
        };
        let changed = self.log.iter().filter(|entry| matches!(entry.event, Event::JobsSet(_))).count();
        let jobs = match changed {
            0 => self.rules.jobs,
            1..CHANGES_MAX if self.draw(self.habits.jobs) => 1 + u16::from(self.number() % 8),
            _ => now,
        };
        if jobs != now {
            self.happen(JobsSet { jobs, by: "someone".into() });
        }
        jobs != now
    }

    /// What a task did in a worktree of its own. It keeps what was there from before, and may write elsewhere than it said.
    pub(super) fn enqueue(&mut self, built: Built, slot: Slot) {
        let Unit::Task(id) = &built.ticket.unit else { panic!("{} is about no task", built.ticket) };
        let task = self.implementing().unwrap().tasks.iter().find(|task| task.id == *id).unwrap();
        let (own, mut files) = (task.own.is_some(), task.declared.files.clone());
        files.extend(self.draw(10).then(|| format!("src/{}.rs", self.number() % 4)));
        if files.is_empty() {
            files.push(format!("other/{id}"));
        }
        let changed = own || !built.commit.is_empty();
        let commit = if changed { format!("own-{}", built.ticket) } else { String::new() };
        let files = if changed { files } else { vec![] };
        self.happen(Enqueued { base: slot.base, work: Built { commit, files, ..built } });
    }

    /// The same tasks on top of the same revision are always the same files.
    pub(super) fn combine(&mut self, tasks: &[TaskId]) {
        let onto = self.state.open.as_ref().and_then(|open| open.revision.clone()).unwrap();
        let (mut revision, mut steps, mut conflict) = (onto.clone(), Vec::new(), None);
        for task in tasks {
            let work = waiting(&self.implementing().unwrap().landing, task).unwrap().work.clone();
            if !work.commit.is_empty() {
                if self.draw(self.habits.conflicts) {
                    conflict = Some(Conflict { task: task.clone(), files: work.files });
                    break;
                }
                revision = Revision::new(format!("{revision}+{}", work.commit));
            }
            let commit = format!("of-{revision}");
            steps.push(CombinedStep { task: task.clone(), revision: revision.clone(), commit });
        }
        self.happen(Combined { onto, steps, conflict });
    }

    /// Whether a candidate has the work that fails: its revision says what it consists of.
    pub(super) fn clashes(&self, candidate: &Revision) -> bool {
        let has = |task: usize| candidate.as_str().contains(&format!("task-1.{task}/implement/author/1.1"));
        self.rules.clash.is_some_and(|(one, other)| has(one) && has(other))
    }

    pub(super) fn land(&mut self, ticket: Ticket, step: CombinedStep) {
        let work = waiting(&self.implementing().unwrap().landing, &step.task).unwrap().work.clone();
        assert_eq!(work.ticket, ticket);
        self.happen(Built { revision: step.revision, ..work });
    }
}

/// The work of a task that waits.
pub(in super::super) fn waiting<'l>(landing: &'l Landing, task: &TaskId) -> Option<&'l Enqueued> {
    landing.queue.iter().find(|one| one.work.ticket.unit == Unit::Task(task.clone()))
}
