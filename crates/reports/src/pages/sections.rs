//! The parts of a feature's page. Each gives nothing where there is nothing to show.

use super::limits::{PageLimits, left_out};
use super::source::Source;
use crate::html::paragraphs;
use crate::matrix::{self, Matrix, TableLimits};
use crate::view::{CheckView, DecisionView, FindingView, Overview, PhaseState, PhaseView};
use maud::{Markup, PreEscaped, html};
use redraft_facts::findings::Status;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line, span, utc};
use redraft_facts::verdict::Severity;

/// Something that was cut, in plain words.
fn cut(what: Option<String>) -> Markup {
    html! { @if let Some(what) = what { p.cut { (what) ", so that this page stays small." } } }
}

pub fn phases(overview: &Overview) -> Option<Markup> {
    let class = |phase: &PhaseView| match phase.state {
        PhaseState::Approved | PhaseState::Closed | PhaseState::Finished | PhaseState::Adopted => "done",
        PhaseState::Accepted => "ruled",
        PhaseState::Open => "now",
        PhaseState::Ahead | PhaseState::Skipped => "",
    };
    let all = &overview.phases_in_detail;
    (!all.is_empty()).then(|| {
        html! { ol.rail { @for phase in all { li class=(class(phase)) { (of_phase(phase)) } } } }
    })
}

fn of_phase(phase: &PhaseView) -> Markup {
    const NAMES_MAX: usize = 8;
    let took = phase.opened_ms.zip(phase.closed_ms).map(|(from, to)| span((to - from).max(0) as u64));
    html! {
        strong { (phase.phase) } ": " (phase.state.name())
        @if phase.pass > 1 { ", pass " (phase.pass) }
        @if phase.rounds_in_all > 0 { ", " (count(phase.rounds_in_all as usize, "review round")) }
        @if phase.findings > 0 {
            ", " (count(phase.findings as usize, "finding")) " (" (phase.open_findings) " open)"
        }
        @if let Some(took) = took { ", " (took) }
        @if !phase.written_by.is_empty() {
            div.quiet.small { "written by " (phase.written_by.iter().take(NAMES_MAX).cloned().collect::<Vec<_>>().join("; ")) }
        }
        @if !phase.reviewers.is_empty() {
            ul.plain.small {
                @for one in phase.reviewers.iter().take(NAMES_MAX) {
                    li { (one.role) ": " (one.standing) @if !one.by.is_empty() { span.quiet { " (" (one.by) ")" } } }
                }
            }
        }
    }
}

pub fn under_way(overview: &Overview) -> Option<Markup> {
    let all = &overview.under_way;
    (!all.is_empty()).then(|| {
        html! {
            ul.plain {
                @for one in all {
                    li {
                        strong { (one.role) } " " (one.purpose)
                        @if let Some(task) = &one.task { " of task " (task) }
                        ", " (one.by) ", since " (utc(one.since_ms))
                        @if one.is_with_host { ", with a host until " (utc(one.expires_ms)) }
                        @if one.is_cut_off { ", cut off" }
                        @if !one.doing.is_empty() { span.quiet { ": " (one.doing) } }
                    }
                }
            }
        }
    })
}

pub fn decisions(overview: &Overview, limits: &PageLimits) -> Option<Markup> {
    let all = &overview.decisions;
    let one = |one: &DecisionView| {
        html! {
            article {
                header {
                    strong { (one.by) }
                    span.chip.quiet {
                        (one.sort.name()) @if !one.choice.is_empty() { ": " (one.choice) }
                    }
                    span.quiet.small {
                        @if let Some(phase) = one.phase { (phase) ", " }
                        @if let Some(task) = &one.task { "task " (task) ", " }
                        (utc(one.at_ms))
                    }
                }
                @if !one.asked.is_empty() { blockquote { (paragraphs(&limits.text(&one.asked))) } }
                (paragraphs(&limits.text(&one.text)))
                @if !one.findings.is_empty() {
                    p.small.quiet { "about " (one_line(&one.findings.join(", "), 200)) }
                }
            }
        }
    };
    (!all.is_empty()).then(|| {
        html! {
            @for decision in all.iter().take(limits.decisions) { (one(decision)) }
            (cut(left_out(all.len(), limits.decisions, "decision")))
        }
    })
}

