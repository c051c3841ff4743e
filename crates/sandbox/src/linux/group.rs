//! Memory and processes limited by the kernel, where the user has been given a part of the tree of control groups.
//!
//! That is so in sessions of systemd. The command's group lies beside the one that this process is in. Nothing of it is
//! an error: where it does not work, the limits are kept by whoever watches the processes.

use crate::policy::ResourceLimits;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The mounted tree.
const ROOT: &str = "/sys/fs/cgroup";

/// The group of one command; removed when dropped, once it is empty.
#[derive(Debug)]
pub struct ControlGroup {
    /// Its own folder and the one of this process; none where there is no group.
    folders: Option<(PathBuf, PathBuf)>,
}

pub(crate) fn group(limits: &ResourceLimits) -> ControlGroup {
    let said = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    ControlGroup { folders: made(Path::new(ROOT), &said, limits) }
}

/// None where one of the controllers is not ours to use.
fn made(root: &Path, said: &str, limits: &ResourceLimits) -> Option<(PathBuf, PathBuf)> {
    let below = said.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let current = root.join(below);
    let parent = current.parent().filter(|parent| parent.starts_with(root) && current != root)?;
    let controllers = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
    let has = |name: &str| controllers.split_whitespace().any(|one| one == name);
    if !has("memory") || !has("pids") {
        return None;
    }
    let own = parent.join(format!("redraft-{}", std::process::id()));
    match fs::create_dir(&own) {
        // One that an engine which does not work here has left.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return None,
        _ => {}
    }
    let memory = limits.memory_bytes.unwrap_or_else(super::usual_memory);
    let set = |file: &str, value: u64| fs::write(own.join(file), value.to_string());
    if set("memory.max", memory).and_then(|()| set("pids.max", limits.processes as u64)).is_err() {
        // It is empty; if it stays, it does no harm.
        let _ = fs::remove_dir(&own);
        return None;
    }
    Some((own, current))
}

impl ControlGroup {
    pub(crate) fn none() -> ControlGroup {
        ControlGroup { folders: None }
    }

    /// Whether the kernel keeps the limits of what is started within.
    pub(crate) fn limits(&self) -> bool {
        self.folders.is_some()
    }

    /// Starts something in the group: what a process starts is where it is itself at that moment.
    pub(crate) fn within<T>(&mut self, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let Some((own, current)) = &self.folders else { return start() };
        if enter(own).is_err() {
            self.folders = None;
            return start();
        }
        let started = start();
        enter(current)?;
        started
    }
}

/// Moves this process.
fn enter(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        if let Some((own, _)) = &self.folders {
            // Where something is still in it, it stays; it holds nothing.
            let _ = fs::remove_dir(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_lies_beside_our_own_where_both_limits_are_ours_to_set() {
        let folder = tempfile::tempdir().unwrap();
        let parent = folder.path().join("user/app");
        fs::create_dir_all(parent.join("shell")).unwrap();
        let limits = ResourceLimits { file_bytes: 1, memory_bytes: Some(4096), processes: 7 };
        let made = |said: &str| made(folder.path(), said, &limits);
        assert_eq!(made("0::/user/app/shell\n"), None, "no controller");
        fs::write(parent.join("cgroup.subtree_control"), "cpu pids\n").unwrap();
        assert_eq!(made("0::/user/app/shell\n"), None, "memory is not ours");
        fs::write(parent.join("cgroup.subtree_control"), "cpu memory pids\n").unwrap();
        let (own, current) = made("3:cpu:/\n0::/user/app/shell\n").unwrap();
        assert_eq!((own.parent(), current), (Some(parent.as_path()), parent.join("shell")));
        assert_eq!(fs::read_to_string(own.join("memory.max")).unwrap(), "4096");
        assert_eq!(fs::read_to_string(own.join("pids.max")).unwrap(), "7");
        assert_eq!(made("0::/\n"), None, "the root is not ours");
        assert_eq!(made("3:cpu:/x\n"), None, "an older tree");
        let mut group = ControlGroup { folders: Some((own.clone(), folder.path().join("user"))) };
        let seen = group.within(|| fs::read_to_string(own.join("cgroup.procs"))).unwrap();
        assert_eq!(seen, "0", "what is started meanwhile is in it");
        assert!(folder.path().join("user/cgroup.procs").exists(), "and this process is back");
    }
}
