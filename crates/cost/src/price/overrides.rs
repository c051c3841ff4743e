//! The user's prices from the configuration, laid over the built-in cards.

use super::card::{Card, Cliff, ContextWindow, DefaultLifetime, Minimum, PerMillion, PriceBasis, Prices};
use super::{CONTEXT_ASSUMED, Cards};
use redraft_facts::choice::Lifetime;
use redraft_facts::prelude::*;

/// What the user says about one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceOverride {
    pub model: String,
    pub says: StatedPrice,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatedPrice {
    /// `price = "unknown"`: counted as the most expensive.
    Unknown,
    Changes(Changes),
}

/// The values to change; what is left out stays as the card has it, except that reads and writes keep their ratio to
/// the input price: a new input price alone must not make a write cheaper than it can be. A model without a card needs
/// `input` and `output`; reads and writes then cost what input costs unless given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    pub input: Option<PerMillion>,
    pub output: Option<PerMillion>,
    pub read: Option<PerMillion>,
    pub writes: Option<BTreeMap<Lifetime, PerMillion>>,
    pub minimum: Option<u64>,
    pub block: Option<u64>,
    pub context: Option<u64>,
    pub lifetime: Option<Lifetime>,
    pub cliffs: Option<Vec<Cliff>>,
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the price override for `{model}` cannot be used: {why}")]
pub struct BadPriceOverride {
    pub model: String,
    pub why: String,
}

impl Cards {
    /// These cards with the user's on top. Unknown prices are settled last, so that they are at least as high as
    /// everything the user priced.
    pub fn with_overrides(mut self, overrides: Vec<PriceOverride>) -> Result<Cards, BadPriceOverride> {
        let mut unknown = Vec::new();
        for PriceOverride { model, says } in overrides {
            match says {
                StatedPrice::Unknown => unknown.push(model),
                StatedPrice::Changes(changes) => {
                    let card = self.changed(&model, changes)?;
                    self.put_first(card);
                }
            }
        }
        let dearest = self.conservative();
        for model in unknown {
            let name = self.priced_name(&model);
            self.put_first(Card { models: vec![name], ..dearest.clone() });
        }
        Ok(self)
    }

    /// The name that an override is about: a family word prices the model that it means. A reseller's name for a model
    /// (`anthropic/claude-opus-5`) has the reseller's price, which holds for nothing else.
    fn priced_name(&self, model: &str) -> String {
        let meant = if model.contains('/') { None } else { self.vendors_name(model) };
        meant.unwrap_or_else(|| model.to_owned())
    }

    /// The card a model gets. It is for this one name only; other names of the same card keep their prices.
    fn changed(&self, model: &str, changes: Changes) -> Result<Card, BadPriceOverride> {
        let refuse = |why: &str| BadPriceOverride { model: model.to_owned(), why: why.to_owned() };
        let base = match self.find(model) {
            Ok(card) => card.clone(),
            Err(_) => match (changes.input, changes.output) {
                (Some(input), Some(output)) => unlisted(input, output),
                _ => return Err(refuse("no card has that name, so both input and output prices are needed")),
            },
        };
        let card = apply(base, &self.priced_name(model), changes);
        match card.fault() {
            Some(why) => Err(refuse(why)),
            None => Ok(card),
        }
    }
}

fn apply(base: Card, model: &str, changes: Changes) -> Card {
    let input = changes.input.unwrap_or(base.prices.input);
    let in_ratio = |price: PerMillion| price.in_ratio(input, base.prices.input);
    let kept = || base.prices.writes.iter().map(|(lifetime, price)| (*lifetime, in_ratio(*price))).collect();
    Card {
        vendor: base.vendor,
        models: vec![model.to_owned()],
        prefixes: Vec::new(),
        prices: Prices {
            input,
            output: changes.output.unwrap_or(base.prices.output),
            read: changes.read.unwrap_or_else(|| in_ratio(base.prices.read)),
            writes: changes.writes.unwrap_or_else(kept),
        },
        minimum: changes
            .minimum
            .map_or(base.minimum, |tokens| Minimum { tokens: Some(tokens), confirmed: true }),
        block: changes.block.or(base.block),
        context: changes.context.map_or(base.context, |tokens| ContextWindow { tokens, assumed: false }),
        lifetime: changes.lifetime.map_or(base.lifetime, |is| DefaultLifetime { is, assumed: false }),
        cliffs: changes.cliffs.unwrap_or(base.cliffs),
        date: base.date,
        note: changes.note.unwrap_or(base.note),
        basis: PriceBasis::Configured,
    }
}

fn unlisted(input: PerMillion, output: PerMillion) -> Card {
    Card {
        vendor: "configured".to_owned(),
        models: Vec::new(),
        prefixes: Vec::new(),
        prices: Prices { input, output, read: input, writes: BTreeMap::new() },
        minimum: Minimum { tokens: None, confirmed: false },
        block: None,
        context: CONTEXT_ASSUMED,
        lifetime: DefaultLifetime { is: Lifetime::FiveMinutes, assumed: true },
        cliffs: Vec::new(),
        date: String::new(),
        note: String::new(),
        basis: PriceBasis::Configured,
    }
}
