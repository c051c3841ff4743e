//! Ends the processes of an agent whose worker was killed.
//!
//! A worker ends everything it started, unless it is killed in a way that cannot be caught. So every program is given a
//! variable that names its worker's folder. Its descendants inherit the variable, and no other process on the machine
//! has it. When the worker is found gone, the processes that carry the variable are ended, with their descendants and
//! the members of their process groups. A process is held by a descriptor and looked at again before it is ended, so
//! that another one that has been given its number is never hit. Start at [`settle`].

use super::worker_folder::Exit;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Names the folder of the worker that a process belongs to.
pub(super) const MARK: &str = "REDRAFT_WORKER";
/// Locked by a worker as long as it lives.
const LOCK: &str = "worker.lock";

const PAUSE: Duration = Duration::from_millis(5);
/// A worker whose run is gone ends by itself within milliseconds; on a busy machine it takes longer.
const WORKER_WALKS_MAX: u32 = 2_000;

/// Held by the worker until it ends, however it ends.
pub(super) fn hold(out: &Path) -> io::Result<File> {
    let lock = File::create(out.join(LOCK))?;
    lock.lock()?;
    Ok(lock)
}

/// What a program is marked with.
pub(super) fn mark(out: &Path) -> io::Result<OsString> {
    Ok(fs::canonicalize(out)?.into_os_string())
}

/// Returns when no process works for this folder any more: waits for a worker that is about to end, and ends what a
/// killed one left behind.
pub fn settle(out: &Path) {
    // Without the lock there never was a worker.
    let Some(mark) = mark(out).ok().filter(|_| out.join(LOCK).exists()) else { return };
    for _ in 0..WORKER_WALKS_MAX {
        let lock = File::open(out.join(LOCK));
        if !lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock))) {
            break;
        }
        std::thread::park_timeout(PAUSE);
    }
    // A worker that came to its end has ended everything else before.
    if Exit::read(out).is_none() {
        marked::end(&mark);
    }
}

/// Whether a worker began here and was killed before it could end what it had started, so that it is unknown how long
/// that went on.
pub fn was_abandoned(out: &Path) -> bool {
    out.join(LOCK).exists() && Exit::read(out).is_none()
}

#[cfg(target_os = "linux")]
mod marked {
    use super::{MARK, PAUSE};
    use crate::child::descendants::{Process, all};
    use rustix::process::{PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    const WALKS_MAX: u32 = 2_000;

    /// Ends every process with this mark, again and again until none is left.
    pub(super) fn end(mark: &OsStr) {
        let variable = [MARK.as_bytes(), b"=", mark.as_bytes()].concat();
        for _ in 0..WALKS_MAX {
            let left = living(&variable);
            if left.is_empty() {
                return;
            }
            left.iter().for_each(kill);
            std::thread::park_timeout(PAUSE);
        }
    }

    /// Those that carry the variable and have not ended, with their descendants and process groups.
    fn living(variable: &[u8]) -> Vec<Process> {
        let all: Vec<Process> = all().filter(|process| process.pid != getpid()).collect();
        let mut found: Vec<Process> =
            all.iter().filter(|process| carries(process, variable)).copied().collect();
        let mut at = 0;
        while let Some(Process { pid, group, .. }) = found.get(at).copied() {
            let related =
                |process: &&Process| process.parent == pid.as_raw_nonzero().get() || process.group == group;
            let new: Vec<Process> =
                all.iter().filter(related).filter(|process| !found.contains(process)).copied().collect();
            found.extend(new);
            at += 1;
        }
        found.retain(|process| !process.ended);
        found
    }

    fn carries(process: &Process, variable: &[u8]) -> bool {
        let environment = std::fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == variable)
    }

    /// Ends exactly this process: the descriptor holds the process that has the number now, and only one started at
    /// that time.
    fn kill(process: &Process) {
        let Ok(held) = pidfd_open(process.pid, PidfdFlags::empty()) else { return };
        if Process::read(process.pid).is_some_and(|now| now.began == process.began) {
            // It may have ended by itself meanwhile.
            let _ = pidfd_send_signal(held, Signal::KILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod marked {
    /// Without `/proc` it is unknown whose process it is.
    pub(super) fn end(_mark: &std::ffi::OsStr) {}
}
