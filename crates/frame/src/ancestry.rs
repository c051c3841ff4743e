//! Finds out whether this process descends from an agent, a check or a setup command that Redraft started.
//!
//! A variable says so too, but whoever runs such a process can drop it. What the kernel knows they cannot change: the
//! parents of a process, and that a worker, which adopts every orphan below it, is among them. Only Linux shows this.
//! A process of a user or a repository other than the run's own is none of its business: tests of such programs start
//! them below an agent.

use redraft_adapters::trust::Trust;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Far more than any tree is deep.
const ANCESTORS_MAX: usize = 1_000;

/// Where a worker's arguments name its folder, and the lock that it holds there as long as it lives.
const WORKER: [&str; 2] = ["worker", "--out"];
const LOCK: &str = "worker.lock";

/// The folder of a worker that this process descends from, where its run is one of this user or of this repository.
pub fn worker_above(trust: &Trust, state: impl Fn() -> Option<PathBuf>) -> Option<PathBuf> {
    let mut pid = std::process::id();
    for _ in 0..ANCESTORS_MAX {
        pid = parent(pid)?;
        let Some(out) = worker_folder(pid) else { continue };
        if is_same_user(pid, trust) || state().is_some_and(|state| out.starts_with(state)) {
            return Some(out);
        }
    }
    None
}

fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    parent.trim().parse().ok().filter(|parent| *parent != 0)
}

/// The folder that a process keeps as a worker; none where it is none.
fn worker_folder(pid: u32) -> Option<PathBuf> {
    let words = list(pid, "cmdline")?;
    let [_, first, second, out, ..] = words.as_slice() else { return None };
    if [first, second].map(OsString::as_os_str) != WORKER.map(OsStr::new) {
        return None;
    }
    let out = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default().join(out);
    is_kept(&out.join(LOCK)).then_some(out)
}

/// Whether somebody holds the lock. One that cannot be looked at is out of our reach because we are contained.
fn is_kept(lock: &Path) -> bool {
    match File::open(lock) {
        Ok(file) => matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Whether the run that started a worker keeps its user's acceptances where we do. Where that cannot be seen, it does:
/// a worker whose run is gone is about to end.
fn is_same_user(worker: u32, trust: &Trust) -> bool {
    let exe = |pid: u32| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let run = parent(worker).filter(|run| exe(*run).is_some() && exe(*run) == exe(worker));
    let Some(variables) = run.and_then(|run| list(run, "environ")) else { return true };
    let value = |name: &str| {
        let begin = format!("{name}=");
        let bytes = variables.iter().map(|variable| variable.as_encoded_bytes());
        let found = bytes.filter_map(|variable| variable.strip_prefix(begin.as_bytes())).next();
        found.map(|value| OsString::from_vec(value.to_vec()))
    };
    Trust::from_environment(value) == *trust
}

fn list(pid: u32, name: &str) -> Option<Vec<OsString>> {
    let bytes = fs::read(format!("/proc/{pid}/{name}")).ok()?;
    Some(bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parents_of_a_process_lead_to_the_first() {
        let mut chain = vec![std::process::id()];
        while let Some(parent) = parent(*chain.last().unwrap()) {
            assert!(!chain.contains(&parent));
            chain.push(parent);
        }
        assert!(chain.len() > 1 || !cfg!(target_os = "linux"), "{chain:?}");
    }

    #[test]
    fn a_lock_that_nobody_holds_is_no_workers() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join(LOCK);
        assert!(!is_kept(&lock), "there is none");
        let held = File::create(&lock).unwrap();
        assert!(!is_kept(&lock), "nobody holds it");
        held.lock().unwrap();
        assert!(is_kept(&lock));
        assert!(is_kept(&folder.path().join(LOCK).join("x")), "it cannot be looked at");
    }
}
