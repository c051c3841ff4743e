//! What was sent to agents, dispatch by dispatch, and what came back.

use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::BlobId;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usage;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentView {
    /// The event that says it was sent.
    pub seq: u64,
    pub at_ms: i64,
    pub ticket: Ticket,
    /// Agent, program and model as people read them.
    pub by: String,
    pub strategy: &'static str,
    /// Why it was sent in this way.
    pub why: String,
    pub prompt: BlobId,
    pub prompt_chars: u64,
    /// None before it was answered, and where it never was.
    pub answer: Option<BlobId>,
    /// `answered`, `failed`, `lost` or `not answered yet`.
    pub end: &'static str,
    /// Why it failed, or why it counts as lost.
    pub detail: String,
    pub wall_ms: u64,
    pub usage: Option<Usage>,
    /// What a person should know about how it went.
    pub notes: Vec<String>,
}

/// All of them in the order they were sent.
pub fn sent(entries: &[Entry]) -> Vec<SentView> {
    let mut all: Vec<SentView> = Vec::new();
    let mut places: BTreeMap<Ticket, usize> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::Started(fact) => {
                places.insert(fact.ticket.clone(), all.len());
                all.push(SentView {
                    seq: entry.seq,
                    at_ms: entry.at_ms,
                    ticket: fact.ticket.clone(),
                    by: fact.player.shown(&fact.agent),
                    strategy: fact.choice.strategy.name(),
                    why: fact.choice.why.clone(),
                    prompt: fact.prompt.clone(),
                    prompt_chars: fact.prompt_chars,
                    answer: None,
                    end: "not answered yet",
                    detail: String::new(),
                    wall_ms: 0,
                    usage: None,
                    notes: Vec::new(),
                });
            }
            Event::Answered(fact) => {
                let Some(one) = places.get(&fact.ticket).and_then(|at| all.get_mut(*at)) else { continue };
                (one.end, one.answer, one.wall_ms) = ("answered", Some(fact.answer.clone()), fact.wall_ms);
                (one.usage, one.notes) = (Some(fact.usage), fact.notes.clone());
                one.notes.extend(fact.denials.iter().map(|denied| format!("denied: {denied}")));
                one.notes.extend(fact.undone.iter().map(|undone| format!("undone: {undone}")));
            }
            Event::Failed(fact) => {
                let Some(one) = places.get(&fact.ticket).and_then(|at| all.get_mut(*at)) else { continue };
                (one.end, one.detail, one.usage) = ("failed", fact.detail.clone(), fact.usage);
                one.answer = fact.forgot.clone();
            }
            Event::Lost(fact) => {
                let Some(one) = places.get(&fact.ticket).and_then(|at| all.get_mut(*at)) else { continue };
                (one.end, one.detail) = ("lost", "its end was never seen".to_owned());
                one.notes.extend(fact.undone.iter().map(|undone| format!("undone: {undone}")));
            }
            _ => {}
        }
    }
    all
}
