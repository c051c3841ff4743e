//! What the user has accepted of each repository, in a file of the user's own: `trust.toml` in their folder for state.
//!
//! It never stands in a repository, where the repository's author could have written it. A repository is known by the
//! real path of its git folder, by that folder's identity and by its main checkout, so that a person is asked again
//! about another one at the same path, and about another checkout that borrows the git folder. What is accepted is
//! known by its hash; its lines are kept only to be shown. `state` is about Redraft's own folder in the repository.
//! Start at [`Trust`].

mod state;

pub use redraft_facts::visible::{quoted, quoted_bytes, visible, visible_bytes};

use crate::plain_file;
use redraft_facts::ids::BlobId;
use redraft_facts::text::hash;
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

/// With more repositories than this, those that are gone are forgotten when another one comes.
const REPOSITORIES_MAX: usize = 2000;

/// The file in which the user's acceptances are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trust {
    file: Option<PathBuf>,
}

/// A repository, as acceptances know it.
#[derive(Debug, Clone, Copy)]
pub struct RepositoryPlace<'a> {
    /// The git folder that all its checkouts share.
    pub git: &'a Path,
    /// Its main checkout. Paths of what is accepted begin there.
    pub checkout: &'a Path,
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
pub struct KnownRepository {
    /// Its git folder.
    pub git: String,
    /// Its main checkout, where that is not the folder around the git folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<String>,
    /// Distinguishes that folder from another one at the same path.
    identity: String,
    /// The seal of its state folder, if that was made or accepted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<String>,
    /// Which agents may be paid for what, as `001 claude`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paid: Vec<String>,
    pub accepted: Vec<Accepted>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u16,
    #[serde(default)]
    repositories: Vec<KnownRepository>,
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("there is no folder to store what you accept: neither XDG_STATE_HOME nor HOME is set")]
    NoFolder,
    #[error("{}: {detail}", .file.display())]
    Unreadable { file: PathBuf, detail: String },
    #[error("{} was written by a newer redraft (version {version})", .file.display())]
    Newer { file: PathBuf, version: u16 },
    #[error("{} can be written by others, so it does not prove what you accepted", .0.display())]
    OthersWrite(PathBuf),
    #[error("the key {} cannot be used: {detail}", .file.display())]
    Key { file: PathBuf, detail: String },
    #[error("{} is open to others, so what redraft signs with your key proves nothing", .0.display())]
    KeyOpen(PathBuf),
    #[error("{} cannot be written: {error}", .file.display())]
    Unwritable { file: PathBuf, error: io::Error },
    #[error("{} cannot be written: {error}", .file.display())]
    Seal { file: PathBuf, error: io::Error },
}

impl TrustError {
    /// What to do about it.
    pub fn way_out(&self) -> String {
        match self {
            TrustError::NoFolder => "set HOME, or set XDG_STATE_HOME to a folder of your own".to_owned(),
            TrustError::Unreadable { file, .. } => {
                format!(
                    "correct it or remove it, and accept again: rm {}",
                    crate::shell_word::quoted_path(file)
                )
            }
            TrustError::Newer { .. } => "install the newer redraft".to_owned(),
            TrustError::OthersWrite(file) => {
                format!("look at it, then: chmod 600 {}", crate::shell_word::quoted_path(file))
            }
            TrustError::Key { file, .. } => format!(
                "restore it from a backup; or remove it, and accept each ledger anew (redraft trust --ledger): rm {}",
                crate::shell_word::quoted_path(file)
            ),
            TrustError::KeyOpen(path) => format!(
                "if nobody else has used it: chmod {} {}; otherwise remove the key, and accept each ledger anew \
                    (redraft trust --ledger)",
                if path.is_dir() { "700" } else { "600" },
                crate::shell_word::quoted_path(path)
            ),
            TrustError::Unwritable { .. } => {
                "make that folder writable, or set XDG_STATE_HOME to one that is; nothing was accepted"
                    .to_owned()
            }
            TrustError::Seal { .. } => "make that folder writable; nothing was accepted".to_owned(),
        }
    }
}

