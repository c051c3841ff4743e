//! What a loop leaves behind when it closes, and what judging one of its answers requires.

use super::super::seat::SeatStatus;
use super::super::state::Loop;
use super::shown_round;
use redraft_facts::event::{Approval, PhaseClosed};
use redraft_facts::findings::Status;
use redraft_facts::ids::{FindingId, Revision};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};

/// The close of a loop at this revision: who approved it, what it leaves behind.
pub fn closing(state: &Loop, revision: Revision) -> PhaseClosed {
    let approvals = state.reviewers.iter().filter_map(|seat| match &seat.standing {
        SeatStatus::Approved { revision, ticket, same_hand, .. } => Some(Approval {
            role: seat.role.clone(),
            revision: revision.clone(),
            ticket: ticket.clone(),
            same_hand: *same_hand,
        }),
        SeatStatus::Unasked | SeatStatus::Rejected { .. } | SeatStatus::Ruled { .. } => None,
    });
    let with = |status| {
        let chosen = state.findings.iter().filter(move |finding| finding.status == status);
        chosen.map(|finding| finding.id.clone()).collect()
    };
    PhaseClosed {
        phase: state.opened.phase,
        pass: state.opened.pass,
        revision,
        approvals: approvals.collect(),
        deferred: with(Status::Deferred),
        ruled: with(Status::Ruled),
        overruled: with(Status::Overruled),
    }
}

/// What judging an answered ticket requires from the loop.
pub struct CaseFacts {
    pub letter: char,
    pub round: u16,
    /// Whether the answer is about changes only, so that new findings elsewhere are put off.
    pub since: Option<Revision>,
    /// What code was compared with then; what has changed since only in its base is not a change of its own.
    pub base_then: Option<Revision>,
    pub repair_left: bool,
    /// Whether a role without a conversation, which cannot be asked to repair anything, may be asked anew.
    pub retry_left: bool,
    /// Findings that were raised while it was at work, so that it cannot have answered them.
    pub missed: Vec<FindingId>,
}

pub fn case_for(state: &Loop, ticket: &Ticket) -> Option<CaseFacts> {
    let seat = state.seat_of(ticket)?;
    let work = seat.work.as_ref()?;
    let since = match work.purpose {
        // Where the role stood before this round, whatever it was shown since.
        Purpose::Review => work.since.clone(),
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Validate
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => None,
    };
    let (limits, lasts) = (&state.opened.limits, seat.conversation.is_some());
    Some(CaseFacts {
        letter: seat.letter,
        round: shown_round(state, seat, work.purpose),
        since,
        base_then: state.base_at(work.since_epoch).cloned(),
        repair_left: work.repairs < limits.repairs && lasts,
        retry_left: work.failures == 0 && limits.repairs > 0 && limits.attempts > 1 && !lasts,
        missed: work.flight.as_ref().map(|flight| flight.missed.clone()).unwrap_or_default(),
    })
}
