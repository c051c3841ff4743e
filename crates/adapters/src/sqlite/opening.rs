//! Opens the ledger's file.
//!
//! A writer uses SQLite's write-ahead log. A reader must leave no trace, and an ordinary reader of such a file creates
//! two more files next to it. So while no log holds anything, a reader opens the file *frozen*: without locks, as if it
//! could not change, and checks after each question whether it did. If so, it opens the file again and asks once more.
//! With a log in use, it opens the file *shared*, through the log that is there.

use super::failure::{Failure, Place};
use super::layout::{self, Found};
use super::{BUSY, Ledger, OpenMode, rows, settle};
use crate::plain_file::{self, UnreadableFile};
use redraft_engine::ports::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};
use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};
use uuid::Uuid;

/// How often a frozen file may change under a question before we take part in locking after all.
const FROZEN_TRIES: u32 = 4;

/// How often the log may be switched on by others at the very moment we do.
const SWITCH_TRIES: u32 = 100;

/// Bytes that every file of SQLite begins with.
const HEADER: u64 = 100;

#[derive(Debug)]
pub(super) struct Link {
    pub(super) connection: Connection,
    path: PathBuf,
    busy: Duration,
    how: How,
    /// Which files a writer has open, to notice when their names stand for other files or for none.
    opened: Option<Opened>,
}

#[derive(Debug)]
struct Opened {
    file: Identity,
    /// Known from the first change on.
    log: Cell<Option<Identity>>,
    /// Its last known length. SQLite makes it shorter only where it rewrites the file.
    len: Cell<u64>,
    writable: bool,
}

#[derive(Debug)]
enum How {
    Write,
    Shared,
    Frozen(Stamp),
}

/// Stays the same as long as nobody wrote: changes reach the log first, and the file before the log goes away. Two
/// writers that both come and go within one tick of the file system's clock would be missed; each of them syncs the
/// disk several times, which takes longer.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    log_len: u64,
}

impl Link {
    pub(super) fn write(path: &Path, busy: Duration) -> Result<Link, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(busy)?;
        // Otherwise a statement is prepared again whenever it is given other values.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // SQLite opens a file it may not write for reading, and would say so only at the first append.
        if connection.is_readonly(MAIN_DB)? {
            return Err(Place::new(path).read_only("the file is write-protected").into());
        }
        let opened = Identity::read(path).ok().map(|file| Opened {
            file,
            log: Cell::default(),
            len: Cell::new(length(path)),
            writable: writable(path),
        });
        Ok(Link { connection, path: path.to_owned(), busy, how: How::Write, opened })
    }

    pub(super) fn read(path: &Path, busy: Duration) -> Result<Link, Failure> {
        match Stamp::read(path) {
            Some(stamp) if stamp.log_len == 0 => Link::frozen(path, busy, stamp),
            Some(_) | None => Link::shared(path, busy),
        }
    }

    fn frozen(path: &Path, busy: Duration, stamp: Stamp) -> Result<Link, Failure> {
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(frozen_uri(path), flags)?;
        Ok(Link { connection, path: path.to_owned(), busy, how: How::Frozen(stamp), opened: None })
    }

    fn shared(path: &Path, busy: Duration) -> Result<Link, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(busy)?;
        Ok(Link { connection, path: path.to_owned(), busy, how: How::Shared, opened: None })
    }

    /// Asks until the answer belongs to one state of the file, however many statements the question has. The
    /// question may be asked several times.
    pub(super) fn ask<T>(
        &mut self,
        mut question: impl FnMut(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        for _ in 0..FROZEN_TRIES {
            let answer = self.at_one_moment(&mut question);
            match &self.how {
                How::Frozen(stamp) if Stamp::read(&self.path).as_ref() != Some(stamp) => {
                    *self = Link::read(&self.path, self.busy)?;
                }
                How::Frozen(_) | How::Write => return answer,
                How::Shared => return answer.map_err(|failure| self.unreadable_log(failure)),
            }
        }
        *self = Link::shared(&self.path, self.busy)?;
        self.at_one_moment(&mut question).map_err(|failure| self.unreadable_log(failure))
    }

    /// Fails if what this writer has open is no longer what its name stands for: anything stored then is lost. Checked
    /// inside a change, when the log exists.
    pub(super) fn still_there(&self, place: &Place) -> Result<(), Failure> {
        let Some(opened) = &self.opened else { return Ok(()) };
        let gone = |detail: String| Err(Failure::from(place.gone(detail)));
        match Identity::read(&self.path) {
            Ok(found) if found == opened.file => {}
            Ok(_) => return gone("another file has taken its place".to_owned()),
            Err(error) => return gone(format!("it was removed ({error})")),
        }
        // Asked by name: opening and closing the file would give up the locks that SQLite has on it.
        let len = length(&self.path);
        if len < opened.len.get() {
            return gone(format!("it was cut short, to {len} bytes"));
        }
        opened.len.set(len);
        let log = beside(&self.path, "-wal");
        match (Identity::read(&log), opened.log.get()) {
            (Ok(found), None) => opened.log.set(Some(found)),
            (Ok(found), Some(known)) if found == known => {}
            (Ok(_), Some(_)) => {
                return gone(format!("another file has taken the place of {}", log.display()));
            }
            (Err(_), _) => return gone(format!("its log {} was removed", log.display())),
        }
        if opened.writable && !writable(&self.path) {
            return Err(place.read_only("it was made read-only meanwhile").into());
        }
        Ok(())
    }

    /// Accepts any length of the file again, because it was rewritten.
    pub(super) fn written_anew(&self) {
        if let Some(opened) = &self.opened {
            opened.len.set(0);
        }
    }

    fn at_one_moment<T>(
        &self,
        question: &mut impl FnMut(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let moment = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)?;
        question(&moment)
    }

    /// Opening the file without its log would show an older state as if it were the present one.
    fn unreadable_log(&self, failure: Failure) -> Failure {
        match &failure {
            Failure::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
                let log = beside(&self.path, "-wal");
                let log = log.display();
                let detail =
                    format!("the last changes are in {log}, which can only be read in a writable folder");
                Place::new(&self.path).other(detail).into()
            }
            _ => failure,
        }
    }
}

