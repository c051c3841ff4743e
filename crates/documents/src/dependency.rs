//! Features that come before others: which of them are open, which to go on with first, and circles among them.
//!
//! The caller says where features stand ([`FeatureStanding`]); nothing is read here, and nothing is said about what a
//! run does with it. Start at [`blockers`].

#[cfg(test)]
mod tests;

use redraft_facts::event::FeatureLife;
use redraft_facts::prelude::*;

/// Where a feature stands, for those that wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureStanding {
    pub life: FeatureLife,
    /// The phase it stands in; empty if unknown.
    pub phase: String,
    /// The features it waits for itself, by the names of their folders.
    pub waits_for: Vec<String>,
    /// Whether there is something to do about it here.
    pub goes_on: bool,
}

/// A feature that another one waits for and that is not completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// The name of its folder, `003-keys`.
    pub name: String,
    pub life: FeatureLife,
    /// Empty if unknown.
    pub phase: String,
    /// Whether there is something to do about it here.
    pub goes_on: bool,
}

impl Blocker {
    /// `003-keys (specify)`, or with what became of it.
    pub fn shown(&self) -> String {
        let Blocker { name, life, phase, .. } = self;
        match life {
            FeatureLife::Abandoned => format!("{name} ({})", life.name()),
            _ if phase.is_empty() => format!("{name} ({})", life.name()),
            FeatureLife::Planned | FeatureLife::Active | FeatureLife::Completed => {
                format!("{name} ({phase})")
            }
        }
    }
}

/// Looks up where a feature stands; none for an unknown name.
pub type FeatureLookup<'a> = dyn Fn(&str) -> Option<FeatureStanding> + 'a;

/// What blocks a feature that waits for these. An unknown name does not: it may have been a mistake, and nobody could
/// ever complete it.
pub fn blockers(waits_for: &[String], known: &FeatureLookup<'_>) -> Vec<Blocker> {
    let standing = waits_for.iter().filter_map(|name| Some((name, known(name)?)));
    let open = standing.filter(|(_, standing)| standing.life != FeatureLife::Completed);
    open.map(|(name, standing)| {
        let FeatureStanding { life, phase, goes_on, .. } = standing;
        Blocker { name: name.clone(), life, phase, goes_on }
    })
    .collect()
}

/// The feature to go on with so that another one can: the first of its blockers that nothing blocks. None where nothing
/// is in the way, or where they wait for each other.
pub fn first(waits_for: &[String], known: &FeatureLookup<'_>) -> Option<Blocker> {
    let mut looked_at = BTreeSet::new();
    let mut next = blockers(waits_for, known);
    next.reverse();
    while let Some(blocker) = next.pop() {
        if !looked_at.insert(blocker.name.clone()) {
            continue;
        }
        // An abandoned feature is not gone on with, so what it waits for does not help.
        let before = match blocker.goes_on {
            true => blockers(&known(&blocker.name)?.waits_for, known),
            false => Vec::new(),
        };
        if before.is_empty() {
            return Some(blocker);
        }
        next.extend(before.into_iter().rev());
    }
    None
}

/// The path from a feature through what it waits for back to itself, with its name at both ends.
pub fn circle(name: &str, waits_for: &[String], known: &FeatureLookup<'_>) -> Option<Vec<String>> {
    // Each with the one that led to it, so that the path can be shown.
    let mut come_by: BTreeMap<String, String> = BTreeMap::new();
    let mut next: Vec<(String, Vec<String>)> = vec![(name.to_owned(), waits_for.to_vec())];
    while let Some((from, waits_for)) = next.pop() {
        for other in waits_for {
            if other == name {
                return Some(way_back(name, &from, &come_by));
            }
            if come_by.contains_key(&other) {
                continue;
            }
            come_by.insert(other.clone(), from.clone());
            if let Some(standing) = known(&other) {
                next.push((other, standing.waits_for));
            }
        }
    }
    None
}

fn way_back(name: &str, last: &str, come_by: &BTreeMap<String, String>) -> Vec<String> {
    let mut way = vec![name.to_owned()];
    let mut at = last;
    while at != name {
        way.push(at.to_owned());
        match come_by.get(at) {
            Some(from) => at = from,
            None => break,
        }
    }
    way.push(name.to_owned());
    way.reverse();
    way
}
