//! Numbers in what an agent writes: which are part of a name, which are figures of the ledger, and which are its own.
//!
//! A retrospective says nothing in numbers that the ledger does not say. A number is fine as part of an id (`S1`, `FR-2`),
//! of a path (`src/a2.rs:14`), of a ticket or of a technical name (`sha256`), after the word that makes it a name (`task
//! 1.2`, `line 14`), and where it equals a figure. Everything else is foreign, also in words and in other scripts. Where a
//! text cannot be told it counts as foreign: a sentence that is missing does less harm than a number nobody counted.
//!
//! Start at [`foreign`]. Names in braces are not looked at here; see [`Figures::fill`].

use super::figures::{Figure, Figures};
use crate::prelude::*;
use crate::ticket::Ticket;
use crate::usage::grouped;

/// What a number may be equal to or part of.
#[derive(Debug, Clone, Default)]
pub struct Known {
    values: BTreeSet<u64>,
    texts: BTreeSet<String>,
    findings: BTreeSet<String>,
    tasks: BTreeSet<String>,
    feature: Option<String>,
    folder: Option<String>,
}

impl Known {
    /// No figure at all, as for what is to be read without this feature.
    pub fn nothing() -> Known {
        Known::default()
    }

    pub fn of(figures: &Figures) -> Known {
        Known::with(figures, &figures.named())
    }

    pub(super) fn with(figures: &Figures, named: &[Figure]) -> Known {
        let values: BTreeSet<u64> = named.iter().filter_map(|figure| figure.value).collect();
        let money = named.iter().filter(|figure| figure.text.starts_with('$'));
        let money = money.flat_map(|figure| [figure.text.clone(), figure.text.replace('$', "")]);
        let feature = figures.feature.map(|id| id.to_string());
        Known {
            texts: values
                .iter()
                .flat_map(|value| [value.to_string(), grouped(*value)])
                .chain(money)
                .collect(),
            values,
            findings: figures.findings.iter().map(ToString::to_string).collect(),
            tasks: figures.tasks.iter().map(ToString::to_string).collect(),
            folder: feature.as_ref().map(|id| format!("{id}-{}", figures.slug)),
            feature,
        }
    }
}

/// The first number of a text that is neither part of a name nor a figure.
pub fn foreign(text: &str, known: &Known) -> Option<String> {
    let mut before = String::new();
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| MARKS.contains(c));
        if !is_fine(word, &before, known) {
            return Some(word.to_owned());
        }
        if !word.is_empty() {
            before = word.to_lowercase();
        }
    }
    None
}

/// What stands around a word and is no part of it.
const MARKS: &str = ".,;:!?()[]\"'`*_“”‘’«»<>—–-…~";
/// What joins words into one.
const JOINTS: [char; 14] = [',', ';', '/', '–', '—', '…', '→', '(', ')', '=', '|', '+', '-', '`'];

fn is_fine(word: &str, before: &str, known: &Known) -> bool {
    if !word.contains(char::is_numeric) {
        return joined(word).all(|part| number_word(part).is_none_or(|value| known.is_value(value)));
    }
    if is_path(word) || is_id(word) || is_name(word) || known.names(word, before) {
        return true;
    }
    if known.texts.contains(word) {
        return true;
    }
    let several = word.contains(JOINTS);
    several && joined(word).all(|part| is_fine(part, before, known))
}

fn joined(word: &str) -> impl Iterator<Item = &str> {
    word.split(JOINTS).map(|part| part.trim_matches(|c: char| MARKS.contains(c)))
}

impl Known {
    fn is_value(&self, value: Option<u64>) -> bool {
        value.is_some_and(|value| self.values.contains(&value))
    }

    /// Whether a word is a name of this feature, or becomes a name by the word before it.
    fn names(&self, word: &str, before: &str) -> bool {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is = |name: &Option<String>| name.as_deref() == Some(word);
        let ticket = |text: &str| text.parse::<Ticket>().is_ok();
        let own_ticket = |id: &String| ticket(&format!("{id}/{word}"));
        let bare = word.strip_prefix('#').unwrap_or(word);
        is(&self.feature)
            || is(&self.folder)
            || self.findings.contains(word)
            || ticket(word)
            || (word.contains('/') && self.feature.as_ref().is_some_and(own_ticket))
            || (matches!(before, "task" | "tasks") && self.tasks.contains(bare))
            || (matches!(before, "line" | "lines") && bare.split('-').all(digits))
            || (before == "feature" && bare.len() == 3 && digits(bare))
    }
}

/// `src/a2.rs`, `docs/features/001-x/spec.md:12`, `0001-why.md`, also with lines behind it.
fn is_path(word: &str) -> bool {
    let path = without_lines(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '@');
    let has_letter = |text: &str| text.contains(|c: char| c.is_ascii_alphabetic());
    if !path.chars().all(plain) || !has_letter(path) {
        return false;
    }
    if path.contains('/') {
        let mut folders = path.split('/');
        let first = folders.clone().find(|part| !part.is_empty()).unwrap_or_default();
        let begins = first.starts_with(|c: char| !c.is_ascii_digit());
        return begins && folders.all(|part| part.is_empty() || part.starts_with('.') || has_letter(part));
    }
    let Some((stem, ending)) = path.rsplit_once('.') else { return false };
    has_letter(stem) && ending.starts_with(|c: char| c.is_ascii_alphabetic()) && ending.len() <= 8
}

/// A path without `:12`, `:12-15`, `:12:3` or `#L12` at its end.
fn without_lines(word: &str) -> &str {
    let Some(at) = word.find([':', '#']) else { return word };
    let (path, lines) = word.split_at(at);
    let fits = |c: char| c.is_ascii_digit() || matches!(c, ':' | '#' | 'L' | '-');
    if lines.chars().all(fits) { path } else { word }
}

