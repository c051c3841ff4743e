//! One price card: what a model's tokens cost and how its cache behaves, and the two sums made from it.
//!
//! All sums are exact integers and rounded up once, at the end, so that a budget is never overrun by fractions.

use super::names;
use redraft_facts::choice::Lifetime;
use redraft_facts::prelude::*;
use redraft_facts::usage::{Usage, Usd};
use serde::{Deserialize, Serialize};

/// Millionths of a US dollar for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PerMillion(pub u64);

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    pub vendor: String,
    /// The names this card is found by; dots and dashes, dates and the `[1m]` mark make no difference.
    pub models: Vec<String>,
    /// Beginnings of names it is found by: `ollama/` for every model Ollama runs.
    #[serde(default)]
    pub prefixes: Vec<String>,
    pub prices: Prices,
    pub minimum: Minimum,
    /// The cache is kept in blocks of this many tokens.
    pub block: Option<u64>,
    pub context: ContextWindow,
    pub lifetime: DefaultLifetime,
    /// Sizes above which the whole request has other prices, smallest first.
    pub cliffs: Vec<Cliff>,
    /// The month in which the vendor's page was last read.
    pub date: String,
    pub note: String,
    #[serde(skip)]
    pub basis: PriceBasis,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub input: PerMillion,
    pub output: PerMillion,
    /// Input read from the cache.
    pub read: PerMillion,
    /// Input written to the cache, by lifetime. None listed means no surcharge: a write costs what input costs.
    pub writes: BTreeMap<Lifetime, PerMillion>,
}

/// The least that is cached at all. Below it nothing fails; nothing is cached either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Minimum {
    pub tokens: Option<u64>,
    pub confirmed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextWindow {
    pub tokens: u64,
    /// The vendor's page gave no number.
    pub assumed: bool,
}

/// How long an entry lasts when the request does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultLifetime {
    pub is: Lifetime,
    pub assumed: bool,
}

/// A prompt of more than `above_tokens` re-prices its whole request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cliff {
    pub above_tokens: u64,
    pub then: Repriced,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Repriced {
    /// Input, reads and writes times one factor, output times another, in hundredths.
    Multiply {
        input_percent: u32,
        output_percent: u32,
    },
    Prices(Prices),
}

/// Where a card's prices come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PriceBasis {
    /// The vendor's page, on the card's date.
    #[default]
    Listed,
    /// The user's configuration.
    Configured,
    /// Unknown; the highest price of every column is assumed.
    Unknown,
}

/// What is reserved for the answer of an agent that cannot limit its length.
pub const UNLIMITED_ANSWER_TOKENS: u64 = 16_000;

/// What a search of the web costs. Anthropic and OpenAI both ask 10 dollars for a thousand (read in 2026-10).
const SEARCH: Usd = Usd(10_000);

impl Card {
    /// What the tokens cost, all writes having the card's default lifetime.
    pub fn cost(&self, usage: &Usage, largest_prompt: u64) -> Usd {
        self.cost_by_lifetime(usage, &[], largest_prompt)
    }

    /// What the tokens cost, where it is known how many were written for how long. Written tokens that the list
    /// leaves out have the default lifetime.
    ///
    /// `largest_prompt` counts the input tokens of the largest single request. If it lies above a cliff, all of the
    /// usage is priced above it: usage is reported as one sum, and the sum does not say which request was which.
    pub fn cost_by_lifetime(&self, usage: &Usage, written: &[(Lifetime, u64)], largest_prompt: u64) -> Usd {
        let prices = self.prices_at(largest_prompt);
        let listed: u64 = written.iter().fold(0, |sum, (_, tokens)| sum.saturating_add(*tokens));
        let unlisted = usage.written.saturating_sub(listed);
        let mut bill = Bill::default();
        bill.add(usage.uncached, prices.input);
        bill.add(usage.read, prices.read);
        bill.add(usage.output, prices.output);
        bill.add(unlisted, prices.write(self.lifetime.is));
        for (lifetime, tokens) in written {
            bill.add(*tokens, prices.write(*lifetime));
        }
        bill.total()
    }

    /// The most that `input_tokens` and an answer of at most `output_tokens_max` can cost, however the cache behaves,
    /// if nothing is written for longer than `lifetime` or the card's default. Counted as one request, so that a
    /// cliff is never missed.
    pub fn dearest(&self, input_tokens: u64, output_tokens_max: u64, lifetime: Lifetime) -> Usd {
        let longest = lifetime.max(self.lifetime.is);
        let reachable = self.cliffs.iter().filter(|cliff| input_tokens > cliff.above_tokens);
        let (mut input, mut output) = (self.prices.dearest_input(longest), self.prices.output);
        for cliff in reachable {
            let prices = cliff.then.apply(&self.prices);
            input = input.max(prices.dearest_input(longest));
            output = output.max(prices.output);
        }
        let mut bill = Bill::default();
        bill.add(input_tokens, input);
        bill.add(output_tokens_max, output);
        bill.total()
    }

    /// What this many web searches cost, which are billed in addition to the tokens.
    pub fn searches(&self, count: u64) -> Usd {
        if self.is_free() { Usd(0) } else { Usd(SEARCH.0.saturating_mul(count)) }
    }

    /// How much more one answer can cost than one of `tokens`, where only the model's context limits it.
    pub fn beyond(&self, tokens: u64) -> Usd {
        let mut bill = Bill::default();
        let dearest = self.tiers().map(|prices| prices.output).max().unwrap_or_default();
        bill.add(self.context.tokens.saturating_sub(tokens), dearest);
        bill.total()
    }

