//! Computes how long ago an entry was last seen, counted in features, and what to fill in where that is not written.
//!
//! Features are counted in the order they were created in, which the caller gives ([`FeatureOrder`]); numbers are
//! names, never arithmetic. Nothing here is written into a file. Start at [`stale`].

use super::editor::BankChange;
use super::entry::{Bank, BankEntry};
use super::seen::{NamedFeature, Observed};
use super::terms;
use core::fmt;
use redraft_facts::ids::FeatureId;
use redraft_facts::prelude::*;

/// An entry is stale when this many features were created after the one that last observed it.
pub const STALE_AFTER: usize = 10;

/// A feature and when it was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureCreation {
    pub id: FeatureId,
    pub slug: String,
    pub at_ms: i64,
}

/// Features in the order they were created in. Several may have one number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureOrder {
    born: Vec<FeatureCreation>,
    by_number: BTreeMap<FeatureId, Vec<usize>>,
}

impl FeatureOrder {
    /// Keeps the order that is given, whatever the times say.
    pub fn new(born: Vec<FeatureCreation>) -> FeatureOrder {
        let mut by_number: BTreeMap<FeatureId, Vec<usize>> = BTreeMap::new();
        for (at, feature) in born.iter().enumerate() {
            by_number.entry(feature.id).or_default().push(at);
        }
        FeatureOrder { born, by_number }
    }

    pub fn features(&self) -> &[FeatureCreation] {
        &self.born
    }

    /// The feature that was created last.
    pub fn latest(&self) -> Option<&FeatureCreation> {
        self.born.last()
    }

    /// The last feature that was created by then.
    pub fn active_at(&self, at_ms: i64) -> Option<&FeatureCreation> {
        self.born.iter().rev().find(|feature| feature.at_ms <= at_ms)
    }

    /// How many features were created after an observation; none if it names nothing known here. Where several
    /// features have the number it names, the last of them is meant: nothing is called stale on a guess.
    pub fn after(&self, seen: &Observed) -> Option<usize> {
        let last = seen.features.iter().filter_map(|named| self.place(named)).max();
        if let Some(place) = last {
            return Some(self.born.len() - 1 - place);
        }
        let until_ms = seen.until_ms?;
        Some(self.born.iter().filter(|feature| feature.at_ms >= until_ms).count())
    }

    fn place(&self, named: &NamedFeature) -> Option<usize> {
        let places = self.by_number.get(&named.id)?;
        let exact = |place: &&usize| named.slug.as_ref().is_some_and(|slug| *slug == self.born[**place].slug);
        places.iter().find(exact).or(places.last()).copied()
    }
}

/// Where an entry stands between its last observation and being forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryLife {
    /// A pattern.
    Exempt,
    /// Seen lately: this many features ago.
    Current {
        later: usize,
    },
    Stale {
        later: Option<usize>,
        changed: Vec<String>,
    },
    /// Nothing says when it was last observed, or what it names is not known here.
    Unknown,
}

impl EntryLife {
    pub fn is_stale(&self) -> bool {
        match self {
            EntryLife::Stale { .. } => true,
            EntryLife::Exempt | EntryLife::Current { .. } | EntryLife::Unknown => false,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            EntryLife::Exempt => "exempt",
            EntryLife::Current { .. } => "current",
            EntryLife::Stale { .. } => "stale",
            EntryLife::Unknown => "unknown",
        }
    }
}

impl fmt::Display for EntryLife {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryLife::Exempt => f.write_str("patterns do not grow stale"),
            EntryLife::Current { later } => {
                write!(f, "{} since it was observed", redraft_facts::text::count(*later, "feature"))
            }
            EntryLife::Stale { later, changed } => {
                let count = later.filter(|later| *later >= STALE_AFTER);
                let unseen = count.map(|later| {
                    format!("{} since it was observed", redraft_facts::text::count(later, "feature"))
                });
                let code = (!changed.is_empty()).then(|| format!("{} changed since", changed.join(", ")));
                let told: Vec<String> = unseen.into_iter().chain(code).collect();
                f.write_str(&told.join("; "))
            }
            EntryLife::Unknown => f.write_str("not known when it was observed"),
        }
    }
}

