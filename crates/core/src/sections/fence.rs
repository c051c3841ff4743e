//! Which lines of a document are code between fences.

use crate::prelude::*;

/// For each line, whether it belongs to a fenced block, the fences included.
pub(super) fn fenced(lines: &[&str]) -> Vec<bool> {
    let marks: Vec<Option<Mark>> = lines.iter().map(|line| Mark::of(line)).collect();
    let (nested, even) = nested(&marks);
    if even { nested } else { strict(&marks) }
}

/// A line that may open or close a fenced block.
#[derive(Clone, Copy)]
struct Mark {
    tilde: bool,
    length: usize,
    /// Something follows the fence, so it can open a block and cannot close one.
    labelled: bool,
}

impl Mark {
    fn of(line: &str) -> Option<Mark> {
        const LENGTH_MIN: usize = 3;
        let text = line.trim();
        let fence = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let label = text.trim_start_matches(fence);
        let length = text.len() - label.len();
        // Code in a line of prose begins with backticks as well, and ends with them.
        let inline = fence == '`' && label.contains('`');
        (length >= LENGTH_MIN && !inline).then_some(Mark {
            tilde: fence == '~',
            length,
            labelled: !label.trim().is_empty(),
        })
    }

    fn can_close(self, open: Mark) -> bool {
        self.tilde == open.tilde && self.length >= open.length && !self.labelled
    }

    fn can_stand_in(self, open: Mark) -> bool {
        self.tilde == open.tilde && self.length >= open.length && self.labelled
    }
}

/// CommonMark's reading: the first fence that can close a block closes it.
fn strict(marks: &[Option<Mark>]) -> Vec<bool> {
    let mut open: Option<Mark> = None;
    let mut inside = Vec::with_capacity(marks.len());
    for mark in marks {
        inside.push(open.is_some() || mark.is_some());
        open = match (open, mark) {
            (None, mark) => *mark,
            (Some(open), Some(mark)) if mark.can_close(open) => None,
            (open, _) => open,
        };
    }
    inside
}

/// A labelled fence inside a block opens another one. Also whether all were closed at the end.
fn nested(marks: &[Option<Mark>]) -> (Vec<bool>, bool) {
    let mut open: Vec<Mark> = Vec::new();
    let mut inside = Vec::with_capacity(marks.len());
    for mark in marks {
        inside.push(!open.is_empty() || mark.is_some());
        match (open.last(), mark) {
            (None, Some(mark)) => open.push(*mark),
            (Some(last), Some(mark)) if mark.can_close(*last) => {
                open.pop();
            }
            (Some(last), Some(mark)) if mark.can_stand_in(*last) => open.push(*mark),
            _ => {}
        }
    }
    (inside, open.is_empty())
}
