//! Removes what stands in the place of a file and is no file, such as a pipe: git can make no tree of it.

use crate::git::error::GitError;
use crate::git::files::{failed, os_path, temporary_in};
use crate::git::remove_files::remove_file;
use crate::git::revision::require;
use crate::git::temp_index::TempIndex;
use crate::git::workspace::GitWorkspace;
use redraft_engine::ports::WorkspaceError;
use redraft_facts::event::TreeMark;
use redraft_facts::ids::Revision;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Removes it; nothing of it could be kept. True where the marked file is back in its place. That is one step, because
/// a file that is missing after a crash looks as if somebody had deleted it.
pub(super) fn take_out(
    workspace: &GitWorkspace,
    mark: &TreeMark,
    path: &[u8],
) -> Result<bool, WorkspaceError> {
    require(workspace, &[&Revision::new(mark.work.as_str())])?;
    let path = &os_path(path);
    let list = workspace.call(["ls-tree", "-z", "--full-tree"]).arg(&mark.work).arg("--").arg(path);
    // `MODE TYPE ID`, a tab and the path.
    let is_file = |entry: &Vec<u8>| entry.split(|byte| *byte == b' ').nth(1) == Some(b"blob");
    let marked: Vec<Vec<u8>> = list.list()?.into_iter().filter(is_file).collect();
    if marked.is_empty() {
        remove_file(workspace.root(), path)?;
        return Ok(false);
    }
    let aside = temporary_in(&workspace.temp());
    let done = lay_out(workspace, &marked, Some(&aside)).map_err(WorkspaceError::from).and_then(|()| {
        match fs::rename(aside.join(path), workspace.root().join(path)) {
            Ok(()) => Ok(true),
            // A worktree on another disk than git's folder: the file is put back with the others.
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                remove_file(workspace.root(), path).map(|()| false)
            }
            Err(error) => Err(failed(&path.display().to_string(), &error)),
        }
    });
    // What cannot be removed now is removed with the rest of the scratch space.
    let _ = fs::remove_dir_all(&aside);
    done
}

/// Writes files by mode, id and path: in their places, or below another folder.
pub(super) fn lay_out(
    workspace: &GitWorkspace,
    info: &[Vec<u8>],
    below: Option<&Path>,
) -> Result<(), GitError> {
    let index = TempIndex::empty(&workspace.temp())?;
    let fill =
        workspace.call(["update-index", "-z", "--index-info"]).input_list(info.iter().map(Vec::as_slice));
    index.used_by(fill).succeed()?;
    let mut write = workspace.call(["checkout-index", "--all", "--force", "--quiet"]);
    if let Some(folder) = below {
        let mut prefix = OsString::from("--prefix=");
        prefix.push(folder.join(""));
        write = write.arg(prefix);
    }
    index.used_by(write).succeed().map(drop)
}
