//! Finds who holds a lock of git's, where the system can say: git keeps the file open while it writes. Also who works in a
//! folder.

use std::path::Path;

/// `git, process 4711`; none where no process has the file open, or the system does not say.
#[cfg(target_os = "linux")]
pub(super) fn holder(lock: &Path) -> Option<String> {
    use std::fs;
    // The system names open files by their real paths.
    let lock = fs::canonicalize(lock).ok()?;
    other_process(|process| {
        // Processes of other users cannot be looked at.
        let open = fs::read_dir(process.join("fd")).into_iter().flatten();
        open.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|file| file == lock))
    })
}

/// The same for a process whose current folder is this one or below it, such as a shell.
#[cfg(target_os = "linux")]
pub(super) fn inside(folder: &Path) -> Option<String> {
    let folder = std::fs::canonicalize(folder).ok()?;
    other_process(|process| std::fs::read_link(process.join("cwd")).is_ok_and(|at| at.starts_with(&folder)))
}

/// The first process other than this one of which something holds.
#[cfg(target_os = "linux")]
fn other_process(holds: impl Fn(&Path) -> bool) -> Option<String> {
    let own = std::process::id().to_string();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let pid = process.file_name();
        let Some(pid) =
            pid.to_str().filter(|pid| *pid != own && pid.bytes().all(|byte| byte.is_ascii_digit()))
        else {
            continue;
        };
        if holds(&process.path()) {
            let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(format!("{}, process {pid}", redraft_facts::text::one_line(name.trim(), 40)));
        }
    }
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn holder(_lock: &Path) -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn inside(_folder: &Path) -> Option<String> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::fs::File;
    use std::process::Stdio;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "stands in for another git")]
    fn a_lock_that_a_process_has_open_is_known_by_its_number_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("index.lock");
        let file = File::create(&lock).unwrap();
        assert_eq!(holder(&lock), None, "we ourselves do not count");
        let mut other = std::process::Command::new("sleep");
        let mut other = other.arg("60").stdout(Stdio::from(file)).spawn().unwrap();
        assert_eq!(holder(&lock), Some(format!("sleep, process {}", other.id())));
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(holder(&lock), None, "stale");
        assert_eq!(holder(&folder.path().join("gone.lock")), None);
    }
}
