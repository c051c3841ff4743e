//! How a stored fact changes the state.

use super::plan::{Effect, Need, Order, need, pending, question};
use super::state::{Conversation, End, Flight, Loop, Repair, Seat, Standing, Work};
use crate::event::{
    About, Answered, Certify, Checked, Decided, Decision, Drafted, Edited, Event, Failed, Judged, Judgement,
    Lost, Now, PhaseClosed, StageClosed, Started,
};
use crate::findings::{self, FindingChange, Status};
use crate::ids::Role;
use crate::policy::{Policy, Strategy};
use crate::prelude::*;
use crate::ticket::{Purpose, Ticket};
use crate::verdict::Severity;

/// Why a fact does not fit the state. The state is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} answers nothing that is pending")]
pub struct Rejected {
    pub what: String,
}

fn rejected(what: impl Into<String>) -> Rejected {
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
        Event::Failed(fact) => fail(state, fact)?,
        Event::Lost(fact) => lose(state, fact)?,
        Event::Drafted(fact) => draft(state, fact)?,
        Event::Judged(fact) => judge(state, fact)?,
        Event::Edited(fact) => edit(state, fact)?,
        Event::Checked(fact) => check(state, fact)?,
        Event::Asked(fact) => {
            if question(state).is_none_or(|question| question != fact.question) {
                return Err(rejected("a question"));
            }
        }
        Event::Decided(fact) => decide(state, fact)?,
        Event::StageClosed(fact) => close_stage(state, fact)?,
        Event::PhaseClosed(fact) => close_phase(state, fact)?,
        Event::Cancelled(_) => state.end = Some(End::Abandoned),
        Event::FeatureCreated(_) | Event::LoopOpened(_) | Event::Trusted(_) => {
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
    let Order { sees, since, allowed, conversation, .. } = ordered.ok_or_else(what)?;
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
    let work = seat.work.get_or_insert_with(|| Work {
        purpose,
        round: fact.ticket.round,
        since: since.clone(),
        sent: 0,
        failures: 0,
        fresh: false,
        repairs: 0,
        repair: None,
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
    let stage = &mut state.stages[number];
    if purpose == Purpose::Review && stage.counted != Some(epoch) {
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
    let seat = if certifying {
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
    let seat = state.seat_of_mut(&fact.ticket).ok_or_else(what)?;
    let work = seat.work.as_mut().ok_or_else(what)?;
    let flight = work.flight.as_mut().filter(|flight| flight.answered.is_none()).ok_or_else(what)?;
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
            first_seen: started.sees.clone(),
        },
    });
    seat.anchor = started.sees.clone();
    seat.anchor_epoch = epoch;
    Ok(())
}

fn fail(state: &mut Loop, fact: &Failed) -> Result<(), Rejected> {
    let attempts = state.opened.limits.attempts;
    let (seat, repairing) = land(state, &fact.ticket)?;
    let Some(work) = seat.work.as_mut() else { return Err(rejected("a failure")) };
    if matches!(fact.now, Now::ParkUntil(_)) {
        // Nothing was wrong with the attempt: the same is owed again, once the limit has ended.
        return Ok(());
    }
    if repairing {
        no_verdict(seat);
        return Ok(());
    }
    work.failures += 1;
    match fact.now {
        Now::Wait(_) | Now::GiveUp | Now::ParkUntil(_) => {}
        Now::AskPerson => work.failures = attempts,
        Now::FreshSession => {
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

/// Takes a ticket that was not answered out of flight. True when it was a repair.
fn land<'a>(state: &'a mut Loop, ticket: &Ticket) -> Result<(&'a mut Seat, bool), Rejected> {
    let what = || rejected(format!("the end of {ticket}"));
    let seat = state.seat_of_mut(ticket).ok_or_else(what)?;
    let work = seat.work.as_mut().ok_or_else(what)?;
    if work.flight.as_ref().is_none_or(|flight| flight.answered.is_some()) {
        return Err(what());
    }
    work.flight = None;
    Ok((seat, ticket.purpose == Purpose::Repair))
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

fn conclude(seat: &mut Seat) {
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
    let author = &mut state.author;
    let work = author.work.as_mut().ok_or_else(what)?;
    let landed = |flight: &Flight| flight.started.ticket == fact.ticket && flight.answered.is_some();
    if !work.flight.as_ref().is_some_and(landed) {
        return Err(what());
    }
    work.flight = None;
    let Some(revision) = &fact.revision else {
        work.failures += 1;
        return Ok(());
    };
    conclude(author);
    author.anchor = Some(revision.clone());
    if state.revision.as_ref() != Some(revision) {
        state.revision = Some(revision.clone());
        state.epoch += 1;
        state.unchanged = 0;
        state.summaries.push((state.epoch, fact.summary.clone()));
    } else if state.opened.policy == Policy::Seed && !gate_failed {
        // The original rule: nothing to send as a delta, so the reviewers are asked afresh.
        state.epoch += 1;
        state.summaries.push((state.epoch, fact.summary.clone()));
    } else {
        state.unchanged += 1;
    }
    state.author.anchor_epoch = state.epoch;
    Ok(())
}

fn judge(state: &mut Loop, fact: &Judged) -> Result<(), Rejected> {
    let what = || rejected(format!("the judgement of {}", fact.ticket));
    let epoch = state.epoch;
    let author = state.author.role.clone();
    let seat = state.seat_of_mut(&fact.ticket).filter(|seat| seat.role != author).ok_or_else(what)?;
    let work = seat.work.as_mut().ok_or_else(what)?;
    let flight = work.flight.take().filter(|flight| flight.answered.is_some()).ok_or_else(what)?;
    let purpose = work.purpose;
    match &fact.judgement {
        Judgement::Repair { why }
            if seat.conversation.is_some() && fact.ticket.purpose != Purpose::Repair =>
        {
            let round = seat.rounds.get(&Purpose::Repair).copied().unwrap_or(0) + 1;
            work.repairs += 1;
            work.repair = Some(Repair { why: why.clone(), round, sent: 0 });
            return Ok(());
        }
        Judgement::Repair { .. } | Judgement::NoVerdict { .. } => {
            no_verdict(seat);
            return Ok(());
        }
        Judgement::Approved | Judgement::Rejected => {}
    }
    let approved = fact.judgement == Judgement::Approved;
    let (role, number) = (seat.role.clone(), usize::from(seat.stage));
    let revision = flight.started.sees.clone().ok_or_else(what)?;
    let fresh = seat.conversation.as_ref().is_none_or(|talk| talk.first_seen.as_ref() == Some(&revision));
    conclude(seat);
    if purpose != Purpose::Certify {
        seat.standing = match approved {
            true => Standing::Approved { revision: revision.clone(), ticket: fact.ticket.clone(), fresh },
            false => Standing::Rejected { epoch, purpose },
        };
    }
    findings::apply(&mut state.findings, &fact.changes);
    if fact.late && !state.late.contains(&epoch) {
        state.late.push(epoch);
    }
    if purpose == Purpose::Certify {
        certificate(state, fact, &role, approved);
        return Ok(());
    }
    let stage = &mut state.stages[number];
    if !approved && purpose == Purpose::Validate {
        if stage.counted != Some(epoch) {
            stage.rounds = (stage.rounds + 1).min(state.opened.limits.rounds);
            stage.counted = Some(epoch);
        }
        stage.closed = None;
    }
    let rounds = stage.rounds;
    if let Some(seat) = state.reviewers.iter_mut().find(|seat| seat.role == role) {
        seat.last_round = rounds;
    }
    Ok(())
}

/// Fresh eyes have spoken: they sign, reopen the phase, or leave the rest to a person.
fn certificate(state: &mut Loop, fact: &Judged, role: &Role, approved: bool) {
    state.certifier.conversation = None;
    state.certifier.anchor = None;
    if approved {
        state.signed.clone_from(&state.revision);
        return;
    }
    if state.reopened < state.opened.limits.reopenings {
        state.reopened += 1;
        let epoch = state.epoch;
        if let Some(seat) = state.reviewers.iter_mut().find(|seat| seat.role == *role) {
            seat.standing = Standing::Rejected { epoch, purpose: Purpose::Certify };
            state.stages[usize::from(seat.stage)].closed = None;
        }
        return;
    }
    for change in &fact.changes {
        let FindingChange::Raised(raised) = change else { continue };
        let below = state.findings.iter_mut().find(|f| f.id == raised.id && f.severity < Severity::Blocker);
        if let Some(finding) = below {
            finding.status = Status::Deferred;
        }
    }
    let mut open = state.findings.iter().filter(|finding| finding.role == *role);
    state.refused = open.any(|finding| finding.blocks(state.opened.rule));
    if !state.refused {
        state.signed.clone_from(&state.revision);
    }
}

fn edit(state: &mut Loop, fact: &Edited) -> Result<(), Rejected> {
    if state.flights().next().is_some() || state.revision.as_ref() == Some(&fact.revision) {
        return Err(rejected(format!("the edit {}", fact.revision.short())));
    }
    state.revision = Some(fact.revision.clone());
    state.epoch += 1;
    state.unchanged = 0;
    state.failed_gates = 0;
    state.refused = false;
    // Work that was about the older revision is over; its round is not used again.
    conclude(&mut state.author);
    conclude(&mut state.certifier);
    for seat in &mut state.reviewers {
        let unavailable = seat.unavailable.take();
        conclude(seat);
        seat.unavailable = unavailable;
    }
    Ok(())
}

fn check(state: &mut Loop, fact: &Checked) -> Result<(), Rejected> {
    let wanted = Effect::Check { revision: fact.revision.clone(), gate: fact.gate.clone() };
    let due = fact.pass == state.opened.pass;
    if !due || !matches!(need(state), Need::Effect(effect) if effect == wanted) {
        return Err(rejected(format!("the result of {}", fact.gate)));
    }
    state.failed_gates = if fact.passed { 0 } else { state.failed_gates + 1 };
    state.gates.insert(fact.gate.clone(), fact.clone());
    Ok(())
}

fn decide(state: &mut Loop, fact: &Decided) -> Result<(), Rejected> {
    let asked = question(state).filter(|asked| {
        let same = asked.pass == fact.pass && asked.number == fact.number;
        same && asked.about == fact.about && asked.choices.contains(&fact.choice)
    });
    if asked.is_none() {
        return Err(rejected("a decision"));
    }
    state.decided += 1;
    match fact.choice {
        Decision::Abandon => state.end = Some(End::Abandoned),
        Decision::Rerun => state.end = Some(End::Superseded),
        Decision::Retry => retry(state, &fact.about),
        Decision::Accept => accept(state, fact),
    }
    Ok(())
}

fn retry(state: &mut Loop, about: &About) {
    state.failed_gates = 0;
    state.unchanged = 0;
    let About::Agent { role } = about else { return };
    let seats = core::iter::once(&mut state.author).chain(&mut state.reviewers);
    for seat in seats.chain(core::iter::once(&mut state.certifier)).filter(|seat| seat.role == *role) {
        if let Some(work) = &mut seat.work {
            work.failures = 0;
        }
    }
}

fn accept(state: &mut Loop, fact: &Decided) {
    for finding in state.findings.iter_mut().filter(|finding| fact.ruled.contains(&finding.id)) {
        finding.status = Status::Ruled;
        finding.note.clone_from(&fact.why);
    }
    state.unchanged = 0;
    let epoch = state.epoch;
    let rejecting = |seat: &Seat| seat.approved().is_none() && seat.standing != Standing::Ruled;
    match fact.about {
        About::Cap { stage } => {
            for seat in state.reviewers.iter_mut().filter(|seat| seat.stage == stage && rejecting(seat)) {
                seat.standing = Standing::Ruled;
            }
        }
        About::Gate => waive_gate(state),
        About::Unchanged if state.failed_gate().is_some() => waive_gate(state),
        About::Unchanged => {
            for seat in state.reviewers.iter_mut().filter(|seat| seat.rejected_in(epoch)) {
                seat.standing = Standing::Ruled;
            }
        }
        About::Certificate => {
            state.refused = false;
            state.signed.clone_from(&state.revision);
        }
        About::Agent { .. } => {}
    }
}

fn waive_gate(state: &mut Loop) {
    state.failed_gates = 0;
    let revision = state.revision.clone();
    for check in state.gates.values_mut().filter(|check| Some(&check.revision) == revision.as_ref()) {
        check.passed = true;
    }
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
    if !due || !one_revision {
        return Err(rejected(format!("the close of {}", fact.phase)));
    }
    state.end = Some(End::Closed(fact.clone()));
    Ok(())
}
