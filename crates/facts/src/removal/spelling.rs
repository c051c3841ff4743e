//! Ways to decode bytes, each of which remembers where its output came from.

use crate::prelude::*;
use core::ops::Range;

/// Decodes bytes. With a list, it notes where each byte of its output began.
pub(super) type Decoder = fn(&[u8], Option<&mut Vec<usize>>) -> Vec<u8>;

/// Bytes after some steps of decoding, with lines joined.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    steps: Vec<Decoder>,
}

impl View {
    pub(super) fn read(bytes: &[u8], steps: &[Decoder]) -> View {
        let mut read = bytes.to_vec();
        for step in steps {
            read = step(&read, None);
        }
        View { bytes: joined(&read, None), steps: steps.to_vec() }
    }

    /// Where a range of the view stands in the bytes it was read from.
    pub(super) fn origin(&self, bytes: &[u8], range: Range<usize>) -> Range<usize> {
        let mut read = bytes.to_vec();
        let mut maps: Vec<Vec<usize>> = Vec::new();
        for step in &self.steps {
            let mut starts = Vec::new();
            read = step(&read, Some(&mut starts));
            maps.push(starts);
        }
        let mut starts = Vec::new();
        joined(&read, Some(&mut starts));
        let last = range.end.saturating_sub(1);
        // A line break after the last byte is not part of it.
        let (mut from, mut to) = match (starts.get(range.start), starts.get(last)) {
            (Some(from), Some(to)) => (*from, *to + 1),
            _ => return 0..0,
        };
        for starts in maps.iter().rev() {
            let at = |place: usize| starts.get(place).copied().unwrap_or_default();
            (from, to) = (at(from), at(to));
        }
        from..to
    }
}

/// Leaves out line breaks, with the blanks around them.
pub(super) fn joined(bytes: &[u8], mut starts: Option<&mut Vec<usize>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let blank = bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let breaks = bytes[at..at + blank].iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        let taken = if blank == 0 { 1 } else { blank };
        if !breaks {
            out.extend_from_slice(&bytes[at..at + taken]);
            if let Some(starts) = starts.as_deref_mut() {
                starts.extend(at..at + taken);
            }
        }
        at += taken;
    }
    out
}

/// What stands inside a JSON string.
pub(super) fn unescaped(bytes: &[u8], starts: Option<&mut Vec<usize>>) -> Vec<u8> {
    decoded(bytes, starts, |rest| match rest {
        [b'\\', b'u', ..] => unicode(rest),
        [b'\\', letter, ..] => {
            let meant = match letter {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'b' => 8,
                b'f' => 12,
                b'"' | b'\\' | b'/' => *letter,
                _ => return None,
            };
            Some((vec![meant], 2))
        }
        _ => None,
    })
}

/// What stands in an address.
pub(super) fn unpercented(bytes: &[u8], starts: Option<&mut Vec<usize>>) -> Vec<u8> {
    decoded(bytes, starts, |rest| match rest {
        [b'%', high, low, ..] => {
            let digit = |byte: &u8| char::from(*byte).to_digit(16);
            let value = u8::try_from(digit(high)? * 16 + digit(low)?).ok()?;
            Some((vec![value], 3))
        }
        _ => None,
    })
}

/// Decodes with a function that says what the next bytes stand for and how many they are.
fn decoded(
    bytes: &[u8],
    mut starts: Option<&mut Vec<usize>>,
    meaning: impl Fn(&[u8]) -> Option<(Vec<u8>, usize)>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let before = out.len();
        let taken = match meaning(&bytes[at..]) {
            Some((meant, taken)) => {
                out.extend(meant);
                taken
            }
            None => {
                out.push(bytes[at]);
                1
            }
        };
        if let Some(starts) = starts.as_deref_mut() {
            starts.extend((before..out.len()).map(|_| at));
        }
        at += taken;
    }
    if let Some(starts) = starts {
        // Where the last one ends.
        starts.push(bytes.len());
    }
    out
}

/// `\u0067`, or a surrogate pair of them.
fn unicode(rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    let unit = |at: usize| {
        let digits = core::str::from_utf8(rest.get(at + 2..at + 6)?).ok()?;
        let begins = rest.get(at..at + 2) == Some(b"\\u");
        u32::from_str_radix(digits, 16).ok().filter(|_| begins)
    };
    let first = unit(0)?;
    let (code, taken) = match unit(6) {
        Some(second @ 0xDC00..0xE000) if (0xD800..0xDC00).contains(&first) => {
            (0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), 12)
        }
        _ => (first, 6),
    };
    let letter = char::from_u32(code)?;
    let mut bytes = [0; 4];
    Some((letter.encode_utf8(&mut bytes).as_bytes().to_vec(), taken))
}

/// The characters of base64 that depend on the secret alone, for each place it can have in a longer text.
pub(super) fn base64(secret: &[u8], chars_min: usize) -> Vec<Vec<u8>> {
    const PLAIN: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const FOR_ADDRESSES: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut spellings = Vec::new();
    for alphabet in [PLAIN, FOR_ADDRESSES] {
        for offset in 0..3_usize {
            let bit = |at: usize| {
                let byte = secret.get((at / 8).checked_sub(offset)?)?;
                Some(usize::from(byte >> (7 - at % 8) & 1))
            };
            let (first, end) = ((offset * 8).div_ceil(6), (offset + secret.len()) * 8 / 6);
            let letter = |at: usize| {
                let value = (at * 6..at * 6 + 6).try_fold(0, |value, at| Some(value * 2 + bit(at)?))?;
                alphabet.get(value).copied()
            };
            let spelling: Option<Vec<u8>> = (first..end).map(letter).collect();
            spellings.extend(spelling.filter(|spelling| spelling.len() >= chars_min));
        }
    }
    spellings
}
