//! Reads what a task says it depends on: `**Depends on:** 1.1, 1.2`, `Deps: T1–T3`, `requires: 0.1` in a code span.
//!
//! Start at [`needs`]; [`resolved`] finds the tasks that are meant.

use super::candidate::WORDS;
use super::{Task, field};
use crate::page::line::Item;
use crate::sections::Outline;
use crate::task_id::{self, extends, key};
use crate::trace;
use redraft_facts::prelude::*;

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

/// Beginnings of lines that name what a task depends on.
const LABELS: [&str; 28] = [
    "depends on",
    "depends",
    "dependencies",
    "dependency",
    "deps",
    "blocked by",
    "requires",
    "needs",
    "after",
    "follows",
    "order",
    "prerequisite",
    "prerequisites",
    "prereq",
    "prereqs",
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

/// What the lines from `start` up to `end` name; for a row, what its cell in such a column names. `head` is the first
/// row of its table, and `known` has the keys of all tasks: `W1-2` is a task or a range.
pub(super) fn needs(
    outline: &Outline<'_>,
    start: usize,
    end: usize,
    head: Option<usize>,
    known: &BTreeSet<String>,
) -> Vec<Need> {
    if let Some(head) = head {
        let columns = field::columns(outline.lines()[head], outline.lines()[start]);
        let is_label = |name: &str| {
            let name = name.split(['(', ':']).next().unwrap_or_default().to_lowercase();
            LABELS.contains(&name.trim())
        };
        return columns
            .filter(|(name, _)| is_label(name))
            .flat_map(|(_, cell)| of_list(cell, start, known))
            .collect();
    }
    let lines = outline.lines().iter().enumerate().take(end).skip(start);
    let lines = lines.filter(|(at, _)| outline.is_text(*at));
    let mut needs: Vec<Need> = behind_title(outline.lines()[start], start, known);
    needs.extend(lines.flat_map(|(at, line)| of_line(line, at, known)));
    needs
}

/// Whether a line says what a task depends on.
pub(crate) fn names_needs(line: &str) -> bool {
    lists(line).next().is_some()
}

/// Where each task stands in the document, by all its keys.
pub(super) fn places(tasks: &[Task]) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    // A task's own id goes before what another one is also called.
    for (at, task) in tasks.iter().enumerate() {
        places.entry(key(&task.id)).or_insert(at);
    }
    for (at, task) in tasks.iter().enumerate() {
        for alias in &task.aliases {
            places.entry(key(alias)).or_insert(at);
        }
    }
    places
}

/// Dependencies of tasks that are not tasks, if a task must be meant: it is called one, or its id has the form of
/// theirs.
pub fn unknown(tasks: &[Task]) -> Vec<&Need> {
    let keys: BTreeSet<String> = tasks.iter().flat_map(Task::keys).collect();
    let shapes: BTreeSet<String> = keys.iter().map(|key| shape(key)).collect();
    let is_unknown = |need: &&Need| {
        let meant = need.by_name || shapes.contains(&shape(&need.key));
        // Task 1 exists where 1.1 does, and 3.2 where 3.2a does.
        let exists = keys.range(need.key.clone()..).next().is_some_and(|next| next.starts_with(&need.key));
        // A part of an existing task may be named only in its text.
        let inside = need.key.rsplit_once('.').is_some_and(|(whole, _)| keys.contains(whole));
        meant && !exists && !inside
    };
    tasks.iter().flat_map(|task| &task.needs).filter(is_unknown).collect()
}

/// `2.3a` has the shape `n.na`.
fn shape(key: &str) -> String {
    let mut shape = String::new();
    for c in key.chars() {
        let mark = if c.is_ascii_digit() {
            'n'
        } else if c.is_alphabetic() {
            'a'
        } else {
            c
        };
        if !shape.ends_with(mark) {
            shape.push(mark);
        }
    }
    shape
}

/// Nobody writes a range of more tasks.
const RANGE_MAX: usize = 200;

/// The tasks that are meant, in document order: those named, those in a range, and all parts of a group.
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
            // `1` where there are 1.1 and 1.2, or 1a and 1b.
            None => {
                let parts =
                    places.range(need.key.clone()..).take_while(|(key, _)| key.starts_with(&need.key));
                let parts = parts.filter(|(key, _)| extends(key, &need.key) || splits(key, &need.key));
                let parts = parts.take(RANGE_MAX);
                found.extend(parts.map(|(_, at)| *at));
            }
        }
        before = at;
    }
    found.into_iter().map(|at| tasks[at].id.clone()).collect()
}

/// Whether `part` is `1.2a` and `whole` is `1.2`.
fn splits(part: &str, whole: &str) -> bool {
    let letter = |rest: &str| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_lowercase());
    whole.ends_with(|c: char| c.is_ascii_digit()) && part.strip_prefix(whole).is_some_and(letter)
}

