//! What one clone knows of a feature's logs and leases, and what it may add to them. Nothing here touches git.

use crate::history::{Altered, History};
use crate::lease::Lease;
use crate::log::Log;
use crate::pack::Pack;
use crate::point::{CloneId, Point, SharedEntry, VERSION};
use crate::proposal::Proposal;
use redraft_facts::ids::{BlobId, FeatureUuid};
use std::collections::BTreeMap;

/// Who writes, and where.
#[derive(Debug, Clone)]
pub struct LogWriter {
    pub clone: CloneId,
    pub by: String,
    pub place: String,
}

/// What a pack says.
#[derive(Debug, Clone, Default)]
pub struct PackContent {
    /// What the feature is called where it began.
    pub called: String,
    pub entries: Vec<SharedEntry>,
    pub proposals: Vec<Proposal>,
    pub texts: BTreeMap<BlobId, String>,
    /// The commit that its branch is at; empty where it has none.
    pub tip: String,
}

/// What is known of a feature.
#[derive(Debug, Clone)]
pub struct Feature {
    pub uuid: FeatureUuid,
    /// Oldest first.
    pub leases: Vec<Lease>,
    pub logs: BTreeMap<CloneId, Log>,
    /// Logs that are not as their writers left them, and that count as far as they are in order.
    pub altered: Vec<Altered>,
}

impl Feature {
    pub fn new(uuid: FeatureUuid) -> Feature {
        Feature { uuid, leases: Vec::new(), logs: BTreeMap::new(), altered: Vec::new() }
    }

    pub fn lease(&self) -> Option<&Lease> {
        self.leases.last()
    }

    /// The lease by which a clone drives; none where it does not.
    pub fn lease_of(&self, clone: &CloneId) -> Option<&Lease> {
        self.lease().filter(|lease| lease.is_held_by(clone))
    }

    pub fn history(&self) -> Result<History, Altered> {
        History::from_logs(&self.uuid, &self.leases, &self.logs)
    }

    /// What the feature is called by those who write about it.
    pub fn called(&self) -> &str {
        self.logs.values().flat_map(|log| &log.packs).next().map_or("", |pack| pack.called.as_str())
    }

    /// The commit that its branch was at when its driver published last.
    pub fn tip(&self) -> Option<&str> {
        let packs = self.logs.values().flat_map(|log| &log.packs);
        let with_tip = packs.filter(|pack| pack.fence > 0 && !pack.tip.is_empty());
        with_tip.max_by_key(|pack| (pack.fence, pack.number)).map(|pack| pack.tip.as_str())
    }

    /// Up to where a clone that drives has written, published or not.
    pub fn written(&self, clone: &CloneId) -> Option<Point> {
        let lease = self.lease_of(clone)?;
        let packs = self.logs.get(clone).into_iter().flat_map(|log| log.packs.iter().rev());
        let last = packs.filter(|pack| !pack.entries.is_empty()).find(|pack| pack.fence == lease.fence);
        Some(last.map_or_else(|| lease.at.clone(), Pack::end))
    }

    /// The next pack of a clone. Only a driver's has events.
    pub fn next_pack(&self, writer: &LogWriter, content: PackContent) -> Pack {
        let PackContent { called, entries, proposals, texts, tip } = content;
        let packs = self.logs.get(&writer.clone).map_or(&[][..], |log| &log.packs);
        let written = self.written(&writer.clone);
        let clock = self.logs.values().filter_map(|log| log.packs.last()).map(|pack| pack.clock).max();
        Pack {
            v: VERSION,
            feature: self.uuid.clone(),
            called,
            clone: writer.clone.clone(),
            number: packs.len() as u64 + 1,
            before: packs.last().map(Pack::checksum).unwrap_or_default(),
            clock: clock.unwrap_or(0) + 1,
            fence: self.lease_of(&writer.clone).map_or(0, |lease| lease.fence),
            entries: if written.is_some() { entries } else { Vec::new() },
            after: written.unwrap_or_default(),
            proposals,
            texts,
            tip,
            by: writer.by.clone(),
            place: writer.place.clone(),
        }
    }

    /// Adds a pack to the log of its clone, or says why it cannot be the next one.
    pub fn push(&mut self, pack: Pack, key: &str) -> Result<(), String> {
        let clone = pack.clone.clone();
        let log = self.logs.entry(clone.clone()).or_insert_with(|| Log::new(clone, 1, key.to_owned()));
        log.push(pack, key)
    }

    /// Which edition of a clone's log this is.
    pub fn edition(&self, clone: &CloneId) -> u32 {
        self.logs.get(clone).map_or(1, |log| log.edition)
    }

    /// The lease with which a clone would drive from now on: the one it has, or the next one. The other's where that is
    /// held by another clone and not to be taken.
    pub fn wanted_lease(&self, writer: &LogWriter, by_force: bool, now_ms: i64) -> Result<Lease, Box<Lease>> {
        let lease = match self.lease() {
            Some(held) if held.is_held_by(&writer.clone) => return Ok(held.clone()),
            Some(held) if !held.free && !by_force => return Err(Box::new(held.clone())),
            Some(earlier) => earlier.taken(writer.clone.clone()),
            None => Lease::first(self.uuid.clone(), writer.clone.clone()),
        };
        let (by, place) = (writer.by.clone(), writer.place.clone());
        Ok(Lease { by, place, since_ms: now_ms, ..lease })
    }

    /// How a driver's lease goes on when its log is pushed: moved to the end of that, and given up if that is wanted.
    pub fn next_leases(&self, clone: &CloneId, gives_up: bool) -> Vec<Lease> {
        let (Some(lease), Some(end)) = (self.lease_of(clone), self.written(clone)) else { return Vec::new() };
        let mut steps = Vec::new();
        if end != lease.at {
            steps.push(lease.moved(end));
        }
        if gives_up {
            steps.push(steps.last().unwrap_or(lease).given_up());
        }
        steps
    }
}
