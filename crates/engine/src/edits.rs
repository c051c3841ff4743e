//! Takes in what a person changed in the worktree. What the change means for a loop is the machine's business.

use crate::building::is_code;
use crate::driver::{EngineError, Run};
use crate::ports::{Trailers, WorkspaceError};
use redraft_core::event::{Compared, Edited};
use redraft_core::ids::Revision;
use redraft_core::phase::Phase;
use redraft_core::project;
use redraft_core::text::hash;

/// A change that is reviewed by itself, as it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewed {
    /// The commit it ends with, and all files of it.
    pub commit: String,
    pub revision: Revision,
    /// What it is compared with.
    pub base: Revision,
    /// What is said of it, without secrets; and what of the part that is new since the last time.
    pub intent: String,
    pub said: String,
    /// Whether a check that has failed is to be run again though nothing has changed.
    pub again: bool,
}

impl Run<'_> {
    /// A person's edit becomes a commit of its own and an event, and so reaches every role in its next delta. Taking
    /// the document away is an edit too: the gate finds it missing, and the author writes it again.
    pub(crate) fn take_in_edits(&mut self) -> Result<bool, EngineError> {
        if let Some(change) = self.change.clone() {
            return self.take_in_change(change);
        }
        let Some(open) = &self.journal.state().open else { return Ok(false) };
        if open.finishing.is_some() {
            return self.take_in_merge();
        }
        let known = open.revision.clone();
        if known.is_none() && self.parts.workspace.read(open.artifact())?.is_none() {
            return Ok(false);
        }
        if !is_code(&open.opened) {
            self.refuse_new_secrets(&open.opened.paths)?;
        }
        let revision = match self.revision_now(&open.opened)? {
            Some(found) => found,
            // Nothing is left of what was there.
            None => self.parts.workspace.nothing()?,
        };
        let compared = self.moved_base()?;
        if Some(&revision) == known.as_ref() && compared.is_none() {
            return Ok(false);
        }
        let open = self.journal.open_loop()?;
        let (phase, epoch) = (open.opened.phase, open.epoch + 1);
        let paths = self.paths_of_change(&revision)?;
        self.parts.boundaries.pass("before an edit is committed");
        let trailers = Trailers { seq: self.journal.state().seq, ..Trailers::default() };
        let message = format!("redraft: {phase} edited by a person");
        let commit = self.commit(&paths, &message, &trailers)?;
        let commit = match commit {
            Some(commit) => commit,
            None => self.parts.workspace.head()?.0,
        };
        self.keep_anchor(epoch, &revision)?;
        if let Some(Compared { base, .. }) = &compared {
            self.keep(&format!("{epoch}-base"), base)?;
        }
        self.parts.boundaries.pass("before an edit is stored");
        let (by, first) = (self.rules.person.clone(), known.is_none());
        self.journal.record(Edited { revision, commit: commit.0, by, first, compared })?;
        Ok(true)
    }

    /// What code is compared with from now on, where the base was merged into the feature's branch: what the base brought is
    /// no part of the feature, and what of it was left out is.
    fn moved_base(&mut self) -> Result<Option<Compared>, EngineError> {
        let open = self.journal.open_loop()?;
        let Some(known) = open.base().filter(|_| is_code(&open.opened)).cloned() else { return Ok(None) };
        let head = self.parts.workspace.head()?.0.0;
        if self.based.as_ref() == Some(&head) {
            return Ok(None);
        }
        let base = self.base_of_code()?;
        let own = project::not_code(&self.created);
        let moved = match self.parts.workspace.all_changed(&known, &base) {
            Ok(changed) => changed.iter().any(|path| !own.contains(path)),
            // Git has lost what it was compared with.
            Err(WorkspaceError::AnchorLost(_)) => true,
            Err(error) => return Err(error.into()),
        };
        self.based = Some(head);
        Ok(moved.then(|| Compared { base, intent: None, said: String::new() }))
    }

    /// Puts the worktree to where the change under review stands now, and stores that, if it is not known. Nothing is
    /// committed: the commits are its own.
    fn take_in_change(&mut self, change: Reviewed) -> Result<bool, EngineError> {
        let Some(open) = &self.journal.state().open else { return Ok(false) };
        let moved = open.base() != Some(&change.base);
        self.parts.workspace.check_out(&change.commit)?;
        let Reviewed { commit, revision, base, intent, said, again } = change;
        let again = again && open.failed_gate().is_some();
        if let Some(change) = &mut self.change {
            // Once in a call.
            change.again = false;
        }
        let open = self.journal.open_loop()?;
        if open.revision.as_ref() == Some(&revision) && !moved && !again {
            return Ok(false);
        }
        if moved && !again && self.is_same_change((&base, &revision))? {
            // The base has gone on and was brought in; what is reviewed is letter for letter what it was.
            return Ok(false);
        }
        let (first, epoch) = (open.revision.is_none(), open.epoch + 1);
        self.keep_anchor(epoch, &revision)?;
        if moved {
            self.keep(&format!("{epoch}-base"), &base)?;
        }
        self.parts.boundaries.pass("before an edit is stored");
        let blobs: Vec<Vec<u8>> = (!intent.is_empty()).then(|| intent.into_bytes()).into_iter().collect();
        let intent = blobs.first().map(|bytes| hash(bytes));
        let (by, compared) = (self.rules.person.clone(), Some(Compared { base, intent, said }));
        self.journal.append(vec![Edited { revision, commit, by, first, compared }.into()], &blobs)?;
        Ok(true)
    }

    /// Whether what a change does to its base is what it did to the base it was last compared with.
    fn is_same_change(&self, (base, revision): (&Revision, &Revision)) -> Result<bool, EngineError> {
        let open = self.journal.open_loop()?;
        let (Some(then), Some(known)) = (open.base(), &open.revision) else { return Ok(false) };
        let differing = |from, to| self.parts.workspace.differing(from, to);
        Ok(differing(then, known)? == differing(base, revision)?)
    }

    /// Keeps git from collecting a revision that later deltas start from.
    pub(crate) fn keep_anchor(&self, epoch: u32, revision: &Revision) -> Result<(), EngineError> {
        self.keep(&epoch.to_string(), revision)
    }

    fn keep(&self, name: &str, revision: &Revision) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let name = self.anchor(open.opened.phase, open.opened.pass, name);
        Ok(self.parts.workspace.keep(&name, revision)?)
    }

    /// The full name of an anchor.
    pub(crate) fn anchor(&self, phase: Phase, pass: u16, name: &str) -> String {
        format!("{}/{phase}.{pass}/{name}", self.created.scope())
    }
}
