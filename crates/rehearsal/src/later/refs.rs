//! What a text refers to: ids of its own document and of others, with the document's name where it is given.
//!
//! Knows one text at a time. Start at [`refs`]. `Spec R1, R2 and Design C3` are three references to two documents.

use super::outline::{key, number_at};
use crate::ids::mentions;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ref {
    /// The document that is named before the id.
    pub(super) doc: Option<Doc>,
    pub(super) name: String,
    pub(super) key: String,
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doc {
    Prd,
    Spec,
    Design,
    Plan,
    Tasks,
    /// Some other one, which is not at hand.
    Other,
}

/// The references of a text; `numbers` says whether a bare `1.2` is one, as in a list of dependencies.
pub(super) fn refs(text: &str, numbers: bool) -> Vec<Ref> {
    let mut found: Vec<Ref> = Vec::new();
    for mention in mentions(text) {
        let name = text[mention.at.clone()].to_owned();
        let path: Vec<String> = mention.id.path.iter().map(u32::to_string).collect();
        let full = format!("{}{}", mention.id.prefix.replace('-', ""), path.join("."));
        found.push(Ref { doc: None, name, key: full, at: mention.at });
    }
    for at in numbers_in(text) {
        let name = text[at.clone()].to_owned();
        found.push(Ref { doc: None, key: key(&name), name, at });
    }
    found.sort_by_key(|one| one.at.start);
    let mut kept: Vec<Ref> = Vec::new();
    for mut one in found {
        let own = named_before(text, one.at.start);
        let joined = kept.last().filter(|last| {
            last.at.end <= one.at.start && is_joint(&text[last.at.end..one.at.start]) || last.at == one.at
        });
        one.doc = own.or_else(|| joined.and_then(|last| last.doc));
        let bare = one.key.starts_with(|c: char| c.is_ascii_digit());
        let worded = matches!(one.doc, Some(Doc::Plan | Doc::Tasks));
        if !bare || numbers || worded {
            kept.push(one);
        }
    }
    kept
}

/// Whole numbers such as `1.2` that could name a step.
fn numbers_in(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        if at < from || !c.is_ascii_digit() {
            continue;
        }
        let length = number_at(&text[at..]);
        let run = text[at..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len() - at);
        from = at + length.max(run).max(1);
        let before = text[..at].chars().next_back();
        let whole = !before.is_some_and(|b| b.is_alphanumeric() || ".-_/$€#".contains(b));
        let after = text[at + length..].chars().next();
        if length > 0 && whole && !after.is_some_and(|c| c.is_alphanumeric() || "%_/".contains(c)) {
            found.push(at..at + length);
        }
    }
    found
}

/// The document that the word before a place names.
fn named_before(text: &str, at: usize) -> Option<Doc> {
    let before = text[..at].trim_end_matches(['*', '_', '`', '(', '[', ' ', '’', '\'']);
    let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '.').map_or(0, |at| at + 1);
    let start = before.char_indices().map(|(at, _)| at).find(|at| *at >= start).unwrap_or(before.len());
    let gap = &text[before.len()..at];
    if gap.is_empty() {
        return None;
    }
    Some(match before[start..].to_lowercase().trim_end_matches(".md") {
        "spec" | "specification" | "requirement" | "requirements" => Doc::Spec,
        "design" | "component" | "components" | "interface" | "interfaces" | "decision" | "risk" => {
            Doc::Design
        }
        "plan" | "step" | "steps" => Doc::Plan,
        "task" | "tasks" => Doc::Tasks,
        "prd" | "goal" | "goals" => Doc::Prd,
        "feature" | "rfc" | "ticket" | "issue" | "adr" | "version" | "section" | "finding" => Doc::Other,
        _ => return None,
    })
}

/// Whether a text between two ids only joins them.
fn is_joint(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || ",;/&+–—-*_`".contains(c));
    text.len() < 12 && words.filter(|word| !word.is_empty()).all(|word| ["and", "or", "to"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, numbers: bool) -> Vec<(Option<Doc>, String)> {
        refs(text, numbers).into_iter().map(|one| (one.doc, one.key)).collect()
    }

    #[test]
    fn ids_belong_to_the_document_named_before_them() {
        assert_eq!(
            shown("Plan 1.1, Design C3, I-02 and Spec R2", false),
            [
                (Some(Doc::Plan), "1.1".to_owned()),
                (Some(Doc::Design), "C3".to_owned()),
                (Some(Doc::Design), "I2".to_owned()),
                (Some(Doc::Spec), "R2".to_owned())
            ]
        );
        assert_eq!(shown("C1 calls I1", false), [(None, "C1".to_owned()), (None, "I1".to_owned())]);
    }

    #[test]
    fn a_bare_number_counts_only_where_numbers_are_meant() {
        assert!(shown("waits 2.5 seconds and 30 days", false).is_empty());
        assert_eq!(shown("1.1, 1.2", true).len(), 2);
        assert!(shown("none", true).is_empty());
        assert_eq!(shown("see step 2.1", false), [(Some(Doc::Plan), "2.1".to_owned())]);
    }
}
