//! A folder outside the repository with copies of some files and nothing else, for an agent that is to see no more.
//!
//! Its name cannot be guessed and only its owner can look inside. It is removed when dropped; what a killed run leaves
//! behind are copies of documents, in the system's folder for temporary files.

use redraft_engine::ports::WorkspaceError;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

/// Removed when dropped.
#[derive(Debug)]
pub(super) struct IsolatedCopy {
    folder: PathBuf,
}

impl IsolatedCopy {
    pub(super) fn new() -> Result<IsolatedCopy, WorkspaceError> {
        let place = std::env::temp_dir();
        // Programs name their folder by its real path.
        let place = fs::canonicalize(&place).map_err(|error| failed(&place, &error))?;
        let folder = place.join(format!("redraft-documents-{}", uuid::Uuid::new_v4().simple()));
        private().create(&folder).map_err(|error| failed(&folder, &error))?;
        Ok(IsolatedCopy { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file of these bytes, under this relative path.
    pub(super) fn put(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let place = self.folder.join(path);
        let made = place.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&place, bytes)).map_err(|error| failed(&place, &error))
    }
}

impl Drop for IsolatedCopy {
    fn drop(&mut self) {
        // Copies that cannot be removed are in no one's way.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn private() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only here folders have a mode"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn failed(path: &Path, error: &io::Error) -> WorkspaceError {
    WorkspaceError::File { path: path.display().to_string(), detail: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_apart_holds_what_was_put_there_for_its_owner_alone_and_goes_with_its_holder() {
        let apart = IsolatedCopy::new().unwrap();
        apart.put("docs/features/001-x/spec.md", b"# Spec\n").unwrap();
        let folder = apart.folder().to_owned();
        assert_eq!(fs::read(folder.join("docs/features/001-x/spec.md")).unwrap(), b"# Spec\n");
        let permissions = fs::metadata(&folder).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o077, 0);
        assert_ne!(IsolatedCopy::new().unwrap().folder(), folder);
        drop(apart);
        assert!(!folder.exists());
    }
}
