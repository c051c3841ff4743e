//! The first page of a feature, and what all of its pages begin with.

use super::time::line;
use crate::ui::site::{Part, address};
use maud::{Markup, html};
use redraft_facts::text::utc;
use redraft_facts::ticket::Scope;
use redraft_reports::html::paragraphs;
use redraft_reports::pages::PageLimits;
use redraft_reports::pages::parts::{chip, decisions, is_a_heading, phases, tiles, title};
use redraft_reports::view::{DispatchView, Overview};

/// The links to its pages. A review has neither tasks nor a trace.
pub(in crate::ui) fn nav(scope: &Scope, at: Part) -> Markup {
    let is_feature = matches!(scope, Scope::Feature(_));
    let shown = Part::ALL.into_iter().filter(|part| is_feature || !matches!(part, Part::Tasks | Part::Trace));
    html! {
        @for part in shown {
            a href=(address(scope, part)) aria-current=[(part == at).then_some("page")] { (part.title()) }
            " "
        }
    }
}

/// What it is and where it stands.
pub(in crate::ui) fn head(overview: &Overview) -> Markup {
    let row = &overview.row;
    html! {
        h1 { (title(overview)) }
        p { (chip(row)) }
        p.quiet.small {
            "begun " (utc(overview.begun_ms)) ", last event " (utc(row.updated_ms))
            @if !row.branch.is_empty() { ", branch " code { (row.branch) } }
            @if row.subject().is_none() { ", lane " (row.lane) }
        }
        @if let Some(rehearsal) = &overview.rehearsal { p.small.warn { (rehearsal) } }
    }
}

/// The parts of its first page, between the question and the form for comments.
pub(in crate::ui) fn parts(overview: &Overview) -> Vec<(String, Markup)> {
    const DECISIONS_MAX: usize = 8;
    const HAPPENINGS_MAX: usize = 8;
    let row = &overview.row;
    let scope = row.scope();
    let limits = PageLimits::GENEROUS;
    let mut parts: Vec<(String, Markup)> = Vec::new();
    let mut add = |id: &str, heading: &str, part: Option<Markup>| {
        parts.extend(part.map(|part| (id.to_owned(), html! { h2 { (heading) } (part) })));
    };
    if row.subject().is_none() && !is_a_heading(&row.idea) {
        add("asked", "What was asked", Some(paragraphs(&limits.text(&row.idea))));
    }
    let is_cut_off = overview.under_way.iter().all(|one| one.is_cut_off);
    let heading = if is_cut_off { "Cut off" } else { "Under way" };
    add("under-way", heading, under_way(&overview.under_way));
    add("sums", "In numbers", Some(tiles(overview)));
    add("phases", "Phases", phases(overview));
    let last: Vec<_> =
        overview.timeline.iter().rev().filter(|one| !one.is_detail).take(HAPPENINGS_MAX).collect();
    let happened = html! {
        ol.time { @for one in last { (line(one)) } }
        p.small { a href=(address(&scope, Part::Time)) { "The whole time line" } }
    };
    add("last", "What happened last", Some(happened));
    let few = PageLimits { decisions: DECISIONS_MAX, ..limits };
    let newest = Overview {
        decisions: overview.decisions.iter().rev().take(DECISIONS_MAX).cloned().collect(),
        ..overview.clone()
    };
    let left = overview.decisions.len().saturating_sub(DECISIONS_MAX);
    let decided = decisions(&newest, &few).map(|part| {
        html! {
            (part)
            @if left > 0 { p.cut { (left) " older ones: " code { "redraft log " (scope) " --decisions" } } }
        }
    });
    add("decisions", "Who decided what", decided);
    add("next", "Next", Some(html! { p { code { (row.next) } } }));
    parts
}

/// What agents are doing, each with a clock that the script lets tick.
fn under_way(all: &[DispatchView]) -> Option<Markup> {
    (!all.is_empty()).then(|| {
        html! {
            ul.plain {
                @for one in all {
                    li {
                        strong { (one.role) } " " (one.purpose)
                        @if let Some(task) = &one.task { " of task " (task) }
                        ", " (one.by) ", since " (utc(one.since_ms)) " "
                        @if one.is_with_host { ", with a host until " (utc(one.expires_ms)) }
                        @if one.is_cut_off { ", cut off" }
                        @else { span.clock data-since=(one.since_ms) {} }
                        @if !one.doing.is_empty() { span.quiet { " " (one.doing) } }
                    }
                }
            }
        }
    })
}
