//! The repository as one of its worktrees sees it.

use super::{FakeRepository, State, WORKTREE};
use redraft_engine::ports::WorkspaceError;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::MutexGuard;

/// What is on the disk; `feature` is the worktree that is asked about for as long as this is held.
pub(in crate::fakes) struct Here<'a> {
    state: MutexGuard<'a, State>,
    slot: Option<u16>,
}

impl<'a> Here<'a> {
    fn new(mut state: MutexGuard<'a, State>, slot: Option<u16>) -> Here<'a> {
        state.exchange(slot);
        Here { state, slot }
    }
}

impl Drop for Here<'_> {
    fn drop(&mut self) {
        self.state.exchange(self.slot);
    }
}

impl Deref for Here<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Here<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl State {
    fn exchange(&mut self, slot: Option<u16>) {
        if let Some(other) = slot.and_then(|slot| self.slots.get_mut(&slot)) {
            std::mem::swap(&mut self.feature, other);
        }
    }
}

impl FakeRepository {
    pub(in crate::fakes) fn state_at(&self, slot: Option<u16>) -> Here<'_> {
        Here::new(self.state(), slot)
    }

    /// The same by a folder; none where it is no worktree of this feature.
    pub(in crate::fakes) fn state_in(&self, folder: &Path) -> Option<Here<'_>> {
        let state = self.state();
        let slots = state.slots.keys().copied().map(Some);
        let slot = slots.chain([None]).find(|slot| Path::new(&folder_of(*slot)) == folder)?;
        Some(Here::new(state, slot))
    }

    /// The same; what is no worktree is outside of all of them, and what is done there is done in the feature's.
    pub(super) fn state_at_folder(&self, folder: &Path) -> Here<'_> {
        self.state_in(folder).unwrap_or_else(|| self.state_at(None))
    }

    pub(in crate::fakes) fn asked_at(
        &self,
        slot: Option<u16>,
        operation: &str,
    ) -> Result<Here<'_>, WorkspaceError> {
        Ok(Here::new(self.asked(operation)?, slot))
    }
}

/// Where a worktree is: the feature's own, or that of a slot beside it.
pub(in crate::fakes) fn folder_of(slot: Option<u16>) -> String {
    slot.map_or(WORKTREE.to_owned(), |slot| format!("{WORKTREE}.slot-{slot}"))
}
