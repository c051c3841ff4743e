//! What a task says it depends on: `**Depends on:** 1.1, 1.2`, `Deps: T1–T3`, `requires: 0.1` in a code span.
//!
//! Start at [`needs`]; [`resolved`] finds the tasks that are meant.

use super::candidate::WORDS;
use super::id::{self, extends, key};
use super::line::Item;
use super::{Form, Task};
use crate::prelude::*;
use crate::sections::Outline;

/// A task that another one depends on, as it is written. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub id: String,
    /// How it is compared, see [`key`].
    pub key: String,
    pub line: u32,
    /// Named with the word for a task: it can be nothing else.
    pub by_name: bool,
    /// The second end of a range.
    pub to: bool,
    /// Either end of a range; what lies between is not spelled out.
    pub in_range: bool,
}

/// What a line begins with that names what a task depends on.
const LABELS: [&str; 24] = [
    "depends on",
    "depends",
    "dependencies",
    "dependency",
    "deps",
    "blocked by",
    "requires",
    "needs",
    "order",
    "prerequisite",
    "prerequisites",
    "abhängig von",
    "hängt ab von",
    "abhängigkeiten",
    "depende de",
    "dependencias",
    "dépend de",
    "dépendances",
    "зависит от",
    "зависимости",
    "依赖于",
    "依赖",
    "依存",
    "의존",
];

/// What the lines from `start` to before `end` name.
pub(super) fn needs(outline: &Outline<'_>, start: usize, end: usize, form: Form) -> Vec<Need> {
    let first = if matches!(form, Form::Heading(_)) { start + 1 } else { start };
    let lines = outline.lines().iter().enumerate().take(end).skip(first);
    lines.filter(|(at, _)| !outline.is_fenced(*at)).flat_map(|(at, line)| of_line(line, at)).collect()
}

/// Whether a line says what a task depends on.
pub(crate) fn names_needs(line: &str) -> bool {
    lists(line).next().is_some()
}

/// Where each task stands in the document, by all its keys.
pub(super) fn places(tasks: &[Task]) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        for key in task.keys() {
            places.entry(key).or_insert(at);
        }
    }
    places
}

/// A range of more tasks is written by nobody.
const RANGE_MAX: usize = 200;

/// The tasks that are meant, in document order: what is named, what lies in a range, and all parts of what is a group.
pub(super) fn resolved(needs: &[Need], tasks: &[Task], places: &BTreeMap<String, usize>) -> Vec<String> {
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut before: Option<usize> = None;
    for need in needs {
        let at = places.get(&need.key).copied();
        if need.to
            && let (Some(from), Some(to)) = (before, at)
        {
            found.extend((from.min(to)..=from.max(to)).take(RANGE_MAX));
        }
        match at {
            Some(at) => _ = found.insert(at),
            // `1` where there are 1.1 and 1.2.
            None => {
                let parts =
                    places.range(need.key.clone()..).take_while(|(key, _)| key.starts_with(&need.key));
                let parts = parts.filter(|(key, _)| extends(key, &need.key)).take(RANGE_MAX);
                found.extend(parts.map(|(_, at)| *at));
            }
        }
        before = at;
    }
    found.into_iter().map(|at| tasks[at].id.clone()).collect()
}

fn of_line(line: &str, at: usize) -> Vec<Need> {
    lists(line).flat_map(|list| of_list(list, at)).collect()
}

fn of_list(mut rest: &str, at: usize) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    let (mut by_name, mut to) = (false, false);
    loop {
        let (named, after) = after_word(rest);
        by_name |= named;
        let Some((id, after)) = piece(after, by_name) else { break };
        if to && let Some(last) = needs.last_mut() {
            last.in_range = true;
        }
        let line = super::counted(at);
        needs.push(Need { id: id.to_owned(), key: key(id), line, by_name, to, in_range: to });
        rest = after_remark(after);
        let Some((next, range)) = after_separator(rest) else { break };
        (rest, to) = (next, range);
    }
    // A task of another feature is none of ours.
    let rest = rest.trim_start_matches(['*', '`', ']', ' ']);
    let foreign = ["of ", "from ", "in ", "von ", "de "].iter().any(|word| rest.starts_with(word));
    if foreign { Vec::new() } else { needs }
}

/// What follows `(a remark)` about an id.
fn after_remark(text: &str) -> &str {
    let trimmed = text.trim_start();
    let after = trimmed.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(_, after)| after);
    after.filter(|after| after_separator(after).is_some()).unwrap_or(text)
}

