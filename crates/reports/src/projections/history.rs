//! Renders `.review-history.md`: every review of a feature, in order, for people to read.

use crate::claims::{in_words, is_flagged};
use redraft_core::attribution::COMPUTED;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Loop, Seat, shown_round};
use redraft_documents::reconcile::{Defect, defects};
use redraft_facts::choice::Strategy;
use redraft_facts::event::{
    About, AfterFailure, Checked, Commented, Decided, Decision, Drafted, Entry, Event, Failed, Judged,
    Judgement,
};
use redraft_facts::findings::{Finding, FindingChange, Status};
use redraft_facts::ids::{Revision, Role};
use redraft_facts::prelude::*;
use redraft_facts::text::{one_line, utc};
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::verdict::Verified;

const MARKER_CHARS_MAX: usize = 200;

/// The page, which names the agents.
pub fn history(entries: &[Entry]) -> String {
    told_of(entries, true)
}

/// The same without agents and models: what the agent that looks back is sent does not depend on who played the roles.
pub(crate) fn history_of_roles(entries: &[Entry]) -> String {
    told_of(entries, false)
}

fn told_of(entries: &[Entry], names: bool) -> String {
    let mut state = Pipeline::default();
    let mut out = String::new();
    // Markers wait for the entry of the iteration they belong to.
    let mut markers: BTreeMap<Role, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let open = state.open.as_ref();
        let by = |ticket: &Ticket| if names { state.players.shown(ticket) } else { String::new() };
        match (&entry.event, open) {
            (Event::FeatureCreated(created), _) => {
                out.push_str(&format!("# Review history: {}-{}\n", created.id, created.slug));
            }
            (Event::Started(started), Some(_)) => {
                markers
                    .entry(started.ticket.role.clone())
                    .or_default()
                    .extend(started.markers.iter().cloned());
            }
            (Event::Answered(answered), Some(_)) => {
                let waiting = markers.entry(answered.ticket.role.clone()).or_default();
                waiting.extend(undone(&answered.ticket, &answered.undone));
                waiting.extend(told("DENIED", &answered.ticket, &answered.denials));
                waiting.extend(told("NOTE", &answered.ticket, &answered.notes));
            }
            (Event::Failed(failed), Some(open)) => {
                let waiting = markers.entry(failed.ticket.role.clone()).or_default();
                waiting.extend(fallback(open, failed));
                waiting.extend(undone(&failed.ticket, &failed.undone));
            }
            (Event::Lost(lost), Some(_)) => {
                markers
                    .entry(lost.ticket.role.clone())
                    .or_default()
                    .extend(undone(&lost.ticket, &lost.undone));
            }
            (Event::Judged(judged), Some(open)) => {
                let waiting = markers.entry(judged.ticket.role.clone()).or_default();
                out.push_str(&review(open, judged, &by(&judged.ticket), entry.at_ms, waiting));
            }
            (Event::Drafted(drafted), Some(open)) => {
                let by = by(&drafted.ticket);
                out.push_str(&changes_made(drafted, open.revision.as_ref(), &by, entry.at_ms));
                for marker in markers.remove(&drafted.ticket.role).unwrap_or_default() {
                    out.push_str(&format!("{marker}\n"));
                }
            }
            (Event::Edited(edited), _) => {
                let at = utc(entry.at_ms);
                let did = if edited.first { "Brought" } else { "Edited" };
                out.push_str(&format!(
                    "\n## {did} by {} — {at}\n- Revision: {}\n",
                    edited.by, edited.revision
                ));
            }
            (Event::Checked(Checked { gate, passed: true, checkout: Some(checkout), .. }), _)
                if !checkout.notes.is_empty() =>
            {
                let notes = checkout.notes.join("; ");
                out.push_str(&format!(
                    "\n## Gate {gate} passed — {}\n- Noticed: {}\n",
                    utc(entry.at_ms),
                    one_line(&notes, 400)
                ));
            }
            (Event::Checked(Checked { gate, passed: false, evidence, .. }), _) => {
                let evidence = one_line(evidence, 400);
                out.push_str(&format!(
                    "\n## Gate {gate} failed — {}\n- Evidence: {evidence}\n",
                    utc(entry.at_ms)
                ));
            }
            (Event::Decided(decided), _) => out.push_str(&ruling(decided, entry.at_ms)),
            (Event::Commented(fact), _) => out.push_str(&comment(fact, entry.at_ms)),
            (Event::PhaseClosed(closed), open) => {
                let at = utc(entry.at_ms);
                out.push_str(&format!(
                    "\n## {} closed — {at}\n- Revision: {}\n",
                    closed.phase, closed.revision
                ));
                for approval in &closed.approvals {
                    let mark = if approval.same_hand { ", same hand" } else { "" };
                    let mark = format!(
                        "{mark}{}",
                        open.map(|open| without(open, &approval.role)).unwrap_or_default()
                    );
                    let computed = state.players.mark(&approval.ticket);
                    let by = by(&approval.ticket);
                    let by = if by.is_empty() { by } else { format!(": {by}") };
                    out.push_str(&format!(
                        "- Approved by {} ({}{mark}){computed}{by}\n",
                        approval.role, approval.ticket
                    ));
                }
                out.push_str(&open.map(|open| accepted(open, &closed.revision)).unwrap_or_default());
                if !closed.deferred.is_empty() {
                    out.push_str(&format!("- Deferred: {}\n", ids(&closed.deferred)));
                }
                if !closed.ruled.is_empty() {
                    out.push_str(&format!("- Settled by a ruling: {}\n", ids(&closed.ruled)));
                }
                if !closed.overruled.is_empty() {
                    out.push_str(&format!("- Overruled: {}\n", ids(&closed.overruled)));
                }
            }
            _ => {}
        }
        if pipeline::fold(&mut state, &entry.event).is_err() {
            // What is stored was accepted before; a reader that cannot follow it shows what it has so far.
            break;
        }
    }
    out
}

