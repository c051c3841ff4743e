//! Which spellings mean the same model, and which names look most like a wrong one.
//!
//! Vendors, their clients and people write `claude-sonnet-5.5`, `claude-sonnet-5-5`, `claude-sonnet-5-5-20260901` and
//! `claude-sonnet-5-5[1m]` for one price. What any of them costs is not known here.

use crate::prelude::*;

/// How Claude Code writes that a model runs with a context of a million tokens.
const MILLION_MARK: &str = "[1m]";

/// Lower case, with dots as dashes: the form in which names are compared.
pub(super) fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace('.', "-")
}

/// The names to look for, most exact first: as written, without the context mark, without the date.
pub(super) fn spellings(model: &str) -> Vec<String> {
    let whole = plain(model);
    let unmarked = whole.strip_suffix(MILLION_MARK).unwrap_or(&whole).to_owned();
    let undated = without_date(&unmarked).to_owned();
    let mut out = vec![whole, unmarked, undated];
    out.dedup();
    out
}

pub(super) fn runs_with_a_million(model: &str) -> bool {
    plain(model).ends_with(MILLION_MARK)
}

/// At most `most` of `names`, the most similar first. Similar means many shared pairs of letters, which finds both a
/// typo and a name that is only part of the right one.
pub(super) fn nearest<'a>(model: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let wanted = pairs(&plain(model));
    let mut ranked: Vec<(usize, &str)> =
        names.map(|name| (likeness(&wanted, &pairs(&plain(name))), name)).collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    ranked.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

/// `-20260901` or `-2026-09-01` taken off the end.
fn without_date(name: &str) -> &str {
    for form in ["-dddddddd", "-dddd-dd-dd"] {
        let Some(at) = name.len().checked_sub(form.len()) else { continue };
        let Some((stem, tail)) = name.split_at_checked(at) else { continue };
        let fits = |(have, want): (u8, u8)| if want == b'd' { have.is_ascii_digit() } else { have == want };
        if !stem.is_empty() && tail.bytes().zip(form.bytes()).all(fits) {
            return stem;
        }
    }
    name
}

fn pairs(name: &str) -> BTreeSet<(char, char)> {
    name.chars().zip(name.chars().skip(1)).collect()
}

/// Shared pairs in thousandths of all pairs.
fn likeness(a: &BTreeSet<(char, char)>, b: &BTreeSet<(char, char)>) -> usize {
    a.intersection(b).count() * 2000 / (a.len() + b.len()).max(1)
}
