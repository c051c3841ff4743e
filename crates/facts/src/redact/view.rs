//! Searches a text as a reader sees it: escapes of JSON and of URLs read as the characters they stand for, colours and
//! zero-width characters left out.
//!
//! The `n` of a written `\n` hides where a token begins, and so does the `m` that ends a colour. [`hits`] decodes them
//! and searches the result, repeatedly while there is something to decode, and returns places in the text as it was
//! written. A place never lies inside an escape, so replacing it leaves JSON whole. No table of places is kept: the
//! text is read once more in the rare case that something was found in it.

use super::{Hit, merged};
use crate::prelude::*;
use core::ops::Range;

/// How often an escaped text may have been escaped again. Each reading makes a text shorter.
const READINGS_MAX: usize = 4;
/// A control sequence of a terminal is shorter; anything longer is text.
const SEQUENCE_BYTES_MAX: usize = 256;

/// What replaces a colour or a zero-width character.
#[derive(Clone, Copy)]
enum Gap {
    /// Nothing: a token may go on after it.
    Closed,
    /// A space: a token may begin after it.
    Open,
}

/// What `search` finds in the decoded text, as places in the text as it was written.
pub(super) fn hits(text: &str, search: &dyn Fn(&str) -> Vec<Hit>) -> Vec<Hit> {
    let (mut found, met_gap) = searched(text, Gap::Closed, search);
    if met_gap {
        found.extend(searched(text, Gap::Open, search).0);
    }
    found
}

/// The text decoded once; none where there is nothing to decode.
pub(super) fn once(text: &str) -> Option<String> {
    read(text, Gap::Closed).map(|(text, _)| text)
}

fn searched(text: &str, gap: Gap, search: &dyn Fn(&str) -> Vec<Hit>) -> (Vec<Hit>, bool) {
    let mut texts: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut any_gap = false;
    while texts.len() < READINGS_MAX {
        let Some((next, met_gap)) = read(texts.last().map_or(text, String::as_str), gap) else { break };
        any_gap |= met_gap;
        let mut hits = search(&next);
        for before in texts.iter().rev().map(String::as_str).chain([text]) {
            if hits.is_empty() {
                break;
            }
            hits = merged(hits);
            back(before, gap, &mut hits);
        }
        found.extend(hits);
        texts.push(next);
    }
    (found, any_gap)
}

/// The text with every sign read, and whether a gap was among them. None where there is no sign.
fn read(text: &str, gap: Gap) -> Option<(String, bool)> {
    let mut out = String::new();
    let (mut copied, mut any, mut met_gap) = (0, false, false);
    each_sign(text, |range, stands_for| {
        out.push_str(&text[copied..range.start]);
        copied = range.end;
        any = true;
        met_gap |= stands_for.is_none();
        out.extend(shown(stands_for, gap));
    });
    out.push_str(&text[copied..]);
    any.then_some((out, met_gap))
}

fn shown(stands_for: Option<char>, gap: Gap) -> Option<char> {
    match (stands_for, gap) {
        (Some(sign), _) => Some(sign),
        (None, Gap::Closed) => None,
        (None, Gap::Open) => Some(' '),
    }
}

/// Turns places of what was read from a text into places of that text. The hits are in order and do not overlap.
fn back(text: &str, gap: Gap, hits: &mut [Hit]) {
    let mut ends = hits.iter_mut().flat_map(|hit| {
        let Range { start, end } = &mut hit.range;
        [(start, true), (end, false)]
    });
    let mut next = ends.next();
    // Where the last sign ended, in what was read and in the text.
    let (mut here, mut there) = (0, 0);
    each_sign(text, |range, stands_for| {
        let begins = here + (range.start - there);
        let ends_at = begins + shown(stands_for, gap).map_or(0, char::len_utf8);
        while let Some((place, is_start)) = next.take() {
            let before = if is_start { *place < begins } else { *place <= begins };
            let inside = if is_start { *place < ends_at } else { *place <= ends_at };
            *place = match (before, inside) {
                (true, _) => there + (*place - here),
                (false, true) if is_start => range.start,
                (false, true) => range.end,
                (false, false) => {
                    next = Some((place, is_start));
                    break;
                }
            };
            next = ends.next();
        }
        (here, there) = (ends_at, range.end);
    });
    for (place, _) in next.into_iter().chain(ends) {
        *place = there + (*place - here);
    }
}

/// Each sign of a text: where it stands, and the character it stands for; none for a gap.
fn each_sign(text: &str, mut each: impl FnMut(Range<usize>, Option<char>)) {
    let bytes = text.as_bytes();
    let begins = |b: &u8| matches!(b, b'\\' | b'%' | 0x1b | 0xc2 | 0xe2 | 0xef);
    let mut at = 0;
    while let Some(skipped) = bytes[at..].iter().position(begins) {
        at += skipped;
        let rest = &bytes[at..];
        let sign = match rest[0] {
            b'\\' => escape(rest),
            b'%' => percent(rest),
            0x1b => Some((sequence(rest), None)),
            _ => without_width(&text[at..]).map(|length| (length, None)),
        };
        match sign {
            Some((length, stands_for)) => {
                each(at..at + length, stands_for);
                at += length;
            }
            None => at += 1,
        }
        // A character of several bytes that is no sign is passed byte by byte; none of the others begins one.
    }
}

