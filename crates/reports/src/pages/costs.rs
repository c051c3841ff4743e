//! What a feature cost, as plots: by phase, by role, by round with its prediction, and what came from the cache.

use super::limits::{PageLimits, left_out};
use crate::html::plot::{Part, bar};
use crate::view::{BilledRound, Overview, Spending};
use maud::{Markup, html};
use redraft_facts::prelude::*;
use redraft_facts::text::count;
use redraft_facts::usage::{Usage, Usd, grouped};

/// What bars measure: dollars, or tokens where nothing costs any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Money,
    Tokens,
}

impl Measure {
    fn value_in(&self, usage: &Usage) -> u64 {
        match self {
            Measure::Money => usage.cost.0,
            Measure::Tokens => usage.input().saturating_add(usage.output),
        }
    }

    /// What is known of it.
    fn known(self) -> &'static str {
        match self {
            Measure::Money => "billed",
            Measure::Tokens => "used",
        }
    }

    fn shown(self, amount: u64) -> String {
        match self {
            Measure::Money => Usd(amount).to_string(),
            Measure::Tokens => format!("{} tokens", grouped(amount)),
        }
    }
}

pub fn costs(overview: &Overview, limits: &PageLimits) -> Option<Markup> {
    let costs = &overview.costs;
    if costs.sum.dispatches == 0 {
        return None;
    }
    let money = costs.sum.counted() > Usd(0) || costs.sum.prediction.cost > Usd(0);
    let measure = if money { Measure::Money } else { Measure::Tokens };
    let phases: Vec<(String, &Spending)> = costs
        .phases
        .iter()
        .filter(|phase| phase.sum.dispatches > 0)
        .map(|phase| (named(phase.phase.name(), phase.pass), &phase.sum))
        .collect();
    let roles = costs.roles();
    let roles: Vec<(String, &Spending)> = roles.iter().map(|(role, sum)| (role.to_string(), sum)).collect();
    Some(html! {
        (sums(overview))
        h3 { "By phase" } (key(measure)) (table(&phases, measure, limits))
        h3 { "By role" } (table(&roles, measure, limits))
        h3 { "By round, with what was predicted" } (rounds(overview, measure, limits))
        (cache(&roles, limits))
    })
}

fn named(phase: &str, pass: u16) -> String {
    if pass > 1 { format!("{phase}, pass {pass}") } else { phase.to_owned() }
}

/// The sums in words. What is reserved or unknown is never called spent.
fn sums(overview: &Overview) -> Markup {
    let costs = &overview.costs;
    let sum = &costs.sum;
    let zero = Usd(0);
    html! {
        ul.plain {
            li { "billed: " strong { (sum.spent_micro_usd) } ", " (count(sum.dispatches as usize, "dispatch"))
                @if sum.failed + sum.lost > 0 { " (" (sum.failed) " failed, " (sum.lost) " lost)" } }
            @if sum.covered_micro_usd > zero { li { "covered by a subscription, at list prices: " (sum.covered_micro_usd) } }
            @if sum.login_micro_usd > zero { li { "through a login, covered if that is a subscription: " (sum.login_micro_usd) } }
            @if sum.unknown_micro_usd > zero {
                li { "unknown: at most " (sum.unknown_micro_usd) " more (" (count(sum.unknown_bills as usize, "dispatch")) " without a bill)" }
            }
            @if costs.reserved_micro_usd > zero { li { "reserved for what is under way, not spent: " (costs.reserved_micro_usd) } }
            @if sum.hosts > 0 { li { (count(sum.hosts as usize, "dispatch")) " done by hosts, which do not say what they cost" } }
            @if let Some(budget) = overview.budget_micro_usd { li { "budget: " (budget) } }
            @if sum.tokens.input() > 0 {
                li { (grouped(sum.tokens.input())) " tokens in, " (grouped(sum.tokens.read)) " of them from the cache; "
                    (grouped(sum.tokens.output)) " tokens out" }
            }
        }
    }
}

fn key(measure: Measure) -> Markup {
    html! {
        @if measure == Measure::Money {
            p.small.quiet {
                span.key.a {} "billed" span.key.b {} "covered by a subscription or login" span.key.c {} "unknown, at most"
            }
        }
    }
}

fn parts(sum: &Spending, measure: Measure) -> Vec<Part> {
    let part = |class, amount| Part { class, amount };
    match measure {
        Measure::Money => vec![
            part("a", sum.spent_micro_usd.0),
            part("b", (sum.covered_micro_usd + sum.login_micro_usd).0),
            part("c", sum.unknown_micro_usd.0),
        ],
        Measure::Tokens => vec![part("a", measure.value_in(&sum.tokens))],
    }
}

fn amount(sum: &Spending, measure: Measure) -> u64 {
    match measure {
        Measure::Money => sum.counted().0,
        Measure::Tokens => measure.value_in(&sum.tokens),
    }
}

