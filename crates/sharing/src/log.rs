//! What one clone has published of a feature.

use crate::pack::Pack;
use crate::point::{CloneId, SharedEntry};
use redraft_facts::text::hash;

/// Packs of one clone, each following the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub clone: CloneId,
    /// 1, and one more each time that the clone took something out of it.
    pub edition: u32,
    /// The public key that signed all of them, in hex.
    pub key: String,
    pub packs: Vec<Pack>,
}

impl Log {
    pub fn new(clone: CloneId, edition: u32, key: String) -> Log {
        Log { clone, edition, key, packs: Vec::new() }
    }

    /// Whether this is the log that an earlier edition was, but for what was taken out of it.
    pub fn goes_on_from(&self, earlier: &Log) -> bool {
        let same = |(now, then): (&Pack, &Pack)| now.fence == then.fence && now.end() == then.end();
        self.key == earlier.key
            && self.packs.len() >= earlier.packs.len()
            && self.packs.iter().zip(&earlier.packs).all(same)
    }

    /// Adds the next pack, or says why it cannot be that.
    pub fn push(&mut self, pack: Pack, key: &str) -> Result<(), String> {
        let number = self.packs.len() as u64 + 1;
        let before = self.packs.last().map(Pack::checksum).unwrap_or_default();
        let earlier = self.packs.last().map_or(0, |pack| pack.clock);
        let other = self.packs.first().is_some_and(|first| first.feature != pack.feature);
        let wrong = if key != self.key {
            "it is signed with another key than the pack before"
        } else if pack.clone != self.clone || other {
            "it belongs to another log"
        } else if pack.number != number || pack.before != before {
            "it does not follow the pack before"
        } else if pack.clock <= earlier {
            "its clock goes backwards"
        } else if !pack.entries.iter().all(SharedEntry::is_whole) {
            "an event in it has no checksum, or two"
        } else if self.edition == 1 && pack.entries.iter().any(SharedEntry::is_replaced) {
            "an event in it is not the one that was written"
        } else if !pack.texts.iter().all(|(id, text)| hash(text.as_bytes()) == *id) {
            "a text in it is not what its name says"
        } else {
            self.packs.push(pack);
            return Ok(());
        };
        Err(format!("pack {number}: {wrong}"))
    }
}
