//! The worktree's index as it was read, and index files of our own, for building trees without touching it.

use super::error::GitError;
use super::run::Call;
use redraft_facts::ids::BlobId;
use redraft_facts::text::hash;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use std::{fmt, fs};

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
    pub(super) fn copy_of(original: Option<&Index>, folder: &Path) -> Result<TempIndex, GitError> {
        let index = TempIndex::empty(folder)?;
        if let Some(original) = original {
            original.write(&index.path).map_err(|error| GitError::file(&index.path, &error))?;
        }
        Ok(index)
    }

    /// Makes a call use this index instead of the worktree's.
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

/// What an index file held when it was read.
#[derive(PartialEq, Eq)]
pub(super) struct Index {
    bytes: Vec<u8>,
    modified: SystemTime,
}

impl Index {
    /// Git replaces an index in one step, so an open one does not change.
    pub(super) fn read(path: &Path) -> Result<Option<Index>, GitError> {
        let read = || -> io::Result<Index> {
            let mut file = fs::File::open(path)?;
            let modified = file.metadata()?.modified()?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(Index { bytes, modified })
        };
        match read() {
            Ok(index) => Ok(Some(index)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(GitError::file(path, &error)),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Two indexes with the same name are the same.
    pub(super) fn name(&self) -> BlobId {
        hash(&self.bytes)
    }

    /// Git trusts a file's times only if they are older than the index. A copy that looked newer than its original
    /// would hide changes made in the same second, so it keeps the original's time.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = fs::File::create(path)?;
        file.write_all(&self.bytes)?;
        file.set_modified(self.modified)
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an index of {} bytes", self.bytes.len())
    }
}
