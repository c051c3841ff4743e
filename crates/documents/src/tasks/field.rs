//! The labelled lines of a task: `**Done when:** …`, `- Files: …`, `**Plan item:** P-1 | **FR:** FR-3`.
//!
//! Knows where a field begins and ends and which one says when a task is done. Start at [`fields`].

use super::Done;
use crate::page::line::{self, Item};
use crate::sections::Outline;
use crate::trace;
use redraft_facts::prelude::*;

/// A label and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// As written, without marks and colon.
    pub(super) label: &'a str,
    pub(super) text: String,
}

/// A field that goes on for longer is no field but a text.
const LINES_MAX: usize = 200;
const LABEL_CHARS_MAX: usize = 60;

/// Which fields are looked for. Others are not needed, and may be long.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) counts: fn(&str) -> bool,
    /// Labels that begin no field where they stand in the list below one of these.
    pub(super) inside: fn(&str) -> bool,
}

/// What says when a task is done or what it refers to.
pub(super) const DONE_OR_REFERENCES: Wanted = Wanted {
    counts: |label| done_rank(label).is_some() || trace::is_for_references(label),
    inside: |_| false,
};

/// The fields from line `start` up to `end` that are wanted. Those of a row are its cells, named by the first row of its
/// table, `head`.
pub(super) fn fields<'a>(
    outline: &Outline<'a>,
    start: usize,
    end: usize,
    head: Option<usize>,
    Wanted { counts, inside }: Wanted,
) -> Vec<Field<'a>> {
    let lines = outline.lines();
    if let Some(head) = head {
        let cells = columns(lines[head], lines[start]).filter(|(label, _)| counts(label));
        return cells.map(|(label, text)| Field { label, text: text.to_owned() }).collect();
    }
    let mut fields: Vec<Field<'a>> = Vec::new();
    for (at, line) in lines.iter().enumerate().take(end).skip(start) {
        if outline.is_code(at) {
            continue;
        }
        if let Some(comment_text) = comment(line) {
            fields.extend(of_comment(comment_text).filter(|field| counts(field.label)));
            continue;
        }
        if !outline.is_text(at) {
            continue;
        }
        let labels = if at == start { first_labels(line) } else { labels(line) };
        let count = labels.len();
        for (nth, Label { text, value, closed }) in labels.into_iter().enumerate() {
            if !counts(text) {
                continue;
            }
            let mut whole = value.trim().trim_end_matches(['|', '·']).trim_end().to_owned();
            if nth + 1 == count && !closed {
                continue_field(&mut whole, outline, at, end, inside);
            }
            fields.push(Field { label: text, text: whole });
        }
    }
    fields
}

/// What a line holds that is nothing but a comment.
fn comment(line: &str) -> Option<&str> {
    line.trim().strip_prefix("<!--")?.strip_suffix("-->")
}

/// `<!-- refs: FR-1 -->`. Other comments explain a template, so only one that names something is a field.
fn of_comment(text: &str) -> Option<Field<'_>> {
    let (label, value) = text.split_once(':')?;
    let (label, value) = (label.trim(), value.trim());
    let names = is_label(label) && !trace::references(label, value).is_empty();
    names.then(|| Field { label, text: value.to_owned() })
}

