//! The ledger in memory.
//!
//! Events are kept in their stored form and decoded each time they are read, so that nothing survives here that a file
//! would lose.

use super::{Crash, locked};
use redraft_engine::ports::{Append, Store, StoreError};
use redraft_facts::event::{Amended, DecodeError, Entry, Event, Redacted};
use redraft_facts::ids::BlobId;
use redraft_facts::redact::Redactor;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The name of this ledger in errors.
const PATH: &str = "memory/ledger.db";

/// A version of an event that no program has yet.
const LATER: u16 = 999;

/// One process's view of a ledger. [`MemoryStore::again`] gives another process's view.
#[derive(Debug, Default)]
pub struct MemoryStore {
    rows: Arc<Mutex<Rows>>,
    crash: Arc<Crash>,
    /// Appends that still succeed, and what the next one meets.
    /// Appends that still succeed, those that fail then, and how.
    fault: Mutex<Option<(u64, u64, StoreFault)>>,
    /// How far this process has checked that the events are in order.
    reached: Mutex<Option<u64>>,
}

#[derive(Debug, Default)]
struct Rows {
    events: Vec<Row>,
    blobs: BTreeMap<BlobId, Vec<u8>>,
    /// None when it was dropped.
    board: Option<BTreeMap<Scope, (u64, String)>>,
    /// Events whose bodies were replaced, and the event that says so.
    amended: Vec<(u64, u64)>,
    /// How far any process has checked that the events are in order.
    checkpoint: u64,
    gone: bool,
}

#[derive(Debug, Clone)]
struct Row {
    seq: u64,
    scope: Scope,
    at_ms: i64,
    kind: String,
    version: u16,
    body: String,
}

/// What can go wrong with an append; one for each [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    Moved,
    Damaged,
    Newer,
    Full,
    Disk,
    ReadOnly,
    Gone,
    Busy,
    Other,
}

impl StoreFault {
    pub const ALL: [StoreFault; 9] = [
        StoreFault::Moved,
        StoreFault::Damaged,
        StoreFault::Newer,
        StoreFault::Full,
        StoreFault::Disk,
        StoreFault::ReadOnly,
        StoreFault::Gone,
        StoreFault::Busy,
        StoreFault::Other,
    ];

    fn error(self, scope: Scope, decided_on: u64) -> StoreError {
        let (path, detail) = (PATH.to_owned(), "the scenario says so".to_owned());
        match self {
            StoreFault::Moved => StoreError::Moved { scope, decided_on, found: decided_on + 1 },
            StoreFault::Damaged => StoreError::Damaged { path, detail },
            StoreFault::Newer => StoreError::Newer { path, detail },
            StoreFault::Full => StoreError::Full { path, detail },
            StoreFault::Disk => StoreError::Disk { path, detail },
            StoreFault::ReadOnly => StoreError::ReadOnly { path, detail },
            StoreFault::Gone => gone(),
            StoreFault::Busy => StoreError::Busy { path, detail },
            StoreFault::Other => StoreError::Other { path, detail },
        }
    }
}

impl MemoryStore {
    pub fn new(crash: Arc<Crash>) -> Self {
        let rows = Rows { board: Some(BTreeMap::new()), ..Rows::default() };
        Self { rows: Arc::new(Mutex::new(rows)), crash, ..Self::default() }
    }

    /// The same ledger, opened by another process.
    pub fn again(&self) -> MemoryStore {
        MemoryStore { rows: Arc::clone(&self.rows), crash: Arc::clone(&self.crash), ..Self::default() }
    }

    /// Lets this many appends succeed and every later one meet this fault, until it is mended.
    pub fn fail_after(&self, appends: u64, fault: StoreFault) {
        *locked(&self.fault) = Some((appends, u64::MAX, fault));
    }

    /// The same for one append only.
    pub fn fail_once_after(&self, appends: u64, fault: StoreFault) {
        *locked(&self.fault) = Some((appends, 1, fault));
    }

