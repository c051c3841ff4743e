//! Decides which of the candidates are tasks.
//!
//! People write a list of tasks in one form and mention tasks in others: in overviews, graphs, check lists. So the
//! clearest form wins, and what merely repeats an id is a mention. What holds tasks is a group, and what has numbers
//! inside a task is a step. Start at [`choose`].

use super::TaskForm;
use super::candidate::{Candidate, Claim};
use crate::sections::Outline;
use crate::task_id::{Shape, extends};
use redraft_facts::prelude::*;

/// The tasks, and rows of tables that could be tasks but are not, both in document order.
pub(super) fn choose<'a>(
    all: Vec<Candidate<'a>>,
    outline: &Outline<'_>,
) -> (Vec<Candidate<'a>>, Vec<Candidate<'a>>) {
    let overview = overviews(outline);
    let (headings, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.level().is_some());
    let (boxes, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|one| one.form == TaskForm::Checkbox);
    let (items, rows): (Vec<_>, Vec<_>) = rest.into_iter().partition(|one| one.form == TaskForm::ListItem);
    let told = |one: &Candidate<'_>| {
        let after = overview.partition_point(|lines| lines.start <= one.line);
        !after.checked_sub(1).is_some_and(|at| overview[at].contains(&one.line))
    };
    let boxes: Vec<_> = boxes.into_iter().filter(told).collect();
    let (items_of_numbers, items): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|one| one.claim == Claim::Faint && one.shape == Shape::Number);
    let items: Vec<_> = items.into_iter().filter(told).collect();

    let mut tasks = headings_and_boxes(&headings, &boxes);
    if tasks.is_empty() {
        tasks = leaves(items.into_iter().filter(|one| one.claim >= Claim::Fair).collect());
    }
    tasks.extend(listed_only(&rows, &tasks));
    // Numbers are tasks if nothing else is, first of all in chapters that announce tasks.
    let numbered = items_of_numbers.into_iter().filter(told);
    let faint: Vec<_> = [headings.into_iter().filter(told).collect(), boxes, numbered.collect()].into();
    for announced in [true, false] {
        for places in &faint {
            if tasks.is_empty() {
                let fits = |one: &&Candidate<'_>| one.under_tasks || !announced;
                tasks = leaves(places.iter().filter(fits).cloned().collect());
            }
        }
    }
    tasks.sort_by_key(|task| task.line);
    let passed_over = passed_over(rows, &tasks);
    (tasks, passed_over)
}

/// The lines of chapters that only describe tasks, in order.
fn overviews(outline: &Outline<'_>) -> Vec<core::ops::Range<usize>> {
    const WORDS: [&str; 12] = [
        "summary",
        "overview",
        "index",
        "graph",
        "legend",
        "coverage",
        "matrix",
        "map",
        "zusammenfassung",
        "übersicht",
        "resumen",
        "résumé",
    ];
    // `Task Index`, `Dependency Graph (Mermaid)`; not `1.3 Index Recreation`, nor `Phase 2: Coverage sweep`.
    let named = |title: &str| {
        let title = title.split('(').next().unwrap_or_default().to_lowercase();
        let last = title.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty());
        last.is_some_and(|word| WORDS.contains(&word)) && !title.contains(|c: char| c.is_ascii_digit())
    };
    let sections = outline.sections().iter().filter(|section| section.level > 1 && named(section.title));
    sections.map(|section| section.own.clone()).collect()
}

fn headings_and_boxes<'a>(headings: &[Candidate<'a>], boxes: &[Candidate<'a>]) -> Vec<Candidate<'a>> {
    // The title of a document may look like a task.
    let is_title = |one: &Candidate<'_>| {
        one.level() == Some(1)
            && headings.iter().chain(boxes).any(|inner| one.holds(inner) && inner.claim == Claim::Plain)
    };
    let skip = headings.first().is_some_and(is_title);
    let headings = &headings[usize::from(skip)..];
    let plain = |one: &&Candidate<'_>| one.claim == Claim::Plain;
    let plain_levels: BTreeSet<Option<u8>> = headings.iter().filter(plain).map(Candidate::level).collect();
    let plain_boxes = boxes.iter().any(|one| one.claim == Claim::Plain);
    // If there are tasks that say so, an id such as `V1` or `2.1` is one only at their level.
    let fits = |one: &&Candidate<'_>| match one.claim {
        Claim::Plain => true,
        Claim::Fair if plain_levels.is_empty() => !plain_boxes && one.shape != Shape::Lettered,
        Claim::Fair => plain_levels.contains(&one.level()),
        Claim::Faint => false,
    };
    let fitting: Vec<&Candidate<'a>> = headings.iter().filter(fits).collect();
    let tasks = without_groups(&fitting, boxes);
    let mut taken: Vec<Candidate<'a>> = tasks.iter().map(|one| (**one).clone()).collect();
    let keys: BTreeSet<&str> = tasks.iter().map(|one| one.key.as_str()).collect();
    let inside = |one: &Candidate<'_>| holder(&tasks, one).is_some();
    let free = |one: &&Candidate<'_>| !inside(one) && !keys.contains(one.key.as_str());
    let boxes: Vec<Candidate<'a>> = (boxes.iter().filter(free))
        .filter(|one| {
            one.claim == Claim::Plain || tasks.is_empty() && one.claim == Claim::Fair && !plain_boxes
        })
        .cloned()
        .collect();
    taken.extend(leaves(boxes));
    taken
}