impl Stamp {
    fn read(path: &Path) -> Option<Stamp> {
        let log_len = fs::metadata(beside(path, "-wal")).map_or(0, |log| log.len());
        let file = fs::metadata(path).ok()?;
        Some(Stamp { len: file.len(), modified: file.modified().ok(), log_len })
    }
}

/// Which file a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    fn read(path: &Path) -> std::io::Result<Identity> {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).map(|found| Identity(found.dev(), found.ino()))
    }
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// Whether the permissions let anybody write the file and its folder. What a privileged user may do regardless does not
/// count.
fn writable(path: &Path) -> bool {
    let may = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.permissions().readonly());
    may(path) && path.parent().is_none_or(may)
}

/// Makes sure there is a file to read.
pub(super) fn present(place: &Place, path: &Path) -> Result<(), StoreError> {
    plain(place, path)?;
    match fs::metadata(path) {
        Ok(_) => whole(place, path),
        Err(error) => Err(place.of_io("reading it", &error)),
    }
}

/// Refuses what is no file, before SQLite opens it and waits forever.
fn plain(place: &Place, path: &Path) -> Result<(), StoreError> {
    if let Err(not @ UnreadableFile::NotAFile(_)) = plain_file::check(path) {
        return Err(place.other(format!("{not}; move it away")));
    }
    for ending in ["-wal", "-shm", "-journal"] {
        let beside = beside(path, ending);
        if let Err(not @ UnreadableFile::NotAFile(_)) = plain_file::check(&beside) {
            return Err(place.other(format!("beside it is {}: {not}; move it away", beside.display())));
        }
    }
    Ok(())
}

/// Makes sure a file can be written: its folder exists, and what is there is no leftover.
pub(super) fn prepare(place: &Place, folder: &Path, path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|error| place.of_io("creating its folder", &error))?;
    plain(place, path)?;
    whole(place, path)
}

/// Switches the write-ahead log on, with every commit on disk before it counts.
pub(super) fn use_log(connection: &Connection) -> Result<(), Failure> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let switch = || connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
    let mut mode = switch();
    // Two processes that create the file together get in each other's way here, and SQLite does not wait by
    // itself. It does wait for an exclusive transaction, after which the other one is through.
    for _ in 0..SWITCH_TRIES {
        match &mode {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
                mode = switch();
            }
            Ok(_) | Err(_) => break,
        }
    }
    if mode? == "wal" {
        return Ok(());
    }
    let place = Place::new(Path::new(connection.path().unwrap_or_default()));
    Err(place.other("this file system has no shared memory for a write-ahead log; use a local disk").into())
}

