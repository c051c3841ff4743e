//! What models cost: price cards as dated data, and the sums that are reserved and billed.
//!
//! Start at [`Cards::find`], then [`Card::cost`] and [`Card::dearest`]. The data is `data/prices.json`; the user's
//! configuration is laid over it by [`Cards::with_overrides`]. Which strategy is worth its price is decided in
//! [`crate::policy`], and nothing here knows what a dispatch is.

mod budget;
mod card;
mod list;
mod names;
mod overrides;
mod shared;
#[cfg(test)]
mod tests;

use names::{Parts, Written};
use redraft_facts::choice::Lifetime;
use redraft_facts::prelude::*;
use serde::Deserialize;

pub use budget::{Budget, OverBudget};
pub use card::{
    BadPrice, Card, Cliff, ContextWindow, DefaultLifetime, Minimum, PerMillion, PriceBasis, Prices, Repriced,
    UNLIMITED_ANSWER_TOKENS,
};
pub use list::{ListedModel, age_in_words};
pub use names::MILLION_MARK;
pub(crate) use names::plain as plain_name;
pub use overrides::{BadPriceOverride, Changes, PriceOverride, StatedPrice};
pub use shared::{Share, SharedBudget};

/// The context that is assumed for a model whose vendor gives no number.
const CONTEXT_ASSUMED: ContextWindow = ContextWindow { tokens: 200_000, assumed: true };

/// The version of the data this program reads.
const VERSION: u32 = 1;

/// Every card known, the user's before the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cards {
    read: String,
    cards: Vec<Card>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no price card for model `{model}`; the nearest are {}", .nearest.join(", "))]
pub struct UnknownModel {
    pub model: String,
    /// As their vendors spell them; of a family the newest first.
    pub nearest: Vec<String>,
}

