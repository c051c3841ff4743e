//! The title of a task: what follows its id, without signs, tags and marks.

use super::TaskForm;
use crate::page::line;
use crate::task_id::{self, Id, Shape};
use redraft_facts::prelude::*;

/// Further ids that follow the first one, and the rest: `T10 (T-EXEC-1)`, `3.1 / 3.2`, `6.1 through 6.N`.
pub(super) fn aliases<'a>(first: &Id<'a>) -> (Vec<&'a str>, &'a str) {
    const ALIASES_MAX: usize = 20;
    let mut aliases = Vec::new();
    let mut rest = first.rest;
    while aliases.len() < ALIASES_MAX {
        let text = rest.trim_start_matches(['*', '_', '`', ' ']);
        if let Some(inside) = text.strip_prefix('(')
            && let Some(id) = another(inside, first, false)
            && let Some(after) = id.rest.trim_start_matches(['`', '*']).strip_prefix(')')
        {
            aliases.push(id.text);
            rest = after;
            continue;
        }
        let Some(after) = after_joint(text) else { break };
        // `3/4 Title` is of two tasks, `3 / 4 files` of one.
        let tight = rest.starts_with('/') && !after.starts_with(' ');
        let Some(id) = another(after, first, tight) else { break };
        aliases.push(id.text);
        rest = id.rest;
    }
    (aliases, rest)
}

/// An id that can belong to the same task: a number alone cannot, unless it is `tight` after the first.
fn another<'a>(text: &'a str, first: &Id<'_>, tight: bool) -> Option<Id<'a>> {
    let text = text.trim_start();
    let text = text.strip_prefix("Task ").unwrap_or(text);
    let id = task_id::leading(text, false)?;
    let alike = match id.shape {
        Shape::Number => first.shape == Shape::Number && (tight || !id.rest.starts_with(' ')),
        Shape::Requirement => false,
        Shape::Lettered | Shape::Dotted | Shape::Task => true,
    };
    alike.then_some(id)
}

fn after_joint(text: &str) -> Option<&str> {
    const JOINTS: [&str; 13] =
        ["/", ",", "+", "&", "..", "–", "—", "-", "and ", "through ", "to ", "und ", "bis "];
    JOINTS.iter().find_map(|joint| text.strip_prefix(joint)).map(|rest| rest.trim_start_matches('.'))
}

/// The title in what follows an id, still with its tags.
pub(super) fn tagged(rest: &str, form: TaskForm) -> &str {
    let rest = after_sign(rest);
    match form {
        TaskForm::Heading(_) => rest,
        TaskForm::Checkbox | TaskForm::ListItem | TaskForm::TableRow => before_field(in_bold(rest)),
    }
}

/// What follows the sign between id and title, and the end of the id's emphasis.
fn after_sign(rest: &str) -> &str {
    let rest = rest.trim_start_matches(['*', '_', '`', ']', ' ']);
    let rest = rest.strip_prefix("---").or_else(|| rest.strip_prefix("--")).unwrap_or(rest);
    let rest = rest.strip_prefix([':', '：', '—', '–', '-', '.', ')', '、', '|', '·']).unwrap_or(rest);
    rest.trim_start()
}

/// If emphasis that began before the id ends after some words, those words are the title: `**T1: Title** and more`.
fn in_bold(rest: &str) -> &str {
    let Some((inside, after)) = rest.split_once("**") else { return rest };
    let opens_later = after.matches("**").count() % 2 == 1;
    if inside.trim().is_empty() || opens_later { rest } else { inside }
}

/// The title in bold that only a remark in brackets follows: `**Title** (spec 2.1)`.
pub(super) fn before_remark(text: &str) -> &str {
    let title = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    title.filter(|(_, after)| after.trim_start().starts_with('(')).map_or(text, |(title, _)| title)
}

/// An item may go on with its fields in the same line: `**Done:** …`.
fn before_field(text: &str) -> &str {
    let mut from = 0;
    while let Some(at) = text[from..].find("**").map(|at| at + from) {
        let after = &text[at + 2..];
        let Some(close) = after.find("**") else { return text };
        let label = &after[..close];
        let is_label = label.ends_with(':') || after[close + 2..].starts_with(':');
        if is_label && !text[..at].trim().is_empty() {
            return &text[..at];
        }
        from = at + 2 + close + 2;
    }
    text
}

