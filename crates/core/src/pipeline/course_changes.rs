//! Changes the course of a feature as a person asks: another lane or end, a phase left out, a phase again.

use super::Pipeline;
use crate::review::{Loop, LoopEnd};
use redraft_facts::event::{Adopted, FeatureLife, LaneSet};
use redraft_facts::phase::{Lane, Phase};

/// Another lane or another end. A phase that was closed by gates alone is reviewed once the lane has reviewers; all else
/// that exists is kept.
pub(super) fn set_lane(state: &mut Pipeline, set: &LaneSet) -> Option<()> {
    at_rest(state)?;
    let created = state.created.as_mut()?;
    let alone = created.is_review();
    let same = (created.lane, created.until) == (set.lane, set.until);
    // What reviewers have begun to judge is not closed by gates alone: that would approve it in their place.
    let judged = state.past.iter().chain(&state.open).any(Loop::judges_document);
    // A document by itself keeps its lane and is judged as another kind.
    let fits = if alone { set.lane == created.lane } else { set.lane.phases().contains(&set.until) };
    if same || (judged && !set.lane.reviews()) || !fits {
        return None;
    }
    created.lane = set.lane;
    created.until = set.until;
    created.lane_reason.clone_from(&set.why);
    if set.lane.reviews() {
        // The end is reviewed in no lane.
        let unreviewed = |past: &&mut Loop| {
            past.reviewers.is_empty()
                && past.finishing.is_none()
                && matches!(past.end, Some(LoopEnd::Closed(_)))
        };
        for past in state.past.iter_mut().filter(unreviewed) {
            past.end = Some(LoopEnd::Superseded);
        }
    }
    let lane = set.lane.phases();
    let is_other = |open: &Loop| match (alone, open.opened.phase) {
        (true, phase) => phase != set.until,
        // Code has a reviewer in every lane, but not the same ones.
        (false, Phase::Implement) => set.lane.reviews() != lane_of(open).reviews(),
        (false, Phase::Finish) => !lane.contains(&Phase::Finish),
        (false, phase) => !lane.contains(&phase) || open.reviewers.is_empty() == set.lane.reviews(),
    };
    if let Some(mut open) = state.open.take_if(|open| is_other(open)) {
        open.end = Some(LoopEnd::Superseded);
        state.past.push(open);
    }
    // What follows a phase that is to be done again is done again, too.
    let first = state.phases().find(|phase| !state.is_over(*phase));
    if let Some(first) = first.filter(|_| !alone) {
        supersede_after(state, first);
    }
    Some(())
}

/// The lane a loop over code was opened in, as far as its reviewers show that.
fn lane_of(open: &Loop) -> Lane {
    if open.reviewers.len() == 1 { Lane::Express } else { Lane::Standard }
}

/// Ends what was done in later phases than this one.
fn supersede_after(state: &mut Pipeline, phase: Phase) {
    if let Some(open) = state.open.take_if(|open| open.opened.phase > phase) {
        state.past.push(Loop { end: Some(LoopEnd::Superseded), ..open });
    }
    let later = |past: &&mut Loop| past.opened.phase > phase && matches!(past.end, Some(LoopEnd::Closed(_)));
    for past in state.past.iter_mut().filter(later) {
        past.end = Some(LoopEnd::Superseded);
    }
}

/// Leaves out the phase that is next or under way. The first is never left out: everything builds on it.
pub(super) fn skip(state: &mut Pipeline, phase: Phase) -> Option<()> {
    at_rest(state)?;
    if state.phase() != Some(phase) || phase == Phase::Specify {
        return None;
    }
    if let Some(mut open) = state.open.take() {
        open.end = Some(LoopEnd::Skipped);
        state.past.push(open);
    }
    state.skipped.insert(phase);
    Some(())
}

/// Goes back to a phase that was closed or left out.
pub(super) fn go_back(state: &mut Pipeline, phase: Phase) -> Option<()> {
    at_rest(state)?;
    let taken = |adopted: &Adopted| adopted.accepted.contains(&phase);
    let over = state.closed(phase).is_some()
        || state.skipped.contains(&phase)
        || state.adopted.as_ref().is_some_and(taken);
    if !over || !state.created.as_ref()?.lane.phases().contains(&phase) {
        return None;
    }
    state.skipped.remove(&phase);
    if let Some(adopted) = &mut state.adopted {
        adopted.accepted.retain(|accepted| *accepted < phase);
        adopted.life = FeatureLife::Active;
    }
    let open = state.open.take().map(|open| Loop { end: Some(LoopEnd::Superseded), ..open });
    state.past.extend(open);
    let later = |past: &&mut Loop| past.opened.phase >= phase && matches!(past.end, Some(LoopEnd::Closed(_)));
    for past in state.past.iter_mut().filter(later) {
        past.end = Some(LoopEnd::Superseded);
    }
    Some(())
}

/// Nothing of this may happen while an agent is at work, or after the end.
fn at_rest(state: &Pipeline) -> Option<()> {
    let at_work = state.open.as_ref().is_some_and(|open| open.flights().next().is_some());
    (state.created.is_some() && !state.cancelled && state.merged.is_none() && !at_work).then_some(())
}
