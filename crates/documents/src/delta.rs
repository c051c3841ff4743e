//! Reads a delta: what changed between two revisions, as git printed it and as places that can be compared. Git makes
//! it, in `adapters`.
//!
//! It knows the text of a diff and nothing about git, files or rounds. Start reading at [`Delta::touches`], which says
//! whether a finding lies in what changed; [`patch`] makes the new text from the old one, and [`Comparison`] finds the
//! changes between two texts where no git is at hand.

mod compare;
mod diff;
mod parts;
#[cfg(test)]
mod tests;

use core::ops::RangeInclusive;
use redraft_facts::citation;
use redraft_facts::prelude::*;
use redraft_facts::redact::Redactor;
use redraft_facts::verdict::Issue;

pub use compare::Comparison;
pub use parts::{FileDiff, Hidden, hidden, parts};

/// A finding this many lines away from a change still counts as caused by it.
const NEAR_LINES: u32 = 3;
/// A shorter quote could occur anywhere and says nothing, unless it is the whole of a line.
const QUOTE_CHARS_MIN: usize = 8;
/// A shorter heading must be equal, not only be contained.
const HEADING_CHARS_MIN: usize = 4;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delta {
    pub files: Vec<FileDelta>,
}

/// The changes of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDelta {
    /// The path after the change; before it, if the file was deleted.
    pub path: String,
    pub created: bool,
    pub deleted: bool,
    /// The content is not text, so its changes are not shown.
    pub binary: bool,
    pub hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// What git prints after the second `@@`: the heading or function above the hunk.
    pub heading: String,
    pub lines: Vec<DeltaLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeltaLine {
    pub kind: LineKind,
    /// Without its line break, but with a carriage return if it has one.
    pub text: String,
    /// Whether a line break follows in the file.
    pub ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Added,
    Removed,
}

impl Delta {
    /// Reads a unified diff. What is not part of one is passed over.
    pub fn parse(diff: &str) -> Delta {
        diff::parse(diff)
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether an issue points into what changed. One that cites no file is decided by its quote alone. `redactor` is the
    /// one that took the secrets out of the issue.
    pub fn touches(&self, issue: &Issue, redactor: &Redactor) -> bool {
        let file_cited = !citation::plain_path(&issue.file).is_empty();
        self.files.iter().any(|file| match file_cited {
            false => file.has_changed_text(&issue.quote, redactor),
            true => citation::same_file(&file.path, &issue.file) && file.touches(issue, redactor),
        })
    }

    /// Whether a quote of this file stands in text of it that changed.
    pub fn touches_quote(&self, path: &str, quote: &str, redactor: &Redactor) -> bool {
        let mut files = self.files.iter().filter(|file| citation::same_file(&file.path, path));
        files.any(|file| file.has_changed_text(quote, redactor))
    }
}

impl FileDelta {
    /// The changed lines as numbered after the change. A removal without a replacement touches the lines it stood
    /// between.
    pub fn changed(&self) -> Vec<RangeInclusive<u32>> {
        let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
        for hunk in &self.hunks {
            // With no lines after the change, `new_start` is the line before the hunk.
            let mut next =
                if hunk.new_lines == 0 { hunk.new_start.saturating_add(1) } else { hunk.new_start };
            let kinds: Vec<LineKind> = hunk.lines.iter().map(|line| line.kind).collect();
            for run in kinds.chunk_by(|one, two| (*one == LineKind::Context) == (*two == LineKind::Context)) {
                let after = run.iter().filter(|kind| **kind != LineKind::Removed).count();
                let end = next.saturating_add(u32::try_from(after).unwrap_or(u32::MAX));
                if !run.contains(&LineKind::Context) {
                    ranges.push(if after > 0 {
                        next..=end - 1
                    } else {
                        next.saturating_sub(1).max(1)..=next
                    });
                }
                next = end;
            }
        }
        ranges
    }

    /// Where a line of the old text is in the new one, both counted from 1. One that was removed is where its
    /// replacement stands, or what follows it.
    pub fn carried(&self, line: u32) -> u32 {
        // With no lines on one side, its number is that of the line before the hunk.
        let begin = |start: u32, lines: u32| if lines == 0 { start.saturating_add(1) } else { start };
        let count = |run: &[LineKind], kind: LineKind| {
            u32::try_from(run.iter().filter(|one| **one == kind).count()).unwrap_or(u32::MAX)
        };
        // The lines that follow the last hunk before it on both sides.
        let (mut old, mut new) = (1_u32, 1_u32);
        for hunk in &self.hunks {
            let next = begin(hunk.old_start, hunk.old_lines);
            if line < next {
                break;
            }
            (old, new) = (next, begin(hunk.new_start, hunk.new_lines));
            let kinds: Vec<LineKind> = hunk.lines.iter().map(|line| line.kind).collect();
            for run in kinds.chunk_by(|one, two| (*one == LineKind::Context) == (*two == LineKind::Context)) {
                let same = count(run, LineKind::Context);
                let (gone, come) = (count(run, LineKind::Removed), count(run, LineKind::Added));
                let inside = line.saturating_sub(old);
                if inside < gone {
                    return new.saturating_add(inside.min(come.saturating_sub(1))).max(1);
                }
                if inside < same {
                    return new.saturating_add(inside);
                }
                old = old.saturating_add(same).saturating_add(gone);
                new = new.saturating_add(same).saturating_add(come);
            }
        }
        new.saturating_add(line.saturating_sub(old))
    }