    pub fn mend(&self) {
        *locked(&self.fault) = None;
    }

    /// Somebody removes the ledger under the run.
    pub fn remove(&self) {
        locked(&self.rows).gone = true;
    }

    /// Makes an event one that a later program has written.
    pub fn make_newer(&self, seq: u64) {
        for row in locked(&self.rows).events.iter_mut().filter(|row| row.seq == seq) {
            row.version = LATER;
        }
    }

    pub fn last_seq(&self, scope: &Scope) -> u64 {
        locked(&self.rows).last_of(scope)
    }

    pub fn scopes(&self) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = Vec::new();
        for row in &locked(&self.rows).events {
            if !scopes.contains(&row.scope) {
                scopes.push(row.scope.clone());
            }
        }
        scopes
    }

    /// The row of each scope, as of the event it was computed at; none where there is no board.
    pub fn board(&self) -> Option<Vec<(Scope, u64, String)>> {
        let rows = locked(&self.rows);
        let board = rows.board.as_ref()?;
        Some(board.iter().map(|(scope, (seq, row))| (scope.clone(), *seq, row.clone())).collect())
    }

    /// Checks the events since the last checkpoint; returns how many these are.
    pub fn check(&self) -> Result<u64, StoreError> {
        let rows = locked(&self.rows);
        let mut looked_at = 0;
        for row in rows.events.iter().filter(|row| row.seq > rows.checkpoint) {
            match decoded(row) {
                // A later program's event is in order as far as this program can know.
                Ok(_) | Err(StoreError::Newer { .. }) => looked_at += 1,
                Err(error) => return Err(error),
            }
        }
        *locked(&self.reached) = Some(rows.last());
        Ok(looked_at)
    }

    /// Replaces bodies that held a secret, and stores that this was done. The board is dropped with it.
    pub fn redact(&self, decided_on: u64, bodies: &[(u64, String)]) -> Result<u64, StoreError> {
        self.crash.alive();
        let mut rows = locked(&self.rows);
        let found = rows.last();
        if found != decided_on {
            return Err(StoreError::Moved { scope: Scope::Repo, decided_on, found });
        }
        let amended =
            bodies.iter().map(|(seq, body)| Amended { seq: *seq, hash: hash(body.as_bytes()).to_string() });
        let (by, why, events) = ("tester".to_owned(), "a secret".to_owned(), amended.collect());
        let event = Event::from(Redacted { by, why, events, blobs: 0, files: 0, objects: 0, refs: 0 });
        let said = rows.put(&Scope::Repo, 0, &event).seq;
        for (seq, body) in bodies {
            if let Some(row) = rows.events.iter_mut().find(|row| row.seq == *seq) {
                row.body.clone_from(body);
            }
            rows.amended.push((*seq, said));
        }
        rows.board = None;
        drop(rows);
        self.crash.changed("a redaction is stored");
        Ok(said)
    }

    /// The events whose bodies a redaction has replaced, each with the number of the event that says so.
    pub fn amended(&self) -> Vec<(u64, u64)> {
        locked(&self.rows).amended.clone()
    }

    fn refusal(&self, append: &Append<'_>) -> Option<StoreError> {
        let mut fault = locked(&self.fault);
        match &mut *fault {
            None | Some((0, 0, _)) => None,
            Some((0, fails, fault)) => {
                *fails -= 1;
                Some(fault.error(append.scope.clone(), append.decided_on))
            }
            Some((left, ..)) => {
                *left -= 1;
                None
            }
        }
    }
}

impl Store for MemoryStore {
    fn read(&self, scope: Scope) -> Result<Vec<Entry>, StoreError> {
        let rows = locked(&self.rows);
        rows.events.iter().filter(|row| row.scope == scope).map(decoded).collect()
    }

