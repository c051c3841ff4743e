//! What an answer says about the checks it was asked to make.

use super::AnswerInHand;
use redraft_facts::findings::Status;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::verdict::{AnswerStatus, CheckLine, Verdict};

/// Failed checks whose notes name no finding, so that a repair turn can write down the fault or take the check back.
pub(super) fn unexplained(case: &AnswerInHand<'_>, verdict: &Verdict) -> Option<String> {
    let explained = |check: &&CheckLine| check.passed || names_finding(case, verdict, &check.note);
    let failed: Vec<String> = verdict
        .checks
        .iter()
        .filter(|check| !explained(check))
        .map(|check| format!("`{}`", one_line(&check.name, 80)))
        .collect();
    (!failed.is_empty()).then(|| {
        format!(
            "failed checks whose notes name no finding: {}; give the fault as an issue and its number in the note, the \
             id of an earlier finding, or pass the check",
            failed.join(", ")
        )
    })
}

/// The failed check that contradicts an approval: nothing new was found, and it names no earlier finding that stays open.
pub(super) fn contradicts(case: &AnswerInHand<'_>, verdict: &Verdict) -> Option<String> {
    let over = |id: &str| {
        let mut answers = verdict.answers.iter().filter(|answer| answer.id.eq_ignore_ascii_case(id));
        answers.any(|answer| answer.status != AnswerStatus::NotFixed)
    };
    let left = |check: &CheckLine| words(&check.note).any(|word| is_own(case, word) && !over(word));
    let failed = verdict.checks.iter().find(|check| !check.passed && !left(check));
    let failed = failed.filter(|_| verdict.issues.is_empty())?;
    Some(format!("the check `{}` is not passed, and no issue says why", one_line(&failed.name, 80)))
}

/// The words of a note, without the marks around them.
fn words(note: &str) -> impl Iterator<Item = &str> {
    let parts = note.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.' | '_')));
    parts.map(|word| word.trim_end_matches('.'))
}

/// Whether a word is the id of a finding that the role has open.
fn is_own(case: &AnswerInHand<'_>, word: &str) -> bool {
    case.known.iter().any(|finding| {
        finding.role == case.ticket.role
            && matches!(finding.status, Status::Open | Status::Deferred)
            && finding.id.as_str().eq_ignore_ascii_case(word)
    })
}

/// Whether a note names an issue of the same answer by its number, at its beginning or after a word for it, or an open
/// finding of the role by its id.
fn names_finding(case: &AnswerInHand<'_>, verdict: &Verdict, note: &str) -> bool {
    const WORDS: [&str; 6] = ["issue", "issues", "finding", "findings", "and", "no"];
    let issues = 1..=verdict.issues.len();
    let mut announced = true;
    for word in words(note) {
        let is_number = word.parse().is_ok_and(|number| issues.contains(&number));
        if (announced && is_number) || is_own(case, word) {
            return true;
        }
        announced = word.is_empty() && announced || WORDS.contains(&word.to_lowercase().as_str());
    }
    false
}

/// The checks that were asked for and have no entry.
pub(super) fn unanswered(case: &AnswerInHand<'_>, verdict: &Verdict) -> Option<String> {
    let answered =
        |asked: &&&str| verdict.checks.iter().any(|check| check.name.trim().eq_ignore_ascii_case(asked));
    let missing: Vec<&str> = case.checks.iter().filter(|asked| !answered(asked)).copied().collect();
    (!missing.is_empty()).then(|| {
        let (asked, answered) = (case.checks.len(), case.checks.len() - missing.len());
        format!("{answered} of {asked} checks answered; without an entry: {}", missing.join(", "))
    })
}
