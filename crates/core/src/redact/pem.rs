//! Private keys between `-----BEGIN … PRIVATE KEY-----` and `-----END`.
//!
//! A key is found in a file, in a diff, behind line numbers, in one line of JSON with `\n` in it, and cut off before
//! its end. The header alone, as documentation quotes it, is not a key.

use super::{Hit, Kind};
use crate::prelude::*;

const DASHES: &str = "-----";
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// `-----BEGIN ENCRYPTED PRIVATE KEY-----` and the like are shorter.
const LABEL_BYTES_MAX: usize = 48;
/// Words of a key's body are at least this long, except the last.
const BODY_WORD_MIN: usize = 16;
/// Fewer letters of a body than this give nothing away.
const BODY_LETTERS_MIN: usize = 32;
/// Lines that may stand before the body of an older key.
const HEADERS: [&str; 4] = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    for (at, _) in text.match_indices(BEGIN) {
        let Some(body) = body_start(text, at + BEGIN.len()) else { continue };
        if let Some(end) = body_end(text, body) {
            hits.push(Hit { kind: Kind::PrivateKey, range: at..end });
        }
    }
}

/// Behind the header, if it announces a private key.
fn body_start(text: &str, label: usize) -> Option<usize> {
    let window = &text.as_bytes()[label..text.len().min(label + LABEL_BYTES_MAX)];
    let length = window.windows(DASHES.len()).position(|five| five == DASHES.as_bytes())?;
    let name = text.get(label..label + length)?;
    let private = name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK");
    private.then_some(label + length + DASHES.len())
}

/// Where the key ends: behind its last line, or where text of another kind begins.
fn body_end(text: &str, body: usize) -> Option<usize> {
    let mut letters = 0;
    let (mut at, mut end) = (body, body);
    loop {
        let piece = piece(&text[at..]);
        let Some(count) = key_letters(piece) else { break };
        letters += count;
        if !piece.trim().is_empty() {
            end = at + piece.trim_end().len();
        }
        at += piece.len();
        let rest = &text[at..];
        if rest.starts_with(END) {
            end = closed(text, at);
            break;
        }
        match rest.as_bytes().first() {
            Some(b'\n') => at += 1,
            Some(b'\\') => at += 2,
            _ => break,
        }
    }
    (letters >= BODY_LETTERS_MIN).then_some(end)
}

/// Behind the dashes that close the last line, or behind `-----END ` if it is cut off there.
fn closed(text: &str, at: usize) -> usize {
    body_start(text, at + END.len()).unwrap_or(at + END.len())
}

/// Up to the end of the line, a written `\n`, or dashes.
fn piece(text: &str) -> &str {
    let bytes = text.as_bytes();
    let stops = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\\' => matches!(bytes.get(at + 1), Some(b'n' | b'r')),
        b'-' => bytes[*at..].starts_with(DASHES.as_bytes()),
        _ => false,
    };
    let end = (0..bytes.len()).find(stops).unwrap_or(bytes.len());
    &text[..end]
}

/// How many letters of a key a line holds; none if it is another kind of line. A number may stand before the key.
fn key_letters(line: &str) -> Option<usize> {
    if HEADERS.iter().any(|header| line.contains(header)) {
        return Some(0);
    }
    let frame = |c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | '>' | '|' | '#' | '*' | ':' | '+' | '-');
    let mut letters = 0;
    let mut words = 0;
    for word in line.split_whitespace() {
        let word = word.trim_matches(frame);
        if !word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')) {
            return None;
        }
        words += usize::from(!word.is_empty());
        if word.len() >= BODY_WORD_MIN {
            letters += word.len();
        }
    }
    (words <= 2).then_some(letters)
}
