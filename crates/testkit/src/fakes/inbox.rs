//! Kept answers in memory.

use super::{Crash, locked};
use redraft_engine::ports::{Inbox, Outcome};
use redraft_facts::event::RanCheck;
use redraft_facts::ticket::Ticket;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// One answer for each ticket, with the conversation it was given in. Outlives a crash.
#[derive(Debug, Default)]
pub struct MemoryInbox {
    crash: Arc<Crash>,
    kept: Mutex<BTreeMap<Ticket, (String, Outcome)>>,
    ran: Mutex<BTreeMap<(Ticket, String), Vec<RanCheck>>>,
    refusal: Mutex<Option<String>>,
}

impl MemoryInbox {
    pub fn new(crash: Arc<Crash>) -> Self {
        Self { crash, ..Self::default() }
    }

    /// Refuses every answer from now on, for this reason; none takes them again.
    pub fn refuse(&self, why: Option<&str>) {
        *locked(&self.refusal) = why.map(str::to_owned);
    }
}

impl Inbox for MemoryInbox {
    fn put(&self, ticket: &Ticket, session: &str, outcome: &Outcome) -> Result<(), String> {
        self.crash.alive();
        if let Some(why) = &*locked(&self.refusal) {
            return Err(why.clone());
        }
        locked(&self.kept).insert(ticket.clone(), (session.to_owned(), outcome.clone()));
        self.crash.changed("an answer is kept");
        Ok(())
    }

    fn get(&self, ticket: &Ticket, session: &str) -> Result<Option<Outcome>, String> {
        let kept = locked(&self.kept);
        let found = kept.get(ticket).filter(|(of, _)| of == session);
        Ok(found.map(|(_, outcome)| outcome.clone()))
    }

    fn put_ran(&self, ticket: &Ticket, session: &str, ran: &RanCheck) -> Result<(), String> {
        self.crash.alive();
        locked(&self.ran).entry((ticket.clone(), session.to_owned())).or_default().push(ran.clone());
        self.crash.changed("what a check printed is kept");
        Ok(())
    }

    fn ran(&self, ticket: &Ticket, session: &str) -> Result<Vec<RanCheck>, String> {
        Ok(locked(&self.ran).get(&(ticket.clone(), session.to_owned())).cloned().unwrap_or_default())
    }
}
