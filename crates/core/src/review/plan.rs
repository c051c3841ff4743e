//! Decides what to do next, from the state alone. Start at [`need`].
//!
//! What code needs before its review is in [`make`], what a feature needs at its end in [`finish`], and what gates need
//! in [`gates`]. [`order`] says who is sent what, [`close`] what a loop leaves behind.

mod close;
mod finish;
mod gates;
mod make;
mod order;

use super::ask::ask;
use super::dispute::Dispute;
use super::implementing::CodeRole;
use super::seat::{Conversation, Seat, SeatStatus};
use super::state::{Loop, Stage};
pub use close::{CaseFacts, case_for, closing};
use finish::finish_need;
use gates::gate_need;
use make::{extra_need, take_out_need, task_need, tests_need};
use order::dispatch;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{About, Certify, CombinedStep, Question, StageOutcome};
use redraft_facts::findings::Finding;
use redraft_facts::ids::{AgentName, FindingId, Revision, Role, TaskId};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::usage::Usd;

/// Something the engine must do. Effects are never stored: they are computed again after every event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Open the loop of a phase.
    Open {
        phase: Phase,
        pass: u16,
    },
    /// A dispatch was started and its end was never seen.
    Recover(Ticket),
    Dispatch(DispatchOrder),
    /// Turn an author's answer into a revision.
    Snapshot(Ticket),
    /// Turn a reviewer's answer into a judgement.
    Judge(Ticket),
    Check {
        revision: Revision,
        gate: String,
        /// Whether the commit must be alone in its checkout, because an approval or a merge rests on the result.
        empty: bool,
    },
    Ask(Question),
    /// Restore these files to how they were before the work that a person went on without.
    TakeOut {
        before: Revision,
        files: Vec<String>,
    },
    /// Put finished tasks on top of what the feature is now, in no checkout.
    Combine {
        tasks: Vec<TaskId>,
    },
    /// Make what has passed part of the feature.
    Land {
        ticket: Ticket,
        step: CombinedStep,
    },
    /// Write the retrospective from figures and facts alone.
    WriteRetro {
        why: String,
    },
    /// Carry out the proposal for the knowledge bank.
    ApplyLessons,
    /// Leave the knowledge bank as it is.
    LeaveBank {
        why: String,
    },
    CloseStage {
        stage: u16,
        outcome: StageOutcome,
        round: u16,
        revision: Revision,
    },
    ClosePhase {
        revision: Revision,
    },
}

/// A dispatch as the machine orders it: who, about what, since when. Never how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchOrder {
    pub ticket: Ticket,
    pub sees: Option<Revision>,
    /// The revision this role was last shown.
    pub since: Option<Revision>,
    pub findings: Vec<FindingId>,
    pub allowed: Vec<Strategy>,
    /// The conversation that `resume` would continue.
    pub conversation: Option<Conversation>,
    /// What it is known to cost with this agent, because an attempt was cut off for lack of money.
    pub needs: Option<(AgentName, Usd)>,
    /// The number of the worktree of its own that it works in; none where it works in the feature's.
    pub slot: Option<u16>,
}

pub fn pending(state: &Loop) -> Vec<Effect> {
    if state.end.is_some() {
        return Vec::new();
    }
    let mut effects: Vec<Effect> = Vec::new();
    for (_, flight) in state.flights() {
        let ticket = flight.started.ticket.clone();
        effects.push(match (&flight.answered, ticket.purpose.judges()) {
            (None, _) => Effect::Recover(ticket),
            (Some(_), false) => Effect::Snapshot(ticket),
            (Some(_), true) => Effect::Judge(ticket),
        });
    }
    let alone = effects.is_empty();
    match need(state) {
        Need::Author(purpose) if alone => effects.extend(dispatch(state, &state.author, purpose)),
        Need::Reviewers(purpose, roles) => {
            let seats = state.reviewers.iter().filter(|seat| roles.contains(&seat.role) && !seat.in_flight());
            effects.extend(seats.filter_map(|seat| dispatch(state, seat, purpose)));
        }
        Need::Tasks(places) => effects.extend(beside(state, &places)),
        Need::CodeAuthor(purpose, maker) if alone => {
            let seat = state.implementing.as_ref().and_then(|implementing| implementing.seat(maker));
            effects.extend(seat.and_then(|seat| dispatch(state, seat, purpose)));
        }
        Need::Facilitator if alone => effects.extend(dispatch(state, &state.author, Purpose::Retro)),
        Need::Judge if alone => {
            let seat = state.finishing.as_ref().map(|finishing| &finishing.judge);
            effects.extend(seat.and_then(|seat| dispatch(state, seat, Purpose::Judge)));
        }
        Need::Certifier if alone => effects.extend(dispatch(state, &state.certifier, Purpose::Certify)),
        Need::Effect(effect) if alone => effects.push(effect),
        Need::Author(_)
        | Need::CodeAuthor(..)
        | Need::Facilitator
        | Need::Judge
        | Need::Certifier
        | Need::Effect(_) => {}
    }
    if effects.is_empty() {
        effects.extend(question(state).map(Effect::Ask));
    }
    effects
}

