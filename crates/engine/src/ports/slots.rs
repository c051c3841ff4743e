//! Worktrees beside the feature's own, in which tasks are carried out side by side.

use super::workspace::{Workspace, WorkspaceError};
use std::sync::Arc;

/// The worktrees of one feature by their numbers, from 1. Whatever stands in one is kept under a ref before it is put
/// on another commit or removed.
pub trait Slots: Send + Sync {
    /// The worktree of a slot, at this commit and on no branch, with exactly its files, and prepared as the project
    /// says. Made where it is missing.
    fn at(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError>;

    /// The same as it is, for what began there earlier; made at this commit where it is missing.
    fn as_it_is(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError>;

    /// Removes all that are there.
    fn remove_all(&self) -> Result<(), WorkspaceError>;
}

/// For what builds nothing side by side: documents, reviews, and features in the main checkout.
#[derive(Debug, Clone, Copy)]
pub struct NoSlots;

impl Slots for NoSlots {
    fn at(&self, slot: u16, _commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        let (path, detail) = (format!("slot {slot}"), "there is none here".to_owned());
        Err(WorkspaceError::File { path, detail })
    }

    fn as_it_is(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        self.at(slot, commit)
    }

    fn remove_all(&self) -> Result<(), WorkspaceError> {
        Ok(())
    }
}
