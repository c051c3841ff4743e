//! A worktree and the branch that is worked on in it: where they are, how git is called there, and what is remembered of
//! them.
//!
//! What can be done with a worktree is in modules above this one; [`super::workspace_port`] lists it.

use super::error::GitError;
use super::files::{Files, os_path};
use super::isolated_copy::IsolatedCopy;
use super::last_listing::{LastListing, Lines, Place};
use super::last_mark::{GitSetup, Hidden, MarkedRefs};
use super::lasting_git::Companions;
use super::recent::Recent;
use super::ref_name::ref_part;
use super::repository::Repository;
use super::run::{Call, Git, durable};
use super::stale_locks::{self, Cleared};
use super::temp_index::Index;
use crate::barrier::Barrier;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A worktree and the branch that is worked on in it.
#[derive(Debug)]
pub struct GitWorkspace {
    pub(super) git: Git,
    pub(super) files: Files,
    /// Git's folder for this worktree.
    pub(super) git_dir: PathBuf,
    pub(super) common: PathBuf,
    /// Where our temporary files are: one folder for each branch, in Redraft's own.
    scratch: PathBuf,
    /// Without `refs/heads/`.
    pub(super) branch: String,
    /// The file `.git` that ties a linked worktree to the repository; none in the main checkout.
    pub(super) link: Option<Vec<u8>>,
    pub(super) companions: Companions,
    recent: Mutex<Recent>,
    last_listing: Mutex<LastListing>,
    /// Branches and tags at the last mark; none before there was one.
    marked: Mutex<Option<MarkedRefs>>,
    /// Hooks and configuration at that time.
    git_setup: Mutex<Option<GitSetup>>,
    /// Files whose changes the index hid at that time.
    hidden: Mutex<Option<Hidden>>,
    /// Repositories inside the worktree, as they were last found.
    repositories: Mutex<BTreeSet<String>>,
    /// Whether the worktree was gone and was recreated.
    anew: AtomicBool,
    /// Isolated copies that were asked for.
    apart: Mutex<Vec<IsolatedCopy>>,
    barrier: Arc<Barrier>,
}

impl GitWorkspace {
    /// The worktree at `root`, which may also be the main checkout.
    pub fn open(repository: &Repository, root: &Path, branch: &str) -> Result<GitWorkspace, GitError> {
        let not_ours = || GitError::NotAWorktree(root.to_owned());
        let root = fs::canonicalize(root).map_err(|_| not_ours())?;
        let ask = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel"];
        // After the repository was moved, git finds nothing here until the worktree is repaired.
        let answer = repository.git.unguarded(&root, ask).succeed().map_err(|error| match error {
            GitError::Failed { .. } => not_ours(),
            other => other,
        })?;
        let answers: Vec<PathBuf> = answer.lines().into_iter().map(os_path).collect();
        let [git_dir, common, top] = answers.as_slice() else { return Err(not_ours()) };
        // A folder without its own `.git` belongs to the checkout around it, which must not be touched.
        if *top != root || common != repository.common_dir() {
            return Err(not_ours());
        }
        repository.git.guard().told(&root, git_dir, common);
        let dot_git = root.join(".git");
        let link = match dot_git.is_file() {
            true => Some(fs::read(&dot_git).map_err(|error| GitError::file(&dot_git, &error))?),
            false => None,
        };
        let scratch = repository.state_dir().join("tmp").join(ref_part(branch));
        Ok(GitWorkspace {
            git: repository.git.clone(),
            files: Files::new(root, scratch.clone()),
            git_dir: git_dir.clone(),
            common: common.clone(),
            scratch,
            branch: branch.to_owned(),
            link,
            companions: Companions::default(),
            recent: Mutex::default(),
            last_listing: Mutex::default(),
            marked: Mutex::default(),
            git_setup: Mutex::default(),
            hidden: Mutex::default(),
            repositories: Mutex::default(),
            anew: AtomicBool::default(),
            apart: Mutex::default(),
            barrier: repository.barrier(),
        })
    }

    pub fn root(&self) -> &Path {
        self.files.root()
    }

    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// A call for this worktree. It names the repository itself, so that an agent that removes the worktree's
    /// `.git` does not turn it into a call for the checkout around it.
    pub(super) fn call<const N: usize>(&self, args: [&str; N]) -> Call {
        let call = self.git.call(self.root(), args);
        call.env("GIT_DIR", &self.git_dir).env("GIT_WORK_TREE", self.root())
    }

    /// A call for this worktree that changes its index, HEAD or branch. Only one is made at a time. Git brings to disk
    /// what it writes before it gives it its name, so that a power cut finds each of them as before or as after.
    pub(super) fn writing<const N: usize>(&self, args: [&str; N]) -> Call {
        durable(self.call(args)).marked(self.scratch.join(stale_locks::MARKER))
    }

    /// Returns when everything in the repository and its worktrees is on disk. A ref that is moved after it names
    /// nothing that a power cut could take.
    pub(super) fn sync_to_disk(&self) -> Result<(), GitError> {
        self.barrier.hold().map_err(|error| GitError::file(&self.common, &error))
    }

