//! What the decision promises, whatever the loop.

use super::world::{Draws, FIRST, FULL, ROUND, SIZES, Situation, card, situations, terms, warm};
use crate::cost::{
    Ahead, Amount, Cached, Coming, Decision, Expected, Facts, Marks, Round, Setting, Sizes, Terms, Way,
    decide, hindsight, options, send,
};
use crate::policy::Strategy;
use crate::prelude::*;
use crate::price::{Card, Lifetime, PerMillion};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

/// Decides every round of a loop in turn; `ahead` says what is known of the rest of it.
fn played(
    terms: &Terms,
    sizes: &Sizes,
    rounds: &[Coming],
    later: &[Strategy],
    ahead: impl Fn(usize) -> Ahead,
) -> Vec<Decision> {
    let mut cached = Cached::default();
    let mut decisions = Vec::new();
    for (at, coming) in rounds.iter().enumerate() {
        let allowed = if at == 0 { &FIRST } else { later };
        let ahead = ahead(at);
        let cached_now = cached.after(coming.gap_s);
        let facts =
            Facts { terms, sizes, cached: cached_now, round: coming.round, allowed, later, ahead: &ahead };
        let decision = decide(&facts).unwrap();
        cached = decision.sent.cached;
        decisions.push(decision);
    }
    decisions
}

fn knowing_only_the_past(rounds: &[Coming]) -> impl Fn(usize) -> Ahead {
    move |at| Ahead::Expected(Expected::after_review(at as u32 + 1, &rounds[at].round, None))
}

fn total(decisions: &[Decision]) -> u64 {
    decisions.iter().map(|decision| decision.predicted.amount().0).sum()
}

/// Tries every way of every round, and gives up a sequence only when it already costs as much as the limit.
fn any_below(
    setting: &Setting<'_>,
    cached: Cached,
    first: &[Strategy],
    rounds: &[Coming],
    limit: Amount,
) -> bool {
    let Some((coming, rest)) = rounds.split_first() else { return true };
    // Whatever is sent, the answers still to come are paid for.
    let answers = rest.len() as u64 * setting.sizes.answer * cheapest_output(setting.terms);
    options(setting, &cached.after(coming.gap_s), &coming.round, first).into_iter().any(|(_, sent)| {
        let amount = sent.bill.amount().0;
        amount + answers < limit.0
            && any_below(setting, sent.cached, setting.later, rest, Amount(limit.0 - amount))
    })
}

