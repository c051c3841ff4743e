//! Folds a person's answer into the state.

use super::super::plan::question;
use super::super::seat::{Seat, SeatStatus};
use super::super::state::{Loop, LoopEnd};
use super::make::{self, settle};
use super::{Rejected, conclude, dispute, rejected};
use redraft_facts::event::{About, Decided, Decision};
use redraft_facts::findings::Status;

pub(super) fn decide(state: &mut Loop, fact: &Decided) -> Result<(), Rejected> {
    let asked = question(state).filter(|asked| {
        let same = asked.pass == fact.pass && asked.number == fact.number;
        let same = same && fact.phase.is_none_or(|phase| phase == state.opened.phase);
        let same = same && (fact.revision.is_none() || fact.revision == state.revision);
        let same = same && (fact.choice != Decision::Approve || fact.revision.is_some());
        same && asked.about == fact.about && asked.choices.contains(&fact.choice)
    });
    if asked.is_none() {
        return Err(rejected("a decision"));
    }
    state.decided += 1;
    match fact.choice {
        Decision::Abandon => state.end = Some(LoopEnd::Abandoned),
        Decision::Rerun => state.end = Some(LoopEnd::Superseded),
        Decision::Retry => retry(state, &fact.about),
        Decision::Uphold => dispute::uphold(state, fact),
        Decision::Overrule => dispute::settle(state, fact),
        Decision::Accept if matches!(fact.about, About::Disagreement { .. }) => dispute::settle(state, fact),
        Decision::Accept => accept(state, fact),
        Decision::Skip if fact.about == About::Lessons => want_lessons(state, false),
        Decision::Skip => make::skip(state, fact),
        Decision::Go => state.agreed = true,
        Decision::Approve => state.approved.clone_from(&fact.revision),
        // Stored as a comment, which the question gives way to.
        Decision::Comment => return Err(rejected("a decision")),
        Decision::Answer | Decision::Assume => state.answers = Some(fact.answers.clone()),
    }
    Ok(())
}

fn retry(state: &mut Loop, about: &About) {
    state.refusal_told |= state.untold_refusal().is_some();
    state.failed_gates = 0;
    state.unchanged = 0;
    // The cause of their failure may have been mended outside of the files.
    state.forget_failed_checks();
    if let About::Cap { stage } = about
        && let Some(stage) = state.stages.get_mut(usize::from(*stage))
    {
        stage.granted = stage.granted.saturating_add(1);
    }
    if let (About::Task { id }, Some(implementing)) = (about, state.implementing.as_mut())
        && let Some(task) = implementing.task_mut(id)
    {
        once_more(&mut task.seat);
        task.conflicts = 0;
    }
    let About::Agent { role } = about else { return };
    let seats = core::iter::once(&mut state.author).chain(&mut state.reviewers);
    for seat in seats.chain(core::iter::once(&mut state.certifier)).filter(|seat| seat.role == *role) {
        once_more(seat);
    }
}

fn once_more(seat: &mut Seat) {
    if let Some(work) = &mut seat.work {
        work.failures = 0;
        work.helpless = false;
    }
}

fn accept(state: &mut Loop, fact: &Decided) {
    if let About::SecondDecision { id } = &fact.about {
        // What the first decision led to stands, too.
        state.second.retain(|second| second.id != *id);
        return;
    }
    for finding in state.findings.iter_mut().filter(|finding| fact.ruled.contains(&finding.id)) {
        finding.status = Status::Ruled;
        finding.note.clone_from(&fact.why);
    }
    dispute::forget_settled(state);
    state.unchanged = 0;
    let epoch = state.epoch;
    let rejecting = |seat: &Seat| seat.approved().is_none() && !seat.ruled();
    let ruled = SeatStatus::Ruled { revision: fact.revision.clone() };
    match fact.about {
        About::Cap { stage } => {
            for seat in state.reviewers.iter_mut().filter(|seat| seat.stage == stage && rejecting(seat)) {
                seat.standing = ruled.clone();
            }
        }
        About::Author { .. }
        | About::Task { .. }
        | About::Begin
        | About::Disagreement { .. }
        | About::Approval
        | About::SecondDecision { .. } => {}
        About::Lessons => want_lessons(state, true),
        About::Deferred => state.finishing.iter_mut().for_each(|finishing| finishing.ruled = true),
        About::Divergence => make::without_tests(state),
        About::Gate => waive_gate(state),
        About::Unchanged if state.failed_gate().is_some() => waive_gate(state),
        About::Unchanged => {
            for seat in state.reviewers.iter_mut().filter(|seat| seat.rejected_in(epoch)) {
                seat.standing = ruled.clone();
            }
        }
        About::Certificate => {
            state.refused = false;
            state.signed.clone_from(&state.revision);
        }
        About::Agent { ref role } => {
            // What others found of the same defects is settled, too.
            dispute::release(state, fact);
            let insisting = |seat: &&mut Seat| seat.role == *role && seat.insists();
            for seat in state.reviewers.iter_mut().filter(insisting) {
                conclude(seat);
                seat.standing = ruled.clone();
            }
            if let Some(certifier) = Some(&mut state.certifier).filter(insisting) {
                conclude(certifier);
                state.signed.clone_from(&state.revision);
            }
        }
    }
}

fn want_lessons(state: &mut Loop, wanted: bool) {
    state.finishing.iter_mut().for_each(|finishing| finishing.wanted = Some(wanted));
}

fn waive_gate(state: &mut Loop) {
    state.failed_gates = 0;
    let revision = state.revision.clone();
    for check in state.gates.values_mut().filter(|check| Some(&check.revision) == revision.as_ref()) {
        check.passed = true;
    }
    settle(state);
}
