//! What can go wrong with git, each with its way out, and how the engine's port sees it.

use super::run::held_lock;
use crate::shell_word::quoted_path;
use redraft_engine::ports::WorkspaceError;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("the program `{program}` was not found; install git {MINIMUM} or newer and put it on the PATH")]
    Missing { program: String },
    #[error("git {found} is too old; redraft needs git {MINIMUM} or newer")]
    TooOld { found: String },
    #[error("{} is not in a git repository; go into one, or create one with `git init`", .0.display())]
    NotARepository(PathBuf),
    #[error("{} is a bare repository; redraft needs a checkout: clone it without `--bare`", .0.display())]
    Bare(PathBuf),
    #[error("this is a worktree of {}, which is bare; redraft needs a main checkout to work beside: clone it without `--bare`", .0.display())]
    BareMain(PathBuf),
    #[error(
        "{} is a repository inside the files of {}, and whoever made that one could have put it there; to work in it all \
         the same, name it: git config --global --add safe.directory {}",
        .inner.display(), .outer.display(), quoted_path(.inner)
    )]
    Embedded { inner: PathBuf, outer: PathBuf },
    #[error(
        "the git folder {} leads to the checkout {}, which does not lead back to it; work in a checkout with a `.git` of \
         its own, or take core.worktree out: git --git-dir {} config --unset core.worktree",
        .git.display(), .checkout.display(), quoted_path(.git)
    )]
    Elsewhere { checkout: PathBuf, git: PathBuf },
    #[error("{} is a link, and worktrees are not made behind links; move it away and put a folder there", .0.display())]
    LinkInTheWay(PathBuf),
    #[error("{} is inside git's own folder; go into the checkout", .0.display())]
    InsideGitFolder(PathBuf),
    #[error("the main checkout of {} cannot be found; run redraft from the main checkout", .0.display())]
    NoMainCheckout(PathBuf),
    #[error("the repository's path has a line break in it ({0:?}); rename that folder")]
    LineBreak(PathBuf),
    #[error("{} has no commits yet; make a first one, e.g. `git commit --allow-empty -m start`", .0.display())]
    NoCommits(PathBuf),
    #[error("{} has changes that no commit holds; commit or stash them first", .0.display())]
    Dirty(PathBuf),
    #[error("folder {} exists already; remove it or choose another name", .0.display())]
    FolderExists(PathBuf),
    #[error("{} is not a folder, but worktrees belong in it; move it away", .0.display())]
    FolderInTheWay(PathBuf),
    #[error("branch `{0}` leaves no room for branches called `{0}/…`; rename it: git branch -m {0} NEW-NAME")]
    BranchInTheWay(&'static str),
    #[error(
        "branch {branch} is checked out in {}, so its feature cannot have it in a worktree of its own; \
         leave it there: git -C {} switch {}",
        .folder.display(), quoted_path(.folder), .other.as_deref().unwrap_or("--detach")
    )]
    CheckedOut { branch: String, folder: PathBuf, other: Option<String> },
    #[error("`{0}` cannot be part of a branch name; use lower-case letters, digits and dashes")]
    BadName(String),
    #[error("{} is not a worktree of this repository; try: git worktree repair {}", .0.display(), quoted_path(.0))]
    NotAWorktree(PathBuf),
    #[error("no space left for {command}: {detail}")]
    NoSpace { command: String, detail: String },
    #[error("{}: {detail}", .path.display())]
    File { path: PathBuf, detail: String },
    /// Git ended with an error of its own.
    #[error("{command}: {}", explain(*.code, .stderr))]
    Failed { command: String, code: Option<i32>, stderr: String },
    /// Git could not be started, or said something it never says.
    #[error("{command}: {detail}")]
    Broken { command: String, detail: String },
}

/// The oldest git this was written for: `cat-file -z` came with it.
pub const MINIMUM: &str = "2.38";

impl GitError {
    pub(super) fn file(path: &Path, error: &io::Error) -> GitError {
        let detail = error.to_string();
        if is_full(error) {
            GitError::NoSpace { command: path.display().to_string(), detail }
        } else {
            GitError::File { path: path.to_owned(), detail }
        }
    }

    /// What git wrote to stderr, where it got so far.
    pub(super) fn stderr(&self) -> &str {
        match self {
            GitError::Failed { stderr, .. } => stderr,
            _ => "",
        }
    }

    /// The lock file another git process holds, if that is what stopped this one.
    pub(super) fn lock(&self) -> Option<&str> {
        held_lock(self.stderr())
    }
}

impl From<GitError> for WorkspaceError {
    fn from(error: GitError) -> WorkspaceError {
        let lock = error.lock().map(|lock| {
            format!("another git process holds the lock {lock}; wait for it, or remove the file if none is running")
        });
        match error {
            GitError::NoSpace { command, detail } => WorkspaceError::Full(format!("{command}: {detail}")),
            GitError::File { path, detail } => {
                WorkspaceError::File { path: path.display().to_string(), detail }
            }
            // Git passes on the signal that ended it, or says so by its code.
            GitError::Failed { command, code: None | Some(130 | 143), .. } => {
                WorkspaceError::Interrupted { command }
            }
            GitError::Failed { command, code, stderr } => {
                WorkspaceError::Git { command, detail: lock.unwrap_or_else(|| explain(code, &stderr)) }
            }
            GitError::Broken { command, detail } => WorkspaceError::Git { command, detail },
            other => WorkspaceError::Git { command: "git".to_owned(), detail: other.to_string() },
        }
    }
}

/// Whether the disk or the user's share of it is used up.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn explain(code: Option<i32>, stderr: &str) -> String {
    match (stderr.trim(), code) {
        ("", Some(code)) => format!("ended with code {code} and said nothing"),
        ("", None) => "was ended by a signal".to_owned(),
        (text, _) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_told_apart_from_gits_own_errors() {
        let failed = |code| GitError::Failed { command: "git add".into(), code, stderr: "why".into() };
        for code in [None, Some(130), Some(143)] {
            let error = WorkspaceError::from(failed(code));
            assert_eq!(error.to_string(), "git add was ended by a signal");
            assert!(matches!(error, WorkspaceError::Interrupted { .. }));
        }
        assert!(matches!(WorkspaceError::from(failed(Some(128))), WorkspaceError::Git { .. }));
    }
}
