//! The cheapest way through a loop whose end is known, found by trying every sequence of ways.
//!
//! It shares only [`send`], what one review costs, with the planning it tests. The rules of a provider's cache that say
//! which marks may be set are written here once more, plainly, from docs/cost-model.md. Sequences that lead to the same
//! cache are followed once, which loses none. Start at [`best`].

use crate::cost::{Amount, Coming, Sent, Sizes, Terms, Way, send};
use redraft_facts::choice::{Cached, CachedPrefix, Lifetime, Marks, Strategy};
use redraft_facts::prelude::*;

/// A loop, and what may be used in its first round and in the others.
pub(super) struct Known<'a> {
    pub(super) terms: &'a Terms,
    pub(super) sizes: &'a Sizes,
    pub(super) rounds: &'a [Coming],
    pub(super) first: &'a [Strategy],
    pub(super) later: &'a [Strategy],
}

/// What the cheapest sequence costs.
pub(super) fn best(known: &Known<'_>) -> Amount {
    let mut costs = vec![BTreeMap::new(); known.rounds.len()];
    from(known, 0, Cached::default(), &mut costs)
}

/// The least that this round and those after it cost, from the cache the round before left behind.
fn from(known: &Known<'_>, at: usize, left: Cached, costs: &mut [BTreeMap<Cached, Amount>]) -> Amount {
    let Some(coming) = known.rounds.get(at) else { return Amount(0) };
    let cached = left.after(coming.gap_s);
    if let Some(cost) = costs[at].get(&cached) {
        return *cost;
    }
    let allowed = if at == 0 { known.first } else { known.later };
    let mut all: Vec<Sent> = Vec::new();
    for strategy in allowed {
        for marks in every_marks(known.terms, &cached, *strategy) {
            let way = Way { strategy: *strategy, marks };
            all.extend(send(known.terms, known.sizes, &cached, &coming.round, way));
        }
    }
    // No way that does not fit, or that is above a cliff, while there is another one.
    if all.iter().any(|sent| sent.fits) {
        all.retain(|sent| sent.fits);
        if all.iter().any(|sent| !sent.above_cliff) {
            all.retain(|sent| !sent.above_cliff);
        }
    }
    let whole = |sent: &Sent| sent.bill.amount() + from(known, at + 1, sent.cached, costs);
    let cost = all.iter().map(whole).min().unwrap();
    costs[at].insert(cached, cost);
    cost
}

/// All marks that a prompt of this strategy may be sent with.
fn every_marks(terms: &Terms, cached: &Cached, strategy: Strategy) -> Vec<Marks> {
    let talk = cached.conversation.filter(|_| strategy == Strategy::Resume);
    let inline = match talk {
        Some(talk) => talk.began == Strategy::Inline,
        None => strategy == Strategy::Inline,
    };
    let kept_stable = cached.stable.filter(|_| inline);
    let kept_talk = talk.and_then(|talk| talk.tail.or(talk.earlier));
    // What is written after a kept beginning, or marked inside of it, lasts no longer than that beginning.
    let read = kept_talk.or(kept_stable).or(cached.system);
    let may_last = |mark: &Option<Lifetime>| read.is_none_or(|read| *mark <= Some(read.lifetime));
    let mut found = Vec::new();
    // What is kept for longer after it is found without a mark on a shorter one.
    let kept_system = cached.system.map(|kept| {
        Some(kept.lifetime).filter(|one| kept_stable.is_none_or(|stable| *one >= stable.lifetime))
    });
    let systems = kept_system.map_or_else(|| again_or_any(terms, None, may_last), |mark| vec![mark]);
    for system in systems {
        for stable in if inline { again_or_any(terms, kept_stable, may_last) } else { vec![None] } {
            for tail in again_or_any(terms, None, may_last) {
                let pairs = [(system, stable), (stable, tail), (system, tail)];
                let longer_first = pairs.iter().all(|(one, next)| one.is_none() || next <= one);
                // A kept conversation is found from a mark at its new end.
                let found_again = kept_talk.is_none() || tail.is_some();
                if longer_first && found_again {
                    found.push(Marks { system, stable, tail });
                }
            }
        }
    }
    found
}

/// A kept place is marked again as it was, which writes nothing; any other for as long as it may last, or not at all.
fn again_or_any(
    terms: &Terms,
    kept: Option<CachedPrefix>,
    may_last: impl Fn(&Option<Lifetime>) -> bool,
) -> Vec<Option<Lifetime>> {
    let lifetimes = || terms.lifetimes().iter().copied().map(Some);
    match kept {
        Some(entry) => vec![Some(entry.lifetime)],
        None => core::iter::once(None).chain(lifetimes()).filter(may_last).collect(),
    }
}
