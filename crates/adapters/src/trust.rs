//! What the user has accepted of each repository, in a file of their own: `trust.toml` in their folder for state.
//!
//! It never stands in a repository, where whoever made the repository could have written it. A repository is known by
//! the real path of its git folder and by that folder's identity, so that another one at the same path is asked about
//! anew. What is accepted is known by its hash; its lines are kept only to be shown. Start at [`Trust`].

mod visible;

pub use visible::{quoted, quoted_bytes, visible, visible_bytes};

use crate::plain_file;
use redraft_core::ids::BlobId;
use redraft_core::text::hash;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The version of the file's form.
const VERSION: u16 = 1;

/// Thousands of repositories fit; a larger file is a mistake.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How many acceptances of one repository are kept. A checkout and the bases of its reviews may differ for a while;
/// what was accepted long before that is asked about again.
const ACCEPTED_MAX: usize = 50;

/// The file in which the user's acceptances are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trust {
    file: Option<PathBuf>,
}

/// One thing that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    pub hash: BlobId,
    /// When, for people.
    pub at: String,
    pub by: String,
    /// What it was, a line each, for people.
    pub items: Vec<String>,
}

/// A repository of which something was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Its git folder.
    pub git: String,
    /// What tells that folder from another one at the same path.
    identity: String,
    pub accepted: Vec<Accepted>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u16,
    #[serde(default)]
    repositories: Vec<Known>,
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("there is no folder to keep in what you accept: neither XDG_STATE_HOME nor HOME is set")]
    NoFolder,
    #[error("{}: {detail}", .file.display())]
    Unreadable { file: PathBuf, detail: String },
    #[error("{} was written by a newer redraft (version {version})", .file.display())]
    Newer { file: PathBuf, version: u16 },
    #[error("{} can be written by others than you, so it says nothing about what you accepted", .0.display())]
    OthersWrite(PathBuf),
    #[error("{} cannot be written: {error}", .file.display())]
    Unwritable { file: PathBuf, error: io::Error },
}

impl TrustError {
    /// What to do about it.
    pub fn way_out(&self) -> String {
        match self {
            TrustError::NoFolder => "set HOME, or set XDG_STATE_HOME to a folder of your own".to_owned(),
            TrustError::Unreadable { file, .. } => {
                format!("mend it or remove it, and accept again: rm {}", crate::shell_word::quoted_path(file))
            }
            TrustError::Newer { .. } => "install the newer redraft".to_owned(),
            TrustError::OthersWrite(file) => {
                format!("look at it, then: chmod 600 {}", crate::shell_word::quoted_path(file))
            }
            TrustError::Unwritable { .. } => {
                "make that folder writable, or set XDG_STATE_HOME to one that is; nothing was accepted"
                    .to_owned()
            }
        }
    }
}

impl Trust {
    /// Where the environment says that it is: in `XDG_STATE_HOME`, else in `~/.local/state`.
    pub fn of(variable: impl Fn(&str) -> Option<OsString>) -> Trust {
        // A relative path would mean another file in every folder.
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
        Trust { file: state.map(|state| state.join("redraft").join("trust.toml")) }
    }

    /// Where it is kept, or would be.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The hashes of what was accepted of the repository with this git folder.
    pub fn accepted(&self, git: &Path) -> Result<Vec<BlobId>, TrustError> {
        let stored = self.read()?;
        let known = stored.repositories.into_iter().filter(|known| known.is(git));
        Ok(known.flat_map(|known| known.accepted).map(|one| one.hash).collect())
    }

    pub fn has(&self, git: &Path, wanted: &BlobId) -> Result<bool, TrustError> {
        Ok(self.accepted(git)?.contains(wanted))
    }

    /// Keeps that a person has accepted these.
    pub fn accept(&self, git: &Path, new: Vec<Accepted>) -> Result<(), TrustError> {
        self.change(|stored| {
            // Whatever stood at this path before is another repository.
            stored.repositories.retain(|known| known.git != name(git) || known.is(git));
            let found = stored.repositories.iter_mut().position(|known| known.is(git));
            let at = found.unwrap_or_else(|| {
                let (git, identity) = (name(git), identity(git));
                stored.repositories.push(Known { git, identity, accepted: Vec::new() });
                stored.repositories.len() - 1
            });
            let Some(known) = stored.repositories.get_mut(at) else { return };
            known.accepted.retain(|old| !new.iter().any(|one| one.hash == old.hash));
            known.accepted.extend(new);
            let many = known.accepted.len().saturating_sub(ACCEPTED_MAX);
            known.accepted.drain(..many);
        })
    }