pub fn findings(overview: &Overview, limits: &PageLimits) -> Option<Markup> {
    // What is open first, then what is graver; the order of phases and rounds stays.
    let mut all: Vec<&FindingView> = overview.findings.iter().collect();
    all.sort_by_key(|one| (one.status != Status::Open, core::cmp::Reverse(one.severity)));
    let shown = &all[..all.len().min(limits.findings)];
    let of = |phase: Phase| shown.iter().filter(move |one| one.phase == phase);
    let phases: BTreeSet<Phase> = shown.iter().map(|one| one.phase).collect();
    (!all.is_empty()).then(|| {
        html! {
            p.quiet { (tally(&overview.findings)) }
            @for phase in phases {
                h3 { (phase) }
                @for one in of(phase) { (finding(one, limits)) }
            }
            (cut(left_out(all.len(), limits.findings, "finding")))
        }
    })
}

/// `3 blockers, 2 warnings; 4 fixed, 1 overruled`.
fn tally(all: &[FindingView]) -> String {
    let of = |severity| all.iter().filter(|one| one.severity == severity).count();
    let with = |status| all.iter().filter(|one| one.status == status).count();
    let kinds = [Severity::Blocker, Severity::Warning, Severity::Suggestion];
    let kinds = kinds.into_iter().filter(|kind| of(*kind) > 0).map(|kind| count(of(kind), kind.name()));
    let ends =
        [Status::Open, Status::Fixed, Status::Withdrawn, Status::Deferred, Status::Ruled, Status::Overruled];
    let ends =
        ends.into_iter().filter(|end| with(*end) > 0).map(|end| format!("{} {}", with(end), end.name()));
    format!("{}; {}.", kinds.collect::<Vec<_>>().join(", "), ends.collect::<Vec<_>>().join(", "))
}

/// One finding, whole.
pub fn finding(one: &FindingView, limits: &PageLimits) -> Markup {
    let severity = match one.severity {
        Severity::Blocker => "chip bad",
        Severity::Warning => "chip warn",
        Severity::Suggestion => "chip quiet",
    };
    let outcome = if one.status == Status::Open { "warn" } else { "good" };
    html! {
        article id=(format!("{}-{}", one.phase, one.id)) {
            header {
                strong { (one.id) }
                span class=(severity) { (one.severity.name()) }
                span class=(outcome) { (limits.text(&one.outcome)) }
                span.quiet.small {
                    @if one.is_comment { "comment of " (one.by) } @else { (one.role) ", round " (one.round) }
                    @if one.late { ", late" }
                }
            }
            (paragraphs(&limits.text(&one.description)))
            p.small.quiet {
                code { (limits.text(&one.place)) }
                @if !one.category.is_empty() { " · " (limits.text(&one.category)) }
                @if !one.by.is_empty() { " · raised by " (limits.text(&one.by)) }
            }
            @if !one.quote.trim().is_empty() { blockquote { p.text { (limits.text(&one.quote)) } } }
            @if !one.suggestion.trim().is_empty() { p.text { span.quiet { "Suggested: " } (limits.text(&one.suggestion)) } }
            @if let Some(why) = &one.unverified { p.small.warn { "not verified: " (limits.text(why)) } }
            @if !one.said.is_empty() {
                div.said {
                    @for (who, what) in &one.said { p.text { strong { (who) ": " } (limits.text(what)) } }
                }
            }
        }
    }
}

pub(super) fn documents(source: &Source<'_>, limits: &PageLimits) -> Option<Markup> {
    let all = source.documents;
    (!all.is_empty()).then(|| {
        html! {
            @for document in all {
                @let (text, lines) = limits.document(&document.text);
                details {
                    summary { (document.path) " " span.quiet.small { "(" (count(document.text.lines().count(), "line")) ")" } }
                    div.doc {
                        (PreEscaped((source.render)(text)))
                        @if lines > 0 { (cut(Some(format!("The last {} are left out", count(lines, "line"))))) }
                    }
                }
            }
        }
    })
}

