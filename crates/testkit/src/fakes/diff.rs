//! The unified diff of two trees, as git writes it with the options of the adapter.
//!
//! For texts of some hundred lines: it compares every line with every other.

use super::tree::{Node, Tree, differing};
use std::fmt::Write as _;
use std::ops::Range;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// The text after `@@` is cut at this length.
const HEADING_BYTES_MAX: usize = 80;

pub(super) fn unified(from: &Tree, to: &Tree) -> String {
    let mut out = String::new();
    for path in differing(from, to) {
        file(&path, from.get(&path), to.get(&path), &mut out);
    }
    out
}

fn file(path: &str, old: Option<&Node>, new: Option<&Node>, out: &mut String) {
    let _ = writeln!(out, "diff --git a/{path} b/{path}");
    match (old, new) {
        (None, Some(new)) => drop(writeln!(out, "new file mode {}", new.mode())),
        (Some(old), None) => drop(writeln!(out, "deleted file mode {}", old.mode())),
        (Some(old), Some(new)) if old.mode() != new.mode() => {
            let _ = writeln!(out, "old mode {}\nnew mode {}", old.mode(), new.mode());
        }
        _ => {}
    }
    let bytes = |node: Option<&Node>| node.map(|node| node.stored().to_vec()).unwrap_or_default();
    let (before, after) = (bytes(old), bytes(new));
    if before == after {
        return;
    }
    let name =
        |node: Option<&Node>, side: char| node.map_or("/dev/null".to_owned(), |_| format!("{side}/{path}"));
    let (a, b) = (name(old, 'a'), name(new, 'b'));
    if before.contains(&0) || after.contains(&0) {
        let _ = writeln!(out, "Binary files {a} and {b} differ");
        return;
    }
    let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let _ = write!(out, "--- {a}\n+++ {b}\n");
    let edits = edits(&old, &new);
    for group in edits.chunk_by(|one, two| two.0.start - one.0.end <= 2 * CONTEXT) {
        hunk(&old, &new, group, out);
    }
}

/// The changed lines of both, in order.
pub(super) type Edit = (Range<usize>, Range<usize>);

pub(super) fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    // The longest common part of what follows each pair of lines.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut removed, mut added) = (vec![false; old.len()], vec![false; new.len()]);
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            removed[i] = true;
            i += 1;
        } else {
            added[j] = true;
            j += 1;
        }
    }
    slide(old, &mut removed);
    slide(new, &mut added);
    grouped(&removed, &added)
}

/// Moves each group of changed lines down as far as the result stays the same, as git does.
fn slide(lines: &[&str], changed: &mut [bool]) {
    let mut end = changed.len();
    while end > 0 {
        if !changed[end - 1] {
            end -= 1;
            continue;
        }
        let start = changed[..end].iter().rposition(|one| !one).map_or(0, |at| at + 1);
        let (mut first, mut after) = (start, end);
        while after < lines.len() && !changed[after] && lines[first] == lines[after] {
            (changed[first], changed[after]) = (false, true);
            (first, after) = (first + 1, after + 1);
        }
        end = start;
    }
}

fn grouped(removed: &[bool], added: &[bool]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < removed.len() || j < added.len() {
        let (old, new) = (i, j);
        while removed.get(i) == Some(&true) {
            i += 1;
        }
        while added.get(j) == Some(&true) {
            j += 1;
        }
        if (old, new) != (i, j) {
            edits.push((old..i, new..j));
        } else {
            (i, j) = (i + 1, j + 1);
        }
    }
    edits
}

fn hunk(old: &[&str], new: &[&str], group: &[Edit], out: &mut String) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let before = first.0.start.min(CONTEXT);
    let after = (old.len() - last.0.end).min(CONTEXT);
    let from = first.0.start - before..last.0.end + after;
    let to = first.1.start - before..last.1.end + after;
    let heading = old[..from.start].iter().rev().find(|line| is_heading(line));
    let heading = heading.map(|line| format!(" {}", cut(line.trim_end()))).unwrap_or_default();
    let _ = writeln!(out, "@@ -{} +{} @@{heading}", span(&from), span(&to));
    let mut at = from.start;
    for (gone, come) in group {
        old[at..gone.start].iter().for_each(|text| line(' ', text, out));
        old[gone.clone()].iter().for_each(|text| line('-', text, out));
        new[come.clone()].iter().for_each(|text| line('+', text, out));
        at = gone.end;
    }
    old[at..from.end].iter().for_each(|text| line(' ', text, out));
}

fn is_heading(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
}

fn cut(line: &str) -> &str {
    let end = (0..=HEADING_BYTES_MAX.min(line.len())).rev().find(|at| line.is_char_boundary(*at));
    line.get(..end.unwrap_or(0)).unwrap_or(line).trim_end()
}

fn span(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        many => format!("{},{many}", lines.start + 1),
    }
}

fn line(sign: char, text: &str, out: &mut String) {
    let _ = write!(out, "{sign}{text}");
    if !text.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}
