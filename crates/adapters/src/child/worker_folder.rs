//! The files in a worker's folder: what the program reads, what it printed, and how it ended.

use serde::{Deserialize, Serialize};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::{fs, io};

pub(super) const STDIN: &str = "stdin";
pub(crate) const STDOUT: &str = "stdout";
pub(super) const STDERR: &str = "stderr";
pub(super) const EXIT: &str = "exit";
/// How far the program is held to its sandbox, and by what.
pub(super) const REPORT: &str = "sandbox.json";

const VERSION: u16 = 1;

/// How a program ended, kept as the file `exit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exit {
    pub(super) v: u16,
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Why it could not be started; empty when it was.
    pub not_started: String,
    /// The limit it was ended for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

impl Exit {
    pub(super) fn not_started(why: String) -> Exit {
        Exit { v: VERSION, code: None, signal: None, not_started: why, over: None }
    }

    pub(super) fn read(out: &Path) -> Option<Exit> {
        let exit: Exit = serde_json::from_slice(&fs::read(out.join(EXIT)).ok()?).ok()?;
        (exit.v == VERSION).then_some(exit)
    }

    /// Whole or not at all.
    pub(super) fn write(&self, out: &Path) -> io::Result<()> {
        let part = out.join("exit.part");
        fs::write(&part, serde_json::to_vec(self).map_err(io::Error::other)?)?;
        fs::rename(&part, out.join(EXIT))
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        let (code, signal) = (status.code(), status.signal());
        Exit { v: VERSION, code, signal, not_started: String::new(), over: None }
    }
}
