//! What people say unasked: which comments there are, and those that wait for their phase to be opened.

use super::Pipeline;
use crate::review;
use redraft_facts::event::{Commented, Event};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::{CommentId, FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::verdict::Severity;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comments {
    /// All of them, oldest first.
    pub all: Vec<Commented>,
    /// Those for a phase whose loop is not open yet.
    pub waiting: Vec<Commented>,
}

impl Comments {
    /// Whether this comment is stored.
    pub fn has(&self, id: &CommentId) -> bool {
        self.all.iter().any(|one| one.id == *id)
    }

    /// The id of the next finding of a person. People name them without their phase, so they count through the feature.
    pub fn next_finding(&self) -> FindingId {
        let count = self.all.iter().filter(|one| !one.reopens).count();
        FindingId::new(format!("{}{}", Commented::LETTER, count + 1))
    }

    /// The phase that a finding of a person is about.
    pub fn phase_of(&self, finding: &FindingId) -> Option<Phase> {
        self.all.iter().find(|one| one.finding == *finding).map(|one| one.phase)
    }
}

impl Pipeline {
    /// Whether a phase is still to be passed through, or under way.
    pub fn is_ahead(&self, phase: Phase) -> bool {
        self.phases().any(|one| one == phase) && !self.is_over(phase)
    }

    /// A person's finding as it is now, also while it waits for its phase.
    pub fn comment(&self, id: &FindingId) -> Option<Finding> {
        let waiting = self.comments.waiting.iter().find(|one| one.finding == *id);
        let mut stored = self.standing().flat_map(|one| &one.findings);
        let stored = stored.find(|finding| finding.is_comment() && finding.id == *id);
        waiting.map(|one| one.finding(Role::new(""))).or_else(|| stored.cloned())
    }

    /// People's comments that must still be met, with their phases; those whose phase is not open yet included.
    pub fn open_comments(&self) -> Vec<(Phase, FindingId)> {
        let mut all: Vec<(Phase, FindingId)> = Vec::new();
        for one in self.comments.all.iter().filter(|one| !one.reopens) {
            if self.comment(&one.finding).is_some_and(|finding| finding.is_open_comment()) {
                all.push((one.phase, one.finding.clone()));
            }
        }
        all
    }
}

/// Takes a comment in. On a phase that is over only a note: what must be met opens the phase again first.
pub(super) fn comment(state: &mut Pipeline, fact: &Commented) -> Option<()> {
    let created = state.created.as_ref()?;
    if created.is_review() || state.cancelled || state.merged.is_some() || state.comments.has(&fact.id) {
        return None;
    }
    let fits = match fact.reopens {
        true => {
            state.comments.phase_of(&fact.finding) == Some(fact.phase)
                && state.comment(&fact.finding).is_some_and(|known| known.status != Status::Open)
        }
        false => fact.finding == state.comments.next_finding(),
    };
    let has_author = !matches!(fact.phase, Phase::Finish | Phase::Document);
    if !fits || !has_author || !matches!(fact.severity, Severity::Blocker | Severity::Warning) {
        return None;
    }
    let ahead = state.is_ahead(fact.phase);
    match state.open.as_mut().filter(|open| open.opened.phase == fact.phase) {
        Some(open) => review::fold(open, &Event::Commented(fact.clone())).ok()?,
        None if ahead && !fact.reopens => state.comments.waiting.push(fact.clone()),
        None if !ahead && fact.severity == Severity::Blocker => return None,
        None => keep(state, fact),
    }
    state.comments.all.push(fact.clone());
    Some(())
}

/// Keeps a comment with the findings of a loop that has ended: a note on a phase that is over, which changes nothing, or one
/// that is opened again, which the next loop takes up.
fn keep(state: &mut Pipeline, fact: &Commented) {
    let Some(last) = state.past.iter_mut().rev().find(|past| past.opened.phase == fact.phase) else {
        state.comments.waiting.push(fact.clone());
        return;
    };
    let judge = last.judge_of_comments();
    match last.findings.iter_mut().find(|finding| finding.id == fact.finding) {
        Some(known) => fact.open_again(known),
        None => last.findings.push(fact.finding(judge)),
    }
}

/// Hands a loop that is opened what was said about its phase before.
pub(super) fn opened(state: &mut Pipeline) {
    let Some(open) = state.open.as_mut() else { return };
    let phase = open.opened.phase;
    let waiting = core::mem::take(&mut state.comments.waiting);
    let (now, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|one| one.phase == phase);
    state.comments.waiting = later;
    for fact in now {
        // It was accepted when it was said, and nothing of that name is there.
        let _ = review::comment(open, &fact);
    }
}
