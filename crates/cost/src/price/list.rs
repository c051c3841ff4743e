//! Lists the cards for a person who looks for a model: every name once, with the shorter words for it.

use super::names::{Parts, plain};
use super::{Card, Cards};
use core::cmp::Reverse;
use redraft_facts::prelude::*;

/// A model with its card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel<'a> {
    /// As its vendor spells it.
    pub name: &'a str,
    /// Shorter words that mean it.
    pub aliases: Vec<String>,
    pub card: &'a Card,
}

impl Cards {
    /// Every model, by vendor and family, the newest of a family first; what is free comes last. What the user says
    /// about a model takes the place of its built-in card.
    pub fn list(&self) -> Vec<ListedModel<'_>> {
        let mut seen = BTreeSet::new();
        let mut listed = Vec::new();
        for card in &self.cards {
            // The names of free cards are other words for one thing, not models of their own.
            let own = if card.is_free() && !card.prefixes.is_empty() { 1 } else { card.models.len() };
            for name in &card.models[..own] {
                if seen.insert(plain(name)) {
                    let others = card.models[own..].iter().cloned();
                    let aliases = self.aliases(name).into_iter().chain(others).collect();
                    listed.push(ListedModel { name, aliases, card });
                }
            }
        }
        listed.sort_by_cached_key(|one| {
            let Parts { words, version } = Parts::parse(one.name);
            (one.card.is_free(), one.card.vendor.clone(), words, Reverse(version))
        });
        listed
    }

    /// The single words that mean this model, and, if no single word does for its line, the beginning of its name up to
    /// its version: `gpt-6` for `gpt-6-sol`.
    fn aliases(&self, name: &str) -> Vec<String> {
        let means = |word: &str| self.vendors_name(word).as_deref() == Some(name);
        let mut aliases: Vec<String> =
            Parts::parse(name).words.into_iter().filter(|word| word != name && means(word)).collect();
        aliases.sort_by_key(|word| word.len());
        let first = name.split('-').next().unwrap_or(name);
        let begins = name.match_indices('-').map(|(at, _)| &name[..at]);
        let numbered = begins.filter(|part| part.ends_with(|c: char| c.is_ascii_digit()) && means(part));
        aliases.extend(numbered.take(usize::from(!means(first))).map(str::to_owned));
        aliases
    }
}

/// How long ago the cards were read, in words; both as `2026-10`, the second perhaps with a day. Nothing if the clock
/// is behind.
pub fn age_in_words(read: &str, today: &str) -> Option<String> {
    let months = |date: &str| {
        let mut parts = date.splitn(3, '-');
        let (year, month): (u32, u32) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(year * 12 + month)
    };
    match months(today)?.checked_sub(months(read)?)? {
        0 => Some("this month".to_owned()),
        ago => Some(format!("{} ago", redraft_facts::text::count(ago as usize, "month"))),
    }
}
