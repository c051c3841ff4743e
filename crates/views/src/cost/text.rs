//! The receipt for people. Every estimate has a `~` before it.

mod policies;

use super::{Billed, Feature, RowStatus};
use crate::table::{Align, table};
use policies::savings;
use redraft_core::attribution::in_words;
use redraft_core::bills::Bill;
use redraft_facts::choice::{Prediction, Strategy};
use redraft_facts::ids::Role;
use redraft_facts::text::count;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::{Money, Payment, Usage, Usd, grouped};
use redraft_reports::projections::costs::Driver;
use redraft_reports::projections::costs::{
    Accuracy, Costs, Dispatch, Measure, MeasureOfRole, PhaseCosts, RoleRules, Sum, hit_percent, not_cached,
};
use redraft_reports::projections::{ReceiptAgent, billed_apart};

const TOKENS: [&str; 5] = ["uncached", "written", "read", "output", "hit"];

/// As many as fit at a glance.
const DEAREST: usize = 3;

/// The sum and the most expensive roles; with `all` also every dispatch, what else was possible, and what resuming saved.
pub(super) fn feature(shown: &Feature, all: bool, command: &str) -> String {
    let Feature { status, costs, agents, rules, loops, notes, .. } = shown;
    let sum = billed_apart(&costs.sum.money(), costs.reserved(), costs.sum.hosts);
    let mut out = format!("{}, {}: {sum}\n{}", whom(shown), status.in_words(), sent(&costs.sum));
    out.push_str(&dearest(costs));
    out.push_str(&side_by_side(costs));
    out.push_str(&by_clone(costs));
    if all {
        for phase in &costs.phases {
            out.push_str(&phase_table(phase));
        }
        let parts = [attempts(costs), alternatives(costs, agents), resumed(rules), savings(loops)];
        parts.iter().for_each(|part| out.push_str(part));
    }
    let about: Vec<String> = agents
        .iter()
        .filter_map(|agent| agent.price.note(&agent.name))
        .chain(notes.iter().cloned())
        .chain(shown.receipt.notes.iter().filter(|_| all).cloned())
        .collect();
    let judges = in_words(&shown.judged_by);
    if !judges.is_empty() {
        out.push_str(&format!("\njudged by {judges}\n"));
    }
    let about = distinct(about);
    if !about.is_empty() {
        out.push_str(&format!("\n{}\n", about.join("\n")));
    }
    for ReceiptAgent { agent, player, dispatches } in shown.receipt.agents.iter().filter(|_| all) {
        let dispatches = count(*dispatches as usize, "dispatch");
        out.push_str(&format!("\nplayed by {}: {dispatches}\n", player.shown(agent)));
    }
    if !all {
        out.push_str(&format!("\nevery dispatch, and what else was possible: {command}\n"));
    }
    out
}

fn distinct(lines: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for line in lines {
        if !kept.contains(&line) {
            kept.push(line);
        }
    }
    kept
}

/// `43 dispatches: 123,456 tokens in, 70,000 of them read from a cache, and 5,000 out`.
fn sent(sum: &Sum) -> String {
    let [input, read, output] = [sum.billed.input(), sum.billed.read, sum.billed.output].map(grouped);
    let dispatches = count(sum.dispatches as usize, "dispatch");
    format!("{dispatches}: {input} tokens in, {read} of them read from a cache, and {output} out\n")
}

fn dearest(costs: &Costs) -> String {
    let roles = costs.by_role();
    if roles.is_empty() {
        return String::new();
    }
    let row = |(role, sum): &(&Role, Sum)| {
        let usage = &sum.billed;
        vec![
            format!("  {role}"),
            billed_sum(sum),
            count(sum.dispatches as usize, "dispatch"),
            format!("{} tokens in", grouped(usage.input())),
            format!("{} out", grouped(usage.output)),
        ]
    };
    let rows: Vec<Vec<String>> = roles.iter().take(DEAREST).map(row).collect();
    let head = if roles.len() > DEAREST { "the most expensive roles" } else { "by role" };
    format!(
        "{head}\n{}",
        table(&[Align::Left, Align::Right, Align::Right, Align::Right, Align::Right], &rows)
    )
}

/// What was paid because tasks were carried out side by side: work that was done again. What a smaller share of the
/// cache cost is not known.
fn side_by_side(costs: &Costs) -> String {
    let Some((all, again)) = costs.side_by_side() else { return String::new() };
    let sent = count(all.dispatches as usize, "dispatch");
    match again.dispatches {
        0 => format!("tasks side by side: {sent}; no task came back from the queue\n"),
        number => format!(
            "tasks side by side: {sent}, {number} of them because a task came back from the queue: {}, {} tokens in\n",
            billed_sum(&again),
            grouped(again.billed.input())
        ),
    }
}

/// What a shared feature cost in each clone that drove it.
fn by_clone(costs: &Costs) -> String {
    let line = |(who, sum): &(Driver, Sum)| {
        let dispatches = count(sum.dispatches as usize, "dispatch");
        format!("  {}: {}, {dispatches}\n", who.in_words(), billed_sum(sum))
    };
    match costs.by_clone().as_slice() {
        [] => String::new(),
        clones => format!("by clone\n{}", clones.iter().map(line).collect::<String>()),
    }
}

