//! Finds which configuration a call of git reads: git itself is asked, and asked again when something changes that its
//! answer depends on.
//!
//! To look at another folder than git does would be to guard the wrong door. How git finds its folders has odd cases
//! (links that lead nowhere, names that are no text, files with empty lines), so it is not imitated here.

use crate::git::error::GitError;
use crate::git::files::os_path;
use crate::git::locate;
use crate::git::run::Git;
use crate::git::stamp::{Stamps, are_current, stamped};
use std::fs;
use std::path::{Path, PathBuf};

/// Where a call is made: the folder, and the git folder where the call names it.
#[derive(Debug, Clone)]
pub(in super::super) struct Asked {
    pub(in super::super) folder: PathBuf,
    pub(in super::super) git: Option<PathBuf>,
}

/// What an answer is remembered by: where the git folder is named, the folder does not matter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Folder(PathBuf),
    Git(PathBuf),
}

/// The folders that git uses there; none outside of any repository.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) folders: Option<Folders>,
    /// What the answer depends on.
    stamps: Stamps,
}

#[derive(Debug, Clone)]
pub(super) struct Folders {
    /// Git's folder for the checkout.
    pub(super) git: PathBuf,
    /// The one that all checkouts share.
    pub(super) common: PathBuf,
}

impl Asked {
    pub(super) fn key(&self) -> Key {
        match &self.git {
            Some(git) => Key::Git(self.folder.join(git)),
            None => Key::Folder(self.folder.clone()),
        }
    }

    /// The files whose existence or content decides which folders git uses.
    fn deciding(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut of_git = |git: &Path| {
            files.extend([git.join("HEAD"), git.join("commondir")]);
            let common = locate::common_of(git).unwrap_or_else(|| git.to_owned());
            files.extend([common.join("objects"), common.join("refs"), common]);
        };
        if let Some(git) = &self.git {
            of_git(&self.folder.join(git));
            return files;
        }
        let folder = fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        folder.ancestors().filter_map(locate::git_dir).for_each(|git| of_git(&git));
        files.extend(folder.ancestors().map(|root| root.join(".git")));
        files
    }
}

impl Place {
    /// Asks git.
    pub(super) fn ask(git: &Git, asked: &Asked) -> Result<Place, GitError> {
        // Before git is asked: what changes in between is asked about again.
        let stamps = stamped(asked.deciding());
        let ask = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"];
        let mut call = git.unguarded(&asked.folder, ask);
        if let Some(dir) = &asked.git {
            call = call.env("GIT_DIR", dir);
        }
        let done = call.end()?;
        let folders = match done.failure() {
            Some(error) if asked.git.is_none() && is_outside(error.stderr()) => None,
            Some(error) => return Err(error),
            None => match done.lines().as_slice() {
                [git, common] => Some(Folders { git: os_path(git), common: os_path(common) }),
                _ => return Err(GitError::LineBreak(asked.folder.clone())),
            },
        };
        Ok(Place { folders, stamps })
    }

    /// The same from what git has just said.
    pub(super) fn told(asked: &Asked, folders: Folders) -> Place {
        Place { folders: Some(folders), stamps: stamped(asked.deciding()) }
    }

    pub(super) fn is_current(&self) -> bool {
        are_current(&self.stamps)
    }
}

/// Whether git says that it is in no repository, or in one that it does not enter. There only the user's own
/// configuration holds.
fn is_outside(stderr: &str) -> bool {
    ["not a git repository (or any", "cannot use bare repository"].iter().any(|words| stderr.contains(words))
}

impl Folders {
    /// The files of the repository's own configuration, whether or not they are there.
    pub(super) fn own_files(&self) -> Vec<PathBuf> {
        let Folders { git, common } = self;
        vec![common.join("config"), common.join("config.worktree"), git.join("config.worktree")]
    }
}
