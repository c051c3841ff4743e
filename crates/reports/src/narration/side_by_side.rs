//! What is told of tasks that are carried out side by side.

use super::sentences::{built, listed};
use super::{Held, Narrator};
use redraft_core::pipeline::Pipeline;
use redraft_core::review::TaskWork;
use redraft_facts::event::{Built, Combined, Enqueued, JobsSet};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Unit;

/// So much is said of why a task is carried out once more.
const WHY_CHARS_MAX: usize = 240;

impl Narrator {
    /// The line of the phase says it where nothing else has been told of the phase yet.
    pub(super) fn jobs_set(&mut self, held: Option<Held>, fact: &JobsSet) -> Vec<String> {
        match held {
            Some(Held::Headline(line)) if fact.jobs > 1 => {
                self.held = Some(Held::Headline(format!("{line}, up to {} side by side", fact.jobs)));
                Vec::new()
            }
            held => {
                let how = match fact.jobs {
                    1 => "one after the other".to_owned(),
                    jobs => format!("up to {jobs} side by side"),
                };
                let said = format!("  from here on, tasks are carried out {how}");
                held.into_iter().flat_map(Held::lines).chain([said]).collect()
            }
        }
    }

    pub(super) fn enqueued(&mut self, fact: &Enqueued) -> Vec<String> {
        self.waiting.insert(fact.work.ticket.clone());
        if let Unit::Task(id) = &fact.work.ticket.unit {
            self.returned.remove(id);
        }
        vec![built(&fact.work)]
    }

    /// Told when it is known how the checks ended on it.
    pub(super) fn combined(&mut self, fact: &Combined, state: &Pipeline) -> Vec<String> {
        let tasks: Vec<&str> = fact.steps.iter().map(|step| step.task.as_str()).collect();
        if let Some(conflict) = &fact.conflict {
            let files: Vec<String> = conflict.files.iter().map(|file| one_line(file, 120)).collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let line = format!("  task {} has a conflict in {}", conflict.task, listed(&files));
            return [vec![line], self.sent_back(state)].concat();
        }
        let put = match tasks.as_slice() {
            [one] => format!("  task {one} was put on top of the feature"),
            all => format!("  tasks {} were put on top of the feature together", listed(all)),
        };
        self.held = Some(Held::Built(vec![put]));
        Vec::new()
    }

    /// The task that became part of the feature; none where it did not wait for that.
    pub(super) fn landed(&mut self, fact: &Built) -> Option<String> {
        match &fact.ticket.unit {
            Unit::Task(id) if self.waiting.remove(&fact.ticket) => {
                Some(format!("  task {id} is part of the feature"))
            }
            _ => None,
        }
    }

    /// Tasks that are carried out once more since the last time that this was asked.
    pub(super) fn sent_back(&mut self, state: &Pipeline) -> Vec<String> {
        let tasks = state.open.iter().filter_map(|open| open.implementing.as_ref());
        let back: Vec<&TaskWork> =
            tasks.flat_map(|one| &one.tasks).filter(|task| task.returned.is_some()).collect();
        let known = core::mem::take(&mut self.returned);
        self.returned = back.iter().map(|task| task.id.clone()).collect();
        let new = back.into_iter().filter(|task| !known.contains(&task.id));
        let told = |task: &TaskWork| {
            let trouble = task.seat.work.as_ref().map(|work| work.trouble.as_str()).unwrap_or_default();
            format!("  task {} goes back to its implementer: {}", task.id, one_line(trouble, WHY_CHARS_MAX))
        };
        new.map(told).collect()
    }
}
