//! Replaces secrets before a text is sent, hashed, stored, shown or committed.
//!
//! [`Redactor::redact`] replaces them by `[redacted:KIND]`; [`Redactor::find`] only says on which lines they stand. It
//! combines two sources: values the program was given (keys from the environment or from a file), and shapes that are
//! secret wherever they occur. Each file below recognises one family of shapes in one pass over the text; `view` also
//! has them look at the text as a reader sees it, and [`Lines`] is for texts that come line by line. Nothing here knows
//! where a text comes from or goes to, and nothing it returns except the redacted text holds any part of it.

mod assignment;
mod base64;
mod entropy;
mod header;
mod kind;
mod lines;
mod link;
mod name;
mod passphrase;
mod pem;
mod shape;
#[cfg(test)]
mod tests;
mod typed;
mod vendors;
mod view;

use crate::prelude::*;
use alloc::borrow::Cow;
use core::fmt;
use core::ops::Range;

pub use kind::SecretKind;
pub use lines::{Lines, OpenKey};
pub use name::{is_secret_name, is_secret_variable};
pub use typed::Typed;

/// Shorter values are words, ports and user names; replacing them would shred ordinary text.
const KNOWN_CHARS_MIN: usize = 8;

/// Shorter lines of a value stand in other texts, too.
const LINE_CHARS_MIN: usize = 16;

/// A replacement can complete another secret with the text next to it, so the result is searched again until nothing is
/// found. Only known values that imitate markers need more than two or three passes.
const PASSES_MAX: usize = 8;

/// Knows the values to hide. Its debug form does not show them.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first.
    known: Vec<String>,
}

/// A secret, by its place in the text that was searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub kind: SecretKind,
    pub range: Range<usize>,
}

/// A secret, as it is reported to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundSecret {
    /// Counted from 1; where the secret begins.
    pub line: usize,
    pub kind: SecretKind,
}

impl Redactor {
    /// Values shorter than 8 characters are ignored, and so are those that are part of a marker: they could only be
    /// hidden by writing them.
    pub fn new(known_values: Vec<String>) -> Redactor {
        let markers: Vec<String> = SecretKind::ALL.into_iter().map(SecretKind::marker).collect();
        let mut known: Vec<String> = known_values.iter().flat_map(|value| forms(value.trim())).collect();
        known.retain(|value| value.chars().count() >= KNOWN_CHARS_MIN);
        known.retain(|value| !markers.iter().any(|marker| marker.contains(value)));
        known.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        known.dedup();
        Redactor { known }
    }

    /// The same with more values to hide.
    pub fn knowing(&self, more: Vec<String>) -> Redactor {
        Redactor::new(self.known.iter().cloned().chain(more).collect())
    }

    /// The values to hide, for a process that has to hide them too. They are written nowhere else.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// The text without its secrets, borrowed if it has none, and where they stood, in order.
    pub fn redact<'a>(&self, text: &'a str) -> (Cow<'a, str>, Vec<Hit>) {
        let mut hits: Vec<Hit> = Vec::new();
        for _ in 0..PASSES_MAX {
            let shown = Shown::new(text, &hits);
            let more = self.search(&shown.text);
            if more.is_empty() {
                return (shown.text, hits);
            }
            let more = more.into_iter().map(|hit| shown.in_original(hit));
            hits = merged(hits.into_iter().chain(more).collect());
        }
        // Known values that fit markers in endless ways: hide everything rather than leave one.
        let all = Hit { kind: SecretKind::Known, range: 0..text.len() };
        (Cow::Owned(SecretKind::Known.marker()), vec![all])
    }

    /// Where secrets stand, for a refusal that names lines.
    pub fn find(&self, text: &str) -> Vec<FoundSecret> {
        let (_, hits) = self.redact(text);
        let (mut line, mut counted) = (1, 0);
        let mut out = Vec::with_capacity(hits.len());
        for Hit { kind, range } in hits {
            line += text[counted..range.start].matches('\n').count();
            counted = range.start;
            out.push(FoundSecret { line, kind });
        }
        out
    }

    /// One pass: every secret in the text, without overlaps. A secret that touches a marker takes all of it.
    fn search(&self, text: &str) -> Vec<Hit> {
        let as_written = |text: &str| self.search_as_written(text);
        let mut hits = as_written(text);
        hits.extend(view::hits(text, &as_written));
        if hits.is_empty() {
            return hits;
        }
        let markers = kind::markers(text);
        hits.retain_mut(|hit| widen(&mut hit.range, &markers));
        merged(hits)
    }

    fn search_as_written(&self, text: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        for value in &self.known {
            let found = text.match_indices(value.as_str());
            hits.extend(found.map(|(at, _)| Hit { kind: SecretKind::Known, range: at..at + value.len() }));
        }
        shape::search(text, &mut hits);
        pem::search(text, &mut hits);
        header::search(text, &mut hits);
        link::search(text, &mut hits);
        assignment::search(text, &mut hits);
        hits
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} known values)", self.known.len())
    }
}

