//! Recognises ids of tasks: `1.1`, `1.2a`, `1A.1`, `T3`, `TA.1`, `A.1`, `Final.1`, `TASK-004`, `3`.
//!
//! Reads one id from the beginning of a text. Whether the place makes it a task is not known here.

pub(crate) use crate::page::id::{folded, is_inner};
use redraft_facts::prelude::*;

/// How an id is built; the more it takes, the less likely it is an accident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// `3`, `3a`, or a letter after the word for a task.
    Number,
    /// `V1`, `Q2`: one or two capitals and a number.
    Lettered,
    /// `1.1`, `1.2a`, `A.1`, `Final.1`.
    Dotted,
    /// `T1`, `T1.1`, `TA.1`, `TASK-4`: it begins with the letter for a task.
    Task,
    /// `FR-1`, `AC-2b`: of requirements, criteria and decisions, never of tasks.
    Requirement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id<'a> {
    /// As written.
    pub(crate) text: &'a str,
    pub(crate) shape: Shape,
    /// What follows it, marks of emphasis included.
    pub(crate) rest: &'a str,
}

/// The prefixes that documents of a feature give to things that are not tasks.
pub(crate) const REQUIREMENTS: [&str; 30] = [
    "FR", "NFR", "AC", "SC", "REQ", "US", "UC", "TD", "ADR", "RFC", "OQ", "BR", "EC", "DEC", "ASM", "INV",
    "IF", "RISK", "GOAL", "PRD", "CR", "DR", "UR", "IR", "SR", "KR", "OBJ", "BUG", "PR", "GH",
];

/// The id a text begins with. `named`: the word for a task stands before it, so a letter or a number will do.
pub(crate) fn leading(text: &str, named: bool) -> Option<Id<'_>> {
    let text = text.trim_start_matches(['*', '_', '`', '[', ' ', '~']);
    let text = if named { text.strip_prefix('#').unwrap_or(text) } else { text };
    let end = text.find(|c: char| !is_inner(c)).unwrap_or(text.len());
    let id = text[..end].trim_end_matches(['.', '-', '_']);
    let rest = &text[id.len()..];
    // `1.1's`, `2x`, `3%`: no id ends there.
    if rest.starts_with(['\'', '’', '%', '°', '"', '@', '=', '\\']) || rest.starts_with("/") && !named {
        return None;
    }
    // `Task 1-3` begins with its first.
    let joint =
        id.find('-').filter(|at| named && shape(id).is_none() && shape(&id[..*at]) == Some(Shape::Number));
    let (id, rest) = joint.map_or((id, rest), |at| text.split_at(at));
    let shape = shape(id).or_else(|| (named && is_letter(id)).then_some(Shape::Number))?;
    Some(Id { text: id, shape, rest })
}

/// `A` of `Task A`.
fn is_letter(id: &str) -> bool {
    const LETTERS_MAX: usize = 2;
    !id.is_empty() && id.len() <= LETTERS_MAX && id.chars().all(|c| c.is_ascii_uppercase())
}

pub(crate) fn shape(id: &str) -> Option<Shape> {
    const CHARS_MAX: usize = 24;
    const PARTS_MAX: usize = 6;
    if id.len() > CHARS_MAX || !id.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let parts: Vec<&str> = id.split(['.', '-', '_']).collect();
    if parts.len() > PARTS_MAX || parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    let numbered = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
    if numbered(&parts[0]) {
        return of_number(id, &parts);
    }
    let letters = parts[0].chars().take_while(char::is_ascii_alphabetic).count();
    let (prefix, tail) = parts[0].split_at(letters);
    if !tail.is_empty() && !is_number_part(tail) {
        return None;
    }
    // Something after the letters must be a number.
    let counted = !tail.is_empty() || parts[1..].iter().any(numbered);
    // `T01-T03` are several.
    let again = |part: &&str| part.strip_prefix(prefix).is_some_and(|rest| numbered(&rest));
    if !prefix.is_empty() && parts[1..].iter().any(again) {
        return None;
    }
    if !counted || parts[1..].iter().any(|part| !is_later_part(part)) {
        return None;
    }
    lettered(id, prefix, &parts)
}

fn of_number(id: &str, parts: &[&str]) -> Option<Shape> {
    // A date or a version of four digits is no id, and neither is `10-20`.
    const DIGITS_MAX: usize = 3;
    let short = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count() <= DIGITS_MAX;
    if id.contains('_')
        || !parts.iter().all(|part| short(part) && (is_number_part(part) || is_later_part(part)))
    {
        return None;
    }
    // `10-A` is one, `10-20` and `3-way` are not.
    let letter = |part: &str| part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_number_part(parts[0]) || id.contains('-') && !(parts.len() == 2 && letter(parts[1])) {
        return None;
    }
    Some(if parts.len() > 1 { Shape::Dotted } else { Shape::Number })
}

