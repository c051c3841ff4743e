//! When or where something was observed, in the forms people write: `Feature #018`, `Feature 017`, `018-slug`,
//! `2026-02-17`, `Feature #008 (approximate - …)`.

use redraft_facts::ids::{FeatureId, is_slug};
use redraft_facts::prelude::*;

/// The value of `Observed in:`, `Source:` or `Last observed:`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observed {
    /// As written.
    pub raw: String,
    /// Every feature it names.
    pub features: Vec<NamedFeature>,
    /// The end of the day or month it names, in milliseconds since 1970.
    pub until_ms: Option<i64>,
    pub approximate: bool,
}

/// A feature as it is named: several folders may share a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFeature {
    pub id: FeatureId,
    pub slug: Option<String>,
}

impl Observed {
    pub fn read(raw: &str) -> Observed {
        Observed {
            raw: raw.to_owned(),
            features: features(raw),
            until_ms: date(raw),
            approximate: raw.to_lowercase().contains("approx"),
        }
    }

    /// Whether it names this feature.
    pub fn is_of(&self, feature: FeatureId) -> bool {
        self.features.iter().any(|named| named.id == feature)
    }
}

/// More digits than any number of a feature has.
const DIGITS_MAX: usize = 6;
/// Digits that numbers of features are written with.
const PADDED: usize = 3;

fn features(text: &str) -> Vec<NamedFeature> {
    let mut found: Vec<NamedFeature> = Vec::new();
    let mut before = Before::Other;
    for word in text.split([' ', '\t', ',', ';', '(', ')', '&', '+', '`']) {
        let lower = word.to_lowercase();
        let lower = lower.trim_matches(['*', '_', '.', ':', '"', '\'', '[', ']']);
        if lower.is_empty() || matches!(lower, "and" | "to" | "through" | "-" | "–" | "—" | "#") {
            continue;
        }
        // `docs/features/018-slug/retro.md`
        let lower = match lower.split_once("features/") {
            Some((_, path)) => path.split('/').next().unwrap_or_default(),
            None => lower,
        };
        let after = lower.strip_prefix("features").or_else(|| lower.strip_prefix("feature"));
        let joined = after.and_then(|rest| rest.strip_prefix(['-', '#', ':', '_']));
        let candidate = joined.unwrap_or(lower);
        let hash = candidate.starts_with('#') || joined.is_some();
        let read = named(candidate.trim_start_matches('#'));
        let counts = read.as_ref().is_some_and(|(named, digits)| match before {
            Before::Feature => true,
            Before::Number => hash || named.slug.is_some() || *digits >= PADDED,
            Before::Another => joined.is_some(),
            Before::Other => hash || named.slug.is_some(),
        });
        before = match (read.filter(|_| counts), lower) {
            (Some((named, _)), _) => {
                if !found.contains(&named) {
                    found.push(named);
                }
                Before::Number
            }
            (None, "feature" | "features" | "feat") => Before::Feature,
            (None, "pr" | "prs" | "issue" | "issues" | "request" | "commit" | "task") => Before::Another,
            (None, _) => Before::Other,
        };
    }
    found
}

/// What stood before a number and says what it counts.
#[derive(Clone, Copy)]
enum Before {
    Feature,
    /// The number of a feature.
    Number,
    /// Something else that is numbered.
    Another,
    Other,
}

/// `018` or `018-slug`, and how many digits it has. A date is neither.
fn named(word: &str) -> Option<(NamedFeature, usize)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > DIGITS_MAX {
        return None;
    }
    let id = FeatureId(word[..digits].parse().ok()?);
    let rest = word[digits..].trim_end_matches(['.', ':', '*', '_', '?', '!', ']']);
    if rest.is_empty() {
        return Some((NamedFeature { id, slug: None }, digits));
    }
    let slug = rest.strip_prefix('-').filter(|slug| slug.starts_with(char::is_alphabetic))?;
    // `_` and `.` stand in folders that others have named.
    let plain = slug.split(['-', '_', '.']).all(|part| part.is_empty() || is_slug(part));
    (plain && digits >= PADDED).then(|| (NamedFeature { id, slug: Some(slug.to_owned()) }, digits))
}

/// The end of the first `2026-02-17`, `2026/02/17` or `2026-02` in a text.
fn date(text: &str) -> Option<i64> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '/')));
    words.filter(|word| word.len() >= "2026-02".len()).find_map(|word| {
        let numbers: Vec<i64> = word.split(['-', '/']).map_while(|part| part.parse().ok()).collect();
        let (year, month) = (*numbers.first()?, *numbers.get(1)?);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        let end = match numbers.get(2) {
            Some(day) if (1..=31).contains(day) => days(year, month, *day) + 1,
            Some(_) => return None,
            None if month == 12 => days(year + 1, 1, 1),
            None => days(year, month + 1, 1),
        };
        Some(end * 86_400_000)
    })
}

/// Days since 1970; years are counted from March so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
