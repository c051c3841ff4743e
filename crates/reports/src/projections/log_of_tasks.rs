//! Renders `implementation-log.md`: what was built by which task, what was decided on the way, and how each task ended.
//!
//! Files are those git saw; decisions, deviations and concerns are what the implementer said.

use crate::projections::TaskTally;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::TaskEnd;
use redraft_facts::event::{Built, Entry, Event};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::{Purpose, Unit};

/// The text for a task whose boxes were ticked.
const DONE_BEFORE: &str = "Done before it was adopted, not by redraft: its box was ticked.";

/// None before anything was built.
pub fn implementation_log(entries: &[Entry]) -> Option<String> {
    told_of(entries, true)
}

/// The same without agents and models, for the agent that looks back on a feature.
pub fn implementation_log_of_roles(entries: &[Entry]) -> Option<String> {
    told_of(entries, false)
}

fn told_of(entries: &[Entry], names: bool) -> Option<String> {
    const WHY_CHARS_MAX: usize = 300;
    let mut state = Pipeline::default();
    let mut out = String::from("# Implementation Log\n");
    let (mut begun, mut told) = (false, BTreeSet::new());
    for entry in entries {
        let before = blocked(&state);
        if let Event::Built(built) = &entry.event {
            out.push_str(&built_entry(&state, built, names));
            begun = true;
        }
        if pipeline::fold(&mut state, &entry.event).is_err() {
            // What is stored was accepted before; a reader that cannot follow it shows what it has so far.
            break;
        }
        if let Event::LoopOpened(opened) = &entry.event {
            for task in opened.tasks.iter().filter(|task| task.ticked && told.insert(task.id.clone())) {
                out.push_str(&format!("\n## Task {}: {}\n- {DONE_BEFORE}\n", task.id, task.title));
                begun = true;
            }
        }
        for (task, why) in blocked(&state) {
            if !before.iter().any(|(known, _)| *known == task) {
                let why = one_line(&why, WHY_CHARS_MAX);
                out.push_str(&format!("\n## Task {task}: blocked\n- **Reason:** {why}\n"));
                begun = true;
            }
        }
    }
    let implementing = state.standing().filter_map(|one| one.implementing.as_ref()).last();
    if let Some(implementing) = implementing.filter(|implementing| begun && implementing.current().is_none())
    {
        out.push_str(&format!("\n{}\n", TaskTally::new(implementing).in_words()));
    }
    begun.then_some(out)
}

fn built_entry(state: &Pipeline, built: &Built, names: bool) -> String {
    let implementing = state.open.as_ref().and_then(|open| open.implementing.as_ref());
    let heading = match (&built.ticket.unit, built.ticket.purpose) {
        (Unit::Task(id), _) => {
            let task =
                implementing.and_then(|implementing| implementing.tasks.iter().find(|task| task.id == *id));
            let title = task.map(|task| task.title.as_str()).unwrap_or_default();
            let again = if built.ticket.round > 1 { ", after a failed check" } else { "" };
            let stopped = if built.unfinished.is_some() { ", not done" } else { "" };
            format!("Task {id}: {title}{again}{stopped}")
        }
        (Unit::Whole, Purpose::Simplify) => "Simplification".to_owned(),
        (Unit::Whole, Purpose::Outline) => return String::new(),
        (Unit::Whole, _) => "Tests from the documents".to_owned(),
    };
    let report = &built.report;
    let files = match built.files.as_slice() {
        [] if built.already => "none (already complete)".to_owned(),
        [] => "none".to_owned(),
        files => files.join(", "),
    };
    let mut out = format!("\n## {heading}\n- **Files changed:** {files}\n");
    for (name, text) in
        [("Decisions", &report.decisions), ("Deviations", &report.deviations), ("Concerns", &report.concerns)]
    {
        out.push_str(&format!("- **{name}:** {}\n", in_a_list(text)));
    }
    let by = state.players.shown(&built.ticket);
    if names && !by.is_empty() {
        out.push_str(&format!("- **Agent:** {by}\n"));
    }
    for note in &built.notes {
        out.push_str(&format!("- **Note:** {note}\n"));
    }
    out
}

/// Further lines are indented under the first, so that they stay part of the item.
fn in_a_list(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    match lines.as_slice() {
        [] => redraft_documents::report::NONE.to_owned(),
        [one] => (*one).to_owned(),
        many => many.iter().map(|line| format!("\n  {line}")).collect(),
    }
}

fn blocked(state: &Pipeline) -> Vec<(String, String)> {
    let implementing = state.latest().and_then(|last| last.implementing.as_ref());
    let tasks = implementing.iter().flat_map(|implementing| &implementing.tasks);
    let ended = tasks.filter_map(|task| match &task.end {
        Some(TaskEnd::Blocked { why }) => Some((task.id.to_string(), why.clone())),
        _ => None,
    });
    ended.collect()
}