/// The headings that are tasks themselves: not those that hold tasks, nor those that are a task's steps.
fn without_groups<'c, 'a>(headings: &[&'c Candidate<'a>], boxes: &[Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
    let is_group = |(at, outer): (usize, &&Candidate<'a>)| {
        let inner = headings[at + 1..].iter().take_while(|inner| outer.holds(inner));
        let deeper =
            inner.into_iter().any(|inner| inner.claim >= outer.claim && extends(&inner.key, &outer.key));
        let first = boxes.partition_point(|one| one.line <= outer.line);
        let mut boxed = boxes[first..].iter().take_while(|one| outer.holds(one));
        deeper || boxed.any(|one| one.claim >= outer.claim && extends(&one.key, &outer.key))
    };
    let groups: Vec<bool> = headings.iter().enumerate().map(is_group).collect();
    let mut tasks: Vec<&Candidate<'a>> = Vec::new();
    for (heading, is_group) in headings.iter().zip(groups) {
        let step = holder(&tasks, heading).is_some_and(|outer| heading.claim < outer.claim);
        if !is_group && !step {
            tasks.push(heading);
        }
    }
    tasks
}

/// The task that a place stands in. A task ends where the next one begins, so it can only be the last one before.
fn holder<'c, 'a>(tasks: &[&'c Candidate<'a>], place: &Candidate<'_>) -> Option<&'c Candidate<'a>> {
    let before = tasks.partition_point(|task| task.line < place.line);
    let task = tasks.get(before.checked_sub(1)?)?;
    task.holds(place).then_some(task)
}

/// Of places that may hold each other, those that hold no other with a longer id of the same kind.
fn leaves(all: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let is_leaf: Vec<bool> = (all.iter().enumerate())
        .map(|(at, outer)| {
            let mut inner = all[at + 1..].iter().take_while(|inner| outer.holds(inner));
            !inner.any(|inner| inner.claim >= outer.claim && extends(&inner.key, &outer.key))
        })
        .collect();
    let mut kept: Vec<Candidate<'_>> = Vec::new();
    let mut end = 0;
    for (one, is_leaf) in all.into_iter().zip(is_leaf) {
        // What stands inside a task that holds no other is a step of it.
        if is_leaf && one.line >= end {
            end = one.end;
            kept.push(one);
        }
    }
    kept
}

/// Rows of an index that name tasks without a place of their own; all rows if there are no other tasks.
fn listed_only<'a>(rows: &[Candidate<'a>], tasks: &[Candidate<'a>]) -> Vec<Candidate<'a>> {
    let known: BTreeSet<&str> = tasks.iter().map(|task| task.key.as_str()).collect();
    let outer = |key: &str| {
        let next = known.range(key..).find(|next| **next != key);
        next.is_some_and(|next| extends(next, key))
    };
    // Chapters whose table lists tasks of this document.
    let indexes: BTreeSet<usize> =
        rows.iter().filter(|row| known.contains(row.key.as_str())).map(|row| row.chapter).collect();
    let mut seen = BTreeSet::new();
    rows.iter()
        .filter(|row| known.is_empty() || indexes.contains(&row.chapter))
        .filter(|row| row.claim >= Claim::Fair || known.is_empty())
        .filter(|row| !known.contains(row.key.as_str()) && !outer(&row.key) && seen.insert(row.key.as_str()))
        .cloned()
        .collect()
}

/// Rows with an id like those of the tasks, or one that says it is a task's, but that no task has: nobody would carry
/// them out.
fn passed_over<'a>(rows: Vec<Candidate<'a>>, tasks: &[Candidate<'_>]) -> Vec<Candidate<'a>> {
    let known: BTreeSet<&str> = tasks.iter().map(|task| task.key.as_str()).collect();
    let shapes: Vec<Shape> = tasks.iter().map(|task| task.shape).collect();
    let own = |row: &Candidate<'_>| {
        let next = known.range(row.key.as_str()..).next();
        // A part of a task is a step, and what has parts is a group.
        let part = known.range(..row.key.as_str()).next_back().is_some_and(|whole| extends(&row.key, whole));
        !part && !next.is_some_and(|next| *next == row.key || extends(next, &row.key))
    };
    let like = |row: &Candidate<'_>| row.claim == Claim::Plain || shapes.contains(&row.shape);
    rows.into_iter().filter(|row| row.claim >= Claim::Fair && like(row) && own(row)).collect()
}
