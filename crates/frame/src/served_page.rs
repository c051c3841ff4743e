//! Says on which port a page of this repository is served, so that a notice can lead there.
//!
//! The file holds no secret: without its cookie the page answers nobody. It counts only while the process that serves
//! holds its lock, which the kernel releases however the process ends. Start at [`ServedPage::announce`].

use redraft_adapters::plain_file::{self, UnreadableFile};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

const NAME: &str = "page";
const VERSION: u16 = 1;
/// More than the file ever has.
const BYTES_MAX: u64 = 1_024;

/// As long as it lives, others are told of the page.
#[derive(Debug)]
pub struct ServedPage(File);

#[derive(Serialize, Deserialize)]
struct Stored {
    v: u16,
    port: u16,
}

impl ServedPage {
    /// Tells others of a page. None where another process serves one already, or the state folder takes no file: then a
    /// notice only lacks a link.
    pub fn announce(state: &Path, port: u16) -> Option<ServedPage> {
        let path = state.join(NAME);
        if let Err(UnreadableFile::NotAFile(_)) = plain_file::check(&path) {
            return None;
        }
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).ok()?;
        file.try_lock().ok()?;
        let text = serde_json::to_string(&Stored { v: VERSION, port }).ok()?;
        file.set_len(0).and_then(|()| file.write_all_at(text.as_bytes(), 0)).ok()?;
        Some(ServedPage(file))
    }

    /// The port of a page that is served now.
    pub fn port(state: &Path) -> Option<u16> {
        let path = state.join(NAME);
        plain_file::check(&path).ok()?;
        let file = File::open(path).ok()?;
        // An empty file is not tried, so that looking never gets in the way of who is about to sign it.
        file.metadata().ok().filter(|about| about.len() > 0)?;
        if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text).ok()?;
        let stored: Stored = serde_json::from_str(&text).ok()?;
        (stored.v == VERSION).then_some(stored.port)
    }
}

impl Drop for ServedPage {
    fn drop(&mut self) {
        // Closing the file releases the lock in any case.
        let _ = self.0.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_as_long_as_it_is_served() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ServedPage::port(folder.path()), None);
        let first = ServedPage::announce(folder.path(), 8123).unwrap();
        assert_eq!(ServedPage::port(folder.path()), Some(8123));
        assert!(ServedPage::announce(folder.path(), 8124).is_none(), "the first one stays");
        drop(first);
        assert_eq!(ServedPage::port(folder.path()), None);
        let second = ServedPage::announce(folder.path(), 80).unwrap();
        assert_eq!(ServedPage::port(folder.path()), Some(80), "nothing of the longer one is left");
        // A killed process leaves the file as it is, and another version may mean anything.
        std::fs::write(folder.path().join(NAME), r#"{"v":2,"port":80}"#).unwrap();
        assert_eq!(ServedPage::port(folder.path()), None);
        drop(second);
        let other = tempfile::tempdir().unwrap();
        std::fs::write(other.path().join(NAME), r#"{"v":1,"port":80}"#).unwrap();
        assert_eq!(ServedPage::port(other.path()), None, "nobody holds it");
        assert!(ServedPage::announce(&other.path().join("nowhere"), 80).is_none());
    }
}
