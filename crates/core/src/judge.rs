//! Turns an answer into a stored judgement.
//!
//! The steps: read the verdict, check what its issues cite, reconcile it with the known findings, decide. Reviews,
//! validations and certificates are judged alike. Nothing here counts rounds or says what happens next; that is
//! [`crate::review`]. Start reading at [`judge`].

mod checklist;

#[cfg(test)]
mod tests;

use redraft_documents::answer;
use redraft_documents::delta::Delta;
use redraft_documents::evidence::{self, Found, QuoteSources};
use redraft_documents::reconcile::{ReconcileInput, Reconciled, reconcile};
use redraft_facts::event::{Judged, Judgement};
use redraft_facts::findings::{self, Finding, FindingChange, SettledFinding, Status, Threshold};
use redraft_facts::ids::FindingId;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::redact::Redactor;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Ticket;
use redraft_facts::verdict::{Issue, Severity, Verdict};

/// More would bury the reason in a repair prompt.
const NOTES_IN_WHY_MAX: usize = 5;

/// New warnings of one review. What has many is not read, and the list of them is sent to an author.
const WARNINGS_MAX: usize = 5;

/// Why an answer in another form cannot be used, for the role and for people.
pub const FORMLESS: &str = "the answer is not in the form that was asked for, so no verdict was read from it";

/// An answer and all that is needed to judge it.
#[derive(Clone, Copy)]
pub struct AnswerInHand<'a> {
    /// The dispatch that was answered; its role is the one whose findings are judged.
    pub ticket: &'a Ticket,
    /// The review round of the role's stage.
    pub round: u16,
    /// Begins the ids of the role's findings.
    pub letter: char,
    pub rule: Threshold,
    /// All findings of the phase, of any role and status.
    pub known: &'a [Finding],
    /// What people have settled in the feature, in any phase and for any role.
    pub settled: &'a [SettledFinding],
    /// What changed since the role last looked. None: a first review, a validation, a certificate or an unknown
    /// delta; nothing is deferred then.
    pub delta: Option<&'a Delta>,
    /// Whether blockers outside the delta are still admitted in this loop.
    pub late_left: bool,
    /// Whether the role may be asked once more in the same conversation.
    pub repair_left: bool,
    /// Whether a role that has no conversation may be asked anew.
    pub retry_left: bool,
    pub answer: &'a [u8],
    /// Whether the role was made to answer in the verdict's form and did not. Whatever the text says then, it is no
    /// verdict.
    pub formless: bool,
    /// The document under review; empty for code.
    pub artifact: &'a str,
    /// What the project's checks printed about the code under review; a finding may quote it.
    pub printed: &'a [&'a str],
    /// The names of the checks that the role was asked to make.
    pub checks: &'a [&'a str],
    /// The text a path has in the revision under review, by the path as a reviewer cites it.
    pub text_of: &'a dyn Fn(&str) -> Option<String>,
    /// Took the secrets out of the answer; the texts have theirs.
    pub redactor: &'a Redactor,
}

