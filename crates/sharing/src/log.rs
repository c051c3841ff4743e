//! What one clone has published of a feature.

use crate::pack::Pack;
use crate::point::{CloneId, SharedEntry};
use redraft_facts::text::hash;

/// Packs of one clone, each following the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub clone: CloneId,
    /// The public key that signed all of them, in hex.
    pub key: String,
    pub packs: Vec<Pack>,
}

impl Log {
    pub fn new(clone: CloneId, key: String) -> Log {
        Log { clone, key, packs: Vec::new() }
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
            "an event in it is not what its checksum says"
        } else if !pack.texts.iter().all(|(id, text)| hash(text.as_bytes()) == *id) {
            "a text in it is not what its name says"
        } else {
            self.packs.push(pack);
            return Ok(());
        };
        Err(format!("pack {number}: {wrong}"))
    }
}
