//! Folds dispatches into the state: how each began, what became of it, and what its conversation holds now.

use super::super::plan::{DispatchOrder, Effect, pending};
use super::super::seat::{CacheAfterDispatch, Conversation, Flight, OpenDispatch, Seat};
use super::super::state::Loop;
use super::{Rejected, conclude, no_verdict, rejected};
use redraft_facts::choice::Strategy;
use redraft_facts::event::{AfterFailure, Answered, Failed, Lost, Raised, Started};
use redraft_facts::prelude::*;
use redraft_facts::probed::Recall;
use redraft_facts::ticket::{Purpose, Ticket};

fn order_of(state: &Loop, fact: &Started) -> Option<DispatchOrder> {
    pending(state).into_iter().find_map(|effect| match effect {
        Effect::Dispatch(order) if order.ticket == fact.ticket => Some(order),
        _ => None,
    })
}

pub(super) fn start(state: &mut Loop, fact: &Started) -> Result<(), Rejected> {
    let what = || rejected(format!("the start of {}", fact.ticket));
    let ordered = order_of(state, fact).or_else(|| {
        // Ledgers from before the deeper tests came first.
        let implementing = state.implementing.as_ref()?.simplifying_first()?;
        let first = fact.ticket.purpose == Purpose::Simplify;
        let earlier = Loop { implementing: Some(implementing), ..state.clone() };
        let order = order_of(&earlier, fact).filter(|_| first)?;
        *state = earlier;
        Some(order)
    });
    let DispatchOrder { sees, since, allowed, conversation, slot, .. } = ordered.ok_or_else(what)?;
    let continued = conversation.map(|conversation| conversation.id);
    if fact.choice.strategy == Strategy::Resume && (continued.is_none() || continued != fact.session) {
        return Err(what());
    }
    if !allowed.contains(&fact.choice.strategy)
        || fact.sees != sees
        || fact.since != since
        || fact.slot.as_ref().map(|slot| slot.number) != slot
    {
        return Err(what());
    }
    let epoch = state.epoch;
    let (purpose, seat) = seat_for(state, &fact.ticket).ok_or_else(what)?;
    let number = usize::from(seat.stage);
    // What it was asked before, and a person's comment has made another question, is over.
    let is_repair = fact.ticket.purpose == Purpose::Repair;
    let over = |work: &OpenDispatch| work.purpose != purpose && work.flight.is_none() && !is_repair;
    if seat.work.as_ref().is_some_and(over) {
        let unavailable = seat.unavailable.take();
        conclude(seat);
        seat.unavailable = unavailable;
    }
    let work = seat.work.get_or_insert_with(|| OpenDispatch {
        purpose,
        round: fact.ticket.round,
        since: seat.judged.clone(),
        since_epoch: seat.judged_epoch,
        sent: 0,
        failures: 0,
        helpless: false,
        trouble: String::new(),
        void: None,
        fresh: false,
        needs: None,
        repairs: 0,
        repair: None,
        insists: false,
        flight: None,
    });
    match &mut work.repair {
        Some(repair) => repair.sent = fact.ticket.attempt,
        None => {
            work.sent = fact.ticket.attempt;
            work.repairs = 0;
        }
    }
    work.flight = Some(Flight { started: fact.clone(), answered: None, missed: Vec::new() });
    let stage = state.stages.get_mut(number);
    if let Some(stage) = stage.filter(|stage| purpose == Purpose::Review && stage.counted != Some(epoch)) {
        stage.rounds += 1;
        stage.counted = Some(epoch);
    }
    Ok(())
}

/// The seat a new ticket is for, and what it is working on: a repair works on what it repairs.
fn seat_for<'a>(state: &'a mut Loop, ticket: &Ticket) -> Option<(Purpose, &'a mut Seat)> {
    let repairing = |seat: &Seat| seat.work.as_ref().is_some_and(|work| work.repair.is_some());
    let certifying = match ticket.purpose {
        Purpose::Repair => repairing(&state.certifier),
        _ => ticket.purpose == Purpose::Certify,
    };
    let implementing = state
        .implementing
        .as_mut()
        .and_then(|implementing| implementing.seat_for(&ticket.unit, ticket.purpose));
    let judge = state.finishing.as_mut().filter(|_| ticket.purpose == Purpose::Judge);
    let seat = if implementing.is_some() {
        implementing
    } else if let Some(finishing) = judge {
        Some(&mut finishing.judge)
    } else if certifying {
        Some(&mut state.certifier)
    } else if ticket.role == state.author.role {
        Some(&mut state.author)
    } else {
        state.reviewers.iter_mut().find(|seat| seat.role == ticket.role)
    }?;
    let purpose = match &seat.work {
        Some(work) if ticket.purpose == Purpose::Repair => work.purpose,
        _ => ticket.purpose,
    };
    Some((purpose, seat))
}

