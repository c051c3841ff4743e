//! An index file of our own, for building trees without touching the worktree's index.

use super::error::GitError;
use super::run::Call;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Removed when dropped.
#[derive(Debug)]
pub(super) struct TempIndex {
    path: PathBuf,
}

impl TempIndex {
    /// An index without entries, to be kept in this folder while it lives.
    pub(super) fn empty(folder: &Path) -> Result<TempIndex, GitError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(folder).map_err(|error| GitError::file(folder, &error))?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let index = TempIndex { path: folder.join(format!("index-{}-{count}", std::process::id())) };
        // A killed process with the same number may have left one behind.
        index.remove();
        Ok(index)
    }

    /// A copy of an index; an absent one is empty.
    pub(super) fn copy_of(original: &Path, folder: &Path) -> Result<TempIndex, GitError> {
        let index = TempIndex::empty(folder)?;
        match copy_with_time(original, &index.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::file(original, &error)),
            _ => Ok(index),
        }
    }

    /// Lets a call use this index instead of the worktree's.
    pub(super) fn used_by(&self, call: Call) -> Call {
        // A split index would leave its shared half in the repository.
        call.setting("core.splitIndex=false").env("GIT_INDEX_FILE", &self.path)
    }

    fn remove(&self) {
        let mut lock = self.path.clone().into_os_string();
        lock.push(".lock");
        // Nothing depends on these files once they are out of use, so a failure to remove them is harmless.
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(lock);
    }
}

impl Drop for TempIndex {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Git trusts a file's times only if they are older than the index. A copy that looked newer than its original
/// would hide changes made in the same second, so it keeps the original's time.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let modified = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    fs::File::options().write(true).open(to)?.set_modified(modified)
}
