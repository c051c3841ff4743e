//! A line of prose as words, numbers and marks.
//!
//! Knows how numbers are written (`30`, `1,000`, `1.5`, `30s`, `30-second`, `three`), not what they measure.

use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) at: Range<usize>,
    pub(super) number: Option<f64>,
    /// Punctuation that separates clauses.
    pub(super) mark: bool,
    pub(super) ends_sentence: bool,
    /// Joined to the token before it, as the unit in `30s` or `30-second`.
    pub(super) joined: bool,
}

impl Token {
    fn word(prose: &str, at: Range<usize>) -> Self {
        let text = prose[at.clone()].to_lowercase();
        Token { text, at, number: None, mark: false, ends_sentence: false, joined: false }
    }
}

/// Words, numbers and marks with their places. Number words count as numbers, except "one".
pub(super) fn tokens(prose: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(c) = prose[at..].chars().next() {
        at = match c {
            c if c.is_whitespace() || matches!(c, '*' | '_' | '`' | '"' | '“' | '”') => at + c.len_utf8(),
            c if c.is_ascii_digit() => number(prose, at, &mut found),
            c if c.is_alphanumeric() => word(prose, at, &mut found),
            c => mark(prose, at, c, &mut found),
        };
    }
    found
}

/// A number, and the unit that is glued to it. Gives the place behind both.
fn number(prose: &str, start: usize, found: &mut Vec<Token>) -> usize {
    let end = start + number_length(&prose[start..]);
    let rest = &prose[end..];
    let letters =
        |text: &str| text.chars().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum::<usize>();
    let hyphen = rest.strip_prefix('-').is_some_and(|next| letters(next) > 0);
    let from = end + usize::from(hyphen);
    let unit = Token { joined: !hyphen, ..Token::word(prose, from..from + letters(&prose[from..])) };
    let digit_after = prose[unit.at.end..].starts_with(|c: char| c.is_ascii_digit());
    if matches!(unit.text.as_str(), "st" | "nd" | "rd" | "th") || (!unit.text.is_empty() && digit_after) {
        // `6th` and `2b5` are names.
        let end = unit.at.end;
        found.push(Token::word(prose, start..end));
        return end;
    }
    // `UTF-8` and `-5` are no amounts.
    let named = prose[..start].ends_with('-');
    let value = prose[start..end].replace(',', "").parse().ok().filter(|_| !named);
    found.push(Token { number: value, ..Token::word(prose, start..end) });
    if unit.text.is_empty() {
        return end;
    }
    let end = unit.at.end;
    found.push(unit);
    end
}

fn word(prose: &str, start: usize, found: &mut Vec<Token>) -> usize {
    let inside = |c: &char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let end = start + prose[start..].chars().take_while(inside).map(char::len_utf8).sum::<usize>();
    let word = Token::word(prose, start..end);
    let number = NUMBER_WORDS.iter().position(|known| *known == word.text).map(|at| at as f64 + 2.0);
    found.push(Token { number, ..word });
    end
}

fn mark(prose: &str, start: usize, c: char, found: &mut Vec<Token>) -> usize {
    let end = start + c.len_utf8();
    let after = prose[end..].chars().next();
    let ends_sentence = matches!(c, '.' | ';' | '!' | '?') && after.is_none_or(char::is_whitespace);
    let percent = c == '%';
    found.push(Token { mark: !percent, ends_sentence, joined: percent, ..Token::word(prose, start..end) });
    end
}

const NUMBER_WORDS: [&str; 11] =
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Bytes of a number at the start of a text: `30`, `1,000`, `1.5`. A version like `1.2.3` is taken whole and parses as none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let joins =
            matches!(bytes[end], b'.' | b',' | b':') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        let date = bytes[end] == b'-' && end >= 4 && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !(bytes[end].is_ascii_digit() || joins || date) {
            break;
        }
        end += 1;
    }
    end
}
