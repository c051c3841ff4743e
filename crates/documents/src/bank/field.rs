//! One labelled line of an entry: `- Observed in: Feature #018`, `**Source:** Feature 017`, `Confidence: high`.
//!
//! Knows which labels mean something and where the value is in the line, so that only the value need change.

use core::ops::Range;
use redraft_facts::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Provenance,
    LastObserved,
    Count,
    Confidence,
    Challenged,
    CheckedBy,
    Anchor,
    /// An item with a label that means nothing here, such as `Cost`.
    Other,
}

impl Label {
    fn parse(words: &str) -> Label {
        let words = redraft_facts::citation::fold(&words.replace(['-', '_'], " ")).to_lowercase();
        match words.as_str() {
            "observed in" | "source" | "sources" | "observed" | "used in" | "seen in" | "provenance"
            | "origin" | "first observed" | "first seen" => Label::Provenance,
            "last observed" | "last seen" | "last observed in" => Label::LastObserved,
            "observation count" | "observations" | "times observed" => Label::Count,
            "confidence" => Label::Confidence,
            "challenged" | "challenged by" | "challenged in" => Label::Challenged,
            "checked by" => Label::CheckedBy,
            "anchor" | "anchors" | "anchored to" | "anchored at" => Label::Anchor,
            _ => Label::Other,
        }
    }

    /// As we write it; provenance is written by kind.
    pub(super) fn words(self) -> &'static str {
        match self {
            Label::Provenance => "Observed in",
            Label::LastObserved => "Last observed",
            Label::Count => "Observation count",
            Label::Confidence => "Confidence",
            Label::Challenged => "Challenged",
            Label::CheckedBy => "Checked by",
            Label::Anchor => "Anchor",
            Label::Other => "Note",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) label: Label,
    /// Of the line, without the line break and blanks around it.
    pub(super) value: Range<usize>,
    pub(super) style: Style,
    pub(super) indent: usize,
}

/// How a labelled line is written, so that the next one can look the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    /// `-`, `*` or `+`; none for a line that is no item.
    pub(super) bullet: Option<char>,
    pub(super) bold: Bold,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bold {
    No,
    /// `**Label:** value`
    WithColon,
    /// `**Label**: value`
    WithoutColon,
}

impl Style {
    pub(super) const USUAL: Style = Style { bullet: Some('-'), bold: Bold::No };

    pub(super) fn line(self, indent: usize, label: &str, value: &str) -> String {
        let indent = " ".repeat(indent);
        let bullet = self.bullet.map(|mark| format!("{mark} ")).unwrap_or_default();
        match self.bold {
            Bold::No => format!("{indent}{bullet}{label}: {value}"),
            Bold::WithColon => format!("{indent}{bullet}**{label}:** {value}"),
            Bold::WithoutColon => format!("{indent}{bullet}**{label}**: {value}"),
        }
    }
}

/// Deeper ones belong to an item above them.
const INDENT_MAX: usize = 3;
const LABEL_CHARS_MAX: usize = 40;

impl Field {
    /// Reads a line without its line break.
    pub(super) fn read(line: &str) -> Option<Field> {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if indent > INDENT_MAX || text.starts_with('\t') {
            return None;
        }
        let bullet = text.chars().next().filter(|mark| matches!(mark, '-' | '*' | '+'));
        let item = bullet.and_then(|mark| text[mark.len_utf8()..].strip_prefix([' ', '\t']));
        let (bullet, body) = match item {
            Some(rest) => (bullet, rest.trim_start()),
            None => (None, text),
        };
        let (label, bold, rest) = labelled(body)?;
        let label = Label::parse(label);
        // A sentence may have a colon as well.
        if label == Label::Other && bullet.is_none() {
            return None;
        }
        let value = rest.trim();
        let start = line.len() - rest.trim_start().len();
        Some(Field { label, value: start..start + value.len(), style: Style { bullet, bold }, indent })
    }
}

/// The label, how it is set, and what follows it.
fn labelled(body: &str) -> Option<(&str, Bold, &str)> {
    for mark in ["**", "__"] {
        let Some(inside) = body.strip_prefix(mark) else { continue };
        let (label, rest) = inside.split_once(mark)?;
        return match (label.strip_suffix(':'), rest.strip_prefix(':')) {
            (Some(label), _) => Some((is_label(label)?, Bold::WithColon, rest)),
            (None, Some(rest)) => Some((is_label(label)?, Bold::WithoutColon, rest)),
            (None, None) => None,
        };
    }
    let (label, rest) = body.split_once(':')?;
    let plain = rest.is_empty() || rest.starts_with([' ', '\t']);
    plain.then_some(())?;
    Some((is_label(label)?, Bold::No, rest))
}

fn is_label(text: &str) -> Option<&str> {
    let text = text.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/' | '\'');
    let good =
        text.len() <= LABEL_CHARS_MAX && text.starts_with(char::is_alphabetic) && text.chars().all(plain);
    good.then_some(text)
}
