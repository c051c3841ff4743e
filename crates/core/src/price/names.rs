//! Which spellings mean the same model, and which names look most like a wrong one.
//!
//! Vendors, their clients and people write `claude-sonnet-5.5`, `claude-sonnet-5-5`, `claude-sonnet-5-5-20260901` and
//! `claude-sonnet-5-5[1m]` for one price. What any of them costs is not known here.

use crate::prelude::*;
use core::cmp::Reverse;

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

/// At most `most` of `names`, the nearest first: a slip of the keyboard and names of which the wrong one is a part, or
/// that are a part of it; then by how many letters must be added, dropped or changed, and how early they differ.
pub(super) fn nearest<'a>(model: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    const SLIPS: usize = 2;
    let wanted = plain(model);
    let mut ranked: Vec<(bool, usize, Reverse<usize>, &str)> = names
        .map(|name| {
            let known = plain(name);
            let part = !wanted.is_empty() && (known.contains(&wanted) || wanted.contains(&known));
            let far = distance(&wanted, &known);
            let same = wanted.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
            (far > SLIPS && !part, far, Reverse(same), name)
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(most).map(|(.., name)| name.to_owned()).collect()
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

fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.chars().enumerate() {
        let mut row = vec![at + 1];
        for (other, (kept, dropped)) in to.iter().zip(last.iter().zip(&last[1..])) {
            let added = row.last().copied().unwrap_or(0);
            row.push((kept + usize::from(letter != *other)).min(dropped + 1).min(added + 1));
        }
        last = row;
    }
    last.last().copied().unwrap_or(0)
}
