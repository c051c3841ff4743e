//! Closes a phase, and writes the projections beside its artifacts.

use crate::building::is_code;
use crate::driver::{EngineError, Run};
use crate::ports::Trailers;
use redraft_core::event::{Entry, Event};
use redraft_core::ids::Revision;
use redraft_core::phase::Phase;
use redraft_core::project;
use redraft_core::review;

impl Run<'_> {
    /// The projections are committed with the close they tell of, so they are rendered as if it had happened.
    pub(crate) fn close_phase(&mut self, revision: Revision) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let closed = review::closing(open, revision);
        let phase = open.opened.phase;
        if phase == Phase::Finish {
            self.complete_retro()?;
        }
        let open = self.journal.open_loop()?;
        // Code was committed when it was built.
        let mut paths = if is_code(&open.opened) { Vec::new() } else { open.opened.paths.clone() };
        let word = if phase == Phase::Finish {
            "is over"
        } else if closed.approvals.len() == open.reviewers.len() {
            "approved"
        } else {
            "accepted by a ruling"
        };
        // The time of what it rests on, not of now: killed between commit and event, the next run must write the same
        // files, or it would commit them twice.
        let at_ms =
            self.journal.entries().last().map_or_else(|| self.parts.clock.now_ms(), |last| last.at_ms);
        let approved = self.approved(&closed);
        let event = Event::from(closed);
        let mut entries = self.journal.entries().to_vec();
        entries.push(Entry { seq: self.journal.state().seq + 1, at_ms, event: event.clone() });
        self.write_projections(&entries)?;
        paths.extend(project::FILES.iter().map(|name| self.created.path_of(name)));
        let trailers = Trailers { seq: self.journal.state().seq, approved, ..Trailers::default() };
        self.parts.boundaries.pass("before a close is committed");
        self.commit(&paths, &format!("redraft: {phase} {word}"), &trailers)?;
        self.parts.workspace.require_readable(&self.created.base_commit)?;
        self.parts.boundaries.pass("before a close is stored");
        self.journal.append_at(at_ms, vec![event], &[])
    }

    /// Writes the projections beside the artifacts. They can be deleted and come back the same.
    pub fn project(&self) -> Result<(), EngineError> {
        self.write_projections(self.journal.entries())
    }

    fn write_projections(&self, entries: &[Entry]) -> Result<(), EngineError> {
        // Nothing is put beside a document or into a change that is somebody else's.
        if self.created.is_review() {
            return Ok(());
        }
        let files = project::files(entries);
        // What only helps while a feature is under way goes with its end; the ledger has it.
        for name in project::FILES.iter().filter(|name| !files.iter().any(|(kept, _)| kept == *name)) {
            if project::is_finished(entries) {
                self.parts.workspace.remove(&self.created.path_of(name))?;
            }
        }
        for (name, text) in files {
            let path = self.created.path_of(name);
            // A secret that has come into the ledger must not stop every commit of what we write ourselves.
            let text = self.parts.redactor.redact(&text).0;
            if self.parts.workspace.read(&path)?.as_deref() != Some(text.as_bytes()) {
                self.parts.boundaries.pass("inside a projection");
                self.parts.workspace.write(&path, text.as_bytes())?;
            }
        }
        Ok(())
    }
}
