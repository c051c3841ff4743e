//! Writes the text of a pull request: what a feature is, how each requirement was met, what people ruled, what it cost.
//!
//! A projection like the others: everything comes from events and from the trace that is made of them.

use super::line::own_texts;
use super::receipt;
use crate::claims::{VerifiedClaim, claims, nothing_in_words, nothing_looked_up};
use crate::decisions::{DecisionKind, Resolution};
use crate::matrix::{self, Matrix};
use redraft_core::attribution::{RoleAttribution, in_words};
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Loop, LoopEnd};
use redraft_documents::reconcile::{Defect, defects};
use redraft_facts::event::{Checked, Entry, Event, FeatureLife};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::{count, fenced, one_line};

/// What people read before they merge; the rest is in the ledger.
const ITEMS_MAX: usize = 30;
const TITLE_CHARS_MAX: usize = 120;
const ITEM_CHARS_MAX: usize = 300;

/// The title by itself, which is no Markdown.
pub fn pull_request_title(state: &Pipeline) -> String {
    let idea = state.created.as_ref().map(|created| created.idea.as_str()).unwrap_or_default();
    in_order(&one_line(idea, TITLE_CHARS_MAX))
}

/// The text, in Markdown. Its first line is the title.
pub fn pull_request(entries: &[Entry], state: &Pipeline, trace: &Matrix, said: &[Resolution]) -> String {
    let Some(created) = &state.created else { return String::new() };
    let mut out = format!("# {}\n\n", plain(&created.idea, TITLE_CHARS_MAX));
    out.push_str(&format!(
        "Feature {}-{}, lane {}. Documents: `{}`\n",
        created.id,
        created.slug,
        created.lane,
        created.folder()
    ));
    if let Some(warning) = warning(entries, state) {
        out.push_str(&format!("\n{warning}\n"));
    }
    if let Some(notice) = state.rehearsal_notice(true) {
        out.push_str(&format!("\n> {notice}.\n"));
    }
    section(&mut out, "Who wrote and approved it", &list(state.valid().filter_map(|one| hands(state, one))));
    section(&mut out, "Trace", matrix::markdown(trace).trim());
    let ruled = said.iter().filter(|one| one.kind == DecisionKind::Ruling);
    section(
        &mut out,
        "Rulings",
        &list(ruled.map(|one| {
            let settles = match one.findings.len() {
                0 => String::new(),
                some => format!(" (settles {})", count(some, "finding")),
            };
            format!("{}, {}: {}{settles}", one.phase, plain(&one.by, 60), plain(&one.text, ITEM_CHARS_MAX))
        })),
    );
    let comments = state.standing().flat_map(|one| &one.findings).filter(|one| one.is_comment());
    section(
        &mut out,
        "Comments",
        &list(comments.map(|one| {
            let (by, text) = (plain(one.raised_by(), 60), plain(&one.description, ITEM_CHARS_MAX));
            format!("{} by {by}: {text} ({})", one.id, one.status.name())
        })),
    );
    let deviated =
        said.iter().filter(|one| matches!(one.kind, DecisionKind::Deviation | DecisionKind::Concern));
    section(
        &mut out,
        "Deviations and concerns",
        &list(deviated.map(|one| {
            let task = one.work.as_ref().and_then(|work| work.task.as_ref());
            let task = task.map(|task| format!("task {task}, ")).unwrap_or_default();
            format!("{task}{}: {}", one.kind.name(), plain(&one.text, ITEM_CHARS_MAX))
        })),
    );
    let overruled =
        state.standing().flat_map(|one| &one.findings).filter(|one| one.status == Status::Overruled);
    section(
        &mut out,
        "Overruled findings",
        &list(
            defects(overruled)
                .iter()
                .map(|one| format!("{} ({})", defect(one), plain(&one.first.note, ITEM_CHARS_MAX))),
        ),
    );
    let put_off = state.standing().flat_map(|one| &one.findings).filter(|one| one.status == Status::Deferred);
    section(&mut out, "Deferred findings", &list(defects(put_off).iter().map(defect)));
    let open = state.standing().flat_map(|one| &one.findings);
    let open = open.filter(|one| one.status == Status::Open && !one.is_comment());
    section(&mut out, "Open findings that held nothing up", &list(defects(open).iter().map(defect)));
    let claims = claims(entries, state);
    let (flagged, verified): (Vec<_>, Vec<_>) = claims.iter().partition(|one| one.flagged);
    let told =
        |claims: &[&VerifiedClaim<'_>]| list(claims.iter().map(|one| plain(&one.in_words(), ITEM_CHARS_MAX)));
    section(&mut out, "For a person to check", &told(&flagged));
    let nothing =
        nothing_in_words(&nothing_looked_up(entries, state)).map(|said| plain(&said, ITEM_CHARS_MAX));
    let looked_up = verified.iter().map(|one| plain(&one.in_words(), ITEM_CHARS_MAX));
    section(&mut out, "Looked up by reviewers", &list(looked_up.chain(nothing)));
    section(&mut out, "Checks", &list(last_checks(entries).into_iter().map(check)));
    if let Some(written) = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::RetroWritten(fact) => Some(fact),
        _ => None,
    }) {
        let names = written.added.iter().map(|one| format!("{}: {}", one.kind, plain(&one.name, 120)));
        section(&mut out, "New in the knowledge bank", &list(names));
    }
    section(&mut out, "Receipt", &fenced("text", receipt(entries).text().trim()));
    in_order(&out)
}

