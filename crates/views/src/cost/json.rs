//! The receipt for programs. Money is in whole millionths of a dollar; estimates have names that say so.

use super::prices::Price;
use super::savings::{Loop, Replay};
use super::{Feature, RowStatus};
use redraft_core::attribution::RoleAttribution;
use redraft_core::bills::Bill;
use redraft_cost::cost::CERTAIN;
use redraft_facts::choice::Prediction;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usage;
use redraft_reports::projections::Warning;
use redraft_reports::projections::costs::{
    Accuracy, Costs, Dispatch, MeasureOfRole, Replayed, RoleRules, Sum, hit_percent, not_cached,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// One feature, in full.
#[derive(Serialize)]
pub(super) struct FeatureJson<'a> {
    v: u16,
    feature: String,
    /// The document, if this is the review of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'a str>,
    slug: &'a str,
    status: &'a str,
    judged_by: &'a [RoleAttribution],
    rehearsed: bool,
    sum: Value,
    phases: Vec<Value>,
    /// All that was sent to tasks side by side, and what of it because a task came back from the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    side_by_side: Option<Value>,
    /// Where the feature is shared and more than one clone drove it: what each has spent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_clone: Vec<Value>,
    agents: Vec<Value>,
    rules: Vec<Value>,
    loops: Vec<Value>,
    orchestration_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    r1_deferred_reason: Option<&'a str>,
    warnings: &'a [Warning],
    notes: &'a [String],
}

pub(super) fn feature(shown: &Feature) -> FeatureJson<'_> {
    let Feature { scope, document, status, costs, agents, rules, loops, warnings, notes, deferred, .. } =
        shown;
    let phase = |one: &redraft_reports::projections::costs::PhaseCosts| {
        let roles: Vec<Value> = one
            .roles
            .iter()
            .map(|role| {
                let dispatches: Vec<Value> = role.dispatches.iter().map(dispatch).collect();
                json!({"role": role.role, "sum": sum(&role.sum), "dispatches": dispatches})
            })
            .collect();
        let policy = one.policy.name();
        json!({"phase": one.phase, "pass": one.pass, "policy": policy, "sum": sum(&one.sum), "roles": roles})
    };
    FeatureJson {
        v: 1,
        feature: scope.to_string(),
        document: document.as_deref(),
        slug: &costs.slug,
        status: &status.name,
        judged_by: &shown.judged_by,
        rehearsed: shown.rehearsed,
        sum: sum(&costs.sum),
        phases: costs.phases.iter().map(phase).collect(),
        side_by_side: costs
            .side_by_side()
            .map(|(all, again)| json!({"sum": sum(&all), "again": sum(&again)})),
        by_clone: costs
            .by_clone()
            .iter()
            .map(|(who, spent)| json!({"by": who.by, "place": who.place, "sum": sum(spent)}))
            .collect(),
        agents: agents
            .iter()
            .map(|agent| {
                let (card, note) = (agent.price.card(), agent.price.note(&agent.name));
                let model = card.map(|(model, _)| model);
                let prices = basis(&agent.price);
                let ratio = agent.accuracy.as_ref().map(accuracy);
                json!({"agent": agent.name, "model": model, "prices": prices, "predicted_to_billed": ratio,
                    "note": note})
            })
            .collect(),
        rules: rules.iter().map(role_rules).collect(),
        loops: loops.iter().map(looped).collect(),
        orchestration_tokens: 0,
        r1_deferred_reason: deferred.as_deref(),
        warnings,
        notes,
    }
}

/// A line for each feature.
#[derive(Serialize)]
pub(super) struct FeaturesJson<'a> {
    v: u16,
    features: Vec<Value>,
    total: Value,
    orchestration_tokens: u64,
    warnings: &'a [Warning],
}

pub(super) fn features<'a>(
    features: &[(Scope, RowStatus, Costs, bool)],
    warnings: &'a [Warning],
) -> FeaturesJson<'a> {
    let mut total = Sum::default();
    features.iter().for_each(|(_, _, costs, _)| total.add(&costs.sum));
    let line = |(scope, status, costs, rehearsed): &(Scope, RowStatus, Costs, bool)| json!({"feature": scope.to_string(), "slug": costs.slug, "status": status.name, "rehearsed": rehearsed, "sum": sum(&costs.sum)});
    FeaturesJson {
        v: 1,
        features: features.iter().map(line).collect(),
        total: sum(&total),
        orchestration_tokens: 0,
        warnings,
    }
}

/// `rehearsal`, `free`, `listed`, `assumed` (the most expensive of all cards) or `missing`.
fn basis(price: &Price) -> &'static str {
    match price {
        Price::Rehearsal(_) => "rehearsal",
        Price::Free { .. } => "free",
        Price::Listed { .. } => "listed",
        Price::Assumed => "assumed",
        Price::Untold => "untold",
        Price::Missing(_) => "missing",
    }
}

