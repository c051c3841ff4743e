//! How a feature ends: the result of the merge is checked, then what was learnt is written down, then older lessons are
//! compared with it.
//!
//! ```text
//!   gates of the merge result ──► retro ──► retro-written ──► judge ──► bank-judged ──► close
//!          │ failed: a person                 ▲ without words, where nobody can write them
//! ```
//!
//! The revision of this loop is the tree a merge would give, without what the loop itself writes. No agent is waited
//! for: a retrospective that cannot be written in words is written in figures, and a judgement that cannot be had
//! leaves the bank as it is.

use super::ask::ask;
use super::implementing::gate_need;
use super::plan::{Effect, Need, need};
use super::state::{Flight, Loop, Seat};
use super::step::{Rejected, conclude, rejected};
use redraft_facts::event::{About, BankJudged, LoopOpened, RetroWritten};
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finishing {
    /// The facilitator once more, in a conversation of its own.
    pub judge: Seat,
    pub retro: Option<RetroWritten>,
    pub judged: Option<BankJudged>,
    /// Whether the proposal is to be carried out, once a person has decided.
    pub wanted: Option<bool>,
    pub applied: bool,
}

impl Finishing {
    /// None where the loop is about something else.
    pub(super) fn new(opened: &LoopOpened, earlier: Option<&Finishing>) -> Option<Finishing> {
        let judge = Seat::new(opened.author.clone(), 'A', 0);
        let (retro, judged) =
            earlier.map(|known| (known.retro.clone(), known.judged.clone())).unwrap_or_default();
        let (wanted, applied) = earlier.map(|known| (known.wanted, known.applied)).unwrap_or_default();
        (opened.phase == Phase::Finish).then_some(Finishing { judge, retro, judged, wanted, applied })
    }
}

/// What comes next, in order.
pub(super) fn finish_need(state: &Loop, finishing: &Finishing, revision: &Revision) -> Need {
    let gates = gate_need(state, revision, true, || Need::Effect(Effect::Ask(ask(state, About::Gate))));
    if let Some(need) = gates {
        return need;
    }
    let Some(retro) = &finishing.retro else {
        return match given_up(state, &state.author) {
            Some(why) => Need::Effect(Effect::WriteRetro { why }),
            None => Need::Facilitator,
        };
    };
    if !retro.relevant.is_empty() && finishing.judged.is_none() {
        return match given_up(state, &finishing.judge) {
            Some(why) => Need::Effect(Effect::LeaveBank { why }),
            None => Need::Judge,
        };
    }
    let proposed = finishing.judged.as_ref().is_some_and(BankJudged::proposes);
    match (proposed, finishing.wanted) {
        (true, None) => Need::Effect(Effect::Ask(ask(state, About::Lessons))),
        (true, Some(true)) if !finishing.applied => Need::Effect(Effect::ApplyLessons),
        _ => Need::Effect(Effect::ClosePhase { revision: revision.clone() }),
    }
}

pub(super) fn apply_bank(state: &mut Loop) -> Result<(), Rejected> {
    if !matches!(need(state), Need::Effect(Effect::ApplyLessons)) {
        return Err(rejected("a change of the knowledge bank"));
    }
    state.finishing.iter_mut().for_each(|finishing| finishing.applied = true);
    Ok(())
}

/// Why the seat is not sent to any more.
fn given_up(state: &Loop, seat: &Seat) -> Option<String> {
    let work = seat.work.as_ref().filter(|work| work.is_spent(&state.opened.limits))?;
    Some(if work.trouble.is_empty() { "it gave no answer".to_owned() } else { work.trouble.clone() })
}

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

/// Takes an answer out of flight; without a ticket there must be none.
fn landed(seat: &mut Seat, ticket: Option<&Ticket>) -> bool {
    let flight = seat.work.as_mut().and_then(|work| work.flight.take());
    let fits = match (ticket, flight) {
        (Some(ticket), Some(Flight { started, answered: Some(_) })) => started.ticket == *ticket,
        (None, None) => true,
        _ => false,
    };
    if fits {
        conclude(seat);
    }
    fits
}
