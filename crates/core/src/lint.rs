//! Faults of a specification that need no judgement: each rule is either broken or it is not.
//!
//! Lint runs as a gate before any reviewer is paid, so a rule that could be wrong would cost a whole turn. What
//! needs two places to be compared or a meaning to be understood (a requirement without a criterion, a goal
//! nobody serves, two numbers for one thing) is a reviewer's work and does not belong here. Start at
//! [`lint_spec`]; `Reader` knows which lines are code.

#[cfg(test)]
mod tests;

use crate::prelude::*;
use crate::text::one_line;

/// One broken rule. `line` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub rule: &'static str,
    pub line: u32,
    pub message: String,
    /// The way out.
    pub hint: String,
}

/// Every broken rule, in the order of the lines.
pub fn lint_spec(text: &str) -> Vec<Problem> {
    if text.trim().is_empty() {
        return vec![problem("empty", 1, "the file is empty", "write the specification into it")];
    }
    let mut problems = Vec::new();
    let mut reader = Reader::default();
    let mut conflict = false;
    let mut heading = false;
    for (at, line) in text.lines().enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let previous = reader.previous;
        if reader.read(line, number) == Place::Code {
            continue;
        }
        heading |= is_heading(line, previous);
        problems.extend(conflict_marker(line, number, &mut conflict));
        problems.extend(placeholders(line, number));
    }
    if let Some(fence) = reader.fence {
        problems.push(problem(
            "unclosed-fence",
            fence.line,
            "the code fence opened here is never closed",
            "close it with a line of its own; a fence around another one needs more backticks than the inner one",
        ));
    }
    if !heading {
        problems.push(problem(
            "no-heading",
            1,
            "there is no heading",
            "give each part a heading such as `## Requirements`",
        ));
    }
    problems.sort_by_key(|problem| problem.line);
    problems
}

/// One line for each problem, as the author of the text is shown it.
pub fn evidence(problems: &[Problem]) -> String {
    let lines: Vec<String> = (problems.iter())
        .map(|Problem { rule, line, message, hint }| format!("line {line} [{rule}] {message}; {hint}"))
        .collect();
    lines.join("\n")
}

fn problem(rule: &'static str, line: u32, message: &str, hint: &str) -> Problem {
    Problem { rule, line, message: message.to_owned(), hint: hint.to_owned() }
}

/// Follows fences and indented code through a text.
#[derive(Default)]
struct Reader<'a> {
    fence: Option<Fence>,
    /// The last line that was not code; empty before the first.
    previous: &'a str,
    /// Whether the last line that is not indented began a list item: then deeper lines belong to it.
    in_list: bool,
    in_indented: bool,
}

#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    line: u32,
    quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Code,
}

impl<'a> Reader<'a> {
    fn read(&mut self, line: &'a str, number: u32) -> Place {
        let quoted = line.trim_start().starts_with('>');
        if let Some(fence) = self.fence {
            if fence.quoted && !quoted {
                // A quotation ends what was opened in it.
                self.fence = None;
            } else {
                let (mark, length, rest) = marks(unquoted(line));
                if mark == fence.mark && length >= fence.length && rest.is_empty() {
                    self.fence = None;
                }
                return Place::Code;
            }
        }
        if !quoted && self.is_indented_code(line) {
            return Place::Code;
        }
        let (mark, length, info) = marks(after_list_mark(unquoted(line)));
        // An info string with a backtick makes it a code span that happens to begin the line.
        if length >= 3 && (mark == '~' || !info.contains('`')) {
            self.fence = Some(Fence { mark, length, line: number, quoted });
            self.previous = "";
            return Place::Code;
        }
        self.previous = line;
        Place::Text
    }

    fn is_indented_code(&mut self, line: &str) -> bool {
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if line.trim().is_empty() {
            self.previous = "";
            return self.in_indented;
        }
        // It cannot interrupt a paragraph, and inside a list item the indent belongs to the item.
        let after_gap = self.in_indented || self.previous.is_empty();
        self.in_indented = indented && after_gap && !self.in_list;
        if !line.starts_with([' ', '\t']) {
            self.in_list = after_list_mark(line) != line;
        }
        self.in_indented
    }
}

