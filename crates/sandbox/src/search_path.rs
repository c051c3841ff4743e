//! Looks for programs only in those folders of the PATH that are the same wherever we are.
//!
//! An empty or relative entry means a folder in the repository that a command is started in, filled by the repository's
//! author. So such entries are skipped, by us and by what we start.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The program of this name that a PATH leads to.
pub fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
    folders(path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// A PATH without the entries that are skipped; none where it has no others.
pub fn absolute(path: &OsStr) -> Option<OsString> {
    std::env::join_paths(folders(path)).ok().filter(|path| !path.is_empty())
}

fn folders(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute())
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_folders_of_the_path_are_looked_in() {
        for (path, kept) in [
            ("/usr/bin:/bin", Some("/usr/bin:/bin")),
            ("/usr/bin:/bin:", Some("/usr/bin:/bin")),
            (":/usr/bin::/bin", Some("/usr/bin:/bin")),
            (".:./node_modules/.bin:bin:/usr/bin", Some("/usr/bin")),
            ("", None),
            (".", None),
        ] {
            assert_eq!(absolute(OsStr::new(path)), kept.map(OsString::from), "{path:?}");
        }
        // Tests are run in the folder of their crate, which has this file.
        assert_eq!(find("Cargo.toml", OsStr::new(".:")), None);
        assert!(find("sh", OsStr::new(".::/usr/bin:/bin")).is_some_and(|found| found.is_absolute()));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x"), "").unwrap();
        assert_eq!(find("x", folder.path().as_os_str()), None, "nobody may run it");
    }
}
