//! Private keys between `-----BEGIN … PRIVATE KEY-----` and `-----END`.
//!
//! A key is found in a file, in a diff, after line numbers, after what a log writes before each line, cut off before
//! its end or after its beginning. (In one line of JSON, with `\n` in it, it is found where that is read as an end of
//! line.) The header alone, as documentation quotes it, is not a key. [`Reading`] follows a key line by line, also for
//! texts that come that way.

use super::entropy::looks_random;
use super::{Hit, SecretKind};
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
/// What a log writes before each line is shorter.
const PREFIX_BYTES_MAX: usize = 200;
/// Lines that may stand before the body of an older key.
const HEADERS: [&str; 4] = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let mut taken_to = 0;
    for (at, _) in text.match_indices(DASHES) {
        if at < taken_to {
            continue;
        }
        let rest = &text[at..];
        let range = match (rest.starts_with(BEGIN), rest.starts_with(END)) {
            (true, _) => from_beginning(text, at).map(|end| at..end),
            (_, true) => up_to_end(text, at, taken_to).map(|start| start..closed(text, at)),
            (false, false) => None,
        };
        if let Some(range) = range {
            taken_to = range.end;
            hits.push(Hit { kind: SecretKind::PrivateKey, range });
        }
    }
}

/// Where the key that begins at `at` ends: after its last line, or where text of another kind begins.
fn from_beginning(text: &str, at: usize) -> Option<usize> {
    let mut from = label(text, at + BEGIN.len())?;
    let mut reading = Reading::from_prefix(line_start(text, at).map_or("", |start| &text[start..at]));
    let mut end = from;
    loop {
        let line = line_from(text, from);
        match reading.take(line) {
            Line::Body => {
                let shown = line.trim_end();
                end = if shown.is_empty() { end } else { from + shown.len() };
            }
            Line::Last(length) => {
                end = from + length;
                break;
            }
            Line::Other => break,
        }
        from += line.len() + 1;
        if from > text.len() {
            break;
        }
    }
    reading.is_key().then_some(end)
}

/// Where the lines of a key begin whose last line has its mark at `at`, not before `floor`.
fn up_to_end(text: &str, at: usize, floor: usize) -> Option<usize> {
    let behind = label(text, at + END.len())?;
    let last = line_start(text, at)?;
    let mut reading = Reading::from_prefix(&text[last..at]);
    let suffix = text[behind..].split('\n').next().filter(|suffix| suffix.len() <= PREFIX_BYTES_MAX);
    reading.suffix = Some(suffix.unwrap_or_default().to_owned());
    let (mut start, mut to) = (None, last);
    while to > floor {
        let from = text[..to - 1].rfind('\n').map_or(0, |newline| newline + 1).max(floor);
        let line = &text[from..to - 1];
        let letters = reading.letters;
        if line.contains(DASHES) || reading.take(line) != Line::Body {
            break;
        }
        // A line without letters of a key could be any line; only the last one of a key may be short.
        let short = start.is_none() && !line.trim().is_empty();
        if reading.letters == letters && !short {
            break;
        }
        start = Some(from + (line.len() - line.trim_start().len()));
        to = from;
    }
    start.filter(|_| reading.is_key())
}

/// What a line is to a key that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// Part of the key, or empty.
    Body,
    /// The key ends in it, this many bytes from its start.
    Last(usize),
    Other,
}

/// A key that is being read.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// What stands before the header in its line; a log writes the like before every line.
    prefix: String,
    /// What comes after the header in its line, if that is not the key; none until it was read.
    suffix: Option<String>,
    letters: usize,
}

impl Reading {
    /// The key that begins in this line, if one does, and where the text after its header begins, which is still to be
    /// taken.
    pub(super) fn begun(line: &str) -> Option<(Reading, usize)> {
        // The last one: whatever is before it ends in this line, or is no key.
        let at = line.rfind(BEGIN)?;
        let body = label(line, at + BEGIN.len())?;
        Some((Reading::from_prefix(&line[..at]), body))
    }

    fn from_prefix(prefix: &str) -> Reading {
        let prefix = if prefix.len() > PREFIX_BYTES_MAX { "" } else { prefix };
        Reading { prefix: prefix.to_owned(), suffix: None, letters: 0 }
    }

    /// Whether enough was read to be a secret.
    pub(super) fn is_key(&self) -> bool {
        self.letters >= BODY_LETTERS_MIN
    }