/// The orders for tasks that are carried out side by side, each with a number that no other has.
fn beside(state: &Loop, places: &[usize]) -> Vec<Effect> {
    let Some(implementing) = &state.implementing else { return Vec::new() };
    let taken: Vec<u16> = (implementing.tasks.iter())
        .filter_map(|task| task.seat.flight()?.started.slot.as_ref())
        .map(|slot| slot.number)
        .collect();
    let free = (1..).filter(|number| !taken.contains(number));
    let orders = places
        .iter()
        .filter_map(|place| dispatch(state, &implementing.tasks[*place].seat, Purpose::Implement));
    let with_slot = |(effect, number)| match effect {
        Effect::Dispatch(order) => Effect::Dispatch(DispatchOrder { slot: Some(number), ..order }),
        other => other,
    };
    orders.zip(free).map(with_slot).collect()
}

/// The question to a person, if nothing else can be done now.
pub fn question(state: &Loop) -> Option<Question> {
    if state.end.is_some() || state.flights().next().is_some() {
        return None;
    }
    let spent = |seat: &Seat, purpose| {
        let work = seat.work.as_ref().filter(|work| work.purpose == purpose);
        work.is_some_and(|work| work.is_spent(&state.opened.limits))
    };
    let stuck = match need(state) {
        Need::Effect(Effect::Ask(question)) => return Some(question),
        // None of these is waited for.
        Need::Effect(_) | Need::Facilitator | Need::Judge => None,
        Need::CodeAuthor(purpose, maker) => {
            let implementing = state.implementing.as_ref();
            let task = implementing.and_then(|implementing| match maker {
                CodeRole::Task(place) => implementing.tasks.get(place),
                // Optional work is not waited for, so nobody is asked about it.
                CodeRole::Simplifier | CodeRole::Outliner | CodeRole::Tester => None,
            });
            let stuck = task.filter(|task| spent(&task.seat, purpose));
            return stuck.map(|task| ask(state, About::Task { id: task.id.clone() }));
        }
        Need::Tasks(places) => {
            let tasks = state
                .implementing
                .iter()
                .flat_map(|implementing| places.iter().map(|place| &implementing.tasks[*place]));
            let stuck = tasks.into_iter().find(|task| spent(&task.seat, Purpose::Implement));
            return stuck.map(|task| ask(state, About::Task { id: task.id.clone() }));
        }
        Need::Author(purpose) => Some(&state.author).filter(|seat| spent(seat, purpose)),
        Need::Certifier => Some(&state.certifier).filter(|seat| spent(seat, Purpose::Certify)),
        Need::Reviewers(purpose, roles) => {
            let mut seats = state.reviewers.iter().filter(|seat| roles.contains(&seat.role));
            // One that can still be sent to goes first.
            if seats.clone().any(|seat| !spent(seat, purpose)) { None } else { seats.next() }
        }
    };
    stuck.map(|seat| ask(state, About::Agent { role: seat.role.clone() }))
}

