//! Landlock can only allow. Where something below an allowed path must stay closed, everything around it is allowed
//! piece by piece.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder with this many entries on the way to a closed path is not opened at all.
const ENTRIES_MAX: usize = 20_000;

/// The paths that together are `root` without `except`. Links are resolved; what does not exist yet stays closed.
pub(super) fn carved(root: &Path, except: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(root) = fs::canonicalize(root) else { return Vec::new() };
    let except: Vec<PathBuf> = except.iter().map(|path| real(path)).collect();
    let mut found = Vec::new();
    carve(&root, &except, &mut found);
    found
}

fn carve(root: &Path, except: &[PathBuf], found: &mut Vec<PathBuf>) {
    if except.iter().any(|closed| root.starts_with(closed)) {
        return;
    }
    if !except.iter().any(|closed| closed.starts_with(root)) {
        found.push(root.to_owned());
        return;
    }
    let Ok(entries) = fs::read_dir(root) else { return };
    let entries: Vec<_> = entries.flatten().take(ENTRIES_MAX + 1).collect();
    if entries.len() > ENTRIES_MAX {
        return;
    }
    for entry in entries {
        // What a link leads to is granted where it is, or not at all.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            carve(&entry.path(), except, found);
        }
    }
}

/// The path without links, as far as it exists.
pub(super) fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (fs::canonicalize(ancestor), path.strip_prefix(ancestor)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_around_a_closed_path_is_left_and_the_way_to_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for one in ["a/open", "a/closed/deep", "b"] {
            fs::create_dir_all(root.join(one)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("a/closed"), root.join("link")).unwrap();
        let mut left = carved(&root, &[root.join("a/closed")]);
        left.sort();
        assert_eq!(left, [root.join("a/open"), root.join("b")]);
        let mut later = carved(&root, &[root.join("b/not-yet")]);
        later.sort();
        assert_eq!(later, [root.join("a")], "a path that does not exist yet stays closed when it is made");
        assert!(
            carved(&root.join("a/closed/deep"), &[root.join("link")]).is_empty(),
            "a link closes its target"
        );
        assert!(
            carved(&root.join("link"), &[root.join("a/closed")]).is_empty(),
            "a link opens nothing closed"
        );
        assert_eq!(carved(&root, &[]), [root]);
    }
}
