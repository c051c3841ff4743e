//! Sums what the requests of one dispatch used, and says when they used too much. It knows prices, not protocols.

use super::wire::Counted;
use redraft_core::price::{Card, Lifetime};
use redraft_core::usage::{Usage, Usd};

pub(super) struct Spending<'a> {
    card: &'a Card,
    max: Option<Usd>,
    sum: Usage,
}

/// For estimates that must not stop a run too early.
pub(super) const CHARS_PER_TOKEN: u64 = 4;

/// The most tokens that so many characters of any text can be: diffs have 2.3 characters to a token.
pub(super) fn tokens_at_most(chars: u64) -> u64 {
    chars.saturating_mul(10).div_ceil(23)
}

impl<'a> Spending<'a> {
    pub(super) fn new(card: &'a Card, max: Option<Usd>) -> Spending<'a> {
        Spending { card, max, sum: Usage::default() }
    }

    pub(super) fn sum(&self) -> Usage {
        self.sum
    }

    pub(super) fn max(&self) -> Option<Usd> {
        self.max
    }

    /// Each request is priced by its own prompt: a price cliff re-prices the request that crossed it and no other.
    pub(super) fn add(&mut self, counted: &Counted) {
        self.sum += self.priced(counted);
    }

    /// Whether the requests so far and this one, with what it has written by now, cost more than allowed.
    pub(super) fn is_over(&self, counted: &Counted) -> bool {
        self.max.is_some_and(|max| self.sum.cost + self.priced(counted).cost > max)
    }

    fn priced(&self, counted: &Counted) -> Usage {
        let written = counted.written.iter().map(|(_, tokens)| tokens).sum();
        let Counted { uncached, read, output, .. } = *counted;
        let usage = Usage { uncached, written, read, output, cost: Usd(0) };
        let cost = self.card.cost_by_lifetime(&usage, &counted.written, counted.input());
        Usage { cost, ..usage }
    }
}

/// What a request has used that broke off: the vendor counts the answer at its end, so until then it is estimated.
pub(super) fn so_far(counted: Counted, chars: u64) -> Counted {
    let output = counted.output.max(chars.div_ceil(CHARS_PER_TOKEN));
    Counted { output, ..counted }
}

/// A lifetime Anthropic sells: the shortest that lasts at least as long, or the longest there is.
pub(super) fn sold(lifetime: Lifetime) -> Lifetime {
    if lifetime == Lifetime::FiveMinutes { lifetime } else { Lifetime::Hour }
}
