//! The change as a prompt shows it: its files with their counts, its hunks, and the part of it around a finding.
//!
//! From a diff that is too long for a prompt, the longest parts are left out, and its reader is told to open those
//! files. Diffs come from git and hold what agents wrote, so they stand in fences and paths stay on their lines.

use super::brief::Brief;
use super::sizes::{DIFF_CHARS_MAX, FILES_MAX, NAME_CHARS_MAX, WINDOW_LINES};
use core::fmt::Write as _;
use redraft_documents::delta::{self, Delta, FileDelta, FileDiff, Hunk, LineKind};
use redraft_documents::test_path::is_surely_test;
use redraft_facts::citation;
use redraft_facts::findings::Finding;
use redraft_facts::prelude::*;
use redraft_facts::text::{self, count, one_line};

/// A line for each file: what happened to it, and how many lines came and went.
pub(super) fn list(delta: &Delta) -> String {
    listed(delta, |_| String::new())
}

/// The same with the lines that were added or altered, for a reader that is shown no diff.
pub(super) fn list_with_lines(delta: &Delta) -> String {
    listed(delta, lines)
}

/// Takes the tests out of a change that can be opened.
pub(super) fn split_tests(delta: Delta) -> (Vec<FileDelta>, Delta) {
    let is_test = |file: &FileDelta| !file.deleted && is_surely_test(&file.path);
    let (tests, files) = delta.files.into_iter().partition(is_test);
    (tests, Delta { files })
}

/// The paths of files, in one line.
pub(super) fn names(files: &[FileDelta]) -> String {
    let shown = files.iter().take(FILES_MAX).map(|file| one_line(&file.path, NAME_CHARS_MAX * 4));
    let mut names: Vec<String> = shown.collect();
    if files.len() > FILES_MAX {
        names.push(format!("and {}, not listed here", count(files.len() - FILES_MAX, "more file")));
    }
    names.join(", ")
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
    list.push_str(&more_files(delta.files.len()));
    if list.is_empty() {
        list.push_str("- none\n");
    }
    list
}

/// `, lines 4, 7 to 12`; empty for a file that is new, gone or not text.
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

/// A diff in its fence. If it is too long: the parts about as many files as fit, and the names of the others.
pub(super) fn body(diff: &str) -> String {
    let chars = diff.chars().count();
    if chars <= DIFF_CHARS_MAX {
        return text::fenced("diff", diff);
    }
    let (shown, left_out) = fitting(diff);
    let mut text = format!(
        "The diff of these files has {chars} characters, which is too long to be shown whole. The diff of {} is not \
         shown. Open each of them in its place and read it whole; an approval counts only if you did:\n\n",
        count(left_out.len(), "file")
    );
    for part in left_out.iter().take(FILES_MAX) {
        let _ = writeln!(text, "- {}", one_line(&part.file.path, NAME_CHARS_MAX * 4));
    }
    text.push_str(&more_files(left_out.len()));
    if !shown.is_empty() {
        let _ = write!(text, "\nThe diff of the others:\n\n{}", text::fenced("diff", &shown));
    }
    text
}

/// The files of a diff that a reviewer is told to open, because their part of it is not shown. Files that are gone or
/// not text cannot be read, so they are not asked for.
pub fn to_open(diff: &str) -> Vec<String> {
    if diff.chars().count() <= DIFF_CHARS_MAX {
        return Vec::new();
    }
    let files = fitting(diff).1.into_iter().map(|part| part.file);
    files.filter(|file| !file.deleted && !file.binary).map(|file| file.path).collect()
}

/// The parts of a diff that are not shown because all of it would be too long.
pub(super) fn left_out(diff: &str) -> Vec<FileDiff<'_>> {
    match diff.chars().count() <= DIFF_CHARS_MAX {
        true => Vec::new(),
        false => fitting(diff).1,
    }
}

/// How many files of a diff a reviewer is neither shown nor told of.
pub fn unnamed(diff: &str) -> usize {
    match diff.chars().count() <= DIFF_CHARS_MAX {
        true => 0,
        false => fitting(diff).1.len().saturating_sub(FILES_MAX),
    }
}

/// Which parts of these lengths a prompt has room for, the shortest first.
pub(super) fn shortest_that_fit(lengths: impl Iterator<Item = usize>) -> BTreeSet<usize> {
    let mut by_length: Vec<(usize, usize)> = lengths.enumerate().map(|(at, chars)| (chars, at)).collect();
    by_length.sort_unstable();
    let mut room = DIFF_CHARS_MAX;
    let fits = |(chars, _): &&(usize, usize)| {
        room = room.saturating_sub(*chars);
        room > 0
    };
    by_length.iter().take_while(fits).map(|(_, at)| *at).collect()
}

/// As much of a diff as fits, the shortest parts first, so that as few files as possible are left out; and the parts
/// left out.
fn fitting(diff: &str) -> (String, Vec<FileDiff<'_>>) {
    let parts = delta::parts(diff);
    let kept = shortest_that_fit(parts.iter().map(|part| part.text.chars().count()));
    let (shown, left_out): (Vec<_>, Vec<_>) =
        parts.into_iter().enumerate().partition(|(at, _)| kept.contains(at));
    (
        shown.into_iter().map(|(_, part)| part.text).collect(),
        left_out.into_iter().map(|(_, part)| part).collect(),
    )
}

fn more_files(files: usize) -> String {
    match files.saturating_sub(FILES_MAX) {
        0 => String::new(),
        more => format!("- and {}, not listed here\n", count(more, "more file")),
    }
}

/// The hunks of the change that open findings stand in, each cut to what is around the finding; empty where there is none.
pub(super) fn around_findings(brief: &Brief<'_>, change: &str) -> String {
    let change = Delta::parse(change);
    let findings = carried(brief, brief.findings);
    let mut shown: Vec<(String, u32, u32)> = Vec::new();
    let mut text = String::new();
    for finding in &findings {
        let files = change.files.iter().filter(|file| citation::same_file(&file.path, &finding.file));
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

/// Findings with their lines in the current files: what the role's own last review cited is carried through what
/// changed since.
pub(super) fn carried(brief: &Brief<'_>, findings: &[&Finding]) -> Vec<Finding> {
    let delta = Delta::parse(brief.delta.unwrap_or_default());
    let carried = |finding: &&Finding| {
        let mut now = (*finding).clone();
        let last = finding.round == brief.last_round && finding.role.as_str() == brief.profile.role;
        let file = delta.files.iter().find(|file| citation::same_file(&file.path, &finding.file));
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
    let quote = citation::quote_parts(first).into_iter().next().unwrap_or_default();
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
        if citation::fold(&one.text).contains(quote) {
            return Some(next);
        }
        next = next.saturating_add(1);
    }
    None
}
