//! What a replay shows: a table for people, one object for programs.

use super::{CardSum, LoopSum};
use redraft_core::cost::replay::{Outcome, Played};
use redraft_core::usage::{Usd, grouped};
use serde_json::{Map, Value, json};

/// One card as people read it.
pub(super) fn text(card: &CardSum, reviews: u64, loops: u64) -> String {
    let (model, ttl) = (&card.model, card.ttl);
    let mut out = format!("{model}, lifetimes up to {ttl}: {loops} loops, {reviews} reviews\n\n");
    out.push_str("policy        input    output  of bound    uncached     written        read  strategies\n");
    let bound = card.sum(Played::Bound).bill.input_amount.0;
    for (policy, outcome) in &card.outcomes {
        let bill = &outcome.bill;
        let ratio = (bill.input_amount.0 as f64) / (bound.max(1) as f64);
        let used: Vec<String> =
            outcome.strategies.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let mut used = used.join(", ");
        if outcome.guard_trips > 0 {
            used.push_str(&format!("; guard tripped {} times", outcome.guard_trips));
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

/// One card as an object, without its version.
pub(super) fn object(card: &CardSum) -> Map<String, Value> {
    let mut policies = Map::new();
    for (policy, outcome) in &card.outcomes {
        policies.insert(policy.name().to_owned(), policy_object(card, outcome));
    }
    let loops: Vec<Value> = card.loops.iter().map(|one| loop_object(card, one)).collect();
    let mut object = Map::new();
    object.insert("model".to_owned(), json!(card.model));
    object.insert("ttl".to_owned(), json!(card.ttl));
    object.insert("policies".to_owned(), Value::Object(policies));
    object.insert("loops".to_owned(), Value::Array(loops));
    object
}

fn policy_object(card: &CardSum, outcome: &Outcome) -> Value {
    let bill = &outcome.bill;
    json!({
        "input_usd": dollars(card.terms.usd(bill.input_amount)),
        "output_usd": dollars(card.terms.usd(bill.output_amount)),
        "strategies": outcome.strategies,
        "guard_trips": outcome.guard_trips,
        "too_large": outcome.too_large,
        "tokens": {
            "uncached": bill.uncached,
            "written": bill.written.iter().sum::<u64>(),
            "read": bill.read,
            "output": bill.output,
        },
    })
}

fn loop_object(card: &CardSum, one: &LoopSum) -> Value {
    let inputs = card.outcomes.iter().zip(&one.inputs);
    let inputs: Map<String, Value> = inputs
        .map(|((policy, _), amount)| (policy.name().to_owned(), json!(dollars(card.terms.usd(*amount)))))
        .collect();
    json!({
        "loop": one.name,
        "artifact": one.artifact,
        "reviews": one.reviews,
        "guard_trips": {"seed": one.seed_trips, "guarded": one.guarded_trips},
        "input_usd": inputs,
    })
}

fn dollars(usd: Usd) -> f64 {
    usd.0 as f64 / 1_000_000.0
}
