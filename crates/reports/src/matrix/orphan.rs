//! Finds what leads nowhere and what nothing leads to.
//!
//! Where most of a kind are left over, they are not used for tracing: that is reported once and not for each. Start at
//! [`orphans`].

use super::made::Made;
use super::reach::Read;
use super::{CodeWork, CodeWorkKind, Orphan, Requirement, Row, Sources, State};
use redraft_documents::lint::Rule;
use redraft_documents::test_path::is_test;
use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line};

const TASKS: &str = "tasks.md";

pub(super) fn orphans(
    sources: &Sources<'_>,
    read: &Read,
    rows: &[Row],
    works: &[CodeWork],
    made: &Made,
) -> Vec<Orphan> {
    let mut found = Vec::new();
    // Before there are tasks, nothing can be missing.
    if !works.is_empty() {
        found.extend(requirements(read, rows));
    }
    if !read.tasks.is_empty() {
        found.extend(steps(read));
        found.extend(tasks(read));
        found.extend(lost(read));
    }
    if made.over {
        found.extend(works.iter().filter_map(unbuilt));
    }
    found.extend(files(sources, made));
    found.extend(unrun(works));
    found
}

fn document(rule: Rule, file: &str, line: u32, id: &str, message: String, hint: &'static str) -> Orphan {
    Orphan { rule, file: file.to_owned(), document: true, line, id: id.to_owned(), message, hint }
}

fn requirements(read: &Read, rows: &[Row]) -> Vec<Orphan> {
    const HINT: &str =
        "name it in the task that serves it, or in the plan step or design section that task refers to";
    let mut families: BTreeMap<&str, Vec<(&Requirement, bool)>> = BTreeMap::new();
    let wanted = rows.iter().filter_map(|row| Some((row.requirement.as_ref()?, row.via.is_some())));
    for (one, wanted) in wanted.zip(&read.wanted) {
        families.entry(&wanted.family).or_default().push(one);
    }
    let mut found = Vec::new();
    for family in families.into_values() {
        let left: Vec<&Requirement> =
            family.iter().filter(|(_, reached)| !reached).map(|(one, _)| *one).collect();
        match left.as_slice() {
            // Fewer than half are reached: these ids are not used for tracing.
            [first, _, ..] if left.len() * 2 > family.len() => {
                let ids: Vec<&str> = left.iter().map(|one| one.id.as_str()).collect();
                let message =
                    format!("{} of {} are reached by no task: {}", left.len(), family.len(), some(&ids));
                let (file, line) = (first.kind.file(), first.line);
                found.push(document(Rule::UntracedRequirement, file, line, &first.id, message, HINT));
            }
            left => found.extend(left.iter().map(|one| {
                let message = format!("`{}` is reached by no task", one.id);
                document(Rule::UntracedRequirement, one.kind.file(), one.line, &one.id, message, HINT)
            })),
        }
    }
    found.sort_by_key(|orphan| orphan.line);
    found
}

fn steps(read: &Read) -> Vec<Orphan> {
    const HINT: &str = "name it in the task that carries it out, or remove it from the plan";
    let served: BTreeSet<usize> = read.tasks.iter().flat_map(|task| &task.steps).copied().collect();
    let plan = "plan.md";
    if served.is_empty() && read.steps.len() > 1 {
        let line = read.steps[0].part.line;
        let message = format!("no task refers to any of the {}", count(read.steps.len(), "step"));
        return vec![document(Rule::UntracedStep, plan, line, &read.steps[0].part.id, message, HINT)];
    }
    let left = read.steps.iter().enumerate().filter(|(at, _)| !served.contains(at));
    let orphan = |(_, step): (usize, &super::reach::Step)| {
        let message = format!("step `{}` is carried out by no task", step.part.id);
        document(Rule::UntracedStep, plan, step.part.line, &step.part.id, message, HINT)
    };
    left.map(orphan).collect()
}

