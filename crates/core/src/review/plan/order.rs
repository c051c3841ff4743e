//! The order for a dispatch: who is sent what, about which revision, and in which ways.

use super::super::seat::{OpenDispatch, Seat};
use super::super::state::Loop;
use super::{DispatchOrder, Effect};
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::verdict::Severity;

/// The order for a seat's next send; none when its attempts are used up, which becomes a question.
pub(super) fn dispatch(state: &Loop, seat: &Seat, purpose: Purpose) -> Option<Effect> {
    let work = seat.work.as_ref().filter(|work| work.purpose == purpose);
    if work.is_some_and(|work| work.is_spent(&state.opened.limits)) {
        return None;
    }
    let ticket = next_ticket(state, seat, purpose, work);
    let repairing = ticket.purpose == Purpose::Repair;
    let may_resume = seat.conversation.is_some()
        && !work.is_some_and(|work| work.fresh)
        && purpose != Purpose::Certify
        && !is_always_fresh(purpose)
        // A first draft has nothing to go on with, unless its author asked something and was answered.
        && (purpose != Purpose::Draft || state.answers.is_some())
        && !same_bytes_again(state, seat);
    let allowed = match repairing {
        true => vec![Strategy::Resume],
        // All that is looked back on is in the prompt.
        false if state.finishing.is_some() => vec![Strategy::Inline],
        false => {
            let mut allowed = vec![Strategy::Inline, Strategy::Lazy];
            allowed.extend(may_digest(state, seat, purpose).then_some(Strategy::Digest));
            allowed.extend(may_resume.then_some(Strategy::Resume));
            allowed
        }
    };
    Some(Effect::Dispatch(DispatchOrder {
        ticket,
        sees: state.revision.clone(),
        since: seat.anchor.clone(),
        conversation: seat.conversation.clone().filter(|_| allowed.contains(&Strategy::Resume)),
        findings: to_answer(state, seat, purpose).map(|finding| finding.id.clone()).collect(),
        allowed,
        needs: work.and_then(|work| work.needs.clone()),
        slot: None,
    }))
}

impl DispatchOrder {
    /// Whether a later dispatch may go on with the conversation that this one begins.
    pub fn begins_a_conversation(&self) -> bool {
        !is_always_fresh(self.ticket.purpose)
    }
}

/// Whether a dispatch never goes on with a conversation.
fn is_always_fresh(purpose: Purpose) -> bool {
    use Purpose::{Judge, Outline, Retro, Simplify};
    matches!(purpose, Simplify | Outline | Retro | Judge)
}

/// A part of the document is shown only where the loop says that this is enough, to a reviewer whose role has seen the
/// whole, and never to fresh eyes.
fn may_digest(state: &Loop, seat: &Seat, purpose: Purpose) -> bool {
    state.opened.may_digest()
        && matches!(purpose, Purpose::Review | Purpose::Validate)
        && seat.role != state.author.role
        && seat.judged.is_some()
        && seat.judged == seat.anchor
        && seat.anchor != state.revision
}

/// Policy `seed` asks a reviewer again about an unchanged document, and then in a fresh conversation.
fn same_bytes_again(state: &Loop, seat: &Seat) -> bool {
    state.opened.policy == Policy::Seed && seat.role != state.author.role && seat.anchor == state.revision
}

/// The findings a dispatch is asked about: what is open, a reviewer's own, everybody's for the author, none for fresh
/// eyes. A reviewer may also say that a blocker of its own that was put off is gone.
fn to_answer<'a>(state: &'a Loop, seat: &'a Seat, purpose: Purpose) -> impl Iterator<Item = &'a Finding> {
    let author = matches!(purpose, Purpose::Draft | Purpose::Revise);
    let asked = move |finding: &&Finding| match finding.status {
        Status::Open => true,
        Status::Deferred => !author && finding.severity == Severity::Blocker,
        Status::Fixed | Status::Withdrawn | Status::Ruled | Status::Overruled => false,
    };
    state
        .findings
        .iter()
        .filter(asked)
        .filter(move |finding| purpose != Purpose::Certify && (author || finding.role == seat.role))
}

fn next_ticket(state: &Loop, seat: &Seat, purpose: Purpose, work: Option<&OpenDispatch>) -> Ticket {
    let concluded = seat.rounds.get(&purpose).copied().unwrap_or(0);
    let (purpose, round, sent) = match work {
        Some(OpenDispatch { repair: Some(repair), .. }) => (Purpose::Repair, repair.round, repair.sent),
        Some(work) => (purpose, work.round, work.sent),
        None => (purpose, concluded + 1, 0),
    };
    let (phase, pass) = (state.opened.phase, state.opened.pass);
    let (scope, unit) = (state.scope.clone(), seat.unit.clone());
    Ticket { scope, phase, pass, unit, purpose, role: seat.role.clone(), round, attempt: sent + 1 }
}
