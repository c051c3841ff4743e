//! Shows a replay: a table for people, one object for programs.

use super::{CardSum, LoopSum};
use redraft_cost::cost::replay::{ReplayMode, ReplayOutcome};
use redraft_facts::choice::Lifetime;
use redraft_facts::text::count;
use redraft_facts::usage::{Usd, grouped};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// One card as people read it.
pub(super) fn text(card: &CardSum, reviews: usize, loops: usize) -> String {
    let (model, ttl) = (&card.model, card.ttl);
    let (loops, reviews) = (count(loops, "loop"), count(reviews, "review"));
    let mut out = format!("{model}, lifetimes up to {ttl}: {loops}, {reviews}\n\n");
    out.push_str("policy        input    output  of bound    uncached     written        read  strategies\n");
    let bound = card.sum(ReplayMode::Bound).bill.input_amount.0;
    for (policy, outcome) in &card.outcomes {
        let bill = &outcome.bill;
        let ratio = (bill.input_amount.0 as f64) / (bound.max(1) as f64);
        let used: Vec<String> =
            outcome.strategies.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let mut used = used.join(", ");
        if outcome.guard_trips > 0 {
            used.push_str(&format!("; guard tripped {}", count(outcome.guard_trips as usize, "time")));
        }
        if outcome.too_large > 0 {
            used.push_str(&format!("; {} do not fit the context", outcome.too_large));
        }
        out.push_str(&format!(
            "{:9} {:>9} {:>9} {ratio:>9.3} {:>11} {:>11} {:>11}  {used}\n",
            policy.name(),
            card.terms.usd(bill.input_amount).to_string(),
            card.terms.usd(bill.output_amount).to_string(),
            grouped(bill.uncached),
            grouped(bill.written.iter().sum()),
            grouped(bill.read),
        ));
    }
    out
}

/// What `--json` prints: one card is the object itself, several are a list in it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Object<'a> {
    One {
        v: u16,
        #[serde(flatten)]
        card: CardObject<'a>,
        notes: Vec<String>,
    },
    Several {
        v: u16,
        cards: Vec<CardObject<'a>>,
        notes: Vec<String>,
    },
}

#[derive(Serialize)]
pub(super) struct CardObject<'a> {
    model: &'a str,
    ttl: Lifetime,
    policies: Named<PolicyObject<'a>>,
    loops: Vec<LoopObject<'a>>,
}

#[derive(Serialize)]
struct PolicyObject<'a> {
    input_usd: f64,
    output_usd: f64,
    strategies: &'a BTreeMap<&'static str, u64>,
    guard_trips: u64,
    too_large: u64,
    tokens: Tokens,
}

#[derive(Serialize)]
struct Tokens {
    uncached: u64,
    written: u64,
    read: u64,
    output: u64,
}

#[derive(Serialize)]
struct LoopObject<'a> {
    r#loop: &'a str,
    artifact: &'a str,
    reviews: usize,
    guard_trips: Named<u64>,
    input_usd: Named<f64>,
    /// Input tokens that were not read from the cache: the measure where nothing costs money.
    not_cached: Named<u64>,
}

/// A map in the order it was made.
struct Named<T>(Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(super) fn object(card: &CardSum) -> CardObject<'_> {
    let policies =
        card.outcomes.iter().map(|(policy, outcome)| (policy.name(), policy_object(card, outcome)));
    CardObject {
        model: &card.model,
        ttl: card.ttl,
        policies: Named(policies.collect()),
        loops: card.loops.iter().map(|one| loop_object(card, one)).collect(),
    }
}

fn policy_object<'a>(card: &CardSum, outcome: &'a ReplayOutcome) -> PolicyObject<'a> {
    let usage = outcome.bill.usage(&card.terms);
    PolicyObject {
        input_usd: dollars(card.terms.usd(outcome.bill.input_amount)),
        output_usd: dollars(card.terms.usd(outcome.bill.output_amount)),
        strategies: &outcome.strategies,
        guard_trips: outcome.guard_trips,
        too_large: outcome.too_large,
        tokens: Tokens {
            uncached: usage.uncached,
            written: usage.written,
            read: usage.read,
            output: usage.output,
        },
    }
}

fn loop_object<'a>(card: &CardSum, one: &'a LoopSum) -> LoopObject<'a> {
    let inputs = card.outcomes.iter().zip(&one.inputs);
    let inputs = inputs.map(|((policy, _), amount)| (policy.name(), dollars(card.terms.usd(*amount))));
    let not_cached = card.outcomes.iter().zip(&one.not_cached);
    let not_cached = not_cached.map(|((policy, _), tokens)| (policy.name(), *tokens));
    LoopObject {
        r#loop: &one.name,
        artifact: &one.artifact,
        reviews: one.reviews,
        guard_trips: Named(vec![("seed", one.seed_trips), ("guarded", one.guarded_trips)]),
        input_usd: Named(inputs.collect()),
        not_cached: Named(not_cached.collect()),
    }
}

fn dollars(usd: Usd) -> f64 {
    usd.0 as f64 / 1_000_000.0
}
