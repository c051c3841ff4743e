//! Takes in what a person changed in the worktree. What the change means for a loop is the machine's business.

use crate::driver::{EngineError, Run};
use crate::ports::Trailers;
use redraft_core::event::Edited;
use redraft_core::ids::Revision;

impl Run<'_> {
    /// A person's edit becomes a commit of its own and an event, and so reaches every role in its next delta. Taking
    /// the document away is an edit too: the gate finds it missing, and the author writes it again.
    pub(crate) fn take_in_edits(&mut self) -> Result<bool, EngineError> {
        let Some(open) = &self.state.open else { return Ok(false) };
        let (paths, artifact) = (open.opened.paths.clone(), open.artifact().to_owned());
        let known = open.revision.clone();
        if known.is_none() && self.parts.workspace.read(&artifact)?.is_none() {
            return Ok(false);
        }
        let revision = match self.parts.workspace.revision(&paths)? {
            Some(found) => found,
            // Nothing is left of what was there.
            None => self.parts.workspace.nothing()?,
        };
        if Some(&revision) == known.as_ref() {
            return Ok(false);
        }
        let (phase, epoch) = (open.opened.phase, open.epoch + 1);
        self.parts.boundaries.pass("before an edit is committed");
        let trailers = Trailers { ticket: String::new(), seq: self.state.seq };
        let message = format!("redraft: {phase} edited by a person");
        let commit = self.commit(&paths, &message, &trailers)?;
        let commit = match commit {
            Some(commit) => commit,
            None => self.parts.workspace.head()?.0,
        };
        self.keep_anchor(epoch, &revision)?;
        self.parts.boundaries.pass("before an edit is stored");
        let (by, first) = (self.rules.person.clone(), known.is_none());
        self.append(vec![Edited { revision, commit: commit.0, by, first }.into()], &[])?;
        Ok(true)
    }

    /// Keeps git from collecting a revision that later deltas start from.
    pub(crate) fn keep_anchor(&self, epoch: u32, revision: &Revision) -> Result<(), EngineError> {
        let open = self.open_loop()?;
        let (scope, phase, pass) = (self.created.scope(), open.opened.phase, open.opened.pass);
        let name = format!("{scope}/{phase}.{pass}/{epoch}");
        Ok(self.parts.workspace.keep(&name, revision)?)
    }
}