    /// Whether it costs more to have a token kept than to send it. Vendors that charge for keeping keep only the end of
    /// a request and nothing in between, unless they are told to.
    pub fn charges_for_keeping(&self) -> bool {
        self.prices.writes.values().any(|write| *write > self.prices.input)
    }

    /// Whether no token of any kind costs anything. Such cards are compared by tokens not read from the cache.
    pub fn is_free(&self) -> bool {
        self.tiers().all(|prices| prices.is_free())
    }

    /// The prices of a request whose prompt has this many tokens: those of the highest cliff below it.
    pub fn prices_at(&self, prompt_tokens: u64) -> Prices {
        let passed = self.cliffs.iter().filter(|cliff| prompt_tokens > cliff.above_tokens);
        let highest = passed.max_by_key(|cliff| cliff.above_tokens);
        highest.map_or_else(|| self.prices.clone(), |cliff| cliff.then.apply(&self.prices))
    }

    /// The context of this model under the name it is called by: Claude Code's `[1m]` mark asks for a million tokens.
    pub fn context_for(&self, model: &str) -> ContextWindow {
        const MILLION: ContextWindow = ContextWindow { tokens: 1_000_000, assumed: false };
        if names::runs_with_a_million(model) { MILLION } else { self.context }
    }

    /// The price sets below and above every cliff.
    pub(super) fn tiers(&self) -> impl Iterator<Item = Prices> {
        let above = self.cliffs.iter().map(|cliff| cliff.then.apply(&self.prices));
        core::iter::once(self.prices.clone()).chain(above)
    }

    /// What makes the card unusable, if anything.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if self.models.is_empty() {
            return Some("it names no model");
        }
        if self.context.tokens == 0 {
            return Some("its context limit is 0 tokens");
        }
        let cheaper = |cliff: &Cliff| match cliff.then {
            Repriced::Multiply { input_percent, output_percent } => input_percent.min(output_percent) < 100,
            Repriced::Prices(_) => false,
        };
        self.cliffs.iter().any(cheaper).then_some("a cliff multiplies by less than 100 percent")
    }
}

impl Prices {
    /// What writing for this lifetime costs. A lifetime the vendor does not sell is priced as the next longer one.
    pub fn write(&self, lifetime: Lifetime) -> PerMillion {
        let longer = self.writes.range(lifetime..).next();
        longer.or_else(|| self.writes.last_key_value()).map_or(self.input, |(_, price)| *price)
    }

    /// The highest price at which an input token can be billed if nothing is written for longer than `longest`.
    fn dearest_input(&self, longest: Lifetime) -> PerMillion {
        let writes = Lifetime::ALL.into_iter().filter(|lifetime| *lifetime <= longest);
        writes.map(|lifetime| self.write(lifetime)).fold(self.input.max(self.read), Ord::max)
    }

    fn is_free(&self) -> bool {
        let writes = self.writes.values().copied();
        writes.chain([self.input, self.output, self.read]).all(|price| price == PerMillion(0))
    }
}

impl Repriced {
    fn apply(&self, base: &Prices) -> Prices {
        match self {
            Repriced::Prices(prices) => prices.clone(),
            Repriced::Multiply { input_percent, output_percent } => Prices {
                input: base.input.percent(*input_percent),
                output: base.output.percent(*output_percent),
                read: base.read.percent(*input_percent),
                writes: base
                    .writes
                    .iter()
                    .map(|(lifetime, price)| (*lifetime, price.percent(*input_percent)))
                    .collect(),
            },
        }
    }
}

impl PerMillion {
    /// A price as people write it, in dollars per million tokens: `2`, `2.50`, `0.125`.
    pub fn from_dollars(text: &str) -> Result<PerMillion, BadPrice> {
        const DECIMALS: usize = 6;
        let bad = || BadPrice { text: text.to_owned() };
        let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let decimals = decimals.trim_end_matches('0');
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || decimals.len() > DECIMALS || !digits(whole) || !digits(decimals) {
            return Err(bad());
        }
        format!("{whole}{decimals:0<DECIMALS$}").parse().map(PerMillion).map_err(|_| bad())
    }

    /// The price as people write it, exactly: at least two decimals, more where it has them.
    pub fn in_dollars(self) -> String {
        let (dollars, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let decimals = format!("{rest:06}");
        let decimals = decimals.trim_end_matches('0');
        format!("{dollars}.{decimals:0<2}")
    }

    /// This price after the price it depends on went from `old` to `new`, rounded up. If `old` was zero, the new one
    /// itself.
    pub(super) fn in_ratio(self, new: PerMillion, old: PerMillion) -> PerMillion {
        if old.0 == 0 {
            return self.max(new);
        }
        let exact = u128::from(self.0) * u128::from(new.0);
        PerMillion(u64::try_from(exact.div_ceil(u128::from(old.0))).unwrap_or(u64::MAX))
    }

    fn percent(self, percent: u32) -> PerMillion {
        let exact = u128::from(self.0) * u128::from(percent);
        PerMillion(u64::try_from(exact.div_ceil(100)).unwrap_or(u64::MAX))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a price; write dollars per million tokens, such as 2.50, with at most 6 decimals")]
pub struct BadPrice {
    pub text: String,
}

/// Tokens times prices, summed before anything is rounded.
#[derive(Default)]
struct Bill(u128);

impl Bill {
    fn add(&mut self, tokens: u64, price: PerMillion) {
        self.0 = self.0.saturating_add(u128::from(tokens) * u128::from(price.0));
    }

    fn total(self) -> Usd {
        Usd(u64::try_from(self.0.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}
