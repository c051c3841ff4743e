//! Reads single fields of a verdict leniently: other names, other types, other words.
//!
//! Every guess leaves a note. What the fields mean together is not known here; see [`super::parse()`].

use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line};
use redraft_facts::verdict::{AnswerStatus, Severity};
use serde_json::{Map, Value};

pub(super) type Object = Map<String, Value>;

/// A longer text is cut: it would be sent again in every later prompt.
pub(super) const CHARS_MAX: usize = 4000;
const NOTES_MAX: usize = 40;
/// More entries of one list are left out.
pub(super) const ENTRIES_MAX: usize = 200;

/// The names of the field: in today's schema, and with agents that follow older or other texts.
pub(super) const SUMMARY: [&str; 3] = ["summary", "fix_summary", "overview"];
pub(super) const ISSUES: [&str; 3] = ["issues", "findings", "problems"];
pub(super) const ANSWERS: [&str; 3] = ["answers", "responses", "resolutions"];
pub(super) const CHECKS: [&str; 1] = ["checks"];
/// Of a check.
pub(super) const PASSED: [&str; 4] = ["passed", "pass", "result", "status"];

/// What had to be guessed, each thing once.
#[derive(Debug, Default)]
pub(super) struct Notes {
    lines: Vec<String>,
    left_out: usize,
}

impl Notes {
    pub(super) fn add(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.lines.contains(&note) {
            return;
        }
        if self.lines.len() < NOTES_MAX { self.lines.push(note) } else { self.left_out += 1 }
    }

    pub(super) fn into_lines(mut self) -> Vec<String> {
        if self.left_out > 0 {
            self.lines.push(format!("left out: {}", count(self.left_out, "more note")));
        }
        self.lines
    }
}

/// The first of these fields that holds some text.
pub(super) fn text(object: &Object, names: &[&str], notes: &mut Notes) -> String {
    for name in names {
        let Some(found) = object.get(*name).and_then(as_text) else { continue };
        return shortened(&found, name, notes);
    }
    String::new()
}

/// A text that is not absurdly long.
pub(super) fn shortened(text: &str, what: &str, notes: &mut Notes) -> String {
    let text = text.trim();
    match text.char_indices().nth(CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => {
            notes.add(format!("a `{what}` was longer than {CHARS_MAX} characters and is cut"));
            text.get(..end).unwrap_or(text).to_owned()
        }
    }
}

/// Numbers and lists of texts count as text too; emptiness does not.
fn as_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "),
        Value::Null | Value::Bool(_) | Value::Object(_) => String::new(),
    };
    (!text.is_empty()).then_some(text)
}

/// A count or a line number, also as `"12"`, `"L12"` or `"12-15"`; 0 where there is none.
pub(super) fn number(object: &Object, names: &[&str]) -> u64 {
    names.iter().filter_map(|name| object.get(*name)).map(as_number).find(|number| *number > 0).unwrap_or(0)
}

fn as_number(value: &Value) -> u64 {
    match value {
        // A float that is no whole number is no line number; the cast saturates and never wraps.
        Value::Number(number) => number.as_u64().or(number.as_f64().map(|float| float as u64)).unwrap_or(0),
        Value::String(text) if !text.trim_start().starts_with('-') => first_number(text),
        Value::Array(items) => {
            items.first().map_or(0, |first| if first.is_array() { 0 } else { as_number(first) })
        }
        _ => 0,
    }
}

/// The first run of digits in a text, 0 if it has none.
pub(super) fn first_number(text: &str) -> u64 {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end).and_then(|run| run.parse().ok()).unwrap_or(0)
}