/// A line that names the agent; empty where none is named.
fn agent_line(by: &str) -> String {
    if by.is_empty() { String::new() } else { format!("- Agent: {by}\n") }
}

/// The findings of a role that were overruled: its approval is one without them.
fn without(open: &Loop, role: &Role) -> String {
    let overruled = |finding: &&Finding| finding.role == *role && finding.status == Status::Overruled;
    let names: Vec<&str> =
        open.findings.iter().filter(overruled).map(|finding| finding.id.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(", {} overruled", names.join(", ")) }
}

/// The roles that a ruling stood in for, and whether they have seen what was closed.
fn accepted(open: &Loop, revision: &Revision) -> String {
    let ruled = open.reviewers.iter().filter(|seat| seat.ruled());
    let line = |seat: &Seat| {
        let unseen =
            if seat.anchor.as_ref() == Some(revision) { "" } else { ", which did not see this revision" };
        format!("- Accepted by a ruling in place of {}{unseen}\n", seat.role)
    };
    ruled.map(line).collect()
}

fn ids(ids: &[redraft_facts::ids::FindingId]) -> String {
    let names: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    names.join(", ")
}

/// Only a lost or refused session of a resumed dispatch is a fallback.
fn fallback(open: &Loop, failed: &Failed) -> Option<String> {
    let seat = open.seat_of(&failed.ticket)?;
    let work = seat.work.as_ref()?;
    let resumed = work.flight.as_ref()?.started.choice.strategy == Strategy::Resume;
    let round = shown_round(open, seat, work.purpose);
    let line = format!("RESUME-FALLBACK: {} iteration {round} — {}", failed.ticket.role, failed.detail);
    (resumed && failed.now == AfterFailure::FreshSession).then(|| one_line(&line, MARKER_CHARS_MAX))
}

/// The forbidden changes of a dispatch, also of one that was lost.
fn undone(ticket: &Ticket, undone: &[String]) -> Option<String> {
    let line = format!("UNDONE: {ticket} — {}; kept under refs/redraft/lost/", undone.join(", "));
    (!undone.is_empty()).then(|| one_line(&line, MARKER_CHARS_MAX))
}

/// One line for each thing an answer came with.
fn told<'a>(
    marker: &'a str,
    ticket: &'a Ticket,
    lines: &'a [String],
) -> impl Iterator<Item = String> + use<'a> {
    lines.iter().map(move |line| one_line(&format!("{marker}: {ticket} — {line}"), MARKER_CHARS_MAX))
}

