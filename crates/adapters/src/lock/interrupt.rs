//! Asks the process that holds a lock to end, as Ctrl-C in its terminal does.
//!
//! A number of a process may be another's by the time a signal is sent. So the process is held first, then it is made
//! sure that it is the one that signed the lock (by the moment it began) and that the lock is still held; only then is
//! it asked.

use super::{Holder, Lock};
use crate::plain_file;
use rustix::process::{Pid, Signal};
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum InterruptError {
    #[error("process {} is not the one that took the lock", .0.pid)]
    Another(Holder),
    #[error("{holder} cannot be asked to end: {error}")]
    Refused { holder: Holder, error: std::io::Error },
}

#[derive(Deserialize)]
struct Signature {
    #[serde(default)]
    began: Option<u64>,
}

/// Asks the holder to end, and says who it is; none where nobody holds the lock.
pub fn interrupt(state: &Path, name: &str) -> Result<Option<Holder>, InterruptError> {
    let Some(holder) = Lock::holder(state, name) else { return Ok(None) };
    let refused = |error: std::io::Error| InterruptError::Refused { holder: holder.clone(), error };
    let pid = i32::try_from(holder.pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return Err(InterruptError::Another(holder)) };
    let held = Held::new(pid).map_err(refused)?;
    let signed = signature(state, name);
    // A version that signed without it is believed: the lock is held, and a process with its number runs.
    let is_it = signed.is_none_or(|began| began_at(holder.pid) == Some(began));
    match Lock::holder(state, name) {
        None => return Ok(None),
        Some(now) if now == holder && is_it => {}
        Some(_) => return Err(InterruptError::Another(holder)),
    }
    held.ask().map_err(refused)?;
    Ok(Some(holder))
}

fn signature(state: &Path, name: &str) -> Option<u64> {
    let text = plain_file::read(&state.join("locks").join(name), super::HOLDER_BYTES_MAX).ok()?;
    serde_json::from_slice::<Signature>(&text).ok()?.began
}

/// When a process began, in ticks since the machine started; none where the system does not say it.
pub(super) fn began_at(pid: u32) -> Option<u64> {
    // The name before it may hold anything, spaces and brackets too.
    const BEGAN: usize = 19;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(BEGAN)?.parse().ok()
}

/// A process that is held, so that its number cannot become another's.
struct Held {
    #[cfg(target_os = "linux")]
    process: std::os::fd::OwnedFd,
    #[cfg(not(target_os = "linux"))]
    process: Pid,
}

impl Held {
    #[cfg(target_os = "linux")]
    fn new(pid: Pid) -> std::io::Result<Held> {
        let process = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
        Ok(Held { process })
    }

    #[cfg(target_os = "linux")]
    fn ask(self) -> std::io::Result<()> {
        Ok(rustix::process::pidfd_send_signal(self.process, Signal::INT)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn new(pid: Pid) -> std::io::Result<Held> {
        Ok(Held { process: pid })
    }

    #[cfg(not(target_os = "linux"))]
    fn ask(self) -> std::io::Result<()> {
        Ok(rustix::process::kill_process(self.process, Signal::INT)?)
    }
}
