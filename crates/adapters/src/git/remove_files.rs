//! Removes files and folders, whatever stands in their places.

use super::error::GitError;
use super::files::{failed, is_absent, is_folder};
use redraft_engine::ports::WorkspaceError;
use std::path::Path;
use std::{fs, io};

/// Removes a file, a link or a folder with all that is in it; nothing happens where there is none.
pub(super) fn remove_all(path: &Path) -> Result<(), GitError> {
    let remove = || match is_folder(path) {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    let done = match remove() {
        // Some programs keep their downloads in folders without write permission.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_folders(path);
            remove()
        }
        done => done,
    };
    match done {
        Err(error) if !is_absent(&error) => Err(GitError::file(path, &error)),
        _ => Ok(()),
    }
}

/// Lets the owner write to all folders below this one.
fn open_folders(folder: &Path) {
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        if !is_folder(&folder) {
            continue;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // What cannot be opened is reported when it is removed.
            let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        left.extend(entries.flatten().map(|entry| entry.path()));
    }
}

/// Removes a file and the folders that are empty without it.
pub(super) fn remove_file(root: &Path, path: &Path) -> Result<(), WorkspaceError> {
    match fs::remove_file(root.join(path)) {
        Err(error) if !is_absent(&error) => return Err(failed(&path.display().to_string(), &error)),
        _ => {}
    }
    for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}