    /// Forgets all that was accepted of a git folder, whichever repository was there; how much that was.
    pub fn forget(&self, git: &Path) -> Result<usize, TrustError> {
        let mut gone = 0;
        if self.read()?.repositories.iter().all(|known| known.git != name(git)) {
            return Ok(0);
        }
        self.change(|stored| {
            let here = |known: &&Known| known.git == name(git);
            gone = stored.repositories.iter().filter(here).map(|known| known.accepted.len()).sum();
            stored.repositories.retain(|known| known.git != name(git));
        })?;
        Ok(gone)
    }

    /// Every repository of which something was accepted.
    pub fn all(&self) -> Result<Vec<Known>, TrustError> {
        Ok(self.read()?.repositories)
    }

    fn read(&self) -> Result<Stored, TrustError> {
        let Some(file) = self.file() else { return Ok(Stored::default()) };
        let wrong = |detail: String| TrustError::Unreadable { file: file.to_owned(), detail };
        let text = match plain_file::read_text(file, BYTES_MAX) {
            Err(error) if error.is_absent(file) => return Ok(Stored::default()),
            text => text.map_err(|error| wrong(error.to_string()))?,
        };
        if others_write(file).map_err(|error| wrong(error.to_string()))? {
            return Err(TrustError::OthersWrite(file.to_owned()));
        }
        /// The part of the form that every version has.
        #[derive(Deserialize)]
        struct Versioned {
            version: u16,
        }
        let said = |error: toml::de::Error| wrong(error.message().replace('\n', ", "));
        let Versioned { version } = toml::from_str(&text).map_err(said)?;
        if version > VERSION {
            return Err(TrustError::Newer { file: file.to_owned(), version });
        }
        toml::from_str(&text).map_err(said)
    }

    /// Reads, changes and writes it whole, one process at a time.
    fn change(&self, change: impl FnOnce(&mut Stored)) -> Result<(), TrustError> {
        let file = self.file().ok_or(TrustError::NoFolder)?;
        let failed = |error: io::Error| TrustError::Unwritable { file: file.to_owned(), error };
        let folder = file.parent().unwrap_or(Path::new("/"));
        private_folder(folder).map_err(failed)?;
        let lock = File::options().write(true).create(true).truncate(false).open(folder.join("trust.lock"));
        let lock = lock.map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut stored = Stored { version: VERSION, ..self.read()? };
        change(&mut stored);
        let text = toml::to_string(&stored).map_err(|error| failed(io::Error::other(error)))?;
        // Only who holds the lock writes it, so its name can be fixed; what a killed process left is written over.
        let part = folder.join("trust.part");
        let _ = fs::remove_file(&part);
        let mut written = private_file(&part).map_err(failed)?;
        written.write_all(HEAD.as_bytes()).map_err(failed)?;
        written.write_all(text.as_bytes()).map_err(failed)?;
        written.sync_all().map_err(failed)?;
        fs::rename(&part, file).map_err(failed)?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

/// Stands at the beginning of the file, for whoever finds it.
const HEAD: &str = "# What you have accepted of repositories, kept by `redraft trust`. To look at it: redraft trust --list\n";

impl Known {
    /// Whether this is the repository with this git folder, as it is there now.
    fn is(&self, git: &Path) -> bool {
        self.git == name(git) && self.identity == identity(git)
    }

    /// Whether that repository is still there.
    pub fn is_there(&self) -> bool {
        let git = Path::new(&self.git);
        git.exists() && self.identity == identity(git)
    }
}

/// What is accepted when a person accepts these lines, in this order. `what` keeps things of different kinds apart.
pub fn hash_of<T: AsRef<[u8]>>(what: &str, lines: impl IntoIterator<Item = (T, T)>) -> BlobId {
    let mut bytes = Vec::new();
    let mut add = |part: &[u8]| {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    };
    add(what.as_bytes());
    for (key, value) in lines {
        add(key.as_ref());
        add(value.as_ref());
    }
    hash(&bytes)
}

fn name(git: &Path) -> String {
    let real = fs::canonicalize(git).unwrap_or_else(|_| git.to_owned());
    real.to_string_lossy().into_owned()
}

/// A folder that is removed and made again is another one. Numbers of folders are given out again, so the time of its
/// making belongs to it; where the file system does not tell that, the device does.
#[cfg(unix)]
fn identity(git: &Path) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(found) = fs::metadata(git) else { return String::new() };
    let born = found.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    match born {
        Some(born) => format!("{}-{}", found.ino(), born.as_nanos()),
        None => format!("{}-on-{}", found.ino(), found.dev()),
    }
}

#[cfg(not(unix))]
fn identity(git: &Path) -> String {
    let born = fs::metadata(git).and_then(|found| found.created()).ok();
    let born = born.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    born.map(|born| born.as_nanos().to_string()).unwrap_or_default()
}

#[cfg(unix)]
fn others_write(file: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(file)?;
    Ok(found.mode() & 0o022 != 0 || found.uid() != rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn others_write(_file: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A new file that nobody else can read or write.
#[cfg(unix)]
fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests;
