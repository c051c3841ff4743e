//! Which lines of a document are code between fences.

use super::Block;
use crate::prelude::*;

/// The fenced blocks of a document, the fences included.
pub(super) fn blocks<'a>(lines: &[&'a str]) -> Vec<Block<'a>> {
    let marks: Vec<Option<Mark>> = lines.iter().map(|line| Mark::of(line)).collect();
    let nested = nested(&marks);
    let even = nested.iter().all(|found| found.closed);
    let found = if even { nested } else { strict(&marks) };
    let label = |line: &'a str| line.trim().trim_start_matches(['`', '~']).trim();
    let block =
        |Found { start, end, closed }| Block { lines: start..end, label: label(lines[start]), closed };
    found.into_iter().map(block).collect()
}

/// The lines of a block that stands in no other.
struct Found {
    start: usize,
    end: usize,
    closed: bool,
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
fn strict(marks: &[Option<Mark>]) -> Vec<Found> {
    let mut open: Option<(usize, Mark)> = None;
    let mut found = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        open = match (open, mark) {
            (None, mark) => mark.map(|mark| (at, mark)),
            (Some((start, open)), Some(mark)) if mark.can_close(open) => {
                found.push(Found { start, end: at + 1, closed: true });
                None
            }
            (open, _) => open,
        };
    }
    found.extend(open.map(|(start, _)| Found { start, end: marks.len(), closed: false }));
    found
}

/// A labelled fence inside a block opens another one.
fn nested(marks: &[Option<Mark>]) -> Vec<Found> {
    let mut open: Vec<(usize, Mark)> = Vec::new();
    let mut found = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        match (open.last(), mark) {
            (None, Some(mark)) => open.push((at, *mark)),
            (Some((start, last)), Some(mark)) if mark.can_close(*last) => {
                if open.len() == 1 {
                    found.push(Found { start: *start, end: at + 1, closed: true });
                }
                open.pop();
            }
            (Some((_, last)), Some(mark)) if mark.can_stand_in(*last) => open.push((at, *mark)),
            _ => {}
        }
    }
    found.extend(open.first().map(|(start, _)| Found { start: *start, end: marks.len(), closed: false }));
    found
}
