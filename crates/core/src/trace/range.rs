//! Ids with letters, and ranges of ids.

use crate::prelude::*;
use crate::tasks::id;

/// Of a range such as `D4-D7`.
const RANGE_MAX: u32 = 50;

/// `D6` of `D6-narrow`.
pub(super) fn without_word(id: &str) -> &str {
    let Some((bare, word)) = id.rsplit_once('-') else { return id };
    let is_word = word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    if is_word && bare.ends_with(|c: char| c.is_ascii_digit()) { bare } else { id }
}

/// `FR-1`, `C9`, `P-A.1`: begins with capitals and holds a number.
pub(super) fn is_lettered(id: &str) -> bool {
    const LETTERS_MAX: usize = 5;
    let letters = id.chars().take_while(|c| c.is_ascii_alphabetic()).count();
    let capitals = id.chars().take(letters).all(|c| c.is_ascii_uppercase());
    let shaped = id::shape(id).is_some() || id[letters..].starts_with(['-', '#']);
    (1..=LETTERS_MAX).contains(&letters) && capitals && shaped
}

/// The two ends of a range in one word: `D4-D7`, `1-5`, `AC-1..AC-4`. An id that merely has dashes is one.
pub(super) fn range(word: &str) -> (&str, Option<&str>) {
    if let Some((first, last)) = word.split_once("..") {
        return (first, Some(last.trim_start_matches('.')).filter(|last| !last.is_empty()));
    }
    for (at, _) in word.match_indices('-') {
        let (first, last) = (&word[..at], &word[at + 1..]);
        let letters =
            |id: &'_ str| id.len() - id.trim_start_matches(|c: char| c.is_alphabetic() || c == '-').len();
        let counted = first[letters(first)..].starts_with(|c: char| c.is_ascii_digit());
        let alike = letters(first) == letters(last) && first[..letters(first)] == last[..letters(last)];
        if counted && alike && last[letters(last)..].starts_with(|c: char| c.is_ascii_digit()) {
            return (first, Some(last));
        }
    }
    (word, None)
}

/// `D4` of `D4-D7`.
pub(super) fn first_of_range(word: &str) -> &str {
    range(word).0
}

/// The numbers behind the first one up to the last one.
pub(super) fn numbers_between(first: &str, last: &str) -> Vec<String> {
    let (head, from) = first.rsplit_once('.').map_or(("", first), |(head, from)| (head, from));
    let to = last.rsplit_once('.').map_or(last, |(_, to)| to);
    match (from.parse::<u32>(), to.parse::<u32>()) {
        (Ok(from), Ok(to)) if from < to && to - from <= RANGE_MAX => {
            let spell =
                |number: u32| if head.is_empty() { number.to_string() } else { format!("{head}.{number}") };
            (from + 1..=to).map(spell).collect()
        }
        _ => vec![last.to_owned()],
    }
}
