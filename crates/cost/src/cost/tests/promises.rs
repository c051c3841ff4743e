//! What the decision promises, whatever the loop.

use super::all::{self, best};
use super::drawn::{Drawn, Draws, Kinds, USUAL};
use super::world::{FIRST, FULL, ROUND, SIZES, Situation, situations, terms, warm};
use crate::cost::{
    Ahead, CERTAIN, Coming, DecisionFacts, ExpectedRounds, Marking, Pace, PlanFacts, Sizes, StrategyDecision,
    Terms, Way, decide, hindsight, send,
};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use redraft_facts::choice::{Cached, Lifetime, Marks, Strategy};
use redraft_facts::prelude::*;

/// Decides every round of a loop in turn; `ahead` says what is known about the rest of it.
pub(super) fn played(
    terms: &Terms,
    sizes: &Sizes,
    rounds: &[Coming],
    later: &[Strategy],
    ahead: impl Fn(usize) -> Ahead,
) -> Vec<StrategyDecision> {
    let mut cached = Cached::default();
    let mut decisions = Vec::new();
    for (at, coming) in rounds.iter().enumerate() {
        let allowed = if at == 0 { &FIRST } else { later };
        let ahead = ahead(at);
        let cached_now = cached.after(coming.gap_s);
        let facts = DecisionFacts {
            terms,
            sizes,
            cached: cached_now,
            round: coming.round,
            allowed,
            later,
            ahead: &ahead,
        };
        let decision = decide(&facts).unwrap();
        cached = decision.sent.cached;
        decisions.push(decision);
    }
    decisions
}

fn knowing_only_the_past(rounds: &[Coming]) -> impl Fn(usize) -> Ahead {
    move |at| {
        Ahead::Expected(ExpectedRounds::after_review(
            at as u32 + 1,
            &rounds[at].round,
            None,
            &Pace::default(),
        ))
    }
}

fn knowing_the_truth(terms: &Terms, sizes: &Sizes, rounds: &[Coming]) -> u64 {
    total(&played(terms, sizes, rounds, &FULL, |at| Ahead::Known(rounds[at + 1..].to_vec())))
}

pub(super) fn total(decisions: &[StrategyDecision]) -> u64 {
    decisions.iter().map(|decision| decision.predicted.amount().0).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn told_the_truth_no_sequence_of_up_to_six_rounds_is_ten_percent_cheaper(
        situation in situations(1..=6),
        hit_rate in 5_000..=CERTAIN,
    ) {
        let Situation { model, longest, sizes, rounds } = situation;
        let terms = terms(model, longest).with_hit_rate(hit_rate);
        let decided = knowing_the_truth(&terms, &sizes, &rounds);
        let best = best(&all::Known { terms: &terms, sizes: &sizes, rounds: &rounds, first: &FIRST, later: &FULL }).0;
        prop_assert!(decided * 10 <= best * 11, "{decided} for {best}");
        prop_assert!(decided >= best, "{decided} is less than the least of all, {best}");
    }

    #[test]
    fn deciding_with_the_truth_is_hindsight(situation in situations(1..=5)) {
        let Situation { model, longest, sizes, rounds } = situation;
        let terms = terms(model, longest);
        let decisions = played(&terms, &sizes, &rounds, &Strategy::ALL, |at| Ahead::Known(rounds[at + 1..].to_vec()));
        let setting = PlanFacts { terms: &terms, sizes: &sizes, later: &Strategy::ALL };
        let best = hindsight(&setting, Cached::default(), &FIRST, &rounds);
        prop_assert_eq!(total(&decisions), best.amount.0);
        prop_assert_eq!(best.steps.len(), rounds.len());
    }
}

