//! Prose as it is read: a paragraph, an item or a row as one text, however its lines are broken.
//!
//! Knows the lines of a document and where each came from; what is said in them is for others. Start at
//! [`passages`].

use super::document::{Document, Kind};
use super::ids::leading;
use super::pace::{Pace, Stopped};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Passage {
    /// The lines it stands on.
    pub(super) lines: Range<usize>,
    /// Its prose, lines joined by a blank.
    pub(super) text: String,
    /// Per line, where it begins in the text and how much of the line was left out before it.
    starts: Vec<(usize, usize)>,
}

pub(super) fn passages(document: &Document<'_>, pace: &Pace<'_>) -> Result<Vec<Passage>, Stopped> {
    let mut found: Vec<Passage> = Vec::new();
    let mut open = false;
    for (at, line) in document.lines.iter().enumerate() {
        pace.step()?;
        let from = match line.kind {
            Kind::Item { text, .. } => text,
            Kind::Text => line.prose.len() - line.prose.trim_start().len(),
            Kind::Row => 0,
            Kind::Blank | Kind::Heading | Kind::Divider | Kind::Code => {
                open = false;
                continue;
            }
        };
        // A line that defines something begins a text of its own, also without a gap before it.
        let goes_on = open && line.kind == Kind::Text && leading(document.said(at)).is_none();
        match found.last_mut().filter(|_| goes_on) {
            Some(passage) => passage.add(&line.prose, from),
            None => {
                let mut passage = Passage { lines: at..at, text: String::new(), starts: Vec::new() };
                passage.add(&line.prose, from);
                found.push(passage);
            }
        }
        open = line.kind != Kind::Row;
    }
    Ok(found)
}

impl Passage {
    fn add(&mut self, prose: &str, from: usize) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.starts.push((self.text.len(), from));
        self.text.push_str(&prose[from..]);
        self.lines.end += 1;
    }

    /// The line a part of the text stands on, and where in it; none if the line breaks inside.
    pub(super) fn place(&self, at: &Range<usize>) -> Option<(usize, Range<usize>)> {
        let index = self.starts.partition_point(|(start, _)| *start <= at.start).checked_sub(1)?;
        let (start, skipped) = self.starts[index];
        let end = self.starts.get(index + 1).map_or(self.text.len(), |(next, _)| *next);
        let shift = |offset: usize| offset - start + skipped;
        (at.end <= end).then(|| (self.lines.start + index, shift(at.start)..shift(at.end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_read_as_one_and_lead_back_to_their_place() {
        let text = "## A\n\n- one that\n  goes on for 5 days\n- two\n\nA paragraph\nof two lines.\nR1. Own.\n| a | b |\n| c | d |\n";
        let document = Document::parse(text, &Pace::calm()).unwrap();
        let found = passages(&document, &Pace::calm()).unwrap();
        let texts: Vec<&str> = found.iter().map(|passage| passage.text.trim()).collect();
        assert_eq!(
            texts,
            [
                "one that goes on for 5 days",
                "two",
                "A paragraph of two lines.",
                "R1. Own.",
                "| a | b |",
                "| c | d |"
            ]
        );
        let at = found[0].text.find("5 days").unwrap();
        let (line, place) = found[0].place(&(at..at + 6)).unwrap();
        assert_eq!(&text.lines().nth(line).unwrap()[place], "5 days");
        let across = found[0].text.find("that goes").unwrap();
        assert_eq!(found[0].place(&(across..across + 9)), None);
    }
}