/// The scope of these costs.
fn whom(shown: &Feature) -> String {
    match &shown.document {
        Some(document) => format!("{} of {document}", shown.scope),
        None => format!("feature {} {}", shown.scope, shown.costs.slug),
    }
}

pub(super) fn features(features: &[(Scope, RowStatus, Costs, bool)]) -> String {
    let mut rows = vec![head(&["feature", "", "dispatches"], &["predicted", "billed"])];
    let mut total = Sum::default();
    for (scope, status, costs, _) in features {
        total.add(&costs.sum);
        let name = format!("{scope} {}", costs.slug);
        rows.push(sum_row(
            vec![name, status.in_short().to_owned(), grouped(costs.sum.dispatches.into())],
            &costs.sum,
        ));
    }
    rows.push(sum_row(vec!["total".to_owned(), String::new(), grouped(total.dispatches.into())], &total));
    let mut columns = vec![Align::Left, Align::Left];
    columns.extend([Align::Right; 8]);
    let more = "more about one: redraft cost FEATURE";
    let reserved = features.iter().fold(Usd(0), |sum, (_, _, costs, _)| sum + costs.reserved());
    let sum = billed_apart(&total.money(), reserved, total.hosts);
    format!("total: {sum}\n{}\n{more}\n", table(&columns, &rows))
}

fn head(before: &[&str], after: &[&str]) -> Vec<String> {
    [before, TOKENS.as_slice(), after].concat().into_iter().map(str::to_owned).collect()
}

fn phase_table(phase: &PhaseCosts) -> String {
    let PhaseCosts { phase: name, pass, policy, sum, roles, .. } = phase;
    let mut rows = vec![head(&["", "how"], &["predicted", "billed", "end"])];
    for role in roles {
        rows.push(sum_row(vec![role.role.to_string(), String::new()], &role.sum));
        rows.extend(role.dispatches.iter().map(dispatch_row));
    }
    if roles.len() > 1 {
        rows.push(sum_row(vec!["sum".to_owned(), String::new()], sum));
    }
    let mut columns = vec![Align::Left, Align::Left];
    columns.extend([Align::Right; 7]);
    columns.push(Align::Left);
    format!("\n{name}, pass {pass}, policy {}\n{}", policy.name(), table(&columns, &rows))
}

fn sum_row(mut before: Vec<String>, sum: &Sum) -> Vec<String> {
    before.extend(tokens(Some(&sum.billed)));
    before.push(match (sum.predicted, sum.prediction.cost) {
        (0, _) => "not predicted".to_owned(),
        (_, Usd(0)) if sum.billed.cost > Usd(0) => "not in money".to_owned(),
        (some, cost) if some < sum.dispatches => format!("~{cost} ({some} of {})", sum.dispatches),
        (_, cost) => format!("~{cost}"),
    });
    before.push(billed_sum(sum));
    before
}

fn billed_sum(sum: &Sum) -> String {
    let Money { spent, covered, login, .. } = sum.money();
    let mut parts = vec![spent.to_string()];
    parts.extend((covered > Usd(0)).then(|| format!("{covered} covered")));
    parts.extend((login > Usd(0)).then(|| format!("{login} login")));
    parts.extend((sum.unknown > 0).then(|| format!("{} unknown", sum.unknown)));
    parts.join(" + ")
}

fn dispatch_row(dispatch: &Dispatch) -> Vec<String> {
    let mut row = vec![format!("  {}", dispatch.round()), dispatch.strategy().name().to_owned()];
    row.extend(tokens(dispatch.billed()));
    let paid = dispatch.billed().is_some_and(|usage| usage.cost > Usd(0));
    let predicted = |one: &Prediction| match paid && !in_money(one) {
        true => "not in money".to_owned(),
        false => format!("~{}", one.usage.cost),
    };
    row.push(dispatch.prediction().map_or("not predicted".to_owned(), predicted));
    row.push(match &dispatch.bill {
        Bill::UnderWay => String::new(),
        Bill::Known(usage) => known(usage.cost, dispatch),
        Bill::Unknown { .. } => "unknown".to_owned(),
    });
    row.push(dispatch.end.to_owned());
    row
}

/// A bill with its remark: who paid, or that it may not be all.
fn known(cost: Usd, dispatch: &Dispatch) -> String {
    match (dispatch.payment, dispatch.beyond) {
        _ if dispatch.corrected => format!("{cost} corrected"),
        (Payment::Subscription, Usd(0)) => format!("{cost} covered"),
        (Payment::Login, Usd(0)) => format!("{cost} login"),
        (Payment::Unknown | Payment::Key, Usd(0)) => cost.to_string(),
        _ => format!("{cost} + unknown"),
    }
}

fn tokens(usage: Option<&Usage>) -> [String; 5] {
    let Some(usage) = usage else { return ["-"; 5].map(str::to_owned) };
    let hit = hit_percent(usage).map_or("-".to_owned(), |percent| format!("{percent} %"));
    let [uncached, written, read, output] =
        [usage.uncached, usage.written, usage.read, usage.output].map(grouped);
    [uncached, written, read, output, hit]
}

