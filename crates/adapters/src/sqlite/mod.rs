//! The ledger as one SQLite file.
//!
//! Stores events, the blobs they name and the board, and gives them back unchanged; what an event means is not known
//! here. Start at [`Ledger::open`]: `opening` opens the file, `rows` has the statements, `store` is the engine's port.

mod amend;
mod body_check;
mod chain;
mod checkpoint;
mod columns;
mod dump;
mod entry_key;
mod failure;
mod layout;
mod opening;
mod rescue;
mod rows;
mod store;
#[cfg(test)]
mod tests;
mod verify;
mod vouching;

use crate::barrier::Barrier;
use crate::signing::Signer;
pub use amend::Redaction;
pub use chain::Tip;
use checkpoint::Checkpoint;
pub use dump::{Export, LostRecord, Resumed};
use entry_key::EntryKey;
use failure::{Failure, Place};
use layout::Found;
use opening::Link;
use redraft_engine::ports::StoreError;
use redraft_facts::event::Entry;
use redraft_facts::ids::{BlobId, FeatureUuid};
use redraft_facts::ticket::Scope;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use uuid::Uuid;
use verify::Depth;
pub use verify::VerifiedCounts;
use vouching::Vouching;
pub use vouching::{Doubt, SignedBy, Stretch};

/// The ledger's name in its folder.
pub const FILE: &str = "ledger.db";

/// How long a statement waits for another process that is writing.
const BUSY: Duration = Duration::from_secs(5);

/// What a new feature or review is called in every clone.
pub fn new_feature_uuid() -> FeatureUuid {
    FeatureUuid::new(Uuid::new_v4().to_string())
}

/// What the ledger is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// The file must exist; neither it nor its folder is changed.
    ReadOnly,
    /// Folder and file are created when missing.
    Write,
}

#[derive(Debug)]
pub struct Ledger {
    place: Place,
    link: Mutex<Link>,
    mode: OpenMode,
    namespace: Uuid,
    /// Why this program must not write here: the layout is a later one.
    newer: Option<String>,
    /// How far this process has found the file in order; stored with its next change, which costs nothing extra.
    reached: Mutex<Option<Checkpoint>>,
    /// Held before an event is stored that rests on files.
    barrier: Option<Arc<Barrier>>,
    /// Signs what is stored, and makes sure of what was. Without it nothing is signed and nobody asks who wrote it.
    vouching: Option<Vouching>,
    /// Where the content was written when the file was found to be gone.
    rescued: Mutex<Option<String>>,
}

impl Ledger {
    /// Opens the ledger of a folder. A file of a newer layout opens too, but only for reading: every change of it is
    /// refused with the program that is needed.
    pub fn open(folder: &Path, mode: OpenMode) -> Result<Ledger, StoreError> {
        Ledger::open_waiting(folder, mode, BUSY)
    }

    /// Opens it for reading by a caller that would rather not know than wait.
    pub fn open_without_waiting(folder: &Path) -> Result<Ledger, StoreError> {
        Ledger::open_waiting(folder, OpenMode::ReadOnly, Duration::ZERO)
    }

    /// Makes every event wait until what it rests on is on disk.
    #[must_use]
    pub fn behind(mut self, barrier: Arc<Barrier>) -> Ledger {
        self.barrier = Some(barrier);
        self
    }

    /// Signs every event with this key from here on, and adds to no ledger that it does not vouch for.
    #[must_use]
    pub fn signed_by(mut self, signer: Arc<Signer>) -> Ledger {
        self.vouching = Some(Vouching::new(EntryKey { signer, ledger: self.namespace }));
        self
    }

