//! Worktrees of tasks beside the feature's own, with the real git and without what a project prepares.

use redraft_adapters::git::{GitWorkspace, LeftoverKind, Repository, slot_folder, slot_folders};
use redraft_engine::ports::{Slots, Workspace, WorkspaceError};
use redraft_facts::ids::Revision;
use std::path::Path;
use std::sync::Arc;

pub(super) struct RealSlots<'a> {
    repository: &'a Repository,
    /// The feature's own worktree.
    own: &'a Path,
}

impl<'a> RealSlots<'a> {
    pub(super) fn new(repository: &'a Repository, own: &'a Path) -> RealSlots<'a> {
        RealSlots { repository, own }
    }

    fn made(&self, slot: u16, commit: &str) -> Result<Arc<GitWorkspace>, WorkspaceError> {
        let folder = slot_folder(self.own, slot);
        self.repository.ensure_detached(commit, &folder)?;
        let workspace = GitWorkspace::open(self.repository, &folder, &format!("001-slot-{slot}"))?;
        workspace.sweep();
        Ok(Arc::new(workspace))
    }

    fn keep_all(slot: u16, workspace: &GitWorkspace) -> Result<(), WorkspaceError> {
        let (head, _) = workspace.head()?;
        let now = workspace.tree(&[])?;
        if now == workspace.tree_of(&head.0)? {
            return Ok(());
        }
        workspace.keep(&format!("001/slot-{slot}/left-{}", now.short()), &Revision::new(now.as_str()))
    }
}

impl Slots for RealSlots<'_> {
    fn at(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        let workspace = self.made(slot, commit)?;
        RealSlots::keep_all(slot, &workspace)?;
        workspace.check_out(commit)?;
        Ok(workspace)
    }

    fn as_it_is(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        let workspace = self.made(slot, commit)?;
        Ok(workspace)
    }

    fn remove_all(&self) -> Result<(), WorkspaceError> {
        let head = self.repository.commit_named("HEAD")?.unwrap_or_default();
        for (slot, folder) in slot_folders(self.own) {
            RealSlots::keep_all(slot, &*self.made(slot, &head)?)?;
            let what = LeftoverKind::Worktree { folder, bytes: 0, uncommitted: Vec::new() };
            self.repository.take_away(&what)?;
        }
        Ok(())
    }
}