/// The run of fence characters a line begins with, and what follows it.
fn marks(line: &str) -> (char, usize, &str) {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| ['`', '~'].contains(c)).unwrap_or(' ');
    let rest = line.trim_start_matches(mark);
    (mark, line.len() - rest.len(), rest)
}

fn unquoted(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>'])
}

/// What follows `- `, `* `, `+ `, `1. ` or `1) `; the line itself when it begins with none.
fn after_list_mark(line: &str) -> &str {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if digits.len() < line.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    rest.and_then(|rest| rest.strip_prefix([' ', '\t'])).map_or(line, str::trim_start)
}

fn is_heading(line: &str, previous: &str) -> bool {
    let line = line.trim_end();
    let rest = line.trim_start_matches(' ');
    let indent = line.len() - rest.len();
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let named = |rest: &str| rest.starts_with([' ', '\t']) && !rest.trim().is_empty();
    if indent <= 3 && (1..=6).contains(&hashes) && named(&rest[hashes..]) {
        return true;
    }
    let underline = !rest.is_empty() && (rest.chars().all(|c| c == '=') || rest.chars().all(|c| c == '-'));
    indent <= 3 && underline && !previous.trim().is_empty()
}

/// One problem for each conflict, at its first marker that is left.
fn conflict_marker(line: &str, number: u32, open: &mut bool) -> Option<Problem> {
    let begins =
        |marker: &str| line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let found = if begins("<<<<<<<") {
        *open = true;
        true
    } else if begins(">>>>>>>") {
        !core::mem::replace(open, false)
    } else {
        false
    };
    found.then(|| {
        problem(
            "conflict-marker",
            number,
            "a merge conflict was left in the text",
            "keep one side, or both as one text, and remove the marker lines",
        )
    })
}

const WORDS: [&str; 3] = ["TBD", "TODO", "FIXME"];
const CLARIFICATION: &str = "[NEEDS CLARIFICATION";
const FIELD_CHARS_MAX: usize = 60;

/// What was meant to be filled in later. Each kind is reported once for a line.
fn placeholders(line: &str, number: u32) -> Vec<Problem> {
    let prose = without_code_spans(line);
    let mut found: Vec<String> = Vec::new();
    found.extend(WORDS.into_iter().filter(|word| has_word(&prose, word)).map(ToOwned::to_owned));
    found.extend(has_question_marks(&prose).then(|| "???".to_owned()));
    found.extend(prose.contains(CLARIFICATION).then(|| CLARIFICATION.to_owned()));
    found.extend(template_field(&prose));
    let report = |what: String| {
        problem(
            "placeholder",
            number,
            &format!("`{what}` is not filled in"),
            "decide it, or make it an open question with an owner and a default",
        )
    };
    found.into_iter().map(report).collect()
}

/// The line with every code span blanked out. A run of backticks without a partner is text.
fn without_code_spans(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (before, ticks) = rest.split_at(at);
        out.push_str(before);
        let length = ticks.len() - ticks.trim_start_matches('`').len();
        let (run, after) = ticks.split_at(length);
        match closing(after, length) {
            Some(end) => {
                out.push(' ');
                rest = &after[end..];
            }
            None => {
                out.push_str(run);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Where a run of exactly `length` backticks ends in `text`.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + run;
        if run == length {
            return Some(at);
        }
    }
    None
}

/// Whether `word` stands in the text by itself, not as part of a name such as `TODO.md` or `no-TODO`.
fn has_word(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || ['_', '-', '/', '\\', '#'].contains(&c);
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + word.len()..].chars();
        let ends = match after.next() {
            Some('.') => !after.next().is_some_and(char::is_alphanumeric),
            Some(c) => !joins(c),
            None => true,
        };
        ends && !before.is_some_and(|c| joins(c) || c == '.')
    })
}

/// Three or more question marks that end no word: `limit: ???`.
fn has_question_marks(text: &str) -> bool {
    text.match_indices("???").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || ['?', '!'].contains(&c))
    })
}

/// `{{name}}` as a template leaves it; `${{ … }}` is the syntax of something else.
fn template_field(text: &str) -> Option<String> {
    let (at, _) = text.match_indices("{{").find(|(at, _)| !text[..*at].ends_with('$'))?;
    let end = text[at..].find("}}")?;
    Some(one_line(&text[at..at + end + 2], FIELD_CHARS_MAX))
}
