//! Takes in what a person changed in the worktree. The machine decides what the change means for a loop.

use crate::base::Base;
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::WorkspaceError;
use crate::trailers;
use crate::values::ChangeUnderReview;
use crate::worktree::Worktree;
use redraft_facts::event::{Compared, Edited};
use redraft_facts::ids::Revision;
use redraft_facts::text::hash;
use redraft_reports::projections;

/// Takes in edits.
pub(crate) struct Edits<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) base: Base<'r>,
    /// Who edits, for the record.
    pub(crate) person: &'r str,
    /// The commit at which the base of the code was last looked at.
    pub(crate) based: &'r mut Option<String>,
}

impl Edits<'_, '_> {
    /// Turns a person's edit into a commit of its own and an event, so that every role sees it in its next delta.
    /// Removing the document is an edit too: the gate finds it missing, and the author writes it again.
    pub(crate) fn take_in(&mut self) -> Result<bool, EngineError> {
        let Some(open) = &self.journal.state().open else { return Ok(false) };
        let known = open.revision.clone();
        if known.is_none() && self.worktree.workspace.read(open.artifact())?.is_none() {
            return Ok(false);
        }
        if !open.opened.is_code() {
            self.worktree.refuse_new_secrets(open, &open.opened.paths)?;
        }
        let revision = match self.worktree.standing(&open.opened)? {
            Some(found) => found,
            // Nothing is left of the document.
            None => self.worktree.workspace.nothing()?,
        };
        let compared = self.moved_base()?;
        if Some(&revision) == known.as_ref() && compared.is_none() {
            return Ok(false);
        }
        let open = self.journal.open_loop()?;
        let (phase, epoch) = (open.opened.phase, open.epoch + 1);
        if open.opened.is_code() {
            // Its documents are not part of what reviewers of code judge.
            self.worktree.require_upstream(self.journal.state(), phase)?;
        }
        let paths = self.worktree.paths_of_change(open, &revision)?;
        self.worktree.boundaries.pass("before an edit is committed");
        let trailers = trailers::plain(self.journal.state());
        let message = format!("redraft: {phase} edited by a person");
        let commit = self.worktree.commit_or_head(&paths, &message, &trailers)?;
        self.worktree.keep_anchor(open, &epoch.to_string(), &revision)?;
        if let Some(Compared { base, .. }) = &compared {
            self.worktree.keep_anchor(open, &format!("{epoch}-base"), base)?;
        }
        self.worktree.boundaries.pass("before an edit is stored");
        // What an adopted feature has besides its documents may have been there before.
        let came_along = self.journal.state().adopted.is_some() && known.as_ref() == open.base();
        let (by, first) = (self.person.to_owned(), known.is_none() || came_along);
        self.journal.record(Edited { revision, commit, by, first, compared })?;
        Ok(true)
    }

    /// The new revision that code is compared with, where the base was merged into the feature's branch: what the base
    /// brought is not part of the feature, but leaving some of that out is.
    fn moved_base(&mut self) -> Result<Option<Compared>, EngineError> {
        let open = self.journal.open_loop()?;
        let Some(known) = open.base().filter(|_| open.opened.is_code()).cloned() else { return Ok(None) };
        let head = self.worktree.head()?;
        if self.based.as_ref() == Some(&head) {
            return Ok(None);
        }
        let base = self.base.of_code()?;
        let own = projections::not_code(self.worktree.created);
        let moved = match self.worktree.workspace.all_changed(&known, &base) {
            Ok(changed) => changed.iter().any(|path| !own.contains(path)),
            // Git has lost the revision it was compared with.
            Err(WorkspaceError::AnchorLost(_)) => true,
            Err(error) => return Err(error.into()),
        };
        *self.based = Some(head);
        Ok(moved.then(|| Compared { base, intent: None, said: String::new() }))
    }

    /// Puts the worktree to the current state of the change under review, and stores that state if it is new. Nothing
    /// is committed: the commits are its own.
    pub(crate) fn take_in_change(&mut self, change: &mut ChangeUnderReview) -> Result<bool, EngineError> {
        let Some(open) = &self.journal.state().open else { return Ok(false) };
        let moved = open.base() != Some(&change.base);
        self.worktree.workspace.check_out(&change.commit)?;
        let again = change.again && open.failed_gate().is_some();
        // Once in a call.
        change.again = false;
        let ChangeUnderReview { commit, revision, base, intent, said, .. } = change.clone();
        if open.revision.as_ref() == Some(&revision) && !moved && !again {
            return Ok(false);
        }
        if moved && !again && self.is_same_change((&base, &revision))? {
            // The base has moved on and was merged in; what is reviewed is byte for byte what it was.
            return Ok(false);
        }
        let (first, epoch) = (open.revision.is_none(), open.epoch + 1);
        self.worktree.keep_anchor(open, &epoch.to_string(), &revision)?;
        if moved {
            self.worktree.keep_anchor(open, &format!("{epoch}-base"), &base)?;
        }
        self.worktree.boundaries.pass("before an edit is stored");
        let blobs: Vec<Vec<u8>> = (!intent.is_empty()).then(|| intent.into_bytes()).into_iter().collect();
        let intent = blobs.first().map(|bytes| hash(bytes));
        let (by, compared) = (self.person.to_owned(), Some(Compared { base, intent, said }));
        self.journal.append(vec![Edited { revision, commit, by, first, compared }.into()], &blobs)?;
        Ok(true)
    }

    /// Whether a change does the same to its base as it did to the base it was last compared with.
    fn is_same_change(&self, (base, revision): (&Revision, &Revision)) -> Result<bool, EngineError> {
        let open = self.journal.open_loop()?;
        let (Some(then), Some(known)) = (open.base(), &open.revision) else { return Ok(false) };
        let differing = |from, to| self.worktree.workspace.differing(from, to);
        Ok(differing(then, known)? == differing(base, revision)?)
    }
}