proptest! {
    #[test]
    fn no_cliff_is_crossed_and_no_context_exceeded_while_there_is_another_way(
        situation in situations(2..=4),
        context in 20_000..200_000_u64,
    ) {
        let Situation { longest, mut sizes, mut rounds, .. } = situation;
        sizes.upstream *= 2;
        for coming in &mut rounds {
            coming.round.artifact *= 2;
        }
        let terms = terms("claude-haiku-5.5", longest).with_context(context);
        let mut cached = Cached::default();
        for (at, coming) in rounds.iter().enumerate() {
            let allowed = if at == 0 { &FIRST[..] } else { &Strategy::ALL };
            let ahead = Ahead::Expected(ExpectedRounds::after_review(at as u32 + 1, &coming.round, None, &Pace::default()));
            let now = cached.after(coming.gap_s);
            let facts = DecisionFacts {
                terms: &terms, sizes: &sizes, cached: now, round: coming.round, allowed, later: &Strategy::ALL, ahead: &ahead,
            };
            let chosen = decide(&facts).unwrap().sent;
            let other = |strategy: &Strategy| {
                send(&terms, &sizes, &now, &coming.round, Way { strategy: *strategy, marks: Marks::default() })
            };
            for other in allowed.iter().filter_map(other) {
                prop_assert!(chosen.fits || !other.fits, "it does not fit, another would");
                prop_assert!(!chosen.above_cliff || !other.fits || other.above_cliff, "another stays below the cliff");
            }
            cached = chosen.cached;
        }
    }

    #[test]
    fn only_what_is_allowed_is_chosen(situation in situations(2..=3), bits in 1..16_u8) {
        let Situation { model, longest, sizes, rounds } = situation;
        let terms = terms(model, longest);
        let picked = Strategy::ALL.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
        let allowed: Vec<Strategy> = picked.map(|(_, strategy)| *strategy).collect();
        let first = played(&terms, &sizes, &rounds[..1], &FULL, knowing_only_the_past(&rounds)).remove(0);
        let ahead = knowing_only_the_past(&rounds)(1);
        let cached = first.sent.cached.after(rounds[1].gap_s);
        let facts = DecisionFacts {
            terms: &terms, sizes: &sizes, cached, round: rounds[1].round, allowed: &allowed, later: &FULL, ahead: &ahead,
        };
        let decision = decide(&facts).unwrap();
        prop_assert!(allowed.contains(&decision.way.strategy));
        prop_assert!(decision.alternatives.iter().all(|one| allowed.contains(&one.way.strategy)));
        prop_assert!(decision.alternatives.iter().all(|one| one.total() >= decision.alternatives[0].total()));
        // Without a conversation there is nothing to continue.
        let fresh = DecisionFacts { cached: Cached::default(), allowed: &[Strategy::Resume], ..facts };
        prop_assert_eq!(decide(&fresh), None);
    }
}

/// The least a drawn loop can cost.
fn least(terms: &Terms, drawn: &Drawn) -> u64 {
    let Drawn { sizes, rounds, .. } = drawn;
    best(&all::Known { terms, sizes, rounds, first: &FIRST, later: &FULL }).0
}

/// The least it can cost if everything is kept for this time.
fn least_with(terms: &Terms, drawn: &Drawn, lifetime: Lifetime) -> u64 {
    least(&terms.clone().marked_by(Marking::Places(4), &[lifetime]), drawn)
}

/// What a loop is compared with.
type Yardstick<'a> = &'a dyn Fn(&Terms, &Drawn) -> u64;

