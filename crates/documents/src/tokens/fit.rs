//! Fits ratios to bills: least squares, with the assumptions as bills of their own.
//!
//! A bill is one number for several kinds of text and for what the agent added, so the share of each is inferred from
//! how bills differ. The result is the ratios and the overhead for which the sum over all bills of (billed −
//! estimated)² is least, each square divided by what the bill was expected to be, so that long prompts do not outvote
//! all others. To the bills are added one of [`ASSUMED_TOKENS`] tokens for each kind alone, and [`ASSUMED_BILLS`] of
//! the usual weight of the agent's own texts alone, all as was assumed: a few short prompts then change little, a kind
//! that was never billed keeps its ratio, and what occurs in one mixture only is not separated by chance. Whole
//! numbers, so the same bills give the same ratios everywhere.

use super::{Billed, Ratios};
use redraft_facts::choice::Content;

/// The weight of the assumption against bills, in tokens of each kind: about three prompts with their artifacts.
const ASSUMED_TOKENS: i128 = 50_000;
/// The assumption about an agent's own texts weighs as much as this many bills.
const ASSUMED_BILLS: u8 = 2;
/// A tokenizer that differs by more than this factor from what was measured counts something else.
const FACTOR_MAX: i128 = 2;
/// Each goes through all unknowns once. Settled within a thousandth after 60 in drawn mixtures.
const ROUNDS: usize = 100;

const MILLION: i128 = 1_000_000;
/// Keeps the fractions that the division by the expected size would lose.
const SCALE: i128 = 1 << 20;
/// Longer texts and larger bills than any model takes in; beyond them sums could overflow.
const COUNT_MAX: u64 = 1_000_000_000;

const KINDS: usize = Content::ALL.len();
/// The ratios, and the overhead last.
type Unknowns = [i128; KINDS + 1];

pub(super) fn fit(assumed: Ratios, overhead: u64, bills: &[Billed]) -> (Ratios, u64) {
    let mut start = Unknowns::default();
    for (unknown, ratio) in start.iter_mut().zip(assumed.per_million) {
        *unknown = i128::from(ratio);
    }
    start[KINDS] = i128::from(overhead.min(COUNT_MAX));
    let mut sums = Sums::default();
    for bill in bills {
        let mut has = Unknowns::default();
        for (has, chars) in has.iter_mut().zip(bill.chars) {
            *has = i128::from(chars.min(COUNT_MAX));
        }
        // A bill without characters of ours says nothing about them, and neither does a bill of zero.
        if bill.tokens > 0 && has.iter().any(|chars| *chars > 0) {
            has[KINDS] = MILLION;
            sums.add(&has, i128::from(bill.tokens.min(COUNT_MAX)), estimated(&has, &start));
        }
    }
    let usual = sums.expected.checked_div(sums.bills).unwrap_or(1);
    for (at, unknown) in start.into_iter().enumerate() {
        let mut has = Unknowns::default();
        if at == KINDS {
            has[at] = MILLION;
            (0..ASSUMED_BILLS).for_each(|_| sums.add(&has, unknown, usual));
        } else {
            has[at] = ASSUMED_TOKENS * MILLION / unknown.max(1);
            sums.add(&has, ASSUMED_TOKENS, ASSUMED_TOKENS);
        }
    }
    let found = sums.least(&start);
    let count = |at: usize| u64::try_from(found[at]).unwrap_or_default();
    (Ratios { per_million: core::array::from_fn(count) }, count(KINDS))
}

fn estimated(has: &Unknowns, ratios: &Unknowns) -> i128 {
    has.iter().zip(ratios).map(|(has, ratio)| has * ratio).sum::<i128>() / MILLION
}

/// The sums the least squares are found from.
#[derive(Default)]
struct Sums {
    products: [Unknowns; KINDS + 1],
    billed: Unknowns,
    /// Of how many bills, and what they were expected to be together.
    bills: i128,
    expected: i128,
}

impl Sums {
    /// A bill: how much it has of each unknown, in millionths, its tokens, and the tokens that were expected.
    fn add(&mut self, has: &Unknowns, tokens: i128, expected: i128) {
        let expected = expected.max(1);
        self.bills += 1;
        self.expected += expected;
        for (at, one) in has.iter().enumerate() {
            for (other, two) in has.iter().enumerate() {
                self.products[at][other] += one * two * SCALE / expected;
            }
            self.billed[at] += one * tokens * MILLION * SCALE / expected;
        }
    }

    /// Goes from the start to the least squares, one unknown at a time, within what is plausible.
    fn least(&self, start: &Unknowns) -> Unknowns {
        let mut now = *start;
        for _ in 0..ROUNDS {
            for at in 0..now.len() {
                let own = self.products[at][at];
                if own == 0 {
                    continue;
                }
                let others: i128 = (0..now.len())
                    .filter(|other| *other != at)
                    .map(|other| self.products[at][other] * now[other])
                    .sum();
                let best = (self.billed[at] - others) / own;
                now[at] = match at {
                    KINDS => best.max(0),
                    _ => best.clamp(start[at] / FACTOR_MAX, start[at] * FACTOR_MAX),
                };
            }
        }
        now
    }
}
