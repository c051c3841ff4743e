//! Folds a ledger into what is known about each agent's conversations.
//!
//! A fold over the events of all scopes in their order. A probe holds for the version it was made with; so do
//! conversations that could not be continued, if they were begun and resumed under one version. Callers ask about the
//! agent's current version, and what is known about another one does not count.

use redraft_facts::choice::Strategy;
use redraft_facts::event::{AfterFailure, Event};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::prelude::*;
use redraft_facts::probed::{AgentsMet, MetAgent, Probed, Proof, Resume};
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
    /// The last probe that came to a result.
    probe: Option<Verdict>,
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
                let flight = Flight { agent: fact.agent.clone(), version, resumed };
                self.flights.insert(fact.ticket.clone(), flight);
            }
            Event::Answered(fact) => {
                let Some(flight) = self.flights.remove(&fact.ticket) else { return };
                match (flight.resumed, &fact.session) {
                    (Some(_), _) => self.agents.entry(flight.agent).or_default().refusals = 0,
                    (None, Some(session)) => {
                        self.begun.insert(session.clone(), flight.version);
                    }
                    (None, None) => {}
                }
            }
            Event::Failed(fact) => {
                let Some(flight) = self.flights.remove(&fact.ticket) else { return };
                if fact.now == AfterFailure::FreshSession {
                    self.refuse(flight, &fact.detail);
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
        let probe = record.probe.as_ref().filter(|probe| probe.version == version);
        if let Some(why) = probe.and_then(|probe| probe.failed.clone()) {
            return no(why);
        }
        if record.refusals >= REFUSALS_MAX && record.version == version {
            let Record { refusals, detail, .. } = record;
            return no(format!("V2: {refusals} conversations in a row could not be continued: {detail}"));
        }
        yes(if probe.is_some() { Resume::Yes } else { Resume::Unproved })
    }

    /// A conversation of another version is refused for that reason, which says nothing about this one.
    fn refuse(&mut self, flight: Flight, detail: &str) {
        let Some(session) = &flight.resumed else { return };
        if self.begun.get(session).is_none_or(|begun| *begun != flight.version) {
            return;
        }
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
        let record = self.agents.entry(fact.agent.clone()).or_default();
        record.refusals = 0;
        record.probe = Some(Verdict { version: fact.version.clone(), failed });
    }
}
