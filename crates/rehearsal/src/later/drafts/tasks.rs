//! The first task list: for each step of the plan a task for each requirement it carries out.
//!
//! What the author in a hurry forgets: a number is written down from memory, twice what it should be; the last task
//! breaks off before its criteria; and in a long list one criterion only says that all is well.

use super::super::Above;
use super::super::order::Graph;
use super::super::outline::{Label, Outline, Unit};
use super::super::refs::{Doc, refs};
use super::{Feature, Kit, Need, act, full_stop, outline, slug};
use crate::document::Document;
use crate::measures::measures;
use crate::pace::{Pace, Stopped};
use redraft_core::phase::Phase;
use redraft_core::text::one_line;
use std::collections::BTreeMap;

/// In a list of so many tasks one of the criteria is written without thinking.
const LONG: usize = 5;

struct Task<'n> {
    name: String,
    title: String,
    step: usize,
    need: Option<&'n Need>,
}

pub(super) fn write(
    feature: &Feature,
    above: &Above<'_>,
    kit: Kit,
    pace: &Pace<'_>,
) -> Result<String, Stopped> {
    let mut out = format!("# Tasks: {}\n\n## Constraints\n\n", feature.title);
    out.push_str(&format!(
        "- Every test is run by `{}`; a task is finished only when all of them pass.\n",
        kit.test
    ));
    out.push_str("- The test of a task is written first and seen to fail.\n\n## Tasks\n");
    let (Some(plan), Some(steps)) = (&above.plan, outline(above.plan.as_ref(), Phase::CreatePlan, pace)?)
    else {
        return Ok(out);
    };
    let tasks = tasks(feature, &plan.document, &steps);
    let graph = Graph::of(&plan.document, &steps);
    let mut drifted = false;
    for (at, task) in tasks.iter().enumerate() {
        pace.step()?;
        let step = &steps.units[task.step];
        let last_of = |step: usize| tasks.iter().rposition(|one| one.step == step);
        let before = match at.checked_sub(1).filter(|before| tasks[*before].step == task.step) {
            Some(before) => vec![tasks[before].name.clone()],
            None => graph.needs[task.step]
                .iter()
                .filter_map(|step| last_of(*step))
                .map(|at| tasks[at].name.clone())
                .collect(),
        };
        let text = write_task(feature, &plan.document, step, task, &before, &mut drifted, kit);
        out.push_str(&text);
        if at + 1 == tasks.len() && tasks.len() > 1 {
            continue;
        }
        out.push_str("\n**Done when:**\n");
        out.push_str(&format!("- `{}` passes; without the work of 2 it fails.\n", test_name(task)));
        if tasks.len() >= LONG && at == LONG / 2 {
            out.push_str("- It works as expected.\n");
        } else {
            out.push_str(&format!("- `{}` passes with every other test.\n", kit.test));
        }
    }
    out.push_str("\n## Excluded\n\n- Nothing of the plan is left out.\n");
    Ok(out)
}

/// The tasks in the order of the plan's steps, numbered within the groups of the plan.
fn tasks<'n>(feature: &'n Feature, document: &Document<'_>, steps: &Outline) -> Vec<Task<'n>> {
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, step) in steps.units.iter().enumerate() {
        let group = step.key.split('.').next().unwrap_or("1");
        let group: String = group.chars().filter(char::is_ascii_digit).collect();
        let group = if group.is_empty() { "1".to_owned() } else { group };
        let named: Vec<&Need> = match step.field(Label::Implements) {
            Some(field) => {
                let keys: Vec<String> = refs(&field.text(document), false)
                    .into_iter()
                    .filter(|one| one.doc == Some(Doc::Spec))
                    .map(|one| one.key)
                    .collect();
                let own = |need: &&Need| keys.contains(&super::super::outline::key(&need.name));
                feature.needs.iter().filter(own).collect()
            }
            None => Vec::new(),
        };
        let several = named.len() > 1;
        let needs: Vec<Option<&Need>> =
            if named.is_empty() { vec![None] } else { named.into_iter().map(Some).collect() };
        for need in needs {
            let number = numbers.entry(group.clone()).or_default();
            *number += 1;
            let title = match need.filter(|_| several) {
                Some(need) => format!("{} so that it meets {}", step.title, need.name),
                None => step.title.clone(),
            };
            found.push(Task { name: format!("{group}.{number}"), title, step: index, need });
        }
    }
    found
}

fn test_name(task: &Task<'_>) -> String {
    let words = task.need.map_or_else(|| task.title.clone(), |need| act(&need.text));
    let lead =
        task.need.map(|need| need.name.to_lowercase().replace(['-', '.'], "_") + "_").unwrap_or_default();
    format!("{lead}{}", slug(&words, 4, '_'))
}

fn write_task(
    feature: &Feature,
    plan: &Document<'_>,
    step: &Unit,
    task: &Task<'_>,
    before: &[String],
    drifted: &mut bool,
    kit: Kit,
) -> String {
    let field = |label: Label| step.field(label).map(|field| field.text(plan));
    let elements: Vec<String> = field(Label::Implements)
        .map(|text| refs(&text, false))
        .unwrap_or_default()
        .into_iter()
        .filter(|one| one.doc == Some(Doc::Design))
        .map(|one| format!("Design {}", one.name))
        .collect();
    let mut implements = vec![format!("Plan {}", step.name)];
    implements.extend(elements);
    implements.extend(task.need.map(|need| format!("Spec {}", need.name)));
    let files = field(Label::Files).map(|files| one_line(&files, 300));
    let files = files.unwrap_or_else(|| {
        format!("`src/{}/{}{}` (new)", feature.slug, slug(&step.title, 2, '_'), kit.ending)
    });
    let depends = if before.is_empty() { "none".to_owned() } else { before.join(", ") };
    let test = test_name(task);
    let (shown, work) = match task.need {
        Some(need) => {
            let shown = need.criteria.first().unwrap_or(&need.text).clone();
            let work = if *drifted { None } else { from_memory(&need.text) };
            *drifted |= work.is_some();
            (shown, work.unwrap_or_else(|| need.text.clone()))
        }
        None => {
            let check = field(Label::Check).unwrap_or_else(|| full_stop(&step.title));
            (one_line(&check, 300), format!("Do what the step is for: {}", full_stop(&step.title)))
        }
    };
    let mut out = format!("\n### Task {}: {}\n\n", task.name, task.title);
    out.push_str(&format!("**Implements:** {}\n", implements.join(", ")));
    out.push_str(&format!("**Files:** {files}\n**Depends on:** {depends}\n\n**Do:**\n"));
    out.push_str(&format!("1. Write the test `{test}` and see it fail: {}\n", full_stop(&shown)));
    out.push_str(&format!("2. Make it pass: {}\n", full_stop(&work)));
    out
}

/// A requirement with its first number as somebody remembers it who does not look it up.
fn from_memory(text: &str) -> Option<String> {
    let measure =
        measures(text).into_iter().find(|measure| ["time", "size"].contains(&measure.kind.as_str()))?;
    let digits = text[measure.at.start..].bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[measure.at.start..measure.at.start + digits].parse().ok()?;
    let end = measure.at.start + digits;
    Some(format!("{}{}{}", &text[..measure.at.start], number.checked_mul(2)?, &text[end..]))
}
