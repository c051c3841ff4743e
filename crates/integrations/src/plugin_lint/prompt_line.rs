//! What one line of a prompt says: a heading, the form of the answer, a placeholder for a whole artifact.

use redraft_documents::lint::ArtifactKind;
use redraft_facts::prelude::*;

/// The heading of the list of artifacts that a role has to read.
pub(super) const REQUIRED: &str = "required artifacts";

pub(super) fn is_heading(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}

/// Whether a heading says that what follows is what is to be reviewed.
pub(super) fn is_about_review(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["reviewing", "under review", "being reviewed", "to review", "for review"]
        .iter()
        .any(|words| heading.contains(words))
}

/// Whether a line asks for the answer in its form.
pub(super) fn is_form(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let asks = ["return", "respond", "reply", "answer", "output"].iter().any(|word| lower.starts_with(word));
    (asks && lower.contains("json")) || lower.contains("\"approved\"")
}

/// A placeholder for all of an artifact: `{content of spec.md}`, `{spec content}`, `$(cat …/spec.md)`.
pub(super) fn whole(line: &str) -> Option<(&str, ArtifactKind)> {
    for (open, close) in [("{", "}"), ("$(", ")"), ("!`", "`")] {
        let mut rest = line;
        while let Some(at) = rest.find(open) {
            let inside = &rest[at + open.len()..];
            let Some(end) = inside.find(close) else { break };
            let taken = if open == "{" { filled_in(&inside[..end]) } else { printed(&inside[..end]) };
            if let Some(kind) = taken {
                return Some((&rest[at..at + open.len() + end + close.len()], kind));
            }
            rest = &inside[end..];
        }
    }
    None
}

/// What stands between braces.
fn filled_in(inside: &str) -> Option<ArtifactKind> {
    const CHARS_MAX: usize = 120;
    const ALL: [&str; 9] =
        ["content", "contents", "full", "entire", "whole", "complete", "text", "inline", "verbatim"];
    const PART: [&str; 18] = [
        "section",
        "sections",
        "scoped",
        "excerpt",
        "excerpts",
        "extractsection",
        "path",
        "paths",
        "summary",
        "title",
        "name",
        "link",
        "line",
        "lines",
        "relevant",
        "diff",
        "delta",
        "location",
    ];
    if inside.len() > CHARS_MAX || inside.contains('"') {
        return None;
    }
    let text = inside.trim_matches(['{', '}', ' ']).to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let kind = words.iter().find_map(|word| named(word))?;
    let whole = words.iter().any(|word| ALL.contains(word)) || text == kind.file();
    (whole && !words.iter().any(|word| PART.contains(word))).then_some(kind)
}

/// A command that prints a file.
fn printed(command: &str) -> Option<ArtifactKind> {
    let mut words = command.split_whitespace();
    (words.next() == Some("cat"))
        .then(|| words.find_map(|word| ArtifactKind::from_path(word.trim_matches(['"', '\'']))))
        .flatten()
}

/// The artifact a word stands for.
pub(super) fn named(word: &str) -> Option<ArtifactKind> {
    match word {
        "prd" => Some(ArtifactKind::Prd),
        "spec" | "specification" => Some(ArtifactKind::Spec),
        "design" => Some(ArtifactKind::Design),
        "plan" => Some(ArtifactKind::Plan),
        "tasks" => Some(ArtifactKind::Tasks),
        _ => None,
    }
}
