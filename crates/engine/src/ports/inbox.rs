//! Keeps an agent's answer the moment it arrives, so that a crash cannot lose what was paid for.

use super::agent::Outcome;
use redraft_facts::event::RanCheck;
use redraft_facts::ticket::Ticket;

pub trait Inbox: Send + Sync {
    /// Keeps a finished answer, whole or not at all, under the conversation it was given in: a ticket of an earlier
    /// ledger may have the same name.
    fn put(&self, ticket: &Ticket, session: &str, outcome: &Outcome) -> Result<(), String>;

    /// The finished answer to a ticket, if one was kept.
    fn get(&self, ticket: &Ticket, session: &str) -> Result<Option<Outcome>, String>;

    /// Keeps what a check printed that ran for a dispatch, under the same conversation, after those before it.
    fn put_ran(&self, ticket: &Ticket, session: &str, ran: &RanCheck) -> Result<(), String>;

    /// The checks that ran for a dispatch, in order.
    fn ran(&self, ticket: &Ticket, session: &str) -> Result<Vec<RanCheck>, String>;
}
