//! The folder in which a prompt is answered. It holds the files that the prompt names and nothing else: no repository's
//! conventions, and not the case, which says what was planted.

use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::whole_file;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A file as the prompt calls it.
#[derive(Debug, Clone)]
pub(in crate::cli::eval) struct RoomFile {
    /// Relative, and within the room.
    pub(in crate::cli::eval) path: PathBuf,
    pub(in crate::cli::eval) text: String,
}

pub(super) struct Room {
    _whole: TempDir,
    folder: PathBuf,
}

impl Room {
    pub(super) fn make() -> Result<Room, CliError> {
        let failed =
            |error: std::io::Error| CliError::new(ErrorCode::Config, format!("no temporary folder: {error}"));
        let whole = tempfile::Builder::new().prefix("redraft-eval-").tempdir().map_err(failed)?;
        let folder = std::fs::canonicalize(whole.path()).map_err(failed)?;
        Ok(Room { _whole: whole, folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts the files there, in place of older ones.
    pub(super) fn furnish(&self, files: &[RoomFile]) -> Result<(), CliError> {
        files.iter().try_for_each(|file| whole_file::keep(&self.folder.join(&file.path), &file.text))
    }
}
