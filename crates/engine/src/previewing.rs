//! Finds what a merge would give, and checks that only reviewed code is merged.
//!
//! Start at [`Previewing::approved`]. It stores nothing.

use crate::base::Base;
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::{CommitRefused, MergeOutcome, MergePreview, WorkspaceError};
use crate::worktree::Worktree;
use redraft_core::review::Loop;
use redraft_facts::event::Event;
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_reports::projections;

/// Looks at what a merge would give.
#[derive(Clone, Copy)]
pub(crate) struct Previewing<'r, 'a> {
    pub(crate) journal: &'r Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) base: Base<'r>,
}

impl Previewing<'_, '_> {
    /// The result of merging the approved code, and its revision. Anything that was not reviewed is refused.
    pub(crate) fn approved(&self) -> Result<(MergePreview, Revision), EngineError> {
        let preview = self.now()?;
        // The branch is what gets merged, whatever the worktree is on.
        if self.worktree.head()? != preview.head {
            let refused = CommitRefused::WrongBranch(self.worktree.created.branch.clone());
            return Err(WorkspaceError::Commit(refused).into());
        }
        let ours = self.worktree.written_at_the_end();
        let Some(closed) = self.journal.state().closed(Phase::Implement) else {
            self.require_no_code(&preview, &ours)?;
            return self.require_mergeable(preview);
        };
        let stray = |held: &Revision| -> Result<Option<String>, EngineError> {
            let changed = self.worktree.workspace.all_changed(&closed.revision, held)?;
            Ok(changed.into_iter().find(|path| !ours.contains(path)))
        };
        let changed = |path: String| {
            let (feature, phase, earlier) = (self.worktree.created.id, Phase::Finish, Phase::Implement);
            EngineError::Changed { feature, phase, earlier, path, revision: closed.revision.clone() }
        };
        let now = self.worktree.tree()?;
        if let Some(path) = stray(&now)? {
            return Err(changed(path));
        }
        self.require_same_base()?;
        if stray(&self.worktree.workspace.tree_of(&preview.head)?)?.is_none() {
            return self.require_mergeable(preview);
        }
        // The worktree holds what was approved, and the branch does not yet.
        self.worktree.committed(&now, Some(self.journal.seq()))?;
        let preview = self.now()?;
        match stray(&self.worktree.workspace.tree_of(&preview.head)?)? {
            None => self.require_mergeable(preview),
            Some(path) => Err(changed(path)),
        }
    }

    /// Where no code was reviewed, none is merged.
    fn require_no_code(&self, preview: &MergePreview, ours: &[String]) -> Result<(), EngineError> {
        let held = self.worktree.workspace.tree_of(&preview.head)?;
        let own = projections::not_code(self.worktree.created);
        let changed = self.worktree.workspace.all_changed(&self.base.of_code()?, &held)?;
        match changed.into_iter().find(|path| !ours.contains(path) && !own.contains(path)) {
            None => Ok(()),
            Some(path) => Err(EngineError::Unreviewed { feature: self.worktree.created.id, path }),
        }
    }

    /// Requires the base that was reviewed: reviewers judged what the code does to its base. If the base was merged
    /// into the branch since then, a merge may take out of the base what it has gained meanwhile.
    fn require_same_base(&self) -> Result<(), EngineError> {
        let closed = |one: &&Loop| one.opened.phase == Phase::Implement && one.end.is_some();
        let reviewed = self.journal.state().past.iter().rev().find(closed).and_then(Loop::base);
        let Some(reviewed) = reviewed else { return Ok(()) };
        let own = projections::not_code(self.worktree.created);
        let moved = match self.worktree.workspace.all_changed(reviewed, &self.base.of_code()?) {
            Err(WorkspaceError::AnchorLost(_)) => vec!["what git has lost of the base".to_owned()],
            moved => moved?,
        };
        match moved.into_iter().find(|path| !own.contains(path)) {
            None => Ok(()),
            Some(path) => {
                let (feature, into) = (self.worktree.created.id, self.worktree.created.base_branch.clone());
                Err(EngineError::BaseMerged { feature, into, path })
            }
        }
    }

    fn now(&self) -> Result<MergePreview, EngineError> {
        // A feature that was begun on no branch is checked as it is.
        let into = self.base_branch().unwrap_or_else(|_| self.worktree.created.branch.clone());
        Ok(self.base.merging.preview(&into, &self.worktree.written_at_the_end())?)
    }

    /// What a merge would give now, reviewed or not.
    pub(crate) fn mergeable(&self) -> Result<(MergePreview, Revision), EngineError> {
        self.require_mergeable(self.now()?)
    }

    /// The revision of what a merge would give; an error where it would not go through.
    fn require_mergeable(&self, preview: MergePreview) -> Result<(MergePreview, Revision), EngineError> {
        let into = self.base_branch().unwrap_or_else(|_| self.worktree.created.branch.clone());
        match &preview.outcome {
            MergeOutcome::Clean { checked, .. } => {
                let checked = checked.clone();
                Ok((preview, checked))
            }
            MergeOutcome::Conflicts(files) => {
                let (branch, files) = (self.worktree.created.branch.clone(), files.clone());
                let folder = self.worktree.workspace.folder();
                Err(EngineError::Conflict { feature: self.worktree.created.id, branch, into, files, folder })
            }
        }
    }

    pub(crate) fn base_branch(&self) -> Result<String, EngineError> {
        let created = self.worktree.created;
        if created.base_branch.is_empty() {
            return Err(EngineError::NoBase { feature: created.id, branch: created.branch.clone() });
        }
        Ok(created.base_branch.clone())
    }

    /// Whether the retrospective and the knowledge bank are as they were when the code was approved, or as this phase
    /// wrote them. Anything else that a person or an agent wrote there is checked like everything else.
    pub(crate) fn end_is_as_written(&self, preview: &MergePreview) -> Result<bool, EngineError> {
        let Some(approved) = self.journal.state().closed(Phase::Implement) else { return Ok(false) };
        let held = self.worktree.workspace.tree_of(&preview.head)?;
        let (ours, told) = (self.worktree.written_at_the_end(), self.worktree.projections());
        let differ = |from: &Revision| -> Result<bool, EngineError> {
            let changed = self.worktree.workspace.all_changed(from, &held)?;
            Ok(changed.iter().any(|path| ours.contains(path) && !told.contains(path)))
        };
        if !differ(&approved.revision)? {
            return Ok(true);
        }
        let written = self.journal.entries().iter().rev().find_map(|entry| {
            match &entry.event {
                Event::RetroWritten(fact) => Some(&fact.commit),
                Event::BankJudged(fact) => Some(&fact.commit),
                Event::BankApplied(fact) => Some(&fact.commit),
                _ => None,
            }
            .filter(|commit| !commit.is_empty())
        });
        match written {
            Some(commit) => Ok(!differ(&self.worktree.workspace.tree_of(commit)?)?),
            None => Ok(false),
        }
    }
}
