//! Closes a phase: commits what was approved together with the projections that describe it.

use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::Trailers;
use crate::trailers;
use crate::worktree::Worktree;
use redraft_core::review;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;

/// Closes phases.
pub(crate) struct Closing<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
}

impl Closing<'_, '_> {
    /// The projections are committed with the close they describe, so they are rendered as if it had happened.
    pub(crate) fn close_phase(&mut self, revision: Revision) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let closed = review::closing(open, revision);
        let phase = open.opened.phase;
        // Code was committed when it was built.
        let mut paths = if open.opened.is_code() { Vec::new() } else { open.opened.paths.clone() };
        let word = if phase == Phase::Finish {
            "is over"
        } else if closed.approvals.len() == open.reviewers.len() {
            "approved"
        } else {
            "accepted by a ruling"
        };
        // The time of the event that the close is based on, not of now: if the run is killed between commit and event,
        // the next run must write the same files, or it would commit them twice.
        let at_ms = self
            .journal
            .entries()
            .last()
            .map_or_else(|| self.journal.writer().clock.now_ms(), |last| last.at_ms);
        let approved = trailers::approved(self.journal.state(), &closed);
        let event = Event::from(closed);
        let mut entries = self.journal.entries().to_vec();
        entries.push(Entry { seq: self.journal.state().seq + 1, at_ms, event: event.clone() });
        self.worktree.write_projections(&entries)?;
        paths.extend(self.worktree.projections());
        let trailers = Trailers { seq: self.journal.state().seq, approved, ..Trailers::default() };
        self.worktree.boundaries.pass("before a close is committed");
        self.worktree.commit(&paths, &format!("redraft: {phase} {word}"), &trailers)?;
        self.worktree.workspace.require_readable(&self.worktree.created.base_commit)?;
        self.worktree.boundaries.pass("before a close is stored");
        self.journal.append_at(at_ms, vec![event], &[])
    }
}
