//! What a clone publishes at once: events that go on from a point of the feature's history, and what it proposes.
//!
//! The bytes of a pack are a stored format.

use crate::point::{CloneId, Point, SharedEntry, VERSION, checksum};
use crate::proposal::Proposal;
use redraft_facts::ids::{BlobId, FeatureUuid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
