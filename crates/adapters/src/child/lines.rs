//! Reads lines of bounded length from a stream of any length.

use std::io::{self, BufRead};

/// No line of an agent is longer, unless something is wrong with it.
pub(super) const LINE_BYTES_MAX: usize = 16 << 20;

/// One step through a stream.
#[derive(Debug, PartialEq, Eq)]
pub enum StreamLine {
    /// Without its line break. The last one may have had none.
    Whole(Vec<u8>),
    /// A line that was longer than allowed; it is skipped and not kept.
    TooLong,
    /// More of a line arrived; nothing to read yet, but a sign of life.
    Part,
}

/// Reads line by line; what exceeds `max` bytes is never held in memory.
pub(super) struct Bounded<R> {
    reader: R,
    max: usize,
    held: Vec<u8>,
    skipping: bool,
}

impl<R: BufRead> Bounded<R> {
    pub(super) fn new(reader: R, max: usize) -> Self {
        Bounded { reader, max, held: Vec::new(), skipping: false }
    }

    /// The next step; none at the end of the stream.
    pub(super) fn step(&mut self) -> io::Result<Option<StreamLine>> {
        let available = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        if available.is_empty() {
            return Ok(self.last());
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let piece = &available[..end.unwrap_or(available.len())];
        if self.held.len() + piece.len() > self.max {
            self.skipping = true;
            self.held = Vec::new();
        }
        if !self.skipping {
            self.held.extend_from_slice(piece);
        }
        let used = piece.len() + usize::from(end.is_some());
        self.reader.consume(used);
        Ok(Some(if end.is_some() { self.finish() } else { StreamLine::Part }))
    }

    fn finish(&mut self) -> StreamLine {
        let held = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.skipping) { StreamLine::TooLong } else { StreamLine::Whole(held) }
    }

    fn last(&mut self) -> Option<StreamLine> {
        (self.skipping || !self.held.is_empty()).then(|| self.finish())
    }
}
