//! Collects what the ledger knows about agents, across all features.

use crate::host::KeptConversations;
use crate::journal::Journal;
use crate::ports::{Agent, Resume, Store, StoreError};
use redraft_cost::cost::{Measures, Paces};
use redraft_facts::event::Entry;
use redraft_facts::ticket::Scope;
use redraft_prompts::probe::{Records, Resumable};
use std::collections::BTreeSet;

/// What is known of agents.
#[derive(Default)]
pub(crate) struct Experience {
    records: Records,
    /// What bills show about them, for predictions.
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

    /// Whether an agent may be resumed: what it can do by itself, and what probes and earlier dispatches showed. A host
    /// keeps conversations only if it says so.
    pub(crate) fn resumable(&self, agent: &dyn Agent, kept: &KeptConversations) -> Resumable {
        let abilities = agent.abilities();
        let told = !abilities.pull || kept.keeps_any();
        match if told { abilities.resume } else { Resume::No } {
            Resume::No => {
                Resumable { resume: Resume::No, why: "V2: the agent keeps no conversations".to_owned() }
            }
            Resume::Yes | Resume::Unproved => self.records.resumable(&agent.name(), &agent.describe()),
        }
    }

    fn take(&mut self, scope: &Scope, entry: &Entry) {
        self.records.take(scope, &entry.event);
        self.measures.take(&entry.event);
        self.paces.take(scope, entry.at_ms, &entry.event);
    }
}