    /// What was asked a moment ago. A panic elsewhere cannot leave it half written, so a poisoned lock is as good.
    pub(super) fn recent<T>(&self, ask: impl FnOnce(&mut Recent) -> T) -> T {
        ask(&mut self.recent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The files that differ from this index, which is the worktree's own.
    pub(super) fn changed_lines(&self, index: Option<&Index>) -> Result<Lines, GitError> {
        self.last_listing().lines(self.place(), index, || {
            self.call(["ls-files", "-t", "-z", "--modified", "--others", "--exclude-standard"]).list()
        })
    }

    /// Before files are committed; [`Self::note_committed`] afterwards, and git need not list them again.
    pub(super) fn refresh_listing(&self) -> Result<(), GitError> {
        self.last_listing().refresh(self.place(), self.index()?.as_ref());
        Ok(())
    }

    pub(super) fn note_committed(&self, paths: &[&str]) -> Result<(), GitError> {
        self.last_listing().committed(self.index()?.as_ref(), paths);
        Ok(())
    }

    /// It is replaced as a whole, so a poisoned lock is as good.
    pub(super) fn last_listing(&self) -> MutexGuard<'_, LastListing> {
        self.last_listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worktree's own index; none before there is one.
    pub(super) fn index(&self) -> Result<Option<Index>, GitError> {
        Index::read(&self.git_dir.join("index"))
    }

    /// Where git looks. An `excludesFile` of the user's own is left out: what it says counts from the next run on.
    fn place(&self) -> Place<'_> {
        let mut around = vec![self.git_dir.join("config.worktree"), "/etc/gitconfig".into()];
        around.extend(
            ["config", "config.worktree", "info/exclude", "info/attributes"]
                .map(|name| self.common.join(name)),
        );
        let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter();
        around.extend(named.filter_map(|name| self.git.variable(name)).map(PathBuf::from));
        let home = self.git.variable("HOME").map(PathBuf::from).unwrap_or_default();
        let own = self.git.variable("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
        around.extend(["config", "ignore", "attributes"].map(|name| own.join("git").join(name)));
        around.push(home.join(".gitconfig"));
        Place { root: self.root(), around }
    }

    pub(super) fn marked_refs(&self) -> Option<MarkedRefs> {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn mark_refs(&self, refs: MarkedRefs) {
        *self.marked.lock().unwrap_or_else(PoisonError::into_inner) = Some(refs);
    }

    pub(super) fn git_setup(&self) -> Option<GitSetup> {
        self.git_setup.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note_git_setup(&self, setup: GitSetup) {
        *self.git_setup.lock().unwrap_or_else(PoisonError::into_inner) = Some(setup);
    }

    pub(super) fn hidden(&self) -> Option<Hidden> {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note_hidden(&self, hidden: Hidden) {
        *self.hidden.lock().unwrap_or_else(PoisonError::into_inner) = Some(hidden);
    }

    pub(super) fn repositories(&self) -> BTreeSet<String> {
        self.repositories.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note_repositories(&self, found: BTreeSet<String>) {
        *self.repositories.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Whether the worktree was removed while an agent worked, and was recreated: what prepared it is gone.
    pub fn was_made_anew(&self) -> bool {
        self.anew.load(Ordering::Relaxed)
    }

    pub(super) fn note_made_anew(&self) {
        self.anew.store(true, Ordering::Relaxed);
    }

    /// Keeps an isolated copy as long as this value lives.
    pub(super) fn keep_copy(&self, copy: IsolatedCopy) {
        self.apart.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
    }

    /// Removes what a killed run of this branch left in its scratch space. The caller holds the feature's lock, so it
    /// is not in use.
    pub fn sweep(&self) {
        // Before the marker itself is swept away.
        let branch = self.common.join("refs/heads").join(format!("{}.lock", self.branch));
        let locks = [self.git_dir.join("index.lock"), self.git_dir.join("HEAD.lock"), branch];
        if stale_locks::clear(&self.scratch.join(stale_locks::MARKER), &locks, stale_locks::PATIENCE)
            == Cleared::StillWriting
        {
            return;
        }
        stale_locks::clear_indexes(&self.git_dir);
        let Ok(entries) = fs::read_dir(&self.scratch) else { return };
        for entry in entries.flatten() {
            // What cannot be removed now is in nobody's way, and the next run tries again.
            let _ = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => fs::remove_dir_all(entry.path()),
                false => fs::remove_file(entry.path()),
            };
        }
    }

    /// Scratch space.
    pub(super) fn temp(&self) -> PathBuf {
        self.scratch.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::repositories::{TestRepository, begin, paths, put};
    use super::*;
    use redraft_engine::ports::Workspace as _;
    use redraft_facts::ids::FeatureId;

    #[test]
    fn a_sweep_removes_what_a_killed_run_of_the_same_branch_left_and_nothing_of_another() {
        let bed = TestRepository::new();
        let place = bed.feature();
        let repository = bed.repository();
        let (other, _) = begin(&repository, FeatureId(32), "other").unwrap();
        let other = GitWorkspace::open(&repository, &other.worktree, &other.branch).unwrap();
        for scratch in [place.temp(), other.temp()] {
            for name in [".redraft-1-0.tmp", "index-1-0", "index-1-0.lock"] {
                put(&scratch, name, "left behind");
            }
        }
        place.sweep();
        assert_eq!(fs::read_dir(place.temp()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(other.temp()).unwrap().count(), 3);
        place.write("spec.md", b"x").unwrap();
        assert!(place.revision(&paths(&["spec.md"])).unwrap().is_some());
    }
}
