//! What a shared feature cost in each clone that drove it.

use super::{Costs, Sum};
use redraft_facts::event::{DriverChanged, Started};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;

/// Who drove from some point on, and what was sent then.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    who: Driver,
    sent: BTreeSet<Ticket>,
}

/// A person in a clone; without a name where it was the clone that the feature began in.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Driver {
    pub by: String,
    pub place: String,
}

impl Driver {
    /// `ann in ann@laptop`.
    pub fn in_words(&self) -> String {
        match self.place.as_str() {
            "" => "where it began".to_owned(),
            place => format!("{} in {place}", self.by),
        }
    }
}

/// Stretches of a feature in the hands of one clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clones {
    stretches: Vec<Stretch>,
}

impl Clones {
    pub(super) fn change(&mut self, fact: &DriverChanged) {
        let who = Driver { by: fact.by.clone(), place: fact.place.clone() };
        if let (1, [first]) = (fact.fence, self.stretches.as_mut_slice()) {
            // The clone that the feature began in says its name when it first shares it.
            first.who = who;
            return;
        }
        self.stretches.push(Stretch { who, sent: BTreeSet::new() });
    }

    pub(super) fn start(&mut self, fact: &Started) {
        if self.stretches.is_empty() {
            self.stretches.push(Stretch { who: Driver::default(), sent: BTreeSet::new() });
        }
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.sent.insert(fact.ticket.clone());
        }
    }
}

impl Costs {
    /// What was sent by each driver, in the order in which they came; empty where the feature was in one clone only.
    pub fn by_clone(&self) -> Vec<(Driver, Sum)> {
        let mut found: Vec<(Driver, Sum)> = Vec::new();
        for Stretch { who, sent } in &self.clones.stretches {
            let at = found.iter().position(|(known, _)| known == who).unwrap_or(found.len());
            if at == found.len() {
                found.push((who.clone(), Sum::default()));
            }
            let all = self.dispatches().filter(|one| sent.contains(&one.ticket));
            all.for_each(|one| found[at].1.add_dispatch(one));
        }
        if found.len() > 1 { found } else { Vec::new() }
    }
}
