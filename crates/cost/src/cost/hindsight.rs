//! Finds the cheapest sequence of ways for rounds that are known: what could have been paid at best.

use super::plan::{Earlier, PlanFacts, options_with};
use super::send::{Round, Sent, Way, send};
use super::terms::Amount;
use redraft_facts::choice::{Cached, Strategy};
use redraft_facts::prelude::*;

/// A round with the seconds before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coming {
    pub gap_s: u64,
    pub round: Round,
}

/// What to do in each round, and what that costs in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    pub steps: Vec<(Way, Sent)>,
    pub amount: Amount,
}

/// How many states are followed at once in a loop of up to six rounds, which is all there are; longer loops follow
/// fewer and drop the most expensive. A trade between memory and certainty.
const STATES_MAX: usize = 4_000;
const STATES_MIN: usize = 64;

/// Finds the cheapest sequence. `first` says which strategies the first of these rounds may use; the others may use
/// those of the setting.
pub fn hindsight(setting: &PlanFacts<'_>, cached: Cached, first: &[Strategy], rounds: &[Coming]) -> Sequence {
    let most = (6 * STATES_MAX / rounds.len().max(1)).clamp(STATES_MIN, STATES_MAX);
    let mut nodes = vec![Node { cached, amount: Amount(0), from: 0, way: None }];
    let mut trail: Vec<Vec<(usize, Option<Way>)>> = Vec::with_capacity(rounds.len());
    for (at, coming) in rounds.iter().enumerate() {
        let allowed = if at == 0 { first } else { setting.later };
        let gap_after = rounds.get(at + 1).map_or(u64::MAX, |coming| coming.gap_s);
        let mut next: Vec<Node> = Vec::new();
        for (from, node) in nodes.iter().enumerate() {
            let now = node.cached.after(coming.gap_s);
            for (way, sent) in options_with(setting, &now, &coming.round, allowed, Earlier::MayStayUnmarked) {
                let cached = without_dying(sent.cached, gap_after);
                let amount = node.amount + sent.bill.amount();
                next.push(Node { cached, amount, from, way: Some(way) });
            }
        }
        nodes = cheapest(next, most);
        trail.push(nodes.iter().map(|node| (node.from, node.way)).collect());
    }
    let best = nodes.iter().enumerate().min_by_key(|(_, node)| node.amount);
    let (last, amount) = best.map(|(at, node)| (at, node.amount)).unwrap_or_default();
    Sequence { steps: steps(setting, cached, rounds, &ways(&trail, last)), amount }
}

struct Node {
    cached: Cached,
    amount: Amount,
    /// The node of the round before, and what led here from it.
    from: usize,
    way: Option<Way>,
}

/// One node for each cache, the cheapest.
fn cheapest(mut nodes: Vec<Node>, most: usize) -> Vec<Node> {
    nodes.sort_by_key(|node| (node.cached, node.amount));
    nodes.dedup_by(|later, first| later.cached == first.cached);
    if nodes.len() > most {
        nodes.sort_by_key(|node| node.amount);
        nodes.truncate(most);
    }
    nodes
}

/// A cache without the entries that will be gone by the next round, so that they do not keep equal states apart.
fn without_dying(cached: Cached, gap_s: u64) -> Cached {
    let alive = cached.after(gap_s);
    let mut kept = cached;
    kept.system = kept.system.filter(|_| alive.system.is_some());
    kept.stable = kept.stable.filter(|_| alive.stable.is_some());
    if let (Some(now), Some(then)) = (&mut kept.conversation, &alive.conversation) {
        now.tail = now.tail.filter(|_| then.tail.is_some());
        now.earlier = now.earlier.filter(|_| then.earlier.is_some());
    }
    kept
}

/// The ways that led to a node of the last round, in order.
fn ways(trail: &[Vec<(usize, Option<Way>)>], last: usize) -> Vec<Way> {
    let mut at = last;
    let mut ways = Vec::with_capacity(trail.len());
    for level in trail.iter().rev() {
        let Some((from, Some(way))) = level.get(at) else { continue };
        ways.push(*way);
        at = *from;
    }
    ways.reverse();
    ways
}

/// The same ways taken once more, with their bills.
fn steps(setting: &PlanFacts<'_>, cached: Cached, rounds: &[Coming], ways: &[Way]) -> Vec<(Way, Sent)> {
    let mut cached = cached;
    let mut steps = Vec::with_capacity(ways.len());
    for (way, coming) in ways.iter().zip(rounds) {
        let sent = send(setting.terms, setting.sizes, &cached.after(coming.gap_s), &coming.round, *way);
        let Some(sent) = sent else { continue };
        cached = sent.cached;
        steps.push((*way, sent));
    }
    steps
}
