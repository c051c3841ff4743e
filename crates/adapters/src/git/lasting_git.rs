//! A git process that stays and answers one question after another: a companion.
//!
//! Starting git costs more than most of what it is asked, so frequent questions go to processes that are started once.
//! They cannot outlive us: each ends when its input is closed, which the kernel does for a process that is killed. One
//! that died is replaced and the question asked once more; what it said before it ended becomes the error. What is
//! asked, and which git answers it, is known to `objects`.

use super::error::GitError;
use super::run::{Call, Done, Running};
use super::wait::{self, Answers, StopReason};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The processes a worktree's questions go to.
#[derive(Debug, Default)]
pub(super) struct Companions {
    pub(super) reader: Slot,
    pub(super) files: Slot,
    pub(super) trees: Slot,
    pub(super) deltas: Slot,
    pub(super) refs: Slot,
}

/// A place for a companion: empty until the first question.
#[derive(Debug, Default)]
pub(super) struct Slot(Mutex<Option<LastingGit>>);

#[derive(Debug)]
pub(super) struct LastingGit {
    command: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<Answers>,
    /// What it writes to stderr: a file, because it is not read meanwhile and a full pipe would stop it.
    complaints: Option<File>,
    limit: Duration,
    partial: bool,
}

impl Slot {
    /// Asks the companion, or a new one when there is none or it does not answer. Asking a question twice must do no
    /// harm.
    pub(super) fn ask<T>(
        &self,
        start: impl FnOnce() -> Result<LastingGit, GitError>,
        question: impl Fn(&mut LastingGit) -> io::Result<T>,
    ) -> Result<T, GitError> {
        // A companion is put back only after a whole answer, so a poisoned lock guards nothing half done.
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut companion) = slot.take() {
            match question(&mut companion) {
                Ok(answer) => {
                    *slot = Some(companion);
                    return Ok(answer);
                }
                // Another would take as long.
                Err(error) if is_cut(&error) => return Err(companion.failure(&error)),
                Err(_) => {}
            }
        }
        let mut companion = start()?;
        match question(&mut companion) {
            Ok(answer) => {
                *slot = Some(companion);
                Ok(answer)
            }
            Err(error) => Err(companion.failure(&error)),
        }
    }

    /// Ends the companion, so that the next question is answered by one that remembers nothing.
    pub(super) fn renew(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl LastingGit {
    /// Starts a call that will be asked. `scratch` is where its complaints are written.
    pub(super) fn start(call: Call, scratch: &Path) -> Result<LastingGit, GitError> {
        let complaints = nameless(scratch).ok();
        let heard = complaints.as_ref().and_then(|file| file.try_clone().ok());
        let Running { command, mut child, limit, partial } =
            call.start(heard.map_or_else(Stdio::null, Stdio::from))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => {
                let output = BufReader::new(Answers { output, limit });
                Ok(LastingGit { command, child, input, output, complaints, limit, partial })
            }
            _ => Err(GitError::Broken { command, detail: "it has no pipes".to_owned() }),
        }
    }

    pub(super) fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.input.write_all(bytes)
    }

    /// The next line of its answer, without the line break.
    pub(super) fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line)?;
        match line.pop() {
            Some(b'\n') => Ok(line),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// So many bytes of its answer.
    pub(super) fn bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.output.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Why there was no answer, in git's own words where it said any.
    fn failure(mut self, error: &io::Error) -> GitError {
        if is_cut(error) {
            let cut = match error.kind() {
                io::ErrorKind::TimedOut => StopReason::Slow { limit: self.limit, waited_for: None },
                _ => StopReason::Stopped,
            };
            return GitError::cut(self.command.clone(), wait::ended(&mut self.child, cut));
        }
        let gone = matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe);
        let code = if gone { self.child.wait().ok().and_then(|status| status.code()) } else { None };
        let stderr = self.complaints.take().and_then(|file| said(file).ok()).unwrap_or_default();
        let command = self.command.clone();
        if stderr.is_empty() || !gone {
            return GitError::Broken { command, detail: format!("gave no answer: {error}") };
        }
        let done = Done { command, code, stdout: Vec::new(), stderr, partial: self.partial };
        done.failure().unwrap_or_else(|| done.unexpected())
    }
}

impl Drop for LastingGit {
    fn drop(&mut self) {
        // It waits for a question, so nothing is interrupted, and it may be gone already. Without the second call
        // it would stay in the kernel's table for as long as we live.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether an answer took too long, or the run was asked to stop meanwhile.
fn is_cut(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::ConnectionAborted)
}

/// An answer that git never gives.
pub(super) fn unexpected(answer: &[u8]) -> io::Error {
    let text = redraft_facts::text::one_line(&String::from_utf8_lossy(answer), 200);
    io::Error::new(io::ErrorKind::InvalidData, format!("unexpected output `{text}`"))
}

/// A file without a name, which is gone once no process has it open.
fn nameless(scratch: &Path) -> io::Result<File> {
    fs::create_dir_all(scratch)?;
    let path = super::files::temporary_in(scratch);
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

fn said(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
