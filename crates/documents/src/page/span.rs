//! Code inside a line, between backticks.

use alloc::borrow::Cow;
use core::ops::Range;
use redraft_facts::prelude::*;

/// Code between two equal runs of backticks. Places are bytes of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// With the backticks.
    pub whole: Range<usize>,
    /// Between them.
    pub inside: Range<usize>,
}

/// In a longer line nothing is a code span: looking for partners takes quadratic time in a line that was made for it.
const BYTES_MAX: usize = 64 * 1024;

/// The code spans of a line, in order. A run of backticks without a partner is text.
pub fn spans(line: &str) -> Vec<Span> {
    let mut found = Vec::new();
    if line.len() > BYTES_MAX {
        return found;
    }
    let mut from = 0;
    while let Some((open, start)) = run(line, from) {
        match closing(line, start, start - open) {
            Some((close, end)) => {
                found.push(Span { whole: open..end, inside: start..close });
                from = end;
            }
            None => from = start,
        }
    }
    found
}

/// The contents of the code spans of a line.
pub fn contents(line: &str) -> impl Iterator<Item = &str> {
    spans(line).into_iter().map(|span| &line[span.inside])
}

/// Replaces a code span: it shows that something is there, and it is not a word.
pub const CODE: char = '\u{fffc}';

/// The line with [`CODE`] in place of every code span.
pub fn without_code(line: &str) -> Cow<'_, str> {
    if !line.contains('`') {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut from = 0;
    for span in spans(line) {
        out.push_str(&line[from..span.whole.start]);
        out.push(CODE);
        from = span.whole.end;
    }
    out.push_str(&line[from..]);
    Cow::Owned(out)
}

/// The next run of backticks: where it begins and ends.
fn run(line: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + line[from..].find('`')?;
    let length = line[start..].bytes().take_while(|byte| *byte == b'`').count();
    Some((start, start + length))
}

/// The next run of exactly this length.
fn closing(line: &str, from: usize, length: usize) -> Option<(usize, usize)> {
    let mut from = from;
    while let Some((start, end)) = run(line, from) {
        if end - start == length {
            return Some((start, end));
        }
        from = end;
    }
    None
}
