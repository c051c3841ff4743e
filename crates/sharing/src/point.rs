//! A clone, a point of a feature's history, and an event on its way: what packs, leases and proposals are made of.
//!
//! What a checksum covers is a stored format.

use redraft_facts::event::{DecodeError, Entry, Event};
use redraft_facts::ids::FeatureUuid;
use redraft_facts::text::hash;
use serde::{Deserialize, Serialize};
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
        let (events, hash) = (self.events + 1, entry.hash());
        let parts: [&[u8]; 7] = [
            self.chain.as_bytes(),
            feature.as_str().as_bytes(),
            &events.to_le_bytes(),
            &entry.at_ms.to_le_bytes(),
            entry.kind.as_bytes(),
            &entry.version.to_le_bytes(),
            hash.as_bytes(),
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
    /// Random, so that nobody can guess a body from its hash once the body is gone; none where it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    /// The hash of the body that this one replaces, because a secret was in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    pub body: String,
}

impl SharedEntry {
    pub fn new(entry: &Entry, salt: String) -> SharedEntry {
        let (kind, version, body) =
            (entry.event.kind().to_owned(), entry.event.version(), entry.event.encode());
        SharedEntry { at_ms: entry.at_ms, kind, version, salt: Some(salt), hash: None, body }
    }

    /// The same with another body. Its place in the history stays, and what was there cannot be guessed.
    #[must_use]
    pub fn replaced(&self, body: String) -> SharedEntry {
        SharedEntry { salt: None, hash: Some(self.hash()), body, ..self.clone() }
    }

    pub fn is_replaced(&self) -> bool {
        self.hash.is_some()
    }

    /// Of salt and body as they were written, in lower-case hex.
    fn hash(&self) -> String {
        let salt = self.salt.as_deref().unwrap_or_default();
        let made = || checksum(&[salt.as_bytes(), self.body.as_bytes()]);
        self.hash.clone().unwrap_or_else(made)
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.salt.is_some() != self.hash.is_some()
    }

    pub fn event(&self) -> Result<Event, DecodeError> {
        Event::decode(&self.kind, self.version, &self.body)
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