pub fn judge(case: &AnswerInHand<'_>) -> Judged {
    if case.formless {
        return unusable(case, Verdict::default(), Vec::new(), FORMLESS.to_owned());
    }
    let answer::Parsed { verdict, mut notes, out_of_form } = answer::parse(case.answer);
    let Some(mut verdict) = verdict else {
        let why = notes.last().cloned().unwrap_or_else(|| "the answer holds no verdict".to_owned());
        return unusable(case, Verdict::default(), notes, why);
    };
    let mut lowered = lower_what_is_inferred(&mut verdict);
    lowered.extend(lower_what_is_too_much(&mut verdict));
    let contradicted = || checklist::contradicts(case, &verdict);
    if let Some(why) = out_of_form.clone().or_else(contradicted).filter(|_| verdict.approved) {
        return unusable(case, verdict, notes, why);
    }
    let in_code = case.ticket.phase == Phase::Implement;
    let elsewhere = QuoteSources { artifact: case.artifact, printed: case.printed };
    let found = |issue| evidence::check(issue, in_code, elsewhere, case.redactor, case.text_of);
    let found: Vec<Result<Found, String>> = verdict.issues.iter().map(found).collect();
    let in_artifact: Vec<bool> = found.iter().map(|found| *found == Ok(Found::InArtifact)).collect();
    let unverified: Vec<Option<String>> = found.into_iter().map(Result::err).collect();
    let Ticket { phase, role, .. } = case.ticket;
    let settled: Vec<SettledFinding> =
        case.settled.iter().filter(|one| one.holds_for(*phase, role)).cloned().collect();
    let hearing = ReconcileInput {
        role,
        letter: case.letter,
        round: case.round,
        known: case.known,
        settled: &settled,
        delta: case.delta,
        late_left: case.late_left,
        unverified: &unverified,
        artifact: case.artifact,
        in_artifact: &in_artifact,
        redactor: case.redactor,
    };
    let mut reconciled = reconcile(&hearing, &verdict);
    reconciled.notes.splice(0..0, lowered);
    notes.extend(reconciled.notes.iter().cloned());
    notes.extend(checklist::unanswered(case, &verdict));
    match decide(case, &verdict, out_of_form, &reconciled, &mut notes) {
        Ok(judgement) => {
            let Reconciled { changes, late, .. } = reconciled;
            Judged { ticket: case.ticket.clone(), judgement, verdict, changes, late, notes, settled: false }
        }
        Err(Void { why, settled }) => {
            // A person may overrule such a rejection in the end; what it says about other findings must not be lost
            // then.
            let all = settled && !case.repair_left;
            let changes =
                if all { reconciled.changes } else { outside(reconciled.changes, case.repair_left) };
            let late = reconciled.late && changes.iter().any(is_late);
            Judged { settled, changes, late, ..unusable(case, verdict, notes, why) }
        }
    }
}

/// What a reviewer says that it only inferred is at most a warning, as its rules say. Returns what is told of it.
fn lower_what_is_inferred(verdict: &mut Verdict) -> Vec<String> {
    const MARK: &str = "[inferred]";
    let inferred = |issue: &&mut Issue| {
        issue.severity == Severity::Blocker
            && issue.description.trim_end().trim_end_matches('.').ends_with(MARK)
    };
    let lower = |issue: &mut Issue| {
        issue.severity = Severity::Warning;
        format!("\"{}\" is only inferred, so it is a warning", one_line(&issue.description, 80))
    };
    verdict.issues.iter_mut().filter(inferred).map(lower).collect()
}

/// Of more warnings than a review may have, as its rules say, the first ones count. Returns what is told of the others.
fn lower_what_is_too_much(verdict: &mut Verdict) -> Option<String> {
    // What comes back under an old id is no new warning.
    let new = |issue: &&mut Issue| issue.severity == Severity::Warning && issue.same_as.trim().is_empty();
    let mut lowered: Vec<String> = Vec::new();
    for issue in verdict.issues.iter_mut().filter(new).skip(WARNINGS_MAX) {
        issue.severity = Severity::Suggestion;
        lowered.push(format!("\"{}\"", one_line(&issue.description, 80)));
    }
    let (first, more) = (lowered.first()?, lowered.len() - 1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("more than {WARNINGS_MAX} warnings in one review: {first}{more} counted as suggestions"))
}

/// A judgement that does not count for a reason outside the answer: treated as if the answer could not be used.
pub fn withheld(judged: Judged, why: String, repair_left: bool) -> Judged {
    let judgement = if repair_left { Judgement::Repair { why } } else { Judgement::NoVerdict { why } };
    let changes = outside(judged.changes, repair_left);
    Judged { judgement, changes, late: false, settled: false, ..judged }
}

/// What is kept of an answer that cannot be used: what it found outside of what changed. The changes lead nobody there
/// again, so the next answer need not have it. What does not hold may still be repaired.
fn outside(changes: Vec<FindingChange>, repair_left: bool) -> Vec<FindingChange> {
    let is_outside = |change: &FindingChange| match change {
        FindingChange::Raised(raised) if raised.status == Status::Deferred => {
            raised.unverified.is_none() || !repair_left
        }
        change => is_late(change),
    };
    changes.into_iter().filter(is_outside).collect()
}