/// The field that says when a task is done: one about being done, else about acceptance, else about checking.
pub(super) fn done(fields: &[Field<'_>]) -> Option<Done> {
    let ranked = fields.iter().filter_map(|field| Some((done_rank(field.label)?, field)));
    let (_, field) = ranked.filter(|(_, field)| !field.text.is_empty()).min_by_key(|(rank, _)| *rank)?;
    Some(Done { field: field.label.to_owned(), text: field.text.clone() })
}

fn done_rank(label: &str) -> Option<u8> {
    const DONE: [&str; 14] = [
        "done",
        "dod",
        "complete",
        "completed",
        "fertig",
        "erledigt",
        "hecho",
        "terminé",
        "готово",
        "完了",
        "完了条件",
        "完成条件",
        "完成标准",
        "완료",
    ];
    const ACCEPTED: [&str; 13] = [
        "acceptance",
        "criteria",
        "criterion",
        "accept",
        "abnahme",
        "akzeptanzkriterien",
        "abnahmekriterien",
        "aceptación",
        "критерии",
        "验收",
        "验收标准",
        "受入条件",
        "受け入れ基準",
    ];
    const CHECKED: [&str; 6] = ["verify", "verification", "check", "checks", "validation", "validate"];
    let lower = label.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    // `Fail criteria` says the opposite, and `It is done` is a sentence.
    let opposite = words.first().is_some_and(|first| ["fail", "failure", "not"].contains(first));
    if opposite || has(&["is", "are", "was", "be"]) {
        return None;
    }
    if has(&DONE) {
        Some(0)
    } else if has(&ACCEPTED) {
        Some(1)
    } else if words.first().is_some_and(|first| CHECKED.contains(first)) {
        Some(2)
    } else if is_state(&words) || is_exit(&words) {
        Some(3)
    } else {
        None
    }
}

/// `Ready when`, `Finished once`: a state and the word that begins its condition; `Only when` is about something else.
/// The word before `if` may be anything (`Stop if`), so it must mean the end of the work.
fn is_state(words: &[&str]) -> bool {
    const WORDS_MAX: usize = 3;
    if let [state, "if" | "falls"] = words {
        return ["finished", "ready", "closed", "accepted", "resolved", "shipped"].contains(state);
    }
    let begins = words.last().is_some_and(|last| ["when", "once", "wenn"].contains(last));
    let other = ["only", "use", "used", "run", "runs", "skip", "if", "even", "except"];
    begins && (2..=WORDS_MAX).contains(&words.len()) && !words.iter().any(|word| other.contains(word))
}

/// `Exit`, `Exit condition`, `Proof`, `Proof of completion`; not `Exit code`.
fn is_exit(words: &[&str]) -> bool {
    const BESIDE: [&str; 7] = ["condition", "conditions", "gate", "test", "when", "of", "completion"];
    let Some((first, rest)) = words.split_first() else { return false };
    ["exit", "proof"].contains(first) && rest.iter().all(|word| BESIDE.contains(word))
}

struct Label<'a> {
    text: &'a str,
    value: &'a str,
    /// In brackets, so that nothing belongs to it after them.
    closed: bool,
}

/// The cells of a row with the names of their columns.
pub(super) fn columns<'a>(head: &'a str, row: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    // A head that is longer is no head, and would be read again for every row.
    const HEAD_CHARS_MAX: usize = 2_000;
    let names = if head.len() <= HEAD_CHARS_MAX { line::cells(head) } else { None }.unwrap_or_default();
    let cells = line::cells(row).unwrap_or_default();
    names.into_iter().map(|name| name.trim_matches(['*', '_', '`', ' '])).zip(cells)
}

/// The labels of a task's first line: in bold, or in brackets after the title, as in `(AC: 1)`. A heading has only
/// those in brackets.
fn first_labels(line: &str) -> Vec<Label<'_>> {
    let text = line.trim();
    let item = Item::parse(text).map_or(text, |item| item.text);
    let bold = if is_heading(text) { Vec::new() } else { bold_labels(item) };
    if bold.is_empty() { bracketed_labels(text) } else { bold }
}

fn bracketed_labels(text: &str) -> Vec<Label<'_>> {
    // Each bracket closes before the next one opens; what is nested is no label.
    let mut labels = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[']) {
        let inside = &rest[open + 1..];
        let end = inside.find(['(', '[', ')', ']']).unwrap_or(inside.len());
        if let Some((label, value)) = inside[..end].split_once(':')
            && is_label(label)
        {
            labels.push(Label { text: label, value, closed: true });
        }
        rest = &inside[end..];
    }
    labels
}

