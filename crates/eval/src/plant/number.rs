//! One of two equal numbers is changed.

use super::edit::Edit;
use super::shape::Shape;
use core::ops::Range;
use redraft_facts::prelude::*;

/// A number in a line, and the word after it.
struct Amount<'a> {
    line: usize,
    /// In the line.
    range: Range<usize>,
    value: u64,
    unit: &'a str,
}

/// Smaller numbers without a unit are counts and versions.
const BARE_MIN: u64 = 100;

/// Numbers below ten are said of many things; only with one of these are two of them the same.
const MEASURES: [&str; 20] = [
    "ms",
    "millisecond",
    "milliseconds",
    "second",
    "seconds",
    "minute",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "retries",
    "attempts",
    "times",
    "bytes",
    "MB",
    "percent",
    "characters",
];

pub(super) fn changed(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let lines = shape.prose().filter(|(at, _)| !shape.is_heading(*at));
    let amounts: Vec<Amount<'_>> = lines.flat_map(|(at, line)| amounts(at, line)).collect();
    let mut lines: BTreeMap<(u64, &str), BTreeSet<usize>> = BTreeMap::new();
    for amount in &amounts {
        lines.entry((amount.value, amount.unit)).or_default().insert(amount.line);
    }
    let mut edits = Vec::new();
    for amount in &amounts {
        if lines.get(&(amount.value, amount.unit)).is_none_or(|lines| lines.len() < 2) {
            continue;
        }
        let line = shape.line(amount.line);
        let old = &line[amount.range.clone()];
        let new = another(amount.value);
        let changed = format!("{}{new}{}", &line[..amount.range.start], &line[amount.range.end..]);
        edits.push(Edit {
            lines: amount.line..amount.line + 1,
            new: vec![changed],
            words: vec![vec![old.to_owned(), new.to_string()]],
            what: format!("says {new} where another line says {old}"),
        });
    }
    edits
}

/// A number that could as well stand there.
fn another(value: u64) -> u64 {
    match value {
        0..10 => value + 2,
        10..100 if value.is_multiple_of(2) => value / 2,
        _ if value.is_multiple_of(10) => value / 10,
        _ => value.saturating_mul(2),
    }
}

fn amounts(at: usize, line: &str) -> Vec<Amount<'_>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        if !bytes[from].is_ascii_digit() {
            from += 1;
            continue;
        }
        let part = |b: &&u8| b.is_ascii_digit() || matches!(b, b',' | b'_');
        let mut end = from + bytes[from..].iter().take_while(part).count();
        while matches!(bytes[end - 1], b',' | b'_') {
            end -= 1;
        }
        // Ids, versions, dates, fractions and parts of words are no amounts.
        let before = from.checked_sub(1).map(|before| bytes[before]);
        let alone = before.is_none_or(|b| matches!(b, b' ' | b'(' | b'`' | b'"' | b'=' | b'<' | b'>'));
        let next = bytes.get(end).copied();
        let closed = next.is_none_or(|b| matches!(b, b' ' | b')' | b'`' | b'"' | b';' | b',' | b'.'))
            && !(next == Some(b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit));
        let digits: String = line[from..end].chars().filter(char::is_ascii_digit).collect();
        let rest = line[end..].strip_prefix(' ').unwrap_or_default();
        let unit = &rest[..rest.bytes().take_while(u8::is_ascii_alphabetic).count()];
        if let Ok(value) = digits.parse::<u64>()
            && alone
            && closed
            && value > 1
            // A number of features or tasks.
            && !digits.starts_with('0')
            && (unit.len() > 1 || value >= BARE_MIN)
            && (value >= 10 || MEASURES.contains(&unit))
            // The number of an item.
            && !line[..from].trim().is_empty()
        {
            found.push(Amount { line: at, range: from..end, value, unit });
        }
        from = end.max(from + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_are_said_twice_are_changed() {
        let text = "# Spec\n\nA key may be used 60 times a minute.\n\n\
                    - AC1: the 61st use is refused; 60 times pass.\n- R12 and 1.2.3, 2026-01-02\n";
        let edits = changed(text);
        let new: Vec<&str> = edits.iter().map(|edit| edit.new[0].as_str()).collect();
        let wanted =
            ["A key may be used 30 times a minute.", "- AC1: the 61st use is refused; 30 times pass."];
        assert_eq!(new, wanted);
        assert_eq!(edits[0].words, [["60", "30"]]);
        assert_eq!(edits[0].what, "says 30 where another line says 60");
    }
}
