//! A feature's worktree and the repository behind it, as the engine sees them.
//!
//! All paths are relative to the worktree's root, with `/`.

use redraft_facts::event::TreeMark;
use redraft_facts::ids::Revision;
use std::collections::BTreeSet;
use std::path::PathBuf;

pub trait Workspace: Send + Sync {
    /// Where the worktree is.
    fn folder(&self) -> PathBuf;

    /// A folder outside of the repository that holds copies of these files, as far as they are there, under the same
    /// paths, and nothing else. It lasts as long as this workspace.
    fn isolated_copy(&self, files: &[String]) -> Result<PathBuf, WorkspaceError>;

    /// The bytes of a file of the worktree, none when it is not there. Never follows a link out of the worktree.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError>;

    /// Replaces a file of the worktree in one step, creating folders as needed.
    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError>;

    /// Removes a file of the worktree; nothing happens where there is none.
    fn remove(&self, path: &str) -> Result<(), WorkspaceError>;

    /// The tree of these paths as they are in the worktree. Missing files are left out; none if all are missing.
    fn revision(&self, paths: &[String]) -> Result<Option<Revision>, WorkspaceError>;

    /// The tree of all files of the worktree that are not ignored, apart from those that are `ours` alone.
    fn tree(&self, ours: &[String]) -> Result<Revision, WorkspaceError>;

    /// All files of a commit.
    fn tree_of(&self, commit: &str) -> Result<Revision, WorkspaceError>;

    /// What is in the worktree and in no commit made from it, a line each: ignored files, and repositories inside it as
    /// the last [`Workspace::mark`] or [`Workspace::restore`] found them. A folder with nothing but ignored files is
    /// one line.
    fn unseen(&self) -> Result<BTreeSet<String>, WorkspaceError>;

    /// Remembers how git itself is set up for this repository: hooks, configuration, attributes and patterns outside of the
    /// tree. [`Workspace::mark`] does the same.
    fn note_git(&self) -> Result<(), WorkspaceError>;

    /// Puts back what differs from what was remembered last. What is replaced is kept next to the ledger under this
    /// name. Returns a line for each thing, with the command that brings it back. [`Workspace::restore`] does the same.
    fn put_git_back(&self, name: &str) -> Result<Vec<String>, WorkspaceError>;

    /// The files that differ between two revisions, in order.
    fn changed(&self, from: &Revision, to: &Revision) -> Result<Vec<String>, WorkspaceError>;

    /// The same with the repositories inside it that are at another commit, which nobody here changes.
    fn all_changed(&self, from: &Revision, to: &Revision) -> Result<Vec<String>, WorkspaceError>;

    /// The files of `under`, with these paths as they are in `from`: paths that `from` does not have are left out.
    fn over(&self, under: &Revision, from: &Revision, paths: &[String]) -> Result<Revision, WorkspaceError>;

    /// What differs between two revisions, by paths, modes and contents: equal bytes mean the same change. A
    /// [`Workspace::delta`] cannot distinguish files that are not text.
    fn differing(&self, from: &Revision, to: &Revision) -> Result<Vec<u8>, WorkspaceError>;

    /// Puts the worktree on a commit and on no branch, with exactly its files; ignored ones stay.
    fn check_out(&self, commit: &str) -> Result<(), WorkspaceError>;

    /// Puts files of the worktree back to how they are in a revision; files it does not have are removed.
    fn put_back(&self, revision: &Revision, files: &[String]) -> Result<(), WorkspaceError>;

    /// The revision in which none of its paths exists.
    fn nothing(&self) -> Result<Revision, WorkspaceError>;