/// The labels of a line. In bold they may stand anywhere; without marks only at the beginning. A heading inside a task
/// may be one.
fn labels(line: &str) -> Vec<Label<'_>> {
    let text = line.trim().trim_start_matches(['>', ' ']);
    if is_heading(text) {
        let title = text.trim_start_matches('#').trim();
        let (label, value) = title.split_once([':', '：']).unwrap_or((title, ""));
        let label = is_label(label).then_some(Label { text: label, value, closed: false });
        return label.into_iter().collect();
    }
    let item = Item::parse(text);
    // `**Done when**` alone on a line is one without its colon.
    if let Some(alone) = text.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"))
        && item.is_none()
        && !alone.contains([':', '*'])
        && is_label(alone)
    {
        return vec![Label { text: alone, value: "", closed: false }];
    }
    let text = item.map_or(text, |item| item.text);
    let bold = bold_labels(text);
    if !bold.is_empty() {
        return bold;
    }
    let bare = text.trim_start_matches(['*', '_', '`']);
    let Some((label, value)) = bare.split_once([':', '：']) else { return Vec::new() };
    let label = label.trim_end_matches(['*', '_', ' ']);
    let plain = is_label(label) && (value.is_empty() || value.starts_with([' ', '*', '_']));
    let value = value.trim_start_matches(['*', '_']);
    if plain { vec![Label { text: label, value, closed: false }] } else { Vec::new() }
}

/// `**Label:** value` and `**Label**: value`, however many.
fn bold_labels(text: &str) -> Vec<Label<'_>> {
    // Where the label begins, the label, and where its value begins.
    let mut found: Vec<(usize, &str, usize)> = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find("**").map(|at| at + from + 2) {
        let Some(close) = text[open..].find("**").map(|at| at + open) else { break };
        let after = &text[close + 2..];
        let inside = text[open..close].trim();
        let outer = after.trim_start();
        if let Some(label) = inside.strip_suffix([':', '：'])
            && is_label(label)
        {
            found.push((open - 2, label.trim_end(), close + 2));
        } else if let Some(rest) = outer.strip_prefix([':', '：'])
            && is_label(inside)
        {
            found.push((open - 2, inside, text.len() - rest.len()));
        } else if let Some((label, _)) = inside.split_once(": ")
            && found.is_empty()
            && open == 2
            && is_label(label)
        {
            // The whole line is in bold, label and value.
            found.push((0, label, open + label.len() + 2));
        }
        from = close + 2;
    }
    let ends: Vec<usize> = found.iter().skip(1).map(|(at, _, _)| *at).chain([text.len()]).collect();
    let mut labels = Vec::with_capacity(found.len());
    for ((_, label, value), end) in found.into_iter().zip(ends) {
        labels.push(Label { text: label, value: &text[value..end], closed: false });
    }
    labels
}

fn is_label(text: &str) -> bool {
    let short = text.len() <= LABEL_CHARS_MAX && text.starts_with(|c: char| c.is_alphabetic());
    short && !text.contains(['`', '|', '=', '"', '\n'])
}

/// Adds the lines that a field continues in: what is indented deeper or follows without a gap and, if nothing follows
/// the label on its line, the list, code or paragraph below it.
fn continue_field(
    whole: &mut String,
    outline: &Outline<'_>,
    at: usize,
    end: usize,
    inside: fn(&str) -> bool,
) {
    let lines = outline.lines();
    let item = Item::parse(lines[at]);
    let indent = line::indent(lines[at]);
    let beside = !whole.is_empty();
    let (mut gap, mut any) = (false, false);
    for next in (at + 1..end.min(lines.len())).take(LINES_MAX) {
        let text = lines[next];
        let fenced = outline.is_fenced(next);
        if text.trim().is_empty() && !fenced {
            gap = true;
            continue;
        }
        let deeper = line::indent(text) > indent;
        let starts = Item::parse(text).is_some();
        let belongs = match (fenced, &item) {
            (true, _) => !gap || !beside || any,
            (false, Some(_)) => deeper,
            (false, None) if gap => !beside && (!any || starts || deeper) || deeper,
            (false, None) => !(beside && starts && !deeper && gap),
        };
        let heading = !fenced && is_heading(text);
        let labelled = || labels(text).iter().any(|label| !inside(label.text));
        if !belongs || heading || !fenced && (line::is_rule(text) || !deeper && labelled()) {
            break;
        }
        let fence = fenced && is_fence(text);
        if !fence {
            if !whole.is_empty() {
                whole.push('\n');
            }
            whole.push_str(text.trim());
        }
        (gap, any) = (false, true);
    }
}

fn is_heading(text: &str) -> bool {
    text.starts_with('#') && text.trim_start_matches('#').starts_with(' ')
}

fn is_fence(text: &str) -> bool {
    let text = line::after_list_mark(text.trim());
    text.starts_with("```") || text.starts_with("~~~")
}
