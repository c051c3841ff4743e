//! What can go wrong with git, what to do about each error, and how the engine's port sees it.

use super::complaints::{held_lock, is_damage};
use super::holder::holder;
use super::wait::StopReason;
use crate::shell_word::quoted_path;
use redraft_engine::ports::WorkspaceError;
use redraft_facts::text::span;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
        "{} is a repository inside the files of {}, and whoever made that one could have put it there; to work in \
            it anyway, name it: git config --global --add safe.directory {}",
        .inner.display(), .outer.display(), quoted_path(.inner)
    )]
    Embedded { inner: PathBuf, outer: PathBuf },
    #[error(
        "the git folder {} leads to the checkout {}, which does not lead back to it; work in a checkout with a `.git` of \
         its own, or remove core.worktree: git --git-dir {} config --unset core.worktree",
        .git.display(), .checkout.display(), quoted_path(.git)
    )]
    Elsewhere { checkout: PathBuf, git: PathBuf },
    #[error("{} is a link, and worktrees are not made behind links; move it away and put a folder there", .0.display())]
    LinkInTheWay(PathBuf),
    #[error(
        "{} is a link that leads out of the repository{}, so nothing is written; a clone has no such links: clone \
            it, or replace the link with what it leads to", .link.display(), leads_to(.target)
    )]
    LinkOut { link: PathBuf, target: PathBuf },
    #[error("{} is a link, and redraft makes none there, so nothing is written; look where it leads, then remove it", .0.display())]
    LinkInState(PathBuf),
    #[error("{} is inside git's own folder; go into the checkout", .0.display())]
    InsideGitFolder(PathBuf),
    #[error("the main checkout of {} cannot be found; run redraft from the main checkout", .0.display())]
    NoMainCheckout(PathBuf),
    #[error("the repository's path has a line break in it ({0:?}); rename that folder")]
    LineBreak(PathBuf),
    #[error("{} has no commits yet; make a first one, e.g. `git commit --allow-empty -m start`", .0.display())]
    NoCommits(PathBuf),
    #[error("{} has uncommitted changes; commit or stash them first", .0.display())]
    Dirty(PathBuf),
    #[error("folder {} already exists; remove it or choose another name", .0.display())]
    FolderExists(PathBuf),
    #[error("{} is not a folder, but worktrees belong in it; move it away", .0.display())]
    FolderInTheWay(PathBuf),
    #[error("branch `{0}` leaves no room for branches called `{0}/…`; rename it: git branch -m {0} NEW-NAME")]
    BranchInTheWay(&'static str),
    #[error(
        "branch {branch} is checked out in {}, so its feature cannot have it in its own worktree; switch to another \
            branch there: git -C {} switch {}",
        .folder.display(), quoted_path(.folder), .other.as_deref().unwrap_or("--detach")
    )]
    CheckedOut { branch: String, folder: PathBuf, other: Option<String> },
    #[error("`{0}` cannot be part of a branch name; use lower-case letters, digits and dashes")]
    BadName(String),
    #[error("{} is not a worktree of this repository; try: git worktree repair {}", .0.display(), quoted_path(.0))]
    NotAWorktree(PathBuf),
    #[error("{}: something is in the way, {detail}; move it away", .folder.display())]
    InTheWay { folder: PathBuf, detail: String },
    #[error("another redraft is moving the checkout {} to another commit; run the same command again", .0.display())]
    Moving(PathBuf),
    #[error(
        "{} is between two commits and could not be restored: {detail}; fix that, and the next `redraft run` does \
            the rest", .folder.display()
    )]
    HalfMoved { folder: PathBuf, detail: String },
    #[error(
        "{} describes a checkout that was being moved, and cannot be used; look at `git status` there, then remove \
            the file", .0.display()
    )]
    Journal(PathBuf),
    #[error("{trouble}: {command}: {detail}")]
    Disk { command: String, trouble: DiskTrouble, detail: String },
    #[error("{command} was not finished after {} and was \
        stopped{}", minutes(.limit), waiting(.waited_for.as_deref()))]
    Slow { command: String, limit: Duration, waited_for: Option<String> },
    #[error("{0} was stopped, because the run was asked to stop")]
    Stopped(String),
    #[error("{}: {detail}", .path.display())]
    File { path: PathBuf, detail: String },
    #[error("{} cannot be written: {detail}", .folder.display())]
    Unwritable { folder: PathBuf, detail: String },
    #[error(
        "{command}: an object is missing here; a server may have it, but redraft fetches nothing by itself \
            ({detail}); fetch it yourself: git fetch --refetch --no-filter; if that does not help: git fsck"
    )]
    NotFetched { command: String, detail: String },
    /// Git ended with an error of its own.
    #[error("{command}: {}", explain(*.code, .stderr))]
    Failed { command: String, code: Option<i32>, stderr: String },
    /// Git could not be started, or answered in a way it never does.
    #[error("{command}: {detail}")]
    Broken { command: String, detail: String },
}

fn leads_to(target: &Path) -> String {
    if target.as_os_str().is_empty() { String::new() } else { format!(", to {}", target.display()) }
}

/// What is wrong with the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DiskTrouble {
    /// It, or the user's share of it, is used up.
    #[error("no space left")]
    Full,
    #[error("the disk failed")]
    Failing,
    #[error("the file system is read-only")]
    ReadOnly,
}

