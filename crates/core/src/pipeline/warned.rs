//! Warnings of a review that approved: its author had no further turn, so whoever builds on the document is told.

use super::Pipeline;
use crate::review::{Loop, LoopEnd};
use redraft_documents::reconcile::defects;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::verdict::Severity;

/// The document that a phase builds on, the nearest one before it, with the warnings that its reviews left open, each
/// defect once. What a person wants changed is worked in before a phase closes.
pub fn before(state: &Pipeline, phase: Phase) -> Option<(Phase, Vec<&Finding>)> {
    let closed = |one: &&Loop| matches!(one.end, Some(LoopEnd::Closed(_)));
    let earlier = state.standing().filter(|one| one.opened.phase < phase && !one.opened.is_code());
    let nearest = earlier.filter(closed).max_by_key(|one| one.opened.phase)?;
    let open = nearest.findings.iter().filter(|one| {
        one.status == Status::Open
            && one.severity == Severity::Warning
            && one.unverified.is_none()
            && !one.is_comment()
    });
    Some((nearest.opened.phase, defects(open).into_iter().map(|defect| defect.first).collect()))
}
