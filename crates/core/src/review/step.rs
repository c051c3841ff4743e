//! Folds stored facts into the state. Start at [`fold`].
//!
//! Here are dispatches, drafts, edits, gates and closes; [`judge`] has verdicts and [`decide`] a person's answers.
//! Nothing here says what comes next: that is [`super::plan`].

mod decide;
mod judge;
mod make;

use super::ask::question;
use super::finishing;
use super::implementing::{Implementing, diverges, settle};
use super::plan::{DispatchOrder, Effect, Need, need, pending};
use super::state::{CacheAfterDispatch, Conversation, Flight, Loop, LoopEnd, OpenDispatch, Seat, SeatStatus};
use decide::decide;
use judge::judge;
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::event::{
    AfterFailure, Answered, Certify, Checked, Compared, Drafted, Edited, Event, Failed, LEFT_INSTEAD, Lost,
    PhaseClosed, Question, Raised, StageClosed, Started,
};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};

/// Why a fact does not fit the state. The state is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} answers nothing that is pending")]
pub struct Rejected {
    pub what: String,
}

pub(super) fn rejected(what: impl Into<String>) -> Rejected {
    Rejected { what: what.into() }
}

pub fn step(state: &Loop, event: &Event) -> Result<Loop, Rejected> {
    let mut next = state.clone();
    fold(&mut next, event).map(|()| next)
}

/// Like [`step`], in place. After an error the state means nothing.
pub fn fold(state: &mut Loop, event: &Event) -> Result<(), Rejected> {
    if state.end.is_some() {
        return Err(rejected(format!("`{}` after the end of the loop", event.kind())));
    }
    match event {
        Event::Started(fact) => start(state, fact)?,
        Event::Answered(fact) => answer(state, fact)?,
        Event::Raised(fact) => raise(state, fact)?,
        Event::Failed(fact) => fail(state, fact)?,
        Event::Lost(fact) => lose(state, fact)?,
        Event::Drafted(fact) => draft(state, fact)?,
        Event::Built(fact) => make::build(state, fact)?,
        Event::TakenOut(fact) => make::take_out(state, fact)?,
        Event::RetroWritten(fact) => finishing::write_retro(state, fact)?,
        Event::BankJudged(fact) => finishing::judge_bank(state, fact)?,
        Event::BankApplied(_) => finishing::apply_bank(state)?,
        Event::Judged(fact) => judge(state, fact)?,
        Event::Edited(fact) => edit(state, fact)?,
        Event::Checked(fact) => check(state, fact)?,
        Event::Asked(fact) => {
            // The wording may be another version's; what is asked may not.
            let Question { pass, number, about, .. } = &fact.question;
            let same = |open: &Question| open.pass == *pass && open.number == *number && open.about == *about;
            if !question(state).is_some_and(|open| same(&open)) {
                return Err(rejected("a question"));
            }
        }
        Event::Decided(fact) => decide(state, fact)?,
        Event::StageClosed(fact) => close_stage(state, fact)?,
        Event::PhaseClosed(fact) => close_phase(state, fact)?,
        Event::Cancelled(_) => state.end = Some(LoopEnd::Abandoned),
        Event::FeatureCreated(_)
        | Event::LoopOpened(_)
        | Event::Adopted(_)
        | Event::LaneSet(_)
        | Event::PhaseSkipped(_)
        | Event::WentBack(_)
        | Event::Merged(_)
        | Event::Unblocked(_)
        | Event::AgentsMet(_)
        | Event::Probed(_)
        | Event::Redacted(_)
        | Event::Unreadable(_)
        | Event::BudgetSet(_)
        | Event::BudgetReached(_)
        | Event::CostCorrected(_) => {
            return Err(rejected(format!("`{}` inside a loop", event.kind())));
        }
    }
    Ok(())
}