/// Refuses leftovers that SQLite would take for a file without content: it throws the log of an empty file
/// away, and with it everything that was ever stored.
fn whole(place: &Place, path: &Path) -> Result<(), StoreError> {
    match Stamp::read(path) {
        Some(Stamp { len: 0, log_len: 1.., .. }) => {
            let log = beside(path, "-wal");
            let log = log.display();
            Err(place
                .damaged(format!("the file is empty while its log {log} is not; restore it from a copy")))
        }
        Some(Stamp { len: len @ 1..HEADER, .. }) => {
            Err(place.damaged(format!("only {len} bytes are left; restore it from a copy")))
        }
        Some(_) | None => Ok(()),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// The path as a URI, with every byte escaped that could end it or be taken for an escape.
fn frozen_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b':' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    uri
}

impl Ledger {
    /// Opens it for reading if anything was ever stored in it. A creation that was cut short leaves a file without
    /// tables, which the next change fills.
    pub fn open_begun(folder: &Path) -> Result<Option<Ledger>, StoreError> {
        let path = Ledger::file(folder);
        let place = Place::new(&path);
        match Ledger::look(&place, &path, BUSY)? {
            (_, Found::Nothing) => Ok(None),
            (link, found) => Ledger::new(place, link, OpenMode::ReadOnly, &found).map(Some),
        }
    }

    pub(super) fn open_waiting(folder: &Path, mode: OpenMode, busy: Duration) -> Result<Ledger, StoreError> {
        let path = Ledger::file(folder);
        let place = Place::new(&path);
        match mode {
            OpenMode::ReadOnly => Ledger::for_reading(place, &path, mode, busy),
            OpenMode::Write => {
                prepare(&place, folder, &path)?;
                let link = Link::write(&path, busy).map_err(|error| place.explain(error))?;
                match settle(&link.connection) {
                    Ok(Found::Ours { layout }) if layout > layout::VERSION => {
                        drop(link);
                        Ledger::for_reading(place, &path, mode, busy)
                    }
                    Ok(found) => Ledger::new(place, link, mode, &found),
                    Err(failure) => Err(place.explain(failure)),
                }
            }
        }
    }

    fn for_reading(place: Place, path: &Path, mode: OpenMode, busy: Duration) -> Result<Ledger, StoreError> {
        let (link, found) = Ledger::look(&place, path, busy)?;
        Ledger::new(place, link, mode, &found)
    }

    fn look(place: &Place, path: &Path, busy: Duration) -> Result<(Link, Found), StoreError> {
        present(place, path)?;
        let mut link = Link::read(path, busy).map_err(|error| place.explain(error))?;
        let found = link.ask(|connection| Ok(layout::inspect(connection)?));
        Ok((link, found.map_err(|failure| place.explain(failure))?))
    }

    fn new(place: Place, mut link: Link, mode: OpenMode, found: &Found) -> Result<Ledger, StoreError> {
        let layout = match found {
            Found::Ours { layout } => *layout,
            Found::Nothing => {
                return Err(
                    place.other("nothing was ever stored in it; `redraft new` begins the first feature")
                );
            }
            Found::Foreign => {
                return Err(place.damaged("it is an SQLite file, but not a ledger of this redraft"));
            }
        };
        let meta = |link: &mut Link, key| {
            link.ask(|connection| Ok(rows::meta(connection, key)?)).map_err(|failure| place.explain(failure))
        };
        let newer = if layout > layout::VERSION {
            let needed = meta(&mut link, layout::PROGRAM).ok().flatten();
            Some(layout::needs(layout, needed.as_deref()))
        } else {
            None
        };
        let namespace = match meta(&mut link, layout::NAMESPACE) {
            Ok(text) => text.and_then(|text| Uuid::parse_str(&text).ok()),
            Err(_) if newer.is_some() => None,
            Err(error) => return Err(error),
        };
        match (namespace, newer) {
            (Some(namespace), newer) => {
                let (link, reached, rescued) = (Mutex::new(link), Mutex::default(), Mutex::default());
                let (barrier, vouching) = (None, None);
                Ok(Ledger { place, link, mode, namespace, newer, reached, barrier, vouching, rescued })
            }
            (None, Some(newer)) => Err(place.newer(newer)),
            (None, None) => Err(place.damaged("the namespace of its session names is missing")),
        }
    }
}
