//! Checks the order of a review's prompt (I1-R4): what stays the same first, what changes last, because only an
//! unchanged prefix is cached.
//!
//! Task and rubric, required artifacts, form of the answer; then the artifact under review, then the iteration. Holds for
//! fresh dispatches: one that goes on with a conversation sends what has changed and nothing else. Start at [`check`].

use super::Found;
use super::dispatch::Dispatch;
use super::prompt_line::{REQUIRED, is_about_review, is_form, is_heading, whole};
use redraft_documents::lint::Rule;
use redraft_facts::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Artifacts,
    Form,
    /// Other text that is the same each time.
    Same,
    Reviewed,
    /// Something that changes, in any order.
    Changing,
    Iteration,
}

impl Part {
    fn changes(self) -> bool {
        match self {
            Part::Reviewed | Part::Changing | Part::Iteration => true,
            Part::Artifacts | Part::Form | Part::Same => false,
        }
    }
}

/// A line that says which part begins.
struct Mark<'a> {
    part: Part,
    line: usize,
    text: &'a str,
}

pub(super) fn check<'a>(dispatches: &[Dispatch<'a>], found: &mut Found<'a>) {
    for dispatch in dispatches.iter().filter(|dispatch| dispatch.is_review() && !dispatch.resumed) {
        check_one(dispatch, found);
    }
}

fn check_one<'a>(dispatch: &Dispatch<'a>, found: &mut Found<'a>) {
    let listing =
        dispatch.prompt.iter().any(|(_, text)| is_heading(text) && text.to_lowercase().contains(REQUIRED));
    let marks = marks(dispatch, listing);
    let first = |part: Part| marks.iter().position(|mark| mark.part == part);
    let mut add = |line: usize, message: String, hint: &str| {
        found.add(dispatch.path, Rule::PluginPromptOrder, line, message, hint)
    };
    if let Some(at) = marks.iter().position(|mark| mark.part.changes())
        && let Some(same) = marks[at..].iter().find(|mark| !mark.part.changes())
    {
        let message = format!(
            "`{}` changes from one iteration to the next and stands before `{}` on line {}, which does not",
            short(marks[at].text),
            short(same.text),
            same.line + 1
        );
        add(
            marks[at].line,
            message,
            "move it below everything that is the same in every iteration: only what stands before it is cached",
        );
    }
    if let (Some(form), Some(artifacts)) = (first(Part::Form), first(Part::Artifacts))
        && form < artifacts
    {
        let message = format!(
            "the form of the answer stands before the required artifacts on line {}",
            marks[artifacts].line + 1
        );
        add(marks[form].line, message, "keep the order task, required artifacts, form of the answer");
    }
    if let (Some(iteration), Some(reviewed)) = (first(Part::Iteration), first(Part::Reviewed))
        && iteration < reviewed
    {
        let message = format!(
            "the iteration stands before the artifact under review on line {}",
            marks[reviewed].line + 1
        );
        add(
            marks[iteration].line,
            message,
            "put it last: the artifact may stay the same while the number grows",
        );
    }
    let begins = dispatch.prompt.iter().find(|(_, text)| !text.trim().is_empty());
    if let Some((line, text)) = begins
        && is_heading(text)
        && text.to_lowercase().contains(REQUIRED)
    {
        let message =
            "the prompt begins with the required artifacts, before it says what they are read for".to_owned();
        add(*line, message, "say the task and by what it is judged first");
    }
}

fn marks<'a>(dispatch: &Dispatch<'a>, listing: bool) -> Vec<Mark<'a>> {
    let mut found: Vec<Mark<'a>> = Vec::new();
    for (line, text) in &dispatch.prompt {
        let Some(part) = part(text, listing) else { continue };
        // The form goes on over several lines; the first says that it begins.
        if part == Part::Form && found.iter().any(|mark| mark.part == Part::Form) {
            continue;
        }
        found.push(Mark { part, line: *line, text: text.trim() });
    }
    found
}

fn part(text: &str, listing: bool) -> Option<Part> {
    let lower = text.trim().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if is_heading(text) {
        if says(&[REQUIRED]) {
            return Some(Part::Artifacts);
        }
        if says(&["expectations", "checklist", "rubric", "output format", "return format", "response format"])
        {
            return Some(Part::Same);
        }
        if !listing {
            return None;
        }
        if is_about_review(&lower) || says(&["implementation files", "changed files", "files changed"]) {
            return Some(Part::Reviewed);
        }
        if says(&["iteration", "previous issues"]) {
            return Some(Part::Iteration);
        }
        return says(&["reviewer outcome", "delta", "fix summary", "changes since"])
            .then_some(Part::Changing);
    }
    if whole(text).is_some() {
        return Some(Part::Reviewed);
    }
    if is_form(text) {
        return Some(Part::Form);
    }
    if lower.starts_with("your job") {
        return Some(Part::Same);
    }
    // The line about confirming reads has braces that are not placeholders.
    if !listing || lower.contains("files read") {
        return None;
    }
    if lower.contains("iteration {") || lower.contains("round {") {
        return Some(Part::Iteration);
    }
    fills_in_what_changes(&lower).then_some(Part::Changing)
}

/// A placeholder that is filled in again for each iteration.
fn fills_in_what_changes(line: &str) -> bool {
    const WORDS: [&str; 14] = [
        "iteration",
        "round",
        "date",
        "time",
        "timestamp",
        "now",
        "diff",
        "delta",
        "issues",
        "findings",
        "previous",
        "sha",
        "commit",
        "attempt",
    ];
    let mut rest = line;
    while let Some(at) = rest.find('{') {
        let inside = &rest[at + 1..];
        let end = inside.find('}').unwrap_or(inside.len());
        let text = &inside[..end];
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        if !text.contains('"') && words.any(|word| WORDS.contains(&word)) {
            return true;
        }
        rest = &inside[end..];
    }
    false
}

fn short(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
