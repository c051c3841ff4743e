//! What happened to code: written, put together, checked.

use super::list;
use redraft_facts::event::{Built, Checked, Combined};
use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line, span};
use redraft_facts::ticket::{Purpose, Unit};

pub(super) fn built(fact: &Built) -> String {
    let (role, files) = (&fact.ticket.role, count(fact.files.len(), "file"));
    let what = match &fact.ticket.unit {
        Unit::Task(task) => format!("task {task}: "),
        Unit::Whole => String::new(),
    };
    let stopped = match &fact.unfinished {
        Some(why) => format!("; {role} says that it is not done: {}", one_line(why, 120)),
        None => String::new(),
    };
    let done = match fact.ticket.purpose {
        Purpose::Outline if fact.already => format!("{role} outlined no tests"),
        Purpose::Outline => format!("{role} outlined tests from the documents"),
        _ if fact.commit.is_empty() && fact.already => format!("{what}{role} says that it is already done"),
        _ if fact.commit.is_empty() => format!("{what}{role} changed nothing"),
        _ => format!("{what}{role} changed {files}: revision {}", fact.revision.short()),
    };
    format!("{done}{stopped}")
}

/// What was done in a worktree of its own.
pub(super) fn enqueued(fact: &Built) -> String {
    match fact.unfinished {
        Some(_) => built(fact),
        None => format!("{}; it waits to become part of the feature", built(fact)),
    }
}

pub(super) fn combined(fact: &Combined) -> String {
    let tasks: Vec<&str> = fact.steps.iter().map(|step| step.task.as_str()).collect();
    let onto = fact.onto.short();
    let put = match tasks.as_slice() {
        [] => String::new(),
        [task] => format!("put task {task} on top of revision {onto}, in no checkout"),
        tasks => format!("put tasks {} on top of revision {onto}, in no checkout", tasks.join(", ")),
    };
    match &fact.conflict {
        None => put,
        Some(conflict) => {
            let files: Vec<String> = conflict.files.iter().map(|file| one_line(file, 120)).collect();
            let but = if put.is_empty() { "" } else { "; " };
            format!("{put}{but}task {} conflicts in {}", conflict.task, files.join(", "))
        }
    }
}

pub(super) fn checked(fact: &Checked) -> String {
    let checkout = fact.checkout.as_ref();
    let place = match checkout.is_some_and(|checkout| checkout.empty) {
        true => ", in an empty checkout",
        false => "",
    };
    let how = match (checkout.and_then(|checkout| checkout.same_as), fact.command.is_empty(), fact.code) {
        (_, true, _) => String::new(),
        (Some(seq), false, _) => format!(" (not run again: event {seq} has the result for the same files)"),
        (None, false, Some(code)) => format!(" (code {code}, {}{place})", span(fact.wall_ms)),
        (None, false, None) => format!(" (ended after {}{place})", span(fact.wall_ms)),
    };
    let sandbox = checkout.and_then(|checkout| checkout.sandbox.as_ref());
    let sandbox = sandbox.map(|level| format!("; sandbox {level}")).unwrap_or_default();
    let notes = checkout.map(|checkout| list("noticed", &checkout.notes)).unwrap_or_default();
    let notes = sandbox + &notes;
    match fact.passed {
        true => format!("gate {} passed{how}{notes}", fact.gate),
        false => format!("gate {} failed{how}: {}{notes}", fact.gate, fact.in_a_line(160)),
    }
}
