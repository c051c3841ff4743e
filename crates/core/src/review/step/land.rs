//! Folds into the state what becomes of tasks that are carried out side by side.

use super::super::implementing::{Implementing, TaskEnd, TaskWork, WrittenFiles};
use super::super::landing::{Landing, Next, SentBack, task_of};
use super::super::plan::{Effect, Need, need};
use super::super::seat::Flight;
use super::super::state::Loop;
use super::{Rejected, conclude, fail, rejected};
use redraft_facts::event::{Built, Checked, Combined, Enqueued, JobsSet};
use redraft_facts::ids::TaskId;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Unit;

/// How often in a row a task may be in conflict before a person is asked.
const CONFLICTS_MAX: u16 = 2;

pub(super) fn set_jobs(state: &mut Loop, fact: &JobsSet) -> Result<(), Rejected> {
    let news = |implementing: &&mut Implementing| fact.jobs > 0 && fact.jobs != implementing.landing.jobs;
    let implementing = state.implementing.as_mut().filter(news);
    implementing.ok_or_else(|| rejected("how many tasks are carried out at once"))?.landing.jobs = fact.jobs;
    Ok(())
}

/// A task that was carried out in a worktree of its own waits for its turn, or has failed.
pub(super) fn enqueue(state: &mut Loop, fact: &Enqueued) -> Result<(), Rejected> {
    let Enqueued { base, work: built } = fact;
    let what = || rejected(format!("what was built by {}", built.ticket));
    let checked = !state.opened.gates.is_empty();
    let implementing = state.implementing.as_mut().ok_or_else(what)?;
    let id = task_of(&built.ticket).ok_or_else(what)?;
    let task = implementing.task_mut(id).ok_or_else(what)?;
    let work = task.seat.work.as_mut().ok_or_else(what)?;
    let landed = |flight: &mut Flight| {
        let slot = flight.started.slot.as_ref();
        let same = flight.started.ticket == built.ticket && slot.is_some_and(|slot| slot.base == *base);
        same && flight.answered.is_some()
    };
    let flight = work.flight.take_if(landed).ok_or_else(what)?;
    task.seat.anchor = flight.started.sees;
    let nothing = built.files.is_empty() && task.own.is_none();
    if !built.commit.is_empty() {
        task.own = Some(built.commit.clone());
        task.touched.extend(built.files.iter().cloned());
    }
    if let Some(why) = &built.unfinished {
        fail(&mut task.seat, "it says that the task is not done", false);
        task.unfinished = Some(why.clone());
        begin_anew(task);
    } else if nothing && !built.already {
        fail(&mut task.seat, "it changed nothing", false);
    } else if nothing && !checked {
        fail(
            &mut task.seat,
            "it says that the task is done, and there is no check that could confirm it",
            true,
        );
    } else {
        task.unfinished = None;
        task.returned = None;
        implementing.landing.queue.push(fact.clone());
    }
    Ok(())
}

/// The next attempt looks for itself.
fn begin_anew(task: &mut TaskWork) {
    task.seat.conversation = None;
    if let Some(work) = task.seat.work.as_mut() {
        work.fresh = true;
    }
}

/// Tasks that wait were put together.
pub(super) fn combine(state: &mut Loop, fact: &Combined) -> Result<(), Rejected> {
    let wanted = match need(state) {
        Need::Effect(Effect::Combine { tasks }) => tasks,
        _ => Vec::new(),
    };
    let all = match &fact.conflict {
        None => fact.tasks().eq(&wanted),
        Some(_) => wanted.starts_with(&fact.tasks().cloned().collect::<Vec<_>>()),
    };
    let at_work = state.flights().next().is_some();
    if wanted.is_empty() || at_work || !all || state.revision.as_ref() != Some(&fact.onto) {
        return Err(rejected("tasks that were put together"));
    }
    let landing = landing(state);
    let whole = landing.tasks() == wanted;
    match &fact.conflict {
        Some(conflict) if whole => {
            let shares = |one: &&Enqueued| one.work.files.iter().any(|file| conflict.files.contains(file));
            let before = landing.queue.iter().take(fact.steps.len()).filter(shares);
            let with = before.filter_map(|one| task_of(&one.work.ticket)).cloned().collect();
            send_back(
                state,
                &conflict.task,
                SentBack::Conflict { files: conflict.files.clone(), with },
                false,
            );
        }
        Some(_) | None => landing.combined.push((wanted, fact.clone())),
    }
    take_results(state);
    Ok(())
}

