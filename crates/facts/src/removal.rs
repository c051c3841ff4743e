//! Takes a known secret out of bytes, however it is spelt there: as it is, inside JSON strings (also several deep), broken
//! over lines, percent-encoded, or in base64.
//!
//! [`crate::redact`] keeps secrets from coming in and has to guess what one is. This is for one that has come in and
//! that a person names. It does not know what the bytes belong to.

mod spelling;
#[cfg(test)]
mod tests;

use crate::prelude::*;
use core::fmt;
use core::ops::Range;
use serde_json::Value;
use spelling::View;

/// What stands in the place of a secret.
pub const MARKER: &str = "[redacted]";

/// A shorter text would be found in ordinary words.
pub const CHARS_MIN: usize = 6;

/// A line of a longer secret is looked for by itself from this many characters on, because others put things between
/// lines.
const LINE_CHARS_MIN: usize = 16;

/// In base64 fewer characters could be chance.
const BASE64_CHARS_MIN: usize = 12;

/// JSON inside JSON inside JSON; deeper than any file of ours goes.
const DEPTH_MAX: usize = 3;

/// What is left around a marker may be the secret again, if it is written into itself.
const PASSES_MAX: usize = 4;

/// The spellings of a secret.
#[derive(Clone)]
pub struct Removal {
    needles: Vec<Vec<u8>>,
    /// Names in which the secret is left, because things are found by these names.
    names: Vec<Vec<u8>>,
}

/// Why a text cannot be taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("it has fewer than {CHARS_MIN} characters, so it would be found in ordinary words")]
    Short,
    #[error("it is part of `{MARKER}`, the text that would replace it")]
    Marker,
}

impl Removal {
    pub fn new(secret: &str) -> Result<Removal, Unfit> {
        let secret = secret.trim();
        let whole = spelling::joined(secret.as_bytes(), None);
        if secret.chars().filter(|letter| !letter.is_whitespace()).count() < CHARS_MIN {
            return Err(Unfit::Short);
        }
        if MARKER.contains(secret) {
            return Err(Unfit::Marker);
        }
        let mut needles = vec![whole];
        let lines = secret.lines().map(str::trim);
        let telling = |line: &&str| {
            line.chars().count() >= LINE_CHARS_MIN && !line.contains(' ') && !line.starts_with("-----")
        };
        needles.extend(lines.filter(telling).map(|line| line.as_bytes().to_vec()));
        needles.extend(spelling::base64(secret.as_bytes(), BASE64_CHARS_MIN));
        needles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        needles.dedup();
        Ok(Removal { needles, names: Vec::new() })
    }

    /// The same for both secrets together.
    #[must_use]
    pub fn and(mut self, other: Removal) -> Removal {
        self.needles.extend(other.needles);
        self.names.extend(other.names);
        self
    }

    /// Leaves the secret where it is a part of one of these names.
    #[must_use]
    pub fn except_in(mut self, names: impl IntoIterator<Item = String>) -> Removal {
        self.names.extend(names.into_iter().map(String::into_bytes));
        self
    }