fn tasks(read: &Read) -> Vec<Orphan> {
    const HINT: &str = "say what it implements: `**Implements:** Plan 2.1, Spec FR-3`";
    let silent = read.tasks.iter().filter(|one| {
        let nothing = one.steps.is_empty() && one.parts.is_empty() && one.sections.is_empty();
        nothing && one.wants.is_empty() && one.lost.is_empty()
    });
    let silent: Vec<_> = silent.collect();
    match silent.as_slice() {
        [first, _, ..] if silent.len() * 2 > read.tasks.len() => {
            let ids: Vec<&str> = silent.iter().map(|one| one.task.id.as_str()).collect();
            let (left, all) = (silent.len(), count(read.tasks.len(), "task"));
            let message = format!("{left} of {all} name no part of the documents: {}", some(&ids));
            vec![document(Rule::UntracedTask, TASKS, first.task.line, &first.task.id, message, HINT)]
        }
        silent => {
            let orphan = |one: &&super::reach::ReadTask| {
                let message = format!("task `{}` names no part of the documents", one.task.id);
                document(Rule::UntracedTask, TASKS, one.task.line, &one.task.id, message, HINT)
            };
            silent.iter().map(orphan).collect()
        }
    }
}

/// The first of many ids.
fn some(ids: &[&str]) -> String {
    const SHOWN_MAX: usize = 10;
    let shown: Vec<String> = ids.iter().take(SHOWN_MAX).map(|id| format!("`{id}`")).collect();
    match ids.len().saturating_sub(SHOWN_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn lost(read: &Read) -> Vec<Orphan> {
    const HINT: &str = "correct the reference, or give the part that is meant this id";
    let all = read.tasks.iter().flat_map(|one| one.lost.iter().map(move |lost| (one, lost)));
    let orphan = |(one, lost): (&super::reach::ReadTask, &String)| {
        let message = format!("task `{}` refers to {lost}, which does not exist", one.task.id);
        document(Rule::LostReference, TASKS, one.task.line, &one.task.id, message, HINT)
    };
    all.map(orphan).collect()
}

fn unbuilt(work: &CodeWork) -> Option<Orphan> {
    const WHY_CHARS_MAX: usize = 200;
    const HINT: &str =
        "carry it out in another pass, or remove it from the list together with what it is for";
    let CodeWorkKind::Task { id, line } = &work.what else { return None };
    let State::Blocked { why } = &work.state else { return None };
    let message = format!("task `{id}` was skipped: {}", one_line(why, WHY_CHARS_MAX));
    let file = if line.is_some() { TASKS } else { "spec.md" };
    Some(document(Rule::UnbuiltTask, file, line.unwrap_or(1), id, message, HINT))
}

fn files(sources: &Sources<'_>, made: &Made) -> Vec<Orphan> {
    let Some(change) = sources.change else { return Vec::new() };
    let known = made.files();
    let listed = sources.tasks.unwrap_or_default();
    let left = change.files.iter().filter(|file| !known.contains(file.as_str()) && !listed.contains(*file));
    let orphan = |file: &String| Orphan {
        rule: Rule::UntracedFile,
        file: file.clone(),
        document: false,
        line: 1,
        id: file.clone(),
        message: "this file of the change belongs to no task".to_owned(),
        hint: "name it in the task it belongs to, or remove the change",
    };
    left.map(orphan).collect()
}

/// A test that more than one piece of work has changed counts with the last of them.
fn unrun(works: &[CodeWork]) -> Vec<Orphan> {
    let mut ran: BTreeMap<&str, bool> = BTreeMap::new();
    for work in works {
        for test in work.files.iter().filter(|file| is_test(file)) {
            *ran.entry(test).or_insert(true) &= !work.runs.is_empty();
        }
    }
    let orphan = |(file, _): (&str, bool)| Orphan {
        rule: Rule::UnrunTest,
        file: file.to_owned(),
        document: false,
        line: 1,
        id: file.to_owned(),
        message: "no check has run since this test was last changed".to_owned(),
        hint: "name the command that runs it under [checks] of redraft.toml",
    };
    ran.into_iter().filter(|(_, ran)| !ran).map(orphan).collect()
}
