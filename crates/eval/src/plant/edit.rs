//! A change of some lines of a document.

use core::ops::Range;
use redraft_facts::prelude::*;

/// Replaces lines, counted from 0, by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) lines: Range<usize>,
    pub(crate) new: Vec<String>,
    /// A right finding has one word of each group.
    pub(crate) words: Vec<Vec<String>>,
    /// What was done, for a person.
    pub(crate) what: String,
}

impl Edit {
    /// Whether this many lines lie between the two.
    pub(crate) fn is_apart(&self, other: &Edit, between: usize) -> bool {
        self.lines.end + between <= other.lines.start || other.lines.end + between <= self.lines.start
    }
}

/// Whether one of two edits of a text takes away or brings in what makes the other a defect: the requirement whose criterion
/// is gone, the other place of a number.
pub(crate) fn cancel(lines: &[&str], one: &Edit, other: &Edit, tells: impl Fn(&str) -> bool) -> bool {
    touches(lines, one, other, &tells) || touches(lines, other, one, &tells)
}

/// Whether an edit of these lines changes where one of the other's telling words stands.
pub(crate) fn touches(lines: &[&str], edit: &Edit, other: &Edit, tells: impl Fn(&str) -> bool) -> bool {
    let changed = edit.changed_words(lines);
    other.words.iter().flatten().any(|word| tells(word) && changed.contains(word.as_str()))
}

impl Edit {
    /// Words that its lines have either before or afterwards.
    fn changed_words<'a>(&'a self, lines: &[&'a str]) -> BTreeSet<&'a str> {
        let old = lines.get(self.lines.clone()).unwrap_or_default().iter().copied();
        let old: BTreeSet<&str> = old.flat_map(words).collect();
        let new: BTreeSet<&str> = self.new.iter().flat_map(|line| words(line)).collect();
        old.symmetric_difference(&new).copied().collect()
    }
}

/// Words, ids and numbers of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ',');
    line.split(move |c: char| !part(c))
        .map(|word| word.trim_matches(['-', '.', ',']))
        .filter(|word| !word.is_empty())
}

/// The text with these edits, which are in order and do not overlap, and the line each begins at afterwards.
pub(crate) fn applied(text: &str, edits: &[Edit]) -> (String, Vec<usize>) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut out, mut places, mut count, mut from) = (String::new(), Vec::new(), 0, 0);
    for Edit { lines: range, new, .. } in edits {
        let kept = lines.get(from..range.start).unwrap_or_default();
        kept.iter().for_each(|line| out.push_str(line));
        count += kept.len();
        places.push(count);
        for line in new {
            out.push_str(line);
            out.push('\n');
        }
        count += new.len();
        from = range.end;
    }
    lines.get(from..).unwrap_or_default().iter().for_each(|line| out.push_str(line));
    (out, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_order_and_their_places_are_those_afterwards() {
        let edit = |lines: Range<usize>, new: &[&str]| Edit {
            lines,
            new: new.iter().map(|line| (*line).to_owned()).collect(),
            words: Vec::new(),
            what: String::new(),
        };
        let edits = [edit(1..2, &[]), edit(3..4, &["D", "D2"]), edit(5..5, &["new"])];
        let (text, places) = applied("a\nb\nc\nd\ne\nf", &edits);
        assert_eq!(text, "a\nc\nD\nD2\ne\nnew\nf");
        assert_eq!(places, [1, 2, 5]);
        assert!(edits[0].is_apart(&edits[1], 1) && !edits[0].is_apart(&edits[1], 2));
    }
}
