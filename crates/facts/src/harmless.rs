//! Makes text from outside harmless to its reader: characters that a terminal would obey, or that are invisible, are
//! written out as `\u{1b}`.
//!
//! File names, answers of agents, output of checks and settings of a repository can hold anything. Escape sequences
//! rewrite what was shown before, bidirectional controls show it in another order, line breaks in a name forge a line
//! of ours. The console passes everything through [`text`]; code that puts a name into a line passes it through
//! [`name`].

use crate::prelude::*;
use alloc::borrow::Cow;

/// A text of several lines. Line breaks and tabs stay.
pub fn text(outside: &str) -> Cow<'_, str> {
    if !outside.contains(is_harmful) {
        return Cow::Borrowed(outside);
    }
    let mut out = String::with_capacity(outside.len() + 16);
    let mut signs = outside.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            // How some systems end a line.
            '\r' if signs.peek() == Some(&'\n') => {}
            sign if is_harmful(sign) => push_visible(&mut out, sign),
            sign => out.push(sign),
        }
    }
    Cow::Owned(out)
}

/// A name, a path, a command: something that stands in one line.
pub fn name(outside: &str) -> Cow<'_, str> {
    let harmful = |sign: char| is_harmful(sign) || matches!(sign, '\n' | '\t');
    if !outside.contains(harmful) {
        return Cow::Borrowed(outside);
    }
    let mut out = String::with_capacity(outside.len() + 16);
    for sign in outside.chars() {
        if harmful(sign) { push_visible(&mut out, sign) } else { out.push(sign) }
    }
    Cow::Owned(out)
}

/// JSON that is already written: harmful characters that its writer left in strings become `\u202e`, which means the
/// same.
pub fn json(written: &str) -> Cow<'_, str> {
    if !written.contains(is_harmful) {
        return Cow::Borrowed(written);
    }
    let mut out = String::with_capacity(written.len() + 16);
    for sign in written.chars() {
        if is_harmful(sign) {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(sign);
        }
    }
    Cow::Owned(out)
}

/// Whether a character does something to a terminal, or to the order or the number of the characters that are seen.
pub fn is_harmful(sign: char) -> bool {
    match sign {
        '\n' | '\t' => false,
        // With the soft hyphen, which is seen only sometimes.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' => true,
        '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // Letters that are drawn as nothing, and the tags that spell an invisible text.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

fn push_visible(out: &mut String, sign: char) {
    out.push_str(&format!("\\u{{{:x}}}", u32::from(sign)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        for (outside, shown) in [
            ("plain ü 漢字 😀\n\tlines", "plain ü 漢字 😀\n\tlines"),
            ("evil #\u{1b}[2K\rchecks: cargo test", "evil #\\u{1b}[2K\\u{d}checks: cargo test"),
            (
                "\u{1b}]52;c;eA==\u{7} \u{9b}31m \u{7f}\u{8}",
                "\\u{1b}]52;c;eA==\\u{7} \\u{9b}31m \\u{7f}\\u{8}",
            ),
            (
                "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{2028}f\u{85}g",
                "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{feff}e\\u{2028}f\\u{85}g",
            ),
            ("one\r\ntwo\rthree", "one\ntwo\\u{d}three"),
            ("\u{e0041}", "\\u{e0041}"),
        ] {
            assert_eq!(text(outside), shown);
        }
        assert_eq!(name("a\nerror: b\tc\r\n"), "a\\u{a}error: b\\u{9}c\\u{d}\\u{a}");
        assert!(matches!(name("src/lib.rs"), Cow::Borrowed(_)) && matches!(text("a\nb"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_harmful_comes_through_and_a_second_time_changes_nothing(outside in "(\\PC|[\\x00-\\x1f\\x7f-\\u{9f}\\u{200b}-\\u{206f}\\u{e0000}-\\u{e007f}]){0,40}") {
            let shown = text(&outside);
            prop_assert!(!shown.contains(is_harmful));
            prop_assert_eq!(text(&shown), shown.as_ref());
            let line = name(&outside);
            prop_assert!(!line.contains(is_harmful) && !line.contains(['\n', '\t']));
        }

        #[test]
        fn json_says_the_same(outside in "(\\PC|[\\x00-\\x1f\\x7f-\\u{9f}\\u{200b}-\\u{206f}\\u{e0000}-\\u{e007f}]){0,40}") {
            let written = serde_json::to_string(&outside).unwrap_or_default();
            let safe = json(&written);
            prop_assert!(!safe.contains(is_harmful));
            prop_assert_eq!(serde_json::from_str::<String>(&safe).ok(), Some(outside));
        }
    }
}
