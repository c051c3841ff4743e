//! Refuses links in git's folder and in Redraft's state, which an archive can bring: a write through one ends up
//! elsewhere.
//!
//! Git follows links below its own folder (refs, logs, objects, the index, `info/exclude`), and so would we. A clone
//! never has any, so links that lead out of the repository are refused by name before anything is written. Alternates
//! are a file, not a link, and are only read from. Start at [`Repository::refuse_links_out`].

use super::error::GitError;
use super::locate::real_path;
use super::repository::Repository;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

/// What people do link to, and neither our calls of git nor we ourselves write to: hooks are off in every call, the
/// rest belongs to Git LFS, git-annex and submodules.
const OF_OTHERS: [&str; 4] = ["annex", "hooks", "lfs", "modules"];

/// Folders that are searched to their ends. In the rest of git's folder only its direct entries are looked at, and the
/// folders right below `objects`: files there are never written a second time.
const WHOLE: [&str; 5] = ["info", "logs", "refs", "reftable", "worktrees"];

/// Folders of the state that hold files of a checkout or of an agent at work, which may be links. They are created,
/// read and removed as links.
const OF_CHECKOUTS: [&str; 3] = ["damaged", "lost", "moving/files"];

/// The same for what is in the folder of each agent that is probed, and of each checkout for checks, where anything in
/// the way is removed before something is written.
const OF_EACH: [&str; 2] = ["checkouts", "probes"];

impl Repository {
    /// Refuses a link below git's folder that leads out of the repository, and every link in the state folder.
    pub fn refuse_links_out(&self) -> Result<(), GitError> {
        let common = self.common_dir();
        for (path, kind) in entries(common)? {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if path == self.state_dir() || OF_OTHERS.contains(&name) {
                continue;
            }
            self.refuse_way_out(&path, kind)?;
            if kind.is_dir() && WHOLE.contains(&name) {
                self.refuse_ways_out(path)?;
            } else if kind.is_dir() && name == "objects" {
                for (path, kind) in entries(&path)? {
                    self.refuse_way_out(&path, kind)?;
                }
            }
        }
        self.refuse_links_in_state()
    }

    fn refuse_ways_out(&self, folder: PathBuf) -> Result<(), GitError> {
        let mut left = vec![folder];
        while let Some(folder) = left.pop() {
            for (path, kind) in entries(&folder)? {
                self.refuse_way_out(&path, kind)?;
                left.extend(kind.is_dir().then_some(path));
            }
        }
        Ok(())
    }

    fn refuse_way_out(&self, path: &Path, kind: FileType) -> Result<(), GitError> {
        if !kind.is_symlink() {
            return Ok(());
        }
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let inside = [real(self.common_dir()), real(self.main_checkout())];
        match real_path(path) {
            Some(target) if inside.iter().any(|folder| target.starts_with(folder)) => Ok(()),
            target => Err(GitError::LinkOut { link: path.to_owned(), target: target.unwrap_or_default() }),
        }
    }

    fn refuse_links_in_state(&self) -> Result<(), GitError> {
        let state = self.state_dir();
        let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if is_link(&state) {
            return Err(GitError::LinkInState(state));
        }
        let mut left = vec![state.clone()];
        while let Some(folder) = left.pop() {
            for (path, kind) in entries(&folder)? {
                if kind.is_symlink() {
                    return Err(GitError::LinkInState(path));
                }
                left.extend((kind.is_dir() && !is_of_checkouts(&state, &path)).then_some(path));
            }
        }
        Ok(())
    }
}

/// Whether a folder of the state holds files of a checkout.
fn is_of_checkouts(state: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(state) else { return false };
    let of_each = below.parent().is_some_and(|above| OF_EACH.iter().any(|name| above == Path::new(name)));
    of_each || OF_CHECKOUTS.iter().any(|name| below == Path::new(name))
}

/// The entries of a folder, links not followed; nothing where it is not there, or has gone meanwhile.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, FileType)>, GitError> {
    let named = |error: std::io::Error| GitError::file(folder, &error);
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if super::files::is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(named(error)),
    };
    let mut found = Vec::new();
    for entry in listed {
        let entry = entry.map_err(named)?;
        match entry.file_type() {
            Ok(kind) => found.push((entry.path(), kind)),
            Err(error) if super::files::is_absent(&error) => {}
            Err(error) => return Err(named(error)),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
