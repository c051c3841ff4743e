//! Changes of a document that a look proposes for what it found, and how they are made.
//!
//! Knows lines, not what they mean. Start at [`Remedy::apply`]. A look works out the change, because it has all papers
//! before it; whoever mends has the text alone.

use crate::edit::{insert_after, remove_line, replace_in_line};
use std::ops::Range;

/// What to change, in lines of the text as it is, and what to say about it. Without changes, nothing can be done
/// without guessing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Remedy {
    pub(crate) edits: Vec<Edit>,
    pub(crate) note: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edit {
    /// New lines behind one, or before all.
    Insert {
        after: Option<usize>,
        lines: Vec<String>,
    },
    /// Other words in a line.
    Replace {
        line: usize,
        at: Range<usize>,
        new: String,
    },
    Remove {
        line: usize,
    },
    /// Whole blocks, taken out and put behind a line that is in none of them.
    Move {
        blocks: Vec<Range<usize>>,
        after: usize,
    },
}

impl Edit {
    /// Where it takes place; new lines come before what stands at their place.
    fn place(&self) -> (usize, bool) {
        match self {
            Edit::Insert { after, .. } => (after.map_or(0, |line| line + 1), false),
            Edit::Replace { line, .. } | Edit::Remove { line } => (*line, true),
            Edit::Move { after, .. } => (*after, true),
        }
    }
}

impl Remedy {
    pub(crate) fn new(note: impl Into<String>, edits: Vec<Edit>) -> Self {
        Remedy { edits, note: note.into() }
    }

    /// The text with all changes, the last place first, so that earlier ones stay where they are.
    pub(crate) fn apply(&self, text: &str) -> Option<String> {
        if self.edits.is_empty() {
            return None;
        }
        let mut order: Vec<&Edit> = self.edits.iter().collect();
        order.sort_by_key(|edit| std::cmp::Reverse(edit.place()));
        let mut text = text.to_owned();
        for edit in order {
            text = match edit {
                Edit::Insert { after, lines } => insert_after(&text, *after, lines),
                Edit::Replace { line, at, new } => replace_in_line(&text, *line, at.clone(), new),
                Edit::Remove { line } => remove_line(&text, *line),
                Edit::Move { blocks, after } => moved(&text, blocks, *after)?,
            };
        }
        Some(text)
    }
}

fn moved(text: &str, blocks: &[Range<usize>], after: usize) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let inside = |at: usize| blocks.iter().any(|block| block.contains(&at));
    if inside(after) || after >= lines.len() || blocks.iter().any(|block| block.end > lines.len()) {
        return None;
    }
    if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
        last.push_str(ending);
    }
    let heading = |at: usize| lines[at].trim_start().starts_with('#');
    let spaced = blocks.iter().any(|block| heading(block.start));
    let mut out = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        if !inside(at) {
            out.push_str(line);
        }
        if at == after {
            for block in blocks {
                let gap = !out.ends_with("\n\n") && !out.ends_with("\r\n\r\n");
                if spaced && gap {
                    out.push_str(ending);
                }
                out.push_str(&lines[block.clone()].concat());
            }
            let next = lines.get(at + 1).is_some_and(|next| !next.trim().is_empty());
            if spaced && next && !out.ends_with("\n\n") {
                out.push_str(ending);
            }
        }
    }
    let kept = out.trim_end_matches(['\n', '\r']).len();
    out.truncate(kept);
    out.push_str(ending);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_moved_behind_another_and_nothing_else_changes() {
        let text = "# A\n\n### 1\n\nx\n\n### 2\n\ny\n\n### 3\n\nz\n";
        let moved = |after: usize| Edit::Move { blocks: std::iter::once(2..6).collect(), after };
        let remedy = Remedy::new("", vec![moved(9)]);
        assert_eq!(remedy.apply(text).unwrap(), "# A\n\n### 2\n\ny\n\n### 1\n\nx\n\n### 3\n\nz\n");
        let to_end = Remedy::new("", vec![moved(12)]);
        assert_eq!(to_end.apply(text).unwrap(), "# A\n\n### 2\n\ny\n\n### 3\n\nz\n\n### 1\n\nx\n");
    }

    #[test]
    fn several_changes_do_not_shift_each_other() {
        let edits = vec![
            Edit::Insert { after: Some(0), lines: vec!["n".to_owned()] },
            Edit::Replace { line: 1, at: 0..1, new: "B".to_owned() },
            Edit::Remove { line: 2 },
        ];
        assert_eq!(Remedy::new("", edits).apply("a\nb\nc\n").unwrap(), "a\nn\nB\n");
    }
}
