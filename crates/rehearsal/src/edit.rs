//! Applies changes to a text that leave every other byte as it was.
//!
//! Knows lines and their endings, nothing else. A new line takes the ending the text already uses. Start at [`apply`].

use std::ops::Range;

/// One change. Lines are counted from 0, places in a line in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edit {
    /// New lines behind a line, or at the top for none.
    Insert {
        after: Option<usize>,
        lines: Vec<String>,
    },
    Replace {
        line: usize,
        at: Range<usize>,
        new: String,
    },
    Remove {
        line: usize,
    },
}

impl Edit {
    /// Later changes are made first, so that the places of the others stay the same.
    fn place(&self) -> (usize, usize) {
        match self {
            Edit::Insert { after, .. } => (after.map_or(0, |line| line + 1), 0),
            Edit::Replace { line, at, .. } => (*line, at.start + 1),
            Edit::Remove { line } => (*line, usize::MAX),
        }
    }
}

/// The text after all of the changes.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut ordered: Vec<&Edit> = edits.iter().collect();
    ordered.sort_by_key(|edit| std::cmp::Reverse(edit.place()));
    ordered.into_iter().fold(text.to_owned(), |text, edit| match edit {
        Edit::Insert { after, lines } => insert_after(&text, *after, lines),
        Edit::Replace { line, at, new } => {
            let start: usize = text.split_inclusive('\n').take(*line).map(str::len).sum();
            let mut out = text;
            out.replace_range(start + at.start..start + at.end, new);
            out
        }
        Edit::Remove { line } => {
            let lines = text.split_inclusive('\n').enumerate();
            lines.filter(|(at, _)| at != line).map(|(_, line)| line).collect()
        }
    })
}

/// Puts new lines behind a line, or at the top for none.
pub(crate) fn insert_after(text: &str, line: Option<usize>, new: &[String]) -> String {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let keep = line.map_or(0, |line| line + 1).min(lines.len());
    let mut out = lines[..keep].concat();
    if keep > 0 && !out.ends_with('\n') {
        out.push_str(ending);
    }
    for line in new {
        out.push_str(line);
        out.push_str(ending);
    }
    out.push_str(&lines[keep..].concat());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_take_the_ending_of_the_text() {
        let new = ["x".to_owned()];
        assert_eq!(insert_after("a\r\nb\r\n", Some(0), &new), "a\r\nx\r\nb\r\n");
        assert_eq!(insert_after("a\nb", Some(1), &new), "a\nb\nx\n");
        assert_eq!(insert_after("a\n", None, &new), "x\na\n");
    }

    #[test]
    fn several_changes_do_not_disturb_each_other_and_the_rest_is_kept() {
        let edits = [
            Edit::Insert { after: Some(0), lines: vec!["new".to_owned()] },
            Edit::Replace { line: 1, at: 0..1, new: "XX".to_owned() },
            Edit::Replace { line: 1, at: 2..3, new: "Y".to_owned() },
            Edit::Remove { line: 2 },
        ];
        assert_eq!(apply("a\r\nbcd\r\ngone\r\nend", &edits), "a\r\nnew\r\nXXcY\r\nend");
    }
}