/// What a reader must know before anything else; none where the feature is finished and every check passes.
fn warning(entries: &[Entry], state: &Pipeline) -> Option<String> {
    if state.life() == FeatureLife::Abandoned {
        return Some("**Abandoned:** nobody works on this feature any more.".to_owned());
    }
    let failed = last_checks(entries).into_iter().filter(|check| !check.passed);
    let failed: Vec<&str> = failed.map(|check| check.gate.as_str()).collect();
    let fails = match failed.as_slice() {
        [] => String::new(),
        [one] => format!("the check {one} fails"),
        some => format!("the checks {} fail", some.join(", ")),
    };
    let finished = state.is_over(Phase::Finish) || state.adopted.is_some();
    let stands = match state.phase() {
        Some(phase) => {
            let left = state.phases().filter(|phase| !state.is_over(*phase)).map(Phase::name);
            let left: Vec<&str> = left.collect();
            format!("this feature is in {phase}; still to do: {}", left.join(", "))
        }
        None if finished && fails.is_empty() => return None,
        None if finished => {
            return Some(format!("**A check fails:** {fails}, and a person decided to continue."));
        }
        None => {
            let last = state.phases().last().map(Phase::name).unwrap_or_default();
            format!("this feature ends with {last}, and the merge result was not checked")
        }
    };
    let fails = if fails.is_empty() { fails } else { format!("; {fails}") };
    Some(format!("**Not finished:** {stands}{fails}."))
}

/// Without characters that reverse the direction of the text after them.
fn in_order(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(turns, "\u{fffd}")
}

