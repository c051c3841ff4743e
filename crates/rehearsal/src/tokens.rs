//! A line of prose as words, numbers and marks.
//!
//! Knows how numbers are written (`30`, `1,000`, `1.5`, `30s`, `30-second`, `three`), not what they measure.

use std::ops::Range;

#[derive(Debug, Clone, Default)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) at: Range<usize>,
    pub(super) number: Option<f64>,
    /// Punctuation that separates clauses.
    pub(super) mark: bool,
    pub(super) ends_sentence: bool,
    /// Joined to the token before it, as the unit in `30s` or `30-second`.
    pub(super) joined: bool,
    /// A number written as a word.
    spelled: bool,
}

impl Token {
    fn word(prose: &str, at: Range<usize>) -> Self {
        let text = prose[at.clone()].to_lowercase();
        Token { text, at, number: None, mark: false, ends_sentence: false, joined: false, spelled: false }
    }
}

/// Words, numbers and marks with their places. Number words count as numbers, except "one" by itself.
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
    composed(found)
}

/// Several tokens that write one number, as one: `five thousand`, `twenty-five`, `a hundred and twenty`, `5k`.
fn composed(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let (value, length) = written(&tokens[at..]);
        let mut token = std::mem::take(&mut tokens[at]);
        if length > 1 {
            token.at.end = tokens[at + length - 1].at.end;
            token.number = Some(value);
        }
        found.push(token);
        at += length.max(1);
    }
    found
}

/// The number that tokens begin with, and how many of them write it: 1 where there is nothing to put together.
fn written(tokens: &[Token]) -> (f64, usize) {
    let one = matches!(tokens[0].text.as_str(), "a" | "an" | "one");
    let Some(mut value) = tokens[0].number.or(one.then_some(1.0)) else { return (0.0, 1) };
    let mut length = 1;
    let mut scaled = false;
    loop {
        let next = tokens.get(length);
        let scale = next.and_then(|next| scale(&next.text, next.joined));
        if let Some(scale) = scale {
            value *= scale;
            (length, scaled) = (length + 1, true);
            continue;
        }
        let skips = next.is_some_and(|next| next.text == "and" && scaled || next.text == "-" && !scaled);
        let part = tokens.get(length + usize::from(skips)).filter(|part| part.spelled);
        let fits = part.and_then(|part| part.number).filter(|part| {
            let ten = tokens[length - 1].spelled && value % 10.0 == 0.0 && *part < 10.0;
            (scaled && *part < 100.0 && value >= 100.0) || (ten && (20.0..100.0).contains(&value))
        });
        let Some(part) = fits else { break };
        value += part;
        length += 1 + usize::from(skips);
    }
    if one && !scaled { (0.0, 1) } else { (value, length) }
}

fn scale(text: &str, joined: bool) -> Option<f64> {
    match text {
        "hundred" => Some(100.0),
        "thousand" => Some(1_000.0),
        "k" if joined => Some(1_000.0),
        "million" => Some(1_000_000.0),
        "dozen" => Some(12.0),
        _ => None,
    }
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
    let number = value_of(&word.text);
    found.push(Token { number, spelled: number.is_some(), ..word });
    end
}

fn mark(prose: &str, start: usize, c: char, found: &mut Vec<Token>) -> usize {
    let end = start + c.len_utf8();
    let after = prose[end..].chars().next();
    // The stop of "e.g." and its like ends a word, not a sentence.
    let shortened = ["e.g", "i.e", "etc", "approx", "incl", " vs"];
    let stop = c == '.'
        && shortened.iter().any(|word| {
            let tail = start.checked_sub(word.len()).and_then(|from| prose.get(from..start));
            tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
        });
    let ends = matches!(c, '.' | ';' | '!' | '?') && after.is_none_or(char::is_whitespace);
    let ends_sentence = ends && !stop;
    let percent = c == '%';
    found.push(Token { mark: !percent, ends_sentence, joined: percent, ..Token::word(prose, start..end) });
    end
}

fn value_of(word: &str) -> Option<f64> {
    let small = SMALL.iter().position(|known| *known == word).map(|at| at + 2);
    let tens = TENS.iter().position(|known| *known == word).map(|at| (at + 2) * 10);
    small.or(tens).map(|value| value as f64)
}

const SMALL: [&str; 18] = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_figures_and_in_words() {
        for (text, expected) in [
            ("5,000 rows", 5_000.0),
            ("five thousand rows", 5_000.0),
            ("5k rows", 5_000.0),
            ("5 thousand rows", 5_000.0),
            ("a hundred and twenty rows", 120.0),
            ("one hundred rows", 100.0),
            ("twenty-five rows", 25.0),
            ("two dozen rows", 24.0),
            ("1.5 million rows", 1_500_000.0),
            ("ninety rows", 90.0),
        ] {
            let found: Vec<Token> = tokens(text);
            let numbers: Vec<f64> = found.iter().filter_map(|token| token.number).collect();
            assert_eq!(numbers, [expected], "{text}");
            assert_eq!(&text[found[0].at.start..], text);
            assert_eq!(found.last().map(|token| token.text.as_str()), Some("rows"), "{text}");
        }
        for text in ["one row", "a row", "version 1.2.3", "two and three", "thousand", "2026-01-05"] {
            assert!(tokens(text).iter().all(|token| token.number != Some(5.0)), "{text}");
        }
        assert_eq!(tokens("two and three").iter().filter_map(|token| token.number).count(), 2);
    }
}
