//! Finds numbers with a unit in a program, and the requirement above each.
//!
//! A constant is a name that ends in a unit and is given a number: `limit_seconds=30`, `const WAIT_MS: u64 = 5_000;`. Only
//! one below a comment that names a requirement can disagree with anything. Start at [`disagreements`].

use super::{Files, source};
use crate::amounts::{Kind, amounts, unit};
use crate::parsed_document::{Need, names};
use std::ops::Range;

/// A comment farther above is about something else.
const LINES_ABOVE_MAX: usize = 20;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Constant {
    pub(super) name: String,
    /// The line it stands on, from 0, and where its number stands there.
    pub(super) line: usize,
    pub(super) number: Range<usize>,
    /// In the smallest unit of its kind.
    value: f64,
    kind: Kind,
    /// The size and the word of its unit.
    unit: (f64, String),
}

/// A constant that is not what its requirement says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Disagreement {
    pub(super) file: String,
    pub(super) constant: Constant,
    /// The requirement's id, and its words for the number.
    pub(super) requirement: String,
    pub(super) said: String,
    /// The number that would agree, in the unit of the constant; none where that is not a whole number.
    pub(super) right: Option<u64>,
}

impl Disagreement {
    /// What the constant says, in words.
    pub(super) fn is(&self) -> String {
        let number = self.constant.value / self.constant.unit.0;
        format!("{number} {}", self.constant.unit.1)
    }
}

/// Every constant of a program that disagrees with the requirement above it.
pub(super) fn disagreements(files: &Files, needs: &[(String, Need)]) -> Vec<Disagreement> {
    let programs = files.iter().filter(|(path, _)| !source::is_test(path) && !path.ends_with(".md"));
    let mut found = Vec::new();
    for (path, text) in programs {
        let lines: Vec<&str> = text.lines().collect();
        for constant in constants(&lines) {
            let Some(need) = requirement(&lines, constant.line, needs) else { continue };
            let said: Vec<_> =
                amounts(&need.text).into_iter().filter(|one| one.kind == constant.kind).collect();
            let agrees =
                said.iter().any(|one| (one.value - constant.value).abs() < f64::EPSILON * one.value.abs());
            let Some(first) = said.first().filter(|_| !agrees) else { continue };
            let right = first.value / constant.unit.0;
            found.push(Disagreement {
                file: path.clone(),
                requirement: need.name.clone(),
                said: need.text[first.at.clone()].to_owned(),
                right: (right.fract() == 0.0 && right >= 0.0).then_some(right as u64),
                constant,
            });
        }
    }
    found
}

/// The constants of a text that have a unit.
pub(super) fn constants(lines: &[&str]) -> Vec<Constant> {
    let one = |(line, text): (usize, &&str)| {
        let (left, right) = text.split_once('=').filter(|_| source::comment(text).is_none())?;
        let start = left.len() + 1 + (right.len() - right.trim_start().len());
        let digits = text[start..].bytes().take_while(|b| b.is_ascii_digit() || *b == b'_').count();
        let rest = text[start + digits..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        if digits == 0 || !matches!(rest.trim(), "" | ";" | ",") {
            return None;
        }
        // Without the type that some languages name.
        let name = left.split(':').next().unwrap_or(left).split_whitespace().last()?;
        let word = name.rsplit('_').next().filter(|word| word.len() < name.len())?.to_lowercase();
        let (kind, size) = unit(&word).filter(|(kind, _)| matches!(kind, Kind::Time | Kind::Size))?;
        let number: f64 = text[start..start + digits].replace('_', "").parse().ok()?;
        Some(Constant {
            name: name.to_owned(),
            line,
            number: start..start + digits,
            value: number * size,
            kind,
            unit: (size, word),
        })
    };
    lines.iter().enumerate().filter_map(one).collect()
}

/// The requirement that the nearest comment above a line names.
fn requirement<'n>(lines: &[&str], line: usize, needs: &'n [(String, Need)]) -> Option<&'n Need> {
    let above = lines[..line].iter().rev().take(LINES_ABOVE_MAX);
    let comments = above.filter_map(|text| source::comment(text));
    let named = |text: &str| needs.iter().map(|(_, need)| need).find(|need| names(text, &need.name));
    comments.into_iter().find_map(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs() -> Vec<(String, Need)> {
        let need = |name: &str, text: &str| {
            (name.to_owned(), Need { name: name.to_owned(), text: text.to_owned(), criteria: Vec::new() })
        };
        vec![
            need("R2", "A person can sign in again within five minutes."),
            need("R5", "When a step takes longer than 30 seconds, the system shall stop it."),
        ]
    }

    fn found(path: &str, text: &str) -> Vec<(String, String, Option<u64>)> {
        let files = Files::from([(path.to_owned(), text.to_owned())]);
        let all = disagreements(&files, &needs());
        all.into_iter().map(|one| (one.is(), one.said, one.right)).collect()
    }

    #[test]
    fn a_number_that_is_not_that_of_its_requirement_is_found_in_any_unit() {
        let says = |is: &str, said: &str, right| vec![(is.to_owned(), said.to_owned(), right)];
        assert_eq!(
            found("src/a.sh", "# Spec R5: text\nlimit_seconds=300\n"),
            says("300 seconds", "30 seconds", Some(30))
        );
        assert_eq!(
            found("src/a.rs", "// R5\nconst LIMIT_MS: u64 = 45_000;\n"),
            says("45000 ms", "30 seconds", Some(30_000))
        );
        assert_eq!(
            found("src/a.rs", "// R5\nconst LIMIT_MINUTES: u64 = 1;\n"),
            says("1 minutes", "30 seconds", None)
        );
    }

    #[test]
    fn what_agrees_or_belongs_to_nothing_is_left_alone() {
        for text in [
            "# Spec R5\nlimit_seconds=30\n",
            "# Spec R2\npromise_seconds=300\n",
            "limit_seconds=300\n",
            "# Spec R5\nattempts=3\n",
            "# Spec R5\nlimit_seconds=$1\n",
            "# Spec R5\n# limit_seconds=300\n",
        ] {
            assert_eq!(found("src/a.sh", text), [], "{text}");
        }
        assert_eq!(
            found("tests/a.sh", "# Spec R5\nlimit_seconds=300\n"),
            [],
            "tests choose their own numbers"
        );
    }
}
