//! Follows requirements and criteria across documents: whether later ones name them, or repeat them with other numbers.
//!
//! Authors who do not trace by ids are not told to: a missing mention counts only where most siblings have one.

use super::page::{Page, without_code_spans};
use super::{Faults, Rule};
use crate::page::id::{Definition, folded, is_inner, is_lettered};
use redraft_facts::prelude::*;
use redraft_facts::text::words;

/// Ids are asked for only where a document defines at least this many of a kind.
const SIBLINGS_MIN: usize = 3;

/// Ids of one document that no later one names.
pub(super) fn check_mentions(definitions: &[Definition<'_>], later: &[&Page<'_>], faults: &mut Faults<'_>) {
    if later.is_empty() {
        return;
    }
    let mentioned = mentions(later.iter().flat_map(|page| &page.lines).map(|line| line.text));
    let mut kinds: BTreeMap<String, Vec<(&Definition<'_>, bool)>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for definition in definitions {
        let key = &definition.key;
        // `AC-5.x` stands for a whole family.
        if !key.ends_with(".x") && seen.insert(key) {
            let kind: String = key.chars().take_while(|c| c.is_alphabetic()).collect();
            kinds.entry(kind).or_default().push((definition, is_mentioned(key, &mentioned)));
        }
    }
    for siblings in kinds.values().filter(|siblings| siblings.len() >= SIBLINGS_MIN) {
        let left: Vec<&Definition<'_>> =
            siblings.iter().filter(|(_, mentioned)| !mentioned).map(|(definition, _)| *definition).collect();
        let Some(first) = left.first().filter(|_| left.len() * 2 < siblings.len()) else { continue };
        let ids: Vec<String> = left.iter().map(|definition| format!("`{}`", definition.id)).collect();
        let message = match ids.as_slice() {
            [one] => format!("{one} is named in no later document"),
            many => format!("{} are named in no later document", many.join(", ")),
        };
        let hint = "say in the design, the plan or a task where it is met, or drop it";
        faults.add(Rule::UnreferencedId, first.line, message, hint);
    }
}

/// Named itself, or as a part or the whole of an id that is named.
pub fn is_mentioned(key: &str, mentioned: &BTreeSet<String>) -> bool {
    let part = mentioned.range(key.to_owned()..).next().is_some_and(|next| {
        next.strip_prefix(key).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let ends = key.match_indices(['.', '-']).map(|(at, _)| at);
    let bare = key.trim_end_matches(char::is_alphabetic).len();
    part || ends.chain([bare]).any(|end| mentioned.contains(&key[..end]))
}

/// More ids than any feature has.
const MENTIONS_MAX: usize = 100_000;
/// The same for spellings.
const SPELLINGS_MAX: usize = 20_000;

/// Every id that some lines name, with what ranges and lists leave out: `AC-1..AC-4`, `AC-1, 2, 3`.
pub(super) fn mentions<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // Ids with what follows them: nothing is read twice.
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for line in lines {
        if found.len() > MENTIONS_MAX || seen.len() > SPELLINGS_MAX {
            break;
        }
        let mut rest = line;
        while let Some(at) = rest.find(char::is_alphanumeric) {
            rest = &rest[at..];
            let end = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            if word.bytes().any(|byte| byte.is_ascii_digit()) {
                for id in pieces(word) {
                    found.insert(folded(id));
                    if seen.len() < SPELLINGS_MAX && seen.insert((id, beginning(after))) {
                        found.extend(listed(id, beginning(after)));
                    }
                }
                if seen.insert((word, ".."))
                    && let Some((from, to)) = word.split_once("..").or_else(|| word.split_once('-'))
                {
                    found.extend(between(from, to.trim_start_matches('.')));
                }
            }
            if let Some((id, after)) = spaced(word, after) {
                found.extend(listed(&id, after));
                found.insert(folded(&id));
            }
        }
    }
    found
}

/// As much of a text as can hold a list of ids.
fn beginning(text: &str) -> &str {
    const CHARS_MAX: usize = 200;
    text.char_indices().nth(CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}

/// The ids of a token: itself, and the two of `AC-1..AC-3` or `FR1-FR4`.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let cuts = word.match_indices("..").chain(word.match_indices('-')).map(|(at, _)| at);
    let parts = cuts.flat_map(|at| [&word[..at], word[at..].trim_start_matches(['.', '-'])]);
    let whole = word.trim_end_matches(['.', '-', '_']);
    core::iter::once(whole).chain(parts).filter(|id| is_lettered(id))
}

/// `AC 3`, written with a blank, and what follows it.
fn spaced<'a>(word: &str, after: &'a str) -> Option<(String, &'a str)> {
    const LETTERS_MAX: usize = 6;
    let capitals = word.chars().all(char::is_uppercase) && word.len() <= LETTERS_MAX;
    let number: &str = after.strip_prefix(' ').unwrap_or_default();
    let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    (capitals && digits > 0).then(|| (format!("{word}-{}", &number[..digits]), &number[digits..]))
}