fn attempts(costs: &Costs) -> String {
    let lost = |one: &&Dispatch| matches!(one.end, "failed" | "lost");
    let row = |one: &Dispatch| {
        let billed = match &one.bill {
            Bill::Known(usage) => format!("billed {}", usage.cost),
            Bill::Unknown { .. } => "bill unknown".to_owned(),
            Bill::UnderWay => String::new(),
        };
        let reserved = format!("reserved {}", one.reserved);
        vec![format!("  {}", one.name()), one.end.to_owned(), reserved, billed]
    };
    let rows: Vec<Vec<String>> = costs.dispatches().filter(lost).map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("\nattempts without a result\n{}", table(&[Align::Left; 4], &rows))
}

/// What each strategy was expected to cost in this dispatch alone.
fn alternatives(costs: &Costs, agents: &[Billed]) -> String {
    let predicted: Vec<(&Dispatch, &Prediction)> =
        costs.dispatches().filter_map(|one| Some((one, one.prediction()?))).collect();
    if predicted.is_empty() {
        return String::new();
    }
    let mut names = vec!["", "chosen"];
    names.extend(Strategy::ALL.map(Strategy::name));
    let mut rows = vec![names.into_iter().map(str::to_owned).collect::<Vec<String>>()];
    for (dispatch, prediction) in predicted {
        let money = in_money(prediction);
        let chosen = dispatch.strategy();
        let mut row = vec![format!("  {}", dispatch.name()), chosen.name().to_owned()];
        row.extend(Strategy::ALL.map(|strategy| {
            let other = prediction.alternatives.iter().find(|one| one.strategy == strategy);
            let usage =
                if strategy == chosen { Some(&prediction.usage) } else { other.map(|one| &one.usage) };
            usage.map_or("-".to_owned(), |usage| estimate(usage, money))
        }));
        rows.push(row);
    }
    let columns = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right];
    let mut out = format!(
        "\npredicted alternatives: estimates for the dispatch alone, in dollars, or in tokens not read from the \
            cache\n{}",
        table(&columns, &rows)
    );
    for agent in agents {
        if let Some(accuracy) = &agent.accuracy {
            out.push_str(&format!("  {}\n", ratio(&agent.name, accuracy)));
        }
    }
    out
}

/// Whether a prediction can be given in money.
pub(super) fn in_money(prediction: &Prediction) -> bool {
    let alternatives = prediction.alternatives.iter().map(|one| one.usage.cost);
    alternatives.chain([prediction.usage.cost]).any(|cost| cost > Usd(0))
}

pub(super) fn estimate(usage: &Usage, money: bool) -> String {
    if money { format!("~{}", usage.cost) } else { format!("~{}", grouped(not_cached(usage))) }
}

/// How far an agent's predictions can be trusted.
pub(super) fn ratio(agent: impl std::fmt::Display, accuracy: &Accuracy) -> String {
    let dispatches = count(accuracy.dispatches, "dispatch");
    let what = if accuracy.money { "bills" } else { "tokens not read from the cache" };
    match accuracy.percent() {
        Some(percent) => {
            let percent = grouped(percent);
            format!("{agent}: over {dispatches}, its predictions add up to {percent} % of its {what}")
        }
        None => format!("{agent}: nothing was billed for {dispatches} with a prediction"),
    }
}

fn resumed(rules: &[RoleRules]) -> String {
    if rules.is_empty() {
        return String::new();
    }
    let names = ["", "", "resumed", "first", "shorter", "five rounds", "five fresh", "share", "under half"];
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    for RoleRules { role, rules } in rules {
        // What was not counted in tokens was not paid for.
        let rules: Vec<&MeasureOfRole> =
            rules.iter().filter(|rule| rule.measure != Measure::Characters).collect();
        if rules.is_empty() {
            rows.push(vec![format!("  {role}"), "nothing was resumed".to_owned()]);
        }
        for (at, rule) in rules.iter().enumerate() {
            let name = if at == 0 { format!("  {role}") } else { String::new() };
            rows.push(rule_row(name, rule));
        }
    }
    let columns = [
        Align::Left,
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ];
    format!(
        "\nresumed prompts\n  shorter: each is shorter than the first of its conversation (the longest is shown)\n  under \
         half: five rounds, four of them resumed at the mean size, take less than half of five fresh ones\n{}",
        table(&columns, &rows)
    )
}

fn rule_row(name: String, rule: &MeasureOfRole) -> Vec<String> {
    let met = |met: bool| if met { "yes".to_owned() } else { "no".to_owned() };
    let share = (rule.five_resumed * 100).checked_div(rule.five_fresh).unwrap_or(0);
    vec![
        name,
        rule.measure.name().to_owned(),
        grouped(rule.worst.0),
        grouped(rule.worst.1),
        met(rule.is_shorter()),
        grouped(rule.five_resumed),
        grouped(rule.five_fresh),
        format!("{share} %"),
        met(rule.is_under_half()),
    ]
}
