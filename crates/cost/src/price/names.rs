//! Which spellings mean the same model, which one a family word means, and which names look most like a wrong one.
//!
//! Vendors, their clients and people write `claude-sonnet-5.5`, `claude-sonnet-5-5`, `claude-sonnet-5-5-20260901`,
//! `claude-sonnet-5-5[1m]` and `anthropic/claude-sonnet-5.5` for one price, and `sonnet` for the newest of its family.
//! What any of them costs is not known here.

use core::cmp::Reverse;
use redraft_facts::prelude::*;

/// How Claude Code writes that a model runs with a context of a million tokens.
pub const MILLION_MARK: &str = "[1m]";

/// Lower case, with dots as dashes: the form in which names are compared.
pub(crate) fn plain(name: &str) -> String {
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

/// A name taken apart into the vendor before a slash, the name itself, the date of a snapshot and the context mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// `anthropic` of `anthropic/claude-opus-5`.
    pub(super) vendor: Option<String>,
    /// In plain form, without date and mark.
    pub(super) stem: String,
    /// With its dash, e.g. `-20260901`; empty where there is none.
    pub(super) date: String,
    /// The context mark, or nothing.
    pub(super) mark: &'static str,
}

impl Written {
    pub(super) fn parse(model: &str) -> Written {
        let plain = plain(model);
        let (vendor, name) = match plain.split_once('/') {
            Some((vendor, name)) => (Some(vendor.replace('-', "")), name),
            None => (None, plain.as_str()),
        };
        let unmarked = name.strip_suffix(MILLION_MARK);
        let mark = if unmarked.is_some() { MILLION_MARK } else { "" };
        let name = unmarked.unwrap_or(name);
        let stem = without_date(name);
        Written { vendor, stem: stem.to_owned(), date: name[stem.len()..].to_owned(), mark }
    }
}

/// What a name says about a model: `claude-opus-4-8` is version 4.8 of `claude` and `opus`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) words: BTreeSet<String>,
    /// Empty where the name has no number.
    pub(super) version: Vec<u32>,
}

impl Parts {
    pub(super) fn parse(name: &str) -> Parts {
        let (mut words, mut version) = (BTreeSet::new(), Vec::new());
        for part in plain(name).split('-').filter(|part| !part.is_empty()) {
            match part.strip_prefix('v').unwrap_or(part).parse() {
                Ok(number) => version.push(number),
                Err(_) => drop(words.insert(part.to_owned())),
            }
        }
        Parts { words, version }
    }

    /// Whether these words, and the version where one is given, could mean that model. A version is meant as it is
    /// written: 4 is not 4.8, which is another model with another price.
    pub(super) fn may_mean(&self, model: &Parts) -> bool {
        let version = self.version.is_empty() || self.version == model.version;
        !self.words.is_empty() && version && self.words.is_subset(&model.words)
    }
}

/// At most `most` of `names`: the nearest family first, and within a family the newest first. A name is near if it
/// differs by a typing slip in the whole or in one word, or if it contains the wrong name or is contained in it; then
/// the order goes by how many letters must be added, dropped or changed, and how early they differ.
pub(super) fn nearest<'a>(model: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    const SLIPS: usize = 2;
    /// A shorter word is within two slips of too many others.
    const WORD_CHARS_MIN: usize = 4;
    let wanted = plain(model);
    let alone = wanted.chars().count() >= WORD_CHARS_MIN;
    let mut families: BTreeMap<BTreeSet<String>, Vec<(Vec<u32>, &str)>> = BTreeMap::new();
    for name in names {
        let Parts { words, version } = Parts::parse(name);
        families.entry(words).or_default().push((version, name));
    }
    let far = |(_, name): &(Vec<u32>, &'a str)| {
        let known = plain(name);
        let part = !wanted.is_empty() && (known.contains(&wanted) || wanted.contains(&known));
        let slip = alone && known.split('-').any(|word| distance(&wanted, word) <= SLIPS);
        let far = distance(&wanted, &known);
        let same = wanted.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
        (far > SLIPS && !part && !slip, far, Reverse(same))
    };
    let mut families: Vec<_> = families.into_values().collect();
    families.sort_by_key(|members| members.iter().map(far).min());
    for members in &mut families {
        members.sort_by(|one, other| other.cmp(one));
    }
    families.iter().flatten().take(most).map(|(_, name)| (*name).to_owned()).collect()
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
