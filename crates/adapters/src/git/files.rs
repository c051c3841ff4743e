//! Reads, replaces and removes single files of a worktree without leaving it.
//!
//! Agents may put links where files were. Writing follows none; reading follows one only to a place inside the
//! worktree. Git's own folder is out of reach.

use super::error::DiskTrouble;
use redraft_engine::ports::WorkspaceError;
use redraft_facts::text::is_git_folder;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The files of one worktree.
#[derive(Debug)]
pub(super) struct Files {
    /// Without links, so that what a link leads to can be compared with it.
    root: PathBuf,
    scratch: PathBuf,
}

/// What stands at a path; links are not followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Absent,
    File { executable: bool },
    Link { target: PathBuf },
}

impl Files {
    /// `scratch` is where a file is written before it takes its place: outside the worktree, so that a process that
    /// is killed leaves nothing behind in it.
    pub(super) fn new(root: PathBuf, scratch: PathBuf) -> Files {
        Files { root, scratch }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let full = self.root.join(checked(path)?);
        let real = match fs::canonicalize(&full) {
            Ok(real) => real,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(failed(path, &error)),
        };
        let inside = real.strip_prefix(&self.root).ok();
        if inside.is_none_or(|inside| {
            inside.components().any(|part| is_git_folder(&part.as_os_str().to_string_lossy()))
        }) {
            return Err(refused(path, "leads out of the worktree"));
        }
        match fs::metadata(&real) {
            // Checked before opening: reading a named pipe would never end.
            Ok(found) if found.is_file() => fs::read(&real).map(Some).map_err(|error| failed(path, &error)),
            Ok(found) if found.is_dir() => Err(refused(path, "is a folder, not a file")),
            Ok(_) => Err(refused(path, "is not an ordinary file")),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(failed(path, &error)),
        }
    }

    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let full = self.root.join(checked(path)?);
        self.make_folders(path)?;
        let old = match look(&full).map_err(|error| failed(path, &error))? {
            Some(old) if !old.is_file() => {
                return Err(refused(path, "is not an ordinary file and is not replaced"));
            }
            old => old,
        };
        let written = match self.replace_from_scratch(&full, bytes, old.as_ref()) {
            // The worktree is on another disk than git's folder; then the temporary file must be next to its target.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                replace(&temporary_in(full.parent().unwrap_or(&self.root)), &full, bytes, old.as_ref())
            }
            written => written,
        };
        written.map_err(|error| failed(path, &error))
    }

    /// Removes a file; does nothing where there is none.
    pub(super) fn remove(&self, path: &str) -> Result<(), WorkspaceError> {
        let full = self.root.join(checked(path)?);
        self.refuse_linked_folder(path)?;
        match fs::remove_file(full) {
            Err(error) if !is_absent(&error) => Err(failed(path, &error)),
            _ => Ok(()),
        }
    }

    fn replace_from_scratch(&self, full: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
        match replace(&temporary_in(&self.scratch), full, bytes, old) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(&self.scratch)?;
                replace(&temporary_in(&self.scratch), full, bytes, old)
            }
            written => written,
        }
    }

    /// What stands at a path that no link leads to.
    pub(super) fn kind(&self, path: &str) -> Result<Kind, WorkspaceError> {
        let full = self.root.join(checked(path)?);
        self.refuse_linked_folder(path)?;
        let Some(found) = look(&full).map_err(|error| failed(path, &error))? else { return Ok(Kind::Absent) };
        if found.is_file() {
            Ok(Kind::File { executable: is_executable(&found) })
        } else if found.is_symlink() {
            fs::read_link(&full).map(|target| Kind::Link { target }).map_err(|error| failed(path, &error))
        } else if found.is_dir() {
            Err(refused(path, "is a folder; name the files in it"))
        } else {
            Err(refused(path, "is not an ordinary file"))
        }
    }

    fn refuse_linked_folder(&self, path: &str) -> Result<(), WorkspaceError> {
        match self.link_on_the_way(Path::new(path)) {
            Some(link) => Err(refused(path, &format!("goes through the link {}", link.display()))),
            None => Ok(()),
        }
    }

    /// The first folder of a path that is a link instead.
    pub(super) fn link_on_the_way(&self, path: &Path) -> Option<PathBuf> {
        let mut folders: Vec<&Path> =
            path.ancestors().skip(1).filter(|part| !part.as_os_str().is_empty()).collect();
        folders.reverse();
        let linked = folders
            .into_iter()
            .find(|folder| self.root.join(folder).symlink_metadata().is_ok_and(|found| found.is_symlink()));
        linked.map(Path::to_owned)
    }

    fn make_folders(&self, path: &str) -> Result<(), WorkspaceError> {
        self.refuse_linked_folder(path)?;
        let Some(folder) = Path::new(path).parent() else { return Ok(()) };
        let folder = self.root.join(folder);
        if folder.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(folder).map_err(|error| failed(path, &error))
    }
}

