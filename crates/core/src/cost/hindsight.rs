//! The cheapest sequence of ways for rounds that are known: what could have been paid at best.

use super::cached::Cached;
use super::plan::{Setting, options};
use super::send::{Round, Sent, Way};
use super::terms::Amount;
use crate::policy::Strategy;
use crate::prelude::*;

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

/// More states than this are not followed at once: the dearest are dropped. A trade between memory and certainty;
/// loops of up to six rounds stay below it, so that for them the sequence is the best there is.
const STATES_MAX: usize = 4_000;

/// Finds the cheapest sequence. `first` says which strategies the first of these rounds may use; the setting's hold
/// for the others.
pub fn hindsight(setting: &Setting<'_>, cached: Cached, first: &[Strategy], rounds: &[Coming]) -> Sequence {
    let start = Node { cached, amount: Amount(0), from: 0, step: None };
    let mut levels: Vec<Vec<Node>> = vec![vec![start]];
    for (at, coming) in rounds.iter().enumerate() {
        let allowed = if at == 0 { first } else { setting.later };
        let gap_after = rounds.get(at + 1).map_or(u64::MAX, |coming| coming.gap_s);
        let mut next: Vec<Node> = Vec::new();
        for (from, node) in levels.last().map(Vec::as_slice).unwrap_or_default().iter().enumerate() {
            let now = node.cached.after(coming.gap_s);
            for (way, sent) in options(setting, &now, &coming.round, allowed) {
                let cached = without_dying(sent.cached, gap_after);
                let amount = node.amount + sent.bill.amount();
                next.push(Node { cached, amount, from, step: Some((way, sent)) });
            }
        }
        levels.push(cheapest(next));
    }
    trace(&levels)
}

struct Node {
    cached: Cached,
    amount: Amount,
    /// The node of the level before.
    from: usize,
    step: Option<(Way, Sent)>,
}

/// One node for each cache, the cheapest.
fn cheapest(mut nodes: Vec<Node>) -> Vec<Node> {
    nodes.sort_by_key(|node| (node.cached, node.amount));
    nodes.dedup_by(|later, first| later.cached == first.cached);
    if nodes.len() > STATES_MAX {
        nodes.sort_by_key(|node| node.amount);
        nodes.truncate(STATES_MAX);
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

fn trace(levels: &[Vec<Node>]) -> Sequence {
    let last = levels.last().map(Vec::as_slice).unwrap_or_default();
    let best = last.iter().enumerate().min_by_key(|(_, node)| node.amount);
    let (mut at, amount) = best.map(|(at, node)| (at, node.amount)).unwrap_or_default();
    let mut steps = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        if let Some(Node { from, step: Some(step), .. }) = level.get(at) {
            steps.push(*step);
            at = *from;
        }
    }
    steps.reverse();
    Sequence { steps, amount }
}
