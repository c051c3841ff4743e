//! Which paths belong to the folder that a role works in.

use crate::failed;
use redraft_engine::ports::AgentError;
use redraft_facts::event::AfterFailure;
use std::path::{Component, Path, PathBuf};

/// A path of the working folder. Paths come from prompts and scenarios, and the folder from a repository, so a path may
/// neither lead out of it, not even by a link, nor into git's own folder.
pub(super) fn inside(folder: &Path, path: &str) -> Result<PathBuf, AgentError> {
    let relative = Path::new(path);
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let of_git = relative.iter().any(|part| part.eq_ignore_ascii_case(".git"));
    let target = folder.join(relative);
    let there = target.ancestors().find(|place| place.symlink_metadata().is_ok()).unwrap_or(folder);
    if !plain || of_git || path.is_empty() || !leads_inside(folder, there) {
        return Err(failed(
            AfterFailure::AskPerson,
            &format!("`{path}` is not a path inside the working folder"),
        ));
    }
    Ok(target)
}

/// Whether a path that exists really is in the folder and not in git's own, with all links followed. Case is ignored
/// because some file systems do.
fn leads_inside(folder: &Path, path: &Path) -> bool {
    let (Ok(folder), Ok(real)) = (folder.canonicalize(), path.canonicalize()) else { return false };
    real.strip_prefix(&folder).is_ok_and(|below| !below.iter().any(|part| part.eq_ignore_ascii_case(".git")))
}

#[cfg(test)]
mod tests {
    use super::inside;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_path_of_a_scenario_leaves_the_folder_or_enters_git() {
        let base = tempfile::tempdir().unwrap();
        let (folder, out) = (base.path().join("folder"), base.path().join("out"));
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::create_dir_all(&out).unwrap();
        symlink("../out", folder.join("away")).unwrap();
        symlink("../out/new", folder.join("dangling")).unwrap();
        symlink("sub", folder.join("near")).unwrap();
        fs::create_dir_all(folder.join(".git")).unwrap();
        symlink(".git", folder.join("into-git")).unwrap();
        for (path, may) in [
            ("file", true),
            ("sub/new/file", true),
            ("near/file", true),
            ("", false),
            ("/etc/passwd", false),
            ("../out/file", false),
            ("sub/../../out", false),
            ("away/file", false),
            ("away/new/file", false),
            ("into-git/config", false),
            ("dangling", false),
            (".git/config", false),
            ("sub/.GIT/config", false),
        ] {
            assert_eq!(inside(&folder, path).is_ok(), may, "{path}");
        }
    }
}
