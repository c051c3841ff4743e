//! What is in the folder that checks run in.

use super::ignore::Ignore;
use super::tree::{Tree, differing};
use std::collections::BTreeSet;
use std::path::PathBuf;

pub(super) const FOLDER: &str = "/fake/repo/.redraft/worktrees/check-001";

/// What is in that folder.
#[derive(Debug, Default)]
pub(super) struct CheckPlace {
    pub(super) files: Tree,
    /// The files of the commit it was last checked out at.
    pub(super) commit: Tree,
    pub(super) prepared: String,
    pub(super) set_up: Option<Tree>,
    /// What setup has made that git does not ignore.
    pub(super) made: BTreeSet<String>,
}

impl CheckPlace {
    pub(super) fn folder(&self) -> PathBuf {
        PathBuf::from(FOLDER)
    }

    /// Files that are neither tracked nor ignored.
    pub(super) fn others(&self) -> BTreeSet<String> {
        let ignore = Ignore::new(&self.files, None);
        let other = |path: &&String| !self.commit.contains_key(*path) && ignore.of_path(path).is_none();
        self.files.keys().filter(other).cloned().collect()
    }

    /// Puts tracked files back; returns those that had changed.
    pub(super) fn put_back(&mut self) -> Vec<String> {
        let mut tracked = self.files.clone();
        tracked.retain(|path, _| self.commit.contains_key(path));
        let changed = differing(&tracked, &self.commit);
        self.files.extend(self.commit.clone());
        changed
    }
}
