//! Shows the text of some parts of a document, so that each can be understood alone.

use super::LineRange;
use crate::page::line;
use crate::sections::Outline;
use redraft_facts::prelude::*;

/// The parts in their order. `…` marks left-out lines, and a row of a table comes with the table's head.
pub fn excerpt(text: &str, parts: &[LineRange]) -> String {
    let outline = Outline::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut out = String::new();
    let mut shown = 0;
    for part in parts {
        let start = (part.line as usize).saturating_sub(1).max(shown);
        let end = (part.end_line as usize).min(outline.lines().len());
        if start >= end {
            continue;
        }
        if start > shown {
            out.push_str("…\n\n");
        }
        if let Some(head) = table_head(&outline, start).filter(|head| *head >= shown) {
            out.push_str(&outline.text(head..head + 2));
        }
        out.push_str(&outline.text(start..end));
        if !out.ends_with('\n') {
            out.push('\n');
        }
        shown = end;
    }
    if shown < outline.lines().len() && shown > 0 {
        out.push_str("\n…\n");
    }
    out
}

/// The line of the head of the table that a row below it belongs to.
fn table_head(outline: &Outline<'_>, row: usize) -> Option<usize> {
    let lines = outline.lines();
    let is_row = |at: usize| outline.is_text(at) && line::cells(lines[at]).is_some();
    if !is_row(row) {
        return None;
    }
    let first = (0..row).rev().take_while(|at| is_row(*at)).last()?;
    let ruled = line::cells(lines.get(first + 1)?).is_some_and(|cells| line::is_rule_of_table(&cells));
    (ruled && first + 1 < row).then_some(first)
}