/// A value as it is, with its escapes read, and those of its lines that are enough to recognise it: a key is printed
/// line by line, with something before each. (Its form inside JSON is found where that is read.)
fn forms(value: &str) -> Vec<String> {
    let read = view::once(value).map(|read| read.trim().to_owned());
    let whole: Vec<String> = [value.to_owned()].into_iter().chain(read).collect();
    let lines =
        whole.iter().filter(|value| value.contains('\n')).flat_map(|value| value.lines().map(str::trim));
    let telling = lines.filter(|line| entropy::looks_random(line, LINE_CHARS_MIN) && !line.contains(' '));
    let telling: Vec<String> = telling.map(str::to_owned).collect();
    whole.into_iter().chain(telling).collect()
}

/// Makes a range cover the markers it overlaps. False if there is nothing in it but one marker, or part of one.
fn widen(range: &mut Range<usize>, markers: &[Range<usize>]) -> bool {
    let first = markers.partition_point(|marker| marker.end <= range.start);
    for marker in &markers[first..] {
        if marker.start >= range.end {
            break;
        }
        if marker.start <= range.start && range.end <= marker.end {
            return false;
        }
        *range = range.start.min(marker.start)..range.end.max(marker.end);
    }
    true
}

/// In order, with overlapping ones joined.
fn merged(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.range.start, hit.range.end));
    let mut out: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match out.last_mut() {
            Some(last) if hit.range.start < last.range.end => {
                last.range.end = last.range.end.max(hit.range.end);
                last.kind = last.kind.min(hit.kind);
            }
            _ => out.push(hit),
        }
    }
    out
}

/// A text with some secrets replaced, and the way back to places in the original.
struct Shown<'a> {
    text: Cow<'a, str>,
    /// Where each marker stands here, and what it stands for there.
    replaced: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Shown<'a> {
    fn new(original: &'a str, hits: &[Hit]) -> Shown<'a> {
        if hits.is_empty() {
            return Shown { text: Cow::Borrowed(original), replaced: Vec::new() };
        }
        let mut text = String::with_capacity(original.len());
        let mut replaced = Vec::with_capacity(hits.len());
        let mut copied = 0;
        for Hit { kind, range } in hits {
            text.push_str(&original[copied..range.start]);
            let start = text.len();
            text.push_str(&kind.marker());
            replaced.push((start..text.len(), range.clone()));
            copied = range.end;
        }
        text.push_str(&original[copied..]);
        Shown { text: Cow::Owned(text), replaced }
    }

    fn in_original(&self, hit: Hit) -> Hit {
        Hit { kind: hit.kind, range: self.place(hit.range.start)..self.place(hit.range.end) }
    }

    /// A place that lies in no marker. Hits cover markers wholly, so their ends never do.
    fn place(&self, at: usize) -> usize {
        let before = self.replaced.partition_point(|(here, _)| here.end <= at);
        match before.checked_sub(1).map(|last| &self.replaced[last]) {
            Some((here, there)) => there.end + (at - here.end),
            None => at,
        }
    }
}
