//! Finds who holds a lock of git's, where the system can say: git keeps the file open while it writes.

use std::path::Path;

/// `git, process 4711`; none where no process has the file open, or the system does not say.
#[cfg(target_os = "linux")]
pub(super) fn holder(lock: &Path) -> Option<String> {
    use std::fs;
    // The system names open files by their real paths.
    let lock = fs::canonicalize(lock).ok()?;
    let own = std::process::id().to_string();
    for process in fs::read_dir("/proc").ok()?.flatten() {
        let pid = process.file_name();
        let Some(pid) =
            pid.to_str().filter(|pid| *pid != own && pid.bytes().all(|byte| byte.is_ascii_digit()))
        else {
            continue;
        };
        // Processes of other users cannot be looked at.
        let Ok(open) = fs::read_dir(process.path().join("fd")) else { continue };
        if open.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|file| file == lock)) {
            let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(format!("{}, process {pid}", redraft_facts::text::one_line(name.trim(), 40)));
        }
    }
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn holder(_lock: &Path) -> Option<String> {
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