/// What is known, and in a line each what comes on top of it: covered, or unknown and at most so much.
fn in_words(sum: &Spending, measure: Measure) -> (String, Vec<String>) {
    let mut more = Vec::new();
    match measure {
        Measure::Money => {
            let line = sum.money().in_a_line();
            let mut parts = line.split(" + ").map(str::to_owned);
            let billed = parts.next().unwrap_or_default();
            more.extend(parts);
            (billed, more)
        }
        Measure::Tokens => {
            if sum.unknown_bills > 0 {
                more.push(format!("{} without a bill", count(sum.unknown_bills as usize, "dispatch")));
            }
            (measure.shown(measure.value_in(&sum.tokens)), more)
        }
    }
}

fn table(rows: &[(String, &Spending)], measure: Measure, limits: &PageLimits) -> Markup {
    let most = rows.iter().map(|(_, sum)| amount(sum, measure)).max().unwrap_or(0);
    html! {
        div.scroll tabindex="0" {
            table {
                tbody {
                    @for (name, sum) in rows.iter().take(limits.rows) {
                        @let (known, more) = in_words(sum, measure);
                        @let told = more.iter().fold(format!("{name}: {known}"), |told, part| format!("{told} + {part}"));
                        tr {
                            td { (name) }
                            td.num { (sum.dispatches) "×" }
                            td.bar { (bar(&parts(sum, measure), None, most, &told)) }
                            td.num { (known) @for part in &more { br; span.quiet.small { "+ " (part) } } }
                        }
                    }
                }
            }
        }
    }
}

fn rounds(overview: &Overview, measure: Measure, limits: &PageLimits) -> Markup {
    let all = overview.costs.rounds();
    let billed = |one: &BilledRound| one.billed.as_ref().map_or(0, |usage| measure.value_in(usage));
    let at_most = |one: &BilledRound| if measure == Measure::Money { one.at_most_micro_usd.0 } else { 0 };
    // What was predicted in tokens alone is no prediction of nothing.
    let predicted = |one: &BilledRound| {
        one.predicted.as_ref().map(|usage| measure.value_in(usage)).filter(|amount| *amount > 0)
    };
    let most = all.iter().map(|(_, _, one)| (billed(one) + at_most(one)).max(predicted(one).unwrap_or(0)));
    let most = most.max().unwrap_or(0);
    let word = |one: &BilledRound| match one.billed {
        Some(_) if at_most(one) > 0 => {
            format!("{} + at most {} unknown", measure.shown(billed(one)), measure.shown(at_most(one)))
        }
        Some(_) => measure.shown(billed(one)),
        None if at_most(one) > 0 => format!("at most {}", measure.shown(at_most(one))),
        None => "not known".to_owned(),
    };
    let guess = |one: &BilledRound| predicted(one).map(|amount| format!("~{}", measure.shown(amount)));
    html! {
        p.small.quiet {
            span.key.a {} (measure.known())
            @if measure == Measure::Money { span.key.c {} "unknown, at most" }
            span.key.m {} "predicted"
        }
        div.scroll tabindex="0" {
            table {
                thead { tr { th { "Role" } th { "Round" } td.bar {} th.num { (measure.known()) } th.num { "predicted" } } }
                tbody {
                    @for (phase, role, one) in all.iter().take(limits.rows) {
                        tr {
                            td { (role) br; span.quiet.small { (named(phase.phase.name(), phase.pass)) } }
                            td { (one.name()) br; span.quiet.small { (one.strategy) ", " (one.end) } }
                            td.bar {
                                (bar(
                                    &[Part { class: "a", amount: billed(one) }, Part { class: "c", amount: at_most(one) }],
                                    predicted(one),
                                    most,
                                    &format!("{}: {}", one.name(), word(one)),
                                ))
                            }
                            td.num { (word(one)) }
                            td.num.quiet { (guess(one).unwrap_or_default()) }
                        }
                    }
                }
            }
        }
        @if let Some(more) = left_out(all.len(), limits.rows, "round") { p.cut { (more) ", so that this page stays small." } }
    }
}

/// Where the input came from. Only where a bill says it.
fn cache(roles: &[(String, &Spending)], limits: &PageLimits) -> Markup {
    let roles: Vec<_> = roles.iter().filter(|(_, sum)| sum.tokens.input() > 0).collect();
    let most = roles.iter().map(|(_, sum)| sum.tokens.input()).max().unwrap_or(0);
    let percent = |usage: &Usage| usage.read.saturating_mul(100) / usage.input().max(1);
    html! {
        @if !roles.is_empty() {
            h3 { "Input read from the cache" }
            p.small.quiet { span.key.b {} "read from the cache" span.key.c {} "written to it" span.key.a {} "neither" }
            div.scroll tabindex="0" {
                table {
                    tbody {
                        @for (name, sum) in roles.into_iter().take(limits.rows) {
                            @let usage = &sum.tokens;
                            tr {
                                td { (name) }
                                td.bar {
                                    (bar(
                                        &[
                                            Part { class: "b", amount: usage.read },
                                            Part { class: "c", amount: usage.written },
                                            Part { class: "a", amount: usage.uncached },
                                        ],
                                        None,
                                        most,
                                        &format!("{name}: {} % of the input read from the cache", percent(usage)),
                                    ))
                                }
                                td.num { (grouped(usage.input())) " tokens" }
                                td.num { (percent(usage)) " %" }
                            }
                        }
                    }
                }
            }
        }
    }
}
