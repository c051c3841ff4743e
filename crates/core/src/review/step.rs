//! Folds stored facts into the state. Start at [`fold`].
//!
//! Here are drafts, edits, gates and closes; [`dispatch`] has dispatches, [`judge`] verdicts, [`dispute`] findings that
//! are declined, [`decide`] a person's answers, [`comment`] what a person says unasked, [`make`] work on code, [`land`] tasks
//! that are carried out side by side, and [`finish`] the end of a feature. Nothing here says what comes next: that is
//! [`super::plan`].

mod comment;
mod decide;
mod dispatch;
mod dispute;
mod finish;
mod judge;
mod land;
mod make;

use super::plan::{Effect, Need, need, question};
use super::seat::{Flight, Seat, SeatStatus};
use super::state::{Loop, LoopEnd};
pub(crate) use comment::comment;
use decide::decide;
use judge::judge;
use make::settle;
use redraft_facts::choice::Policy;
use redraft_facts::event::{
    Certify, Checked, Compared, Drafted, Edited, Event, LEFT_INSTEAD, PhaseClosed, Question, StageClosed,
};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

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
        Event::Started(fact) => dispatch::start(state, fact)?,
        Event::Answered(fact) => dispatch::answer(state, fact)?,
        Event::Raised(fact) => dispatch::raise(state, fact)?,
        Event::Failed(fact) => dispatch::fail(state, fact)?,
        Event::Lost(fact) => dispatch::lose(state, fact)?,
        Event::Drafted(fact) => draft(state, fact)?,
        Event::Built(fact) => make::build(state, fact)?,
        Event::TakenOut(fact) => make::take_out(state, fact)?,
        Event::JobsSet(fact) => land::set_jobs(state, fact)?,
        Event::Enqueued(fact) => land::enqueue(state, fact)?,
        Event::Combined(fact) => land::combine(state, fact)?,
        Event::RetroWritten(fact) => finish::write_retro(state, fact)?,
        Event::BankJudged(fact) => finish::judge_bank(state, fact)?,
        Event::BankApplied(_) => finish::apply_bank(state)?,
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
        Event::Commented(fact) => comment(state, fact)?,
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
        | Event::DriverChanged(_)
        | Event::ProposalSettled(_)
        | Event::Redacted(_)
        | Event::Unreadable(_)
        | Event::SigningBegan(_)
        | Event::BudgetSet(_)
        | Event::BudgetReached(_)
        | Event::CostCorrected(_) => {
            return Err(rejected(format!("`{}` inside a loop", event.kind())));
        }
    }
    Ok(())
}

/// The answer cannot be used: the attempt counts, and the next one starts a new conversation.
fn no_verdict(seat: &mut Seat) {
    seat.conversation = None;
    let Some(work) = seat.work.as_mut() else { return };
    work.failures += 1;
    work.fresh = true;
    if let Some(repair) = work.repair.take() {
        seat.rounds.insert(Purpose::Repair, repair.round);
        work.void = Some(repair.why);
    }
}

/// An attempt came to nothing. Whoever is helpless is not asked again before a person has decided.
fn fail(seat: &mut Seat, why: &str, helpless: bool) {
    let Some(work) = seat.work.as_mut() else { return };
    work.failures += 1;
    work.helpless = helpless;
    why.clone_into(&mut work.trouble);
}

/// What the seat was asked is over; its round is not used again.
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
    let diverged = state.diverges();
    let author = &mut state.author;
    let work = author.work.as_mut().ok_or_else(what)?;
    let landed = |flight: &Flight| flight.started.ticket == fact.ticket && flight.answered.is_some();
    if !work.flight.as_ref().is_some_and(landed) {
        return Err(what());
    }
    let missed = work.flight.take().map(|flight| flight.missed).unwrap_or_default();
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
        work.void = Some(work.trouble.clone());
        return Ok(());
    };
    conclude(author);
    author.anchor = Some(revision.clone());
    let answers = dispute::decline(state, &fact.declined);
    let changed = state.revision.as_ref() != Some(revision);
    comment::worked_in(state, &missed, changed);
    if changed {
        state.revision = Some(revision.clone());
        state.epoch += 1;
        state.unchanged = 0;
        state.said.clear();
        state.summaries.push((state.epoch, fact.summary.clone()));
        state.refused = false;
        // A repair would be about the older revision, and its reviewer is not shown what changed since. It is asked anew.
        for seat in state.reviewers.iter_mut().chain(core::iter::once(&mut state.certifier)) {
            let is_idle = seat.work.as_ref().is_some_and(|work| work.flight.is_none());
            if is_idle {
                let unavailable = seat.unavailable.take();
                conclude(seat);
                seat.unavailable = unavailable;
            }
        }
        make::mended(state, diverged);
    } else if state.opened.policy == Policy::Seed && !gate_failed {
        // The original rule: nothing to send as a delta, so the reviewers are asked afresh.
        state.epoch += 1;
        state.summaries.push((state.epoch, fact.summary.clone()));
    } else if answers && !gate_failed {
        state.unchanged = 0;
        state.said.clone_from(&fact.summary);
        dispute::put_to_reviewers(state);
    } else {
        state.unchanged += 1;
        state.said.clone_from(&fact.summary);
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
    state.said.clear();
    dispute::edited(state);
    state.failed_gates = 0;
    state.refused = false;
    // Work that was about the older revision is over; its round is not used again.
    conclude(&mut state.author);
    conclude(&mut state.certifier);
    state.implementing.iter_mut().for_each(land::edited);
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
    if state.implementing.as_ref().is_some_and(|implementing| !implementing.landing.queue.is_empty()) {
        return land::check(state, fact);
    }
    state.failed_gates = match fact.passed {
        true => 0,
        // Tests that disagree with the code have a limit of their own.
        false if state.diverges() => state.failed_gates,
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
