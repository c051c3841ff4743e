//! Writes the projections next to the artifacts: rendered from the events, written where they differ.

use crate::boundary::Boundaries;
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::Workspace;
use crate::worktree::Worktree;
use redraft_facts::event::{Entry, Event};
use redraft_reports::projections;

/// Writes the projections of a feature after something was stored by a command, as a run does.
pub fn write_projections(
    workspace: &dyn Workspace,
    journal: &Journal<'_>,
    boundaries: &Boundaries,
) -> Result<(), EngineError> {
    let Some(created) = &journal.state().created else { return Ok(()) };
    let redactor = journal.writer().redactor;
    Worktree { workspace, redactor, boundaries, created }.write_projections(journal.entries())
}

impl Worktree<'_> {
    /// Writes the projections. They can be deleted and come back the same.
    pub(crate) fn write_projections(&self, entries: &[Entry]) -> Result<(), EngineError> {
        // Nothing is written next to a document, or into a change, that belongs to somebody else.
        if self.created.is_review() {
            return Ok(());
        }
        let files = projections::files(entries, self.redactor);
        // Files that help only while a feature is under way are removed at its end; the ledger has what they said.
        for name in projections::FILES.iter().filter(|name| !files.iter().any(|(kept, _)| kept == *name)) {
            if projections::is_finished(entries) {
                self.workspace.remove(&self.created.path_of(name))?;
            }
        }
        for (name, text) in files {
            let path = self.created.path_of(name);
            if self.workspace.read(&path)?.as_deref() != Some(text.as_bytes()) {
                self.boundaries.pass("inside a projection");
                self.workspace.write(&path, text.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Whether an event changes what people read next to the artifact; other events wait for the next one that does.
pub(crate) fn shows(event: &Event) -> bool {
    match event {
        Event::Judged(_)
        | Event::Drafted(_)
        | Event::Built(_)
        | Event::TakenOut(_)
        | Event::Edited(_)
        | Event::Decided(_)
        | Event::Commented(_)
        | Event::RetroWritten(_)
        | Event::BankJudged(_)
        | Event::BankApplied(_)
        | Event::PhaseClosed(_) => true,
        Event::FeatureCreated(_)
        | Event::JobsSet(_)
        | Event::Enqueued(_)
        | Event::Combined(_)
        | Event::LoopOpened(_)
        | Event::Adopted(_)
        | Event::LaneSet(_)
        | Event::PhaseSkipped(_)
        | Event::WentBack(_)
        | Event::Merged(_)
        | Event::Unblocked(_)
        | Event::Started(_)
        | Event::Raised(_)
        | Event::Answered(_)
        | Event::Failed(_)
        | Event::Lost(_)
        | Event::Checked(_)
        | Event::Asked(_)
        | Event::StageClosed(_)
        | Event::Cancelled(_)
        | Event::AgentsMet(_)
        | Event::Probed(_)
        | Event::DriverChanged(_)
        | Event::ProposalSettled(_)
        | Event::Redacted(_)
        | Event::Unreadable(_)
        | Event::SigningBegan(_)
        | Event::BudgetSet(_)
        | Event::BudgetReached(_)
        | Event::CostCorrected(_) => false,
    }
}