/// What follows an id without its prefix: `, 2, 3`, `/2`, ` to 4`, `–7`.
fn listed(id: &str, after: &str) -> Vec<String> {
    const LIST_MAX: usize = 64;
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_lowercase());
    let mut found = Vec::new();
    let mut last = number_of(id);
    let mut rest = after;
    for _ in 0..LIST_MAX {
        let text = rest.trim_start_matches(['*', '`', ' ', ']']);
        let sign = text.trim_start_matches([',', '/', '+', '&', '–', '—', '~', '→', ' ']);
        let range = text.starts_with(['–', '—', '~', '→'])
            || ["to ", "through ", "bis "].iter().any(|word| text.starts_with(word));
        let number = sign.trim_start_matches("and ").trim_start_matches("to ").trim_start_matches("through ");
        let number = number.trim_start_matches("bis ").trim_start_matches(['*', '`', '[']);
        let number = number.strip_prefix(stem).unwrap_or(number);
        let end =
            number.find(|c: char| !(c.is_ascii_digit() || c.is_ascii_lowercase())).unwrap_or(number.len());
        let piece = &number[..end];
        if number.len() == text.len() || !piece.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        found.push(folded(&format!("{stem}{piece}")));
        let to = number_of(piece);
        if range && let (Some(from), Some(to)) = (last, to) {
            found.extend(numbers(stem, from, to));
        }
        last = to;
        rest = &number[end..];
    }
    found
}

fn between(from: &str, to: &str) -> Vec<String> {
    let stem = from.trim_end_matches(|c: char| c.is_ascii_digit());
    match (number_of(from), number_of(to)) {
        (Some(from), Some(to)) if !stem.is_empty() => numbers(stem, from, to),
        (_, _) => Vec::new(),
    }
}

fn numbers(stem: &str, from: u32, to: u32) -> Vec<String> {
    const RANGE_MAX: u32 = 200;
    let end = to.min(from.saturating_add(RANGE_MAX));
    (from..=end).map(|number| folded(&format!("{stem}{number}"))).collect()
}

/// The number an id ends with.
fn number_of(id: &str) -> Option<u32> {
    let bare = id.trim_end_matches(char::is_alphabetic);
    let stem = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    bare[stem.len()..].parse().ok()
}

/// Requirements that a later document repeats, nearly word for word, with other numbers.
pub(super) fn check_restated(
    definitions: &[Definition<'_>],
    earlier: &[(&Page<'_>, &[Definition<'_>])],
    faults: &mut Faults<'_>,
) {
    let mut known: BTreeMap<&str, Vec<(&Page<'_>, &Definition<'_>)>> = BTreeMap::new();
    for (page, definitions) in earlier {
        for definition in *definitions {
            let same = known.entry(&definition.key).or_default();
            if same.len() < SAME_MAX {
                same.push((page, definition));
            }
        }
    }
    for definition in definitions {
        let mut same = known.get(definition.key.as_str()).into_iter().flatten();
        if let Some((page, other)) = same.find(|(_, other)| says_other_numbers(other.text, definition.text)) {
            let (id, name, line) = (definition.id, page.name(), other.line + 1);
            let message = format!("`{id}` is stated with other numbers than in {name}, line {line}");
            let hint = "make them the same, or only refer to the one that counts";
            faults.add(Rule::RestatedDifferently, definition.line, message, hint);
        }
    }
}

/// How many definitions of one id are compared.
const SAME_MAX: usize = 8;

/// Whether two texts share most of their words and differ in their numbers.
fn says_other_numbers(one: &str, other: &str) -> bool {
    const WORDS_MIN: usize = 4;
    let (one, other) = (without_code_spans(one), without_code_spans(other));
    let (one_numbers, other_numbers) = (values(&one), values(&other));
    // As many on both sides: the same sentence with another number in it, not one that says more.
    if one_numbers == other_numbers || one_numbers.is_empty() || one_numbers.len() != other_numbers.len() {
        return false;
    }
    let plain = |text: &str| -> BTreeSet<String> {
        words(text).into_iter().filter(|word| word.chars().all(char::is_alphabetic)).collect()
    };
    let (one, other) = (plain(&one), plain(&other));
    let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
    // Three quarters of the longer one: a summary leaves numbers out on purpose.
    fewer >= WORDS_MIN && one.intersection(&other).count() * 4 >= more * 3
}

/// The numbers of a text that are no part of an id, a name or a reference.
fn values(text: &str) -> BTreeSet<&str> {
    let tokens = text.split(|c: char| !(is_inner(c) || c == '%'));
    let numbers = tokens.map(|token| token.trim_matches(['.', '-']));
    numbers.filter(|token| token.starts_with(|c: char| c.is_ascii_digit())).collect()
}
