//! Ends what a killed probe left open.

use super::stored;
use crate::ending::EngineError;
use crate::journal::{Journal, Writer};
use crate::ports::{Agent, Clock, Store};
use redraft_facts::event::{Entry, Event, Lost, Started};
use redraft_facts::ids::AgentName;
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_facts::usage::Usd;

/// What became of the dispatches of earlier probes whose end no process saw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Answers that had been finished; stored with what they really cost.
    pub adopted: usize,
    pub lost: usize,
    /// What was reserved for the lost ones: the most they can have cost.
    pub reserved: Usd,
}

/// Ends the dispatches of earlier probes whose end no process saw. `agent` is the one they were sent to, if it can
/// still be made: a finished answer it left behind says what was really billed. The probe itself is not continued.
pub fn recover(
    store: &dyn Store,
    clock: &dyn Clock,
    redactor: &Redactor,
    name: &AgentName,
    agent: Option<&dyn Agent>,
) -> Result<Recovered, EngineError> {
    let mut journal = Journal::open(Writer { store, clock, redactor }, Scope::Agent(name.clone()))?;
    let mut recovered = Recovered::default();
    let (mut events, mut blobs): (Vec<Event>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
    for (Started { ticket, .. }, reserved) in open_flights(journal.entries()) {
        let left = agent.and_then(|agent| agent.left_behind(ticket));
        if let Some(outcome) = left {
            let (answered, blob) = stored(ticket.clone(), outcome, Vec::new(), 0, redactor);
            recovered.adopted += 1;
            events.push(answered.into());
            blobs.push(blob);
        } else {
            recovered.lost += 1;
            recovered.reserved = recovered.reserved + reserved;
            events.push(Lost { ticket: ticket.clone(), cost: reserved, undone: Vec::new() }.into());
        }
    }
    if !events.is_empty() {
        journal.append(events, &blobs)?;
    }
    Ok(recovered)
}

/// The dispatches that are still open, each with what was reserved for it in the end.
fn open_flights(entries: &[Entry]) -> impl Iterator<Item = (&Started, Usd)> {
    let ended = |ticket: &Ticket| {
        entries.iter().any(|entry| match &entry.event {
            Event::Answered(fact) => fact.ticket == *ticket,
            Event::Failed(fact) => fact.ticket == *ticket,
            Event::Lost(fact) => fact.ticket == *ticket,
            _ => false,
        })
    };
    let raised = |ticket: &Ticket| {
        entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Raised(fact) if fact.ticket == *ticket => Some(fact.reserved),
            _ => None,
        })
    };
    let started = entries.iter().filter_map(|entry| match &entry.event {
        Event::Started(fact) => Some(fact),
        _ => None,
    });
    let open = started.filter(move |fact| !ended(&fact.ticket));
    open.map(move |fact| (fact, raised(&fact.ticket).unwrap_or(fact.reserved)))
}
