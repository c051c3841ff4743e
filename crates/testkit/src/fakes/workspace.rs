//! A worktree of a [`FakeRepository`], as one process sees it: the feature's own, or one of a task beside it. What the
//! engine asks of it is in `workspace_port`.

use super::locked;
use super::repository::{FakeRepository, Here, State, folder_of};
use super::tree::Tree;
use super::worktree::Head;
use redraft_engine::ports::{CommitRefused, WorkspaceError, covers};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// A worktree, and what this process remembers of it. A new process remembers nothing.
#[derive(Debug)]
pub struct FakeWorkspace {
    repository: Arc<FakeRepository>,
    /// The number of a worktree beside the feature's own.
    slot: Option<u16>,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Branches and tags at the last mark.
    pub(super) marked: Option<MarkedRefs>,
    /// Git's own files as they were last remembered.
    pub(super) setup: Option<BTreeMap<String, String>>,
    /// Repositories inside the worktree, as they were last found.
    pub(super) repositories: BTreeSet<String>,
}

/// Branches and tags at the time of a mark.
#[derive(Debug, Clone)]
pub(super) struct MarkedRefs {
    pub(super) refs: BTreeMap<String, String>,
    /// How long HEAD's log was.
    pub(super) log: usize,
    /// What the main checkout was on.
    pub(super) main: String,
}

impl FakeWorkspace {
    pub fn open(repository: &Arc<FakeRepository>) -> FakeWorkspace {
        FakeWorkspace { repository: Arc::clone(repository), slot: None, memory: Mutex::default() }
    }

    pub(super) fn of_slot(repository: &Arc<FakeRepository>, slot: u16) -> FakeWorkspace {
        FakeWorkspace { slot: Some(slot), ..FakeWorkspace::open(repository) }
    }

    pub(super) fn repository(&self) -> &FakeRepository {
        &self.repository
    }

    /// What is on the disk, seen from this worktree.
    pub(super) fn state(&self) -> Here<'_> {
        self.repository.state_at(self.slot)
    }

    /// The same for an operation of the workspace, or the trouble it meets instead.
    pub(super) fn asked(&self, operation: &str) -> Result<Here<'_>, WorkspaceError> {
        self.repository.asked_at(self.slot, operation)
    }

    pub(super) fn place(&self) -> String {
        folder_of(self.slot)
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        locked(&self.memory)
    }

    pub(super) fn branch(&self) -> &str {
        &self.repository.branch
    }

    pub(super) fn changed_something(&self, what: &str) {
        self.repository.crash.changed(what);
    }

    /// All files as they are; those that are `ours` as they are staged.
    pub(super) fn look(&self, state: &State, ours: &[String]) -> Tree {
        self.memory().repositories.clone_from(&state.feature.nested);
        let is_ours = |path: &str| covers(ours, path.as_bytes());
        let mut seen = state.visible();
        seen.retain(|path, _| !is_ours(path));
        let staged = state.feature.index.iter().filter(|(path, _)| is_ours(path));
        seen.extend(staged.map(|(path, node)| (path.clone(), node.clone())));
        seen
    }

    pub(super) fn require_branch(&self, state: &State) -> Result<(), WorkspaceError> {
        let on = matches!(&state.feature.head, Head::Branch(name) if name.strip_prefix("refs/heads/") == Some(self.branch()));
        match on && !state.head().is_empty() {
            true => Ok(()),
            false => Err(WorkspaceError::Commit(CommitRefused::WrongBranch(self.branch().to_owned()))),
        }
    }
}

/// The ref HEAD names; empty when it names none.
pub(super) fn name_of(head: &Head) -> String {
    match head {
        Head::Branch(name) => name.clone(),
        Head::Detached(_) => String::new(),
    }
}
