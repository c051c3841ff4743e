//! A feature's branch and worktree, or its branch in the main checkout: what they are called, and creating them so
//! that a crash in the middle can be repeated.
//!
//! The caller holds the repository lock; nothing here guards against another Redraft doing the same.

use super::error::GitError;
use super::locate::same_path;
use super::moving::{self, Move, MoveError};
use super::repository::{Listed, Repository, worktrees};
use redraft_engine::boundary::Boundaries;
use redraft_facts::ids::{FeatureId, ReviewId, is_slug};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Lets a new worktree begin with all files.
pub(super) const ALL_FILES: &str = "core.sparseCheckout=false";

/// What every feature's branch begins with.
const BRANCHES: &str = "feature";
/// Those of reviews.
const REVIEWS: &str = "redraft/review";

/// Where a feature is worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeaturePlace {
    /// `feature/031-rate-limits`
    pub branch: String,
    /// The root of its worktree.
    pub worktree: PathBuf,
}

impl Repository {
    /// Where a feature belongs, whether it exists or not.
    pub fn feature_place(&self, id: FeatureId, slug: &str) -> Result<FeaturePlace, GitError> {
        self.place(&format!("{BRANCHES}/{id}"), &id.to_string(), slug)
    }

    /// Where the review of a document is done.
    pub fn review_place(&self, id: ReviewId, slug: &str) -> Result<FeaturePlace, GitError> {
        self.place(&format!("{REVIEWS}/{id}"), &format!("review-{id}"), slug)
    }

    fn place(&self, branch: &str, folder: &str, slug: &str) -> Result<FeaturePlace, GitError> {
        if !is_slug(slug) {
            return Err(GitError::BadName(slug.to_owned()));
        }
        Ok(FeaturePlace {
            branch: format!("{branch}-{slug}"),
            worktree: self.worktrees_folder().join(format!("{folder}-{slug}")),
        })
    }

    /// Finds what would keep every feature from being created, before one is begun: something in the place of the
    /// worktrees' folder, where worktrees are used, or of their branches.
    pub fn make_room(&self, worktrees: bool) -> Result<(), GitError> {
        if worktrees {
            self.make_worktrees_folder()?;
        }
        if self.has_branch(BRANCHES)? { Err(GitError::BranchInTheWay(BRANCHES)) } else { Ok(()) }
    }

