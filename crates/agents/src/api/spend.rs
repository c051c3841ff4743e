//! Sums up what the requests of one dispatch used, and says when they used too much. It knows prices, not protocols.

use super::trouble::Trouble;
use super::wire::{Counted, Length};
use redraft_cost::price::Card;
use redraft_engine::ports::RunHandle;
use redraft_facts::choice::Lifetime;
use redraft_facts::usage::{Usage, Usd};

pub(super) struct Spending<'a> {
    card: &'a Card,
    sum: Usage,
    /// What the dispatch may cost by now.
    granted: Usd,
    /// The last prompt that the service counted, in tokens and in bytes.
    last: Option<(u64, u64)>,
}

/// One request before it is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next {
    /// Of its body.
    pub(super) bytes: u64,
    pub(super) answer_tokens: u64,
    /// The longest for which something is written.
    pub(super) lifetime: Lifetime,
}

/// What services add to a prompt, such as the words that explain tools.
const AROUND_TOKENS: u64 = 1_000;

/// The most tokens that this many bytes of any text can be: diffs have 2.3 characters to a token, and where a character
/// is a token of its own it has three bytes or more.
pub(super) fn tokens_at_most(bytes: u64) -> u64 {
    bytes.saturating_mul(10).div_ceil(23)
}

impl<'a> Spending<'a> {
    pub(super) fn new(card: &'a Card) -> Spending<'a> {
        Spending { card, sum: Usage::default(), granted: Usd(0), last: None }
    }

    pub(super) fn sum(&self) -> Usage {
        self.sum
    }

    /// Allows `total` to be spent if the run can afford it; otherwise says what it would have come to.
    pub(super) fn grant(&mut self, total: Usd, watch: &dyn RunHandle) -> Result<(), Trouble> {
        if total > self.granted && !watch.afford(total) {
            return Err(Trouble::Overspent(total));
        }
        self.granted = self.granted.max(total);
        Ok(())
    }

    /// The most the dispatch will have cost after this request: nothing of it is read from the cache, and the answer is
    /// as long as it may be. A conversation only grows, so what the service has counted already is not estimated again.
    pub(super) fn at_most(&self, next: Next) -> Usd {
        let (tokens, bytes) = self.last.filter(|(_, bytes)| *bytes <= next.bytes).unwrap_or_default();
        let input = tokens.saturating_add(tokens_at_most(next.bytes - bytes)).saturating_add(AROUND_TOKENS);
        self.sum.cost + self.card.dearest(input, next.answer_tokens, next.lifetime)
    }

    /// Takes in the service's count for a prompt of this many bytes.
    pub(super) fn learn(&mut self, input: u64, bytes: u64) {
        self.last = Some((input, bytes)).filter(|_| input > 0);
    }

    /// What the dispatch costs with a request under way, if that is more than was granted.
    pub(super) fn over(&self, counted: &Counted) -> Option<Usd> {
        Some(self.sum.cost + self.priced(counted).cost).filter(|total| *total > self.granted)
    }

    /// Each request is priced by its own prompt: a price cliff re-prices the request that crossed it and no other.
    pub(super) fn add(&mut self, counted: &Counted) {
        self.sum += self.priced(counted);
    }

    /// Adds a request whose bill is incomplete, as dear as it can have been, and returns how much of that no bill
    /// states. A stream that is cut may have been written to its end all the same, and thoughts are billed that are
    /// never shown, so an answer can have been as long as it may be, however much of it arrived. No tokens are made up.
    pub(super) fn add_at_most(&mut self, told: &Counted, arrived: Length, next: Next) -> Usd {
        let answer_tokens = so_far(told.clone(), arrived).output.max(next.answer_tokens);
        let whole = Counted { output: answer_tokens, ..told.clone() };
        let whole = self.priced(&whole).cost;
        let (known, most) = match told.has_input() {
            false => {
                let most = self.at_most(Next { answer_tokens, ..next }) - self.sum.cost;
                (Usage::default(), most.max(whole))
            }
            true => (self.priced(told), whole),
        };
        let unknown = most - known.cost;
        self.sum += known;
        self.sum.cost = self.sum.cost + unknown;
        unknown
    }

    /// Whether all of it was granted.
    pub(super) fn is_granted(&self) -> bool {
        self.sum.cost <= self.granted
    }

    fn priced(&self, counted: &Counted) -> Usage {
        let written = counted.all_written();
        let Counted { uncached, read, output, .. } = *counted;
        let usage = Usage { uncached, written, read, output, cost: Usd(0) };
        // What is written for an unnamed lifetime is priced at the card's own.
        let cost = self.card.cost_by_lifetime(&usage, &counted.written, counted.input());
        Usage { cost, ..usage }
    }
}

/// What a request under way has used: the vendor counts the answer at its end, so until then it is estimated.
pub(super) fn so_far(counted: Counted, arrived: Length) -> Counted {
    let output = counted.output.max(arrived.tokens());
    Counted { output, ..counted }
}

/// A lifetime Anthropic sells: the shortest that lasts at least as long, or the longest there is.
pub(super) fn sold(lifetime: Lifetime) -> Lifetime {
    if lifetime == Lifetime::FiveMinutes { lifetime } else { Lifetime::Hour }
}
