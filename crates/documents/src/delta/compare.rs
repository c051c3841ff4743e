//! Compares two texts line by line: which lines changed, and the unified diff that says so.
//!
//! The comparison itself is the library's. The diff is printed here, because lines end at `\n` and nowhere else, as git
//! sees it.

use core::ops::{Range, RangeInclusive};
use redraft_facts::prelude::*;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// Unchanged lines shown around a change, as git does.
const CONTEXT: usize = 3;

/// What two texts differ in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// What is equal and what changed, in order.
    parts: Vec<DiffOp>,
}

impl<'a> Comparison<'a> {
    pub fn new(old: &'a str, new: &'a str) -> Comparison<'a> {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let parts = capture_diff_slices(Algorithm::Myers, &old, &new);
        Comparison { old, new, parts }
    }

    /// The changed lines as numbered after the change, from 1. A removal without a replacement touches the lines it
    /// stood between.
    pub fn changed(&self) -> Vec<RangeInclusive<u32>> {
        let line = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let changed = self.parts.iter().filter(|part| part.tag() != DiffTag::Equal);
        let ranges = changed.map(DiffOp::new_range).map(|new| match new.is_empty() {
            false => line(new.start + 1)..=line(new.end),
            true => line(new.start.max(1))..=line(new.start + 1),
        });
        ranges.collect()
    }

    /// The unified diff under a file's name; empty if nothing changed.
    pub fn unified(&self, path: &str) -> String {
        let mut out = String::new();
        for hunk in group_diff_ops(self.parts.clone(), CONTEXT) {
            let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
            if out.is_empty() {
                out.push_str(&format!("--- a/{path}\n+++ b/{path}\n"));
            }
            let old = range(first.old_range().start..last.old_range().end);
            let new = range(first.new_range().start..last.new_range().end);
            out.push_str(&format!("@@ -{old} +{new} @@\n"));
            for part in &hunk {
                let mark = if part.tag() == DiffTag::Equal { ' ' } else { '-' };
                lines(mark, &self.old[part.old_range()], &mut out);
                if part.tag() != DiffTag::Equal {
                    lines('+', &self.new[part.new_range()], &mut out);
                }
            }
        }
        out
    }
}

/// `3,7` as git counts: from 1; an empty range counts from the line before it.
fn range(lines: Range<usize>) -> String {
    let start = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{start},{}", lines.len())
}

fn lines(mark: char, lines: &[&str], out: &mut String) {
    for line in lines {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}