/// The character that one or several bytes of a URL stand for, and how long they are.
fn percent(bytes: &[u8]) -> Option<(usize, Option<char>)> {
    let byte = |at: usize| bytes.get(at).filter(|b| **b == b'%').and_then(|_| hex(bytes.get(at + 1..at + 3)));
    let first = u8::try_from(byte(0)?).ok()?;
    let length = match first {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    let mut encoded = [first; 4];
    for (at, encoded) in encoded.iter_mut().enumerate().take(length).skip(1) {
        *encoded = u8::try_from(byte(at * 3)?).ok()?;
    }
    let sign = core::str::from_utf8(&encoded[..length]).ok()?.chars().next()?;
    Some((length * 3, Some(sign)))
}

/// What a backslash and what follows it stand for, and how long they are.
fn escape(bytes: &[u8]) -> Option<(usize, Option<char>)> {
    let simple = |sign| Some((2, Some(sign)));
    match bytes.get(1)? {
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'"' => simple('"'),
        b'\'' => simple('\''),
        b'/' => simple('/'),
        b'\\' => simple('\\'),
        b'x' => hex(bytes.get(2..4)).and_then(char::from_u32).map(|sign| (4, Some(sign))),
        b'u' if bytes.get(2) == Some(&b'{') => {
            let length = bytes[3..].iter().take(7).position(|b| *b == b'}')?;
            let sign = hex(bytes.get(3..3 + length)).and_then(char::from_u32)?;
            Some((3 + length + 1, Some(sign)))
        }
        b'u' => {
            let first = hex(bytes.get(2..6))?;
            if let Some(sign) = char::from_u32(first) {
                return Some((6, Some(sign)));
            }
            let second = bytes.get(6..8).filter(|two| *two == b"\\u").and_then(|_| hex(bytes.get(8..12)));
            let pair =
                second.filter(|low| (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(low));
            let sign =
                pair.and_then(|low| char::from_u32(0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)));
            Some(sign.map_or((6, Some(char::REPLACEMENT_CHARACTER)), |sign| (12, Some(sign))))
        }
        _ => None,
    }
}

fn hex(digits: Option<&[u8]>) -> Option<u32> {
    let digits = digits.filter(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}

/// How long the sequence is that an escape character begins: a colour or a movement, a title or a link, or itself.
fn sequence(bytes: &[u8]) -> usize {
    let window = &bytes[..bytes.len().min(SEQUENCE_BYTES_MAX)];
    let length = match window.get(1) {
        Some(b'[') => {
            let last = window[2..].iter().position(|b| !(0x20..0x40).contains(b));
            last.filter(|at| (0x40..0x7f).contains(&window[2 + at])).map(|at| 2 + at + 1)
        }
        Some(b']') => {
            let last = window[2..].iter().position(|b| matches!(b, 0x07 | 0x1b | b'\n'));
            last.and_then(|at| match (window[2 + at], window.get(2 + at + 1)) {
                (0x07, _) => Some(2 + at + 1),
                (0x1b, Some(b'\\')) => Some(2 + at + 2),
                (_, _) => None,
            })
        }
        _ => None,
    };
    length.unwrap_or(1)
}

/// The length of the first character of a text, if that is invisible.
fn without_width(text: &str) -> Option<usize> {
    let sign = text.chars().next()?;
    let unseen = matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    unseen.then(|| sign.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::SecretKind;
    use proptest::prelude::*;

    #[test]
    fn escapes_colours_and_unseen_characters_are_read() {
        for (text, shown) in [
            (r"a\nb\tc\r\/\\\x41\u0067\u{1f600}\ud83d\ude00", "a\nb\tc\r/\\Ag😀😀"),
            (r"\ud83d alone", "\u{fffd} alone"),
            ("%3D%2b 100% of %zz %e2 %c3%BC %F0%9F%98%80 %c3%41", "=+ 100% of %zz %e2 ü 😀 %c3A"),
            (
                "\u{1b}[1;32mgreen\u{1b}[0m \u{1b}]8;;http://x\u{7}link\u{1b}]0;t\u{1b}\\ \u{1b}x",
                "green link x",
            ),
            ("a\u{200b}b\u{feff}c\u{ad}d", "abcd"),
            (r"\q \u00 \x4 \", r"\q \u00 \x4 \"),
        ] {
            assert_eq!(once(text).unwrap_or_else(|| text.to_owned()), shown, "{text:?}");
        }
        assert_eq!(once("plain ü — text"), None);
    }

    /// Finds every letter `x` there is.
    fn every_x(text: &str) -> Vec<Hit> {
        text.match_indices('x').map(|(at, _)| Hit { kind: SecretKind::Known, range: at..at + 1 }).collect()
    }

    #[test]
    fn a_place_is_that_of_the_whole_escape() {
        let text = r"a\u0078b\\u0078c\n%78";
        let found = hits(text, &every_x);
        let mut places: Vec<&str> = found.iter().map(|hit| &text[hit.range.clone()]).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places, ["%78", r"\\u0078", r"\u0078"]);
    }

    proptest! {
        #[test]
        fn places_lie_between_characters_and_hold_what_was_found(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "x", "\\", "\\n", "\\\\", "\\u0078", "\\x78", "%78", "%", "u0078", "\u{1b}[31m", "\u{200b}", "ü", "—", "\"",
                ]), 0..24)
        ) {
            let text = pieces.concat();
            for Hit { range, .. } in hits(&text, &every_x) {
                let there = text.get(range.clone());
                prop_assert!(there.is_some_and(|there| !there.is_empty()), "{range:?} of {text:?}");
                let mut there = there.unwrap_or_default().to_owned();
                while let Some(read) = once(&there) {
                    there = read;
                }
                prop_assert!(there.contains('x'), "{there:?} of {text:?}");
            }
        }
    }
}