pub(super) fn accuracy(accuracy: &Accuracy) -> Value {
    let Accuracy { dispatches, money, predicted, billed } = accuracy;
    let unit = if *money { "micro_usd" } else { "tokens_not_cached" };
    json!({"percent": accuracy.percent(), "dispatches": dispatches, "unit": unit, "predicted": predicted,
        "billed": billed})
}

fn sum(sum: &Sum) -> Value {
    let predicted = (sum.predicted > 0).then_some(sum.prediction.cost);
    let money = sum.money();
    json!({
        "dispatches": sum.dispatches, "failed": sum.failed, "lost": sum.lost,
        "tokens": tokens(&sum.billed), "billed_micro_usd": sum.billed.cost,
        "spent_micro_usd": money.spent, "covered_micro_usd": money.covered, "login_micro_usd": money.login,
        "unknown_bills": sum.unknown, "reserved_for_unknown_micro_usd": sum.reserved,
        "counted_micro_usd": money.counted(),
        "predicted_dispatches": sum.predicted, "predicted_micro_usd": predicted,
    })
}

/// Tokens by price class, and the share of the input that was read from the cache.
pub(super) fn tokens(usage: &Usage) -> Value {
    json!({"uncached": usage.uncached, "written": usage.written, "read": usage.read, "output": usage.output,
        "hit_percent": hit_percent(usage)})
}

pub(super) fn dispatch(one: &Dispatch) -> Value {
    let billed = one.billed();
    let bill = match one.bill {
        Bill::UnderWay => one.end,
        Bill::Known(_) if one.corrected => "corrected",
        Bill::Known(_) => "known",
        Bill::Unknown { .. } => "unknown",
    };
    json!({
        "ticket": one.ticket, "agent": one.agent, "player": one.player, "strategy": one.strategy().name(), "end": one.end,
        "prompt_chars": one.prompt_chars, "bill": bill, "tokens": billed.map(tokens),
        "billed_micro_usd": billed.map(|usage| usage.cost), "reserved_micro_usd": one.reserved,
        "payment": one.payment, "unknown_micro_usd": one.money().unknown,
        "prediction": one.prediction().map(prediction),
    })
}

pub(super) fn prediction(one: &Prediction) -> Value {
    let alternatives: Vec<Value> = one
        .alternatives
        .iter()
        .map(|other| {
            let mut value = estimate(&other.usage);
            value.insert("strategy".to_owned(), json!(other.strategy.name()));
            value.insert("later_micro_usd".to_owned(), json!(other.later));
            Value::Object(value)
        })
        .collect();
    let mut value = estimate(&one.usage);
    value.insert("estimate".to_owned(), json!(true));
    value.insert("later_micro_usd".to_owned(), json!(one.later));
    value.insert("card".to_owned(), json!(one.card));
    value.insert("hit_rate_percent".to_owned(), json!(u64::from(one.hit_rate) * 100 / u64::from(CERTAIN)));
    value.insert("since_s".to_owned(), json!(one.since_s));
    value.insert("alternatives".to_owned(), json!(alternatives));
    Value::Object(value)
}

fn estimate(usage: &Usage) -> Map<String, Value> {
    Map::from_iter([("tokens".to_owned(), tokens(usage)), ("micro_usd".to_owned(), json!(usage.cost))])
}

fn role_rules(one: &RoleRules) -> Value {
    let rule = |rule: &MeasureOfRole| {
        let MeasureOfRole { measure, resumed, longer, worst, five_resumed, five_fresh } = rule;
        json!({
            "measure": measure.name(), "resumed": resumed,
            "nfr1": {"met": rule.is_shorter(), "not_shorter": longer, "worst": worst.0, "its_first": worst.1},
            "nfr3": {"met": rule.is_under_half(), "five_rounds": five_resumed, "five_fresh": five_fresh},
        })
    };
    let rules: Vec<Value> = one.rules.iter().map(rule).collect();
    json!({"role": one.role, "rules": rules})
}

fn looped(one: &Loop) -> Value {
    match &one.replay {
        Err(why) => json!({"loop": one.name, "reviews": one.reviews, "no_savings_claimed": why}),
        Ok(replay) => {
            let Replay { model, ttl, hit_rate, free, billed, own, others } = replay;
            let hit = u64::from(*hit_rate) * 100 / u64::from(CERTAIN);
            let played = |one: &Replayed| {
                let usd = (!free).then_some(one.usage.cost);
                json!({"policy": one.name(), "micro_usd": usd, "tokens_not_cached": not_cached(&one.usage),
                    "tokens": tokens(&one.usage)})
            };
            let others: Vec<Value> = others.iter().map(played).collect();
            json!({"loop": one.name, "reviews": one.reviews, "estimate": true, "model": model, "ttl": ttl,
                "hit_rate_percent": hit, "billed_micro_usd": (!free).then_some(billed.cost),
                "billed_tokens": tokens(billed), "as_sent": played(own), "others": others})
        }
    }
}
