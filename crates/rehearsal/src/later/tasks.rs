//! Whether a task list does every step of the plan, and whether each task says when it is done.
//!
//! Start at [`tasked`] and [`done`].

use super::outline::{Label, Outline, Unit};
use super::plan::{criterion_for, implement, steps};
use super::refs::{Doc, refs};
use super::remedy::{Edit, Remedy};
use super::{Found, handoff};
use crate::checks::{Defect, Looked, Papers, mark};
use crate::document::{Document, Kind as Line};
use crate::pace::Stopped;
use crate::words::content;
use redraft_core::phase::Phase;
use redraft_core::text::one_line;
use redraft_core::verdict::Severity;
use std::collections::BTreeSet;

/// The steps a task list names, in tasks or among its exclusions.
fn named_steps(document: &Document<'_>) -> BTreeSet<String> {
    let lines = document.lines.iter().filter(|line| line.kind != Line::Code);
    let found = lines.flat_map(|line| refs(line.raw, false)).filter(|one| one.doc == Some(Doc::Plan));
    found.map(|one| one.key).collect()
}

pub(super) fn tasked(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let document = &papers.spec.document;
    let Some(plan) = &papers.above.plan else {
        looked.note = "there is no plan".to_owned();
        return Ok(looked);
    };
    let outline = Outline::read(document, Phase::CreateTasks, papers.pace)?;
    let planned = Outline::read(&plan.document, Phase::CreatePlan, papers.pace)?;
    let named = named_steps(document);
    let is_done = |unit: &Unit| {
        let group = unit.key.split_once('.').map_or(unit.key.as_str(), |(group, _)| group);
        named.contains(&unit.key) || named.contains(group)
    };
    let count = steps(&planned).filter(|unit| is_done(unit)).count();
    looked.note = format!("{} tasks, {count} of {} steps named", outline.units.len(), planned.units.len());
    if count == 0 || count * 2 < planned.units.len() {
        return Ok(looked);
    }
    for unit in steps(&planned) {
        papers.pace.step()?;
        if is_done(unit) {
            looked.settled.push((vec![unit.name.clone()], "a task does it now".to_owned()));
            continue;
        }
        let found = Found {
            severity: Severity::Blocker,
            category: "plan-fidelity",
            line: outline.units.last().map_or(0, |unit| unit.line),
            description: format!(
                "no task does step `{}` of the plan ({}), so it stays undone though the list is finished; every task \
                 was searched for it [read]",
                unit.name,
                mark(&unit.title)
            ),
            suggestion: "add a task for it, or exclude it with a reason".to_owned(),
        };
        let remedy = new_task(papers, &outline, &plan.document, unit);
        looked.defects.push(handoff::absent(papers, found, remedy));
    }
    Ok(looked)
}

/// One more task behind the last, for a step of the plan.
fn new_task(papers: &Papers<'_>, outline: &Outline, plan: &Document<'_>, step: &Unit) -> Remedy {
    let document = &papers.spec.document;
    let Some(last) = outline.units.last() else { return Remedy::default() };
    if document.lines[last.line].kind != Line::Heading {
        let note = format!("task {} now does step {} as well", last.name, step.name);
        return Remedy::new(note, vec![implement(document, last, &format!("Plan {}", step.name))]);
    }
    let hashes: String = document.lines[last.line].raw.chars().take_while(|c| *c == '#').collect();
    let group = last.key.split('.').next().unwrap_or("1").to_owned();
    let used = outline.units.iter().filter_map(|unit| unit.key.strip_prefix(&format!("{group}.")));
    let next = used.filter_map(|rest| rest.parse::<u32>().ok()).max().unwrap_or(0) + 1;
    let name = format!("{group}.{next}");
    let field = |label: Label| step.field(label).map(|field| one_line(&field.text(plan), 300));
    let spec = papers.above.spec.as_ref();
    let shown = field(Label::Check)
        .or_else(|| spec.and_then(|spec| criterion_for(plan, step, spec)))
        .unwrap_or_else(|| format!("{} can be seen from outside", step.title));
    let implements = field(Label::Implements).map(|rest| format!(", {rest}")).unwrap_or_default();
    let mut lines = vec![
        String::new(),
        format!("{hashes} Task {name}: {}", step.title),
        String::new(),
        format!("**Implements:** Plan {}{implements}", step.name),
    ];
    lines.extend(field(Label::Files).map(|files| format!("**Files:** {files}")));
    lines.extend([
        format!("**Depends on:** {}", last.name),
        String::new(),
        "**Do:**".to_owned(),
        format!("1. Write the check first and see it fail: {shown}"),
        format!("2. Do what step {} of the plan says: {}.", step.name, step.title),
        String::new(),
        "**Done when:**".to_owned(),
        "- The check of 1 passes; without 2 it fails.".to_owned(),
    ]);
    let after = last.block.clone().rev().find(|at| document.lines[*at].kind != Line::Blank);
    Remedy::new(format!("task {name} does step {}", step.name), vec![Edit::Insert { after, lines }])
}

