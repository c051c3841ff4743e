//! All features on one page, with how rounds, costs and findings developed.

use super::feature::chip;
use super::limits::left_out;
use super::{BYTES_MAX, MADE_BY};
use crate::html::page;
use crate::html::plot::columns;
use crate::view::Overview;
use maud::{Markup, html};
use redraft_facts::findings::Status;
use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line, utc};
use redraft_facts::usage::Usd;
use redraft_facts::verdict::Severity;

/// A feature with the page of its own, where one was written beside the index.
pub struct Listed {
    pub overview: Overview,
    pub file: Option<String>,
}

/// The page. `called` names the repository.
pub fn index(called: &str, features: &[Listed]) -> String {
    let title = format!("Features of {called}");
    let drawn = |max: usize| page(&title, MADE_BY, "", &body(&title, features, max));
    // The newest are kept where there are too many.
    let maxima = [features.len(), 400, 200, 100, 50, 20];
    let fitting = maxima.into_iter().map(drawn).find(|page| page.len() <= BYTES_MAX);
    fitting.unwrap_or_else(|| drawn(5))
}

fn body(title: &str, features: &[Listed], max: usize) -> Markup {
    let from = features.len().saturating_sub(max);
    let shown = &features[from..];
    html! {
        header { h1 { (title) } p.quiet { (summary(features)) } }
        main {
            @if let Some(more) = left_out(features.len(), max, "older feature") {
                p.cut { (more) ", so that this page stays small." }
            }
            section id="features" { h2 { "Features" } (table(shown)) }
            @if shown.len() > 1 { section id="trends" { h2 { "Trends" } (trends(shown)) } }
            (kinds(shown))
            (lessons(shown))
        }
        footer { "Made from the ledger by redraft. This page loads nothing and runs nothing." }
    }
}

fn summary(features: &[Listed]) -> String {
    let waiting = features.iter().filter(|one| one.overview.row.waits_for_you).count();
    let waits = match waiting {
        0 => "nothing waits for you".to_owned(),
        1 => "1 waits for you".to_owned(),
        some => format!("{some} wait for you"),
    };
    format!("{}; {waits}.", count(features.len(), "feature"))
}

fn table(features: &[Listed]) -> Markup {
    // What waits for a person first; among equals the newest.
    let mut sorted: Vec<&Listed> = features.iter().rev().collect();
    sorted.sort_by_key(|one| one.overview.row.standing.rank());
    html! {
        div.scroll tabindex="0" {
            table {
                thead {
                    tr { th { "Feature" } th { "Standing" } th.num { "Rounds" } th.num { "Findings" } th.num { "Billed" } th { "Last event" } }
                }
                tbody { @for one in sorted { (line(one)) } }
            }
        }
    }
}

fn line(listed: &Listed) -> Markup {
    const CHARS_MAX: usize = 140;
    let overview = &listed.overview;
    let sum = &overview.costs.sum;
    let open = overview.findings.iter().filter(|one| one.status == Status::Open).count();
    html! {
        tr {
            td {
                @match &listed.file {
                    Some(file) => a href=(file) { strong { (overview.row.name()) } },
                    None => strong { (overview.row.name()) },
                }
                br; span.quiet.small { (one_line(&overview.row.idea, CHARS_MAX)) }
            }
            td { (chip(&overview.row)) }
            td.num { (overview.rounds()) }
            td.num { (overview.findings.len()) @if open > 0 { " (" (open) " open)" } }
            td.num {
                (sum.spent_micro_usd)
                @if sum.unknown_micro_usd > Usd(0) { br; span.warn { "at most " (sum.unknown_micro_usd) " more" } }
            }
            td.small.quiet { (utc(overview.row.updated_ms)) }
        }
    }
}

fn trends(features: &[Listed]) -> Markup {
    let plot = |name: &str, of: &dyn Fn(&Overview) -> u64, shown: &dyn Fn(u64) -> String| {
        let amounts: Vec<u64> = features.iter().map(|one| of(&one.overview)).collect();
        let most = amounts.iter().copied().max().unwrap_or(0);
        let last = amounts.last().copied().unwrap_or(0);
        let told = format!("{} at most, {} in the last feature", shown(most), shown(last));
        html! {
            @if most > 0 {
                div { h3 { (name) } (columns(&amounts, &format!("{name}: {told}"))) p.small.quiet { (told) } }
            }
        }
    };
    let number = |amount: u64| amount.to_string();
    let of = |severity: Severity| {
        move |overview: &Overview| {
            overview.findings.iter().filter(|one| one.severity == severity).count() as u64
        }
    };
    html! {
        p.quiet { "One column for each feature, the oldest on the left." }
        div.trends {
            (plot("Review rounds", &|one| u64::from(one.rounds()), &number))
            (plot("Billed", &|one| one.costs.sum.spent_micro_usd.0, &|amount| Usd(amount).to_string()))
            (plot("Blockers found", &of(Severity::Blocker), &number))
            (plot("Warnings found", &of(Severity::Warning), &number))
            (plot("Lessons learned", &|one| one.lessons.len() as u64, &number))
        }
    }
}

/// Which kinds of findings occur most.
fn kinds(features: &[Listed]) -> Markup {
    const KINDS_MAX: usize = 25;
    const CHARS_MAX: usize = 80;
    let mut kinds: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for one in features.iter().flat_map(|one| &one.overview.findings) {
        let name = if one.category.trim().is_empty() { "not named" } else { one.category.trim() };
        kinds.entry(one_line(name, CHARS_MAX)).or_default()[2 - one.severity as usize] += 1;
    }
    let mut kinds: Vec<(String, [usize; 3])> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, counts)| core::cmp::Reverse(counts.iter().sum::<usize>()));
    html! {
        @if !kinds.is_empty() {
            section id="kinds" {
                h2 { "Findings by kind" }
                div.scroll tabindex="0" {
                    table {
                        thead { tr { th { "Kind" } th.num { "Blockers" } th.num { "Warnings" } th.num { "Suggestions" } } }
                        tbody {
                            @for (kind, counts) in kinds.iter().take(KINDS_MAX) {
                                tr { td { (kind) } @for number in counts { td.num { (number) } } }
                            }
                        }
                    }
                }
                @if let Some(more) = left_out(kinds.len(), KINDS_MAX, "kind") { p.cut { (more) "." } }
            }
        }
    }
}

fn lessons(features: &[Listed]) -> Markup {
    const LESSONS_MAX: usize = 100;
    const CHARS_MAX: usize = 160;
    let all: Vec<(&str, &String)> = features
        .iter()
        .rev()
        .flat_map(|one| one.overview.lessons.iter().map(|lesson| (one.overview.row.id.as_str(), lesson)))
        .collect();
    html! {
        @if !all.is_empty() {
            section id="lessons" {
                h2 { "Lessons" }
                ul { @for (id, lesson) in all.iter().take(LESSONS_MAX) { li { (one_line(lesson, CHARS_MAX)) " " span.quiet { "(" (id) ")" } } } }
                @if let Some(more) = left_out(all.len(), LESSONS_MAX, "lesson") { p.cut { (more) "." } }
            }
        }
    }
}