fn is_late(change: &FindingChange) -> bool {
    matches!(change, FindingChange::Raised(raised) if raised.late)
}

/// Why a verdict cannot be used.
struct Void {
    why: String,
    /// Whether it rejects, and for nothing that counts: a person may accept in its place.
    settled: bool,
}

fn decide(
    case: &AnswerInHand<'_>,
    verdict: &Verdict,
    out_of_form: Option<String>,
    reconciled: &Reconciled,
    notes: &mut Vec<String>,
) -> Result<Judgement, Void> {
    let silent = unanswered(case, &reconciled.unanswered);
    if !silent.is_empty() {
        return Err(Void { why: format!("no answer for {}", silent.join(", ")), settled: false });
    }
    let mut after = case.known.to_vec();
    findings::apply(&mut after, &reconciled.changes);
    after.retain(|finding| finding.role == case.ticket.role);
    let blocking: Vec<&str> =
        after.iter().filter(|finding| finding.blocks(case.rule)).map(|finding| finding.id.as_str()).collect();
    let unexplained = checklist::unexplained(case, verdict);
    // A rejection that may rest on a failed check is not one for nothing.
    let settled = unexplained.is_none() && !verdict.approved && blocking.is_empty();
    let misquoted = misquoted(case, &after);
    // Without the blocker it would be an approval, and nobody would ever see the right words.
    let asked_anew = case.retry_left && verdict.approved && misquoted.is_some();
    let why = [misquoted, unexplained].into_iter().flatten().collect::<Vec<_>>().join("; ");
    if (case.repair_left || asked_anew) && !why.is_empty() {
        return Err(Void { why, settled });
    }
    match (verdict.approved, blocking.as_slice()) {
        (true, []) => Ok(Judgement::Approved),
        (false, []) => match put_aside(case, verdict, &after, reconciled) {
            Some(names) if out_of_form.is_none() => {
                notes.push(format!(
                    "said to be rejected, but nothing that is open stands in the way; put aside: {names}"
                ));
                Ok(Judgement::Approved)
            }
            aside => {
                let mut why = groundless(case, &after, reconciled);
                why.extend(out_of_form.filter(|_| aside.is_some()).map(|fault| format!("; {fault}")));
                Err(Void { why, settled: aside.is_some() || unproved(case, &after).next().is_some() })
            }
        },
        (false, _) => Ok(Judgement::Rejected),
        (true, blocking) => {
            notes.push(format!("said to be approved, but still open: {}", blocking.join(", ")));
            Ok(Judgement::Rejected)
        }
    }
}

/// New blockers whose evidence was not found, so that a repair turn can cite them rightly or take them back.
fn misquoted(case: &AnswerInHand<'_>, after: &[Finding]) -> Option<String> {
    let returned = |finding: &Finding| {
        let known = case.known.iter().find(|known| known.id == finding.id);
        known.is_some_and(|known| known.severity == Severity::Blocker && known.unverified.is_some())
    };
    let standing = |finding: &&Finding| {
        finding.severity == Severity::Blocker && matches!(finding.status, Status::Open | Status::Deferred)
    };
    let mut why = String::new();
    for finding in after.iter().filter(standing).filter(|finding| !returned(finding)) {
        if let Some(unverified) = &finding.unverified {
            why.push_str(&format!(
                "; \"{}\" does not hold: {unverified}",
                one_line(&finding.description, 80)
            ));
        }
    }
    (!why.is_empty()).then(|| {
        format!(
            "a blocker cites what was not found{why}; give file, line and quote as they stand in the file, or leave out \
             what is not there"
        )
    })
}

/// The findings that stand in the way of an approval and were passed over in silence.
fn unanswered<'a>(case: &AnswerInHand<'_>, silent: &'a [FindingId]) -> Vec<&'a str> {
    let blocks =
        |id: &FindingId| case.known.iter().any(|finding| finding.id == *id && finding.blocks(case.rule));
    silent.iter().filter(|id| blocks(id)).map(FindingId::as_str).collect()
}