    /// The bytes a path has in a revision.
    fn read_at(&self, revision: &Revision, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError>;

    /// The unified diff from one revision to another, with fixed options, the same on every machine.
    /// [`WorkspaceError::AnchorLost`] when git no longer has one of them.
    fn delta(&self, from: &Revision, to: &Revision) -> Result<String, WorkspaceError>;

    /// Keeps a revision from being collected, under `refs/redraft/anchors/NAME`.
    fn keep(&self, name: &str, revision: &Revision) -> Result<(), WorkspaceError>;

    /// The state of HEAD, branch, index and files. The paths that are `ours` alone are ignored, such as projections,
    /// which change with every event; a restore must then be allowed to ignore them too.
    fn mark(&self, ours: &[String]) -> Result<TreeMark, WorkspaceError>;

    /// Puts HEAD, branch and index back to `mark`, and all files except those that `allowed` [`covers`]. What differed is kept under
    /// `refs/redraft/lost/NAME` first. Returns one line for each thing undone, empty when nothing differed.
    fn restore(&self, mark: &TreeMark, allowed: &[String], name: &str)
    -> Result<Vec<String>, WorkspaceError>;

    /// Names branches and tags that were made, moved or removed since the last [`Workspace::mark`] and that
    /// [`Workspace::restore`] left as they are, because it is unknown by whom; each once. Commits that only they led to
    /// are kept under `refs/redraft/lost/NAME`.
    fn left_refs(&self, name: &str) -> Result<Vec<String>, WorkspaceError>;

    /// The ref that [`Workspace::restore`] keeps what it undoes under, for this name.
    fn lost_ref(&self, name: &str) -> String;

    /// Whether a commit of this path would be refused because of where HEAD is or because of `.gitignore`; asked before
    /// anybody is paid to write it.
    fn may_commit(&self, path: &str) -> Result<(), WorkspaceError>;

    /// Commits exactly these paths. `None` when they are as in HEAD.
    fn commit(
        &self,
        paths: &[String],
        message: &str,
        trailers: &Trailers,
    ) -> Result<Option<Commit>, WorkspaceError>;

    /// A commit of these files after `parent`, which no branch leads to, kept under `refs/redraft/anchors/NAME`. The
    /// same files give the same commit.
    fn loose_commit(
        &self,
        name: &str,
        tree: &Revision,
        parent: &str,
        message: &str,
    ) -> Result<Commit, WorkspaceError>;

    /// Does to `onto` what `commit` did to its parent, in no checkout. What comes of it is kept like a
    /// [`Workspace::loose_commit`].
    fn put_on(&self, name: &str, onto: &str, commit: &str) -> Result<PutOn, WorkspaceError>;

    /// The highest `Redraft-Seq` among the commits since `base`; 0 where none has one. Commits of other features that
    /// were merged before lie behind the base.
    fn newest_seq(&self, base: &str) -> Result<u64, WorkspaceError>;

    /// Whether this repository has no object of this id, unless a repair has said that the feature goes on without it.
    fn is_missing(&self, id: &str) -> Result<bool, WorkspaceError>;

    /// [`WorkspaceError::Damaged`] where something that HEAD has and `base` does not have cannot be read. Asked before
    /// a branch is approved or merged.
    fn require_readable(&self, base: &str) -> Result<(), WorkspaceError>;

    /// The files that are not as HEAD has them, in order; ignored ones do not count.
    fn uncommitted(&self) -> Result<Vec<String>, WorkspaceError>;

    /// The trailers of HEAD's commit, and its id.
    fn head(&self) -> Result<(Commit, Trailers), WorkspaceError>;
}

/// Everything, in a list of paths.
pub const ALL_FILES: &str = ".";

/// Whether a list of paths holds this file: by its name, by a folder above it, or because it holds [`ALL_FILES`]. A
/// path of the list that begins with `!` takes out what it stands for, except files that are listed by their own names.
pub fn covers(paths: &[String], path: &[u8]) -> bool {
    let is_or_is_above = |above: &str| {
        let rest = path.strip_prefix(above.as_bytes());
        above == ALL_FILES || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    let (out, held): (Vec<&str>, Vec<&str>) =
        paths.iter().map(String::as_str).partition(|path| path.starts_with('!'));
    let named = held.iter().any(|held| held.as_bytes() == path);
    named || held.into_iter().any(is_or_is_above) && !out.into_iter().any(|path| is_or_is_above(&path[1..]))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit(pub String);

/// What comes of putting a change on top of something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutOn {
    Clean(Commit),
    /// Both have changed the same; `marked` are all files, with both sides where they exclude each other.
    Conflicts {
        files: Vec<String>,
        marked: Revision,
    },
}

/// The lines that tie a commit to the ledger and say who wrote and approved it. Empty and 0 where a commit has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trailers {
    /// `Redraft-Ticket:`
    pub ticket: String,
    /// `Redraft-Seq:`
    pub seq: u64,
    /// `Redraft-Agent:`, for each agent that wrote what is committed. Written and not read back.
    pub agents: Vec<String>,
    /// `Redraft-Approved:`, for each approval that the commit is based on. Written and not read back.
    pub approved: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("git refused to commit: {0}")]
    Commit(CommitRefused),
    #[error("git no longer has revision {0}")]
    AnchorLost(Revision),
    #[error("{path}: {detail}")]
    File { path: String, detail: String },
    #[error("no space left: {0}")]
    Full(String),
    #[error("the disk failed: {0}")]
    Disk(String),
    #[error("the file system is read-only: {0}")]
    ReadOnly(String),
    /// Git did not end within its limit; `waited_for` is the program it had started last.
    #[error("{command} was not finished after {limit} and was stopped{}", waiting(.waited_for.as_deref()))]
    Slow { command: String, limit: String, waited_for: Option<String> },
    #[error("{path}:{line} holds what looks like a secret ({kind}), so it is not committed")]
    Secret { path: String, line: usize, kind: &'static str },
    #[error("{command}: {detail}")]
    Git { command: String, detail: String },
    /// What git has stored cannot be read.
    #[error("{what} is damaged: {detail}")]
    Damaged { what: String, detail: String },
    #[error("{command} was ended by a signal")]
    Interrupted { command: String },
}

fn waiting(program: Option<&str>) -> String {
    program.map(|program| format!("; it was waiting for `{program}`")).unwrap_or_default()
}

/// Why a commit was refused; each reason has its own way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitRefused {
    #[error("no name and email are configured")]
    NoIdentity,
    #[error("signing did not work: {0}")]
    Signing(String),
    #[error("{} holds the lock {lock}", .by.as_ref().map_or_else(|| "another git process".to_owned(), |by| format!("another program ({by})")))]
    Locked {
        lock: String,
        /// The process that has it open, where the system reports it: `git, process 4711`.
        by: Option<String>,
    },
    #[error("{0} is ignored by .gitignore")]
    Ignored(String),
    #[error("HEAD is not on branch {0}")]
    WrongBranch(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_files_by_name_by_folder_and_all_but_some() {
        let list = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<String>>();
        let one = list(&["docs/spec.md", "src"]);
        for (path, held) in
            [("docs/spec.md", true), ("src/a/b.rs", true), ("src2/a.rs", false), ("docs", false)]
        {
            assert_eq!(covers(&one, path.as_bytes()), held, "{path}");
        }
        let all = list(&[".", "!docs/features", "!redraft.toml"]);
        for (path, held) in
            [("src/a.rs", true), ("docs/features/001-x/spec.md", false), ("redraft.toml", false)]
        {
            assert_eq!(covers(&all, path.as_bytes()), held, "{path}");
        }
        assert!(!covers(&[], b"a") && !covers(&list(&["!a"]), b"b"), "nothing but exceptions is nothing");
    }
}