pub fn tasks(overview: &Overview, limits: &PageLimits) -> Option<Markup> {
    const FILES_MAX: usize = 12;
    let all = &overview.tasks_in_detail;
    (!all.is_empty()).then(|| {
        html! {
            @for task in all.iter().take(limits.rows) {
                article {
                    header {
                        strong { (task.id) } span { (limits.text(&task.title)) }
                        span class=(if task.state == "skipped" { "chip warn" } else { "chip quiet" }) { (task.state) }
                    }
                    @if !task.why.is_empty() { p.text.warn { (limits.text(&task.why)) } }
                    @if !task.files.is_empty() || !task.checks.is_empty() {
                        p.small {
                            @for check in task.checks.iter().take(FILES_MAX) { (check_word(check)) " " }
                            @for file in task.files.iter().take(FILES_MAX) { code { (limits.text(file)) } " " }
                            @if let Some(more) = left_out(task.files.len(), FILES_MAX, "file") { span.quiet { (more) } }
                        }
                    }
                }
            }
            (cut(left_out(all.len(), limits.rows, "task")))
        }
    })
}

fn check_word(check: &CheckView) -> Markup {
    let class = if check.passed { "good" } else { "bad" };
    html! { span class=(class) { (one_line(&check.gate, 60)) " " (if check.passed { "passed" } else { "failed" }) } }
}

pub fn checks(overview: &Overview, limits: &PageLimits) -> Option<Markup> {
    let all = &overview.checks;
    (!all.is_empty()).then(|| {
        html! {
            p.quiet { "The last run of each check in each phase." }
            div.scroll tabindex="0" {
                table {
                    thead { tr { th { "Phase" } th { "Check" } th { "Result" } th { "What it said" } th.num { "Took" } } }
                    tbody {
                        @for check in all.iter().take(limits.rows) {
                            tr {
                                td { @if let Some(phase) = check.phase { (phase) } }
                                td {
                                    (limits.text(&check.gate))
                                    @if !check.command.is_empty() { br; code { (limits.text(&check.command)) } }
                                    @if !check.sandbox.is_empty() { br; span.quiet { "sandbox " (limits.text(&check.sandbox)) } }
                                }
                                td { span class=(if check.passed { "good" } else { "bad" }) { (if check.passed { "passed" } else { "failed" }) } }
                                td { (limits.text(&check.said)) }
                                td.num { @if check.wall_ms > 0 { (span(check.wall_ms)) } }
                            }
                        }
                    }
                }
            }
            (cut(left_out(all.len(), limits.rows, "check")))
        }
    })
}

pub fn trace(matrix: &Matrix, limits: &PageLimits) -> Option<Markup> {
    (!matrix.rows.is_empty()).then(|| {
        html! {
            p.quiet { (matrix.reached_in_words()) "." }
            (matrix::table(matrix, &TableLimits { rows: limits.rows, in_a_cell: limits.rows.min(40), chars: limits.text_chars }))
            (cut(left_out(matrix.rows.len(), limits.rows, "requirement")))
            @if !matrix.orphans.is_empty() {
                h3 { "Orphans" }
                (matrix::orphans(matrix, limits.rows))
                (cut(left_out(matrix.orphans.len(), limits.rows, "orphan")))
            }
        }
    })
}

pub(super) fn timeline(overview: &Overview, limits: &PageLimits) -> Option<Markup> {
    let all: Vec<_> = overview.timeline.iter().filter(|one| !one.is_detail).collect();
    let skipped = all.len().saturating_sub(limits.events);
    (!all.is_empty()).then(|| {
        html! {
            (cut(left_out(all.len(), limits.events, "earlier event")))
            ol.time {
                @for one in all.iter().skip(skipped) {
                    li { time { (utc(one.at_ms)) } (limits.text(&one.text)) }
                }
            }
        }
    })
}
