//! What a higher price does to the decision.

use super::drawn::{Draws, USUAL};
use super::world::{FIRST, FULL, card};
use crate::cost::{Ahead, DecisionFacts, ExpectedRounds, Pace, Round, Sizes, Terms, decide, weigh};
use crate::price::{Card, PerMillion};
use redraft_facts::choice::{Cached, Lifetime, Strategy};
use redraft_facts::prelude::*;

/// The prices of a card with two lifetimes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Price {
    Input,
    Minutes,
    Hour,
    Read,
    Output,
}

const PRICES: [Price; 5] = [Price::Input, Price::Minutes, Price::Hour, Price::Read, Price::Output];

/// The card with one price raised; all others stay as they are.
fn dearer(card: &Card, which: Price, factor: u64) -> Card {
    let mut card = card.clone();
    let prices = &mut card.prices;
    let price = match which {
        Price::Input => &mut prices.input,
        Price::Minutes => prices.writes.get_mut(&Lifetime::FiveMinutes).unwrap(),
        Price::Hour => prices.writes.get_mut(&Lifetime::Hour).unwrap(),
        Price::Read => &mut prices.read,
        Price::Output => &mut prices.output,
    };
    *price = PerMillion(price.0 * factor);
    card
}

/// A moment in a loop at which something is decided.
struct Moment {
    sizes: Sizes,
    cached: Cached,
    round: Round,
    seen: u32,
    allowed: Vec<Strategy>,
    hit_rate: u32,
}

impl Moment {
    fn terms(&self, card: &Card) -> Terms {
        Terms::from_card(card, Lifetime::Hour).with_hit_rate(self.hit_rate)
    }

    fn with<T>(&self, terms: &Terms, decided: impl FnOnce(&DecisionFacts<'_>) -> T) -> T {
        let ahead =
            Ahead::Expected(ExpectedRounds::after_review(self.seen, &self.round, None, &Pace::default()));
        let Moment { sizes, cached, round, allowed, .. } = self;
        decided(&DecisionFacts {
            terms,
            sizes,
            cached: *cached,
            round: *round,
            allowed,
            later: &FULL,
            ahead: &ahead,
        })
    }
}

/// Moments as drawn loops come to them, at the usual prices. Some agents cannot be given files in their prompt, so
/// `inline` is left out of every third.
fn moments(card: &Card, loops: usize) -> Vec<Moment> {
    let mut draws = Draws(11);
    let mut moments = Vec::new();
    for _ in 0..loops {
        let drawn = draws.any_loop(&USUAL);
        let without_inline = draws.below(3) == 0;
        let mut cached = Cached::default();
        for (at, coming) in drawn.rounds.iter().enumerate() {
            let all = if at == 0 { &FIRST[..] } else { &Strategy::ALL };
            let may = |strategy: &Strategy| *strategy != Strategy::Inline || !without_inline;
            let moment = Moment {
                sizes: drawn.sizes,
                cached: cached.after(coming.gap_s),
                round: coming.round,
                seen: at as u32 + 1,
                allowed: all.iter().copied().filter(may).collect(),
                hit_rate: drawn.hit_rate,
            };
            cached = moment.with(&moment.terms(card), decide).unwrap().sent.cached;
            moments.push(moment);
        }
    }
    moments
}

#[test]
fn a_raised_price_never_makes_a_strategy_chosen_that_pays_more_of_it() {
    let usual = card("claude-opus-5.5");
    let moments = moments(&usual, 120);
    let mut changed = [0; PRICES.len()];
    for (moment, (at, which)) in
        moments.iter().flat_map(|one| PRICES.into_iter().enumerate().map(move |p| (one, p)))
    {
        for factor in [2, 40] {
            let (before, after) = (moment.terms(&usual), moment.terms(&dearer(&usual, which, factor)));
            let [old, new] = [&before, &after].map(|terms| moment.with(terms, decide).unwrap().way);
            // The share of a price in a way, now and in the rounds expected after it, is what raising that price adds
            // to the way.
            let pays = |way| {
                let whole = |terms| moment.with(terms, |facts| weigh(facts, way)).unwrap().total().0;
                whole(&after) - whole(&before)
            };
            let (old_pays, new_pays) = (pays(old), pays(new));
            // Every expectation is rounded up by less than a millionth of a dollar's millionth.
            let rounding = 1_000;
            assert!(
                new_pays <= old_pays + rounding,
                "{which:?} x{factor}: {old:?} {old_pays}, {new:?} {new_pays}"
            );
            changed[at] += usize::from(old.strategy != new.strategy);
        }
    }
    assert!(
        changed.iter().all(|changed| *changed > 0),
        "a price that never matters shows nothing: {changed:?}"
    );
}

#[test]
fn the_dearer_a_price_the_rarer_what_pays_it() {
    let usual = card("claude-opus-5.5");
    let moments = moments(&usual, 120);
    for which in PRICES {
        let counts = [1, 2, 5, 20, 100].map(|factor| {
            let card = dearer(&usual, which, factor);
            let decided = moments.iter().map(|one| one.with(&one.terms(&card), decide).unwrap());
            decided
                .filter(|decision| match which {
                    Price::Input => decision.predicted.uncached > 0,
                    Price::Minutes => decision.predicted.written[Lifetime::FiveMinutes as usize] > 0,
                    Price::Hour => decision.predicted.written[Lifetime::Hour as usize] > 0,
                    // Every prompt reads what is kept of it; a continued conversation reads most.
                    Price::Read => decision.way.strategy == Strategy::Resume,
                    // Every review has an answer; one that opens files says more.
                    Price::Output => decision.way.strategy == Strategy::Lazy,
                })
                .count()
        });
        assert!(counts.is_sorted_by(|dear, dearer| dear >= dearer), "{which:?}: {counts:?}");
        assert!(counts[0] > counts[4], "{which:?}: the price never matters in {counts:?}");
    }
}
