//! Removes locks that git leaves behind when it is killed in the middle of a call of ours.
//!
//! Git takes a lock by creating a file and never asks whether the process that made it still lives. When a whole
//! process group is killed, a git of ours dies with its lock in place, and every later call would have to ask a person
//! to delete it. So a call that may hold such locks keeps a marker file while it lasts, and its standard input is that
//! very file, locked by the kernel: a process that finds the marker can see whether that git still lives. A lock as old
//! as a marker that is not held was ours. Any other lock is left alone.
//!
//! Start with [`Writing`]; [`clear`] is for the next run.

use super::wait::{self, StopReason};
use crate::plain_file;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// The marker's name in a branch's scratch space.
pub(super) const MARKER: &str = "git-is-writing";

/// How much younger than the marker a lock of the marked call may be. Git takes its locks at once; only signing
/// and large trees make it take one later.
const CALL_LASTS: Duration = Duration::from_secs(10);

/// How long the git of a killed run may go on before the next one gives up on it.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A call that is about to be made, marked as such.
#[derive(Debug)]
pub(super) struct Writing<'a> {
    marker: &'a Path,
    held: File,
}

impl Writing<'_> {
    /// Marks the call; what it shall read from its standard input is kept in the marker.
    pub(super) fn begin<'a>(marker: &'a Path, input: Option<&[u8]>) -> io::Result<Writing<'a>> {
        if let Some(folder) = marker.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut held = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(marker)?;
        // A kernel lock would keep git itself from reading on systems where locks are not advice.
        held.lock()?;
        held.write_all(input.unwrap_or_default())?;
        held.rewind()?;
        Ok(Writing { marker, held })
    }

    /// Makes the call. The marker goes when git has ended, however it ended: a git that was stopped by a signal it
    /// could catch has let its locks go.
    pub(super) fn during(
        self,
        command: &mut Command,
        limit: Duration,
    ) -> io::Result<Result<Output, StopReason>> {
        let stdin = self.held.try_clone()?;
        command.stdin(Stdio::from(stdin)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.spawn().and_then(|mut child| wait::output(&mut child, limit));
        // The command would keep its copy of the file until it is dropped.
        command.stdin(Stdio::null());
        let killed = output.as_ref().is_ok_and(|output| match output {
            Ok(output) => output.status.code().is_none(),
            Err(_) => true,
        });
        if !killed {
            // One that stays is cleared by the next run.
            let _ = fs::remove_file(self.marker);
        }
        output
    }
}

/// What became of a killed run's locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cleared {
    /// There was no marker, or nothing is left of what it stood for.
    Nothing,
    /// Locks were removed.
    Locks,
    /// The git that the marker stands for still runs.
    StillWriting,
}

/// Removes those of these locks that a marked call left when it was killed. The caller makes sure that no other run
/// is using the marker.
pub(super) fn clear(marker: &Path, locks: &[PathBuf], patience: Duration) -> Cleared {
    // A pipe under its name is not ours, and opening it would wait forever.
    if plain_file::check(marker).is_err() {
        return Cleared::Nothing;
    }
    let Ok(found) = File::open(marker) else { return Cleared::Nothing };
    if !let_go(&found, patience) {
        return Cleared::StillWriting;
    }
    let mut cleared = Cleared::Nothing;
    if let Some(marked) = modified(marker) {
        let ours = |lock: &&PathBuf| {
            modified(lock).is_some_and(|made| made >= marked && made <= marked + CALL_LASTS)
        };
        for lock in locks.iter().filter(ours) {
            if fs::remove_file(lock).is_ok() {
                cleared = Cleared::Locks;
            }
        }
    }
    let _ = fs::remove_file(marker);
    cleared
}

/// Removes indexes that a killed `git commit` was making, `next-index-PID.lock`: they are not in git's way, so it
/// leaves them forever. One whose process lives is in use.
pub(super) fn clear_indexes(git_dir: &Path) {
    let Ok(entries) = fs::read_dir(git_dir) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pid = name.strip_prefix("next-index-").and_then(|rest| rest.strip_suffix(".lock"));
        let pid = pid.and_then(|pid| pid.parse().ok()).and_then(rustix::process::Pid::from_raw);
        // Where the process belongs to somebody else the system does not say that there is none.
        let is_gone = |pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH);
        if pid.is_some_and(is_gone) {
            // What cannot be removed now is in nobody's way, and the next run tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Waits until the marker is not held; false once there is no time left.
#[expect(clippy::disallowed_methods, reason = "only while the git of a killed run comes to its end")]
fn let_go(marker: &File, mut left: Duration) -> bool {
    loop {
        match marker.try_lock() {
            // A file system without locks cannot say; git's own locks still hold then.
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) if left.is_zero() => return false,
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(LOOK_AGAIN);
                left = left.saturating_sub(LOOK_AGAIN);
            }
        }
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|found| found.modified()).ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
