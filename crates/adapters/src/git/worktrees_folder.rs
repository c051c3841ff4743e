//! The folder that worktrees are made in, below the main checkout.

use super::error::GitError;
use super::repository::Repository;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Below the main checkout.
const WORKTREES: &str = ".redraft/worktrees";

impl Repository {
    /// A link could lead anywhere, and a repository can hold links.
    pub(super) fn refuse_links(&self) -> Result<(), GitError> {
        let places = [".redraft", WORKTREES].map(|name| self.main_checkout().join(name));
        match places.into_iter().find(|place| place.is_symlink()) {
            Some(link) => Err(GitError::LinkInTheWay(link)),
            None => Ok(()),
        }
    }

    /// The folder that worktrees are made in.
    pub fn worktrees_folder(&self) -> PathBuf {
        self.main_checkout().join(WORKTREES)
    }

    pub(super) fn make_worktrees_folder(&self) -> Result<(), GitError> {
        self.refuse_links()?;
        let folder = self.worktrees_folder();
        if let Err(error) = fs::create_dir_all(&folder) {
            let in_the_way = [self.main_checkout().join(".redraft"), folder.clone()];
            let in_the_way =
                in_the_way.into_iter().find(|path| path.symlink_metadata().is_ok() && !path.is_dir());
            return Err(in_the_way.map_or_else(|| self.not_made(&folder, &error), GitError::FolderInTheWay));
        }
        Ok(())
    }

    /// Why the folder cannot be made; where it must not be, the one above it that is there.
    fn not_made(&self, folder: &Path, error: &io::Error) -> GitError {
        if !matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) {
            return GitError::file(folder, error);
        }
        let above = folder.ancestors().skip(1).find(|above| above.is_dir()).unwrap_or(self.main_checkout());
        GitError::Unwritable { folder: above.to_owned(), detail: error.to_string() }
    }

    /// Keeps the worktrees out of `git status` of the main checkout without touching a tracked file.
    pub(super) fn exclude_worktrees(&self) -> Result<(), GitError> {
        let line = format!("/{WORKTREES}/");
        let path = self.common_dir().join("info").join("exclude");
        let failed = |error: io::Error| GitError::file(&path, &error);
        let old = match fs::read(&path) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(error)),
        };
        if old.split(|byte| *byte == b'\n').any(|old| old.trim_ascii_end() == line.as_bytes()) {
            return Ok(());
        }
        let gap = if old.is_empty() || old.ends_with(b"\n") { "" } else { "\n" };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut file = fs::OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
        file.write_all(format!("{gap}{line}\n").as_bytes()).map_err(failed)
    }

    /// Whether there is a line that does so.
    pub fn excludes_worktrees(&self) -> bool {
        let line = format!("/{WORKTREES}/");
        let old = fs::read(self.common_dir().join("info").join("exclude")).unwrap_or_default();
        old.split(|byte| *byte == b'\n').any(|old| old.trim_ascii_end() == line.as_bytes())
    }

    /// Takes that line out again.
    pub(super) fn show_worktrees(&self) -> Result<(), GitError> {
        if !self.excludes_worktrees() {
            return Ok(());
        }
        let line = format!("/{WORKTREES}/");
        let path = self.common_dir().join("info").join("exclude");
        let failed = |error: io::Error| GitError::file(&path, &error);
        let old = fs::read(&path).map_err(failed)?;
        let kept =
            old.split_inclusive(|byte| *byte == b'\n').filter(|old| old.trim_ascii_end() != line.as_bytes());
        let kept: Vec<u8> = kept.flatten().copied().collect();
        let aside = path.with_extension("redraft");
        // A kill leaves the old file or the new one, never half of it.
        fs::write(&aside, kept).and_then(|()| fs::rename(&aside, &path)).map_err(failed)
    }
}
