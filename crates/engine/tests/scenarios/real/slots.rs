//! Worktrees of tasks beside the feature's own, as the program has them, without what a project prepares.

use redraft_adapters::git::GitError;
use redraft_frame::errors::CliError;
use redraft_frame::slot_worktrees::PrepareSlot;
use std::path::Path;

pub(super) struct Unfurnished;

impl PrepareSlot for Unfurnished {
    fn alone(&self, make: &dyn Fn() -> Result<(), GitError>) -> Result<(), CliError> {
        Ok(make()?)
    }

    fn furnish(&self, _slot: u16, _folder: &Path, _sets_up: bool) -> Result<(), CliError> {
        Ok(())
    }
}