/// Nothing where there is nothing to say.
fn section(out: &mut String, title: &str, text: &str) {
    if !text.trim().is_empty() {
        out.push_str(&format!("\n## {title}\n\n{}\n", text.trim_end()));
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let mut lines: Vec<String> = items.iter().take(ITEMS_MAX).map(|item| format!("- {item}")).collect();
    if items.len() > ITEMS_MAX {
        lines.push(format!("- … and {} more", items.len() - ITEMS_MAX));
    }
    lines.join("\n")
}

/// Who wrote what a phase is about, and who approved it.
fn hands(state: &Pipeline, one: &Loop) -> Option<String> {
    let wrote = state.players.writers(one.opened.phase);
    let approved: Vec<RoleAttribution> = match &one.end {
        Some(LoopEnd::Closed(closed)) => {
            closed.approvals.iter().filter_map(|one| state.players.judged_by(&one.ticket)).collect()
        }
        _ => Vec::new(),
    };
    let parts = [("written by", wrote), ("approved by", approved)];
    let parts = parts.into_iter().filter(|(_, players)| !players.is_empty());
    let parts: Vec<String> = parts
        .map(|(what, players)| format!("{what} {}", plain(&in_words(&players), ITEM_CHARS_MAX)))
        .collect();
    let own = own_texts(&one.opened);
    let own = (!own.is_empty())
        .then(|| format!("with the repository's own role text: {}", plain(&own, ITEM_CHARS_MAX)));
    let parts: Vec<String> = parts.into_iter().chain(own).collect();
    (!parts.is_empty()).then(|| format!("{}: {}", one.opened.phase, parts.join("; ")))
}

/// A defect once, with all its ids and, where several reviewers found it, their names.
fn defect(one: &Defect<'_>) -> String {
    let Finding { severity, description, .. } = one.first;
    let reviewers: Vec<&str> = one.all().map(|finding| finding.role.as_str()).collect();
    let by = match reviewers.as_slice() {
        [_] => String::new(),
        several => format!(" (found by {})", several.join(", ")),
    };
    let (ids, place) = (one.ids(), plain(&one.first.place(), 120));
    format!("{ids} [{}] {place}: {}{by}", severity.name(), plain(description, ITEM_CHARS_MAX))
}

/// The last result of each gate of what would be merged.
fn last_checks(entries: &[Entry]) -> Vec<&Checked> {
    let opened = entries.iter().rposition(|entry| matches!(&entry.event, Event::LoopOpened(_))).unwrap_or(0);
    let mut last: Vec<&Checked> = Vec::new();
    for entry in &entries[opened..] {
        if let Event::Checked(check) = &entry.event {
            last.retain(|known| known.gate != check.gate);
            last.push(check);
        }
    }
    last
}

fn check(one: &Checked) -> String {
    let how = if one.passed { "passed" } else { "failed" };
    match (one.command.is_empty(), one.evidence.is_empty()) {
        (false, _) => {
            let level = one.checkout.as_ref().and_then(|checkout| checkout.sandbox.as_ref());
            let level = level.map(|level| format!(" (sandbox {})", plain(level, 160))).unwrap_or_default();
            format!("{}: `{}` {how}{level}", one.gate, one_line(&one.command, 120).replace('`', "'"))
        }
        (true, true) => format!("{}: {how}", one.gate),
        (true, false) => format!("{}: {how}; {}", one.gate, plain(&one.evidence, ITEM_CHARS_MAX)),
    }
}

/// One line that opens no comment and no code, links nowhere and mentions nobody, whatever its source.
fn plain(text: &str, chars_max: usize) -> String {
    let line = one_line(text, chars_max).replace('<', "&lt;").replace('@', "@\u{200b}");
    line.replace('`', "'").replace('[', "\\[")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use redraft_facts::ids::{FindingId, Role};
    use redraft_facts::verdict::{Claim, Severity};

    pub(crate) fn swallowed(id: &str, role: &str) -> Finding {
        Finding {
            id: FindingId::new(id),
            role: Role::new(role),
            round: 1,
            severity: Severity::Warning,
            category: "flow".to_owned(),
            claim: Claim::Present,
            file: "src/app.py".to_owned(),
            line: 12,
            section: String::new(),
            quote: "except OSError: return True".to_owned(),
            description: "A write that fails is caught and success is returned to the caller".to_owned(),
            suggestion: String::new(),
            status: Status::Open,
            late: false,
            unverified: None,
            note: String::new(),
            by: None,
        }
    }

    #[test]
    fn a_defect_of_several_reviewers_is_one_item_that_names_all_of_them() {
        let both = [swallowed("X1", "security-reviewer"), swallowed("Q2", "code-quality-reviewer")];
        let items: Vec<String> = defects(&both).iter().map(defect).collect();
        let wanted = "X1, Q2 [warning] src/app.py:12: A write that fails is caught and success is returned to the \
                      caller (found by security-reviewer, code-quality-reviewer)";
        assert_eq!(items, [wanted]);
        assert!(!defect(&defects(&both[..1])[0]).contains("found by"));
    }
}
