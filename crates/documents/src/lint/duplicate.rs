//! Finds one id that stands for two things.
//!
//! Only places that define an id are compared, and only if they cannot both be right: a chapter about interfaces may
//! name the components again, and a table may have two rows for one requirement.

use super::page::Page;
use super::{Faults, Rule};
use crate::page::id::{Definition, Form};
use crate::task_id;
use crate::tasks::{self, Task};
use redraft_facts::prelude::*;
use redraft_facts::text::words;

pub(super) fn check(
    page: &Page<'_>,
    definitions: &[Definition<'_>],
    tasks: &[Task],
    faults: &mut Faults<'_>,
) {
    // A table only lists what a heading or an item defines.
    let row = |form: Form| matches!(form, Form::Row { .. });
    let defined = definitions.iter().filter(|definition| !row(definition.form));
    let elsewhere: BTreeSet<&str> = defined.map(|definition| definition.key.as_str()).collect();
    let mut first: BTreeMap<(String, Form), usize> = BTreeMap::new();
    let mut reported: BTreeSet<usize> = BTreeSet::new();
    for definition in definitions {
        if let Form::Row { table } = definition.form
            && (!is_table_of_ids(page, table) || elsewhere.contains(definition.key.as_str()))
        {
            continue;
        }
        let line = *first.entry((definition.key.clone(), definition.form)).or_insert(definition.line);
        if line != definition.line {
            report(definition.id, definition.line, line, faults);
            reported.insert(definition.line);
        }
    }
    let mut known: BTreeMap<(String, tasks::TaskForm, u32), &Task> = BTreeMap::new();
    for task in tasks {
        // A check list in another chapter may name tasks again; a heading says what a task is.
        let chapter = match task.form {
            tasks::TaskForm::Heading(_) => 0,
            _ => task.groups.last().map_or(0, |group| group.line),
        };
        let earlier = *known.entry((task_id::key(&task.id), task.form, chapter)).or_insert(task);
        let line = task.lines().start;
        if earlier.line != task.line
            && !reported.contains(&line)
            && are_different(&earlier.title, &task.title, task.form)
        {
            report(&task.id, line, earlier.lines().start, faults);
        }
    }
}

fn report(id: &str, line: usize, earlier: usize, faults: &mut Faults<'_>) {
    let message = format!("`{id}` is defined a second time; the first is in line {}", earlier + 1);
    faults.add(Rule::DuplicateId, line, message, "give one of them an id of its own, or join them");
}

/// Whether a table says what ids stand for: the first column is for ids, the second for what they mean.
fn is_table_of_ids(page: &Page<'_>, table: usize) -> bool {
    const IDS: [&str; 9] = ["id", "ids", "#", "no", "no.", "nr.", "№", "编号", "番号"];
    const MEANINGS: [&str; 23] = [
        "requirement",
        "description",
        "criterion",
        "criteria",
        "acceptance criterion",
        "title",
        "name",
        "statement",
        "text",
        "summary",
        "story",
        "user story",
        "task",
        "feature",
        "anforderung",
        "beschreibung",
        "kriterium",
        "requisito",
        "descripción",
        "exigence",
        "требование",
        "描述",
        "需求",
    ];
    let head = page.lines[table].text.trim_start().trim_start_matches('|');
    let mut cells = head.split('|').map(|cell| cell.trim().trim_matches('*').to_lowercase());
    let (first, second) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
    IDS.contains(&first.as_str()) && MEANINGS.contains(&second.as_str())
}

/// Whether two titles can hardly mean one task: an overview and the chapter about a task both name it. Two headings of
/// one level are two tasks unless one of them merely says more than the other.
fn are_different(one: &str, other: &str, form: tasks::TaskForm) -> bool {
    let (one, other) = (words(one), words(other));
    if matches!(form, tasks::TaskForm::Heading(_)) {
        return !one.is_subset(&other) && !other.is_subset(&one);
    }
    let fewer = one.len().min(other.len());
    fewer >= 2 && one.intersection(&other).count() * 2 < fewer
}