    fn each_of(&self, kinds: &[&str], f: &mut dyn FnMut(&Scope, &Entry)) -> Result<(), StoreError> {
        let rows = locked(&self.rows).events.clone();
        for row in rows.iter().filter(|row| kinds.contains(&row.kind.as_str())) {
            match decoded(row) {
                Ok(entry) => f(&row.scope, &entry),
                Err(StoreError::Newer { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn append(&self, append: Append<'_>) -> Result<Vec<Entry>, StoreError> {
        self.crash.alive();
        if let Some(error) = self.refusal(&append) {
            return Err(error);
        }
        let Append { scope, decided_on, at_ms, events, blobs, board, elsewhere } = append;
        let mut rows = locked(&self.rows);
        if rows.gone {
            return Err(gone());
        }
        let found = rows.last_of(&scope);
        if found != decided_on {
            return Err(StoreError::Moved { scope, decided_on, found });
        }
        for bytes in blobs {
            rows.blobs.entry(hash(bytes)).or_insert_with(|| bytes.clone());
        }
        let mut entries = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let at_ms = elsewhere.and_then(|from| from.at_ms.get(at).copied()).unwrap_or(at_ms);
            let mut event = event.clone();
            event.redact(&Redactor::default());
            entries.push(rows.put(&scope, at_ms, &event));
        }
        let seq = entries.last().map_or(found, |entry| entry.seq);
        // A board that was dropped stays so: with this row alone it would look complete.
        if let (Some(row), Some(board)) = (board, &mut rows.board) {
            board.insert(scope, (seq, row.to_owned()));
        }
        if let Some(reached) = locked(&self.reached).take() {
            rows.checkpoint = reached;
        }
        drop(rows);
        let kinds: Vec<&str> = entries.iter().map(|entry| entry.event.kind()).collect();
        self.crash.changed(&format!("stored {}", kinds.join(", ")));
        Ok(entries)
    }

    fn blob(&self, id: &BlobId) -> Result<Vec<u8>, StoreError> {
        let found = locked(&self.rows).blobs.get(id).cloned();
        found.ok_or_else(|| damaged(format!("it has no blob {id}")))
    }

    fn session_name(&self, words: &str) -> String {
        let id = hash(format!("namespace of {PATH}: {words}").as_bytes()).to_string();
        let part = |from: usize, to: usize| id.get(from..to).unwrap_or_default();
        [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
    }
}

impl Rows {
    fn last(&self) -> u64 {
        self.events.last().map_or(0, |row| row.seq)
    }

    fn last_of(&self, scope: &Scope) -> u64 {
        self.events.iter().rev().find(|row| row.scope == *scope).map_or(0, |row| row.seq)
    }

    fn put(&mut self, scope: &Scope, at_ms: i64, event: &Event) -> Entry {
        let seq = self.last() + 1;
        let (kind, version, body) = (event.kind().to_owned(), event.version(), event.encode());
        self.events.push(Row { seq, scope: scope.clone(), at_ms, kind, version, body });
        Entry { seq, at_ms, event: event.clone() }
    }
}

fn decoded(row: &Row) -> Result<Entry, StoreError> {
    let read = Event::decode(&row.kind, row.version, &row.body);
    let event = read.map_err(|error| {
        let detail = format!("event {}: {error}", row.seq);
        match error {
            DecodeError::Newer { .. } | DecodeError::UnknownKind { .. } => {
                StoreError::Newer { path: PATH.to_owned(), detail }
            }
            DecodeError::Malformed { .. } => damaged(detail),
        }
    })?;
    Ok(Entry { seq: row.seq, at_ms: row.at_ms, event })
}

fn damaged(detail: String) -> StoreError {
    StoreError::Damaged { path: PATH.to_owned(), detail }
}

fn gone() -> StoreError {
    let (path, detail) = (PATH.to_owned(), "it was removed".to_owned());
    StoreError::Gone { path, detail, rescued: Some("memory/ledger-rescued.db".to_owned()) }
}
