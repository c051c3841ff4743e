//! A yardstick for policies: what a loop would cost if every distinct token were paid for once.

use super::hindsight::Coming;
use super::send::{ReviewBill, Sizes};
use super::terms::{Amount, Terms};

/// Tools, rubric, artifacts and the first draft are written once for the longest lifetime and read in every later
/// round; each delta is paid once as plain input; each round has its answer. No policy pays exactly this: one that
/// writes for shorter lifetimes, or never needs what the bound reads again, can stay below.
pub fn bound(terms: &Terms, sizes: &Sizes, rounds: &[Coming]) -> ReviewBill {
    let first = rounds.first().map_or(0, |coming| coming.round.artifact);
    let whole = sizes.system + sizes.rubric + sizes.upstream + first;
    let tier = terms.tier(whole);
    let longest = terms.lifetimes().last().copied();
    let mut bill = ReviewBill::default();
    if !rounds.is_empty() {
        match longest {
            Some(lifetime) => bill.written[lifetime as usize] += whole,
            None => bill.uncached += whole,
        }
        bill.input_amount += Amount(whole.saturating_mul(tier.write(longest)));
    }
    for coming in rounds.iter().skip(1) {
        bill.read += whole;
        bill.uncached += coming.round.delta;
        bill.input_amount += Amount(whole.saturating_mul(tier.read));
        bill.input_amount += Amount(coming.round.delta.saturating_mul(tier.input));
    }
    let answers = sizes.answer * rounds.len() as u64;
    bill.output += answers;
    bill.output_amount += Amount(answers.saturating_mul(tier.output));
    bill
}
