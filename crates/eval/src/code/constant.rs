//! A constant has another value than the rest of the change says.

use super::source::{Language, Source};
use super::vocabulary;
use crate::plant::edit::Edit;
use redraft_facts::prelude::*;

/// Products that say what they are, the word that must be in the name, and what somebody writes who is wrong.
const PRODUCTS: [(&str, &[&str], &str); 3] = [
    ("24 * 60 * 60", &["day"], "24 * 60"),
    ("60 * 60", &["hour"], "60 * 24"),
    ("1024 * 1024", &["mb", "mib", "mega", "bytes"], "1000 * 1024"),
];

/// `texts` are all texts of the change: only what one of them says elsewhere is certainly wrong afterwards.
pub(super) fn constant_wrong(source: &Source<'_>, texts: &[&str]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in source.new_code() {
        let Some((name, from)) = declared(source, at) else { continue };
        let (line, bare) = (source.lines[at], source.bare(at));
        let value = &bare[from..];
        let lower = name.to_lowercase();
        let words: Vec<&str> = lower.split('_').filter(|word| word.len() > 2).collect();
        let product = PRODUCTS.iter().find_map(|(old, units, new)| {
            let place = from + value.find(old)?;
            let whole = !bare[place + old.len()..].trim_start().starts_with('*')
                && !bare[..place].trim_end().ends_with('*');
            (whole && units.iter().any(|unit| words.contains(unit)))
                .then(|| (place, (*old).to_owned(), (*new).to_owned()))
        });
        let changed = product.or_else(|| {
            let digits: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '_').collect();
            let number: u64 = digits.replace('_', "").parse().ok()?;
            let ended = value[digits.len()..].trim_start().trim_start_matches(';').trim().is_empty();
            let said =
                number > 9 && ended && texts.iter().any(|text| says(text, line, &name, &words, number));
            said.then(|| (from, digits, another(number).to_string()))
        });
        let Some((place, old, new)) = changed else { continue };
        edits.push(Edit {
            lines: at..at + 1,
            new: vec![format!("{}{new}{}", &line[..place], &line[place + old.len()..])],
            words: vec![
                [name.clone(), old.clone(), new.clone()].into_iter().collect(),
                vocabulary(&[
                    "value",
                    "constant",
                    "wrong",
                    "should be",
                    "instead",
                    "says",
                    "mismatch",
                    "differs",
                    "contradicts",
                    "inconsistent",
                    "disagree",
                    "disagrees",
                    "expected",
                    "unit",
                    "units",
                    "factor",
                    &new,
                ]),
            ],
            what: format!("{name} is {new} where the change had {old}"),
        });
    }
    edits
}

/// The name of a constant and where its value begins.
fn declared(source: &Source<'_>, at: usize) -> Option<(String, usize)> {
    let bare = source.bare(at);
    let code = bare.trim_start();
    let named = match source.language {
        Language::Rust => ["pub const ", "const ", "pub(crate) const ", "pub(super) const ", "static "]
            .iter()
            .find_map(|word| code.strip_prefix(word))?,
        Language::Script => ["export const ", "const "].iter().find_map(|word| code.strip_prefix(word))?,
        Language::Go => code.strip_prefix("const ").unwrap_or(code),
        Language::Python => code,
        Language::Shell => code.strip_prefix("readonly ").unwrap_or(code),
    };
    let name: String = named.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let capitals =
        name.len() > 3 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let go = source.language == Language::Go && code.starts_with("const ") && name.len() > 3;
    let equals = bare.find('=')?;
    let is_one = !bare[equals..].starts_with("==") && !bare[..equals].contains(['(', '<', '>', '!']);
    let from = equals + 1 + (bare[equals + 1..].len() - bare[equals + 1..].trim_start().len());
    ((capitals || go) && is_one).then_some((name, from))
}

/// Whether another line of a text names the same number for the same thing.
fn says(text: &str, own: &str, name: &str, words: &[&str], number: u64) -> bool {
    let number = number.to_string();
    text.lines().filter(|line| *line != own).any(|line| {
        let lower = line.to_lowercase();
        let plain = lower.replace([',', '_'], "");
        let has = plain.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == number);
        let about = line.contains(name)
            || words.iter().filter(|word| lower.contains(**word)).count() >= 2.min(words.len().max(1));
        has && about
    })
}

/// A number that could as well stand there.
fn another(value: u64) -> u64 {
    match value {
        _ if value.is_multiple_of(10) => value / 10,
        _ if value.is_multiple_of(2) => value / 2,
        _ => value.saturating_mul(2),
    }
}
