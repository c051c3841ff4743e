//! Folds disagreement about findings into the state: an author declines, a reviewer answers, a person decides.

use super::super::dispute::Upheld;
use super::super::seat::{Seat, SeatStatus};
use super::super::state::Loop;
use redraft_facts::event::{About, Decided, Decision, Declined};
use redraft_facts::findings::Status;
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::prelude::*;

/// Keeps what the author says to findings that stand in the way. Whether it answers one of those for which it was asked:
/// a finding that a reviewer has not looked at since it was left open in an earlier pass is not among them.
pub(super) fn decline(state: &mut Loop, declined: &[Declined]) -> bool {
    let mut answers = false;
    for Declined { id, why } in declined.iter().filter(|declined| !declined.why.trim().is_empty()) {
        let open = state.findings.iter().find(|finding| finding.id == *id);
        let Some(finding) = open.filter(|finding| finding.blocks(state.opened.rule)) else { continue };
        let rejects = state.reviewer(&finding.role).is_some_and(|seat| seat.rejected_in(state.epoch));
        answers |= state.disputes.entry(id.clone()).or_default().decline(why) && rejects;
    }
    answers
}

/// The author left everything as it is, with reasons. Reviewers who have not heard them are asked once more about the
/// same revision, which uses up a round; the others still reject.
pub(super) fn put_to_reviewers(state: &mut Loop) {
    let rejecting = state.reviewers.iter().filter(|seat| seat.rejected_in(state.epoch));
    let (hear, insist): (Vec<&Seat>, Vec<&Seat>) = rejecting.partition(|seat| state.has_unheard(&seat.role));
    if hear.is_empty() {
        return;
    }
    let insist: Vec<Role> = insist.into_iter().map(|seat| seat.role.clone()).collect();
    state.epoch += 1;
    let now = state.epoch;
    for seat in state.reviewers.iter_mut().filter(|seat| insist.contains(&seat.role)) {
        if let SeatStatus::Rejected { epoch, .. } = &mut seat.standing {
            *epoch = now;
        }
    }
}

/// A reviewer has given a verdict: what it keeps, it keeps in spite of the reply.
pub(super) fn answered(state: &mut Loop, role: &Role) {
    forget_settled(state);
    for finding in state.findings.iter().filter(|finding| finding.role == *role) {
        if let Some(dispute) = state.disputes.get_mut(&finding.id) {
            dispute.keep(&finding.note);
        }
    }
}

/// A person changed the text: the reviewer judges that, and the author has the next word.
pub(super) fn edited(state: &mut Loop) {
    state.disputes.values_mut().for_each(|dispute| dispute.again = None);
}

/// A person says that a finding holds, and with it what others found of the same defect: the author must change the file.
pub(super) fn uphold(state: &mut Loop, fact: &Decided) {
    state.unchanged = 0;
    let About::Disagreement { finding: disputed } = &fact.about else { return };
    for id in core::iter::once(disputed).chain(&fact.upheld) {
        let Some(finding) = state.findings.iter_mut().find(|finding| finding.id == *id) else { continue };
        let (by, why) = (fact.by.clone(), fact.why.clone());
        finding.note = format!("upheld by {by}: {why}");
        if finding.is_open_comment() {
            state.unanswered.insert(id.clone());
        }
        if finding.blocks(state.opened.rule) {
            state.disputes.entry(id.clone()).or_default().upheld = Some(Upheld { by, why });
        }
    }
}

/// A person says that findings do not hold, or with `accept` that they are lived with. A role that rejected the current
/// revision for nothing else has approved it, or is ruled on; one that has not seen this revision is asked as ever.
pub(super) fn settle(state: &mut Loop, fact: &Decided) {
    state.unchanged = 0;
    let overrules = fact.choice == Decision::Overrule;
    for finding in state.findings.iter_mut().filter(|finding| fact.ruled.contains(&finding.id)) {
        (finding.status, finding.note) = match overrules {
            true => (Status::Overruled, format!("{}: {}", fact.by, fact.why)),
            false => (Status::Ruled, fact.why.clone()),
        };
    }
    forget_settled(state);
    release(state, fact);
}

/// Takes back the rejections that rested on nothing but what a person has settled.
pub(super) fn release(state: &mut Loop, fact: &Decided) {
    let overrules = fact.choice == Decision::Overrule;
    let ruled = state.findings.iter().filter(|finding| fact.ruled.contains(&finding.id));
    let roles: BTreeSet<Role> = ruled.map(|finding| finding.role.clone()).collect();
    for role in roles {
        let revision = state.revision.clone();
        let (Some(seat), Some(revision)) = (without_grounds(state, &role), revision) else { continue };
        seat.standing = match seat.standing.clone() {
            SeatStatus::Rejected { ticket, fresh, same_hand, .. } if overrules => {
                SeatStatus::Approved { revision, ticket, fresh, same_hand }
            }
            _ => SeatStatus::Ruled { revision: fact.revision.clone() },
        };
    }
}

/// The seat of a role whose rejection of the current revision rests on nothing any more.
fn without_grounds<'a>(state: &'a mut Loop, role: &Role) -> Option<&'a mut Seat> {
    if state.blocking(role).next().is_some() {
        return None;
    }
    let epoch = state.epoch;
    state.reviewers.iter_mut().find(|seat| seat.role == *role && seat.rejected_in(epoch))
}

/// What no longer stands in the way is disputed by nobody.
pub(super) fn forget_settled(state: &mut Loop) {
    let (findings, rule) = (&state.findings, state.opened.rule);
    let stands = |id: &FindingId| findings.iter().any(|finding| finding.id == *id && finding.blocks(rule));
    state.disputes.retain(|id, _| stands(id));
}
