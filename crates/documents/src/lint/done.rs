//! Finds tasks that do not say when they are done.
//!
//! Not everybody writes that down: a task without it counts only where most tasks of the same form have it. A task that
//! is ticked off, removed, put off or said to be the same as another is left alone, and so is one with a line that
//! could be meant as a criterion.

use super::{Faults, Rule};
use crate::sections::Outline;
use crate::tasks::{Task, TaskForm};
use redraft_facts::prelude::*;

/// Fewer tasks show no habit.
const TASKS_MIN: usize = 3;

pub(super) fn check(text: &str, tasks: &[Task], faults: &mut Faults<'_>) {
    let outline = Outline::parse(text);
    let mut forms: BTreeMap<TaskForm, Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        forms.entry(task.form).or_default().push(task);
    }
    for of_form in forms.into_values().filter(|tasks| tasks.len() >= TASKS_MIN) {
        let left: Vec<&&Task> = of_form.iter().filter(|task| task.done.is_none()).collect();
        if left.len() * 2 >= of_form.len() {
            continue;
        }
        let silent =
            |task: &&&Task| !task.is_ticked(&outline) && !is_off(&task.title) && !speaks(&outline, task);
        for task in left.into_iter().filter(silent) {
            let message = format!("task `{}` does not say when it is done", task.id);
            let hint = "give it a line `Done when:` with something that can be seen to hold";
            faults.add(Rule::NoDoneCriterion, task.line.saturating_sub(1) as usize, message, hint);
        }
    }
}

/// Whether a title says that there is nothing to be done, or that the task is like another one.
fn is_off(title: &str) -> bool {
    const WORDS: [&str; 10] = [
        "same",
        "removed",
        "merged",
        "deferred",
        "dropped",
        "skipped",
        "superseded",
        "cancelled",
        "canceled",
        "obsolete",
    ];
    redraft_facts::text::words(title).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a line begins like a criterion, in whatever form.
fn speaks(outline: &Outline<'_>, task: &Task) -> bool {
    const BEGINNINGS: [&str; 9] = [
        "done",
        "dod",
        "definition of done",
        "acceptance",
        "accept",
        "complete when",
        "verif",
        "expected",
        "check",
    ];
    let begins = |line: &&str| {
        let bare = line.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        BEGINNINGS.iter().any(|word| bare.starts_with(word))
    };
    outline.lines().get(task.lines()).unwrap_or_default().iter().any(begins)
}