#[expect(clippy::large_enum_variant, reason = "one at a time, taken apart at once")]
pub(super) enum Need {
    Author(Purpose),
    /// Somebody who works on code that is not reviewed yet.
    CodeAuthor(Purpose, CodeRole),
    Reviewers(Purpose, Vec<Role>),
    /// Tasks that are carried out side by side, by their places.
    Tasks(Vec<usize>),
    /// The role that looks back on the feature.
    Facilitator,
    /// The role that compares older lessons with it.
    Judge,
    Certifier,
    Effect(Effect),
}

/// The whole order of a loop: tasks where there are any; gates before reviewers, everybody's verdict before a revision,
/// what a person said before what reviewers say, stages one after the other, then older approvals, then fresh eyes, then
/// a person where one wants to be asked, then the close.
pub(super) fn need(state: &Loop) -> Need {
    let ask = |about| Need::Effect(Effect::Ask(ask(state, about)));
    if let Some(second) = state.second.first() {
        return ask(About::SecondDecision { id: second.id.clone() });
    }
    let Some(revision) = &state.revision else {
        return match state.questions.is_empty() || state.answers.is_some() {
            true => Need::Author(Purpose::Draft),
            false => ask(About::Author { questions: state.questions.clone() }),
        };
    };
    if let Some(finishing) = &state.finishing {
        return finish_need(state, finishing, revision);
    }
    if state.opened.asks_first && !state.agreed {
        return ask(About::Begin);
    }
    let first = take_out_need(state).or_else(|| task_need(state)).or_else(|| tests_need(state));
    let gates = || gate_need(state, revision, extra_need(state).is_none(), || Need::Author(Purpose::Revise));
    if let Some(need) = first.or_else(gates).or_else(|| extra_need(state)) {
        return need;
    }
    if let Some(finding) = contested(state) {
        return ask(About::Disagreement { finding });
    }
    if !state.unanswered.is_empty() {
        // What a person said is worked in before anybody reviews what it will change.
        return Need::Author(Purpose::Revise);
    }
    if let Some(seat) = state.reviewers.iter().find(|seat| seat.rejected_in(state.epoch)) {
        let hearing = hearing(state, revision);
        if !hearing.is_empty() {
            return Need::Reviewers(Purpose::Review, hearing);
        }
        let waiting = same_wave(state, seat, revision);
        if let Some(purpose) = waiting.first().map(|_| wave_purpose(seat)) {
            return Need::Reviewers(purpose, waiting);
        }
        let capped = state.reviewers.iter().filter(|seat| seat.rejected_in(state.epoch));
        let mut capped = capped.filter(|seat| stage(state, seat).rounds >= state.rounds_max(seat.stage));
        return match capped.next() {
            Some(seat) => ask(About::Cap { stage: seat.stage }),
            None if state.unchanged >= UNCHANGED_MAX => ask(About::Unchanged),
            None => Need::Author(Purpose::Revise),
        };
    }
    let open = state.stages.iter().enumerate().find(|(_, stage)| stage.closed.is_none());
    if let Some((number, stage)) = open {
        let number = number as u16;
        let members = || state.reviewers.iter().filter(move |seat| seat.stage == number);
        let lacking: Vec<Role> =
            members().filter(|seat| seat.lacks_verdict(state.epoch)).map(|seat| seat.role.clone()).collect();
        if lacking.is_empty() {
            let ruled = members().any(Seat::ruled);
            let outcome = if ruled { StageOutcome::Failed } else { StageOutcome::Approved };
            let (round, revision) = (stage.rounds, revision.clone());
            return Need::Effect(Effect::CloseStage { stage: number, outcome, round, revision });
        }
        return if is_spent(state, number, stage) {
            ask(About::Cap { stage: number })
        } else {
            Need::Reviewers(Purpose::Review, lacking)
        };
    }
    if let Some(finding) = state.findings.iter().find(|finding| finding.is_open_comment()) {
        return ask(About::Disagreement { finding: finding.id.clone() });
    }
    if state.opened.certify != Certify::Off {
        let older = older_approvals(state, revision);
        if !older.is_empty() {
            return Need::Reviewers(Purpose::Validate, older);
        }
    }
    if state.refused {
        return ask(About::Certificate);
    }
    if state.opened.certify == Certify::Fresh && !certified(state, revision) {
        return Need::Certifier;
    }
    if state.opened.asks_after && state.approved.as_ref() != Some(revision) {
        return ask(About::Approval);
    }
    Need::Effect(Effect::ClosePhase { revision: revision.clone() })
}