fn of_line(line: &str, at: usize, known: &BTreeSet<String>) -> Vec<Need> {
    lists(line).flat_map(|list| of_list(list, at, known)).collect()
}

/// What a task comes after, stated after its title: `Closed rooms, after T13`. A bare number may mean anything.
fn behind_title(line: &str, at: usize, known: &BTreeSet<String>) -> Vec<Need> {
    let Some(list) = [", after ", "; after "].iter().find_map(|sign| Some(line.rsplit_once(sign)?.1)) else {
        return Vec::new();
    };
    let needs = of_list(list, at, known);
    let sure = |need: &Need| {
        known.contains(&need.key) && (need.by_name || need.id.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    if needs.iter().all(sure) { needs } else { Vec::new() }
}

fn of_list(mut rest: &str, at: usize, known: &BTreeSet<String>) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    let (mut by_name, mut to) = (false, false);
    loop {
        let (named, after) = after_word(rest);
        by_name |= named;
        let whole = piece(after, by_name, known).map(|(id, after)| (id.to_owned(), after));
        let Some((id, after)) = needs.last().and_then(|last| elided(&last.id, after, to)).or(whole) else {
            break;
        };
        if to && let Some(last) = needs.last_mut() {
            last.in_range = true;
        }
        let line = crate::sections::block::counted(at);
        needs.push(Need { key: key(&id), id, line, by_name, to, in_range: to });
        rest = after_remark(after);
        let Some((next, range)) = after_separator(rest) else { break };
        (rest, to) = (next, range);
    }
    // A task of another feature does not count.
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

/// The id with which a list continues. `1.1-1.3` and `T1..T3` are two; `W1-2` is one if a task has that id.
fn piece<'a>(text: &'a str, named: bool, known: &BTreeSet<String>) -> Option<(&'a str, &'a str)> {
    /// A longer word is no id, nor two.
    const TOKEN_MAX: usize = 50;
    let text = text.trim_start_matches(['*', '_', '`', '[', ' ']);
    let end = text.find(|c: char| !task_id::is_inner(c)).unwrap_or(text.len());
    let token = text[..end].trim_end_matches(['.', '-', '_']);
    let joints = || token.match_indices('-').map(|(at, _)| at).chain(token.find(".."));
    let counted = |at: &usize| token[..*at].contains(|c: char| c.is_ascii_digit());
    let is_task = |end: &usize| token.len() <= TOKEN_MAX && known.contains(&key(&token[..*end]));
    let task = [token.len()].into_iter().chain(joints()).filter(is_task).max();
    let end = task.or_else(|| joints().filter(counted).min()).unwrap_or(token.len());
    let (id, after) = text.split_at(end);
    let is_id = task_id::shape(id).is_some_and(|shape| shape != task_id::Shape::Requirement)
        || named && id.len() == 1 && id.starts_with(|c: char| c.is_ascii_uppercase());
    is_id.then_some((id, after))
}

/// An id that leaves out what it shares with the last one: `.3` of `1.1-.3`, `4` of `AB-1 to 4`.
fn elided<'a>(last: &str, text: &'a str, to: bool) -> Option<(String, &'a str)> {
    let end = text.find(|c: char| !task_id::is_inner(c)).unwrap_or(text.len());
    let token = text[..end].trim_end_matches(['.', '-', '_']);
    let bare = token.bytes().all(|byte| byte.is_ascii_digit());
    let shares = token.starts_with(['.', '-']) || to && bare;
    let id = trace::completed(last, token).filter(|_| shares)?;
    Some((id, &text[token.len()..]))
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

/// What a line lists after each label it begins with or has at the beginning of a sentence, a code span, a bold text or
/// brackets.
fn lists(line: &str) -> impl Iterator<Item = &str> {
    let text = line.trim_start().trim_start_matches(['>', '#', ' ']);
    let start = Item::parse(text).map_or(text, |item| item.text);
    let begins = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == ' ');
    let inner = start.char_indices().filter(|(_, c)| "`([*|.;,".contains(*c));
    // Marks at the very beginning belong to the first label.
    let words = start.find(char::is_alphanumeric).unwrap_or(start.len());
    let inner = inner.filter(move |(at, _)| *at > words);
    let inner = inner.map(|(at, c)| (c, &start[at + c.len_utf8()..])).filter(move |(_, text)| begins(text));
    core::iter::once((' ', start)).chain(inner).filter_map(|(sign, text)| match sign {
        '(' | '[' => listed(text).or_else(|| after_word_after(text)),
        // `a.b` is no end of a sentence.
        '.' | ';' | ',' if !text.starts_with(' ') => None,
        _ => listed(text),
    })
}

/// The text after `after`, which names what a task must wait for only in brackets: `Title (after T1)`.
fn after_word_after(text: &str) -> Option<&str> {
    let (word, rest) = text.split_at_checked("after ".len())?;
    word.eq_ignore_ascii_case("after ").then_some(rest)
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
