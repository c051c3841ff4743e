//! Classifies numbers in an agent's text: part of a name, a figure of the ledger, or the agent's own.
//!
//! A retrospective has no digits that are not in the ledger. A number is fine as part of a name (`S1`, `src/a2.rs:14`,
//! `sha256`), after the word that makes it a name (`task 1.2`, `line 14`), and where it equals a figure. Every other
//! number is foreign. Numbers in words and in other scripts are not looked for.
//!
//! Start at [`first_unknown_number`]. Names in braces are not looked at here; see [`Figures::fill`].

use super::figures::{Figure, Figures};
use redraft_facts::prelude::*;
use redraft_facts::usage::grouped;

/// The numbers and names that a number may be equal to or part of.
#[derive(Debug, Clone, Default)]
pub struct KnownNumbers {
    texts: BTreeSet<String>,
    feature: Option<String>,
    folder: Option<String>,
}

impl KnownNumbers {
    /// No figure at all, for texts that are read without this feature.
    pub fn empty() -> KnownNumbers {
        KnownNumbers::default()
    }

    pub fn from_figures(figures: &Figures) -> KnownNumbers {
        KnownNumbers::with(figures, &figures.named())
    }

    pub(super) fn with(figures: &Figures, named: &[Figure]) -> KnownNumbers {
        let values = named.iter().filter_map(|figure| figure.value);
        let money = named.iter().filter(|figure| figure.text.starts_with('$'));
        let money = money.flat_map(|figure| [figure.text.clone(), figure.text.replace('$', "")]);
        let feature = figures.feature.map(|id| id.to_string());
        KnownNumbers {
            texts: values.flat_map(|value| [value.to_string(), grouped(value)]).chain(money).collect(),
            folder: feature.as_ref().map(|id| format!("{id}-{}", figures.slug)),
            feature,
        }
    }

    /// Whether a word is this feature, its folder, or something in one of them: a ticket, a path.
    fn names(&self, word: &str) -> bool {
        let first = word.split('/').next();
        first.is_some_and(|first| {
            [&self.feature, &self.folder].iter().any(|name| name.as_deref() == Some(first))
        })
    }
}

/// The first number of a text that is neither part of a name nor a figure.
pub fn first_unknown_number(text: &str, known: &KnownNumbers) -> Option<String> {
    let mut before = "";
    for word in text.split_whitespace().map(bare).filter(|word| !word.is_empty()) {
        if !is_fine(word, before, known) {
            return Some(word.to_owned());
        }
        before = word;
    }
    None
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| ".,;:!?()[]\"'`*_“”‘’«»<>—–-…~".contains(c))
}

fn is_fine(word: &str, before: &str, known: &KnownNumbers) -> bool {
    /// What joins words into one.
    const JOINTS: [char; 14] = [',', ';', '/', '–', '—', '…', '→', '(', ')', '=', '|', '+', '-', '`'];
    const NAMING: [&str; 7] = ["task", "tasks", "step", "steps", "line", "lines", "feature"];
    if !word.contains(|c: char| c.is_ascii_digit()) || known.texts.contains(word) {
        return true;
    }
    let is_number = word.chars().all(|c| c.is_ascii_digit() || ".-#".contains(c));
    if is_name(word) || known.names(word) || (is_number && NAMING.contains(&before.to_lowercase().as_str())) {
        return true;
    }
    word.contains(JOINTS) && word.split(JOINTS).all(|part| is_fine(bare(part), before, known))
}

/// What begins with a letter, as ids, most paths and technical names do; or a file with an ending (`0001-why.md`).
fn is_name(word: &str) -> bool {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_./-:#@".contains(c));
    let file = word.split([':', '#']).next().and_then(|path| path.rsplit_once('.'));
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let is_file =
        file.is_some_and(|(stem, ending)| stem.contains(is_letter) && ending.starts_with(is_letter));
    is_plain && (word.trim_start_matches(['.', '/', '@']).starts_with(is_letter) || is_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_the_ledger_and_of_names_may_stand_in_a_text() {
        let mut known = KnownNumbers::empty();
        known.texts = ["4", "13", "1234", "1,234", "$0.0123", "0.0123"].map(str::to_owned).into();
        known.feature = Some("031".to_owned());
        known.folder = Some("031-password-reset".to_owned());
        for fine in [
            "",
            "no number at all",
            "4 rounds and 13 dispatches",
            "(13) or \"4\", 1,234 and 1234",
            "it cost $0.0123",
            "S1, FR-12 and AC-6a; see T1.2, Q3.",
            "S1/S2, S1-S3, S1–S3, S1,S2",
            "src/a2.rs:14 and src/a2.rs:14-19 and src/a2.rs#L3",
            "docs/features/018-login/spec.md:12 and ./a2.rs",
            "`spec.md:12` and 0001-why.md:3",
            "spec.md line 77, lines 3-9",
            "feature 018 and Feature #019",
            "031-password-reset, feature 031, 031-password-reset/spec.md",
            "031/specify.1/review/spec-reviewer/2.1",
            "specify.1/review/spec-reviewer/2.1",
            "task 1.2 and Task 7, plan step 1.1",
            "sha256, UTF-8, http2 and limit_2",
            // Neither words nor other scripts are looked for.
            "five rounds, half of them twice, ½ or ٣",
        ] {
            assert_eq!(first_unknown_number(fine, &known), None, "{fine}");
        }
        for (text, number) in [
            ("5 rounds", "5"),
            ("some 40% of it", "40%"),
            ("13% of it", "13%"),
            ("3x slower", "3x"),
            ("the 2nd round", "2nd"),
            ("a 5-minute wait", "5-minute"),
            ("$0.50", "$0.50"),
            ("0.50 dollars", "0.50"),
            ("5/7 done", "5/7"),
            ("rounds=5", "rounds=5"),
            ("between 4 and 9", "9"),
            ("4.5 on average", "4.5"),
            ("version 2.0", "2.0"),
            ("about 1.2", "1.2"),
            ("row 77", "77"),
            ("task 40%", "40%"),
            ("020-other", "020-other"),
            ("3\u{fe0f}\u{20e3}", "3\u{fe0f}\u{20e3}"),
            ("&#51; rounds", "&#51"),
            ("3/week", "3/week"),
        ] {
            assert_eq!(first_unknown_number(text, &known).as_deref(), Some(number), "{text}");
        }
    }

    #[test]
    fn without_figures_every_number_that_is_no_name_is_foreign() {
        let nothing = KnownNumbers::empty();
        assert_eq!(first_unknown_number("S1 in src/a2.rs", &nothing), None);
        assert_eq!(first_unknown_number("1 retry", &nothing).as_deref(), Some("1"));
    }
}
