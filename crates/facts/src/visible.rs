//! Text of others as a person must see it before saying yes: on one line, with every character that hides itself or
//! moves other characters written out.

use crate::prelude::*;

/// The text with what cannot be seen written as `\u{…}`. Nothing else is changed, except that backslashes are doubled,
/// so that two texts never look the same.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            letter if hides(letter) => shown.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
            letter => shown.push(letter),
        }
    }
    shown
}

/// The same of what need not be text: a byte that is none is written as `\xff`.
pub fn visible_bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for part in bytes.utf8_chunks() {
        shown.push_str(&visible(part.valid()));
        part.invalid().iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
    }
    shown
}

/// The same in quotes.
pub fn quoted_bytes(bytes: &[u8]) -> String {
    format!("\"{}\"", visible_bytes(bytes).replace('"', "\\\""))
}

/// Text in quotes, so that its end is seen, too.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", visible(text).replace('"', "\\\""))
}

/// Whether a character has no shape of its own: controls, marks that turn the direction of writing, joiners, spaces
/// that do not look like one or like nothing, fillers, variation selectors, tags, and what no font has a shape for.
fn hides(letter: char) -> bool {
    letter.is_control()
        || (letter.is_whitespace() && letter != ' ')
        || matches!(
            u32::from(letter),
            0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2
                | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
                | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x2800
                | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
                | 0x110bd | 0x110cd | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
                | 0xe000..=0xf8ff | 0xe0000..=0x10ffff
        )
}