/// `true`, `"true"`, `"yes"`, `1` and their opposites; `None` for anything else.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) if number.as_u64() == Some(1) => Some(true),
        Value::Number(number) if number.as_u64() == Some(0) => Some(false),
        Value::String(text) => match plain(text).as_str() {
            "true" | "yes" | "y" | "1" | "approved" | "approve" | "pass" | "passed" | "ok" => Some(true),
            "false" | "no" | "n" | "0" | "rejected" | "reject" | "not_approved" | "fail" | "failed" => {
                Some(false)
            }
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn severity(object: &Object, notes: &mut Notes) -> Severity {
    let word = text(object, &["severity", "level", "priority"], notes);
    if word.is_empty() {
        notes.add("an issue without a severity counts as a warning");
        return Severity::Warning;
    }
    severity_of(&word).unwrap_or_else(|| {
        notes.add(format!("severity `{}` is not known and counts as a warning", one_line(&word, 40)));
        Severity::Warning
    })
}

pub(super) fn severity_of(word: &str) -> Option<Severity> {
    match plain(word).as_str() {
        "blocker" | "blocking" | "critical" | "fatal" | "severe" | "high" | "major" | "error" | "must" => {
            Some(Severity::Blocker)
        }
        "warning" | "warn" | "medium" | "moderate" | "minor" | "important" | "should" => {
            Some(Severity::Warning)
        }
        "suggestion" | "low" | "nit" | "nitpick" | "info" | "informational" | "note" | "trivial"
        | "style" | "hint" | "optional" | "could" => Some(Severity::Suggestion),
        _ => None,
    }
}

/// Whatever is not clearly an end counts as not fixed: a finding must not disappear by a slip of the pen.
pub(super) fn status(object: &Object, notes: &mut Notes) -> AnswerStatus {
    let word = text(object, &["status", "state", "result", "resolution"], notes);
    match plain(&word).as_str() {
        "fixed" | "resolved" | "done" | "addressed" | "closed" | "solved" | "ok" | "verified" => {
            AnswerStatus::Fixed
        }
        "withdrawn" | "withdraw" | "retracted" | "invalid" | "not_an_issue" | "false_positive"
        | "obsolete" => AnswerStatus::Withdrawn,
        "not_fixed" | "notfixed" | "unfixed" | "unresolved" | "not_resolved" | "open" | "still_open"
        | "reopened" | "partial" | "partially_fixed" | "not_addressed" | "wont_fix" | "wontfix"
        | "cannot_tell" => AnswerStatus::NotFixed,
        _ => {
            notes.add(format!("answer `{}` is not known and counts as not fixed", one_line(&word, 40)));
            AnswerStatus::NotFixed
        }
    }
}

/// Lower case, without apostrophes, other marks as one underscore: `Won't fix` and `wont_fix` are the same.
pub(super) fn plain(word: &str) -> String {
    let kept: String = word.chars().filter(|c| !matches!(c, '\'' | '’')).take(80).collect();
    let parts: Vec<&str> =
        kept.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    parts.join("_").to_lowercase()
}

/// Where an issue points, from the one field the seeds' schema had for it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) section: String,
}

/// `spec.md:12`, `spec.md, line 12`, `spec.md (Goals)`; what names no file is a section.
pub(super) fn location(text: &str) -> Location {
    let text = text.trim().trim_matches('`');
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | '`' | '#' | ':'));
    let (file, rest) = text.split_at(end.unwrap_or(text.len()));
    let inside = rest.trim_matches(|c: char| !c.is_alphanumeric());
    let line = line_at_start(inside);
    // A heading may begin with something that only looks like a file: `Next.js routing`.
    let heading =
        line.is_none() && rest.starts_with(' ') && rest.trim_start().starts_with(char::is_alphanumeric);
    let surely_a_file = file.contains('/') || file.ends_with(".md");
    if !looks_like_a_path(file) || (heading && !surely_a_file) {
        return Location { section: text.to_owned(), ..Location::default() };
    }
    let (line, section) = line.map_or((0, inside), |line| (line, ""));
    Location { file: file.to_owned(), line, section: section.to_owned() }
}

/// `12`, `12-15`, `L12`, `line 12`, `lines 3 to 5`, with nothing else after it.
fn line_at_start(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    let number = ["lines", "line", "l"].iter().find_map(|word| lower.strip_prefix(word)).unwrap_or(&lower);
    let is_range = number.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(|word| {
        let digits = word.strip_prefix('l').unwrap_or(word);
        matches!(word, "to" | "and") || digits.bytes().all(|b| b.is_ascii_digit())
    });
    (is_range && first_number(number) > 0).then(|| first_number(number))
}

fn looks_like_a_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    // `FR1.2` and `3.1` name sections: an extension begins with a letter and follows a name.
    let extension =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    let has_extension = extension.is_some_and(|end| {
        end.starts_with(|c: char| c.is_ascii_alphabetic()) && end.chars().all(char::is_alphanumeric)
    });
    has_extension || (word.contains('/') && !name.is_empty() && word.len() > 3)
}