/// The id a list goes on with. `1.1-1.3` and `T1..T3` are two.
fn piece(text: &str, named: bool) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(['*', '_', '`', '[', ' ']);
    let end = text.find(|c: char| !id::is_inner(c)).unwrap_or(text.len());
    let token = text[..end].trim_end_matches(['.', '-', '_']);
    let joints = token.match_indices('-').map(|(at, _)| at).chain(token.find(".."));
    let counted = |at: &usize| token[..*at].contains(|c: char| c.is_ascii_digit());
    let end = joints.filter(counted).min().unwrap_or(token.len());
    let (id, after) = text.split_at(end);
    let is_id = id::shape(id).is_some_and(|shape| shape != id::Shape::Requirement)
        || named && id.len() == 1 && id.starts_with(|c: char| c.is_ascii_uppercase());
    is_id.then_some((id, after))
}

/// Whether a text begins with the word for a task, and what follows.
fn after_word(text: &str) -> (bool, &str) {
    let text = text.trim_start_matches(['*', '_', '`', '[', ' ']);
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let word = text[..end].to_lowercase();
    let rest = text[end..].trim_start();
    let named = WORDS.contains(&word.as_str()) && rest.starts_with(|c: char| c.is_alphanumeric() || c == '[');
    if named { (true, rest) } else { (false, text) }
}

/// What a line lists after each label it begins with or has at the beginning of a code span, a bold text or brackets.
fn lists(line: &str) -> impl Iterator<Item = &str> {
    let text = line.trim_start().trim_start_matches(['>', ' ']);
    let start = Item::of(text).map_or(text, |item| item.text);
    let begins = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == ' ');
    let inner = start.char_indices().filter(|(_, c)| matches!(c, '`' | '(' | '[' | '*' | '|'));
    // Marks at the very beginning belong to the first label.
    let words = start.find(char::is_alphanumeric).unwrap_or(start.len());
    let inner = inner.filter(move |(at, _)| *at > words);
    let inner = inner.map(|(at, c)| &start[at + c.len_utf8()..]).filter(move |text| begins(text));
    core::iter::once(start).chain(inner).filter_map(listed)
}

fn listed(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['*', '_', '(', '[', '`', ' ']);
    // Most texts begin with a letter that no label begins with.
    if text.as_bytes().first().is_none_or(|byte| !b"dDbBrRnNoOpPaAhH".contains(byte) && byte.is_ascii()) {
        return None;
    }
    let label = LABELS.iter().find(|label| begins_with(text, label))?;
    let rest = &text[length_of(text, label)..];
    let list = rest.trim_start_matches(['*', '_', ' ', ':', '：', '`']);
    let set_off = rest.trim_start_matches(['*', '_', ' ']).starts_with([':', '：']);
    let list = ["after ", "After "].iter().find_map(|word| list.strip_prefix(word)).unwrap_or(list);
    // Without a colon only the labels that are verbs read on to what they name.
    (set_off || label.ends_with(" on") || label.ends_with(" by")).then_some(list)
}

fn begins_with(text: &str, label: &str) -> bool {
    let mut chars = text.chars().flat_map(char::to_lowercase);
    let all = label.chars().all(|wanted| chars.next() == Some(wanted));
    all && !chars.next().is_some_and(|c| c.is_alphabetic() && !is_wide(c))
}

/// Scripts without blanks between words.
fn is_wide(c: char) -> bool {
    ('\u{2e80}'..='\u{d7ff}').contains(&c)
}

/// The bytes of as many characters of `text` as `label` has. Some letters change their length with their case.
fn length_of(text: &str, label: &str) -> usize {
    let mut wanted = label.chars().count();
    for (at, c) in text.char_indices() {
        if wanted == 0 {
            return at;
        }
        wanted = wanted.saturating_sub(c.to_lowercase().count());
    }
    text.len()
}

/// What follows a separator of two ids, and whether it stands for a range.
fn after_separator(text: &str) -> Option<(&str, bool)> {
    let text = text.trim_start_matches(['*', '`', ']', '_']);
    let trimmed = text.trim_start();
    for (sign, range) in [
        ("...", true),
        ("..", true),
        ("–", true),
        ("—", true),
        ("-", true),
        ("~", true),
        ("→", true),
        (",", false),
        ("，", false),
        ("、", false),
        (";", false),
        ("/", false),
        ("+", false),
        ("&", false),
    ] {
        if let Some(rest) = trimmed.strip_prefix(sign) {
            let rest = rest.trim_start();
            return Some((after_conjunction(rest).unwrap_or(rest), range));
        }
    }
    for word in ["to ", "through ", "bis ", "hasta ", "à "] {
        if let Some(rest) = trimmed.strip_prefix(word) {
            return Some((rest.trim_start(), true));
        }
    }
    after_conjunction(trimmed).map(|rest| (rest, false))
}

fn after_conjunction(text: &str) -> Option<&str> {
    let words = ["and ", "AND ", "und ", "y ", "et ", "и ", "和", "と"];
    words.iter().find_map(|word| text.strip_prefix(word)).map(str::trim_start)
}
