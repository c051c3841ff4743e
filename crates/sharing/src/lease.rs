//! Who drives a feature: a chain of leases, each with a higher number than the one before.
//!
//! A lease says how far its holder has published; log and lease are pushed together or not at all, so that whoever takes
//! over goes on from all that was published, and what the earlier holder adds afterwards counts nowhere. Leases are
//! given up and taken, never left to time.

use crate::point::{CloneId, Point, VERSION, checksum};
use redraft_facts::ids::FeatureUuid;
use serde::{Deserialize, Serialize};

/// One entry of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    pub v: u16,
    pub feature: FeatureUuid,
    /// Fences off whoever has an earlier one.
    pub fence: u64,
    pub holder: CloneId,
    /// Whether the holder has given it up.
    pub free: bool,
    /// Where the holder went on, and how far it has published.
    pub from: Point,
    pub at: Point,
    /// The checksum of the lease before; empty in the first.
    pub before: String,
    pub by: String,
    pub place: String,
    pub since_ms: i64,
}

impl Lease {
    /// The first lease of a feature.
    pub fn first(feature: FeatureUuid, holder: CloneId) -> Lease {
        Lease {
            v: VERSION,
            feature,
            fence: 1,
            holder,
            free: false,
            from: Point::default(),
            at: Point::default(),
            before: String::new(),
            by: String::new(),
            place: String::new(),
            since_ms: 0,
        }
    }

    /// The next one, by which `holder` goes on from all that was published.
    #[must_use]
    pub fn taken(&self, holder: CloneId) -> Lease {
        let (before, from) = (self.checksum(), self.at.clone());
        Lease { fence: self.fence + 1, holder, from, before, free: false, ..self.clone() }
    }

    /// The same after more was published.
    #[must_use]
    pub fn moved(&self, at: Point) -> Lease {
        Lease { at, before: self.checksum(), ..self.clone() }
    }

    /// The same given up.
    #[must_use]
    pub fn given_up(&self) -> Lease {
        Lease { free: true, before: self.checksum(), ..self.clone() }
    }

    /// Whether a clone drives by it.
    pub fn is_held_by(&self, clone: &CloneId) -> bool {
        !self.free && self.holder == *clone
    }

    pub fn encode(&self) -> String {
        serde_json::to_string(self).expect("a lease holds only texts and numbers")
    }

    pub(crate) fn decode(text: &str) -> Result<Lease, String> {
        let lease: Lease = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if lease.v > VERSION {
            return Err(format!("it has version {}, and this redraft reads up to {VERSION}", lease.v));
        }
        Ok(lease)
    }

    fn checksum(&self) -> String {
        checksum(&[self.encode().as_bytes()])
    }

    /// Whether this can follow a lease: the same one moved or given up, or the next one.
    pub(crate) fn follows(&self, earlier: Option<&Lease>) -> bool {
        let Some(earlier) = earlier else {
            return self.fence == 1 && self.before.is_empty() && self.from == Point::default();
        };
        let goes_on = self.fence == earlier.fence
            && !earlier.free
            && self.holder == earlier.holder
            && self.from == earlier.from
            && self.at.events >= earlier.at.events;
        let next = self.fence == earlier.fence + 1 && self.from == earlier.at && self.at == self.from;
        self.before == earlier.checksum() && self.feature == earlier.feature && (goes_on || next)
    }
}
