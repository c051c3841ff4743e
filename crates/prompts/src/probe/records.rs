//! Folds a ledger into what is known about each agent's conversations.
//!
//! A fold over the events of all scopes in their order. A probe holds for the version it was made with; so do a code
//! that was asked for in a continued conversation, and conversations that could not be continued, if they were begun and
//! resumed under one version. Callers ask about the agent's current version, and what is known about another one does
//! not count.

use redraft_facts::choice::Strategy;
use redraft_facts::event::{AfterFailure, Event};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::prelude::*;
use redraft_facts::probed::{AgentsMet, MetAgent, Probed, Proof, Recall, Resume};
use redraft_facts::ticket::{Purpose, Scope, Ticket};

/// How many resumed dispatches in a row have to find no conversation before resuming is switched off.
const REFUSALS_MAX: u32 = 2;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records {
    agents: BTreeMap<AgentName, Record>,
    /// The version each scope last met its agents with.
    met: BTreeMap<(Scope, AgentName), String>,
    flights: BTreeMap<Ticket, Flight>,
    /// The version each conversation was begun with.
    begun: BTreeMap<SessionId, String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Record {
    /// The last probe, or the last question for a code, that came to a result.
    proof: Option<Verdict>,
    /// Resumes that failed in a row, and the version they failed with.
    refusals: u32,
    version: String,
    detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Verdict {
    version: String,
    /// Why it failed; none if it passed.
    failed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Flight {
    agent: AgentName,
    version: String,
    resumed: Option<SessionId>,
    /// Whether it was asked for a code.
    asked: bool,
}

/// Whether an agent may be resumed, and if not, why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumable {
    pub resume: Resume,
    /// As `V3: why`; empty unless `resume` is no.
    pub why: String,
}

impl Records {
    /// Kinds of events that change something here; a reader may leave out all others.
    pub const KINDS: [&str; 6] = ["agents-met", "started", "answered", "failed", "lost", "probed"];

    pub fn take(&mut self, scope: &Scope, event: &Event) {
        match event {
            Event::AgentsMet(AgentsMet { agents }) => {
                for MetAgent { agent, version, .. } in agents {
                    self.met.insert((scope.clone(), agent.clone()), version.clone());
                }
            }
            // A probe is judged as a whole.
            Event::Started(fact) if fact.ticket.purpose != Purpose::Probe => {
                let version = self.met.get(&(scope.clone(), fact.agent.clone()));
                let Some(version) = version.cloned() else { return };
                let resumed = fact.session.clone().filter(|_| fact.choice.strategy == Strategy::Resume);
                let asked = matches!(fact.recall, Some(Recall::Asks(_)));
                let flight = Flight { agent: fact.agent.clone(), version, resumed, asked };
                self.flights.insert(fact.ticket.clone(), flight);
            }
            Event::Answered(fact) => {
                let Some(flight) = self.flights.remove(&fact.ticket) else { return };
                match (flight.resumed, &fact.session) {
                    // An answer without the code would have been stored as a failure.
                    (Some(_), _) if flight.asked => self.prove(flight.agent, flight.version, None),
                    (Some(_), _) => self.agents.entry(flight.agent).or_default().refusals = 0,
                    (None, Some(session)) => {
                        self.begun.insert(session.clone(), flight.version);
                    }
                    (None, None) => {}
                }
            }
            Event::Failed(fact) => {
                let Some(flight) = self.flights.remove(&fact.ticket) else { return };
                // A conversation of another version may fail for that reason, which says nothing about this one.
                let begun = flight.resumed.as_ref().and_then(|session| self.begun.get(session));
                if begun != Some(&flight.version) {
                    return;
                }
                match (&fact.forgot, fact.ticket.purpose) {
                    // One conversation of several at once; what another has proved stands.
                    (Some(_), _) if self.has_proved(&flight) => self.refuse(flight, &fact.detail),
                    (Some(_), _) => {
                        let why = format!("V3: {} ({})", fact.detail, fact.ticket);
                        self.prove(flight.agent, flight.version, Some(why));
                    }
                    (None, _) if fact.now == AfterFailure::FreshSession => self.refuse(flight, &fact.detail),
                    (None, _) => {}
                }
            }
            Event::Lost(fact) => {
                self.flights.remove(&fact.ticket);
            }
            Event::Probed(fact) => self.probe(fact),
            _ => {}
        }
    }

    /// What is known of an agent in the version it has now.
    pub fn resumable(&self, agent: &AgentName, version: &str) -> Resumable {
        let no = |why: String| Resumable { resume: Resume::No, why };
        let yes = |resume| Resumable { resume, why: String::new() };
        let Some(record) = self.agents.get(agent) else { return yes(Resume::Unproved) };
        let proof = record.proof.as_ref().filter(|proof| proof.version == version);
        if let Some(why) = proof.and_then(|proof| proof.failed.clone()) {
            return no(why);
        }
        if record.refusals >= REFUSALS_MAX && record.version == version {
            let Record { refusals, detail, .. } = record;
            return no(format!("V2: {refusals} conversations in a row could not be continued: {detail}"));
        }
        yes(if proof.is_some() { Resume::Yes } else { Resume::Unproved })
    }

    fn has_proved(&self, flight: &Flight) -> bool {
        let proof = self.agents.get(&flight.agent).and_then(|record| record.proof.as_ref());
        proof.is_some_and(|proof| proof.version == flight.version && proof.failed.is_none())
    }

    fn refuse(&mut self, flight: Flight, detail: &str) {
        let record = self.agents.entry(flight.agent).or_default();
        if record.version != flight.version {
            record.refusals = 0;
            record.version = flight.version;
        }
        record.refusals += 1;
        detail.clone_into(&mut record.detail);
    }

    fn probe(&mut self, fact: &Probed) {
        let failed = match fact.proof() {
            Proof::Passed => None,
            Proof::Failed(why) => Some(why),
            Proof::Open => return,
        };
        self.prove(fact.agent.clone(), fact.version.clone(), failed);
    }

    fn prove(&mut self, agent: AgentName, version: String, failed: Option<String>) {
        let record = self.agents.entry(agent).or_default();
        record.refusals = 0;
        record.proof = Some(Verdict { version, failed });
    }
}
