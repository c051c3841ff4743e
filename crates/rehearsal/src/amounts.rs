//! Finds numbers with a unit in a sentence: `30 seconds`, `5 MB`, `five minutes`, `10%`.
//!
//! Knows single sentences and a few units of time, size and share, but not what is measured. Start at [`amounts`];
//! [`stated`] finds them all in a document.

use crate::parsed_document::{ParsedDocument, telling_words};
use std::ops::Range;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amount {
    /// The number and its unit, in bytes of the text.
    pub(crate) at: Range<usize>,
    pub(crate) kind: Kind,
    /// In seconds, bytes or hundredths.
    pub(crate) value: f64,
    /// The word right before the number, in lower case.
    pub(crate) lead: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Time,
    Size,
    Share,
}

impl Amount {
    pub(crate) fn is(&self, other: &Amount) -> bool {
        self.kind == other.kind && (self.value - other.value).abs() <= f64::EPSILON * self.value.abs()
    }
}

/// The kind of a unit and its size.
pub(crate) fn unit(word: &str) -> Option<(Kind, f64)> {
    const UNITS: [(Kind, &[&str], f64); 11] = [
        (Kind::Time, &["ms", "millisecond", "milliseconds"], 0.001),
        (Kind::Time, &["s", "sec", "secs", "second", "seconds"], 1.0),
        (Kind::Time, &["min", "mins", "minute", "minutes"], 60.0),
        (Kind::Time, &["h", "hr", "hrs", "hour", "hours"], 3_600.0),
        (Kind::Time, &["day", "days"], 86_400.0),
        (Kind::Time, &["week", "weeks"], 604_800.0),
        (Kind::Size, &["byte", "bytes"], 1.0),
        (Kind::Size, &["kb", "kib"], 1_024.0),
        (Kind::Size, &["mb", "mib"], 1_048_576.0),
        (Kind::Size, &["gb", "gib"], 1_073_741_824.0),
        (Kind::Share, &["%", "percent"], 1.0),
    ];
    let word = word.to_lowercase();
    UNITS.iter().find(|(_, words, _)| words.contains(&word.as_str())).map(|(kind, _, size)| (*kind, *size))
}

/// Every number that has a unit, in order.
pub(crate) fn amounts(text: &str) -> Vec<Amount> {
    let words = words(text);
    let mut found = Vec::new();
    for (nth, at) in words.iter().enumerate() {
        let word = &text[at.clone()];
        let split = word.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.')).unwrap_or(word.len());
        let (digits, joined) = word.split_at(split);
        let (number, unit_at) = match (number(digits), joined.is_empty()) {
            (Some(number), false) => (number, at.start + split..at.end),
            (Some(number), true) => match words.get(nth + 1) {
                Some(next) => (number, next.clone()),
                None => continue,
            },
            (None, _) => match (spelled(word), words.get(nth + 1)) {
                (Some(number), Some(next)) => (number, next.clone()),
                _ => continue,
            },
        };
        let Some((kind, size)) = unit(&text[unit_at.clone()]) else { continue };
        let lead = nth.checked_sub(1).map(|before| text[words[before].clone()].to_lowercase());
        found.push(Amount {
            at: at.start..unit_at.end,
            kind,
            value: number * size,
            lead: lead.unwrap_or_default(),
        });
    }
    found
}

/// A number in a document, with the sentence it stands in. `line` counts from 0.
pub(crate) struct Stated {
    pub(crate) line: usize,
    /// Placed in the line.
    pub(crate) amount: Amount,
    pub(crate) written: String,
    /// What the sentence is about, in order.
    pub(crate) words: Vec<String>,
    /// The section.
    pub(crate) place: String,
}

/// Every number of a document that has a unit.
pub(crate) fn stated(parsed: &ParsedDocument<'_>) -> Vec<Stated> {
    let mut found = Vec::new();
    for (line, prose) in parsed.prose() {
        let mut start = 0;
        for sentence in prose.split_inclusive(". ") {
            for mut amount in amounts(sentence) {
                let words = telling_words(&sentence.replace(&sentence[amount.at.clone()], " "));
                amount.at = start + amount.at.start..start + amount.at.end;
                let written = parsed.line(line)[amount.at.clone()].to_owned();
                found.push(Stated { line, amount, written, words, place: parsed.section_name(line) });
            }
            start += sentence.len();
        }
    }
    found
}

fn number(digits: &str) -> Option<f64> {
    digits.starts_with(|c: char| c.is_ascii_digit()).then(|| digits.replace(',', "").parse().ok()).flatten()
}

fn spelled(word: &str) -> Option<f64> {
    const NUMBERS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let word = word.to_lowercase();
    NUMBERS.iter().position(|known| *known == word).map(|at| (at + 1) as f64)
}

/// Words and numbers by their places; a punctuation mark after one is not part of it.
fn words(text: &str) -> Vec<Range<usize>> {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '%' | '-' | '_');
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(inner).map(|at| from + at) {
        let end = text[start..].find(|c| !inner(c)).map_or(text.len(), |length| start + length);
        let word = text[start..end].trim_end_matches(['.', ',', '-']);
        if !word.is_empty() {
            found.push(start..start + word.len());
        }
        from = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_units_and_the_word_before_them() {
        let read = |text: &str| -> Vec<(String, f64, String)> {
            let found = amounts(text);
            found.into_iter().map(|one| (text[one.at].to_owned(), one.value, one.lead)).collect()
        };
        let one = |text: &str, value: f64, lead: &str| vec![(text.to_owned(), value, lead.to_owned())];
        for (text, expected) in [
            ("It takes longer than 30 seconds.", one("30 seconds", 30.0, "than")),
            ("It is there within five minutes, always", one("five minutes", 300.0, "within")),
            ("at most 1,500 ms", one("1,500 ms", 1.5, "most")),
            ("up to 5MB", one("5MB", 5_242_880.0, "to")),
            ("in 99.5% of all cases", one("99.5%", 99.5, "in")),
            ("R5 asks for 3 attempts, v2.1 and 10", Vec::new()),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