/// A title without emphasis, pictures, tags and the colon at its end.
pub(super) fn trimmed(text: &str) -> String {
    let text = line::without_emphasis(text);
    let text = without_pictures(&text);
    let text = without_tags_before(text);
    let text = without_tags_behind(text);
    text.trim_end_matches([':', '：', ' ']).trim().to_owned()
}

fn without_pictures(text: &str) -> &str {
    text.trim_start_matches(|c: char| is_picture(c) || c == ' ')
        .trim_end_matches(|c: char| is_picture(c) || c == ' ')
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{200d}' | '\u{1f000}'..='\u{1faff}')
}

/// `[P] [US1] Title`, `(red first) Title`: what is said about a task before its title.
fn without_tags_before(mut text: &str) -> &str {
    let tag = |text: &'_ str| -> Option<(usize, usize)> {
        let close = if text.starts_with('[') { ']' } else { ')' };
        text.starts_with(['[', '(']).then(|| text.find(close)).flatten().map(|at| (at, at + 1))
    };
    while let Some((tag, rest)) = tag(text).map(|(end, next)| (&text[1..end], &text[next..])) {
        let rest = rest.trim_start();
        // `(Optional) Title` is one, `(red): Title` is not.
        let word = text.starts_with('(') && !tag.contains(' ') && !rest.starts_with([':', '：']);
        if tag.len() > TAG_CHARS_MAX || rest.is_empty() || rest.starts_with('(') || word {
            break;
        }
        text = after_sign(rest);
    }
    text
}

const TAG_CHARS_MAX: usize = 80;

/// `Title [Group: A]`, and `Title (Simple)`, `Title (~10 min)`: what is said about a task, not what it is.
fn without_tags_behind(mut text: &str) -> &str {
    loop {
        let trimmed = text.trim_end();
        let trimmed = trimmed.strip_suffix("].").map_or(trimmed, |_| &trimmed[..trimmed.len() - 1]);
        let cut = tag_start(trimmed, '[', ']').or_else(|| {
            let at = tag_start(trimmed, '(', ')')?;
            is_size(trimmed[at + 1..trimmed.len() - 1].trim()).then_some(at)
        });
        match cut.filter(|at| !trimmed[..*at].trim().is_empty()) {
            Some(at) => text = &trimmed[..at],
            None => return trimmed,
        }
    }
}

/// Where a short tag at the end of a text begins, with a blank before it.
fn tag_start(text: &str, open: char, close: char) -> Option<usize> {
    let inner = text.strip_suffix(close)?;
    let at = inner.rfind(open)?;
    let tag = &inner[at + 1..];
    let short = tag.len() <= TAG_CHARS_MAX && !tag.contains(close);
    (short && text[..at].ends_with(' ')).then_some(at)
}

/// Whether a remark says how much work something is.
fn is_size(remark: &str) -> bool {
    const SIZES: [&str; 17] = [
        "simple", "medium", "complex", "small", "large", "trivial", "easy", "hard", "xs", "s", "m", "l",
        "xl", "low", "high", "tiny", "moderate",
    ];
    const UNITS: [&str; 14] = [
        "m", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours", "d", "day", "days", "pts",
    ];
    let remark = remark.to_lowercase();
    let words: Vec<&str> = remark.split([' ', ',', '/']).filter(|word| !word.is_empty()).collect();
    let number = |word: &str| {
        let rest = word
            .trim_start_matches(['~', '≈', '<'])
            .trim_start_matches(|c: char| c.is_ascii_digit() || "-–.".contains(c));
        rest.len() < word.len() && (rest.is_empty() || UNITS.contains(&rest))
    };
    let is_word = |word: &&str| SIZES.contains(word) || UNITS.contains(word) || number(word);
    // `Simple, conditional`: the first word says what kind of remark it is.
    let sized = words.first().is_some_and(|word| SIZES[..6].contains(word)) && remark.contains(',');
    !words.is_empty() && (sized || words.iter().all(is_word))
}
