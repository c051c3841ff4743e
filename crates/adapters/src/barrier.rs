//! The point after which everything written so far is on disk.
//!
//! A system keeps written data in memory for half a minute and more. Git syncs little of what it writes, differently
//! between versions and places, and never a folder. So nothing is left to git: before something is stored that names
//! files elsewhere (an event, a ref, a kept answer), a [`Barrier`] brings whole file systems to disk. Why whole ones,
//! and what that costs, is explained in `docs/decisions/0013-the-file-system-is-synced-before-an-event.md`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Brings everything written to the file systems of a few folders to disk, whichever process wrote it.
#[derive(Debug)]
pub struct Barrier {
    folders: Vec<PathBuf>,
    /// One open folder for each file system. They stay open: the system reports a failed write only to those who had
    /// something open at the time.
    open: Mutex<BTreeMap<u64, File>>,
}

impl Barrier {
    /// For the file systems of these folders. A folder that is not there yet is looked for again each time.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Barrier {
        let barrier = Barrier { folders: folders.into_iter().collect(), open: Mutex::default() };
        // What cannot be opened now is reported at the first use.
        let _ = barrier.look(&mut barrier.open.lock().unwrap_or_else(PoisonError::into_inner));
        barrier
    }

    /// Returns when everything written before is on disk. After an error it is unknown what is: the system may have
    /// dropped what it could not write, so a second attempt would prove nothing.
    pub fn hold(&self) -> io::Result<()> {
        // A panic elsewhere leaves a map of open files, which is as good as before.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.look(&mut open)?;
        for folder in open.values() {
            sync_file_system(folder)?;
        }
        Ok(())
    }

    fn look(&self, open: &mut BTreeMap<u64, File>) -> io::Result<()> {
        for folder in &self.folders {
            let device = match fs::metadata(folder) {
                Ok(found) => device(&found),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if let std::collections::btree_map::Entry::Vacant(free) = open.entry(device) {
                free.insert(File::open(folder)?);
            }
        }
        Ok(())
    }
}

/// Brings the names in a folder to disk. A file that was renamed there then has its new name, even after a power cut.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(target_os = "linux")]
fn sync_file_system(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

/// Other systems have no call for one file system. `sync` may return before everything is written; syncing a folder
/// after it makes the drive write what it has received.
#[cfg(all(unix, not(target_os = "linux")))]
fn sync_file_system(folder: &File) -> io::Result<()> {
    rustix::fs::sync();
    folder.sync_all()
}

fn device(found: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    found.dev()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_one_file_system_are_synced_once_and_one_that_comes_later_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let later = folder.path().join("later");
        let barrier = Barrier::new([folder.path().to_owned(), later.clone()]);
        fs::create_dir(&later).unwrap();
        barrier.hold().unwrap();
        assert_eq!(barrier.open.lock().unwrap().len(), 1);
        let barrier = Barrier::new([folder.path().join("never"), later]);
        barrier.hold().unwrap();
        assert_eq!(barrier.open.lock().unwrap().len(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn every_file_system_is_synced() {
        let folder = tempfile::tempdir().unwrap();
        let barrier = Barrier::new([folder.path().to_owned(), PathBuf::from("/proc")]);
        assert_eq!(barrier.open.lock().unwrap().len(), 2);
        barrier.hold().unwrap();
    }
}
