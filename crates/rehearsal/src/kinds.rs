//! What a line of a document is, as the checks tell lines apart. What is code, the program's own reader says.
//!
//! Knows lines, not sections. Start at [`kind_of`].

use redraft_core::page::{Line, Place, line};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Heading,
    /// A list item: how far it is indented and at which byte its text starts.
    Item {
        indent: usize,
        text: usize,
    },
    /// A row of a table.
    Row,
    /// The line of dashes below a table's head.
    Divider,
    Text,
    /// Code, a comment or a setting at the beginning.
    Code,
}

/// What a line is that is no heading.
pub(super) fn kind_of(line: &Line<'_>) -> Kind {
    if line.place == Place::Text { of_text(line.text) } else { Kind::Code }
}

fn of_text(raw: &str) -> Kind {
    let line = raw.trim();
    if line.is_empty() {
        return Kind::Blank;
    }
    if line::cells(line).is_some_and(|cells| line::is_rule_of_table(&cells)) || is_bare_divider(line) {
        return Kind::Divider;
    }
    if line.starts_with('|') && line.len() > 1 {
        return Kind::Row;
    }
    item(raw).unwrap_or(Kind::Text)
}

/// `---|---`, without bars around it.
fn is_bare_divider(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn item(raw: &str) -> Option<Kind> {
    let indent = line::indent(raw);
    let start = raw.len() - raw.trim_start().len();
    let marker = line::list_mark(&raw[start..])?.len();
    let rest = &raw[start + marker..];
    let gap = rest.len() - rest.trim_start().len();
    if rest.trim().is_empty() {
        return None;
    }
    let mut text = start + marker + gap;
    for tick in ["[ ] ", "[x] ", "[X] "] {
        if raw[text..].starts_with(tick) {
            text += tick.len();
        }
    }
    Some(Kind::Item { indent, text })
}
