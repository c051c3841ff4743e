//! Finds where something that begins in a line ends: an item of a list, a task.

use crate::page::line::{self, Item};
use crate::sections::Outline;

/// The end of the item at `start`, after its last line: what is indented deeper belongs to it, and lines that go on
/// without a gap. Code between fences goes with what is before it.
pub fn end_of_item(outline: &Outline<'_>, start: usize, indent: usize) -> usize {
    let lines = outline.lines();
    let section_end = outline.at(start).map_or(lines.len(), |section| section.own.end);
    let mut end = start + 1;
    let mut gap = false;
    for (at, text) in lines.iter().enumerate().take(section_end).skip(start + 1) {
        if text.trim().is_empty() {
            gap = true;
            continue;
        }
        let inside = outline.is_fenced(at) && outline.is_fenced(at - 1) && end == at;
        let deeper = line::indent(text) > indent;
        let goes_on = !gap && Item::parse(text).is_none() && !line::is_rule(text);
        if !(inside || deeper || goes_on) {
            break;
        }
        end = at + 1;
        gap = false;
    }
    end
}

/// The last line before `end` that is neither blank nor a rule.
pub fn last_line(outline: &Outline<'_>, start: usize, end: usize) -> usize {
    let lines = outline.lines();
    let end = end.min(lines.len());
    let empty =
        |at: &usize| !outline.is_fenced(*at) && (lines[*at].trim().is_empty() || line::is_rule(lines[*at]));
    (start + 1..end).rev().find(|at| !empty(at)).unwrap_or(start)
}

/// A line as people count them.
pub fn counted(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1)
}
