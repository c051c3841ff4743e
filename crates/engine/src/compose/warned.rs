//! Which warnings of a review that approved are told to whoever writes next.

use super::task::TaskTexts;
use redraft_core::pipeline::{Pipeline, warned};
use redraft_core::review::{DispatchOrder, Loop};
use redraft_facts::event::FeatureCreated;
use redraft_facts::findings::Finding;
use redraft_facts::ticket::Purpose;

/// The document that an order's role builds on, with what its reviewers warned of. Of a task list, an implementer is told
/// what names its task.
pub(super) fn warnings_before<'a>(
    pipeline: &'a Pipeline,
    created: &FeatureCreated,
    state: &Loop,
    order: &DispatchOrder,
    task: Option<&TaskTexts>,
) -> (String, Vec<&'a Finding>) {
    let writes = matches!(order.ticket.purpose, Purpose::Draft | Purpose::Implement);
    let before = warned::before(pipeline, state.opened.phase).filter(|_| writes);
    let Some((phase, findings)) = before else { return Default::default() };
    let concerns = |one: &&Finding| task.is_none_or(|task| task.concerns(one));
    (created.path_of(phase.artifact()), findings.into_iter().filter(concerns).collect())
}