impl UnknownModel {
    /// The lines of a configuration that make the model usable all the same, to be copied.
    pub fn way_out(&self) -> String {
        let UnknownModel { model, .. } = self;
        format!(
            "correct the name (`redraft models` lists them), or say what it costs, in dollars per million \
                tokens:\n    \
             [prices.\"{model}\"]\n    input = 5.00\n    output = 25.00\n  \
             or write one of these lines beside its `model`:\n    \
             price = \"unknown\"   # counted as the most expensive model\n    \
             price = \"local\"     # it runs on your own machine and costs nothing"
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the price cards cannot be read: {why}")]
pub struct BadCards {
    pub why: String,
}

impl Cards {
    /// The cards that come with the program.
    pub fn builtin() -> Cards {
        Cards::read(include_str!("../../data/prices.json")).expect("a test reads the same bytes")
    }

    /// The model of an agent that names none, by the kind of agent: the newest Sonnet for `claude` and `anthropic`, the
    /// newest GPT for `codex` and `openai`. None for kinds without a model.
    pub fn default_model(&self, kind: &str) -> Option<String> {
        let family = match kind {
            "claude" | "anthropic" => "sonnet",
            "codex" | "openai" => "gpt",
            _ => return None,
        };
        self.vendors_name(family)
    }

    /// Cards from their stored form.
    pub fn read(json: &str) -> Result<Cards, BadCards> {
        let bad = |why: String| BadCards { why };
        let Versioned { v } = serde_json::from_str(json).map_err(|error| bad(error.to_string()))?;
        if v != VERSION {
            return Err(bad(format!("they have version {v}, this program reads version {VERSION}")));
        }
        let Stored { read, cards, .. } =
            serde_json::from_str(json).map_err(|error| bad(error.to_string()))?;
        for card in &cards {
            if let Some(why) = card.fault() {
                return Err(bad(format!("card {:?}: {why}", card.models)));
            }
        }
        Ok(Cards { read, cards })
    }

    /// The card of a model under any spelling of its name, or of the newest model of a family.
    pub fn find(&self, model: &str) -> Result<&Card, UnknownModel> {
        let lower = model.trim().to_lowercase();
        let begins = |card: &&Card| card.prefixes.iter().any(|prefix| lower.starts_with(prefix));
        let known = self.named(model).or_else(|| self.cards.iter().find(begins));
        let meant = || self.vendors_name(model).and_then(|name| self.named(&name));
        known.or_else(meant).ok_or_else(|| self.unknown(model))
    }

    /// A model's name as its vendor spells it, with the date of its snapshot and the context mark where they were
    /// written; none for a model that only the user knows. A family word such as `sonnet` or `gpt-6` means the model
    /// with the highest version among those that have all its words, and of several the most expensive.
    pub fn vendors_name(&self, model: &str) -> Option<String> {
        let written = Written::parse(model);
        let listed = || {
            let cards = self.cards.iter().filter(|card| card.basis == PriceBasis::Listed && !card.is_free());
            let sold = |card: &&Card| written.vendor.as_ref().is_none_or(|vendor| *vendor == card.vendor);
            cards.filter(sold).flat_map(|card| card.models.iter().map(move |name| (card, name)))
        };
        if let Some((_, name)) = listed().find(|(_, name)| names::plain(name) == written.stem) {
            return Some(format!("{name}{}{}", written.date, written.mark));
        }
        let asked = Parts::parse(&written.stem);
        let family = listed().map(|(card, name)| (Parts::parse(name), card, name));
        let newest = family
            .filter(|(parts, ..)| written.date.is_empty() && asked.may_mean(parts))
            .max_by_key(|(parts, card, _)| (parts.version.clone(), card.prices.output));
        newest.map(|(_, _, name)| format!("{name}{}", written.mark))
    }

    /// The card that has this name, the user's before the built-in ones.
    fn named(&self, model: &str) -> Option<&Card> {
        names::spellings(model).iter().find_map(|wanted| {
            self.cards.iter().find(|card| card.models.iter().any(|name| names::plain(name) == *wanted))
        })
    }

    /// A card for a model without known prices: the highest price of every column, below and above every cliff, with
    /// the shortest lifetime and the smallest context.
    pub fn conservative(&self) -> Card {
        let tiers: Vec<Prices> = self.cards.iter().flat_map(Card::tiers).collect();
        let dearest =
            |price: &dyn Fn(&Prices) -> PerMillion| tiers.iter().map(price).max().unwrap_or_default();
        let writes = Lifetime::ALL.map(|lifetime| (lifetime, dearest(&|prices| prices.write(lifetime))));
        let context = self.cards.iter().map(|card| card.context.tokens).min();
        Card {
            vendor: "unknown".to_owned(),
            models: vec!["unknown".to_owned()],
            prefixes: Vec::new(),
            prices: Prices {
                input: dearest(&|prices| prices.input),
                output: dearest(&|prices| prices.output),
                read: dearest(&|prices| prices.read),
                writes: writes.into_iter().collect(),
            },
            minimum: Minimum {
                tokens: self.cards.iter().filter_map(|card| card.minimum.tokens).max(),
                confirmed: false,
            },
            block: None,
            context: ContextWindow { tokens: context.unwrap_or(CONTEXT_ASSUMED.tokens), assumed: true },
            lifetime: DefaultLifetime { is: Lifetime::FiveMinutes, assumed: true },
            cliffs: Vec::new(),
            date: self.read.clone(),
            note: "price unknown: the highest price of every column is assumed".to_owned(),
            basis: PriceBasis::Unknown,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Card> {
        self.cards.iter()
    }

    /// The month in which the built-in cards were last read from the vendors' pages.
    pub fn last_read(&self) -> &str {
        &self.read
    }

    fn put_first(&mut self, card: Card) {
        self.cards.insert(0, card);
    }

    fn unknown(&self, model: &str) -> UnknownModel {
        const NEAREST_MAX: usize = 3;
        let all: BTreeSet<(bool, &str)> = (self.cards.iter())
            .flat_map(|card| card.models.iter().map(|name| (card.is_free(), name.as_str())))
            .collect();
        let names_of = |free: bool| all.iter().filter(move |(is, _)| *is == free).map(|(_, name)| *name);
        // A wrong name seldom means a free card, which would make the model look as if it cost nothing.
        let mut nearest = names::nearest(model, names_of(false), NEAREST_MAX);
        nearest.extend(names::nearest(model, names_of(true), NEAREST_MAX - nearest.len()));
        UnknownModel { model: model.to_owned(), nearest }
    }
}

/// Read first, so that a newer file is refused by its version and not by a field that did not exist yet.
#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(rename = "v")]
    _v: u32,
    read: String,
    cards: Vec<Card>,
}
