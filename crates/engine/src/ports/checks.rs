//! The project's own checks, as the engine has them run.

use super::agent::RunHandle;
use super::workspace::WorkspaceError;
use redraft_facts::ids::BlobId;
use std::path::{Path, PathBuf};

/// A command of the project that says whether its code is sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    pub command: String,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    /// None where a signal or its time limit ended it.
    pub code: Option<i32>,
    pub wall_ms: u64,
    /// The end of what it printed, without secrets.
    pub tail: String,
    /// The run was asked to stop while it ran, so that it says nothing.
    pub stopped: bool,
    /// How far it was held to its sandbox, where it was meant to run in one.
    pub sandbox: Option<String>,
    /// What the sandbox probably refused it, and the setting that would allow that.
    pub refused: Option<String>,
}

/// Runs checks that a person has accepted.
pub trait Checks: Send + Sync {
    /// Runs one to its end; the error says why it could not be begun.
    fn run(&self, check: &Check, folder: &Path) -> Result<CheckRun, String>;

    /// The same for an agent at work, beside others: it has `at_most_ms`, and ends with that agent. `place` tells apart
    /// those that run at the same time.
    fn run_beside(
        &self,
        check: &Check,
        folder: &Path,
        place: &str,
        at_most_ms: u64,
        watch: &dyn RunHandle,
    ) -> Result<CheckRun, String>;
}

/// The folder that checks run in: a checkout of one commit, made for them. No agent is ever started there.
pub trait CheckFolder: Send + Sync {
    /// The hash of what prepares it: the setup command, and the copied files as they are now.
    fn prepared(&self) -> Result<BlobId, WorkspaceError>;

    /// Moves it to a commit. All tracked files are as the commit has them, whatever was done to them, and nothing else
    /// is there except ignored files from earlier; with `empty` not even these.
    fn check_out(&self, commit: &str, empty: bool) -> Result<CheckedOut, WorkspaceError>;

    /// Notes that it was set up, and puts tracked files back that this changed. Returns their names.
    fn set_up(&self) -> Result<Vec<String>, WorkspaceError>;

    /// Files that are not as the commit has them, or new and not ignored; what setup has made is not counted.
    fn changed(&self) -> Result<Vec<String>, WorkspaceError>;

    /// Removes it, where it is there.
    fn put_away(&self) -> Result<(), WorkspaceError>;

    /// Another such folder beside it, for one use; whoever asks for it puts it away.
    fn copy(&self, name: &str) -> Box<dyn CheckFolder + '_>;

    /// Removes such folders whose names begin like this, which a killed process has left.
    fn put_copies_away(&self, beginning: &str) -> Result<(), WorkspaceError>;
}

/// A check folder that holds a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOut {
    pub folder: PathBuf,
    /// Whether nothing was left from earlier.
    pub emptied: bool,
    pub set_up: SetUp,
    /// What could not be done as it was asked for, a line each.
    pub notes: Vec<String>,
}

/// Whether the project's setup command has been run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetUp {
    Not,
    ForThis,
    /// For another commit; what it left is still there.
    ForAnother,
}

/// For documents, which have no checks of their own.
#[derive(Debug, Clone, Copy)]
pub struct NoChecks;

impl Checks for NoChecks {
    fn run(&self, check: &Check, _folder: &Path) -> Result<CheckRun, String> {
        Err(format!("nothing runs `{}` here", check.command))
    }

    fn run_beside(
        &self,
        check: &Check,
        folder: &Path,
        _place: &str,
        _at_most_ms: u64,
        _watch: &dyn RunHandle,
    ) -> Result<CheckRun, String> {
        self.run(check, folder)
    }
}

impl CheckFolder for NoChecks {
    fn prepared(&self) -> Result<BlobId, WorkspaceError> {
        Err(nowhere())
    }

    fn check_out(&self, _commit: &str, _empty: bool) -> Result<CheckedOut, WorkspaceError> {
        Err(nowhere())
    }

    fn set_up(&self) -> Result<Vec<String>, WorkspaceError> {
        Err(nowhere())
    }

    fn changed(&self) -> Result<Vec<String>, WorkspaceError> {
        Err(nowhere())
    }

    fn put_away(&self) -> Result<(), WorkspaceError> {
        Ok(())
    }

    fn copy(&self, _name: &str) -> Box<dyn CheckFolder + '_> {
        Box::new(NoChecks)
    }

    fn put_copies_away(&self, _beginning: &str) -> Result<(), WorkspaceError> {
        Ok(())
    }
}

fn nowhere() -> WorkspaceError {
    let (path, detail) = ("the check folder".to_owned(), "there is none for documents".to_owned());
    WorkspaceError::File { path, detail }
}