fn cheapest_output(terms: &Terms) -> u64 {
    let nothing = Sizes { system: 0, rubric: 0, upstream: 0, files: 0, findings: 0, answer: 1, ..SIZES };
    let way = Way { strategy: Strategy::Inline, marks: Marks::default() };
    send(terms, &nothing, &Cached::default(), &Round::default(), way).unwrap().bill.amount().0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn told_the_truth_no_sequence_is_ten_percent_cheaper(situation in situations(1..=6)) {
        let Situation { model, longest, sizes, rounds } = situation;
        // Trying all takes time that grows with every lifetime and round.
        let lifetimes = terms(model, longest).lifetimes().len();
        let rounds = &rounds[..rounds.len().min(if lifetimes > 1 { 4 } else { 6 })];
        let terms = terms(model, longest);
        let decisions = played(&terms, &sizes, rounds, &FULL, |at| Ahead::Known(rounds[at + 1..].to_vec()));
        let limit = Amount(total(&decisions) * 10 / 11);
        let setting = Setting { terms: &terms, sizes: &sizes, later: &FULL };
        prop_assert!(!any_below(&setting, Cached::default(), &FIRST, rounds, limit));
    }

    #[test]
    fn deciding_with_the_truth_is_hindsight(situation in situations(1..=5)) {
        let Situation { model, longest, sizes, rounds } = situation;
        let terms = terms(model, longest);
        let decisions = played(&terms, &sizes, &rounds, &Strategy::ALL, |at| Ahead::Known(rounds[at + 1..].to_vec()));
        let setting = Setting { terms: &terms, sizes: &sizes, later: &Strategy::ALL };
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
            let ahead = Ahead::Expected(Expected::after_review(at as u32 + 1, &coming.round, None));
            let now = cached.after(coming.gap_s);
            let facts = Facts {
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
        let facts = Facts {
            terms: &terms, sizes: &sizes, cached, round: rounds[1].round, allowed: &allowed, later: &FULL, ahead: &ahead,
        };
        let decision = decide(&facts).unwrap();
        prop_assert!(allowed.contains(&decision.way.strategy));
        prop_assert!(decision.alternatives.iter().all(|one| allowed.contains(&one.way.strategy)));
        prop_assert!(decision.alternatives.iter().all(|one| one.total() >= decision.alternatives[0].total()));
        // Without a conversation there is nothing to continue.
        let fresh = Facts { cached: Cached::default(), allowed: &[Strategy::Resume], ..facts };
        prop_assert_eq!(decide(&fresh), None);
    }

    #[test]
    fn the_cheapest_plan_uses_no_more_of_what_became_dearer(
        situation in situations(1..=4),
        which in 0..4_usize,
        factor in 2..30_u64,
    ) {
        let Situation { sizes, rounds, .. } = situation;
        let plan = |card: &Card| {
            let terms = Terms::of(card, Lifetime::Hour);
            let setting = Setting { terms: &terms, sizes: &sizes, later: &Strategy::ALL };
            let steps = hindsight(&setting, Cached::default(), &FIRST, &rounds).steps;
            steps.iter().map(|(_, sent)| {
                [sent.bill.read, sent.bill.uncached, sent.bill.written[0], sent.bill.written[2]][which]
            }).sum::<u64>()
        };
        let usual = card("claude-opus-5.5");
        prop_assert!(plan(&dearer(&usual, which, factor)) <= plan(&usual));
    }
}

/// The card with one price raised: read, input, five minutes, an hour. Writes keep their own price.
fn dearer(card: &Card, which: usize, factor: u64) -> Card {
    let mut card = card.clone();
    let prices = &mut card.prices;
    let price = match which {
        0 => &mut prices.read,
        1 => &mut prices.input,
        2 => prices.writes.get_mut(&Lifetime::FiveMinutes).unwrap(),
        _ => prices.writes.get_mut(&Lifetime::Hour).unwrap(),
    };
    *price = PerMillion(price.0 * factor);
    card
}

#[test]
fn a_dearer_price_makes_what_pays_it_rarer() {
    let count = |which: usize, factor: u64, pays: fn(&Decision) -> bool| {
        let terms = Terms::of(&dearer(&card("claude-opus-5.5"), which, factor), Lifetime::Hour);
        let mut draws = Draws(7);
        let loops = (0..60).map(|_| draws.document_loop());
        let decisions = loops.flat_map(|(sizes, rounds)| {
            played(&terms, &sizes, &rounds, &FULL, knowing_only_the_past(&rounds))
        });
        decisions.filter(pays).count()
    };
    let resumed: fn(&Decision) -> bool = |decision| decision.way.strategy == Strategy::Resume;
    let for_minutes: fn(&Decision) -> bool = |decision| decision.predicted.written[0] > 0;
    let for_an_hour: fn(&Decision) -> bool = |decision| decision.predicted.written[2] > 0;
    for (which, pays) in [(0, resumed), (2, for_minutes), (3, for_an_hour)] {
        let counts: Vec<usize> = [1, 3, 10, 100].map(|factor| count(which, factor, pays)).to_vec();
        assert!(counts.is_sorted_by(|dear, dearer| dear >= dearer), "{which}: {counts:?}");
        assert!(counts[0] > counts[3], "{which}: the price never matters in {counts:?}");
    }
}

/// The cheapest sequence of strategies with the same lifetimes in every round, found by trying all of both.
fn best_of_all(terms: &Terms, sizes: &Sizes, rounds: &[Coming]) -> u64 {
    fn from(
        terms: &Terms,
        sizes: &Sizes,
        cached: Cached,
        marks: Marks,
        rounds: &[Coming],
        first: bool,
    ) -> u64 {
        let Some((coming, rest)) = rounds.split_first() else { return 0 };
        let strategies = if first { &FIRST[..] } else { &FULL };
        let costs = strategies.iter().filter_map(|strategy| {
            let way = Way { strategy: *strategy, marks };
            let sent = send(terms, sizes, &cached.after(coming.gap_s), &coming.round, way)?;
            Some(sent.bill.amount().0 + from(terms, sizes, sent.cached, marks, rest, false))
        });
        costs.min().unwrap()
    }
    let lifetimes = || core::iter::once(None).chain(terms.lifetimes().iter().copied().map(Some));
    let mut best = u64::MAX;
    for system in lifetimes() {
        for stable in lifetimes().filter(|stable| *stable <= system) {
            for tail in lifetimes().filter(|tail| *tail <= stable) {
                let marks = Marks { system, stable, tail };
                best = best.min(from(terms, sizes, Cached::default(), marks, rounds, true));
            }
        }
    }
    best
}

#[test]
fn told_only_what_was_known_a_thousand_loops_stay_within_ten_percent_of_the_best_sequences() {
    for (model, longest) in [
        ("claude-opus-5.5", Lifetime::Hour),
        ("claude-opus-5.5", Lifetime::FiveMinutes),
        ("claude-sonnet-4.6", Lifetime::Hour),
        ("gpt-6.1-terra", Lifetime::HalfDay),
    ] {
        let terms = terms(model, longest);
        let mut draws = Draws(2026);
        let (mut decided, mut best, mut clairvoyant) = (0, 0, 0);
        for _ in 0..1_000 {
            let (sizes, rounds) = draws.document_loop();
            decided += total(&played(&terms, &sizes, &rounds, &FULL, knowing_only_the_past(&rounds)));
            best += best_of_all(&terms, &sizes, &rounds);
            let setting = Setting { terms: &terms, sizes: &sizes, later: &FULL };
            clairvoyant += hindsight(&setting, Cached::default(), &FIRST, &rounds).amount.0;
        }
        assert!(decided * 10 <= best * 11, "{model}: {decided} is more than 110 % of {best}");
        // Choosing every lifetime with the next gap before one's eyes is worth more than any rule can have.
        assert!(decided * 100 <= clairvoyant * 115, "{model}: {decided} is more than 115 % of {clairvoyant}");
    }
}

#[test]
fn the_reason_has_the_numbers_of_every_strategy_that_was_possible() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let ahead = Ahead::Expected(Expected::after_review(2, &ROUND, Some(0)));
    let cached = warm(&terms, Lifetime::Hour).after(60);
    let facts = Facts {
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