    /// The next line, without its end; first what is after the header.
    pub(super) fn take(&mut self, line: &str) -> Line {
        if let Some(at) = line.find(DASHES) {
            let closes = line[at..].starts_with(END);
            return match self.letters_of(&line[..at]).filter(|_| closes) {
                Some(letters) => {
                    self.letters += letters;
                    Line::Last(closed(line, at))
                }
                None => Line::Other,
            };
        }
        let first = self.suffix.is_none();
        self.suffix.get_or_insert_default();
        match self.letters_of(line) {
            Some(letters) => {
                self.letters += letters;
                Line::Body
            }
            None if first && line.len() <= PREFIX_BYTES_MAX => {
                self.suffix = Some(line.to_owned());
                Line::Body
            }
            None => Line::Other,
        }
    }

    /// How many letters of a key a line holds; none if it is another kind of line. What stood before the header may stand
    /// before the key, with other digits, or as many words.
    fn letters_of(&self, line: &str) -> Option<usize> {
        let suffix = self.suffix.as_deref().unwrap_or_default();
        let line = line.strip_suffix(suffix).unwrap_or(line);
        key_letters(line)
            .or_else(|| key_letters(same_shape(line, &self.prefix)?))
            .or_else(|| self.behind_as_many_words(line))
    }

    fn behind_as_many_words(&self, line: &str) -> Option<usize> {
        let before = self.prefix.split_whitespace().count();
        let mut words = line.split_whitespace().skip(before);
        let (body, more) = (words.next()?, words.next());
        let letters = key_letters(body).filter(|_| before > 0 && more.is_none())?;
        let known = self.is_key() || looks_random(body, BODY_WORD_MIN);
        known.then_some(letters)
    }
}

/// The rest of a line after a beginning like this one, in which other digits may stand.
fn same_shape<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let beginning = line.as_bytes().get(..prefix.len())?;
    let same = |(a, b): (&u8, &u8)| a == b || a.is_ascii_digit() && b.is_ascii_digit();
    let alike = !prefix.is_empty() && beginning.iter().zip(prefix.as_bytes()).all(same);
    line.get(prefix.len()..).filter(|_| alike)
}

/// Behind the dashes of a label that announces a private key.
fn label(text: &str, from: usize) -> Option<usize> {
    let window = &text.as_bytes()[from..text.len().min(from + LABEL_BYTES_MAX)];
    let length = window.windows(DASHES.len()).position(|five| five == DASHES.as_bytes())?;
    let name = text.get(from..from + length)?;
    let private = name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK");
    private.then_some(from + length + DASHES.len())
}

/// After the dashes that close the last line, or after `-----END ` if it is cut off there.
fn closed(text: &str, at: usize) -> usize {
    label(text, at + END.len()).unwrap_or(at + END.len())
}

/// Where the line with a mark begins; none where that is further away than a log's prefix is long, so that a line of a
/// million marks is not read a million times.
fn line_start(text: &str, at: usize) -> Option<usize> {
    let window = &text.as_bytes()[at.saturating_sub(PREFIX_BYTES_MAX)..at];
    match window.iter().rposition(|b| *b == b'\n') {
        Some(newline) => Some(at - window.len() + newline + 1),
        None => (window.len() == at).then_some(0),
    }
}

/// The rest of the line, but not much more than the next mark in it.
fn line_from(text: &str, from: usize) -> &str {
    let bytes = &text.as_bytes()[from.min(text.len())..];
    let is_mark = |at: usize| bytes[at] == b'-' && bytes[at..].starts_with(DASHES.as_bytes());
    let stop = (0..bytes.len()).find(|at| bytes[*at] == b'\n' || is_mark(*at)).unwrap_or(bytes.len());
    let mut end = stop;
    if bytes.get(stop) == Some(&b'-') {
        let window = &bytes[stop..bytes.len().min(stop + END.len() + LABEL_BYTES_MAX + DASHES.len())];
        end = stop + window.iter().position(|b| *b == b'\n').unwrap_or(window.len());
        while !text.is_char_boundary(from + end) {
            end -= 1;
        }
    }
    &text[from.min(text.len())..from.min(text.len()) + end]
}

/// How many letters of a key a line holds; none if it is another kind of line. A number may stand before the key.
fn key_letters(line: &str) -> Option<usize> {
    if HEADERS.iter().any(|header| line.contains(header)) {
        return Some(0);
    }
    let frame = |c: char| {
        matches!(
            c,
            '"' | '\'' | '`' | ',' | ';' | '>' | '|' | '#' | '*' | ':' | '+' | '-' | '}' | ']' | ')' | '\\'
        )
    };
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
