//! Recognises tokens that have a vendor's own prefix, and those of several parts between dots.

use super::Hit;
use super::vendors::Body::{self, Alphanumeric, Capitals, Dashed, Hex};
use super::vendors::Length::{AtLeast, Exactly};
use super::vendors::{BEGINNINGS, DOTTED, SHAPES, Shape};
use crate::prelude::*;

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    // Bodies with dashes can hold further prefixes. What one attempt has read in vain is not read again by another of
    // that sort; that keeps the time linear.
    let (mut taken_to, mut refused_to) = (0, 0);
    for at in 0..bytes.len() {
        if at < taken_to || !begins(bytes, at) {
            continue;
        }
        let rest = &text[at..];
        // Most prefixes differ in a letter that is compared here without a call.
        let second = bytes.get(at + 1);
        let likely = |prefix: &str| prefix.as_bytes()[0] == bytes[at] && prefix.as_bytes().get(1) == second;
        let shape = SHAPES.iter().find(|shape| likely(shape.prefix) && rest.starts_with(shape.prefix));
        let parts = DOTTED.iter().find(|(_, start, _)| likely(start) && rest.starts_with(start));
        let (kind, dashed) = match (shape, parts) {
            (Some(shape), _) => (shape.kind, shape.body == Dashed),
            (None, Some((kind, _, _))) => (*kind, true),
            (None, None) => continue,
        };
        if dashed && at < refused_to {
            continue;
        }
        let least = parts.map_or([].as_slice(), |(_, _, least)| least);
        let (length, fits) = shape.map_or_else(|| dotted(rest.as_bytes(), least), |shape| shape.read(rest));
        if fits {
            hits.push(Hit { kind, range: at..at + length });
            taken_to = at + length;
        } else if dashed {
            refused_to = at + length;
        }
    }
}

impl Shape {
    /// How far the token at the start of `text` reaches, and whether it is one.
    fn read(&self, text: &str) -> (usize, bool) {
        let start = self.prefix.len();
        let end = start + run(&text.as_bytes()[start..], self.body);
        let body = &text[start..end];
        let long_enough = match self.length {
            Exactly(length) => body.len() == length,
            AtLeast(length) => body.len() >= length,
        };
        let has_digit = |part: &str| part.bytes().any(|b| b.is_ascii_digit());
        let dense = |part: &str| part.len() >= self.together && (!self.digit || has_digit(part));
        let mut parts = body.split(|c: char| !c.is_ascii_alphanumeric());
        let cut = self.body == Hex && text.as_bytes().get(end).is_some_and(u8::is_ascii_alphanumeric);
        let long_enough = long_enough && !cut;
        (end, long_enough && parts.any(dense) && !is_blanked(body))
    }
}

/// Whether a token can begin here: not in the middle of a word.
fn begins(bytes: &[u8], at: usize) -> bool {
    let letter = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let (seconds, thirds) = BEGINNINGS.get(usize::from(bytes[at])).copied().unwrap_or_default();
    let is_in = |row: u128, letter: u8| letter.is_ascii() && row & (1 << letter) != 0;
    is_in(seconds, letter(at + 1))
        && is_in(thirds, letter(at + 2))
        && at.checked_sub(1).is_none_or(|before| !bytes[before].is_ascii_alphanumeric())
}

/// `sk-ant-xxxxxxxx`, `ghp_0000…`: how examples write a key.
fn is_blanked(body: &str) -> bool {
    let first = body.bytes().next();
    body.to_ascii_lowercase().contains("xxxxxx") || body.bytes().all(|b| Some(b) == first)
}

/// How far the parts between dots reach, if they are a token; otherwise how far the first part reaches.
fn dotted(bytes: &[u8], parts: &[usize]) -> (usize, bool) {
    let mut length = 0;
    for (part, least) in parts.iter().enumerate() {
        length += usize::from(part > 0);
        let run = run(&bytes[length..], Dashed);
        length += run;
        let more = part + 1 == parts.len() || bytes.get(length) == Some(&b'.');
        if run < *least || !more {
            return (self::run(bytes, Dashed), false);
        }
    }
    (length, true)
}

/// How many bytes from the start belong to a body.
fn run(bytes: &[u8], body: Body) -> usize {
    let belongs = |b: &u8| match body {
        Alphanumeric => b.is_ascii_alphanumeric(),
        Dashed => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'),
        Capitals => b.is_ascii_uppercase() || b.is_ascii_digit(),
        Hex => b.is_ascii_digit() || (b'a'..=b'f').contains(b),
    };
    bytes.iter().take_while(|b| belongs(b)).count()
}
