//! What a gate found, and on which files.

use crate::ids::{BlobId, Revision};
use crate::prelude::*;
use crate::text::one_line;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    pub pass: u16,
    pub revision: Revision,
    pub gate: String,
    pub passed: bool,
    pub evidence: String,
    /// The command that was run, where the gate is one.
    pub command: String,
    /// How it ended; none where a signal or its time limit ended it.
    pub code: Option<i32>,
    /// How long it took.
    pub wall_ms: u64,
    /// The end of its output if it passed; if it failed, `evidence` has that.
    pub output: String,
    /// The files a command was run on; none where the gate is no command.
    pub checkout: Option<Checkout>,
}

/// The files a check was run on: a checkout of one commit in which no agent has worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkout {
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    /// All files of that commit.
    pub tree: Revision,
    /// Whether the checkout held nothing but the commit and what `[workspace]` prepares when the checks of this commit
    /// began. Otherwise it also held ignored files of earlier checks, such as what a build keeps.
    pub empty: bool,
    /// The hash of what prepared it: the setup command and the copied files.
    pub prepared: BlobId,
    /// The event whose result this is, where the same check of the same files was not run once more.
    pub same_as: Option<u64>,
    /// What was noticed, a line each: files that setup or the check changed.
    pub notes: Vec<String>,
    /// How far the command was held to its sandbox, and by what, as in `partial: limits (bubblewrap)`. Absent where it
    /// was in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// What its sandbox probably refused it, and the setting that would allow that. Absent where nothing suggests it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Checked {
    /// Whether its result is about the commit alone: it ran without any other files, or is not a command. A failure
    /// that a person went on with counts, too.
    pub fn is_of_the_commit_alone(&self) -> bool {
        let accepted = !self.command.is_empty() && self.code != Some(0);
        self.checkout.as_ref().is_none_or(|checkout| checkout.empty) || accepted
    }

    /// Why it failed, if that was probably its sandbox and not the code.
    pub fn refused(&self) -> Option<&str> {
        self.checkout.as_ref().filter(|_| !self.passed)?.refused.as_deref()
    }

    /// Its result in one line: for a command how it ended and, after a colon, what it printed.
    pub fn in_a_line(&self, chars_max: usize) -> String {
        let printed = |(_, printed): &(&str, &str)| !self.command.is_empty() && !printed.trim().is_empty();
        match self.evidence.split_once('\n').filter(printed) {
            Some((ended, printed)) => one_line(&format!("{ended}: {printed}"), chars_max),
            None => one_line(&self.evidence, chars_max),
        }
    }
}
