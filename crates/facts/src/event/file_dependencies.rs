//! Decides which facts depend on files outside the ledger.

use super::Event;

impl Event {
    /// Whether the event refers to something outside the ledger: a commit, a revision, files of the worktree. All of
    /// that must be on disk before the event is, or a power cut leaves an event about nothing. A kind that is not
    /// listed here counts as one that does: that mistake costs a moment, the opposite one costs work.
    pub fn depends_on_files(&self) -> bool {
        !matches!(
            self,
            Event::Raised(_)
                | Event::Judged(_)
                | Event::StageClosed(_)
                | Event::Asked(_)
                | Event::Decided(_)
                | Event::Commented(_)
                | Event::BudgetSet(_)
                | Event::JobsSet(_)
                | Event::BudgetReached(_)
                | Event::AgentsMet(_)
                | Event::Probed(_)
                | Event::LaneSet(_)
                | Event::PhaseSkipped(_)
                | Event::Unblocked(_)
                | Event::DriverChanged(_)
                | Event::ProposalSettled(_)
                | Event::Cancelled(_)
        )
    }
}
