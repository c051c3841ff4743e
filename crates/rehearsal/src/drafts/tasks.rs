//! Writes the first task list: for each step of the plan a task for each requirement it carries out.
//!
//! Being in a hurry, the author breaks off the last task before it says when it is done.

use super::{Feature, Kit, act, slug};
use crate::checks::Before;
use crate::parsed_document::{Need, ParsedDocument, full_stop};
use redraft_documents::task_id::key;
use redraft_documents::tasks::{self, Task as Step};
use redraft_documents::trace::TargetDocument;
use redraft_facts::text::one_line;
use std::collections::BTreeMap;

struct Task<'n> {
    name: String,
    title: String,
    step: usize,
    need: Option<&'n Need>,
}

pub(super) fn write(feature: &Feature, before: &Before<'_>, kit: Kit) -> String {
    let mut out = format!("# Tasks: {}\n\n## Constraints\n\n", feature.title);
    out.push_str(&format!(
        "- Every test is run by `{}`; a task is finished only when all of them pass.\n",
        kit.test
    ));
    out.push_str("- The test of a task is written first and seen to fail.\n\n## Tasks\n");
    let Some(plan) = before.plan.map(ParsedDocument::read) else { return out };
    let steps = tasks::read(plan.text).map(|list| list.tasks).unwrap_or_default();
    let tasks = tasks_of(feature, &steps);
    for (at, task) in tasks.iter().enumerate() {
        let last_of = |step: usize| tasks.iter().rfind(|one| one.step == step).map(|one| one.name.clone());
        let first = match at.checked_sub(1).filter(|before| tasks[*before].step == task.step) {
            Some(before) => vec![tasks[before].name.clone()],
            None => {
                let needed = |id: &String| steps.iter().position(|step| key(&step.id) == key(id));
                steps[task.step].depends_on.iter().filter_map(needed).filter_map(last_of).collect()
            }
        };
        write_task(&mut out, feature, &plan, &steps[task.step], task, &first, kit);
        if at + 1 < tasks.len() || tasks.len() < 2 {
            out.push_str(&format!(
                "\n**Done when:**\n- `{}` passes; without the work of 2 it fails.\n- `{}` passes with every other test.\n",
                test_name(task),
                kit.test
            ));
        }
    }
    out.push_str("\n## Excluded\n\n- Nothing of the plan is left out.\n");
    out
}

/// The tasks in the order of the plan's steps, numbered within the groups of the plan.
fn tasks_of<'n>(feature: &'n Feature, steps: &[Step]) -> Vec<Task<'n>> {
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let group: String =
            step.id.split('.').next().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        let group = if group.is_empty() { "1".to_owned() } else { group };
        let wanted: Vec<String> =
            step.refs.iter().filter(|one| one.kind == TargetDocument::Spec).map(|one| key(&one.id)).collect();
        let named: Vec<&Need> =
            feature.needs.iter().filter(|need| wanted.contains(&key(&need.name))).collect();
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
    out: &mut String,
    feature: &Feature,
    plan: &ParsedDocument<'_>,
    step: &Step,
    task: &Task<'_>,
    first: &[String],
    kit: Kit,
) {
    let mut implements = vec![format!("Plan {}", step.id)];
    let elements = step.refs.iter().filter(|one| one.kind == TargetDocument::Design);
    implements.extend(elements.map(|one| format!("Design {}", one.id)));
    implements.extend(task.need.map(|need| format!("Spec {}", need.name)));
    let files = plan.field(step.lines(), "Files").map(|files| one_line(&files, 300));
    let files = files.unwrap_or_else(|| {
        format!("`src/{}/{}{}` (new)", feature.slug, slug(&step.title, 2, '_'), kit.ending)
    });
    let depends = if first.is_empty() { "none".to_owned() } else { first.join(", ") };
    let (shown, work) = match task.need {
        Some(need) => (need.criteria.first().unwrap_or(&need.text).clone(), need.text.clone()),
        None => {
            let check = plan.field(step.lines(), "Check").unwrap_or_else(|| full_stop(&step.title));
            (one_line(&check, 300), format!("Do what the step is for: {}", full_stop(&step.title)))
        }
    };
    out.push_str(&format!("\n### Task {}: {}\n\n", task.name, task.title));
    out.push_str(&format!("**Implements:** {}\n", implements.join(", ")));
    out.push_str(&format!("**Files:** {files}\n**Depends on:** {depends}\n\n**Do:**\n"));
    out.push_str(&format!(
        "1. Write the test `{}` and see it fail: {}\n",
        test_name(task),
        full_stop(&shown)
    ));
    out.push_str(&format!("2. Make it pass: {}\n", full_stop(&work)));
}