/// The system's number for an error of a device; the standard library has no name for it.
const EIO: i32 = 5;

/// The oldest git this was written for: `cat-file -z` came with it.
pub const MINIMUM: &str = "2.38";

/// Major and minor number of `2.47.3` or `2.39.5 (Apple Git-154)`.
pub(super) fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

impl GitError {
    pub(super) fn file(path: &Path, error: &io::Error) -> GitError {
        let detail = error.to_string();
        match DiskTrouble::from_error(error) {
            Some(trouble) => GitError::Disk { command: path.display().to_string(), trouble, detail },
            None => GitError::File { path: path.to_owned(), detail },
        }
    }

    /// The error of a call that was ended.
    pub(super) fn cut(command: String, cut: StopReason) -> GitError {
        match cut {
            StopReason::Slow { limit, waited_for } => GitError::Slow { command, limit, waited_for },
            StopReason::Stopped => GitError::Stopped(command),
        }
    }

    /// The error of a held lock of git's, in git's own words.
    pub(super) fn locked(command: &str, lock: &Path) -> GitError {
        let stderr = format!("fatal: Unable to create '{}': File exists.", lock.display());
        GitError::Failed { command: command.to_owned(), code: Some(128), stderr }
    }

    /// What git wrote to stderr, if it got that far.
    pub fn stderr(&self) -> &str {
        match self {
            GitError::Failed { stderr, .. } => stderr,
            GitError::NotFetched { detail, .. } => detail,
            _ => "",
        }
    }

    /// Whether git reports that what it has stored cannot be read. What was never fetched is no damage.
    pub fn is_damage(&self) -> bool {
        matches!(self, GitError::Failed { stderr, .. } if is_damage(stderr))
    }

    /// The lock file another git process holds, if that is what stopped this one.
    pub(super) fn lock(&self) -> Option<&str> {
        held_lock(self.stderr())
    }
}

impl From<GitError> for WorkspaceError {
    fn from(error: GitError) -> WorkspaceError {
        let lock = error.lock().map(|lock| match holder(Path::new(lock)) {
            Some(holder) => format!("another program ({holder}) holds the lock {lock}; wait for it to end"),
            None => format!(
                "another git process holds the lock {lock}; wait for it, or remove the file if none is running"
            ),
        });
        match error {
            GitError::Disk { command, trouble, detail } => trouble.told_of(format!("{command}: {detail}")),
            GitError::Stopped(command) => WorkspaceError::Interrupted { command },
            GitError::Slow { ref command, limit, ref waited_for } => WorkspaceError::Slow {
                command: command.clone(),
                limit: minutes(&limit),
                waited_for: waited_for.clone(),
            },
            GitError::File { path, detail } => {
                WorkspaceError::File { path: path.display().to_string(), detail }
            }
            GitError::Unwritable { folder, detail } => {
                WorkspaceError::File { path: folder.display().to_string(), detail }
            }
            // Git passes on the signal that ended it, or says so by its code.
            GitError::Failed { command, code: None | Some(130 | 143), .. } => {
                WorkspaceError::Interrupted { command }
            }
            GitError::Failed { command, code, stderr } if lock.is_none() && is_damage(&stderr) => {
                WorkspaceError::Damaged {
                    what: "the repository".to_owned(),
                    detail: format!("{command}: {}", explain(code, &stderr)),
                }
            }
            GitError::Failed { command, code, stderr } => {
                WorkspaceError::Git { command, detail: lock.unwrap_or_else(|| explain(code, &stderr)) }
            }
            GitError::Broken { command, detail } => WorkspaceError::Git { command, detail },
            other => WorkspaceError::Git { command: "git".to_owned(), detail: other.to_string() },
        }
    }
}

impl DiskTrouble {
    /// What an error of the system says about the disk, if anything.
    pub(super) fn from_error(error: &io::Error) -> Option<DiskTrouble> {
        match (error.kind(), error.raw_os_error()) {
            (io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded, _) => Some(DiskTrouble::Full),
            (io::ErrorKind::ReadOnlyFilesystem, _) => Some(DiskTrouble::ReadOnly),
            (_, Some(EIO)) => Some(DiskTrouble::Failing),
            _ => None,
        }
    }

    /// The same from a program's words.
    pub(super) fn told(stderr: &str) -> Option<DiskTrouble> {
        let says = |any: &[&str]| any.iter().any(|text| stderr.contains(text));
        // The rest follows from the first of these, whatever else is reported.
        if says(&["Input/output error"]) {
            Some(DiskTrouble::Failing)
        } else if says(&["No space left on device", "Disk quota exceeded"]) {
            Some(DiskTrouble::Full)
        } else if says(&["Read-only file system"]) {
            Some(DiskTrouble::ReadOnly)
        } else {
            None
        }
    }

    /// As the engine's port sees it.
    pub(super) fn told_of(self, detail: String) -> WorkspaceError {
        match self {
            DiskTrouble::Full => WorkspaceError::Full(detail),
            DiskTrouble::Failing => WorkspaceError::Disk(detail),
            DiskTrouble::ReadOnly => WorkspaceError::ReadOnly(detail),
        }
    }
}

/// `10 min`
fn minutes(limit: &Duration) -> String {
    span(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
}

fn waiting(waited_for: Option<&str>) -> String {
    waited_for.map(|program| format!("; it was waiting for `{program}`")).unwrap_or_default()
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
