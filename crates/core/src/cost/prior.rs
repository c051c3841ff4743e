//! What is taken to come in a loop nobody has seen the end of. Every figure is an assumption stated in
//! docs/cost-model.md; none is learned from the loop beyond the sizes of its changes.

use super::plan::Expected;
use super::send::Round;

/// A first draft is rarely approved at once under a rule that admits no warnings.
const AGAIN_AFTER_FIRST_PERCENT: u32 = 90;
/// Later rounds: with a limit of five this gives 3.2 rounds a stage, of which real loops have 2.5 to 3.5.
const AGAIN_PERCENT: u32 = 67;
/// Real gaps between rounds: about two thirds under 5 minutes, nearly all under an hour.
const GAPS: [(u64, u32); 4] = [(200, 65), (15 * 60, 27), (45 * 60, 6), (24 * 60 * 60, 2)];
/// The limit of five rounds leaves four after the first; later ones weigh too little to change a choice.
const ROUNDS: u32 = 4;
/// The tokens of a delta for 100 of the artifact, and those of the sections it touches.
const DELTA_PERCENT: u64 = 30;
const TOUCHED_PERCENT: u64 = 50;

impl Expected {
    /// What is expected after a review, the `seen`th of its loop counted from 1, from this round's sizes and those
    /// of earlier re-reviews. `rounds_left` is what the loop's limit leaves, where there is one.
    pub fn after_review(seen: u32, now: &Round, earlier: &[Round], rounds_left: Option<u32>) -> Expected {
        let mean = |percent: u64, size: fn(&Round) -> u64| {
            let changed = earlier.iter().chain((seen > 1).then_some(now));
            let (sum, count) = changed.fold((0, 0), |(sum, count), round| (sum + size(round), count + 1));
            (now.artifact * percent / 100 + sum) / (1 + count)
        };
        Expected {
            again_percent: if seen <= 1 { AGAIN_AFTER_FIRST_PERCENT } else { AGAIN_PERCENT },
            later_percent: AGAIN_PERCENT,
            gaps: GAPS.to_vec(),
            round: Round {
                artifact: now.artifact,
                delta: mean(DELTA_PERCENT, |round| round.delta),
                touched: mean(TOUCHED_PERCENT, |round| round.touched),
            },
            rounds: rounds_left.unwrap_or(ROUNDS).min(ROUNDS),
        }
    }
}
