//! Folds the end of a feature into the state: its retrospective, and the judgement of older lessons.

use super::super::plan::{Effect, Need, need};
use super::super::seat::{Flight, Seat};
use super::super::state::Loop;
use super::{Rejected, conclude, rejected};
use redraft_facts::event::{BankJudged, RetroWritten};
use redraft_facts::ticket::Ticket;

pub(super) fn write_retro(state: &mut Loop, fact: &RetroWritten) -> Result<(), Rejected> {
    let what = || rejected("a retrospective");
    let owed = matches!(need(state), Need::Facilitator | Need::Effect(Effect::WriteRetro { .. }));
    let landed = landed(&mut state.author, fact.ticket.as_ref());
    if !owed || !landed {
        return Err(what());
    }
    let finishing = state.finishing.as_mut().ok_or_else(what)?;
    finishing.retro = Some(fact.clone());
    Ok(())
}

pub(super) fn judge_bank(state: &mut Loop, fact: &BankJudged) -> Result<(), Rejected> {
    let what = || rejected("a judgement of the knowledge bank");
    let owed = matches!(need(state), Need::Judge | Need::Effect(Effect::LeaveBank { .. }));
    let finishing = state.finishing.as_mut().ok_or_else(what)?;
    if !owed || !landed(&mut finishing.judge, fact.ticket.as_ref()) {
        return Err(what());
    }
    finishing.judged = Some(fact.clone());
    Ok(())
}

pub(super) fn apply_bank(state: &mut Loop) -> Result<(), Rejected> {
    if !matches!(need(state), Need::Effect(Effect::ApplyLessons)) {
        return Err(rejected("a change of the knowledge bank"));
    }
    state.finishing.iter_mut().for_each(|finishing| finishing.applied = true);
    Ok(())
}

/// Takes an answer out of flight; without a ticket there must be none.
fn landed(seat: &mut Seat, ticket: Option<&Ticket>) -> bool {
    let flight = seat.work.as_mut().and_then(|work| work.flight.take());
    let fits = match (ticket, flight) {
        (Some(ticket), Some(Flight { started, answered: Some(_), .. })) => started.ticket == *ticket,
        (None, None) => true,
        _ => false,
    };
    if fits {
        conclude(seat);
    }
    fits
}