impl Trust {
    /// Where the environment puts it: in `XDG_STATE_HOME`, else in `~/.local/state`.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Trust {
        // A relative path would mean another file in every folder.
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
        Trust { file: state.map(|state| state.join("redraft").join("trust.toml")) }
    }

    /// Where it is kept, or would be.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The hashes of what was accepted of a repository.
    pub fn accepted(&self, place: RepositoryPlace<'_>) -> Result<Vec<BlobId>, TrustError> {
        let stored = self.read()?;
        let known = stored.repositories.into_iter().filter(|known| known.is(place));
        Ok(known.flat_map(|known| known.accepted).map(|one| one.hash).collect())
    }

    pub fn has(&self, place: RepositoryPlace<'_>, wanted: &BlobId) -> Result<bool, TrustError> {
        Ok(self.accepted(place)?.contains(wanted))
    }

    /// Records that a person has accepted these.
    pub fn accept(&self, place: RepositoryPlace<'_>, new: Vec<Accepted>) -> Result<(), TrustError> {
        self.change(|stored| {
            let known = stored.known(place);
            known.accepted.retain(|old| !new.iter().any(|one| one.hash == old.hash));
            known.accepted.extend(new);
            let many = known.accepted.len().saturating_sub(ACCEPTED_MAX);
            known.accepted.drain(..many);
        })
    }

    /// Forgets everything known about a git folder, whichever repository was there; returns how many acceptances that
    /// were, including that of the state folder.
    pub fn forget(&self, git: &Path) -> Result<usize, TrustError> {
        let mut gone = 0;
        if self.read()?.repositories.iter().all(|known| known.git != name(git)) {
            return Ok(0);
        }
        self.change(|stored| {
            let here = |known: &&KnownRepository| known.git == name(git);
            let of = |known: &KnownRepository| known.accepted.len() + usize::from(known.has_state());
            gone = stored.repositories.iter().filter(here).map(of).sum();
            stored.repositories.retain(|known| known.git != name(git));
        })?;
        Ok(gone)
    }

    /// Every repository of which something was accepted.
    pub fn all(&self) -> Result<Vec<KnownRepository>, TrustError> {
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
        let _held = self.hold()?;
        let mut stored = self.read()?;
        change(&mut stored);
        self.write(stored)
    }

    /// Until what is returned is dropped, nobody else changes the file.
    pub(crate) fn hold(&self) -> Result<File, TrustError> {
        let file = self.file().ok_or(TrustError::NoFolder)?;
        let failed = |error: io::Error| TrustError::Unwritable { file: file.to_owned(), error };
        let folder = file.parent().unwrap_or(Path::new("/"));
        private_folder(folder).map_err(failed)?;
        let lock = File::options().write(true).create(true).truncate(false).open(folder.join("trust.lock"));
        let lock = lock.map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(lock)
    }

    /// The caller holds it.
    fn write(&self, stored: Stored) -> Result<(), TrustError> {
        let file = self.file().ok_or(TrustError::NoFolder)?;
        let failed = |error: io::Error| TrustError::Unwritable { file: file.to_owned(), error };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let stored = Stored { version: VERSION, ..stored };
        let text = toml::to_string(&stored).map_err(|error| failed(io::Error::other(error)))?;
        // Only the process that holds the lock writes it, so its name can be fixed; what a killed process left is
        // overwritten.
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

impl Stored {
    /// What is known of a repository, to be changed.
    fn known(&mut self, place: RepositoryPlace<'_>) -> &mut KnownRepository {
        let (git, identity) = (name(place.git), identity(place.git));
        // Whatever stood at this path before is another repository.
        self.repositories.retain(|known| known.git != git || known.identity == identity);
        let known = match self.repositories.iter().position(|known| known.is(place)) {
            Some(at) => self.repositories.remove(at),
            None => {
                if self.repositories.len() >= REPOSITORIES_MAX {
                    self.repositories.retain(KnownRepository::is_there);
                }
                let (checkout, seal) = (checkout_of(place), None);
                KnownRepository { git, checkout, identity, seal, paid: Vec::new(), accepted: Vec::new() }
            }
        };
        self.repositories.push(known);
        self.repositories.last_mut().expect("one was put there just now")
    }
}

/// Stands at the beginning of the file, for a person who finds it.
const HEAD: &str = "# What you have accepted of repositories, kept by `redraft trust`. To look at it: redraft trust --list\n";

impl KnownRepository {
    /// Whether this is that repository, as it is there now.
    fn is(&self, place: RepositoryPlace<'_>) -> bool {
        self.git == name(place.git)
            && self.identity == identity(place.git)
            && self.checkout == checkout_of(place)
    }

    /// Whether its state folder was made or accepted here.
    pub fn has_state(&self) -> bool {
        self.seal.is_some()
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

/// The main checkout where its place does not follow from that of the git folder.
fn checkout_of(place: RepositoryPlace<'_>) -> Option<String> {
    let checkout = name(place.checkout);
    let around = Path::new(&name(place.git)).parent().map(|around| around.to_string_lossy().into_owned());
    (around.as_deref() != Some(&checkout)).then_some(checkout)
}

fn name(git: &Path) -> String {
    let real = fs::canonicalize(git).unwrap_or_else(|_| git.to_owned());
    real.to_string_lossy().into_owned()
}

/// A folder that is removed and made again is another one. Numbers of folders are reused, so the time it was made is
/// part of it; where the file system does not record that, the device is.
fn identity(git: &Path) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(found) = fs::metadata(git) else { return String::new() };
    let born = found.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    match born {
        Some(born) => format!("{}-{}", found.ino(), born.as_nanos()),
        None => format!("{}-on-{}", found.ino(), found.dev()),
    }
}

fn others_write(file: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(file)?;
    Ok(found.mode() & 0o022 != 0 || found.uid() != rustix::process::geteuid().as_raw())
}

pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A new file that nobody else can read or write.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests;