fn start(state: &mut Loop, fact: &Started) -> Result<(), Rejected> {
    let what = || rejected(format!("the start of {}", fact.ticket));
    let ordered = pending(state).into_iter().find_map(|effect| match effect {
        Effect::Dispatch(order) if order.ticket == fact.ticket => Some(order),
        _ => None,
    });
    let DispatchOrder { sees, since, allowed, conversation, .. } = ordered.ok_or_else(what)?;
    let continued = conversation.map(|conversation| conversation.id);
    if fact.choice.strategy == Strategy::Resume && (continued.is_none() || continued != fact.session) {
        return Err(what());
    }
    if !allowed.contains(&fact.choice.strategy) || fact.sees != sees || fact.since != since {
        return Err(what());
    }
    let epoch = state.epoch;
    let (purpose, seat) = seat_for(state, &fact.ticket).ok_or_else(what)?;
    let number = usize::from(seat.stage);
    let work = seat.work.get_or_insert_with(|| OpenDispatch {
        purpose,
        round: fact.ticket.round,
        since: seat.judged.clone(),
        since_epoch: seat.judged_epoch,
        sent: 0,
        failures: 0,
        helpless: false,
        trouble: String::new(),
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
    work.flight = Some(Flight { started: fact.clone(), answered: None });
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
    let making = state.making.as_mut().and_then(|making| making.seat_for(&ticket.unit, ticket.purpose));
    let judge = state.finishing.as_mut().filter(|_| ticket.purpose == Purpose::Judge);
    let seat = if making.is_some() {
        making
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

fn answer(state: &mut Loop, fact: &Answered) -> Result<(), Rejected> {
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

fn raise(state: &mut Loop, fact: &Raised) -> Result<(), Rejected> {
    let what = || rejected(format!("the higher reservation of {}", fact.ticket));
    let work = state.seat_of_mut(&fact.ticket).and_then(|seat| seat.work.as_mut()).ok_or_else(what)?;
    let flight = work.flight.as_mut().filter(|flight| flight.answered.is_none()).ok_or_else(what)?;
    if fact.reserved <= flight.started.reserved {
        return Err(what());
    }
    flight.started.reserved = fact.reserved;
    Ok(())
}

fn fail(state: &mut Loop, fact: &Failed) -> Result<(), Rejected> {
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

fn lose(state: &mut Loop, fact: &Lost) -> Result<(), Rejected> {
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

/// The answer cannot be used: the attempt counts, and the next one starts a new conversation.
fn no_verdict(seat: &mut Seat) {
    seat.conversation = None;
    let Some(work) = seat.work.as_mut() else { return };
    work.failures += 1;
    work.fresh = true;
    if let Some(repair) = work.repair.take() {
        seat.rounds.insert(Purpose::Repair, repair.round);
    }
}

pub(super) fn conclude(seat: &mut Seat) {
    let Some(work) = seat.work.take() else { return };
    seat.rounds.insert(work.purpose, work.round);
    if let Some(repair) = work.repair {
        seat.rounds.insert(Purpose::Repair, repair.round);
    }
    seat.unavailable = None;
}

fn draft(state: &mut Loop, fact: &Drafted) -> Result<(), Rejected> {
    let what = || rejected(format!("the draft of {}", fact.ticket));
    let gate_failed = state.failed_gate().is_some();
    let diverged = make::mends_a_divergence(state);
    let author = &mut state.author;
    let work = author.work.as_mut().ok_or_else(what)?;
    let landed = |flight: &Flight| flight.started.ticket == fact.ticket && flight.answered.is_some();
    if !work.flight.as_ref().is_some_and(landed) {
        return Err(what());
    }
    work.flight = None;
    let Some(revision) = &fact.revision else {
        // It may ask once; asking again counts as having written nothing.
        if !fact.questions.is_empty() && state.questions.is_empty() && state.revision.is_none() {
            conclude(author);
            state.questions.clone_from(&fact.questions);
            return Ok(());
        }
        work.failures += 1;
        let instead = fact.notes.iter().find_map(|note| note.strip_prefix(LEFT_INSTEAD));
        work.trouble = match instead {
            Some(what) => format!("in the place of its document was {what}"),
            None if fact.questions.is_empty() => "it wrote nothing".to_owned(),
            None => "it asked again and wrote nothing".to_owned(),
        };
        return Ok(());
    };
    conclude(author);
    author.anchor = Some(revision.clone());
    if state.revision.as_ref() != Some(revision) {
        state.revision = Some(revision.clone());
        state.epoch += 1;
        state.unchanged = 0;
        state.summaries.push((state.epoch, fact.summary.clone()));
        make::mended(state, diverged);
    } else if state.opened.policy == Policy::Seed && !gate_failed {
        // The original rule: nothing to send as a delta, so the reviewers are asked afresh.
        state.epoch += 1;
        state.summaries.push((state.epoch, fact.summary.clone()));
    } else {
        state.unchanged += 1;
        state.forget_failed_checks();
    }
    state.author.anchor_epoch = state.epoch;
    Ok(())
}

fn edit(state: &mut Loop, fact: &Edited) -> Result<(), Rejected> {
    let same = state.revision.as_ref() == Some(&fact.revision);
    // To ask for the review of a change once more is to ask for its failed checks to be run once more, too.
    let anew = |compared: &Compared| state.base() != Some(&compared.base) || state.failed_gate().is_some();
    if state.flights().next().is_some() || (same && !fact.compared.as_ref().is_some_and(anew)) {
        return Err(rejected(format!("the edit {}", fact.revision.short())));
    }
    let epoch = if same { state.epoch } else { state.epoch + 1 };
    if let Some(Compared { base, intent, said }) = &fact.compared {
        state.bases.push((epoch, base.clone()));
        state.intent.clone_from(intent);
        state.summaries.extend((!same && !said.is_empty()).then(|| (epoch, said.clone())));
    }
    if same {
        // What was judged is as it was; only what it is compared with may be another.
        state.forget_failed_checks();
        state.failed_gates = 0;
        return Ok(());
    }
    state.revision = Some(fact.revision.clone());
    state.epoch = epoch;
    state.unchanged = 0;
    state.failed_gates = 0;
    state.refused = false;
    // Work that was about the older revision is over; its round is not used again.
    conclude(&mut state.author);
    conclude(&mut state.certifier);
    state.making.iter_mut().flat_map(Implementing::seats_mut).for_each(conclude);
    state.finishing.iter_mut().for_each(|finishing| conclude(&mut finishing.judge));
    for seat in &mut state.reviewers {
        let unavailable = seat.unavailable.take();
        conclude(seat);
        seat.unavailable = unavailable;
        // A ruling is about the revision a person accepted. What they changed afterwards is seen by the role if its
        // stage has rounds left, and otherwise asked about again: it never closes a stage in silence. What the
        // author changes later, for other reviewers, stays covered: it was ordered by the loop that was ruled on.
        if matches!(seat.standing, SeatStatus::Ruled { revision: Some(_) }) {
            seat.standing = SeatStatus::Unasked;
            state.stages[usize::from(seat.stage)].closed = None;
        }
    }
    // What they went back to may have passed the gates already.
    settle(state);
    Ok(())
}

fn check(state: &mut Loop, fact: &Checked) -> Result<(), Rejected> {
    let wanted = match need(state) {
        Need::Effect(Effect::Check { revision, gate, empty }) => {
            (revision, gate) == (fact.revision.clone(), fact.gate.clone())
                // A result that would be due again at once does not count.
                && (!empty || !fact.passed || fact.is_of_the_commit_alone())
        }
        _ => false,
    };
    if fact.pass != state.opened.pass || !wanted {
        return Err(rejected(format!("the result of {}", fact.gate)));
    }
    state.gates.insert(fact.gate.clone(), fact.clone());
    state.failed_gates = match fact.passed {
        true => 0,
        // Tests that disagree with the code have a limit of their own.
        false if diverges(state) => state.failed_gates,
        false => state.failed_gates + 1,
    };
    settle(state);
    Ok(())
}

fn close_stage(state: &mut Loop, fact: &StageClosed) -> Result<(), Rejected> {
    let StageClosed { pass, stage, outcome, round, revision } = fact.clone();
    let wanted = Effect::CloseStage { stage, outcome, round, revision };
    let due = pass == state.opened.pass && state.flights().next().is_none();
    if !due || !matches!(need(state), Need::Effect(effect) if effect == wanted) {
        return Err(rejected(format!("the close of stage {}", stage + 1)));
    }
    state.stages[usize::from(stage)].closed = Some(fact.clone());
    Ok(())
}

fn close_phase(state: &mut Loop, fact: &PhaseClosed) -> Result<(), Rejected> {
    let wanted = Effect::ClosePhase { revision: fact.revision.clone() };
    let due =
        state.flights().next().is_none() && matches!(need(state), Need::Effect(effect) if effect == wanted);
    let one_revision = state.opened.certify == Certify::Off
        || fact.approvals.iter().all(|approval| approval.revision == fact.revision);
    // The close of an earlier pass may name the same revision, but not those who have approved it now.
    let own = (fact.phase, fact.pass) == (state.opened.phase, state.opened.pass);
    if !due || !one_revision || !own {
        return Err(rejected(format!("the close of {}", fact.phase)));
    }
    state.end = Some(LoopEnd::Closed(fact.clone()));
    Ok(())
}
