//! What each dispatch under way last did, for other processes to see: `doing/SCOPE.json` in the state folder.
//!
//! The process that drives a feature keeps the file, whoever looks reads it, and nothing depends on it. It is written
//! whole, a few times a second at most, by a thread of its own, so that no agent waits for a disk. It goes away with the
//! run; one that a killed run left behind names dispatches that nobody drives any more, and the next run replaces it.

use redraft_adapters::plain_file::{self, UnreadableFile};
use redraft_facts::harmless;
use redraft_facts::text::one_line;
use redraft_facts::ticket::{Scope, Ticket};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The folder of these files in the state folder.
pub const FOLDER: &str = "doing";

const VERSION: u16 = 1;

/// Often enough for an eye, seldom enough for a disk.
const PAUSE: Duration = Duration::from_millis(250);

/// More than any run has side by side; a file that grew for another reason is not read.
const BYTES_MAX: u64 = 256 * 1024;

/// Wider than most terminals.
const CHARS_MAX: usize = 200;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    v: u16,
    /// The process that wrote it, and alone removes it.
    pid: u32,
    doing: BTreeMap<Ticket, String>,
}

/// What the dispatches of a scope last did, as far as their run has told it. Empty where it cannot be read.
pub fn read(state: &Path, scope: &Scope) -> BTreeMap<Ticket, String> {
    let Some(kept) = kept(&file(state, scope)) else { return BTreeMap::new() };
    kept.doing.into_iter().map(|(ticket, doing)| (ticket, shown(&doing))).collect()
}

fn kept(file: &Path) -> Option<Kept> {
    let bytes = plain_file::read(file, BYTES_MAX).ok()?;
    serde_json::from_slice::<Kept>(&bytes).ok().filter(|kept| kept.v == VERSION)
}

fn file(state: &Path, scope: &Scope) -> PathBuf {
    state.join(FOLDER).join(format!("{scope}.json"))
}

fn shown(doing: &str) -> String {
    harmless::name(&one_line(doing, CHARS_MAX)).into_owned()
}

/// The file, for the process that drives the scope. It goes away when this is dropped.
#[derive(Debug)]
pub struct DoingFile {
    file: PathBuf,
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    told: Mutex<Told>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Told {
    doing: BTreeMap<Ticket, String>,
    is_new: bool,
    is_over: bool,
}

impl DoingFile {
    pub fn new(state: &Path, scope: &Scope) -> DoingFile {
        DoingFile { file: file(state, scope), shared: Arc::default(), writer: Mutex::default() }
    }

    /// An agent does something, said without secrets.
    pub fn tell(&self, ticket: &Ticket, doing: &str) {
        let mut told = self.shared.lock();
        if told.is_over {
            return;
        }
        told.doing.insert(ticket.clone(), shown(doing));
        told.is_new = true;
        drop(told);
        self.shared.changed.notify_all();
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            let (shared, file) = (Arc::clone(&self.shared), self.file.clone());
            // Without it nobody else sees what agents do, and everything else goes on.
            *writer = std::thread::Builder::new().spawn(move || shared.keep(&file)).ok();
        }
    }

    /// A dispatch has ended.
    pub fn forget(&self, ticket: &Ticket) {
        let mut told = self.shared.lock();
        told.is_new |= told.doing.remove(ticket).is_some();
        drop(told);
        self.shared.changed.notify_all();
    }

    /// Nothing is under way any more.
    pub fn close(&self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return };
        // A writer that failed has nothing more to write.
        let _ = writer.join();
        if kept(&self.file).is_some_and(|kept| kept.pid == std::process::id()) {
            // A file that stays names dispatches that have ended, which nobody asks about; a folder that is not empty
            // has files of other runs.
            let _ = fs::remove_file(&self.file);
            let _ = self.file.parent().map(fs::remove_dir);
        }
    }
}

impl Drop for DoingFile {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is new, then waits a while, until it is over.
    fn keep(&self, file: &Path) {
        let mut told = self.lock();
        while !told.is_over {
            if !told.is_new {
                told = self.changed.wait(told).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            told.is_new = false;
            let doing = told.doing.clone();
            drop(told);
            // What cannot be written is not seen; the next time may do.
            let _ = write(file, doing);
            told = self.lock();
            let over = |told: &mut Told| !told.is_over;
            let waited = self.changed.wait_timeout_while(told, PAUSE, over);
            told = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn write(file: &Path, doing: BTreeMap<Ticket, String>) -> std::io::Result<()> {
    let part = file.with_extension("part");
    if let Err(UnreadableFile::NotAFile(_)) = plain_file::check(&part) {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let kept = Kept { v: VERSION, pid: std::process::id(), doing };
    fs::write(&part, serde_json::to_vec(&kept)?)?;
    fs::rename(&part, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(round: u16) -> Ticket {
        format!("031/specify.1/review/spec-reviewer/{round}.1").parse().unwrap()
    }

    fn until(found: impl Fn() -> bool) {
        for _ in 0..2_000 {
            if found() {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
        panic!("it did not happen within ten seconds");
    }

    #[test]
    fn what_was_told_can_be_read_until_it_ends_and_the_file_goes_with_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let scope: Scope = "031".parse().unwrap();
        let (state, read) = (folder.path(), || read(folder.path(), &scope));
        let doing = DoingFile::new(state, &scope);
        assert!(read().is_empty() && !state.join(FOLDER).exists());
        doing.tell(&ticket(1), "Read src/a.rs");
        doing.tell(&ticket(2), "Edit \x1b[2Jsrc/b.rs\nerror: forged");
        until(|| read().len() == 2);
        assert_eq!(read()[&ticket(1)], "Read src/a.rs");
        assert!(!read()[&ticket(2)].contains(['\x1b', '\n']), "{:?}", read());
        doing.forget(&ticket(1));
        until(|| read().len() == 1);
        doing.close();
        doing.tell(&ticket(3), "nothing more");
        assert!(read().is_empty() && !state.join(FOLDER).exists());
    }

    #[test]
    fn the_last_of_many_words_is_kept_and_few_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let scope: Scope = "031".parse().unwrap();
        let doing = DoingFile::new(folder.path(), &scope);
        for n in 0..10_000 {
            doing.tell(&ticket(1), &format!("step {n}"));
        }
        until(|| read(folder.path(), &scope).get(&ticket(1)).is_some_and(|said| said == "step 9999"));
    }

    #[test]
    fn what_another_process_or_version_wrote_is_not_removed_or_believed() {
        let folder = tempfile::tempdir().unwrap();
        let scope: Scope = "031".parse().unwrap();
        let doing = DoingFile::new(folder.path(), &scope);
        doing.tell(&ticket(1), "Read a");
        until(|| !read(folder.path(), &scope).is_empty());
        let other = format!("{{\"v\":1,\"pid\":1,\"doing\":{{\"{}\":\"Read b\"}}}}", ticket(2));
        fs::write(file(folder.path(), &scope), &other).unwrap();
        drop(doing);
        assert_eq!(read(folder.path(), &scope)[&ticket(2)], "Read b");
        fs::write(file(folder.path(), &scope), other.replace("\"v\":1", "\"v\":2")).unwrap();
        assert!(read(folder.path(), &scope).is_empty());
    }
}