    /// Where the ledger of a folder is, whether or not it exists.
    pub fn file(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// The number and checksum of the last event; 0 in an empty ledger.
    pub fn tip(&self) -> Result<Tip, StoreError> {
        self.ask(|connection| rows::tip(&self.place, connection))
    }

    /// The number of the scope's last event; 0 for none.
    pub fn last_seq(&self, scope: Scope) -> Result<u64, StoreError> {
        self.ask(|connection| rows::last_seq(&self.place, connection, &scope))
    }

    /// Every scope that has events.
    pub fn scopes(&self) -> Result<Vec<Scope>, StoreError> {
        self.ask(|connection| rows::scopes(&self.place, connection))
    }

    /// The row of each scope as of the event it was computed at. Reads no events. Empty when the table is missing,
    /// which [`Ledger::has_board`] reports.
    pub fn board(&self) -> Result<Vec<(Scope, u64, String)>, StoreError> {
        self.ask(|connection| rows::board(&self.place, connection))
    }

    /// Whether the board is there. Without it the caller folds the events and calls [`Ledger::replace_board`].
    pub fn has_board(&self) -> Result<bool, StoreError> {
        self.ask(|connection| Ok(layout::has_board(connection)?))
    }

    /// Puts a newly folded board in place of the old one, creating the table when missing. Each row names the
    /// last event of its scope that it was folded from; refused when a scope has moved on since, and when one has
    /// come that is neither among them nor on the old board: a row that is missing would look like no feature.
    pub fn replace_board(&self, rows: &[(Scope, u64, String)]) -> Result<(), StoreError> {
        self.change(|connection| {
            let newer = self.rows_besides(connection, rows)?;
            layout::drop_board(connection)?;
            layout::create_board(connection)?;
            for (scope, seq, row) in rows.iter().chain(&newer) {
                let found = rows::last_seq(&self.place, connection, scope)?;
                if found != *seq {
                    return Err(StoreError::Moved { scope: scope.clone(), decided_on: *seq, found }.into());
                }
                rows::put_board(&self.place, connection, scope, *seq, row)?;
            }
            Ok(())
        })
    }

    /// The old board's rows of features that are not among these rows: they began while the rows were folded.
    fn rows_besides(
        &self,
        connection: &Connection,
        rows: &[(Scope, u64, String)],
    ) -> Result<Vec<(Scope, u64, String)>, Failure> {
        let mut besides = Vec::new();
        for scope in rows::scopes(&self.place, connection)? {
            let folded = rows.iter().any(|(of, ..)| *of == scope);
            if folded || !matches!(scope, Scope::Feature(_)) {
                continue;
            }
            let found = rows::last_seq(&self.place, connection, &scope)?;
            // An old board that cannot be read has nothing to keep.
            let old = rows::board(&self.place, connection).unwrap_or_default();
            match old.into_iter().find(|(of, seq, _)| *of == scope && *seq == found) {
                Some(row) => besides.push(row),
                None => return Err(StoreError::Moved { scope, decided_on: 0, found }.into()),
            }
        }
        Ok(besides)
    }

    /// Hands over every event of every scope in order, a few at a time.
    pub fn all(&self, f: &mut dyn FnMut(Scope, Entry)) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let page = self.ask(|connection| rows::page(&self.place, connection, after))?;
            let Some((_, last)) = page.last() else { return Ok(()) };
            after = last.seq;
            for (scope, entry) in page {
                f(scope, entry);
            }
        }
    }

    /// Checks the whole file: numbers without gaps, the chain of checksums, the form of every event, every blob against
    /// its id, and SQLite's own structures. Needs no more memory for a longer ledger. Names the first event that is
    /// wrong.
    pub fn verify(&self) -> Result<Tip, StoreError> {
        let look = |connection: &Connection| verify::verify_all(&self.place, connection, Depth::Forms);
        self.ask(look).map(|found| self.remember(found).tip)
    }

    /// The events whose bodies a redaction has replaced, each with the number of the event that says so.
    pub fn amended(&self) -> Result<Vec<(u64, u64)>, StoreError> {
        self.ask(|connection| amend::all(&self.place, connection))
    }

    /// Puts other bodies and blobs in the place of those that held a secret, and stores that this was done. Returns the
    /// number of that event. The board is dropped with it; the caller folds it again.
    pub fn redact(&self, redaction: &Redaction<'_>) -> Result<u64, StoreError> {
        // What is replaced is overwritten, not only forgotten.
        self.ask(|connection| Ok(connection.pragma_update(None, "secure_delete", true)?))?;
        let tip = self.change(|connection| {
            let vouching = self.vouching.as_ref();
            vouching.map_or(Ok(()), |vouching| vouching.require(&self.place, connection))?;
            amend::store(&self.place, connection, vouching.map(|vouching| &vouching.key), redaction)
        })?;
        self.note_end(tip);
        Ok(tip.seq)
    }

    /// Rewrites the whole file, so that no page of it or of its log holds what was replaced.
    pub fn scrub(&self) -> Result<(), StoreError> {
        let link = self.link();
        let run = || -> Result<bool, Failure> {
            link.connection.pragma_update(None, "secure_delete", true)?;
            link.connection.execute_batch("VACUUM")?;
            link.written_anew();
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            Ok(link.connection.query_row(sql, [], |row| row.get::<_, i64>(0))? == 0)
        };
        match run() {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.place.busy("another process reads its log")),
            Err(failure) => Err(self.explain(failure)),
        }
    }

    /// Hands over every body as it is stored: number, scope, kind, version and JSON.
    pub fn each_body(&self, f: &mut dyn FnMut(u64, &str, &str, u16, String)) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let page = self.ask(|connection| rows::bodies(&self.place, connection, after))?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            for rows::Body { seq, scope, kind, version, body } in page {
                f(seq, &scope, &kind, version, body);
            }
        }
    }

    /// The names of all blobs.
    pub fn blob_ids(&self) -> Result<Vec<BlobId>, StoreError> {
        self.ask(rows::blob_ids)
    }

    /// The same for what was added since the last check, for a command that is about to write. Without a stored
    /// checkpoint, or with one that does not fit, it looks at the whole file.
    pub fn check(&self) -> Result<VerifiedCounts, StoreError> {
        let look = |connection: &Connection| {
            let found = verify::verify_since_checkpoint(&self.place, connection)?;
            if let Some(vouching) = &self.vouching {
                vouching.require(&self.place, connection)?;
                vouching.remember_after(&self.place, connection, found.0.tip.seq - found.0.events)?;
            }
            Ok(found)
        };
        self.ask(look).map(|found| self.remember(found))
    }

    /// Whose signature each event has, from the first to the last.
    pub fn stretches(&self) -> Result<Vec<Stretch>, StoreError> {
        self.ask(|connection| vouching::stretches(&self.place, connection))
    }

    /// Why nothing is added to it before a person has looked; none where there is nothing to look at, or without a key.
    pub fn doubt(&self) -> Result<Option<Doubt>, StoreError> {
        let Some(vouching) = &self.vouching else { return Ok(None) };
        self.ask(|connection| vouching.doubt(&self.place, connection))
    }

    /// Stores that a person goes on from the ledger as it is. Returns what stood in the way, if anything did.
    pub fn begin_stretch(&self, by: &str, at_ms: i64) -> Result<Option<Doubt>, StoreError> {
        let Some(vouching) = &self.vouching else { return Ok(None) };
        let begun = self.change(|connection| vouching.begin(&self.place, connection, by, at_ms))?;
        Ok(begun.map(|(doubt, tip)| {
            self.note_end(tip);
            doubt
        }))
    }

    fn note_end(&self, tip: Tip) {
        if let Some(vouching) = &self.vouching {
            vouching.stored(tip);
        }
    }

    fn remember(&self, (checked, reached): (VerifiedCounts, Checkpoint)) -> VerifiedCounts {
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(reached);
        checked
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        // A panic elsewhere leaves no half-done statement behind: transactions roll back when dropped.
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T>(&self, question: impl FnMut(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        self.link().ask(question).map_err(|failure| self.explain(failure))
    }

    /// Runs a change in one transaction that begins by locking out other writers.
    fn change<T>(&self, change: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        if let Some(newer) = &self.newer {
            return Err(self.place.newer(newer.clone()));
        }
        if self.mode == OpenMode::ReadOnly {
            return Err(self.place.read_only("it was opened for reading only"));
        }
        let link = self.link();
        let done = self.commit(&link, change).map_err(|failure| self.explain(failure));
        match done {
            Err(StoreError::Gone { path, detail, .. }) => {
                let mut rescued = self.rescued.lock().unwrap_or_else(PoisonError::into_inner);
                if rescued.is_none() {
                    *rescued = rescue::write(&link.connection, Path::new(&path));
                }
                Err(StoreError::Gone { path, detail, rescued: rescued.clone() })
            }
            done => done,
        }
    }

    fn commit<T>(
        &self,
        link: &Link,
        change: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let connection = &link.connection;
        // Dropped without a commit it is rolled back.
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let done = change(&transaction)?;
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reached) = &*reached {
            checkpoint::keep(&self.place, &transaction, reached)?;
        }
        link.still_there(&self.place)?;
        transaction.commit()?;
        *reached = None;
        // If the file was removed in the very moment of the commit, what was just stored is gone, too.
        link.still_there(&self.place)?;
        Ok(done)
    }

    fn explain(&self, failure: Failure) -> StoreError {
        let error = self.place.explain(failure);
        match (&error, &self.newer) {
            // In a layout we do not know, tables that look wrong to us are the likely case, not damage.
            (StoreError::Damaged { .. } | StoreError::Other { .. }, Some(newer)) => {
                self.place.newer(format!("{newer} ({error})"))
            }
            _ => error,
        }
    }
}

/// Looks at a file opened for writing: creates the tables if it has none.
fn settle(connection: &Connection) -> Result<Found, Failure> {
    match layout::inspect(connection)? {
        Found::Nothing => {
            opening::use_log(connection)?;
            layout::create(connection)?;
        }
        Found::Ours { layout } if layout <= layout::VERSION => opening::use_log(connection)?,
        found @ (Found::Ours { .. } | Found::Foreign) => return Ok(found),
    }
    Ok(layout::inspect(connection)?)
}
