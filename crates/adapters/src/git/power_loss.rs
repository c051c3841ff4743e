//! Clears up what a power cut leaves of things that were being made: names with nothing behind them.
//!
//! File systems write names before contents. An object that git was making when the power went is an empty file with
//! the right name, and git, which only asks for the name, never writes it again. Nothing that is stored names such an
//! object ([`crate::barrier`]), but the next attempt makes the same one. The same goes for an index, a ref of ours, and
//! a worktree that was being made.

use super::error::GitError;
use super::files::os_path;
use super::repository::Repository;
use super::run::Call;
use crate::barrier::sync_folder;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Linux chooses a new one at each boot.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

impl Repository {
    /// Clears away what a power cut left empty: objects, refs under `refs/redraft`, and indexes of our worktrees, which
    /// are made again from HEAD. Returns how many files that were. Looks once after each boot, because nothing else
    /// loses what was written.
    pub fn clear_after_cut(&self) -> Result<usize, GitError> {
        let seen = self.state_dir().join("boot");
        let boot = fs::read_to_string(BOOT_ID).unwrap_or_default();
        if !boot.is_empty() && fs::read_to_string(&seen).is_ok_and(|seen| seen == boot) {
            return Ok(0);
        }
        let mut cleared = 0;
        for empty in self.empty_files()? {
            // Git never leaves an empty file under these names while it works.
            fs::remove_file(&empty).map_err(|error| GitError::file(&empty, &error))?;
            cleared += 1;
            if let Some(worktree) = empty.parent().filter(|_| empty.ends_with("index")).and_then(worktree_of)
            {
                // Without an index, git takes every file for deleted. Where HEAD is lost too, the repair makes one.
                let _ = self.git.call(&worktree, ["read-tree", "HEAD"]).end();
            }
        }
        // If this cannot be written, the next command looks again.
        let _ = fs::write(&seen, boot);
        Ok(cleared)
    }

    fn empty_files(&self) -> Result<Vec<PathBuf>, GitError> {
        let mut found = Vec::new();
        let objects = self.common_dir().join("objects");
        for (folder, name) in entries(&objects)? {
            if name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                found.extend(empty_in(&folder)?);
            }
        }
        let mut folders = vec![self.common_dir().join("refs").join("redraft")];
        while let Some(folder) = folders.pop() {
            found.extend(empty_in(&folder)?);
            folders.extend(entries(&folder)?.into_iter().map(|(path, _)| path).filter(|path| path.is_dir()));
        }
        let ours = self.main_checkout().join(".redraft").join("worktrees");
        for (folder, _) in entries(&self.common_dir().join("worktrees"))? {
            if worktree_of(&folder).is_some_and(|worktree| worktree.starts_with(&ours)) {
                found.extend(Some(folder.join("index")).filter(|index| is_empty(index)));
            }
        }
        Ok(found)
    }

    /// Makes a worktree. Until all of it is on disk, a marker says that it is half made, and [`Repository::unmake`]
    /// removes it; no one has worked in it by then.
    pub(super) fn make_worktree(&self, worktree: &Path, add: Call) -> Result<(), GitError> {
        let marker = self.marker(worktree);
        let folder = marker.parent().unwrap_or(&marker);
        let named = |error: io::Error| GitError::file(&marker, &error);
        fs::create_dir_all(folder).map_err(named)?;
        File::create(&marker).and_then(|file| file.sync_all()).map_err(named)?;
        sync_folder(folder).map_err(named)?;
        add.succeed()?;
        self.sync_to_disk()?;
        // Gone for good: a marker that came back after a power cut would take away what people have done there since.
        fs::remove_file(&marker).and_then(|()| sync_folder(folder)).map_err(named)
    }

    /// Removes what is left of a worktree whose creation was interrupted.
    pub(super) fn unmake(&self, worktree: &Path) -> Result<(), GitError> {
        let marker = self.marker(worktree);
        if !marker.exists() {
            return Ok(());
        }
        remove_folder(worktree)?;
        let own = worktree.file_name().unwrap_or_default().to_string_lossy();
        for (folder, name) in entries(&self.common_dir().join("worktrees"))? {
            // One that does not say is recognised by its name, to which git adds a number where it is taken.
            if worktree_of(&folder).map_or(name.starts_with(&*own), |of| of == worktree) {
                remove_folder(&folder)?;
            }
        }
        fs::remove_file(&marker).map_err(|error| GitError::file(&marker, &error))
    }

    fn marker(&self, worktree: &Path) -> PathBuf {
        self.state_dir().join("making").join(worktree.file_name().unwrap_or_default())
    }
}

/// The worktree that a folder of git's belongs to; none where git does not know either.
fn worktree_of(folder: &Path) -> Option<PathBuf> {
    let link = fs::read(folder.join("gitdir")).ok()?;
    let link = os_path(link.trim_ascii_end());
    link.parent().filter(|parent| parent.is_absolute()).map(Path::to_owned)
}

fn remove_folder(folder: &Path) -> Result<(), GitError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::file(folder, &error)),
        _ => Ok(()),
    }
}

fn empty_in(folder: &Path) -> Result<Vec<PathBuf>, GitError> {
    Ok(entries(folder)?.into_iter().map(|(path, _)| path).filter(|path| is_empty(path)).collect())
}

fn is_empty(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// What is in a folder, with its names; nothing where there is none.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, String)>, GitError> {
    let named = |error: io::Error| GitError::file(folder, &error);
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if super::files::is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(named(error)),
    };
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.map_err(named)?;
        Ok((entry.path(), entry.file_name().to_string_lossy().into_owned()))
    };
    listed.map(entry).collect()
}

#[cfg(test)]
mod tests;