pub(super) fn answer(state: &mut Loop, fact: &Answered) -> Result<(), Rejected> {
    let what = || rejected(format!("the answer to {}", fact.ticket));
    let epoch = state.epoch;
    if fact.hand.as_ref().is_some_and(|hand| hand.same) && !state.allows_same_hand(&fact.ticket) {
        return Err(what());
    }
    let writes = !fact.ticket.purpose.judges() && fact.ticket.purpose != Purpose::Outline;
    let writer = fact.hand.as_ref().filter(|_| writes).map(|hand| hand.conversation.clone());
    let seat = state.seat_of_mut(&fact.ticket).ok_or_else(what)?;
    let work = seat.work.as_mut().ok_or_else(what)?;
    let flight = work.flight.as_mut().filter(|flight| flight.answered.is_none()).ok_or_else(what)?;
    if fact.hand.is_some() != flight.started.pull {
        return Err(what());
    }
    flight.answered = Some(fact.clone());
    let started = &flight.started;
    let earlier = seat.conversation.take().filter(|_| started.choice.strategy == Strategy::Resume);
    seat.conversation = fact.session.clone().map(|id| match earlier {
        Some(earlier) => Conversation { id, ..earlier },
        None => Conversation {
            id,
            agent: started.agent.clone(),
            first_chars: started.prompt_chars,
            context_chars: started.context_chars,
            // What was shown in part was not seen.
            first_seen: started.sees.clone().filter(|_| started.choice.strategy != Strategy::Digest),
            code: match &started.recall {
                Some(Recall::Gives(code)) => Some(code.clone()),
                Some(Recall::Asks(_)) | None => None,
            },
        },
    });
    seat.left = started.choice.prediction.as_ref().map(|prediction| CacheAfterDispatch {
        ticket: started.ticket.clone(),
        agent: started.agent.clone(),
        cached: prediction.leaves.billed(&prediction.usage, &fact.usage),
    });
    seat.anchor = started.sees.clone();
    seat.anchor_epoch = epoch;
    state.writers.extend(writer);
    Ok(())
}

pub(super) fn raise(state: &mut Loop, fact: &Raised) -> Result<(), Rejected> {
    let what = || rejected(format!("the higher reservation of {}", fact.ticket));
    let work = state.seat_of_mut(&fact.ticket).and_then(|seat| seat.work.as_mut()).ok_or_else(what)?;
    let flight = work.flight.as_mut().filter(|flight| flight.answered.is_none()).ok_or_else(what)?;
    if fact.reserved <= flight.started.reserved {
        return Err(what());
    }
    flight.started.reserved = fact.reserved;
    Ok(())
}

pub(super) fn fail(state: &mut Loop, fact: &Failed) -> Result<(), Rejected> {
    let Landed { seat, repairing, flight } = land(state, &fact.ticket)?;
    let Some(work) = seat.work.as_mut() else { return Err(rejected("a failure")) };
    match fact.now {
        // Nothing was wrong with the attempt: the same is due again, once the limit has ended.
        AfterFailure::ParkUntil(_) => return Ok(()),
        // The same is due again, once there is money for it.
        AfterFailure::OverBudget(needs) => {
            work.needs = Some((flight.started.agent, needs));
            return Ok(());
        }
        AfterFailure::Wait(_)
        | AfterFailure::GiveUp
        | AfterFailure::AskPerson
        | AfterFailure::FreshSession => {}
    }
    work.trouble.clone_from(&fact.detail);
    if repairing {
        no_verdict(seat);
        return Ok(());
    }
    work.failures += 1;
    match fact.now {
        AfterFailure::Wait(_)
        | AfterFailure::GiveUp
        | AfterFailure::ParkUntil(_)
        | AfterFailure::OverBudget(_) => {}
        AfterFailure::AskPerson => work.helpless = true,
        AfterFailure::FreshSession => {
            work.fresh = true;
            seat.conversation = None;
            seat.unavailable = Some(fact.detail.clone());
        }
    }
    Ok(())
}

pub(super) fn lose(state: &mut Loop, fact: &Lost) -> Result<(), Rejected> {
    land(state, &fact.ticket).map(|_| ())
}

/// A ticket that was not answered.
struct Landed<'a> {
    seat: &'a mut Seat,
    repairing: bool,
    flight: Flight,
}

/// Takes a ticket that was not answered out of flight.
fn land<'a>(state: &'a mut Loop, ticket: &Ticket) -> Result<Landed<'a>, Rejected> {
    let what = || rejected(format!("the end of {ticket}"));
    let seat = state.seat_of_mut(ticket).ok_or_else(what)?;
    let work = seat.work.as_mut().ok_or_else(what)?;
    let flight = work.flight.take_if(|flight| flight.answered.is_none()).ok_or_else(what)?;
    Ok(Landed { seat, repairing: ticket.purpose == Purpose::Repair, flight })
}
