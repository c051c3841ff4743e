//! Comparing two texts line by line: which lines changed, and the unified diff that says so.
//!
//! Myers' algorithm in linear space. Texts that have little in common would take time that grows with the square of
//! their difference, so the search gives up on the shortest answer beyond [`COST_MAX`] and takes a good one.

use crate::prelude::*;
use core::ops::{Range, RangeInclusive};

/// Unchanged lines shown around a change, as git does.
const CONTEXT: usize = 3;
/// How many changed lines are followed from both ends before the search settles for less than the shortest diff.
/// A trade between time and size; revisions of real documents stay far below it.
const COST_MAX: usize = 500;

/// What two texts differ in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// The changed lines of both, in order; those between are equal.
    edits: Vec<Edit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    old: Range<usize>,
    new: Range<usize>,
}

impl<'a> Comparison<'a> {
    pub fn of(old: &'a str, new: &'a str) -> Comparison<'a> {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let edits = edits(&old, &new);
        Comparison { old, new, edits }
    }

    /// The changed lines as numbered after the change, from 1. A removal without a replacement touches the lines it
    /// stood between.
    pub fn changed(&self) -> Vec<RangeInclusive<u32>> {
        let line = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let ranges = self.edits.iter().map(|edit| match edit.new.is_empty() {
            false => line(edit.new.start + 1)..=line(edit.new.end),
            true => line(edit.new.start.max(1))..=line(edit.new.start + 1),
        });
        ranges.collect()
    }

    /// The unified diff under a file's name; empty if nothing changed.
    pub fn unified(&self, path: &str) -> String {
        let mut out = String::new();
        if self.edits.is_empty() {
            return out;
        }
        out.push_str(&format!("--- a/{path}\n+++ b/{path}\n"));
        for group in self.edits.chunk_by(|one, two| two.old.start - one.old.end <= 2 * CONTEXT) {
            self.hunk(group, &mut out);
        }
        out
    }

    fn hunk(&self, group: &[Edit], out: &mut String) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let before = first.old.start.min(CONTEXT);
        let after = (self.old.len() - last.old.end).min(CONTEXT);
        let old = first.old.start - before..last.old.end + after;
        let new = first.new.start - before..last.new.end + after;
        out.push_str(&format!("@@ -{} +{} @@\n", range(&old), range(&new)));
        let mut at = old.start;
        for edit in group {
            lines(' ', &self.old[at..edit.old.start], out);
            lines('-', &self.old[edit.old.clone()], out);
            lines('+', &self.new[edit.new.clone()], out);
            at = edit.old.end;
        }
        lines(' ', &self.old[at..old.end], out);
    }
}

/// `3,7` as git counts: from 1, and from the line before where there is none.
fn range(lines: &Range<usize>) -> String {
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

fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let mut names: BTreeMap<&str, Name> = BTreeMap::new();
    let old_names = named(old, &mut names, |name| &mut name.in_old);
    let new_names = named(new, &mut names, |name| &mut name.in_new);
    let mut shared = vec![false; names.len()];
    for name in names.values() {
        shared[name.id] = name.in_old && name.in_new;
    }
    // A line that only one text has is changed whatever the others are, and only slows the search down.
    let paired = |names: &[usize]| -> Vec<usize> {
        names.iter().enumerate().filter(|(_, id)| shared[**id]).map(|(at, _)| at).collect()
    };
    let (old_at, new_at) = (paired(&old_names), paired(&new_names));
    let pick = |at: &[usize], names: &[usize]| -> Vec<usize> { at.iter().map(|at| names[*at]).collect() };
    let (a, b) = (pick(&old_at, &old_names), pick(&new_at, &new_names));
    let mut search = Search::new(a.len() + b.len());
    search.pairs(&a, &b);
    let mut equal = search.equal;
    equal.sort_unstable();
    let mut edits = Vec::new();
    let (mut i, mut j) = (0, 0);
    let ends = core::iter::once((old.len(), new.len()));
    for (x, y) in equal.into_iter().map(|(x, y)| (old_at[x], new_at[y])).chain(ends) {
        if x > i || y > j {
            edits.push(Edit { old: i..x, new: j..y });
        }
        (i, j) = (x + 1, y + 1);
    }
    edits
}

#[derive(Default)]
struct Name {
    id: usize,
    in_old: bool,
    in_new: bool,
}

/// Each line as a number, the same for equal lines.
fn named<'a>(
    lines: &[&'a str],
    names: &mut BTreeMap<&'a str, Name>,
    side: impl Fn(&mut Name) -> &mut bool,
) -> Vec<usize> {
    let mut out = Vec::with_capacity(lines.len());
    for line in lines {
        let next = names.len();
        let name = names.entry(line).or_insert(Name { id: next, ..Name::default() });
        *side(name) = true;
        out.push(name.id);
    }
    out
}

