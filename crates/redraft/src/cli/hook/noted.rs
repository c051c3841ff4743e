//! Stores what was said to a session, in one small file below the state folder.
//!
//! Written whole. It is not needed after the session, so only the latest few are kept. A hook that cannot read or write
//! it says nothing: better silent than repeated.

use redraft_facts::text::hash;
use redraft_integrations::hook::memory::Memory;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// More sessions than are open at a time in one repository.
const FILES_MAX: usize = 32;

pub(super) struct Noted {
    pub(super) memory: Memory,
    session: String,
    file: PathBuf,
}

impl Noted {
    /// What was said to this session; none where that cannot be known.
    pub(super) fn open(state: &Path, session: &str) -> Option<Noted> {
        // The id is the host's and may be anything; sessions without one are one session.
        let name = hash(session.as_bytes()).to_string();
        let folder = state.join("hooks");
        // Old files are removed there, and a link may lead to somebody else's files.
        let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if is_link(state) || is_link(&folder) {
            return None;
        }
        let file = folder.join(format!("{}.json", name.get(..32)?));
        let memory = match redraft_adapters::plain_file::read_own_file(&file) {
            Ok(bytes) => Memory::read(&bytes)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Memory::default(),
            Err(_) => return None,
        };
        Some(Noted { memory, session: session.to_owned(), file })
    }

    /// A file that does not exist yet, for what an agent is made to write in place of what it wanted. Not below git's
    /// folder, where Claude Code writes nothing whatever a hook says; and under a name that cannot be guessed.
    pub(super) fn note(&self) -> PathBuf {
        let named = |number: u32| {
            let name = hash(format!("{} {number}", self.session).as_bytes()).to_string();
            std::env::temp_dir().join(format!("redraft-refused-{}.txt", name.get(..32).unwrap_or_default()))
        };
        let number = self.memory.refusals();
        // The one before has served its purpose.
        let _ = fs::remove_file(named(number.saturating_sub(1)));
        named(number)
    }

    /// Stores it; none where that fails.
    pub(super) fn keep(&self) -> Option<()> {
        let folder = self.file.parent()?;
        fs::create_dir_all(folder).ok()?;
        forget_oldest(folder, &self.file)?;
        let mut whole = NamedTempFile::new_in(folder).ok()?;
        whole.write_all(&self.memory.write()).ok()?;
        whole.persist(&self.file).ok()?;
        Some(())
    }
}

/// Makes room for one more file, and leaves this one.
fn forget_oldest(folder: &Path, own: &Path) -> Option<()> {
    let modified = |path: &PathBuf| {
        fs::metadata(path).and_then(|about| about.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|file| file != own).collect();
    files.sort_by_cached_key(modified);
    let too_many = (files.len() + 1).saturating_sub(FILES_MAX);
    for file in files.iter().take(too_many) {
        // Another hook may have been faster.
        let _ = fs::remove_file(file);
    }
    Some(())
}