    /// Whether git knows an identity to commit under.
    pub fn has_identity(&self) -> Result<bool, GitError> {
        for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            // A guessed address does not count, just as when a commit is made.
            let asked = self.call(["var", who]).setting("user.useConfigOnly=true").end()?;
            if asked.code != Some(0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Creates the branch and the worktree where they are missing; does nothing when both are there.
    pub fn ensure_feature(&self, branch: &str, base_commit: &str, worktree: &Path) -> Result<(), GitError> {
        let missing = self.makes_room_for(worktree)?;
        let branch_exists = self.has_branch(branch)?;
        match (missing, branch_exists) {
            (true, _) => {}
            (false, true) => return self.make_whole(worktree),
            (false, false) => return self.create_branch(branch, base_commit),
        }
        if branch_exists {
            self.refuse_checked_out(branch, worktree)?;
        }
        let add = self.call(["worktree", "add", "--quiet", "--no-guess-remote"]);
        let add = if branch_exists {
            add.arg(worktree).arg(branch)
        } else {
            add.arg("-b").arg(branch).arg(worktree).arg(base_commit)
        };
        self.make_worktree(worktree, add.setting(ALL_FILES))?;
        self.make_whole(worktree)
    }

    /// Makes sure that a worktree has all files, also for those who work in it. A sparse checkout is for the person who
    /// made it: what is reviewed and merged is the whole tree, and a feature may need any part of it.
    pub(super) fn make_whole(&self, worktree: &Path) -> Result<(), GitError> {
        let sparse =
            self.git.call(worktree, ["config", "--type=bool", "--get", "core.sparseCheckout"]).end()?;
        if sparse.stdout.trim_ascii() == b"true" {
            self.git.call(worktree, ["sparse-checkout", "disable"]).succeed()?;
        }
        Ok(())
    }

    /// Whether a worktree has yet to be made here; removes what is left of one that was never completed.
    pub(super) fn makes_room_for(&self, worktree: &Path) -> Result<bool, GitError> {
        self.refuse_links()?;
        self.exclude_worktrees()?;
        self.unmake(worktree)?;
        let listed = worktrees(self.call([]))?;
        match listed.iter().find(|listed| same_path(&listed.path, worktree)) {
            Some(found) if found.is_half_made() || !found.path.exists() => self.unregister(found)?,
            Some(found) if !found.path.join(".git").exists() => {
                return Err(GitError::NotAWorktree(worktree.to_owned()));
            }
            Some(_) => return Ok(false),
            None if is_empty_or_absent(worktree)? => {}
            None => return Err(GitError::FolderExists(worktree.to_owned())),
        }
        Ok(true)
    }

    /// Puts the main checkout on a feature's branch, creating it where it is missing. Refused when the checkout has
    /// changes that would be carried along; does nothing when it is on the branch already.
    pub fn enter_feature(
        &self,
        branch: &str,
        base_commit: &str,
        boundaries: &Boundaries,
    ) -> Result<(), GitError> {
        self.exclude_worktrees()?;
        if self.is_in_place(branch)? {
            return Ok(());
        }
        let main = self.main_checkout();
        if self.has_changes(main)? {
            return Err(GitError::Dirty(main.to_owned()));
        }
        if !self.has_branch(branch)? {
            self.git.call(main, ["branch", "--no-track", branch, base_commit]).succeed()?;
        }
        self.refuse_checked_out(branch, main)?;
        let commit = |name: &str| self.git.call(main, ["rev-parse", "--verify", name]).text();
        let (from, to) = (commit("HEAD^{commit}")?, commit(&format!("refs/heads/{branch}^{{commit}}"))?);
        let was = self.git.call(main, ["symbolic-ref", "--quiet", "HEAD"]).end()?;
        let was = String::from_utf8_lossy(&was.stdout).trim().to_owned();
        let was = if was.is_empty() { from.clone() } else { was };
        let head = moving::Head::Switch { was, branch: branch.to_owned() };
        let what = format!("switching to {branch}");
        let wanted = Move { folder: main, from: &from, to: &to, head, what };
        self.move_checkout(&wanted, boundaries).map_err(|error| match error {
            MoveError::InTheWay(detail) => GitError::InTheWay { folder: main.to_owned(), detail },
            MoveError::Moved => GitError::Moving(main.to_owned()),
            MoveError::Git(error) => error,
        })
    }

    /// Whether the main checkout is on this branch.
    pub fn is_in_place(&self, branch: &str) -> Result<bool, GitError> {
        let name = self.git.call(self.main_checkout(), ["symbolic-ref", "--quiet", "HEAD"]).end()?;
        let name = String::from_utf8_lossy(&name.stdout).into_owned();
        Ok(name.trim_end().strip_prefix("refs/heads/") == Some(branch))
    }

    fn create_branch(&self, branch: &str, base_commit: &str) -> Result<(), GitError> {
        self.call(["branch", branch, base_commit]).succeed().map(drop)
    }

    /// Forgets a worktree whose folder is gone or was never completed, and removes what is left of it.
    pub(super) fn unregister(&self, found: &Listed) -> Result<(), GitError> {
        self.call(["worktree", "remove", "--force", "--force"]).arg(&found.path).succeed().map(drop)
    }
}

impl Listed {
    /// Whether `git worktree add` was killed: until its checkout is complete it keeps this lock.
    fn is_half_made(&self) -> bool {
        self.locked.as_deref() == Some("initializing")
    }
}

fn is_empty_or_absent(folder: &Path) -> Result<bool, GitError> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        Err(error) => Err(GitError::file(folder, &error)),
    }
}

#[cfg(test)]
mod tests;