/// The author is told once that nothing changed, then a person is asked.
const UNCHANGED_MAX: u16 = 2;

/// The first finding on which author and reviewer both insist.
fn contested(state: &Loop) -> Option<FindingId> {
    let blocking = state.findings.iter().filter(|finding| finding.blocks(state.opened.rule));
    let disputed = |finding: &&Finding| state.disputes.get(&finding.id).is_some_and(Dispute::is_contested);
    blocking.filter(disputed).map(|finding| finding.id.clone()).next()
}

/// Whether one more review there would be a round that nobody granted.
fn is_spent(state: &Loop, number: u16, stage: &Stage) -> bool {
    stage.rounds >= state.rounds_max(number) && stage.counted != Some(state.epoch)
}

/// Roles that are asked once more about a revision they have rejected, because the author declined what they found.
/// Where their stage has no round left, a person is asked when its turn comes.
fn hearing(state: &Loop, revision: &Revision) -> Vec<Role> {
    let rejected = |seat: &&Seat| matches!(seat.standing, SeatStatus::Rejected { .. });
    let seats = state.reviewers.iter().filter(rejected).filter(|seat| seat.lacks_verdict(state.epoch));
    let seats = seats.filter(|seat| seat.judged.as_ref() == Some(revision) && state.has_unheard(&seat.role));
    let seats = seats.filter(|seat| !is_spent(state, seat.stage, &stage(state, seat)));
    seats.map(|seat| seat.role.clone()).collect()
}

/// Roles that were asked together with this rejecting one and have not answered: everybody is heard before the
/// author revises, whatever happened in between.
fn same_wave(state: &Loop, rejecting: &Seat, revision: &Revision) -> Vec<Role> {
    match rejecting.standing {
        SeatStatus::Rejected { purpose: Purpose::Validate, .. } => older_approvals(state, revision),
        SeatStatus::Rejected { purpose: Purpose::Review, .. } => {
            let members = state.reviewers.iter().filter(|seat| seat.stage == rejecting.stage);
            members.filter(|seat| seat.lacks_verdict(state.epoch)).map(|seat| seat.role.clone()).collect()
        }
        _ => Vec::new(),
    }
}

fn wave_purpose(rejecting: &Seat) -> Purpose {
    match rejecting.standing {
        SeatStatus::Rejected { purpose, .. } => purpose,
        SeatStatus::Unasked | SeatStatus::Approved { .. } | SeatStatus::Ruled { .. } => Purpose::Review,
    }
}

fn older_approvals(state: &Loop, revision: &Revision) -> Vec<Role> {
    let older =
        state.reviewers.iter().filter(|seat| seat.approved().is_some_and(|approved| approved != revision));
    older.map(|seat| seat.role.clone()).collect()
}

fn certified(state: &Loop, closing: &Revision) -> bool {
    let fresh_approval = state.reviewers.iter().any(|seat| match &seat.standing {
        SeatStatus::Approved { revision, fresh, .. } => revision == closing && *fresh,
        SeatStatus::Unasked | SeatStatus::Rejected { .. } | SeatStatus::Ruled { .. } => false,
    });
    fresh_approval || state.signed.as_ref() == Some(closing)
}

/// A loop without reviewers has no stage, and its author has used no round.
fn stage(state: &Loop, seat: &Seat) -> Stage {
    state.stages.get(usize::from(seat.stage)).cloned().unwrap_or_default()
}

/// The number shown as `iteration n` for a dispatch in this seat.
pub fn shown_round(state: &Loop, seat: &Seat, purpose: Purpose) -> u16 {
    let stage = stage(state, seat);
    let this = match purpose {
        Purpose::Review if stage.counted == Some(state.epoch) => stage.rounds,
        Purpose::Review | Purpose::Validate | Purpose::Certify => stage.rounds + 1,
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => stage.rounds,
    };
    this.clamp(1, state.rounds_max(seat.stage))
}