/// A search for equal lines in the same order, as many as possible.
struct Search {
    /// How far each diagonal was followed from the beginning and from the end; the middle of the list is diagonal 0.
    forward: Vec<isize>,
    backward: Vec<isize>,
    middle: isize,
    equal: Vec<(usize, usize)>,
}

impl Search {
    fn new(lines: usize) -> Search {
        let middle = lines.min(2 * COST_MAX) + 2;
        let diagonals = vec![0; 2 * middle + 1];
        let middle = isize::try_from(middle).unwrap_or(isize::MAX);
        Search { forward: diagonals.clone(), backward: diagonals, middle, equal: Vec::new() }
    }

    /// Finds the pairs of two lists, part by part.
    fn pairs(&mut self, a: &[usize], b: &[usize]) {
        let mut parts = vec![(0..a.len(), 0..b.len())];
        while let Some((mut x, mut y)) = parts.pop() {
            while !x.is_empty() && !y.is_empty() && a[x.start] == b[y.start] {
                self.equal.push((x.start, y.start));
                (x.start, y.start) = (x.start + 1, y.start + 1);
            }
            while !x.is_empty() && !y.is_empty() && a[x.end - 1] == b[y.end - 1] {
                self.equal.push((x.end - 1, y.end - 1));
                (x.end, y.end) = (x.end - 1, y.end - 1);
            }
            if x.is_empty() || y.is_empty() {
                continue;
            }
            let (i, j) = self.split(&a[x.clone()], &b[y.clone()]);
            parts.push((x.start..x.start + i, y.start..y.start + j));
            parts.push((x.start + i..x.end, y.start + j..y.end));
        }
    }

    /// A point that a shortest diff passes through, never a corner. Both lists have lines, and neither their first
    /// nor their last ones are equal.
    fn split(&mut self, a: &[usize], b: &[usize]) -> (usize, usize) {
        let (n, m) = (a.len().cast_signed(), b.len().cast_signed());
        let odd = (n - m) % 2 != 0;
        let middle = self.middle;
        let at = |k: isize| index(middle + k);
        self.forward[at(1)] = 0;
        self.backward[at(1)] = 0;
        let most = ((n + m + 1) / 2).min(COST_MAX.cast_signed());
        for d in 0..=most {
            let diagonals = || (-d + 2 * (d - m).max(0)..=d - 2 * (d - n).max(0)).step_by(2);
            for k in diagonals() {
                let (x, y) = step(&mut self.forward, self.middle, d, k);
                let run = (0..(n - x).min(m - y)).take_while(|i| a[index(x + i)] == b[index(y + i)]).count();
                let end = x + run.cast_signed();
                self.forward[at(k)] = end;
                let other = (n - m) - k;
                if odd && other.abs() < d && end + self.backward[at(other)] >= n {
                    return (index(x), index(y));
                }
            }
            for k in diagonals() {
                let (x, y) = step(&mut self.backward, self.middle, d, k);
                let same = |i: &isize| a[index(n - 1 - x - i)] == b[index(m - 1 - y - i)];
                let end = x + (0..(n - x).min(m - y)).take_while(same).count().cast_signed();
                self.backward[at(k)] = end;
                let other = (n - m) - k;
                if !odd && other.abs() <= d && end + self.forward[at(other)] >= n {
                    return (index(n - x), index(m - y));
                }
            }
        }
        self.furthest(n, m, most)
    }

    /// Where the search from the beginning came furthest, once it has become too dear.
    fn furthest(&self, n: isize, m: isize, d: isize) -> (usize, usize) {
        let diagonals = (-d + 2 * (d - m).max(0)..=d - 2 * (d - n).max(0)).step_by(2);
        let points = diagonals.map(|k| (self.forward[index(self.middle + k)], k)).map(|(x, k)| (x, x - k));
        let inside = points.filter(|(x, y)| *x <= n && *y <= m && (*x, *y) != (n, m));
        let (x, y) = inside.max_by_key(|(x, y)| x + y).unwrap_or((n, 0));
        (index(x), index(y))
    }
}

/// The next point on a diagonal: one line further from the better of its neighbours.
fn step(reached: &mut [isize], middle: isize, d: isize, k: isize) -> (isize, isize) {
    let (below, above) = (reached[index(middle + k - 1)], reached[index(middle + k + 1)]);
    let x = if k == -d || (k != d && below < above) { above } else { below + 1 };
    (x, x - k)
}

fn index(at: isize) -> usize {
    usize::try_from(at).unwrap_or(0)
}