/// A check of what is not part of the feature yet has ended.
pub(super) fn check(state: &mut Loop, fact: &Checked) -> Result<(), Rejected> {
    if state.flights().next().is_some() {
        return Err(rejected(format!("the result of {} while somebody is at work", fact.gate)));
    }
    landing(state).tried.push(fact.clone());
    take_results(state);
    Ok(())
}

/// The feature is another now. Who is finished still waits and is put on top of that; who is not is asked anew.
pub(super) fn edited(implementing: &mut Implementing) {
    implementing.landing.forget();
    let waiting: Vec<Unit> = implementing.landing.tasks().into_iter().map(Unit::Task).collect();
    implementing.seats_mut().filter(|seat| !waiting.contains(&seat.unit)).for_each(conclude);
    implementing.tasks.iter_mut().for_each(|task| task.conflicts = 0);
}

fn landing(state: &mut Loop) -> &mut Landing {
    // Whoever comes here has looked at it already.
    &mut state.implementing.get_or_insert_with(Implementing::default).landing
}

/// Takes what is known now: what has passed, or who has not.
fn take_results(state: &mut Loop) {
    let gates = state.opened.gates.clone();
    let landing = landing(state);
    match landing.next(&gates) {
        Some(Next::Passed(steps)) => landing.passed = steps,
        Some(Next::Red { passed, task, with, gate, evidence, refused }) => {
            landing.passed = passed;
            send_back(state, &task, SentBack::Red { gate, evidence, with }, refused);
        }
        Some(Next::Combine(_) | Next::Check { .. }) | None => {}
    }
}

/// The task is carried out once more, by its own implementer, on what the feature is then; or a person is asked first.
fn send_back(state: &mut Loop, id: &TaskId, why: SentBack, asks: bool) {
    let Some(implementing) = state.implementing.as_mut() else { return };
    implementing.landing.queue.retain(|one| task_of(&one.work.ticket) != Some(id));
    implementing.landing.combined.clear();
    let Some(task) = implementing.task_mut(id) else { return };
    let (text, helpless) = match &why {
        SentBack::Conflict { files, with } => {
            task.conflicts += 1;
            let with: Vec<&str> = with.iter().map(TaskId::as_str).collect();
            let with = match with.is_empty() {
                true => "what became part of the feature meanwhile".to_owned(),
                false => format!("task {}", with.join(", ")),
            };
            (
                format!("its work and {with} exclude each other in {}", files.join(", ")),
                task.conflicts >= CONFLICTS_MAX,
            )
        }
        SentBack::Red { gate, with, evidence } => {
            task.conflicts = 0;
            let with = with.as_ref().map(|with| format!(" together with task {with}")).unwrap_or_default();
            let chars_max = if asks { 600 } else { 200 };
            (format!("{gate} fails with it{with}: {}", one_line(evidence, chars_max)), asks)
        }
    };
    fail(&mut task.seat, &text, helpless);
    task.returned = Some(why);
    begin_anew(task);
}

/// What has passed became part of the feature.
pub(super) fn land(state: &mut Loop, fact: &Built) -> Result<(), Rejected> {
    let what = || rejected(format!("what was built by {}", fact.ticket));
    let due = match need(state) {
        Need::Effect(Effect::Land { ticket, step }) => {
            ticket == fact.ticket && step.revision == fact.revision
        }
        _ => false,
    };
    let (before, id) = (state.revision.clone(), task_of(&fact.ticket).filter(|_| due).ok_or_else(what)?);
    let changed = before.as_ref() != Some(&fact.revision);
    let implementing = state.implementing.as_mut().ok_or_else(what)?;
    let landing = &mut implementing.landing;
    landing.passed.remove(0);
    landing.queue.retain(|one| one.work.ticket != fact.ticket);
    if landing.passed.is_empty() {
        landing.forget();
    }
    let task = implementing.task_mut(id).ok_or_else(what)?;
    conclude(&mut task.seat);
    task.seat.anchor = Some(fact.revision.clone());
    if let Some(before) = before.filter(|_| changed) {
        WrittenFiles::add(&mut task.wrote, before, &fact.files);
    }
    (task.own, task.returned, task.conflicts) = (None, None, 0);
    task.end = Some(TaskEnd::Done);
    state.failed_gates = 0;
    if changed {
        state.revision = Some(fact.revision.clone());
        state.epoch += 1;
        state.unchanged = 0;
    }
    Ok(())
}