/// The findings a rejection rests on where they are all put aside: deferred, or settled by a person. None if it may rest
/// on something else: on what may be repaired, on what only its severity keeps from standing in the way, or on a failed
/// check.
fn put_aside(
    case: &AnswerInHand<'_>,
    verdict: &Verdict,
    after: &[Finding],
    reconciled: &Reconciled,
) -> Option<String> {
    let raised = reconciled.changes.iter().filter_map(|change| match change {
        FindingChange::Raised(raised) => Some(&raised.id),
        _ => None,
    });
    let named: Vec<&FindingId> = raised.chain(&reconciled.settled).collect();
    let aside: Vec<&Finding> = after
        .iter()
        .filter(|finding| named.contains(&&finding.id))
        .filter(|finding| matches!(finding.status, Status::Deferred | Status::Ruled | Status::Overruled))
        .collect();
    let grave = |finding: &Finding| finding.severity >= case.rule.least();
    let lesser =
        |finding: &Finding| finding.status == Status::Open && finding.severity > Severity::Suggestion;
    let nothing_else = !after.iter().any(lesser) && verdict.checks.iter().all(|check| check.passed);
    let rests = aside.iter().any(|finding| grave(finding)) || nothing_else;
    if aside.is_empty() || !rests || unproved(case, after).next().is_some() {
        return None;
    }
    let named = |finding: &&Finding| format!("{} ({})", finding.id, finding.status.name());
    Some(aside.iter().map(named).collect::<Vec<_>>().join(", "))
}

/// Open findings of the role that would stand in the way if what they cite had been found.
fn unproved<'a>(case: &AnswerInHand<'_>, after: &'a [Finding]) -> impl Iterator<Item = &'a Finding> {
    let least = case.rule.least();
    let open = after.iter().filter(|finding| finding.status == Status::Open);
    open.filter(move |finding| finding.unverified.is_some() && finding.severity >= least)
}

/// Why a rejection has no finding to support it, so that a repair turn can give it one or take it back.
fn groundless(case: &AnswerInHand<'_>, after: &[Finding], reconciled: &Reconciled) -> String {
    let rule = match case.rule {
        Threshold::Strict => "a blocker or warning",
        Threshold::Blockers => "a blocker",
    };
    let mut why = format!("rejected without an open finding that stands in the way ({rule})");
    let is_known = |finding: &Finding| case.known.iter().any(|known| known.id == finding.id);
    let grave = after.iter().filter(|finding| finding.severity >= case.rule.least());
    for finding in grave {
        // The id of a new finding means nothing to the reviewer, and is given to another if this answer is void.
        let name = match is_known(finding) {
            true => finding.id.to_string(),
            false => format!("\"{}\"", one_line(&finding.description, 80)),
        };
        match (finding.status, &finding.unverified) {
            (Status::Open, Some(unverified)) => {
                why.push_str(&format!("; {name} does not hold: {unverified}"))
            }
            (Status::Deferred, _) if !is_known(finding) => {
                why.push_str(&format!("; {name} is about what had not changed since your last review, so it is put off and holds nothing up"));
            }
            (Status::Ruled | Status::Overruled, _) if !is_known(finding) => {
                why.push_str(&format!("; {name} is settled and holds nothing up ({})", finding.note));
            }
            _ => {}
        }
    }
    for note in reconciled.notes.iter().take(NOTES_IN_WHY_MAX) {
        why.push_str(&format!("; {note}"));
    }
    why
}

/// An answer that cannot be used changes nothing, as it stands here.
fn unusable(case: &AnswerInHand<'_>, verdict: Verdict, notes: Vec<String>, why: String) -> Judged {
    let judgement = if case.repair_left { Judgement::Repair { why } } else { Judgement::NoVerdict { why } };
    Judged {
        ticket: case.ticket.clone(),
        judgement,
        verdict,
        changes: Vec::new(),
        late: false,
        notes,
        settled: false,
    }
}
