//! What a clone publishes at once: events that go on from a point of the feature's history, and what it proposes.
//!
//! The bytes of a pack and what its chain covers are a stored format.

use crate::proposal::Proposal;
use redraft_facts::event::{DecodeError, Entry, Event};
use redraft_facts::ids::{BlobId, FeatureUuid};
use redraft_facts::text::hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The version of packs and leases that this program writes.
pub(crate) const VERSION: u16 = 1;

/// A clone that writes: the id of its ledger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CloneId(String);

impl CloneId {
    /// None where it could be anything but a part of a ref's name.
    pub fn new(word: &str) -> Option<CloneId> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_one =
            !word.is_empty() && word.len() <= 64 && word.bytes().all(plain) && !word.starts_with('-');
        is_one.then(|| CloneId(word.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Enough of it to tell clones apart in a sentence.
    pub fn short(&self) -> &str {
        self.0.get(..8).unwrap_or(&self.0)
    }
}

impl fmt::Display for CloneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A place in a feature's history: how many events there are, and the checksum up to there.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub events: u64,
    /// In lower-case hex; empty at the beginning.
    pub chain: String,
}

impl Point {
    /// The point behind one more event.
    #[must_use]
    pub fn after(&self, feature: &FeatureUuid, entry: &SharedEntry) -> Point {
        let events = self.events + 1;
        let parts: [&[u8]; 7] = [
            self.chain.as_bytes(),
            feature.as_str().as_bytes(),
            &events.to_le_bytes(),
            &entry.at_ms.to_le_bytes(),
            entry.kind.as_bytes(),
            &entry.version.to_le_bytes(),
            entry.hash.as_bytes(),
        ];
        Point { events, chain: checksum(&parts) }
    }
}

/// An event on its way to other clones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedEntry {
    pub at_ms: i64,
    pub kind: String,
    pub version: u16,
    /// Random, so that nobody can guess a body from its hash once the body is gone.
    pub salt: String,
    /// Of salt and body, in lower-case hex.
    pub hash: String,
    pub body: String,
}

impl SharedEntry {
    pub fn new(entry: &Entry, salt: String) -> SharedEntry {
        let (kind, version, body) =
            (entry.event.kind().to_owned(), entry.event.version(), entry.event.encode());
        let hash = checksum(&[salt.as_bytes(), body.as_bytes()]);
        SharedEntry { at_ms: entry.at_ms, kind, version, salt, hash, body }
    }

    /// Whether the body is what the hash stands for.
    pub fn is_whole(&self) -> bool {
        self.hash == checksum(&[self.salt.as_bytes(), self.body.as_bytes()])
    }

    pub fn event(&self) -> Result<Event, DecodeError> {
        Event::decode(&self.kind, self.version, &self.body)
    }
}

/// What a clone publishes at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    pub v: u16,
    pub feature: FeatureUuid,
    /// What the feature is called where this was written: `031`, or `review-003`.
    pub called: String,
    pub clone: CloneId,
    /// How many packs the clone has published of this feature, this one counted.
    pub number: u64,
    /// The checksum of its pack before; empty in the first.
    pub before: String,
    /// Higher than that of every pack its writer had seen.
    pub clock: u64,
    /// The lease under which the events were written; 0 where there are none.
    pub fence: u64,
    /// Where in the history the events go on.
    pub after: Point,
    pub entries: Vec<SharedEntry>,
    pub proposals: Vec<Proposal>,
    /// Texts that the events name, under the checksums of their bytes.
    pub texts: BTreeMap<BlobId, String>,
    /// The commit that the feature's branch was at; empty where it has none.
    pub tip: String,
    /// Who published it, and where.
    pub by: String,
    pub place: String,
}

impl Pack {
    pub fn encode(&self) -> String {
        serde_json::to_string(self).expect("a pack holds only texts, numbers and lists")
    }

    /// Reads the bytes of a pack.
    pub fn decode(text: &str) -> Result<Pack, String> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u16,
        }
        let Versioned { v } = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if v > VERSION {
            return Err(format!("it has version {v}, and this redraft reads up to version {VERSION}"));
        }
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// What the next pack of this clone names.
    pub fn checksum(&self) -> String {
        checksum(&[self.encode().as_bytes()])
    }

    /// The point behind its last event.
    pub fn end(&self) -> Point {
        self.entries.iter().fold(self.after.clone(), |point, entry| point.after(&self.feature, entry))
    }
}

/// No two different lists of parts give the same bytes.
pub(crate) fn checksum(parts: &[&[u8]]) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    hash(&bytes).to_string()
}
