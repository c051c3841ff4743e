//! Ends the processes of an agent whose worker was killed.
//!
//! A worker ends everything it started, unless it is killed in a way that cannot be caught. So every program is given a
//! variable that names its worker's folder. Its descendants inherit the variable, and no other process on the machine
//! has it. When the worker is found gone, the processes that carry the variable are ended, with their descendants and
//! the members of their process groups. A process is held by a descriptor and looked at again before it is ended, so
//! that another one that has been given its number is never hit. Start at [`settle`].

use super::worker_folder::Exit;
use redraft_sandbox::processes;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
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
        processes::end_marked(&[MARK.as_bytes(), b"=", mark.as_bytes()].concat());
    }
}

/// Whether a worker began here and was killed before it could end what it had started, so that it is unknown how long
/// that went on.
pub fn was_abandoned(out: &Path) -> bool {
    out.join(LOCK).exists() && Exit::read(out).is_none()
}
