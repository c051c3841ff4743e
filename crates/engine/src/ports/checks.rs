//! The project's own checks, as the engine has them run.

use std::path::Path;

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
}

/// Runs checks that a person has accepted.
pub trait Checks: Send + Sync {
    /// Runs one to its end; a text that says why where it could not be begun.
    fn run(&self, check: &Check, folder: &Path) -> Result<CheckRun, String>;
}

/// For what has no checks of its own: documents.
#[derive(Debug, Clone, Copy)]
pub struct NoChecks;

impl Checks for NoChecks {
    fn run(&self, check: &Check, _folder: &Path) -> Result<CheckRun, String> {
        Err(format!("nothing runs `{}` here", check.command))
    }
}
