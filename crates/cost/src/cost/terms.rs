//! A price card in a form that suits many computations: prices by size, lifetimes, and the cache's rules.

use crate::price::{Card, Prices};
use core::ops::{Add, AddAssign};
use redraft_facts::choice::{CachedPrefix, Lifetime};
use redraft_facts::prelude::*;
use redraft_facts::usage::Usd;

/// At most this many places of a prompt can be marked for the cache.
pub const BOUNDARIES_MAX: u8 = 4;

/// Hit rates are counted in parts of this.
pub const CERTAIN: u32 = 10_000;

/// What a plan adds up, before it is rounded to money: tokens times the price of a million of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(pub u64);

/// What is paid for tokens and how the cache keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// By the size of a prompt above which they hold, the first from 0.
    tiers: Vec<(u64, Tier)>,
    lifetimes: Vec<Lifetime>,
    minimum: u64,
    block: u64,
    context: u64,
    marking: Marking,
    hit_rate: u32,
    free: bool,
}

/// Which places of a prompt an agent can have kept, and how it asks for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// Places that are marked one by one, each for a lifetime of its own; at most this many.
    Places(u8),
    /// All of them, always, and for one lifetime.
    Whole,
    /// The end of a conversation alone, always; no two conversations share anything.
    Conversation,
    /// None.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tier {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) read: u64,
    writes: [u64; Lifetime::ALL.len()],
}

impl Terms {
    /// The terms of a card, with no lifetime longer than `longest`. A card that sells none of those keeps nothing.
    pub fn from_card(card: &Card, longest: Lifetime) -> Terms {
        let free = card.is_free();
        let base = if free { Tier::of_time() } else { Tier::from_prices(&card.prices) };
        let above = card.cliffs.iter().map(|cliff| cliff.above_tokens);
        let dearer = |above: u64| (above, Tier::from_prices(&card.prices_at(above.saturating_add(1))));
        Terms {
            tiers: core::iter::once((0, base)).chain(above.filter(|_| !free).map(dearer)).collect(),
            lifetimes: lifetimes(card).into_iter().filter(|lifetime| *lifetime <= longest).collect(),
            minimum: card.minimum.tokens.unwrap_or(0),
            block: card.block.unwrap_or(1).max(1),
            context: card.context.tokens,
            marking: Marking::Places(BOUNDARIES_MAX),
            hit_rate: CERTAIN,
            free,
        }
    }

    /// The same for an agent whose prompts reach the cache only this often, in parts of [`CERTAIN`].
    pub fn with_hit_rate(self, hit_rate: u32) -> Terms {
        Terms { hit_rate: hit_rate.min(CERTAIN), ..self }
    }

    /// The same for an agent that can mark fewer places.
    pub fn with_boundaries(self, boundaries: u8) -> Terms {
        Terms { marking: Marking::Places(boundaries.min(BOUNDARIES_MAX)), ..self }
    }

    /// The same for an agent that offers these lifetimes, whatever the card lists, and marks like this. A lifetime the
    /// card does not list has the price of the next longer one.
    pub fn marked_by(self, marking: Marking, offered: &[Lifetime]) -> Terms {
        let mut lifetimes = offered.to_vec();
        lifetimes.sort_unstable();
        lifetimes.dedup();
        match marking {
            Marking::Places(most) => Terms { lifetimes, ..self }.with_boundaries(most),
            Marking::Whole | Marking::Conversation => Terms { lifetimes, marking, ..self },
            Marking::Nothing => Terms { lifetimes: Vec::new(), marking, ..self },
        }
    }

    /// The same for a model that is called with another context.
    pub fn with_context(self, tokens: u64) -> Terms {
        Terms { context: tokens, ..self }
    }

    /// Lifetimes that may be written, shortest first.
    pub fn lifetimes(&self) -> &[Lifetime] {
        &self.lifetimes
    }

    pub fn context(&self) -> u64 {
        self.context
    }

    /// Money for an amount. Where nothing costs money an amount counts time, and the money is zero.
    pub fn usd(&self, amount: Amount) -> Usd {
        if self.free { Usd(0) } else { Usd(amount.0.div_ceil(1_000_000)) }
    }

    /// Whether nothing costs money, so that amounts count time.
    pub fn is_free(&self) -> bool {
        self.free
    }

    /// In parts of [`CERTAIN`].
    pub fn hit_rate(&self) -> u32 {
        self.hit_rate
    }

    pub(super) fn marking(&self) -> Marking {
        self.marking
    }

    pub(super) fn tier(&self, prompt_tokens: u64) -> &Tier {
        let passed = self.tiers.iter().rev().find(|(above, _)| *above == 0 || prompt_tokens > *above);
        passed.map_or(&NOTHING, |(_, tier)| tier)
    }

    /// Whether a prompt of this size is priced above a cliff.
    pub(super) fn is_above_a_cliff(&self, prompt_tokens: u64) -> bool {
        self.tiers.iter().skip(1).any(|(above, _)| prompt_tokens > *above)
    }

    /// An entry for the beginning of a prompt up to a marked place; none if that is too little to be kept.
    pub(super) fn entry(&self, tokens: u64, mark: Option<Lifetime>) -> Option<CachedPrefix> {
        let lifetime = mark.filter(|_| tokens >= self.minimum.max(1))?;
        Some(CachedPrefix { tokens, lifetime, left_s: lifetime.seconds() })
    }

    /// How much of an entry is read: whole blocks.
    pub(super) fn readable(&self, entry: &CachedPrefix) -> u64 {
        entry.tokens - entry.tokens % self.block
    }
}

/// What vendors sell, shortest first; where writes cost nothing extra, what the cache does by itself.
pub fn lifetimes(card: &Card) -> Vec<Lifetime> {
    if card.prices.writes.is_empty() {
        return vec![card.lifetime.is];
    }
    card.prices.writes.keys().copied().collect()
}

const NOTHING: Tier = Tier { input: 0, output: 0, read: 0, writes: [0; Lifetime::ALL.len()] };

impl Tier {
    fn from_prices(prices: &Prices) -> Tier {
        Tier {
            input: prices.input.0,
            output: prices.output.0,
            read: prices.read.0,
            writes: Lifetime::ALL.map(|lifetime| prices.write(lifetime).0),
        }
    }

    /// Where tokens cost nothing, those not read from the cache cost time; answers only break ties.
    fn of_time() -> Tier {
        const TOKEN: u64 = 1_000_000;
        Tier { input: TOKEN, output: 1, read: 0, writes: [TOKEN; Lifetime::ALL.len()] }
    }

    pub(super) fn write(&self, mark: Option<Lifetime>) -> u64 {
        mark.map_or(self.input, |lifetime| self.writes[lifetime as usize])
    }
}

impl Amount {
    /// This amount if it occurs in this many of `whole` cases, rounded up so that nothing expected is ever free.
    pub(super) fn share(self, cases: u32, whole: u32) -> Amount {
        let exact = u128::from(self.0) * u128::from(cases);
        Amount(u64::try_from(exact.div_ceil(u128::from(whole.max(1)))).unwrap_or(u64::MAX))
    }
}

impl Add for Amount {
    type Output = Amount;

    fn add(self, other: Amount) -> Amount {
        Amount(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        *self = *self + other;
    }
}