fn lettered(id: &str, prefix: &str, parts: &[&str]) -> Option<Shape> {
    const LETTERS_MAX: usize = 2;
    let upper = prefix.to_ascii_uppercase();
    let capital = prefix.starts_with(|c: char| c.is_ascii_uppercase());
    if upper == "TASK" {
        return Some(Shape::Task);
    }
    if !capital || prefix.chars().all(|c| c.is_ascii_lowercase()) {
        return None;
    }
    if REQUIREMENTS.contains(&prefix) {
        return Some(Shape::Requirement);
    }
    let capitals = prefix.chars().all(|c| c.is_ascii_uppercase());
    if capitals && prefix.starts_with('T') && prefix.len() <= 3 {
        return Some(Shape::Task);
    }
    let dotted = id[prefix.len()..].starts_with('.') && parts.len() > 1;
    const WORD_MAX: usize = 8;
    if dotted && prefix.len() <= WORD_MAX {
        return Some(Shape::Dotted);
    }
    // `E2E` is a word.
    let word = parts[0].ends_with(|c: char| c.is_ascii_uppercase()) && parts[0].len() > prefix.len();
    (capitals && prefix.len() <= LETTERS_MAX && !word).then_some(Shape::Lettered)
}

/// `1`, `12`, `1a`, `1A`: digits and at most one letter.
fn is_number_part(part: &str) -> bool {
    let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < part.len() && rest.len() <= 1 && rest.chars().all(|c| c.is_ascii_alphabetic())
}

/// A part after the first: a number, a letter, a word in capitals (`T-EXEC-2`), or a short one (`T1.Final`, `2.docs`).
fn is_later_part(part: &str) -> bool {
    const LETTERS_MAX: usize = 6;
    const WORD_MAX: usize = 8;
    if part.len() <= WORD_MAX && part.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return true;
    }
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let capitals = letters.len() <= LETTERS_MAX && letters.chars().all(|c| c.is_ascii_uppercase());
    is_number_part(part) || capitals || part.len() == 1 && part.is_ascii()
}

/// How ids of tasks are compared: `Task 1.1`, `T1.1` and `1.1` are one, and so are `T01` and `T1`.
pub fn key(id: &str) -> String {
    let key = folded(id);
    let bare = key.strip_prefix("task").or_else(|| key.strip_prefix('t')).unwrap_or(&key);
    let bare = bare.trim_start_matches(['-', '_', '.']);
    if bare.starts_with(|c: char| c.is_ascii_digit()) { bare.to_owned() } else { key }
}

/// Whether `inner` is a part of `outer`, as `1.1.2` is of `1.1`.
pub(crate) fn extends(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_tasks_have_these_shapes() {
        for (text, wanted) in [
            ("1.1", Some(Shape::Dotted)),
            ("1.2a", Some(Shape::Dotted)),
            ("1A.1", Some(Shape::Dotted)),
            ("6.N", Some(Shape::Dotted)),
            ("A.1", Some(Shape::Dotted)),
            ("Final.1", Some(Shape::Dotted)),
            ("T1", Some(Shape::Task)),
            ("T05b", Some(Shape::Task)),
            ("T1.Final", Some(Shape::Task)),
            ("1a.docs", Some(Shape::Dotted)),
            ("TA.1", Some(Shape::Task)),
            ("TC0.1", Some(Shape::Task)),
            ("TASK-004", Some(Shape::Task)),
            ("T-EXEC-AC-2.2", Some(Shape::Task)),
            ("V1", Some(Shape::Lettered)),
            ("3", Some(Shape::Number)),
            ("3b", Some(Shape::Number)),
            ("FR-6a", Some(Shape::Requirement)),
            ("AC1", Some(Shape::Requirement)),
            ("2026-01-02", None),
            ("2026", None),
            ("10-A", Some(Shape::Dotted)),
            ("10-20", None),
            ("v1.2", None),
            ("UTF-8", None),
            ("SHA-256", None),
            ("Phase", None),
            ("test_1", None),
            ("E2E", None),
            ("T01-T03", None),
            ("", None),
        ] {
            assert_eq!(shape(text), wanted, "{text}");
        }
    }

    #[test]
    fn one_task_has_one_key() {
        for same in ["1.1", "T1.1", "T01.1", "Task 1.1", "TASK-1.1"] {
            assert_eq!(key(same), "1.1", "{same}");
        }
        assert_eq!(key("TA.1"), "ta.1");
        assert_ne!(key("1.1"), key("11"));
        assert!(extends("1.1.2", "1.1") && !extends("1.12", "1.1"));
    }
}