/// A path as git wrote it.
pub(super) fn os_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A path as git wants it.
pub(super) fn path_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

/// Only plain names below the root: a `..`, an absolute path or git's own folder is refused.
pub(super) fn checked(path: &str) -> Result<&str, WorkspaceError> {
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !is_git_folder(part) && !part.contains('\0');
    if path.split('/').all(plain) && Path::new(path).is_relative() {
        Ok(path)
    } else {
        Err(refused(path, "is not a path inside the worktree"))
    }
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

pub(super) fn failed(path: &str, error: &io::Error) -> WorkspaceError {
    match DiskTrouble::from_error(error) {
        Some(trouble) => trouble.told_of(format!("{path}: {error}")),
        None => refused(path, &error.to_string()),
    }
}

fn refused(path: &str, detail: &str) -> WorkspaceError {
    WorkspaceError::File { path: path.to_owned(), detail: detail.to_owned() }
}

fn look(path: &Path) -> io::Result<Option<Metadata>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a folder stands there, and no link to one.
pub(super) fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Whether a folder above a path is a link.
pub(super) fn leads_elsewhere(root: &Path, path: &Path) -> bool {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.into_iter().any(|folder| root.join(folder).is_symlink())
}

/// The bytes of a file that is to be copied; none where there is no such file. A link that leads out of the main
/// checkout is not followed.
pub(super) fn copied(main: &Path, name: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
    // A larger one is there only by mistake.
    const COPY_BYTES_MAX: u64 = 64 * 1024 * 1024;
    let Ok(real) = fs::canonicalize(main.join(name)) else { return Ok(None) };
    let inside = fs::canonicalize(main).is_ok_and(|main| real.starts_with(main));
    let fits = fs::metadata(&real).is_ok_and(|found| found.is_file() && found.len() <= COPY_BYTES_MAX);
    match inside && fits {
        true => fs::read(&real).map(Some).map_err(|error| failed(name, &error)),
        false => Ok(None),
    }
}

/// A name in a folder that no other thread or living process is using.
pub(super) fn temporary_in(folder: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(".redraft-{}-{count}.tmp", std::process::id()))
}

/// Puts a new file in the place of another in one step, or leaves everything as it was.
fn replace(temp: &Path, full: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let written = fill(temp, bytes, old).and_then(|()| fs::rename(temp, full));
    if written.is_err() {
        // The first error is reported; that the temporary file may stay behind too is no reason to hide it.
        let _ = fs::remove_file(temp);
    }
    written
}

/// Writes a new file that has the rights of the one it will replace.
fn fill(temp: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let mut file = fs::File::create(temp)?;
    file.write_all(bytes)?;
    match old {
        Some(old) => file.set_permissions(old.permissions()),
        None => Ok(()),
    }
}

pub(super) fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o100 != 0
}

#[cfg(test)]
mod tests;
