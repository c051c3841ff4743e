//! Says whether anything that a view shows may have changed since it last asked: what was stored, who drives, what
//! agents last did.
//!
//! A view asks many times a second, so the answer costs a few questions to the file system and nothing else: no
//! connection to the ledger is kept open, which would keep the last writer from putting its log away, no lock is taken,
//! nothing is created. Where it says "changed", the view reads again what it shows. Start at [`Following::changed`].

use redraft_adapters::lock::Holder;
use redraft_adapters::sqlite::Ledger;
use redraft_frame::doing;
use redraft_reports::projections::BoardRow;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// How often a view asks: half of it is what an event waits on average.
pub const ASK_EVERY_MS: u64 = 50;

/// What a view has seen of a repository's state folder.
#[derive(Debug)]
pub struct Following {
    state: PathBuf,
    seen: Option<Marks>,
    /// Whether the last answer was "changed". File times come in ticks of some milliseconds, and two changes within one
    /// tick may look the same; so what has just changed counts as changed once more.
    again: bool,
}

impl Following {
    /// `state` is the state folder, which need not exist yet.
    pub fn new(state: &Path) -> Following {
        Following { state: state.to_owned(), seen: None, again: false }
    }

    /// Whether anything may have changed since it was last asked. The first time it has: nothing was shown yet.
    pub fn changed(&mut self) -> bool {
        let found = Marks::read(&self.state);
        let is_new = self.seen.as_ref() != Some(&found);
        self.seen = Some(found);
        std::mem::replace(&mut self.again, is_new) || is_new
    }
}

/// The next moment at which what is shown changes although nothing happens: a usage limit ends, or what a host has
/// expires.
pub fn due_ms<'a>(rows: impl IntoIterator<Item = &'a BoardRow>, now_ms: i64) -> Option<i64> {
    let moments = rows.into_iter().flat_map(|row| {
        let hosts = row.out.iter().map(|work| work.expires_ms);
        row.parked_until_ms.into_iter().chain(hosts)
    });
    moments.filter(|moment| *moment > now_ms).min()
}

#[derive(Debug, PartialEq, Eq)]
struct Marks {
    /// The ledger, and the log that holds its last changes.
    ledger: Option<Mark>,
    log: Option<Mark>,
    /// The head of the log's index. A change is written to the log first, and others see it only when the index says
    /// so, which may be long after on a slow disk.
    index: Vec<u8>,
    /// Files are put into this folder whole, which changes the folder itself.
    doing: Option<Mark>,
    /// What `redraft clean` leaves a note of.
    cleaned: Option<Mark>,
    locks: Vec<LockMark>,
}

/// Changes whenever a file is written, replaced or removed.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    file: u64,
    len: u64,
    at: (i64, i64),
}

#[derive(Debug, PartialEq, Eq)]
struct LockMark {
    name: String,
    mark: Mark,
    /// Whether the process that signed it runs: a killed one leaves the file as it is.
    at_work: bool,
}

impl Marks {
    fn read(state: &Path) -> Marks {
        let ledger = Ledger::file(state);
        let beside = |end: &str| {
            let mut name = ledger.clone().into_os_string();
            name.push(end);
            PathBuf::from(name)
        };
        Marks {
            ledger: Mark::read(&ledger),
            log: Mark::read(&beside("-wal")),
            index: head(&beside("-shm")),
            doing: Mark::read(&state.join(doing::FOLDER)),
            cleaned: Mark::read(&state.join("cleaned")),
            locks: locks(state),
        }
    }
}

impl Mark {
    fn read(path: &Path) -> Option<Mark> {
        fs::metadata(path).ok().map(|found| Mark::new(&found))
    }

    fn new(found: &Metadata) -> Mark {
        Mark { file: found.ino(), len: found.len(), at: (found.mtime(), found.mtime_nsec()) }
    }
}

/// The first bytes of a file, or none. SQLite keeps what counts in two copies of 48 bytes.
fn head(path: &Path) -> Vec<u8> {
    const BYTES: u64 = 96;
    let mut found = Vec::new();
    // What cannot be read is not there.
    let _ = File::open(path).and_then(|file| file.take(BYTES).read_to_end(&mut found));
    found
}