fn review(open: &Loop, judged: &Judged, by: &str, at_ms: i64, markers: &mut Vec<String>) -> String {
    let Some(seat) = open.seat_of(&judged.ticket) else { return String::new() };
    let Some(work) = &seat.work else { return String::new() };
    let what = match work.purpose {
        Purpose::Validate => ", final validation",
        Purpose::Certify => ", certificate",
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => "",
    };
    let round = shown_round(open, seat, work.purpose);
    let (phase, stage, at) = (open.opened.phase, seat.stage + 1, utc(at_ms));
    let mut out = format!("\n## {phase} stage {stage}, iteration {round}{what} — {at}\n");
    let strategy = work.flight.as_ref().map_or("", |flight| flight.started.choice.strategy.name());
    let answered = work.flight.as_ref().and_then(|flight| flight.answered.as_ref());
    let same = answered.and_then(|answered| answered.hand.as_ref()).is_some_and(|hand| hand.same);
    let mark = if same { ", same hand" } else { "" };
    out.push_str(&format!("- Reviewer: {} ({strategy}, {}{mark})\n", seat.role, judged.ticket));
    out.push_str(&agent_line(by));
    let decision = match &judged.judgement {
        Judgement::Approved if judged.is_computed() => format!("approved{COMPUTED}"),
        Judgement::Approved => "approved".to_owned(),
        Judgement::Rejected => "rejected".to_owned(),
        Judgement::Repair { why } => format!("none yet; asked to repair its answer: {}", one_line(why, 300)),
        Judgement::NoVerdict { why } => format!("none: {}", one_line(why, 300)),
    };
    out.push_str(&format!("- Decision: {decision}\n"));
    out.push_str(&skipped(open, seat, work.purpose, &judged.ticket));
    for change in &judged.changes {
        out.push_str(&change_lines(change, &open.findings));
    }
    for Verified { claim, source, result } in &judged.verdict.verified {
        let what = if is_flagged(result) { "For a person to check" } else { "Verified" };
        out.push_str(&format!("- {what}: {}\n", in_words(claim, source, result)));
    }
    let used = matches!(judged.judgement, Judgement::Approved | Judgement::Rejected);
    if used && judged.verdict.verified.is_empty() {
        out.push_str("- Verified: nothing was looked up\n");
    }
    for note in judged.notes.iter().filter(|note| !decision.contains(note.as_str())) {
        out.push_str(&format!("{}\n", one_line(note, MARKER_CHARS_MAX)));
    }
    for marker in markers.drain(..) {
        out.push_str(&format!("{marker}\n"));
    }
    out
}

/// Panel members that were not asked, because they had approved already.
fn skipped(open: &Loop, seat: &Seat, purpose: Purpose, ticket: &Ticket) -> String {
    let others = open.reviewers.iter().filter(|other| other.stage == seat.stage && other.role != ticket.role);
    let idle =
        others.filter(|other| purpose == Purpose::Review && other.approved().is_some() && !other.in_flight());
    idle.map(|other| format!("- Skipped: {} (approved already)\n", other.role)).collect()
}

/// Findings of other reviewers that are about the same defect as a new one.
fn found_before(known: &[Finding], finding: &Finding) -> String {
    let found = defects(known.iter().filter(|other| other.id != finding.id).chain([finding]));
    let same = found.iter().find(|one| one.all().any(|other| other.id == finding.id));
    let others = same.into_iter().flat_map(Defect::all).filter(|other| other.id != finding.id);
    let others: Vec<String> = others.map(|other| format!("{} of {}", other.id, other.role)).collect();
    others.join(", ")
}

fn change_lines(change: &FindingChange, known: &[Finding]) -> String {
    match change {
        FindingChange::Raised(finding) | FindingChange::Restated(finding) => {
            let mut marks = finding.status.name().to_owned();
            if matches!(change, FindingChange::Restated(_)) {
                marks.push_str(", stated again");
            }
            if finding.late {
                marks.push_str(", late");
            }
            if let Some(why) = &finding.unverified {
                marks.push_str(&format!(", unverified: {}", one_line(why, 120)));
            }
            let (id, severity, category) = (&finding.id, finding.severity, one_line(&finding.category, 40));
            let text = match found_before(known, finding) {
                others if others.is_empty() => one_line(&finding.description, 600),
                others => format!("the same defect as {others}"),
            };
            let place = one_line(&finding.place(), 200);
            let mut lines = format!("- [{severity}] [{category}] {id}: {text} (at: {place}) ({marks})\n");
            if !finding.suggestion.is_empty() {
                lines.push_str(&format!("  - Suggestion: {}\n", one_line(&finding.suggestion, 400)));
            }
            lines
        }
        FindingChange::Kept { id, note } => format!("- {id} still open: {}\n", one_line(note, 300)),
        FindingChange::Fixed { id, note } => format!("- {id} fixed: {}\n", one_line(note, 300)),
        FindingChange::Withdrawn { id, note } => format!("- {id} withdrawn: {}\n", one_line(note, 300)),
        FindingChange::Reopened { id, note } => format!("- {id} open again: {}\n", one_line(note, 300)),
    }
}

