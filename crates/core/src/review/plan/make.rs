//! What comes before the first review of code: the tasks, then work on the whole of it.

use super::super::implementing::{CodeRole, Implementing, WrittenFiles};
use super::super::landing::Next;
use super::super::seat::SeatStatus;
use super::super::state::Loop;
use super::gates::gate_need;
use super::{Effect, Need};
use redraft_facts::ticket::Purpose;

/// What the tasks need next, while one is left.
pub(super) fn task_need(state: &Loop) -> Option<Need> {
    let implementing = state.implementing.as_ref()?;
    let (place, task) = implementing.current()?;
    if implementing.is_side_by_side() {
        return Some(side_need(state, implementing));
    }
    let again = || Need::CodeAuthor(Purpose::Implement, CodeRole::Task(place));
    if !task.built {
        return Some(again());
    }
    // The review follows the very last task.
    let more = state.implementing.as_ref()?.tasks.iter().skip(place + 1).any(|task| task.end.is_none());
    let empty = !more && extra_need(state).is_none();
    gate_need(state, state.revision.as_ref()?, empty, again)
}

/// The same for tasks that are carried out side by side: what is finished becomes part of the feature before more is
/// sent out, so that this begins from it.
fn side_need(state: &Loop, implementing: &Implementing) -> Need {
    let landing = &implementing.landing;
    let step = landing.passed.first();
    if let Some((step, ticket)) = step.and_then(|step| Some((step, landing.ticket_of(&step.task)?))) {
        return Need::Effect(Effect::Land { ticket: ticket.clone(), step: step.clone() });
    }
    match landing.next(&state.opened.gates) {
        Some(Next::Combine(tasks)) => Need::Effect(Effect::Combine { tasks }),
        Some(Next::Check { revision, gate }) => Need::Effect(Effect::Check { revision, gate, empty: false }),
        // Taken in as soon as it is known.
        Some(Next::Passed(_) | Next::Red { .. }) | None => {
            Need::Tasks(implementing.ready(&state.opened.limits))
        }
    }
}

/// What comes before everything else: what a person went on without is taken out.
pub(super) fn take_out_need(state: &Loop) -> Option<Need> {
    let WrittenFiles { before, files } = state.implementing.as_ref()?.taken_out.as_ref()?;
    let (before, files) = (before.clone(), files.iter().cloned().collect());
    Some(Need::Effect(Effect::TakeOut { before, files }))
}

/// What comes before the gates of the whole: tests that are written once more.
pub(super) fn tests_need(state: &Loop) -> Option<Need> {
    let implementing = state.implementing.as_ref()?;
    implementing
        .tests_again(&state.opened.limits)
        .then_some(Need::CodeAuthor(Purpose::Tests, CodeRole::Tester))
}

/// What comes between the last task and the first review, once the gates have passed.
pub(super) fn extra_need(state: &Loop) -> Option<Need> {
    let begun =
        state.reviewers.iter().any(|seat| seat.standing != SeatStatus::Unasked || seat.work.is_some());
    let implementing = state.implementing.as_ref().filter(|_| !begun)?;
    implementing.extra(&state.opened.limits).map(|(purpose, maker)| Need::CodeAuthor(purpose, maker))
}
