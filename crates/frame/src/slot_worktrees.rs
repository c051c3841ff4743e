//! The worktrees in which the tasks of a feature are carried out side by side.
//!
//! Each lies beside the feature's own, on no branch, and is prepared like it. What stands in one and in no commit is
//! kept under a ref before it is put on another commit or removed.

use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::prepare::{Furniture, furnish};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_adapters::child::SLOT;
use redraft_adapters::git::{GitError, GitWorkspace, LeftoverKind, Repository, slot_folder, slot_folders};
use redraft_agents::config::Config;
use redraft_engine::ports::{Slots, Workspace, WorkspaceError};
use redraft_facts::event::FeatureCreated;
use redraft_facts::ids::Revision;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub struct SlotWorktrees<'a, P> {
    repository: &'a Repository,
    /// The folder of states.
    state: &'a Path,
    created: &'a FeatureCreated,
    /// The feature's own worktree.
    own: PathBuf,
    prepares: P,
    /// Those that this run has looked at.
    open: Mutex<BTreeMap<u16, Arc<GitWorkspace>>>,
}

/// What a worktree needs besides git.
pub trait PrepareSlot: Send + Sync {
    /// Makes it while nobody else makes one.
    fn alone(&self, make: &dyn Fn() -> Result<(), GitError>) -> Result<(), CliError>;

    /// Copies what the project names, and sets it up where that is wanted.
    fn furnish(&self, slot: u16, folder: &Path, sets_up: bool) -> Result<(), CliError>;
}

/// Prepares it as `redraft.toml` says.
pub struct AsTheProjectSays<'a> {
    pub repo: &'a RepositoryContext,
    pub config: &'a Config,
    pub created: &'a FeatureCreated,
    pub process: &'a ProcessContext,
    pub console: &'a Console,
}

impl PrepareSlot for AsTheProjectSays<'_> {
    fn alone(&self, make: &dyn Fn() -> Result<(), GitError>) -> Result<(), CliError> {
        let _lock = self.repo.lock_repository(self.process, self.console)?;
        Ok(make()?)
    }

    fn furnish(&self, slot: u16, folder: &Path, sets_up: bool) -> Result<(), CliError> {
        let out = self.repo.state.join("setup").join(format!("{}.slot-{slot}", self.created.id));
        let mut environment = self.process.environment.clone();
        environment.set(SLOT, &slot.to_string());
        let furniture = Furniture { folder, out: &out, environment: &environment, sets_up };
        furnish(&furniture, self.repo, self.created, self.config, self.process, self.console)
    }
}

impl<'a, P: PrepareSlot> SlotWorktrees<'a, P> {
    /// `own`: the feature's own worktree.
    pub fn new(
        repository: &'a Repository,
        state: &'a Path,
        created: &'a FeatureCreated,
        own: PathBuf,
        prepares: P,
    ) -> SlotWorktrees<'a, P> {
        SlotWorktrees { repository, state, created, own, prepares, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u16, Arc<GitWorkspace>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where is noted that a slot was prepared.
    fn ready(&self, slot: u16) -> PathBuf {
        self.state.join("ready").join(format!("{}.slot-{slot}", self.created.id))
    }

    /// Those that were prepared once, also where somebody has removed the folder since.
    fn prepared(&self) -> Vec<u16> {
        let Some(Ok(notes)) = self.ready(0).parent().map(fs::read_dir) else { return Vec::new() };
        let before = format!("{}.slot-", self.created.id);
        let number = |note: fs::DirEntry| note.file_name().to_str()?.strip_prefix(&before)?.parse().ok();
        notes.flatten().filter_map(number).collect()
    }

    /// The worktree of a slot, made and prepared where it is missing.
    fn made(&self, slot: u16, commit: &str) -> Result<Arc<GitWorkspace>, CliError> {
        let (folder, ready) = (slot_folder(&self.own, slot), self.ready(slot));
        if let Some(known) = self.open().get(&slot).filter(|_| folder.join(".git").exists()) {
            return Ok(Arc::clone(known));
        }
        let named =
            |error: std::io::Error| CliError::new(ErrorCode::Config, format!("{}: {error}", ready.display()));
        let is_new = !(folder.join(".git").exists() && ready.exists());
        if is_new {
            if ready.exists() {
                fs::remove_file(&ready).map_err(named)?;
            }
            self.prepares.alone(&|| self.repository.ensure_detached(commit, &folder))?;
        }
        let workspace = Arc::new(self.workspace(slot, &folder)?);
        workspace.sweep();
        if is_new {
            self.prepares.furnish(slot, &folder, true)?;
            fs::create_dir_all(ready.parent().unwrap_or(self.state)).map_err(named)?;
            fs::write(&ready, "1\n").map_err(named)?;
        }
        self.open().insert(slot, Arc::clone(&workspace));
        Ok(workspace)
    }

    fn workspace(&self, slot: u16, folder: &Path) -> Result<GitWorkspace, GitError> {
        let name = format!("{}-slot-{slot}", self.created.scope());
        GitWorkspace::open(self.repository, folder, &name)
    }

    /// Keeps all that is there and in no commit.
    fn keep_all(&self, slot: u16, workspace: &GitWorkspace) -> Result<(), WorkspaceError> {
        let (head, _) = workspace.head()?;
        let now = workspace.tree(&[])?;
        if now == workspace.tree_of(&head.0)? {
            return Ok(());
        }
        let name = format!("{}/slot-{slot}/left-{}", self.created.scope(), now.short());
        workspace.keep(&name, &Revision::new(now.as_str()))
    }
}

impl<P: PrepareSlot> Slots for SlotWorktrees<'_, P> {
    fn at(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        let workspace = self.made(slot, commit).map_err(|error| refused(slot, &error))?;
        self.keep_all(slot, &workspace)?;
        workspace.check_out(commit)?;
        self.prepares
            .furnish(slot, &slot_folder(&self.own, slot), false)
            .map_err(|error| refused(slot, &error))?;
        Ok(workspace)
    }

    fn as_it_is(&self, slot: u16, commit: &str) -> Result<Arc<dyn Workspace>, WorkspaceError> {
        let workspace = self.made(slot, commit).map_err(|error| refused(slot, &error))?;
        Ok(workspace)
    }

    fn remove_all(&self) -> Result<(), WorkspaceError> {
        let there = slot_folders(&self.own).into_iter().map(|(slot, _)| slot);
        let slots: BTreeSet<u16> = there.chain(self.prepared()).collect();
        for slot in slots {
            let folder = slot_folder(&self.own, slot);
            if folder.join(".git").exists() {
                self.keep_all(slot, &self.workspace(slot, &folder)?)?;
            } else if folder.exists() {
                // What is no worktree has nothing of ours; `redraft clean` shows it.
                continue;
            }
            self.open().remove(&slot);
            let what = LeftoverKind::Worktree { folder, bytes: 0, uncommitted: Vec::new() };
            self.repository.take_away(&what)?;
            // A note about nothing is overlooked.
            let _ = fs::remove_file(self.ready(slot));
        }
        Ok(())
    }
}

fn refused(slot: u16, error: &CliError) -> WorkspaceError {
    match error.code {
        ErrorCode::Interrupted => WorkspaceError::Interrupted { command: "[workspace] setup".to_owned() },
        _ => {
            let detail = [&error.message].into_iter().chain(&error.hints).cloned().collect::<Vec<_>>();
            WorkspaceError::File { path: format!("worktree of slot {slot}"), detail: detail.join("; ") }
        }
    }
}
