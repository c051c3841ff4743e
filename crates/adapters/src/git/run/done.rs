//! The result of a call of git.

use crate::git::complaints::is_missing;
use crate::git::error::{DiskTrouble, GitError};
use crate::git::wait::is_stopped;
use redraft_facts::text::one_line;

/// A call that came to its end.
#[derive(Debug)]
pub(in crate::git) struct Done {
    pub(in crate::git) command: String,
    pub(in crate::git) code: Option<i32>,
    pub(in crate::git) stdout: Vec<u8>,
    pub(in crate::git) stderr: String,
    /// Whether a server may have objects that are not here.
    pub(in crate::git) partial: bool,
}

impl Done {
    /// The lines git wrote, as bytes: the name of a folder need not be text.
    pub(in crate::git) fn lines(&self) -> Vec<&[u8]> {
        let text = self.stdout.strip_suffix(b"\n").unwrap_or(&self.stdout);
        let lines = text.split(|byte| *byte == b'\n');
        if self.stdout.is_empty() { Vec::new() } else { lines.collect() }
    }

    pub(in crate::git) fn failure(&self) -> Option<GitError> {
        let (command, stderr) = (self.command.clone(), self.stderr.clone());
        if self.code == Some(0) {
            None
        } else if matches!(self.code, None | Some(130 | 143)) && is_stopped() {
            // What was sent to all of us has ended git, too.
            Some(GitError::Stopped(command))
        } else if let Some(trouble) = DiskTrouble::told(&stderr) {
            Some(GitError::Disk { command, trouble, detail: one_line(&stderr, 400) })
        } else if self.partial && is_missing(&stderr) {
            Some(GitError::NotFetched { command, detail: one_line(&stderr, 400) })
        } else {
            Some(GitError::Failed { command, code: self.code, stderr })
        }
    }

    /// The error for an answer that git never gives.
    pub(in crate::git) fn unexpected(&self) -> GitError {
        let text = one_line(&String::from_utf8_lossy(&self.stdout), 200);
        GitError::Broken { command: self.command.clone(), detail: format!("unexpected output `{text}`") }
    }
}
