//! Decides whether a value looks random, or like words, an identifier or a placeholder.
//!
//! Names in code are long and mixed too (`parseAccessTokenV2`), so the number of different characters decides nothing.
//! The difference is that most of a name is made of pronounceable words, and a random value is not.

use crate::prelude::*;

/// Runs of letters shorter than this are no evidence of a word.
const WORD_CHARS_MIN: usize = 4;

/// At least `least` characters, of mixed classes, mostly not words, and not one of the things that only look secret.
pub(super) fn looks_random(value: &str, least: usize) -> bool {
    let bytes = value.as_bytes();
    let has = |class: fn(&u8) -> bool| bytes.iter().any(class);
    let (lower, upper) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let mixed = (has(u8::is_ascii_digit) && (lower || upper)) || (lower && upper);
    if value.len() < least || !mixed || is_uuid(value) || is_placeholder(value) {
        return false;
    }
    let words = word_chars(bytes);
    let mostly_noise = words * 10 <= value.len() * 3;
    // Digits scattered among letters are noise as well; a version number at the end of a name is one change.
    mostly_noise || (words * 2 <= value.len() && changes(bytes) >= 3)
}

/// The same for a value whose place rules out a name in code: a single word of both cases may hold many words by
/// chance, and even more of them if it keeps changing between small letters, capitals and digits.
pub(super) fn looks_drawn(value: &str, least: usize) -> bool {
    let bytes = value.as_bytes();
    let has = |class: fn(&u8) -> bool| bytes.iter().any(class);
    value.len() >= least
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && !is_placeholder(value)
        && !is_made_up(value)
        && (word_chars(bytes) * 10 <= value.len() * 6
            || alternates_character_classes(value) && changes(bytes) >= 3
            || changes(bytes) >= 4)
}

/// Whether small letters, capitals and digits alternate more often than in names made of words.
pub(super) fn alternates_character_classes(value: &str) -> bool {
    let class = |b: &u8| (b.is_ascii_digit(), b.is_ascii_uppercase());
    value.as_bytes().chunk_by(|a, b| class(a) == class(b)).count() * 5 >= value.len() * 2
}

/// Whether a value itself says that it is not a real one: `${TOKEN}`, `<your key>`, `changeme`, `xxxxxxxx`.
pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 10] = [
        "example",
        "changeme",
        "change-me",
        "change_me",
        "placeholder",
        "dummy",
        "fake",
        "sample",
        "your",
        "redacted",
    ];
    const SIGNS: [&str; 3] = ["....", "${", "&lt;"];
    const STARTS: [&str; 8] = ["<", "{", "[", "(", "%s", "%v", "%(", "data:"];
    let variable = value.strip_prefix('$').is_some_and(|name| {
        name.starts_with(['{', '(']) || name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    });
    let lower = value.to_ascii_lowercase();
    variable
        || value.contains("://")
        || ["***", "xxxx", "XXXX"].iter().any(|filling| value.contains(filling))
        || STARTS.iter().any(|start| lower.starts_with(start))
        || SIGNS.iter().any(|sign| value.contains(sign))
        || WORDS.iter().any(|word| has_word(value, word))
}

/// Whether a value has a word as people write it: `fake`, `Fake` or `FAKE`. A random value has its letters in mixed
/// case by chance.
fn has_word(value: &str, word: &str) -> bool {
    let is_it = |at: usize| {
        let found = &value.as_bytes()[at..at + word.len()];
        let small = found[1..].iter().all(|b| !b.is_ascii_uppercase());
        let capitals = found.iter().all(|b| !b.is_ascii_lowercase());
        (small || capitals) && found.eq_ignore_ascii_case(word.as_bytes())
    };
    (0..(value.len() + 1).saturating_sub(word.len())).any(is_it)
}

/// Whether a value says that it was made up for a test or an example. The words of [`is_placeholder`] are not among
/// these.
pub(super) fn is_made_up(value: &str) -> bool {
    const PARTS: [&str; 10] = [
        "test",
        "demo",
        "mock",
        "stub",
        "process.env",
        "os.environ",
        "import.meta",
        "insert",
        "replace",
        "secret-value",
    ];
    PARTS.iter().any(|part| has_word(value, part))
}

/// `min-8-chars`, `v2.1.0-beta`, `30-days`: numbers that stand by themselves between words.
pub(super) fn is_measure(value: &str) -> bool {
    let mut parts = value.split(['-', '_', '.', '/', '+', '~', ':']).filter(|part| !part.is_empty());
    let number = |part: &str| part.trim_start_matches('v').bytes().all(|b| b.is_ascii_digit());
    let word = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
    value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./+~:".contains(&b))
        && parts.all(|part| number(part) || word(part))
}

pub(super) fn is_uuid(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// How many characters belong to words. `parseURLToken` is read as `parse`, `URL` and `Token`.
fn word_chars(bytes: &[u8]) -> usize {
    let mut total = 0;
    let mut start = 0;
    for at in 0..=bytes.len() {
        let before = at.checked_sub(1).map(|i| bytes[i]);
        let here = bytes.get(at).copied().unwrap_or(b' ');
        let letter = here.is_ascii_alphabetic();
        let hump = here.is_ascii_uppercase() && before.is_some_and(|b| b.is_ascii_lowercase());
        // The last capital of `URLToken` begins the next word.
        let after_capitals =
            here.is_ascii_lowercase() && at >= start + 2 && before.is_some_and(|b| b.is_ascii_uppercase());
        if letter && !hump && !after_capitals {
            continue;
        }
        let end = if after_capitals { at - 1 } else { at };
        if is_word(&bytes[start..end]) {
            total += end - start;
        }
        start = if letter { end } else { at + 1 };
    }
    total
}

/// Long enough, with a vowel, and nowhere four consonants in a row.
fn is_word(letters: &[u8]) -> bool {
    let is_vowel = |b: &u8| matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    letters.len() >= WORD_CHARS_MIN
        && letters.iter().any(is_vowel)
        && letters.split(is_vowel).all(|consonants| consonants.len() <= 3)
}

/// How often a letter stands next to a digit.
fn changes(bytes: &[u8]) -> usize {
    let change = |pair: &&[u8]| {
        let [a, b] = [pair[0], pair[1]];
        (a.is_ascii_digit() && b.is_ascii_alphabetic()) || (a.is_ascii_alphabetic() && b.is_ascii_digit())
    };
    bytes.windows(2).filter(change).count()
}
