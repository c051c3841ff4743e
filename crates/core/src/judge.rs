//! Turns an answer into a stored judgement.
//!
//! The steps: read the verdict, check what its issues cite, reconcile it with the known findings, decide. Reviews,
//! validations and certificates are judged alike. Nothing here counts rounds or says what happens next; that is
//! [`crate::review`]. Start reading at [`judge`].

#[cfg(test)]
mod tests;

use crate::answer;
use crate::evidence::{self, Found};
use crate::reconcile::{ReconcileInput, Reconciled, reconcile};
use redraft_documents::delta::Delta;
use redraft_facts::event::{Judged, Judgement};
use redraft_facts::findings::{self, Finding, FindingChange, SettledFinding, Status, Threshold};
use redraft_facts::ids::FindingId;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Ticket;
use redraft_facts::verdict::Verdict;

/// More would bury the reason in a repair prompt.
const NOTES_IN_WHY_MAX: usize = 5;

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
    pub answer: &'a [u8],
    /// Whether the role was made to answer in the verdict's form and did not. Whatever the text says then, it is no
    /// verdict.
    pub formless: bool,
    /// The document under review; empty for code.
    pub artifact: &'a str,
    /// The text a path has in the revision under review, by the path as a reviewer cites it.
    pub text_of: &'a dyn Fn(&str) -> Option<String>,
}

pub fn judge(case: &AnswerInHand<'_>) -> Judged {
    if case.formless {
        return unusable(case, Verdict::default(), Vec::new(), FORMLESS.to_owned());
    }
    let answer::Parsed { verdict, mut notes, out_of_form } = answer::parse(case.answer);
    let Some(verdict) = verdict else {
        let why = notes.last().cloned().unwrap_or_else(|| "the answer holds no verdict".to_owned());
        return unusable(case, Verdict::default(), notes, why);
    };
    if let Some(why) = out_of_form.filter(|_| verdict.approved) {
        return unusable(case, verdict, notes, why);
    }
    let in_code = case.ticket.phase == Phase::Implement;
    let found = |issue| evidence::check(issue, in_code, case.artifact, case.text_of);
    let found: Vec<Result<Found, String>> = verdict.issues.iter().map(found).collect();
    let in_artifact: Vec<bool> = found.iter().map(|found| *found == Ok(Found::InArtifact)).collect();
    let unverified: Vec<Option<String>> = found.into_iter().map(Result::err).collect();
    let hearing = ReconcileInput {
        role: &case.ticket.role,
        letter: case.letter,
        round: case.round,
        known: case.known,
        settled: case.settled,
        delta: case.delta,
        late_left: case.late_left,
        unverified: &unverified,
        artifact: case.artifact,
        in_artifact: &in_artifact,
    };
    let reconciled = reconcile(&hearing, &verdict);
    notes.extend(reconciled.notes.iter().cloned());
    match decide(case, &verdict, &reconciled, &mut notes) {
        Ok(judgement) => {
            let Reconciled { changes, late, .. } = reconciled;
            Judged { ticket: case.ticket.clone(), judgement, verdict, changes, late, notes, settled: false }
        }
        Err(why) => {
            let silent = !unanswered(case, &reconciled.unanswered).is_empty();
            let settled = !verdict.approved && !silent && rests_on_settled(case, &reconciled);
            // A person may overrule such a rejection in the end; what it says about other findings must not be lost
            // then.
            let changes = if settled && !case.repair_left { reconciled.changes } else { Vec::new() };
            Judged { settled, changes, ..unusable(case, verdict, notes, why) }
        }
    }
}

/// A judgement that does not count for a reason outside the answer: treated as if the answer could not be used.
pub fn withheld(judged: Judged, why: String, repair_left: bool) -> Judged {
    let judgement = if repair_left { Judgement::Repair { why } } else { Judgement::NoVerdict { why } };
    Judged { judgement, changes: Vec::new(), late: false, settled: false, ..judged }
}

/// The error says why the verdict cannot be used.
fn decide(
    case: &AnswerInHand<'_>,
    verdict: &Verdict,
    reconciled: &Reconciled,
    notes: &mut Vec<String>,
) -> Result<Judgement, String> {
    let silent = unanswered(case, &reconciled.unanswered);
    if !silent.is_empty() {
        return Err(format!("no answer for {}", silent.join(", ")));
    }
    let mut after = case.known.to_vec();
    findings::apply(&mut after, &reconciled.changes);
    let blocking: Vec<&str> = after
        .iter()
        .filter(|finding| finding.role == case.ticket.role && finding.blocks(case.rule))
        .map(|finding| finding.id.as_str())
        .collect();
    match (verdict.approved, blocking.as_slice()) {
        (true, []) => Ok(Judgement::Approved),
        (false, []) => Err(groundless(case, &after, reconciled)),
        (false, _) => Ok(Judgement::Rejected),
        (true, blocking) => {
            notes.push(format!("said to be approved, but still open: {}", blocking.join(", ")));
            Ok(Judgement::Rejected)
        }
    }
}

/// The findings that stand in the way of an approval and were passed over in silence.
fn unanswered<'a>(case: &AnswerInHand<'_>, silent: &'a [FindingId]) -> Vec<&'a str> {
    let blocks =
        |id: &FindingId| case.known.iter().any(|finding| finding.id == *id && finding.blocks(case.rule));
    silent.iter().filter(|id| blocks(id)).map(FindingId::as_str).collect()
}

/// Whether the answer names something at the threshold that no longer counts: it is ruled or deferred, now or before.
fn rests_on_settled(case: &AnswerInHand<'_>, reconciled: &Reconciled) -> bool {
    let grave = |finding: &Finding| finding.severity >= case.rule.least();
    let repeated =
        case.known.iter().any(|finding| grave(finding) && reconciled.settled.contains(&finding.id));
    repeated
        || reconciled.changes.iter().any(|change| match change {
            FindingChange::Raised(raised) => {
                grave(raised) && matches!(raised.status, Status::Deferred | Status::Ruled)
            }
            _ => false,
        })
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
    for finding in grave.filter(|finding| finding.role == case.ticket.role) {
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
            (Status::Ruled, _) if !is_known(finding) => {
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
