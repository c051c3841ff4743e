//! Kernel file locks: one process at a time drives a feature or changes the repository's worktrees.
//!
//! The kernel releases a lock when its process ends, however it ends, so a lock is never taken over by time and
//! the file is never removed. What stands inside is only for people: who holds it. Start at [`Lock::take`].

mod interrupt;
#[cfg(test)]
mod tests;

pub use interrupt::{InterruptError, interrupt};

use crate::plain_file::{self, UnreadableFile};
use redraft_facts::text::{one_line, utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A lock held by this process until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    holder: Holder,
}

/// As long as it lives, the lock says that its holder asks a person something and waits for the answer.
#[derive(Debug)]
pub struct Asking<'a>(&'a Lock);

/// Who holds a lock, as written inside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub user: String,
    pub since_ms: i64,
    /// What was typed, e.g. `redraft run 031`.
    pub command: String,
    /// Whether it asks a person something on its terminal that no event tells.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub asks: bool,
}

impl Holder {
    /// Whether its process was told to stand still, as Ctrl-Z does, as far as the system says.
    pub fn is_suspended(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        // The name of the program stands before it in brackets, and may have any letters.
        stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
    }
}

/// What is written inside: the holder, and when its process began, which tells it from a later one with its number.
#[derive(Serialize)]
struct Signed<'a> {
    #[serde(flatten)]
    holder: &'a Holder,
    #[serde(skip_serializing_if = "Option::is_none")]
    began: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("it is held by {0}")]
    Held(Holder),
    #[error("`{0}` cannot be the name of a lock")]
    Name(String),
    #[error("the lock {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
}

/// More than any holder needs; a file that grew for another reason is not read whole.
const HOLDER_BYTES_MAX: u64 = 64 * 1024;

/// A killed process may have been about to start another, which keeps the lock until it has become that program.
/// That takes milliseconds, on a busy machine more; we wait for the kernel and never take a lock over.
const ENDED_TRIES: u32 = 500;
const ENDED_PAUSE: Duration = Duration::from_millis(10);

impl Lock {
    /// Takes `locks/NAME` in the state folder, or says who has it, without waiting for them.
    pub fn take(state: &Path, name: &str, holder: &Holder) -> Result<Lock, LockError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || !name.bytes().all(plain) {
            return Err(LockError::Name(name.to_owned()));
        }
        let folder = state.join("locks");
        let path = folder.join(name);
        let failed = |error| LockError::Io { path: path.clone(), error };
        fs::create_dir_all(&folder).map_err(failed)?;
        if let Err(not @ UnreadableFile::NotAFile(_)) = plain_file::check(&path) {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, format!("{not}; move it away"))));
        }
        let mut tries = 0;
        loop {
            let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {
                    let lock = Lock { file, holder: holder.clone() };
                    lock.sign(false).map_err(failed)?;
                    return Ok(lock);
                }
                Err(TryLockError::WouldBlock) => {
                    let found = Holder::read(file);
                    tries += 1;
                    if tries > ENDED_TRIES || !found.is_gone() {
                        return Err(LockError::Held(found));
                    }
                    std::thread::park_timeout(ENDED_PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    /// Who holds a lock right now, if anybody does. Looking never gets in the way of a process that takes it: the file
    /// is tried only where a living process has signed it, which is the holder, or by chance has its number.
    pub fn holder(state: &Path, name: &str) -> Option<Holder> {
        let path = state.join("locks").join(name);
        plain_file::check(&path).ok()?;
        let found = Holder::read(File::open(&path).ok()?);
        if found == Holder::unknown() || found.is_gone() {
            return None;
        }
        let file = File::open(&path).ok()?;
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then_some(found)
    }

    /// A person is asked something. Should the lock not take it, only those who look are told less.
    pub fn asking(&self) -> Asking<'_> {
        let _ = self.sign(true);
        Asking(self)
    }

    fn sign(&self, asks: bool) -> io::Result<()> {
        let (holder, began) = (&Holder { asks, ..self.holder.clone() }, interrupt::began_at(self.holder.pid));
        let mut text = serde_json::to_string(&Signed { holder, began })?;
        // Written in one piece over what is there, so that nobody who looks meanwhile finds the lock unsigned.
        let before = self.file.metadata()?.len().min(HOLDER_BYTES_MAX) as usize;
        text.extend(std::iter::repeat_n(' ', before.saturating_sub(text.len())));
        self.file.write_all_at(text.as_bytes(), 0)?;
        self.file.set_len(text.len() as u64)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let _ = self.0.sign(false);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Nobody should be named as the holder between the moment the next holder locks the file and the moment it
        // signs. Should either call fail, closing the file still releases the lock.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

impl Holder {
    /// Who signed a lock and is still running, without touching the lock; none where there is no such process.
    pub fn at_work(state: &Path, name: &str) -> Option<Holder> {
        let path = state.join("locks").join(name);
        plain_file::check(&path).ok()?;
        let file = File::open(path).ok()?;
        let signed = file.metadata().is_ok_and(|about| about.len() > 0);
        Some(Holder::read(file)).filter(|holder| signed && !holder.is_gone())
    }

    /// Stands in where the holder has not signed yet, or what it wrote cannot be read.
    pub fn unknown() -> Holder {
        Holder { pid: 0, user: "unknown".to_owned(), since_ms: 0, command: "unknown".to_owned(), asks: false }
    }

    /// Whether the process that signed is gone, as far as the system knows. The lock is then held by a process it was
    /// just starting, which releases it the moment it runs.
    fn is_gone(&self) -> bool {
        let known = self.pid != 0 && Path::new("/proc/self/stat").exists();
        let state = |stat: String| stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        let alive = || fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok().and_then(state);
        known && matches!(alive(), None | Some('Z' | 'X'))
    }

    fn read(file: File) -> Holder {
        let mut text = String::new();
        match file.take(HOLDER_BYTES_MAX).read_to_string(&mut text) {
            Ok(_) => serde_json::from_str(&text).unwrap_or_else(|_| Holder::unknown()),
            Err(_) => Holder::unknown(),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Holder::unknown() {
            return f.write_str("another process (unknown)");
        }
        let Holder { pid, user, since_ms, command, .. } = self;
        let (user, command) = (one_line(user, 60), one_line(command, 120));
        write!(f, "`{command}` of {user}, process {pid}, since {}", utc(*since_ms))
    }
}
