//! What the ledger tells of agents, whichever feature they worked for.

use crate::journal::Journal;
use crate::ports::{Store, StoreError};
use redraft_core::cost::{Measures, Paces};
use redraft_core::event::Entry;
use redraft_core::probe::Records;
use redraft_core::ticket::Scope;
use std::collections::BTreeSet;

#[derive(Default)]
pub(crate) struct Experience {
    /// Whether conversations with them may be resumed.
    pub(crate) records: Records,
    /// What bills say about them, for predictions.
    pub(crate) measures: Measures,
    /// How rounds follow each other in this repository, for expectations.
    pub(crate) paces: Paces,
    /// The last event of the journal that was taken in.
    seq: u64,
}

impl Experience {
    pub(crate) fn load(store: &dyn Store, journal: &Journal<'_>) -> Result<Experience, StoreError> {
        let mut experience = Experience { seq: journal.seq(), ..Experience::default() };
        let kinds: BTreeSet<&str> =
            Records::KINDS.into_iter().chain(Measures::KINDS).chain(Paces::KINDS).collect();
        store.each_of(&Vec::from_iter(kinds), &mut |scope, entry| experience.take(scope, entry))?;
        Ok(experience)
    }

    /// Takes in what was stored since the last time.
    pub(crate) fn catch_up(&mut self, journal: &Journal<'_>) {
        let known = journal.entries().partition_point(|entry| entry.seq <= self.seq);
        journal.entries()[known..].iter().for_each(|entry| self.take(journal.scope(), entry));
        self.seq = journal.seq();
    }

    fn take(&mut self, scope: &Scope, entry: &Entry) {
        self.records.take(scope, &entry.event);
        self.measures.take(&entry.event);
        self.paces.take(scope, entry.at_ms, &entry.event);
    }
}
