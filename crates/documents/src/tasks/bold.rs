//! Paragraphs in bold that may be tasks, and those that head groups of them.
//!
//! Start at [`find`].

use super::TaskForm;
use super::candidate::{Candidate, Claim, claimed, is_set_off};
use crate::page::line;
use crate::task_id::Shape;
use redraft_facts::prelude::*;

/// A paragraph in bold that begins as the heading of a task would: `**Task 1: Title**`.
pub(super) fn find(line: &str, at: usize) -> Option<Candidate<'_>> {
    const INDENT_MAX: usize = 3;
    let text = line.trim();
    let inside = text.strip_prefix("**").filter(|_| line::indent(line) <= INDENT_MAX)?;
    let (claim, id) = claimed(text)?;
    // All of it is in bold, or a sign separates the id from the title.
    let whole = inside.find("**").is_some_and(|end| inside[end + 2..].trim().is_empty());
    let set_off = is_set_off(id.rest);
    let is_task = match claim {
        Claim::Plain => whole || set_off,
        // `**R1. Title**`, which `tasks` looks at again.
        Claim::Fair => whole && set_off && id.shape == Shape::Lettered && !text.ends_with(":**"),
        Claim::Faint => false,
    };
    is_task.then(|| Candidate::new(claim, id, TaskForm::ListItem, at)).flatten()
}

/// The paragraphs in bold that may be tasks; each goes on to the next one or to the next group. One such as `R1` counts
/// only together with others such as `T1`.
pub(super) fn tasks<'a>(mut all: Vec<Candidate<'a>>, groups: &[usize]) -> Vec<Candidate<'a>> {
    let lettered = all.iter().any(|one| one.claim == Claim::Plain && one.shape == Shape::Task);
    all.retain(|one| one.claim == Claim::Plain || lettered);
    let starts: Vec<usize> = all.iter().map(|one| one.line).skip(1).chain([usize::MAX]).collect();
    for (one, next) in all.iter_mut().zip(starts) {
        let group = groups.get(groups.partition_point(|line| *line < one.line)).copied();
        one.end = one.end.min(next).min(group.unwrap_or(usize::MAX));
    }
    all
}

/// `**Group A — Setup**`, `**Phase 2**`: a paragraph in bold that heads tasks.
pub(super) fn is_group(line: &str) -> bool {
    const GROUPS: [&str; 11] = [
        "group",
        "phase",
        "stage",
        "milestone",
        "sprint",
        "iteration",
        "wave",
        "epic",
        "track",
        "workstream",
        "gruppe",
    ];
    let inside = line.strip_prefix("**").and_then(|rest| rest.trim_end().strip_suffix("**"));
    let Some((word, rest)) = inside.and_then(|inside| inside.split_once(' ')) else { return false };
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let counted = rest.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    GROUPS.contains(&word.to_lowercase().as_str()) && counted && is_set_off(&rest[end..])
}
