//! Folds work on code into the state: a task, the whole of it, its tests.

use super::super::implementing::{Implementing, TaskEnd, WrittenFiles};
use super::super::plan::{Effect, Need, need};
use super::super::seat::Flight;
use super::super::state::Loop;
use super::{Rejected, conclude, fail, land, rejected};
use redraft_facts::event::{About, Built, Decided, TakenOut};
use redraft_facts::ids::Revision;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

pub(super) fn build(state: &mut Loop, fact: &Built) -> Result<(), Rejected> {
    let waits = |implementing: &Implementing| {
        implementing.landing.queue.iter().any(|one| one.work.ticket == fact.ticket)
    };
    if state.implementing.as_ref().is_some_and(waits) {
        return land::land(state, fact);
    }
    let what = || rejected(format!("what was built by {}", fact.ticket));
    let changed = state.revision.as_ref() != Some(&fact.revision);
    let (gate_failed, checked) = (state.failed_gate().is_some(), !state.opened.gates.is_empty());
    let task = state.implementing.as_ref().and_then(Implementing::current);
    let begun = task.is_some_and(|(_, task)| task.wrote.is_some() && task.unfinished.is_some());
    let seat = state.seat_of_mut(&fact.ticket).ok_or_else(what)?;
    let landed = |flight: &Flight| flight.started.ticket == fact.ticket && flight.answered.is_some();
    let flight = seat.work.as_mut().and_then(|work| work.flight.take_if(|flight| landed(flight)));
    let Some(flight) = flight.filter(|_| builds(fact.ticket.purpose)) else { return Err(what()) };
    let unfinished = fact.unfinished.clone().filter(|_| fact.ticket.purpose == Purpose::Implement);
    if let Some(why) = unfinished {
        fail(seat, "it says that the task is not done", false);
        stop(state, fact, why);
        return Ok(());
    }
    // An attempt that called itself unfinished may have left all of the work.
    if fact.ticket.purpose == Purpose::Implement && !changed && !gate_failed && !begun {
        match (fact.already, checked) {
            (true, true) => {}
            (true, false) => {
                fail(
                    seat,
                    "it says that the task is done, and there is no check that could confirm it",
                    true,
                );
                return Ok(());
            }
            (false, _) => {
                fail(seat, "it changed nothing", false);
                return Ok(());
            }
        }
    }
    conclude(seat);
    seat.anchor = Some(fact.revision.clone());
    let before = state.revision.clone();
    if changed {
        state.revision = Some(fact.revision.clone());
        state.epoch += 1;
        state.unchanged = 0;
    } else if gate_failed {
        state.unchanged += 1;
        state.forget_failed_checks();
    }
    let implementing = state.implementing.as_mut().ok_or_else(what)?;
    match fact.ticket.purpose {
        Purpose::Implement => {
            let task = implementing.current_mut().ok_or_else(what)?;
            task.built = true;
            task.unfinished = None;
            if let Some(before) = before.filter(|_| changed) {
                WrittenFiles::add(&mut task.wrote, before, &fact.files);
            }
            settle(state);
        }
        Purpose::Simplify => {
            implementing.simplified = true;
            // They passed before. What fails now was broken by the simplifier and says nothing about the documents.
            implementing.tests = None;
        }
        Purpose::Outline => {
            implementing.outlined = true;
            implementing.outline = flight.answered.map(|answered| answered.answer).filter(|_| !fact.already);
        }
        _ => wrote_tests(implementing, before, fact),
    }
    Ok(())
}

fn builds(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Implement | Purpose::Simplify | Purpose::Outline | Purpose::Tests)
}

/// The implementer says that its task is not done: the attempt has failed, whatever the checks would say. What it wrote
/// stays for the next one, which begins a new conversation, so that it looks for itself.
fn stop(state: &mut Loop, fact: &Built, why: String) {
    let before = state.revision.clone().filter(|before| *before != fact.revision);
    if before.is_some() {
        state.revision = Some(fact.revision.clone());
        state.epoch += 1;
        state.unchanged = 0;
    }
    let Some(task) = state.implementing.as_mut().and_then(Implementing::current_mut) else { return };
    task.built = false;
    task.unfinished = Some(why);
    task.seat.anchor = Some(fact.revision.clone());
    task.seat.conversation = None;
    if let Some(work) = task.seat.work.as_mut() {
        work.fresh = true;
    }
    if let Some(before) = before {
        WrittenFiles::add(&mut task.wrote, before, &fact.files);
    }
}

fn wrote_tests(implementing: &mut Implementing, before: Option<Revision>, fact: &Built) {
    implementing.tested = true;
    if let Some(before) = before.filter(|before| *before != fact.revision) {
        WrittenFiles::add(&mut implementing.tests, before, &fact.files);
    }
}

/// The code was mended because of tests: they are looked at once more.
pub(super) fn mended(state: &mut Loop, diverged: bool) {
    if let Some(implementing) = state.implementing.as_mut().filter(|_| diverged) {
        implementing.mended += 1;
        implementing.tested = false;
    }
}

/// Ends the task that was built, once every gate has passed for what it is now.
pub(super) fn settle(state: &mut Loop) {
    let Some(revision) = state.revision.clone() else { return };
    let passed =
        |gate: &String| state.gates.get(gate).is_some_and(|check| check.passed && check.revision == revision);
    let all = state.opened.gates.iter().all(passed);
    let task =
        state.implementing.as_mut().and_then(Implementing::current_mut).filter(|task| task.built && all);
    if let Some(task) = task {
        task.end = Some(TaskEnd::Done);
    }
}

pub(super) fn take_out(state: &mut Loop, fact: &TakenOut) -> Result<(), Rejected> {
    let due = matches!(need(state), Need::Effect(Effect::TakeOut { files, .. }) if files == fact.files);
    let what = || rejected("that something was taken out");
    state.implementing.as_mut().filter(|_| due).ok_or_else(what)?.taken_out = None;
    if state.revision.as_ref() != Some(&fact.revision) {
        state.revision = Some(fact.revision.clone());
        state.epoch += 1;
    }
    state.failed_gates = 0;
    state.unchanged = 0;
    Ok(())
}

/// A person takes the code as it is: tests that disagree with it are taken out.
pub(super) fn without_tests(state: &mut Loop) {
    if let Some(implementing) = &mut state.implementing {
        implementing.taken_out = implementing.tests.take();
        implementing.tested = true;
    }
}

/// A person goes on without the task that could not be carried out. What was built of it is taken out, or every later
/// task would be told of its failures.
pub(super) fn skip(state: &mut Loop, fact: &Decided) {
    state.failed_gates = 0;
    state.unchanged = 0;
    let Some(implementing) = &mut state.implementing else { return };
    let task = match &fact.about {
        About::Task { id } => implementing.task_mut(id),
        _ => implementing.current_mut(),
    };
    let Some(task) = task else { return };
    let trouble = task.seat.work.as_ref().map(|work| work.trouble.clone()).unwrap_or_default();
    conclude(&mut task.seat);
    let trouble = task.unfinished.clone().unwrap_or(trouble);
    let why = if fact.why.is_empty() { trouble } else { fact.why.clone() };
    task.end = Some(TaskEnd::Blocked { why });
    implementing.taken_out = task.wrote.take();
}