/// The cost of loops under the rule that is told only what was known about this loop and learns from no other, in
/// thousandths of each of these yardsticks.
fn of<const N: usize>(
    yardsticks: [Yardstick<'_>; N],
    terms: &Terms,
    kinds: &Kinds,
    (loops, seed): (usize, u64),
) -> [u64; N] {
    let mut draws = Draws(seed);
    let (mut decided, mut sums) = (0_u128, [0_u128; N]);
    for _ in 0..loops {
        let drawn = draws.any_loop(kinds);
        let terms = terms.clone().with_hit_rate(drawn.hit_rate);
        let Drawn { sizes, rounds, .. } = &drawn;
        decided += u128::from(total(&played(&terms, sizes, rounds, &FULL, knowing_only_the_past(rounds))));
        for (sum, yardstick) in sums.iter_mut().zip(yardsticks) {
            *sum += u128::from(yardstick(&terms, &drawn));
        }
    }
    sums.map(|sum| u64::try_from(decided * 1_000 / sum).unwrap())
}

#[test]
fn a_thousand_usual_loops_stay_near_the_best_sequences_without_any_before_them() {
    const LOOPS: (usize, u64) = (1_000, 2026);
    // Where one lifetime is sold, or the longer one is hardly ever needed, within ten percent.
    for (model, longest) in [
        ("claude-opus-5.5", Lifetime::FiveMinutes),
        ("gpt-6.1-terra", Lifetime::HalfDay),
        ("gpt-6-sol", Lifetime::HalfHour),
        ("grok-4.7", Lifetime::FiveMinutes),
        ("local", Lifetime::FiveMinutes),
    ] {
        let [thousandths] = of([&least], &terms(model, longest), &USUAL, LOOPS);
        assert!(thousandths <= 1_100, "{model} {longest}: {thousandths}");
    }
    // Five minutes or an hour is decided before the next gap is known, and the best sequences know it.
    for model in ["claude-opus-5.5", "claude-fable-5.1", "claude-sonnet-4.6", "claude-haiku-5.5"] {
        let five = |terms: &Terms, drawn: &Drawn| least_with(terms, drawn, Lifetime::FiveMinutes);
        let hour = |terms: &Terms, drawn: &Drawn| least_with(terms, drawn, Lifetime::Hour);
        let either = |terms: &Terms, drawn: &Drawn| five(terms, drawn).min(hour(terms, drawn));
        let terms = terms(model, Lifetime::Hour);
        let [all, hour, five, either] = of([&least, &hour, &five, &either], &terms, &USUAL, LOOPS);
        assert!(all <= 1_140, "{model}: {all}");
        // Within ten percent of the best strategies with the same lifetime for all loops, whichever that is, and a
        // little more where each loop may pick the better one afterwards.
        assert!(hour <= 1_100 && five <= 1_100 && either <= 1_120, "{model}: {hour} {five} {either}");
    }
    let nothing = terms("claude-opus-5.5", Lifetime::Hour).marked_by(Marking::Nothing, &[]);
    assert_eq!(of([&least], &nothing, &USUAL, LOOPS), [1_000], "without a cache there is one best way");
}

#[test]
fn loops_unlike_any_that_were_expected_cost_no_more_than_a_third_more_than_the_best_sequences() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    for (what, kinds) in [
        ("a pace that is kept", Kinds { steady: true, ..USUAL }),
        ("quick alone", Kinds { pace: [1, 0, 0, 0], ..USUAL }),
        ("ordinary alone", Kinds { pace: [0, 1, 0, 0], ..USUAL }),
        ("slow alone", Kinds { pace: [0, 0, 1, 0], ..USUAL }),
        ("anything", Kinds { pace: [0, 0, 0, 1], ..USUAL }),
        ("few rounds", Kinds { length: [1, 0, 0], ..USUAL }),
        ("many rounds", Kinds { length: [0, 0, 1], ..USUAL }),
    ] {
        let [thousandths] = of([&least], &terms, &kinds, (100, 31));
        assert!(thousandths <= 1_333, "{what}: {thousandths}");
    }
}

#[test]
fn the_reason_has_the_numbers_of_every_strategy_that_was_possible() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let ahead = Ahead::Expected(ExpectedRounds::after_review(2, &ROUND, Some(0), &Pace::default()));
    let cached = warm(&terms, Lifetime::Hour).after(60);
    let facts = DecisionFacts {
        terms: &terms,
        sizes: &SIZES,
        cached,
        round: ROUND,
        allowed: &FULL,
        later: &FULL,
        ahead: &ahead,
    };
    let decision = decide(&facts).unwrap();
    assert_eq!(decision.way.strategy, Strategy::Resume);
    assert_eq!(
        decision.why,
        "resume costs $0.0536 now (27,950 tokens, 24,200 of them cached) and $0.0000 in the rounds expected after it; \
         inline costs $0.0662 now (24,200 tokens, 15,950 of them cached) and $0.0000 in the rounds expected after it; \
         lazy costs $0.1555 now (57,660 tokens, 34,920 of them cached) and $0.0000 in the rounds expected after it"
    );
}
