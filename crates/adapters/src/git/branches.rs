//! Finds branches on which others have begun features, local ones and those of remotes, and what they hold.

use super::error::GitError;
use super::files::os_path;
use super::locate::same_path;
use super::repository::Repository;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where features keep their documents.
const FEATURES: &str = "docs/features";

/// A branch that holds the folder of the feature it is named after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureBranch {
    /// `031-rate-limits`
    pub feature: String,
    /// As people name it: `feature/031-rate-limits` or `origin/feature/031-rate-limits`.
    pub name: String,
    pub commit: String,
}

impl FeatureBranch {
    /// The folder of its documents, from the root of the repository.
    pub fn folder(&self) -> String {
        format!("{FEATURES}/{}", self.feature)
    }
}

impl Repository {
    /// Whether there is a local branch of this name.
    pub fn has_branch(&self, branch: &str) -> Result<bool, GitError> {
        let full = format!("refs/heads/{branch}");
        Ok(self.call(["show-ref", "--verify", "--quiet"]).arg(full).end()?.code == Some(0))
    }

    /// Every branch called `feature/NNN-slug` that holds `docs/features/NNN-slug`, by name; a remote's only where no
    /// local branch has its name.
    pub fn feature_branches(&self) -> Result<Vec<FeatureBranch>, GitError> {
        let format = "--format=%(objectname) %(refname)";
        let refs = self.call(["for-each-ref", format, "refs/heads/feature", "refs/remotes"]).text()?;
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        // Local branches come first in the order of their full names.
        for (commit, full) in refs.lines().filter_map(|line| line.split_once(' ')) {
            let Some(name) = full.strip_prefix("refs/heads/").or(full.strip_prefix("refs/remotes/")) else {
                continue;
            };
            let own = match full.starts_with("refs/heads/") {
                true => Some(name),
                false => name.split_once('/').map(|(_, own)| own),
            };
            let Some(feature) = own.and_then(|own| own.strip_prefix("feature/")) else { continue };
            if !feature.contains('/') && seen.insert(feature.to_owned()) {
                let (feature, name, commit) = (feature.to_owned(), name.to_owned(), commit.to_owned());
                found.push(FeatureBranch { feature, name, commit });
            }
        }
        if found.is_empty() {
            return Ok(found);
        }
        let queries: String =
            found.iter().map(|branch| format!("{}:{}\n", branch.commit, branch.folder())).collect();
        let asked = self.call(["cat-file", "--batch-check=%(objecttype)"]).input(queries.into_bytes());
        let kinds = asked.text()?;
        let holds: Vec<bool> = kinds.lines().map(|kind| kind == "tree").collect();
        let mut holds = holds.into_iter();
        found.retain(|_| holds.next().unwrap_or(false));
        Ok(found)
    }

    /// The files below a folder of a commit, with their paths from the root; names that are not UTF-8 are skipped.
    pub fn files_at(&self, commit: &str, folder: &str) -> Result<Vec<String>, GitError> {
        let listed =
            self.call(["ls-tree", "-r", "-z", "--name-only"]).arg(commit).arg("--").arg(folder).list()?;
        Ok(listed.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect())
    }

    /// The checkout that a local branch is checked out in.
    pub fn checked_out(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let full = format!("refs/heads/{branch}");
        let place = self.call(["for-each-ref", "--format=%(worktreepath)"]).arg(full).text()?;
        Ok(Some(os_path(place.as_bytes())).filter(|_| !place.is_empty()))
    }

    /// Creates a local branch at a commit, unless a branch of that name exists.
    pub fn begin_branch(&self, branch: &str, commit: &str) -> Result<(), GitError> {
        if self.has_branch(branch)? {
            return Ok(());
        }
        self.call(["branch", "--no-track"]).arg(branch).arg(commit).succeed().map(drop)
    }

    /// Refuses a branch that is checked out elsewhere than in its own worktree, because git allows only one checkout of
    /// it.
    pub fn refuse_checked_out(&self, branch: &str, worktree: &Path) -> Result<(), GitError> {
        match self.checked_out(branch)? {
            Some(folder) if !same_path(&folder, worktree) && folder.exists() => {
                let other = self.usual_branch(branch)?;
                Err(GitError::CheckedOut { branch: branch.to_owned(), folder, other })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The branch people usually work from: the remote's default branch, else `main` or `master`, but never this one.
    fn usual_branch(&self, but: &str) -> Result<Option<String>, GitError> {
        let head = self.call(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]).end()?;
        let head = String::from_utf8_lossy(&head.stdout).into_owned();
        let usual = head.trim().strip_prefix("refs/remotes/origin/").unwrap_or_default();
        for name in [usual, "main", "master"] {
            if !name.is_empty() && name != but && self.has_branch(name)? {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// The name that commits are made under here, according to git's configuration.
    pub fn user_name(&self) -> Option<String> {
        let asked = self.call(["config", "--get", "user.name"]).text().ok()?;
        Some(asked.trim().to_owned()).filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests;