/// Whether an entry is stale: 10 or more features were created after its last observation, or files it is anchored to
/// were changed since (`changed`, which the caller asks git).
pub fn stale(entry: &BankEntry, order: &FeatureOrder, changed: &[String]) -> EntryLife {
    if !entry.kind.grows_stale() {
        return EntryLife::Exempt;
    }
    let later = entry.seen().and_then(|seen| order.after(seen));
    match later {
        Some(later) if later < STALE_AFTER && changed.is_empty() => EntryLife::Current { later },
        None if changed.is_empty() => EntryLife::Unknown,
        later => EntryLife::Stale { later, changed: changed.to_vec() },
    }
}

/// Files that exist, to find those an entry is anchored to.
#[derive(Debug, Clone, Default)]
pub struct AnchorFiles<'a> {
    by_name: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> AnchorFiles<'a> {
    pub fn new(files: impl IntoIterator<Item = &'a str>) -> AnchorFiles<'a> {
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in files {
            let named = by_name.entry(file.rsplit('/').next().unwrap_or(file)).or_default();
            if !named.contains(&file) {
                named.push(file);
            }
        }
        AnchorFiles { by_name }
    }

    /// The files an entry is anchored to: those of its `Anchor:` line, else those its text names. A name that could
    /// mean several files is left out.
    pub fn of_entry(&self, entry: &BankEntry) -> Vec<&'a str> {
        let mut found: Vec<&'a str> = Vec::new();
        let named = if entry.fields.anchors.is_empty() {
            terms::paths(&entry.text)
        } else {
            entry.fields.anchors.clone()
        };
        for path in &named {
            let Some(same_name) = self.by_name.get(path.rsplit('/').next().unwrap_or(path)) else { continue };
            let exact = same_name.iter().find(|file| **file == path.as_str());
            let mut ends = same_name.iter().filter(|file| redraft_facts::citation::same_file(path, file));
            let only = match (exact, ends.next(), ends.next()) {
                (Some(file), _, _) | (None, Some(file), None) => Some(*file),
                (None, _, _) => None,
            };
            found.extend(only.filter(|file| !found.contains(file)));
        }
        found
    }
}

/// What to fill in for entries that do not say when they were last observed. `entered` gives the feature that was
/// active when an entry entered git. Patterns are left alone, and so are entries for which no feature is known: these
/// are returned next to the changes.
pub fn backfill<'a>(
    bank: &'a Bank,
    order: &FeatureOrder,
    entered: &dyn Fn(&BankEntry) -> Option<FeatureId>,
) -> (Vec<(&'a BankEntry, BankChange)>, Vec<&'a BankEntry>) {
    let mut changes = Vec::new();
    let mut unknown = Vec::new();
    for entry in bank.entries.iter().filter(|entry| entry.kind.grows_stale()) {
        if entry.fields.last_observed.is_some() && entry.fields.count.is_some() {
            continue;
        }
        let observed = match &entry.fields.last_observed {
            Some(seen) => Some(seen.raw.clone()),
            None => first_observed(entry, order, entered),
        };
        match observed {
            Some(observed) => {
                changes.push((entry, BankChange::Backfill { name: entry.name.clone(), observed }))
            }
            None => unknown.push(entry),
        }
    }
    (changes, unknown)
}

fn first_observed(
    entry: &BankEntry,
    order: &FeatureOrder,
    entered: &dyn Fn(&BankEntry) -> Option<FeatureId>,
) -> Option<String> {
    let approximate = |id: FeatureId, why: &str| format!("Feature #{id} (approximate — {why})");
    let Some(seen) = &entry.fields.provenance else {
        return entered(entry).map(|id| approximate(id, "no provenance was given"));
    };
    let known = seen.features.iter().filter_map(|named| order.place(named).map(|place| (place, named)));
    let last = known.max_by_key(|(place, _)| *place).map(|(_, named)| named).or(seen.features.last());
    if let Some(named) = last {
        let slug = named.slug.as_ref().map(|slug| format!("-{slug}")).unwrap_or_default();
        return Some(format!("Feature #{}{slug}", named.id));
    }
    if let Some(feature) = seen.until_ms.and_then(|until_ms| order.active_at(until_ms - 1)) {
        return Some(approximate(feature.id, "original provenance was a date"));
    }
    entered(entry).map(|id| approximate(id, "original provenance was non-numeric"))
}