pub(super) fn traced(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let document = &papers.spec.document;
    let Some(plan) = &papers.above.plan else {
        looked.note = "there is no plan".to_owned();
        return Ok(looked);
    };
    let outline = Outline::read(document, Phase::CreateTasks, papers.pace)?;
    let planned = Outline::read(&plan.document, Phase::CreatePlan, papers.pace)?;
    if planned.units.is_empty() {
        looked.note = "the plan has no steps with numbers".to_owned();
        return Ok(looked);
    }
    for unit in &outline.units {
        papers.pace.step()?;
        let Some(field) = unit.field(Label::Implements) else { continue };
        let line = field.lines.start;
        let raw = document.lines[line].raw;
        for one in refs(&raw[field.at.clone()], false) {
            if one.doc != Some(Doc::Plan) {
                continue;
            }
            if !planned.meant(&one.key).is_empty() {
                looked
                    .settled
                    .push((vec![unit.name.clone(), one.name.clone()], "the plan has it".to_owned()));
                continue;
            }
            let remedy = other_step(document, unit, &planned, &plan.document, (field.at.start, &one));
            let found = Found {
                severity: Severity::Warning,
                category: "plan-fidelity",
                line,
                description: format!(
                    "{} is for step `{}`, which the plan does not have, so nobody can tell what it is to carry out \
                     [read]",
                    unit.called(),
                    one.name
                ),
                suggestion: "name the step it carries out".to_owned(),
            };
            looked.defects.push(handoff::present(papers, found, remedy));
        }
    }
    looked.note = format!("{} tasks, {} steps", outline.units.len(), planned.units.len());
    Ok(looked)
}

/// Names the step whose words are nearest instead.
fn other_step(
    document: &Document<'_>,
    unit: &Unit,
    planned: &Outline,
    plan: &Document<'_>,
    (start, one): (usize, &super::refs::Ref),
) -> Remedy {
    let words = content(&document.text(unit.block.clone()));
    let near = |step: &&Unit| content(&plan.text(step.block.clone())).intersection(&words).count();
    let Some(step) = planned.units.iter().rev().max_by_key(near) else { return Remedy::default() };
    let line = unit.field(Label::Implements).map_or(unit.line, |field| field.lines.start);
    let at = start + one.at.start..start + one.at.end;
    let note = format!("task {} is now for step {}", unit.name, step.name);
    Remedy::new(note, vec![Edit::Replace { line, at, new: step.name.clone() }])
}

pub(super) fn done(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let document = &papers.spec.document;
    let outline = Outline::read(document, Phase::CreateTasks, papers.pace)?;
    let count = outline.units.iter().filter(|unit| criterion_field(unit).is_some()).count();
    looked.note = format!("{count} of {} tasks have done criteria", outline.units.len());
    if count == 0 || count * 2 < outline.units.len() {
        return Ok(looked);
    }
    for unit in &outline.units {
        papers.pace.step()?;
        let criteria = criterion_field(unit).map(|field| criteria(document, field)).unwrap_or_default();
        if criteria.is_empty() {
            looked.defects.push(no_criterion(papers, document, unit));
            continue;
        }
        let vague: Vec<&(usize, String)> = criteria.iter().filter(|(_, text)| is_vague(text)).collect();
        let how = match vague.len() {
            0 => "it says when it is done, and every criterion decides something",
            _ => "it says when it is done",
        };
        looked.settled.push((vec![unit.name.clone()], how.to_owned()));
        for (line, text) in &vague {
            let alone = vague.len() == criteria.len();
            looked.defects.push(undecided(papers, document, unit, (*line, text), alone));
        }
    }
    Ok(looked)
}

/// Where a task says when it is done.
fn criterion_field(unit: &Unit) -> Option<&super::outline::Field> {
    unit.field(Label::Done).or_else(|| unit.field(Label::Check))
}

/// The criteria of a field: its items, or its text, each with its line.
fn criteria(document: &Document<'_>, field: &super::outline::Field) -> Vec<(usize, String)> {
    let first = document.lines[field.lines.start].raw[field.at.clone()].trim();
    let mut found: Vec<(usize, String)> = Vec::new();
    if first.chars().any(char::is_alphanumeric) {
        found.push((field.lines.start, first.to_owned()));
    }
    for at in field.lines.clone().skip(1) {
        let said = document.said(at);
        match document.lines[at].kind {
            Line::Item { .. } => found.push((at, said.to_owned())),
            Line::Text if said.chars().any(char::is_alphanumeric) => match found.last_mut() {
                Some(last) => last.1 = format!("{} {said}", last.1),
                None => found.push((at, said.to_owned())),
            },
            _ => {}
        }
    }
    found
}