/// `S1`, `FR-12`, `T1.2`, `AC-6a`.
fn is_id(word: &str) -> bool {
    const LETTERS_MAX: usize = 8;
    const MONEY: [&str; 4] = ["USD", "EUR", "GBP", "JPY"];
    let end = word.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(word.len());
    let (letters, rest) = word.split_at(end);
    let rest = rest.strip_prefix(['-', '_']).unwrap_or(rest);
    let rest = rest.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(rest);
    let numbers =
        rest.split(['.', '-']).all(|run| !run.is_empty() && run.bytes().all(|b| b.is_ascii_digit()));
    (1..=LETTERS_MAX).contains(&letters.len()) && numbers && !MONEY.contains(&letters)
}

/// `sha256`, `http2`, `limit_2`; not what only glues a number to the word for what it counts.
fn is_name(word: &str) -> bool {
    const COUNTED: [&str; 22] = [
        "x",
        "pass",
        "round",
        "iteration",
        "dispatch",
        "attempt",
        "failure",
        "finding",
        "blocker",
        "warning",
        "suggestion",
        "ruling",
        "check",
        "task",
        "token",
        "cost",
        "usd",
        "file",
        "line",
        "minute",
        "hour",
        "time",
    ];
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let end = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
    let letters = word[..end].trim_end_matches('_').to_lowercase();
    let singular = letters.strip_suffix("es").or(letters.strip_suffix('s'));
    let counted = |word: &str| COUNTED.contains(&word);
    let counts = counted(&letters) || singular.is_some_and(counted) || counted(letters.trim_end_matches('s'));
    plain && word.starts_with(|c: char| c.is_ascii_alphabetic()) && !counts
}

/// The number that a word says: none where it says none, and nothing within where it can be no figure. `one` and `first`
/// are not counted: they are said without counting.
fn number_word(word: &str) -> Option<Option<u64>> {
    const WORDS: [(&str, u64); 33] = [
        ("zero", 0),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("thirteen", 13),
        ("fourteen", 14),
        ("fifteen", 15),
        ("sixteen", 16),
        ("seventeen", 17),
        ("eighteen", 18),
        ("nineteen", 19),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
        ("twice", 2),
        ("thrice", 3),
        ("dozen", 12),
        ("hundred", 100),
        ("thousand", 1_000),
        ("million", 1_000_000),
    ];
    let word = word.to_lowercase();
    if matches!(word.as_str(), "half" | "percent" | "dozens" | "hundreds" | "thousands" | "millions") {
        return Some(None);
    }
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| Some(*value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_the_ledger_and_of_names_may_stand_in_a_text() {
        let mut known = Known::nothing();
        known.values = [4, 13, 1_234].into();
        known.texts = ["4", "13", "1234", "1,234", "$0.0123", "0.0123"].map(str::to_owned).into();
        known.tasks = ["1.2", "7"].map(str::to_owned).into();
        known.feature = Some("031".to_owned());
        known.folder = Some("031-password-reset".to_owned());
        for fine in [
            "",
            "no number at all",
            "one reviewer said first what the others said later",
            "4 rounds and 13 dispatches",
            "four rounds, thirteen dispatches",
            "(13) or \"4\", 1,234 and 1234",
            "it cost $0.0123",
            "S1, FR-12 and AC-6a; see T1.2, Q3.",
            "S1/S2, S1-S3, S1–S3, S1,S2",
            "src/a2.rs:14 and src/a2.rs:14-19 and src/a2.rs#L3",
            "docs/features/018-login/spec.md:12",
            "`spec.md:12` and 0001-why.md",
            "spec.md line 77, lines 3-9",
            "feature 018 and Feature #019",
            "031-password-reset, feature 031",
            "031/specify.1/review/spec-reviewer/2.1",
            "specify.1/review/spec-reviewer/2.1",
            "task 1.2 and Task 7",
            "sha256, UTF-8, http2 and limit_2",
        ] {
            assert_eq!(foreign(fine, &known), None, "{fine}");
        }
        for (text, number) in [
            ("5 rounds", "5"),
            ("five rounds", "five"),
            ("some 40% of it", "40%"),
            ("13% of it", "13%"),
            ("3x slower", "3x"),
            ("x3 slower", "x3"),
            ("the 2nd round", "2nd"),
            ("a 5-minute wait", "5-minute"),
            ("half of the findings", "half"),
            ("twice as long", "twice"),
            ("$0.50", "$0.50"),
            ("0.50 dollars", "0.50"),
            ("USD5", "USD5"),
            ("5/7 done", "5/7"),
            ("rounds=5", "rounds=5"),
            ("rounds3", "rounds3"),
            ("passes_9", "passes_9"),
            ("between 4 and 9", "9"),
            ("4.5 on average", "4.5"),
            ("version 2.0", "2.0"),
            ("about 1.2", "1.2"),
            ("row 77", "77"),
            ("020-other", "020-other"),
            ("½ of them", "½"),
            ("٣ rounds", "٣"),
            ("3\u{fe0f}\u{20e3}", "3\u{fe0f}\u{20e3}"),
            ("&#51; rounds", "&#51"),
            ("3/week", "3/week"),
        ] {
            assert_eq!(foreign(text, &known).as_deref(), Some(number), "{text}");
        }
    }

    #[test]
    fn without_figures_every_number_that_is_no_name_is_foreign() {
        let nothing = Known::nothing();
        assert_eq!(foreign("S1 in src/a2.rs", &nothing), None);
        assert_eq!(foreign("1 retry", &nothing).as_deref(), Some("1"));
    }
}
