//! Recognises what a document is by its content: its title, its check boxes, its headings.

use super::kind::{FileKind, by_words, words};
use crate::page::line::after_list_mark;
use crate::sections::{Outline, Section};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

const TITLE: &str = "its title";
const BOXES: &str = "its check boxes";
const HEADINGS: &str = "its headings";

/// A title of more words is a sentence about something, not the name of a document.
const TITLE_WORDS_MAX: usize = 4;

/// Fewer check boxes are a remark in another document.
const BOXES_MIN: usize = 3;

/// One heading that fits can be chance.
const HEADINGS_MIN: usize = 2;

/// An idea longer than this is no title.
const SUBJECT_CHARS_MAX: usize = 200;

/// What a document says it is, and where.
pub(super) fn by_content(text: &str) -> Option<(FileKind, &'static str)> {
    let outline = Outline::parse(text);
    if let Some(kind) = outline.sections().iter().find(|section| section.level == 1).and_then(by_title) {
        return Some((kind, TITLE));
    }
    let (done, open) = boxes(text);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    if done + open >= BOXES_MIN && (done + open) * 3 >= lines {
        return Some((FileKind::Tasks, BOXES));
    }
    by_headings(&outline).map(|kind| (kind, HEADINGS))
}

/// The ticked and the open check boxes of a document.
pub(super) fn boxes(text: &str) -> (usize, usize) {
    let outline = Outline::parse(text);
    let (mut done, mut open) = (0, 0);
    for (at, line) in outline.lines().iter().enumerate() {
        if !outline.is_text(at) {
            continue;
        }
        let item = after_list_mark(line.trim());
        if item.starts_with("[x]") || item.starts_with("[X]") {
            done += 1;
        } else if item.starts_with("[ ]") {
            open += 1;
        }
    }
    (done, open)
}

/// What a document is about, by its first heading: without the word that says what kind of document it is.
pub(super) fn subject(text: &str) -> Option<String> {
    let outline = Outline::parse(text);
    let title = outline.sections().iter().find(|section| section.level == 1)?.title;
    let parts = parts(title);
    let says_more = |part: &&str| by_words(&words(part)).is_none() || words(part).len() > TITLE_WORDS_MAX;
    let subject = parts.iter().copied().find(says_more)?;
    let subject = subject.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')' | '`'));
    (!subject.is_empty()).then(|| one_line(subject, SUBJECT_CHARS_MAX))
}

fn by_title(section: &Section<'_>) -> Option<FileKind> {
    let parts = parts(section.title);
    let short = |part: &&&str| words(part).len() <= TITLE_WORDS_MAX;
    // Words such as `log` or `notes` end many titles that are about something else.
    let telling = |kind: &FileKind| kind.file().is_some() || *kind == FileKind::Retro;
    parts.iter().filter(short).filter_map(|part| by_words(&words(part))).find(telling)
}

/// `Spec: report export` and `Report export — Spec` have two parts.
fn parts(title: &str) -> Vec<&str> {
    let split = title.split([':', '—', '–', '|']).flat_map(|part| part.split(" - "));
    split.map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn by_headings(outline: &Outline<'_>) -> Option<FileKind> {
    let mut scores: Vec<(usize, FileKind)> = Vec::new();
    let headings: Vec<String> = outline
        .sections()
        .iter()
        .filter(|section| section.level > 1)
        .map(|s| words(s.title).join(" "))
        .collect();
    for (kind, known) in HEADING_WORDS {
        let fits = |heading: &&String| known.iter().any(|word| begins(heading, word));
        scores.push((headings.iter().filter(fits).count(), kind));
    }
    scores.sort_by_key(|(score, _)| core::cmp::Reverse(*score));
    match scores.as_slice() {
        [(best, kind), (second, _), ..] if *best >= HEADINGS_MIN && best > second => Some(*kind),
        _ => None,
    }
}

/// Whether a heading is this phrase or begins with it as whole words.
fn begins(heading: &str, phrase: &str) -> bool {
    heading.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Headings that distinguish kinds of documents; those that several kinds have are left out.
const HEADING_WORDS: [(FileKind, &[&str]); 7] = [
    (
        FileKind::Prd,
        &[
            "problem",
            "goals",
            "goal",
            "non goals",
            "target users",
            "users",
            "personas",
            "success metrics",
            "why",
            "what changes",
            "impact",
            "opportunity",
            "vision",
            "user needs",
            "market",
            "evidence",
            "research summary",
        ],
    ),
    (
        FileKind::Spec,
        &[
            "requirements",
            "functional requirements",
            "non functional requirements",
            "acceptance criteria",
            "user stories",
            "user scenarios",
            "out scope",
            "scope",
            "edge cases",
            "success criteria",
            "added requirements",
            "modified requirements",
            "removed requirements",
            "failure cases",
        ],
    ),
    (
        FileKind::Design,
        &[
            "architecture",
            "components",
            "component",
            "interfaces",
            "interface",
            "data model",
            "technical decisions",
            "design decisions",
            "alternatives",
            "data flow",
            "error handling",
            "trade offs",
            "technical context",
            "system design",
            "module",
            "modules",
        ],
    ),
    (
        FileKind::Plan,
        &[
            "phases",
            "phase",
            "milestones",
            "milestone",
            "implementation order",
            "build order",
            "steps",
            "step",
            "rollout",
            "timeline",
            "stages",
            "implementation steps",
            "implementation phases",
            "execution order",
            "stage",
        ],
    ),
    (FileKind::Tasks, &["task", "tasks", "parallel groups", "dependency graph"]),
    (
        FileKind::Research,
        &["options", "sources", "comparison", "recommendation", "prior art", "experiments", "findings"],
    ),
    (
        FileKind::Retro,
        &["what went well", "what went wrong", "what worked", "lessons", "improvements", "keep", "surprises"],
    ),
];
