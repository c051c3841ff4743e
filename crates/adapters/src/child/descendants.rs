//! Finds and ends every process that descends from this one.
//!
//! On Linux the process makes itself the reaper of its descendants, so that one whose parent ended is handed to it
//! and not to the system's first process; a walk over `/proc` then misses none. Elsewhere only the process group of
//! the program is reached.

use rustix::process::Pid;
#[cfg(target_os = "linux")]
use rustix::process::{Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};
use std::io;
#[cfg(target_os = "linux")]
use std::time::Duration;

/// Walks with a pause between them. A process that is still alive after these cannot be ended at all, such as one that
/// waits for a broken disk.
#[cfg(target_os = "linux")]
const WALKS_MAX: u32 = 2_000;
#[cfg(target_os = "linux")]
const PAUSE: Duration = Duration::from_millis(2);

/// From now on descendants are handed to this process when their parents end.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Ends all descendants, again and again until none is left: one may start another while we look.
#[cfg(target_os = "linux")]
pub(super) fn end_all(_program: Pid) {
    for _ in 0..WALKS_MAX {
        let left = living();
        if left.is_empty() {
            return;
        }
        for pid in left {
            // It may have ended by itself meanwhile.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::park_timeout(PAUSE);
    }
}

/// Removes the ended processes that were handed to us from the system's table. Only call this once the program itself
/// has been waited for, because it would take its status too.
#[cfg(target_os = "linux")]
pub(super) fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

/// The descendants that have not ended.
#[cfg(target_os = "linux")]
fn living() -> Vec<Pid> {
    let all: Vec<Process> = all().collect();
    let mut found = vec![getpid()];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let children = all.iter().filter(|process| process.parent == parent.as_raw_nonzero().get());
        found.extend(children.map(|process| process.pid));
        at += 1;
    }
    let ended = |pid: &Pid| all.iter().any(|process| process.pid == *pid && process.ended);
    found.into_iter().skip(1).filter(|pid| !ended(pid)).collect()
}

/// Every process of the machine.
#[cfg(target_os = "linux")]
pub fn all() -> impl Iterator<Item = Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    pids.filter_map(Process::read)
}

#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pub pid: Pid,
    pub parent: i32,
    pub group: i32,
    /// When it started, in ticks since boot.
    pub began: u64,
    pub ended: bool,
}

#[cfg(target_os = "linux")]
impl Process {
    /// Reads `PID (NAME) STATE PARENT GROUP …`; a name may hold spaces and brackets, so the fields begin after the last
    /// bracket. The start time is the 22nd field.
    pub fn read(pid: Pid) -> Option<Process> {
        const BEGAN: usize = 22 - 3;
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        let (_, rest) = stat.rsplit_once(')')?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| words.get(at)?.parse().ok();
        let (parent, group) = (number(1)?, number(2)?);
        let began = words.get(BEGAN)?.parse().ok()?;
        let ended = matches!(*words.first()?, "Z" | "X");
        Some(Process { pid, parent, group, began, ended })
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> io::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_all(program: Pid) {
    // The group may be gone already.
    let _ = rustix::process::kill_process_group(program, rustix::process::Signal::KILL);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn reap() {}