fn no_criterion(papers: &Papers<'_>, document: &Document<'_>, unit: &Unit) -> Defect {
    let found = Found {
        severity: Severity::Blocker,
        category: "testability",
        line: unit.line,
        description: format!(
            "{} ({}) has no done criterion, so anything counts as done; its fields were searched for one [read]",
            unit.called(),
            mark(&unit.title)
        ),
        suggestion: "say which observation decides that it is done, and that it fails before the work"
            .to_owned(),
    };
    let note = format!("task {} says when it is done", unit.name);
    let criterion = criterion_text(papers, document, unit);
    let remedy = match (unit.field(Label::Done), document.lines[unit.line].kind) {
        (_, Line::Row) => Remedy::default(),
        (Some(field), _) => {
            let lines = vec![format!("- {criterion}")];
            Remedy::new(note, vec![Edit::Insert { after: Some(field.lines.start), lines }])
        }
        (None, Line::Heading) => {
            let after = unit.block.clone().rev().find(|at| document.lines[*at].kind != Line::Blank);
            let lines = vec![String::new(), "**Done when:**".to_owned(), format!("- {criterion}")];
            Remedy::new(note, vec![Edit::Insert { after, lines }])
        }
        (None, _) => {
            let lines = vec![format!("  - Done when: {criterion}")];
            Remedy::new(note, vec![Edit::Insert { after: Some(unit.block.end - 1), lines }])
        }
    };
    handoff::absent(papers, found, remedy)
}

/// An observation that decides: the test the task orders, else the criterion of its requirement.
fn criterion_text(papers: &Papers<'_>, document: &Document<'_>, unit: &Unit) -> String {
    let text = document.text(unit.block.clone());
    let test =
        text.split('`').skip(1).step_by(2).find(|span| span.contains('_') && !span.contains(['/', ' ', '.']));
    let observed = papers.above.spec.as_ref().and_then(|spec| criterion_for(document, unit, spec));
    match (test, observed) {
        (Some(test), _) => format!("`{test}` passes; without the work of this task it fails."),
        (None, Some(observed)) => format!("A test shows it and fails before the work: {observed}"),
        (None, None) => {
            format!(
                "A test named after this task passes and fails before the work: {}.",
                one_line(&unit.title, 80)
            )
        }
    }
}

fn undecided(
    papers: &Papers<'_>,
    document: &Document<'_>,
    unit: &Unit,
    (line, text): (usize, &str),
    alone: bool,
) -> Defect {
    let found = Found {
        severity: if alone { Severity::Blocker } else { Severity::Warning },
        category: "testability",
        line,
        description: format!(
            "the criterion `{}` of {} decides nothing: work that is wrong passes it as well [read]",
            mark(text),
            unit.called()
        ),
        suggestion: "name the command, the output or the observation that decides it".to_owned(),
    };
    let raw = document.lines[line].raw;
    let remedy = match raw.find(text) {
        Some(start) => {
            // Where another one decides already, this one only has to go.
            let edit = match alone {
                true => {
                    let new = criterion_text(papers, document, unit);
                    Edit::Replace { line, at: start..start + text.len(), new }
                }
                false => Edit::Remove { line },
            };
            Remedy::new(format!("every criterion of task {} decides something", unit.name), vec![edit])
        }
        None => Remedy::default(),
    };
    handoff::present(papers, found, remedy)
}

/// Whether a criterion only says that all is well: no command, no number, nothing to observe.
pub(super) fn is_vague(text: &str) -> bool {
    const WELL: [&str; 18] = [
        "works",
        "work properly",
        "working",
        "as expected",
        "as intended",
        "properly",
        "correctly",
        "is done",
        "is complete",
        "is finished",
        "looks good",
        "is fine",
        "no problems",
        "no issues",
        "is implemented",
        "is ok",
        "as it should",
        "good enough",
    ];
    const SEEN: [&str; 23] = [
        "test",
        "return",
        "shows",
        "shown",
        "fail",
        "pass",
        "refus",
        "reject",
        "answer",
        "print",
        "contain",
        "equal",
        "sees",
        "list",
        "logged",
        "in the log",
        "status",
        "error",
        "exit",
        "file",
        "record",
        "sent",
        "stored",
    ];
    let lower = text.to_lowercase();
    let exact = text.contains('`')
        || text.contains('"')
        || text.contains('“')
        || text.chars().any(|c| c.is_ascii_digit());
    let words = lower.split_whitespace().count();
    let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
    !exact && words <= 9 && has(&WELL) && !has(&SEEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_that_only_says_all_is_well_is_vague() {
        for text in
            ["Works properly.", "The login works as expected", "It is implemented correctly.", "Looks good"]
        {
            assert!(is_vague(text), "{text}");
        }
        for text in [
            "`cargo test` passes",
            "The answer has status 401",
            "The list shows the new name",
            "A second click is refused",
            "Works with 3 parallel uploads",
        ] {
            assert!(!is_vague(text), "{text}");
        }
    }
}
