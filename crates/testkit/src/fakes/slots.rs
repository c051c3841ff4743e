//! Worktrees of tasks that are carried out side by side, of the fake repository.

use super::locked;
use super::repository::FakeRepository;
use super::tree::{Node, differing};
use super::workspace::FakeWorkspace;
use super::worktree::{Head, Worktree};
use redraft_engine::ports::{Slots, Workspace, WorkspaceError};
use redraft_facts::ids::Revision;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The worktrees of one feature by their numbers, as one process knows them.
#[derive(Debug)]
pub struct FakeSlots {
    repository: Arc<FakeRepository>,
    open: Mutex<BTreeMap<u16, Arc<FakeWorkspace>>>,
}

impl FakeSlots {
    pub fn new(repository: &Arc<FakeRepository>) -> FakeSlots {
        FakeSlots { repository: Arc::clone(repository), open: Mutex::default() }
    }

    fn made(&self, slot: u16, commit: &str) -> Result<Arc<FakeWorkspace>, WorkspaceError> {
        let mut state = self.repository.asked("slot")?;
        let is_new = state.slots.get(&slot).is_none_or(|there| there.gone);
        if is_new {
            let Some(tree) = state.files_at(commit).cloned() else {
                let (command, detail) =
                    ("git worktree add".to_owned(), format!("invalid reference: {commit}"));
                return Err(WorkspaceError::Git { command, detail });
            };
            let head = Head::Detached(commit.to_owned());
            let made = Worktree { head, index: tree.clone(), files: tree, ..Worktree::default() };
            state.slots.insert(slot, made);
        }
        drop(state);
        if is_new {
            self.repository.crash.changed("a worktree of a slot is made");
        }
        let mut open = locked(&self.open);
        let known =
            open.entry(slot).or_insert_with(|| Arc::new(FakeWorkspace::of_slot(&self.repository, slot)));
        Ok(Arc::clone(known))
    }

    /// Keeps all that is there and in no commit.
    fn keep_all(&self, slot: u16) {
        let mut state = self.repository.state_at(Some(slot));
        let held = state.files_at(&state.head()).cloned().unwrap_or_default();
        let mut now = state.visible();
        now.retain(|_, node| *node != Node::Pipe);
        if differing(&held, &now).is_empty() {
            return;
        }
        let tree = state.store_tree(&now);
        let short = Revision::new(tree.clone()).short().to_owned();
        state.refs.insert(format!("refs/redraft/anchors/001/slot-{slot}/left-{short}"), tree);
        drop(state);
        self.repository.crash.changed("what is left in a slot is kept");
    }
}

impl Slots for FakeSlots {
    fn at(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        let made = self.made(slot, commit)?;
        self.keep_all(slot);
        made.check_out(commit)?;
        Ok(made)
    }

    fn as_it_is(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        let made = self.made(slot, commit)?;
        Ok(made)
    }

    fn remove_all(&self) -> Result<(), WorkspaceError> {
        let there: Vec<u16> = self.repository.asked("remove_slots")?.slots.keys().copied().collect();
        for slot in there {
            if !self.repository.state().slots.get(&slot).is_some_and(|there| there.gone) {
                self.keep_all(slot);
            }
            self.repository.state().slots.remove(&slot);
            locked(&self.open).remove(&slot);
            self.repository.crash.changed("a worktree of a slot is removed");
        }
        Ok(())
    }
}
