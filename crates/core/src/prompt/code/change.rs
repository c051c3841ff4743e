//! The change as a prompt shows it: its files with their counts, its hunks, and the part of it around a finding.
//!
//! A diff that is too long for a prompt is listed by file, and its reader is told to open the files. Diffs come from git
//! and hold what agents wrote, so they stand in fences and paths stay on their lines.

use super::super::brief::Brief;
use super::super::sizes::{DIFF_CHARS_MAX, FILES_MAX, NAME_CHARS_MAX, WINDOW_LINES};
use crate::delta::{Delta, FileDelta, Hunk, LineKind};
use crate::findings::Finding;
use crate::place;
use crate::prelude::*;
use crate::text::{self, one_line};
use core::fmt::Write as _;

/// A line for each file: what became of it, and how many lines came and went.
pub(super) fn list(delta: &Delta) -> String {
    listed(delta, |_| String::new())
}

/// The same with the lines that were added or altered, for a reader that is shown no diff.
pub(super) fn list_with_lines(delta: &Delta) -> String {
    listed(delta, lines)
}

fn listed(delta: &Delta, more: impl Fn(&FileDelta) -> String) -> String {
    let mut list = String::new();
    for file in delta.files.iter().take(FILES_MAX) {
        let path = one_line(&file.path, NAME_CHARS_MAX * 4);
        let kind = match (file.created, file.deleted) {
            (true, _) => ", new",
            (_, true) => ", deleted",
            (false, false) => "",
        };
        let counts = match file.binary {
            true => "binary".to_owned(),
            false => format!("+{} -{}", file.added().count(), file.removed().count()),
        };
        let _ = writeln!(list, "- {path}: {counts}{kind}{}", more(file));
    }
    let more = delta.files.len().saturating_sub(FILES_MAX);
    if more > 0 {
        let _ = writeln!(list, "- and {more} more files, which are not listed here");
    }
    if list.is_empty() {
        list.push_str("- none\n");
    }
    list
}

/// `, lines 4, 7 to 12`; nothing for a file that is new, gone or no text.
fn lines(file: &FileDelta) -> String {
    const RANGES_MAX: usize = 20;
    if file.created || file.deleted || file.binary {
        return String::new();
    }
    let ranges = file.changed();
    let shown = ranges.iter().take(RANGES_MAX).map(|range| match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("{} to {}", range.start(), range.end()),
    });
    let mut shown: Vec<String> = shown.collect();
    if ranges.len() > RANGES_MAX {
        shown.push("and more".to_owned());
    }
    if shown.is_empty() { String::new() } else { format!(", lines {}", shown.join(", ")) }
}

/// A diff in its fence, or what is said where it would be too long.
pub(super) fn body(diff: &str) -> String {
    let chars = diff.chars().count();
    if chars > DIFF_CHARS_MAX {
        return format!(
            "The diff of these files has {chars} characters and is not shown, because it is too long. Open every file \
             of the list in its place, at least those with many lines, and read it whole.\n"
        );
    }
    text::fenced("diff", diff)
}

/// The hunks of the change that open findings stand in, each cut to what is around the finding; empty where there is none.
pub(super) fn around_findings(brief: &Brief<'_>, change: &str) -> String {
    let change = Delta::parse(change);
    let findings = carried(brief, brief.findings);
    let mut shown: Vec<(String, u32, u32)> = Vec::new();
    let mut text = String::new();
    for finding in &findings {
        let files = change.files.iter().filter(|file| place::same_file(&file.path, &finding.file));
        let Some((file, part)) = files.into_iter().find_map(|file| Some((file, window(file, finding)?)))
        else {
            continue;
        };
        let key = (file.path.clone(), part.first, part.last);
        if shown.contains(&key) {
            continue;
        }
        let path = one_line(&file.path, NAME_CHARS_MAX * 4);
        let fence = text::fenced("diff", &part.text);
        let _ =
            write!(text, "\n{path}, lines {} to {}, for {}:\n\n{fence}", part.first, part.last, finding.id);
        shown.push(key);
    }
    text
}

/// Findings with their lines in the files as they are now: what the role's own last review cited is carried through what
/// changed since.
pub(in crate::prompt) fn carried(brief: &Brief<'_>, findings: &[&Finding]) -> Vec<Finding> {
    let delta = Delta::parse(brief.delta.unwrap_or_default());
    let carried = |finding: &&Finding| {
        let mut now = (*finding).clone();
        let last = finding.round == brief.last_round && finding.role.as_str() == brief.profile.role;
        let file = delta.files.iter().find(|file| place::same_file(&file.path, &finding.file));
        if let Some(file) = file.filter(|_| last && finding.line > 0) {
            now.line = file.carried(finding.line);
        }
        now
    };
    findings.iter().map(carried).collect()
}

/// A part of a hunk, with the numbers of its lines after the change.
struct Window {
    first: u32,
    last: u32,
    text: String,
}

/// What stands around a finding in the change of its file: at its line, else where its quote begins.
fn window(file: &FileDelta, finding: &Finding) -> Option<Window> {
    let first = finding.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let quote = place::quote_parts(first).into_iter().next().unwrap_or_default();
    let holds = |hunk: &&Hunk| {
        (hunk.new_start..hunk.new_start.saturating_add(hunk.new_lines)).contains(&finding.line)
    };
    let by_line = file.hunks.iter().find(holds).map(|hunk| (hunk, finding.line));
    let by_quote = || {
        let mut places = file.hunks.iter().filter_map(|hunk| Some((hunk, quoted(hunk, &quote)?)));
        places.next()
    };
    let (hunk, line) = by_line.or_else(by_quote)?;
    let mut part = Window { first: u32::MAX, last: 0, text: String::new() };
    let mut next = hunk.new_start;
    for one in &hunk.lines {
        if next.abs_diff(line) <= WINDOW_LINES {
            let mark = match one.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            };
            let _ = writeln!(part.text, "{mark}{}", one.text);
            (part.first, part.last) = (part.first.min(next), part.last.max(next));
        }
        next = next.saturating_add(u32::from(one.kind != LineKind::Removed));
    }
    (!part.text.is_empty()).then_some(part)
}

/// The line of a hunk, as it is after the change, that holds the beginning of a quote.
fn quoted(hunk: &Hunk, quote: &str) -> Option<u32> {
    if quote.is_empty() {
        return None;
    }
    let mut next = hunk.new_start;
    for one in hunk.lines.iter().filter(|one| one.kind != LineKind::Removed) {
        if place::fold(&one.text).contains(quote) {
            return Some(next);
        }
        next = next.saturating_add(1);
    }
    None
}
