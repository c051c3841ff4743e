//! One feature as one page: what was asked, decided, written, found, built and paid.

use super::costs::costs;
use super::limits::{LEVELS, PageLimits};
use super::sections::{checks, decisions, documents, findings, phases, tasks, timeline, trace, under_way};
use super::source::Source;
use super::{BYTES_MAX, MADE_BY};
use crate::html::{page, paragraphs};
use crate::projections::BoardRow;
use crate::standing::Standing;
use crate::view::Overview;
use maud::{Markup, html};
use redraft_facts::findings::Status;
use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line, span, utc};
use redraft_facts::usage::Usd;

/// The page, cut as far as it must be to have at most [`BYTES_MAX`] bytes.
pub fn feature(source: &Source<'_>) -> String {
    let drawn = |limits: &PageLimits| page(&title(source.overview), MADE_BY, "", &body(source, limits));
    let mut pages = LEVELS.iter().map(drawn);
    let fits = |page: &String| page.len() <= BYTES_MAX;
    let first = pages.find(fits);
    // The tightest level is far below the limit, whatever the feature holds: a test says so.
    first.unwrap_or_else(|| {
        page(&title(source.overview), MADE_BY, "", &html! { p { "too large to be shown" } })
    })
}

/// What was asked, where that is short enough for a heading.
pub fn title(overview: &Overview) -> String {
    const CHARS_MAX: usize = 100;
    let row = &overview.row;
    match row.subject() {
        Some(subject) => format!("Review of {}", one_line(&subject, CHARS_MAX)),
        None if is_a_heading(&row.idea) => format!("{} {}", row.id, row.idea.trim()),
        None => row.name(),
    }
}

/// Whether what was asked is short enough to be one.
pub fn is_a_heading(idea: &str) -> bool {
    const CHARS_MAX: usize = 100;
    let idea = idea.trim();
    !idea.is_empty() && !idea.contains('\n') && idea.chars().count() <= CHARS_MAX
}

fn body(source: &Source<'_>, limits: &PageLimits) -> Markup {
    let overview = source.overview;
    let row = &overview.row;
    let is_cut_off = overview.under_way.iter().all(|one| one.is_cut_off);
    // Each with its heading; one that is empty is left out, in the list of contents as well.
    let parts: Vec<(&str, &str, Option<Markup>)> = vec![
        ("phases", "Phases", phases(overview)),
        ("under-way", if is_cut_off { "Cut off" } else { "Under way" }, under_way(overview)),
        ("decisions", "Who decided what", decisions(overview, limits)),
        ("findings", "Findings, and what became of them", findings(overview, limits)),
        ("documents", "Documents", documents(source, limits)),
        ("tasks", "Tasks", tasks(overview, limits)),
        ("checks", "Checks", checks(overview, limits)),
        ("trace", "Trace", source.trace.and_then(|matrix| trace(matrix, limits))),
        ("costs", "Costs", costs(overview, limits)),
        ("time", "Time line", timeline(overview, limits)),
    ];
    let parts = || parts.iter().filter_map(|(id, name, part)| Some((id, name, part.as_ref()?)));
    html! {
        header {
            h1 { (title(overview)) }
            p { (chip(row)) }
            @if row.subject().is_none() && !is_a_heading(&row.idea) { (paragraphs(&limits.text(&row.idea))) }
            p.quiet.small {
                "begun " (utc(overview.begun_ms)) ", last event " (utc(row.updated_ms))
                @if !row.branch.is_empty() { ", branch " code { (row.branch) } }
                @if row.subject().is_none() { ", lane " (row.lane) }
            }
            nav aria-label="Contents" { @for (id, name, _) in parts() { a href=(format!("#{id}")) { (name) } " " } }
        }
        main {
            @if let Some(question) = &row.question {
                div.you {
                    strong { "Waiting for you" }
                    (paragraphs(&limits.text(question)))
                    p.small { "Choices: " (row.choices.join(", ")) ". Next: " code { (row.next) } }
                }
            }
            @if let Some(rehearsal) = &overview.rehearsal { p.warn { (rehearsal) } }
            @if *limits != LEVELS[0] {
                p.cut {
                    "This feature is large. Long texts end in […], and where a list is cut, it says so. All of it: "
                    code { "redraft report " (row.scope()) " --json" }
                }
            }
            (tiles(overview))
            @for (id, name, part) in parts() {
                section id=(id) { h2 { (name) } (part) }
            }
        }
        footer { "Made from the ledger by redraft. This page loads nothing and runs nothing." }
    }
}

/// Where it stands, in a colour and in words.
pub fn chip(row: &BoardRow) -> Markup {
    let class = match &row.standing {
        standing if standing.waits_for_you() => "warn",
        Standing::Abandoned => "bad",
        Standing::ReadyToMerge | Standing::Merged | Standing::Done => "good",
        _ => "quiet",
    };
    html! { span class=(format!("chip {class}")) { (row.standing_in_words()) } }
}

/// The sums of a feature, side by side.
pub fn tiles(overview: &Overview) -> Markup {
    let row = &overview.row;
    let with = |status: Status| overview.findings.iter().filter(|one| one.status == status).count();
    let sum = &overview.costs.sum;
    let whole_ms = row.updated_ms.saturating_sub(overview.begun_ms).max(0) as u64;
    let at_most = sum.unknown_micro_usd + overview.costs.reserved_micro_usd;
    html! {
        div.tiles {
            div { b { (row.done.len()) " of " (row.phases.len()) } span { "phases done" } }
            div { b { (overview.rounds()) } span { "review rounds" } }
            div {
                b { (overview.findings.len()) }
                span { "findings: " (with(Status::Fixed)) " fixed, " (with(Status::Open)) " open" }
            }
            @if let Some(tasks) = &row.tasks {
                div { b { (tasks.done) " of " (tasks.total) } span { (tasks.beside_done()) } }
            }
            div {
                b { (sum.spent_micro_usd) }
                span {
                    "billed, " (count(sum.dispatches as usize, "dispatch"))
                    @if at_most > Usd(0) { "; at most " (at_most) " more is unknown or reserved" }
                }
            }
            div { b { (span(whole_ms)) } span { "from first to last event" } }
        }
    }
}