fn changes_made(drafted: &Drafted, before: Option<&Revision>, by: &str, at_ms: i64) -> String {
    let Drafted { ticket, revision, summary, notes, .. } = drafted;
    // Whatever its summary says: the turn produced nothing that could be reviewed again.
    let same = if revision.is_some() && revision.as_ref() == before { " (nothing was changed)" } else { "" };
    let revision = revision.as_ref().map_or("none".to_owned(), |revision| revision.to_string());
    let (role, at) = (&ticket.role, utc(at_ms));
    let mut out = format!("\n## Changes made by {role} — {at}\n- Revision: {revision}{same}\n");
    out.push_str(&agent_line(by));
    for (at, line) in summary.lines().enumerate() {
        let line = one_line(line, 600);
        out.push_str(&if at == 0 { format!("- Summary: {line}\n") } else { format!("  {line}\n") });
    }
    for note in notes {
        out.push_str(&format!("{}\n", one_line(note, MARKER_CHARS_MAX)));
    }
    out
}

/// What a person said unasked.
fn comment(fact: &Commented, at_ms: i64) -> String {
    let Commented { phase, finding, by, text, reopens, severity, .. } = fact;
    let did = if *reopens { "opened again" } else { "said" };
    let mut out = format!("\n## Comment {finding} on {phase}, {did} by {by} — {}\n", utc(at_ms));
    out.push_str(&format!("- [{}] {}\n", severity.name(), one_line(text, 600)));
    if !fact.file.is_empty() {
        out.push_str(&format!("- At: {}:{}\n", one_line(&fact.file, 200), fact.line));
    }
    out
}

fn ruling(decided: &Decided, at_ms: i64) -> String {
    let Decided { choice, by, why, ruled, revision, unseen, about, .. } = decided;
    let mut out = format!("\n## Decision: {} — {}\n- By: {by}\n", choice.name(), utc(at_ms));
    if !why.is_empty() {
        out.push_str(&format!("- Why: {}\n", one_line(why, 600)));
    }
    match about {
        About::Disagreement { .. } if *choice == Decision::Uphold => {
            out.push_str(&format!("- Upholds: {}\n", decided.disputed_in_words()));
        }
        About::Disagreement { .. } if *choice == Decision::Overrule => {
            out.push_str(&format!("- Overrules: {}\n", decided.disputed_in_words()));
        }
        _ if ruled.is_empty() => {}
        _ => out.push_str(&format!("- Settles: {}\n", ids(ruled))),
    }
    if let (Some(revision), [_, ..]) = (revision, unseen.as_slice()) {
        let names: Vec<&str> = unseen.iter().map(Role::as_str).collect();
        out.push_str(&format!("- Not reviewed: {} did not see revision {revision}\n", names.join(", ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projections::pull_request::tests::swallowed;

    #[test]
    fn a_defect_that_another_reviewer_found_before_is_named_and_not_told_again() {
        let (first, second) =
            (swallowed("X1", "security-reviewer"), swallowed("Q2", "code-quality-reviewer"));
        let told = |known: &[Finding]| change_lines(&FindingChange::Raised(second.clone()), known);
        let line = told(std::slice::from_ref(&first));
        let wanted =
            "- [warning] [flow] Q2: the same defect as X1 of security-reviewer (at: src/app.py:12) (open)\n";
        assert_eq!(line, wanted);
        assert!(told(&[]).contains(&first.description), "the first one is told whole");
        let other = Finding { file: "src/other.py".to_owned(), ..first };
        assert!(!told(&[other]).contains("the same defect"), "another place is another defect");
    }
}