fn locks(state: &Path) -> Vec<LockMark> {
    let Ok(files) = fs::read_dir(state.join("locks")) else { return Vec::new() };
    let mark = |file: fs::DirEntry| {
        let (name, found) = (file.file_name().into_string().ok()?, file.metadata().ok()?);
        // Who lets go of a lock empties its file.
        let at_work = found.len() > 0 && Holder::at_work(state, &name).is_some();
        Some(LockMark { name, mark: Mark::new(&found), at_work })
    };
    let mut locks: Vec<LockMark> = files.flatten().filter_map(mark).collect();
    locks.sort_by(|one, other| one.name.cmp(&other.name));
    locks
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_adapters::lock::Lock;
    use redraft_adapters::sqlite::OpenMode;
    use redraft_frame::doing::DoingFile;
    use std::time::Duration;

    /// Asks until nothing changes any more: a change counts twice.
    fn settle(following: &mut Following) {
        for _ in 0..10 {
            if !following.changed() {
                return;
            }
        }
        panic!("it changes all the time");
    }

    fn holder() -> Holder {
        Holder {
            pid: std::process::id(),
            user: "ann".into(),
            since_ms: 0,
            command: "redraft run".into(),
            asks: false,
        }
    }

    #[test]
    fn every_change_is_noticed_and_looking_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let mut following = Following::new(&state);
        assert!(following.changed(), "nothing was shown yet");
        settle(&mut following);
        assert!(!state.exists());

        let ledger = Ledger::open(&state, OpenMode::Write).unwrap();
        assert!(following.changed(), "a ledger that did not exist");
        settle(&mut following);
        // The second and third only reach the log.
        for _ in 0..3 {
            ledger.replace_board(&[]).unwrap();
            assert!(following.changed() && following.changed(), "a change counts twice");
            settle(&mut following);
        }
        drop(ledger);
        settle(&mut following);

        let copy = folder.path().join("copy.db");
        fs::copy(Ledger::file(&state), &copy).unwrap();
        fs::rename(&copy, Ledger::file(&state)).unwrap();
        assert!(following.changed(), "another file has taken its place");
        settle(&mut following);

        let lock = Lock::take(&state, "031", &holder()).unwrap();
        assert!(following.changed(), "somebody drives");
        settle(&mut following);
        drop(lock);
        assert!(following.changed(), "nobody drives any more");
        settle(&mut following);

        let scope = "031".parse().unwrap();
        let doing = DoingFile::new(&state, &scope);
        doing.tell(&"031/specify.1/review/spec-reviewer/1.1".parse().unwrap(), "Read a");
        let seen = (0..2_000).any(|_| {
            std::thread::park_timeout(Duration::from_millis(5));
            following.changed()
        });
        assert!(seen, "an agent does something");
        drop(doing);
        assert!(following.changed(), "the run has ended");
        settle(&mut following);
        let found: Vec<_> = fs::read_dir(&state).unwrap().flatten().map(|file| file.file_name()).collect();
        assert!(found.iter().all(|name| name == "ledger.db" || name == "locks"), "{found:?}");
    }

    #[test]
    fn what_is_written_to_the_log_is_noticed_once_more_when_others_can_see_it() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("ledger.db-shm");
        let write = |byte: u8| {
            // SQLite writes through memory, which need not change the file's time.
            let file = File::options().write(true).create(true).truncate(false).open(&index).unwrap();
            std::os::unix::fs::FileExt::write_all_at(&file, &[byte; 96], 0).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        };
        write(1);
        fs::write(folder.path().join("ledger.db-wal"), "a change").unwrap();
        let mut following = Following::new(folder.path());
        settle(&mut following);
        // The disk has taken its time; only now does the change count.
        write(2);
        assert!(following.changed());
        settle(&mut following);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a process that can be killed")]
    fn a_driver_that_was_killed_is_noticed_although_it_changed_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let holder = Holder { pid: child.id(), ..holder() };
        fs::create_dir(folder.path().join("locks")).unwrap();
        fs::write(folder.path().join("locks/031"), serde_json::to_string(&holder).unwrap()).unwrap();
        let mut following = Following::new(folder.path());
        settle(&mut following);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(following.changed());
        settle(&mut following);
    }
}