    pub fn added(&self) -> impl Iterator<Item = &str> {
        self.texts(LineKind::Added)
    }

    pub fn removed(&self) -> impl Iterator<Item = &str> {
        self.texts(LineKind::Removed)
    }

    fn texts(&self, kind: LineKind) -> impl Iterator<Item = &str> {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(move |line| line.kind == kind).map(|line| line.text.as_str())
    }

    fn touches(&self, issue: &Issue, redactor: &Redactor) -> bool {
        if issue.line == 0 && issue.quote.trim().is_empty() {
            return self.changes_under(&citation::heading(&issue.section));
        }
        let near = |range: &RangeInclusive<u32>| {
            let first = range.start().saturating_sub(NEAR_LINES);
            let last = range.end().saturating_add(NEAR_LINES);
            (first..=last).contains(&issue.line)
        };
        (issue.line > 0 && self.changed().iter().any(near)) || self.has_changed_text(&issue.quote, redactor)
    }

    /// Whether part of a quote is in added or removed text, or the quote contains one such line whole. It is read in the
    /// same ways as where its file is searched for it.
    fn has_changed_text(&self, quote: &str, redactor: &Redactor) -> bool {
        [LineKind::Added, LineKind::Removed].into_iter().any(|kind| {
            let changed = self.texts(kind).collect::<Vec<_>>().join("\n");
            let readings = citation::readings(quote, &self.path, &changed, redactor);
            readings.iter().any(|(quote, lines)| meets(quote, lines))
        })
    }

    /// Whether the heading itself changed or something below it did, as far as the hunks show.
    fn changes_under(&self, wanted: &str) -> bool {
        if wanted.is_empty() {
            return false;
        }
        let contains = |text: &str| text.chars().count() >= HEADING_CHARS_MIN;
        let same = |line: &str| line == wanted || (contains(wanted) && line.contains(wanted));
        let names = |heading: &str| same(heading) || (contains(heading) && wanted.contains(heading));
        self.hunks.iter().any(|hunk| {
            let mut above = citation::heading(&hunk.heading);
            if names(&above) {
                return true;
            }
            hunk.lines.iter().any(|line| {
                let text = citation::heading(&line.text);
                if line.kind == LineKind::Context {
                    if line.text.trim_start().starts_with('#') {
                        above = text;
                    }
                    return false;
                }
                same(&text) || names(&above)
            })
        })
    }
}

/// Whether part of a quote is in these lines, or the quote contains one of them whole.
fn meets(quote: &str, lines: &[String]) -> bool {
    let long_enough = |text: &str| text.chars().count() >= QUOTE_CHARS_MIN;
    let mut parts = citation::quote_parts(quote);
    parts.push(quote.to_owned());
    let text = lines.join(" ");
    parts.iter().any(|part| long_enough(part) && text.contains(part.as_str()))
        || lines
            .iter()
            .any(|line| parts.contains(line) || (long_enough(line) && quote.contains(line.as_str())))
}

/// Applies the changes of one file to its old text. A diff that does not name the file leaves it as it is; `None`
/// when the old text is not the one the diff was made from.
pub fn patch(old: &str, diff: &str, path: &str) -> Option<String> {
    let delta = Delta::parse(diff);
    let Some(file) = delta.files.iter().find(|file| file.path == path) else { return Some(old.to_owned()) };
    if file.binary {
        return None;
    }
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new = String::with_capacity(old.len());
    let mut at = 0;
    for hunk in &file.hunks {
        if !hunk.is_whole() {
            return None;
        }
        let before = hunk.old_start.saturating_sub(u32::from(hunk.old_lines > 0));
        let start = usize::try_from(before).ok()?;
        new.extend(lines.get(at..start)?.iter().copied());
        at = start;
        for line in &hunk.lines {
            if line.kind != LineKind::Added {
                if !line.is(lines.get(at)?) {
                    return None;
                }
                at += 1;
            }
            if line.kind != LineKind::Removed {
                new.push_str(&line.text);
                new.push_str(if line.ended { "\n" } else { "" });
            }
        }
    }
    new.extend(lines.get(at..)?.iter().copied());
    Some(new)
}

impl Hunk {
    /// Whether it has the lines its first line promised.
    fn is_whole(&self) -> bool {
        let count = |other: LineKind| self.lines.iter().filter(|line| line.kind != other).count();
        count(LineKind::Added) == self.old_lines as usize
            && count(LineKind::Removed) == self.new_lines as usize
    }
}

impl DeltaLine {
    fn is(&self, line: &str) -> bool {
        let text = line.strip_suffix('\n');
        text.unwrap_or(line) == self.text && text.is_some() == self.ended
    }
}
