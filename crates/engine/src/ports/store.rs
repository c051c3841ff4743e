//! The ledger, as the engine sees it.

use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::BlobId;
use redraft_facts::ticket::Scope;

pub trait Store: Send + Sync {
    /// All events of a scope in order.
    fn read(&self, scope: Scope) -> Result<Vec<Entry>, StoreError>;

    /// Every event of these kinds, of all scopes, in order. One that only a newer program can read is passed over.
    fn each_of(&self, kinds: &[&str], f: &mut dyn FnMut(&Scope, &Entry)) -> Result<(), StoreError>;

    /// Stores events in one transaction, with the blobs they name and the scope's board row, or nothing at all.
    /// Refused when the scope has moved on from `append.decided_on`. Returns them with their numbers.
    fn append(&self, append: Append<'_>) -> Result<Vec<Entry>, StoreError>;

    fn blob(&self, id: &BlobId) -> Result<Vec<u8>, StoreError>;

    /// A name for a conversation, always the same for the same words in this ledger.
    fn session_name(&self, words: &str) -> String;
}

/// One transition.
#[derive(Debug)]
pub struct Append<'a> {
    pub scope: Scope,
    /// The last event of the scope this was decided on; 0 for none.
    pub decided_on: u64,
    pub at_ms: i64,
    pub events: &'a [Event],
    /// Bytes the events refer to, stored under their sha256.
    pub blobs: &'a [Vec<u8>],
    /// The scope's row on the board after these events, as JSON; none leaves the row as it is.
    pub board: Option<&'a str>,
    /// For events that another clone wrote and that are taken over from it.
    pub elsewhere: Option<ForeignOrigin<'a>>,
}

/// Where events come from that this clone did not write. What they name may have stayed there.
#[derive(Debug, Clone, Copy)]
pub struct ForeignOrigin<'a> {
    /// The id of the clone.
    pub clone: &'a str,
    /// When each was written.
    pub at_ms: &'a [i64],
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{scope} was changed by another process (decided on event {decided_on}, now at {found})")]
    Moved { scope: Scope, decided_on: u64, found: u64 },
    #[error("the ledger {path} is damaged: {detail}")]
    Damaged { path: String, detail: String },
    #[error("the ledger {path} was written by a newer redraft: {detail}")]
    Newer { path: String, detail: String },
    #[error("no space left for the ledger {path}: {detail}")]
    Full { path: String, detail: String },
    #[error("the disk refused the ledger {path}: {detail}")]
    Disk { path: String, detail: String },
    #[error("the ledger {path} cannot be written: {detail}")]
    ReadOnly { path: String, detail: String },
    /// It can be read, and nothing is added to it before a person has looked.
    #[error("the ledger {path} is not as you left it: {detail}")]
    Unproven { path: String, detail: String },
    /// It was there when it was opened. `rescued` is the file its content was written to, if that was possible.
    #[error("the ledger {path} is gone: {detail}")]
    Gone { path: String, detail: String, rescued: Option<String> },
    #[error("the ledger {path} is busy: {detail}")]
    Busy { path: String, detail: String },
    #[error("the ledger {path}: {detail}")]
    Other { path: String, detail: String },
}
