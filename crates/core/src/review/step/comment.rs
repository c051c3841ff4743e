//! Folds what a person says unasked into the state: a finding of theirs, which the author works in first and the first
//! reviewer then rules on.

use super::super::seat::{Seat, SeatStatus};
use super::super::state::Loop;
use super::{Rejected, rejected};
use redraft_facts::event::Commented;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::FindingId;
use redraft_facts::prelude::*;
use redraft_facts::verdict::Severity;

pub(crate) fn comment(state: &mut Loop, fact: &Commented) -> Result<(), Rejected> {
    let what = || rejected(format!("the comment {}", fact.finding));
    // The end of a feature has no author.
    if fact.phase != state.opened.phase || state.finishing.is_some() {
        return Err(what());
    }
    let judge = state.judge_of_comments();
    let known = state.findings.iter_mut().find(|finding| finding.id == fact.finding);
    match known {
        Some(known) if fact.reopens && known.is_comment() && known.status != Status::Open => {
            fact.open_again(known);
        }
        None if !fact.reopens => state.findings.push(fact.finding(judge)),
        _ => return Err(what()),
    }
    state.flights_mut().for_each(|flight| flight.missed.push(fact.finding.clone()));
    if fact.severity == Severity::Blocker {
        state.unanswered.insert(fact.finding.clone());
        look_again(state);
    }
    Ok(())
}

/// What was approved, or accepted, is approved without what the person has said now. The first reviewer gets a round for
/// it, so that the comment is reviewed also where all rounds are used up.
fn look_again(state: &mut Loop) {
    state.unchanged = 0;
    state.refused = false;
    state.approved = None;
    let Some(first) = state.reviewers.first_mut() else { return };
    unask(first);
    if let Some(stage) = state.stages.get_mut(usize::from(first.stage)) {
        stage.closed = None;
        stage.granted = stage.granted.saturating_add(1);
    }
}

/// Takes back an approval, or a ruling in its place.
fn unask(seat: &mut Seat) {
    if seat.approved().is_some() || seat.ruled() {
        seat.standing = SeatStatus::Unasked;
    }
}

/// The author has worked: it was sent everything that it did not miss. Where nobody reviews, its word that it met a
/// comment has to do, if it changed something.
pub(super) fn worked_in(state: &mut Loop, missed: &[FindingId], changed: bool) {
    let sent: Vec<FindingId> = state.unanswered.iter().filter(|id| !missed.contains(id)).cloned().collect();
    state.unanswered.retain(|id| missed.contains(id));
    if !changed || !state.reviewers.is_empty() {
        return;
    }
    let declined = |id: &FindingId| state.disputes.get(id).is_some_and(|dispute| dispute.upheld.is_none());
    let met: Vec<FindingId> = sent.into_iter().filter(|id| !declined(id)).collect();
    for finding in state.findings.iter_mut().filter(|finding| met.contains(&finding.id)) {
        finding.status = Status::Fixed;
        finding.note = "worked in, by the author's own word: nobody reviews in this lane".to_owned();
    }
}

/// The first reviewer has approved nothing where a person's comment is still open: it was made meanwhile, or fresh eyes
/// found it open again. Its stage is then not closed either, so that it is asked.
pub(super) fn judged(state: &mut Loop) {
    if !state.findings.iter().any(Finding::is_open_comment) {
        return;
    }
    let Some(first) = state.reviewers.first_mut() else { return };
    unask(first);
    if let Some(stage) = state.stages.get_mut(usize::from(first.stage)) {
        stage.closed = None;
    }
}