    /// Whether the bytes hold the secret.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        match self.names.is_empty() {
            true => self.is_anywhere_in(bytes),
            false => !self.ranges(bytes).is_empty(),
        }
    }

    /// The same, whatever it is a part of.
    pub fn is_anywhere_in(&self, bytes: &[u8]) -> bool {
        self.views(bytes, |view| self.needles.iter().any(|needle| find(&view.bytes, needle, 0).is_some()))
    }

    /// The bytes without the secret, and at how many places it stood; none if it is not there.
    pub fn apply(&self, bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
        let mut cleaned: Option<(Vec<u8>, usize)> = None;
        for _ in 0..PASSES_MAX {
            let now = cleaned.as_ref().map_or(bytes, |(bytes, _)| bytes);
            let ranges = self.ranges(now);
            if ranges.is_empty() {
                break;
            }
            let (found, replaced) = (ranges.len(), replaced(now, &ranges));
            let before = cleaned.map_or(0, |(_, count)| count);
            cleaned = Some((replaced, before + found));
        }
        cleaned
    }

    /// The same in every text of a JSON value, which stays as it is otherwise.
    pub fn apply_to_json(&self, value: &mut Value) -> usize {
        match value {
            Value::String(text) => match self.apply(text.as_bytes()) {
                Some((cleaned, count)) => {
                    *text = String::from_utf8_lossy(&cleaned).into_owned();
                    count
                }
                None => 0,
            },
            Value::Array(values) => values.iter_mut().map(|value| self.apply_to_json(value)).sum(),
            Value::Object(fields) => {
                let mut count = 0;
                for (name, mut value) in core::mem::take(fields) {
                    count += self.apply_to_json(&mut value);
                    let cleaned = self.apply(name.as_bytes());
                    count += cleaned.as_ref().map_or(0, |(_, count)| *count);
                    let name = cleaned.map_or(name, |(name, _)| String::from_utf8_lossy(&name).into_owned());
                    fields.insert(name, value);
                }
                count
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    /// Where the secret stands, without overlaps, in order.
    fn ranges(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        // Most bytes hold nothing; where each came from is only worked out for those that do.
        if !self.is_anywhere_in(bytes) {
            return Vec::new();
        }
        let names: Vec<Range<usize>> = self.names.iter().flat_map(|name| all(bytes, name)).collect();
        let mut found: Vec<Range<usize>> = Vec::new();
        self.views(bytes, |view| {
            for needle in &self.needles {
                let mut from = 0;
                while let Some(at) = find(&view.bytes, needle, from) {
                    let range = view.origin(bytes, at..at + needle.len());
                    if !names.iter().any(|name| name.start <= range.start && range.end <= name.end) {
                        found.push(range);
                    }
                    from = at + needle.len();
                }
            }
            false
        });
        found.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in found {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }

    /// Shows every way to read the bytes, until one is enough.
    fn views(&self, bytes: &[u8], mut look: impl FnMut(&View) -> bool) -> bool {
        let decoders: [spelling::Decoder; 2] = [spelling::unescaped, spelling::unpercented];
        if look(&View::read(bytes, &[])) {
            return true;
        }
        for (decoder, mark) in decoders.into_iter().zip(*b"\\%") {
            let mut steps: Vec<spelling::Decoder> = Vec::new();
            let mut decoded = bytes.to_vec();
            while steps.len() < DEPTH_MAX && decoded.contains(&mark) {
                steps.push(decoder);
                decoded = decoder(&decoded, None);
                if look(&View::read(bytes, &steps)) {
                    return true;
                }
            }
        }
        false
    }
}

impl fmt::Debug for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Removal({} spellings)", self.needles.len())
    }
}

/// The new ids of git objects and blobs that were rewritten, by their old ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renamed(pub BTreeMap<String, String>);

impl Renamed {
    /// The bytes with the new ids; none if no old one is there.
    pub fn apply(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.0.is_empty() {
            return None;
        }
        let mut out: Option<Vec<u8>> = None;
        for word in ids(bytes) {
            let Some(new) = bytes
                .get(word.clone())
                .and_then(|id| core::str::from_utf8(id).ok())
                .and_then(|id| self.0.get(id))
            else {
                continue;
            };
            // An id and its successor are equally long, so places stay where they are.
            let out = out.get_or_insert_with(|| bytes.to_vec());
            if let Some(place) = out.get_mut(word).filter(|place| place.len() == new.len()) {
                place.copy_from_slice(new.as_bytes());
            }
        }
        out
    }
}

/// Every whole id in the bytes: 40 or 64 hexadecimal digits with none next to them.
pub fn ids(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let run = bytes[start..].iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
        if matches!(run, 40 | 64) {
            found.push(start..start + run);
        }
        start += run + 1;
    }
    found
}

fn replaced(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for range in ranges {
        out.extend_from_slice(&bytes[from..range.start]);
        out.extend_from_slice(MARKER.as_bytes());
        from = range.end;
    }
    out.extend_from_slice(&bytes[from..]);
    out
}

/// Every place where the needle stands.
fn all(bytes: &[u8], needle: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    while let Some(at) = find(bytes, needle, found.last().map_or(0, |last| last.end)) {
        found.push(at..at + needle.len());
    }
    found
}

fn find(bytes: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let first = *needle.first()?;
    let mut at = from;
    while at + needle.len() <= bytes.len() {
        at += bytes[at..].iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
    None
}
