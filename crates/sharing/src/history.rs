//! The one history that all logs and leases of a feature make together.
//!
//! The chain of leases says who drove from which point to which. A driver's events count between these points; what it
//! published past them is late. So every clone that has the same logs and leases finds the same history, in whatever
//! order they came, and one that has less finds a beginning of it.

use crate::lease::Lease;
use crate::log::Log;
use crate::point::{CloneId, Point, SharedEntry};
use crate::proposal::{Placed, in_order};
use redraft_facts::ids::FeatureUuid;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What is wrong with a log or a lease.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} of feature {feature} is not as its writer left it: {detail}")]
pub struct Altered {
    pub feature: FeatureUuid,
    /// `the log of clone …`, `the lease`.
    pub what: String,
    pub detail: String,
}

/// An event of the history, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenEntry {
    pub clone: CloneId,
    pub entry: SharedEntry,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    pub entries: Vec<WrittenEntry>,
    /// The point behind the last event.
    pub end: Point,
    /// Whether all that the leases speak of is there.
    pub is_whole: bool,
    /// Events that a driver published after another had taken over, and that count nowhere: how many of which clone.
    pub late: BTreeMap<CloneId, u64>,
    /// What was proposed, in the order in which it is taken in.
    pub proposals: Vec<Placed>,
    /// The highest clock of all packs.
    pub clock: u64,
}

impl History {
    /// The history that these leases, oldest first, and logs make.
    pub fn from_logs(
        feature: &FeatureUuid,
        leases: &[Lease],
        logs: &BTreeMap<CloneId, Log>,
    ) -> Result<History, Altered> {
        let altered = |what: String, detail: &str| Altered {
            feature: feature.clone(),
            what,
            detail: detail.to_owned(),
        };
        let mut made = Making { feature, end: Point::default(), entries: Vec::new() };
        let mut is_whole = true;
        for (at, lease) in leases.iter().enumerate() {
            let earlier = at.checked_sub(1).and_then(|at| leases.get(at));
            if lease.feature != *feature || !lease.follows(earlier) {
                return Err(altered("the lease".to_owned(), "it does not follow the one before"));
            }
            let is_last = leases.get(at + 1).is_none_or(|next| next.fence != lease.fence);
            if is_last && is_whole {
                is_whole = made.follow(logs.get(&lease.holder), lease).map_err(|detail| {
                    let whose = format!("the log of clone {}", lease.holder.short());
                    altered(whose, detail)
                })?;
            }
        }
        let counted = |clone: &CloneId| made.entries.iter().filter(|one| one.clone == *clone).count() as u64;
        let late = logs.values().filter_map(|log| {
            let all: usize = log.packs.iter().map(|pack| pack.entries.len()).sum();
            let late = (all as u64).saturating_sub(counted(&log.clone));
            (late > 0 && is_whole).then(|| (log.clone.clone(), late))
        });
        let late = late.collect();
        let packs = || logs.values().flat_map(|log| &log.packs);
        let placed = packs().flat_map(|pack| {
            pack.proposals.iter().map(|proposal| Placed {
                clock: pack.clock,
                clone: pack.clone.clone(),
                place: pack.place.clone(),
                proposal: proposal.clone(),
            })
        });
        let proposals = in_order(placed.collect());
        let clock = packs().map(|pack| pack.clock).max().unwrap_or(0);
        Ok(History { entries: made.entries, end: made.end, is_whole, late, proposals, clock })
    }
}

struct Making<'a> {
    feature: &'a FeatureUuid,
    entries: Vec<WrittenEntry>,
    end: Point,
}

impl Making<'_> {
    /// Adds what a driver published under its lease; whether all of it has arrived.
    fn follow(&mut self, log: Option<&Log>, lease: &Lease) -> Result<bool, &'static str> {
        let packs = log.iter().flat_map(|log| &log.packs);
        for pack in packs.filter(|pack| pack.fence == lease.fence && !pack.entries.is_empty()) {
            if self.end.events >= lease.at.events {
                break;
            }
            if pack.after != self.end {
                return Err("its events do not go on where they should");
            }
            for entry in &pack.entries {
                self.end = self.end.after(self.feature, entry);
                self.entries.push(WrittenEntry { clone: pack.clone.clone(), entry: entry.clone() });
            }
        }
        match self.end.events.cmp(&lease.at.events) {
            Ordering::Less => Ok(false),
            Ordering::Equal if self.end == lease.at => Ok(true),
            Ordering::Equal | Ordering::Greater => Err("its events are not those that its lease speaks of"),
        }
    }
}
