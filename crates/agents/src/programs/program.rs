//! An installed program and the version it reports.

use redraft_adapters::child::Environment;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::Duration;

/// A healthy program needs a fraction of this, even on a busy machine.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
const ANSWER_BYTES_MAX: u64 = 4096;

pub struct Program {
    path: PathBuf,
    environment: Environment,
    version: OnceLock<Result<String, String>>,
}

impl Program {
    pub fn new(path: PathBuf, environment: Environment) -> Self {
        Program { path, environment, version: OnceLock::new() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number in what `--version` prints. Asked once; the error says what went wrong.
    pub fn version(&self) -> Result<&str, &str> {
        let version = self.version.get_or_init(|| self.ask());
        version.as_ref().map(String::as_str).map_err(String::as_str)
    }

    #[expect(clippy::disallowed_methods, reason = "asks an agent's program for its version")]
    fn ask(&self) -> Result<String, String> {
        let named = |detail: String| format!("{} --version: {detail}", self.path.display());
        let mut command = Command::new(&self.path);
        command.arg("--version").env_clear().envs(&self.environment.0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| named(error.to_string()))?;
        let (send, answer) = channel();
        let stdout = child.stdout.take();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = stdout.map(|stdout| stdout.take(ANSWER_BYTES_MAX).read_to_end(&mut text));
            // The caller may have given up.
            let _ = send.send(read.map(|_| text).unwrap_or_default());
        });
        let said = answer.recv_timeout(ANSWER_WITHIN);
        // It has answered or never will; either way it is no longer needed.
        let _ = child.kill();
        let _ = child.wait();
        let said = said.map_err(|_| named(format!("no answer within {} s", ANSWER_WITHIN.as_secs())))?;
        number(&String::from_utf8_lossy(&said)).ok_or_else(|| named("it names no version".to_owned()))
    }
}

/// The first word that looks like a version: `2.1.197 (Claude Code)`, `codex-cli 0.166.0`.
pub(super) fn number(said: &str) -> Option<String> {
    let looks = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    said.split_whitespace().find(looks).map(str::to_owned)
}
