//! Records who wrote and who judged what, joined by ticket.
//!
//! [`Attribution`] is a fold over events, part of a feature's state and usable alone. A dispatch is stored with its
//! agent, a verdict and a draft with their ticket; everything that names who judged asks here.

use crate::review::Loop;
use core::fmt;
use redraft_facts::event::{AgentIdentity, Drafted, Entry, Event, Judgement, PlayerKind, RetroWritten};
use redraft_facts::findings::FindingChange;
use redraft_facts::ids::{AgentName, FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use serde::{Deserialize, Serialize};

/// What follows an approval that was computed.
pub const COMPUTED: &str = " (computed)";

/// What follows an approval that a person made of a rejection.
const OVERRULED: &str = " (rejected, overruled by a person)";

/// An agent under its name, as it was at a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedAgent {
    pub agent: AgentName,
    pub player: AgentIdentity,
}

impl fmt::Display for PlayedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.player.shown(&self.agent))
    }
}

/// A role and who played it, as programs read it. What is not known, or is not there, is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleAttribution {
    pub role: Role,
    pub agent: AgentName,
    pub kind: PlayerKind,
    pub program: String,
    pub version: String,
    pub model: String,
    /// Whether its approval was computed: it rejected, and all it rejected for is put aside.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub computed: bool,
}

impl RoleAttribution {
    pub fn new(role: &Role, played: &PlayedAgent) -> RoleAttribution {
        let AgentIdentity { kind, program, version, model } = played.player.clone();
        let (role, agent) = (role.clone(), played.agent.clone());
        RoleAttribution { role, agent, kind, program, version, model, computed: false }
    }

    /// `spec-reviewer`, or `spec-reviewer (computed)`.
    fn named(&self) -> String {
        format!("{}{}", self.role, if self.computed { COMPUTED } else { "" })
    }

    pub fn is_rehearsed(&self) -> bool {
        self.kind == PlayerKind::Rehearsal
    }

    /// Who played it, as people read it.
    pub fn shown(&self) -> String {
        let RoleAttribution { agent, kind, program, version, model, .. } = self;
        AgentIdentity {
            kind: *kind,
            program: program.clone(),
            version: version.clone(),
            model: model.clone(),
        }
        .shown(agent)
    }
}

/// `rehearsal, no model: spec-reviewer, phase-reviewer; claude (Claude Code 2.1.325), claude-sonnet-5.5: design-reviewer`.
pub fn in_words(all: &[RoleAttribution]) -> String {
    let mut grouped: Vec<(String, Vec<String>)> = Vec::new();
    for one in all {
        let (shown, role) = (one.shown(), one.named());
        match grouped.iter_mut().find(|(known, _)| *known == shown) {
            Some((_, roles)) if roles.contains(&role) => {}
            Some((_, roles)) => roles.push(role),
            None => grouped.push((shown, vec![role])),
        }
    }
    let parts: Vec<String> =
        grouped.into_iter().map(|(shown, roles)| format!("{shown}: {}", roles.join(", "))).collect();
    parts.join("; ")
}

/// Who was asked, who judged, and who wrote what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attribution {
    sent: BTreeMap<Ticket, PlayedAgent>,
    /// The last verdict of each role in each pass of a phase; certificates apart.
    verdicts: BTreeMap<(Phase, u16, Role, bool), Ticket>,
    /// The dispatches that rejected, and whose approval was computed.
    computed: BTreeSet<Ticket>,
    /// The dispatches that rejected. What they rejected for may be overruled later.
    rejected: BTreeSet<Ticket>,
    /// For each phase, role and agent the first dispatch that changed something.
    wrote: Vec<Ticket>,
    /// Where each finding was first raised.
    raised: BTreeMap<(Phase, FindingId), Ticket>,
}

impl Attribution {
    pub fn from_entries(entries: &[Entry]) -> Attribution {
        let mut players = Attribution::default();
        entries.iter().for_each(|entry| players.take(&entry.event));
        players
    }

    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Started(fact) => {
                let played = PlayedAgent { agent: fact.agent.clone(), player: fact.player.clone() };
                self.sent.insert(fact.ticket.clone(), played);
            }
            Event::Judged(fact) => {
                let Ticket { phase, pass, role, purpose, .. } = &fact.ticket;
                if matches!(fact.judgement, Judgement::Approved | Judgement::Rejected) {
                    let seat = (*phase, *pass, role.clone(), *purpose == Purpose::Certify);
                    self.verdicts.insert(seat, fact.ticket.clone());
                }
                if fact.judgement == Judgement::Rejected {
                    self.rejected.insert(fact.ticket.clone());
                }
                if fact.is_computed() {
                    self.computed.insert(fact.ticket.clone());
                }
                for change in &fact.changes {
                    if let FindingChange::Raised(finding) = change {
                        self.raised.insert((*phase, finding.id.clone()), fact.ticket.clone());
                    }
                }
            }
            Event::Drafted(Drafted { ticket, revision: Some(_), .. }) => self.write(ticket),
            Event::Built(fact) => self.write(&fact.ticket),
            Event::RetroWritten(RetroWritten { ticket: Some(ticket), .. }) => self.write(ticket),
            _ => {}
        }
    }

    fn write(&mut self, ticket: &Ticket) {
        let same = |known: &Ticket| {
            known.phase == ticket.phase
                && known.role == ticket.role
                && self.sent.get(known) == self.sent.get(ticket)
        };
        if !self.wrote.iter().any(same) {
            self.wrote.push(ticket.clone());
        }
    }

    pub fn played(&self, ticket: &Ticket) -> Option<&PlayedAgent> {
        self.sent.get(ticket)
    }

    /// Who this was sent to, as people read it; empty if it was sent to nobody.
    pub fn shown(&self, ticket: &Ticket) -> String {
        self.played(ticket).map(ToString::to_string).unwrap_or_default()
    }

    /// Who this was sent to, as programs read it.
    pub fn played_by(&self, ticket: &Ticket) -> Option<RoleAttribution> {
        self.played(ticket).map(|played| RoleAttribution::new(&ticket.role, played))
    }

    /// The same for who judged.
    pub fn judged_by(&self, ticket: &Ticket) -> Option<RoleAttribution> {
        let computed = self.computed.contains(ticket);
        self.played_by(ticket).map(|judge| RoleAttribution { computed, ..judge })
    }

    /// What follows the approval that this dispatch gave: nothing, unless it was computed.
    pub fn mark(&self, ticket: &Ticket) -> &'static str {
        if self.computed.contains(ticket) { COMPUTED } else { "" }
    }

    /// The same for an approval that may rest on a rejection whose findings a person overruled.
    pub fn mark_of_approval(&self, ticket: &Ticket) -> &'static str {
        if self.rejected.contains(ticket) { OVERRULED } else { self.mark(ticket) }
    }

    /// Who raised a finding of this phase.
    pub fn raised_by(&self, phase: Phase, finding: &FindingId) -> Option<RoleAttribution> {
        self.raised.get(&(phase, finding.clone())).and_then(|ticket| self.played_by(ticket))
    }

    /// Who gave the last verdict of each role in this loop, in the order of its panels.
    pub fn judges(&self, of: &Loop) -> Vec<RoleAttribution> {
        let (phase, pass) = (of.opened.phase, of.opened.pass);
        let verdict = |role: &Role, fresh: bool| {
            let ticket = self.verdicts.get(&(phase, pass, role.clone(), fresh))?;
            self.judged_by(ticket)
        };
        let all =
            of.reviewers.iter().flat_map(|seat| [verdict(&seat.role, false), verdict(&seat.role, true)]);
        distinct(all.flatten())
    }

    /// Who wrote what this phase is about, in all passes: a later one goes on with what is there.
    pub fn writers(&self, phase: Phase) -> Vec<RoleAttribution> {
        let tickets = self.wrote.iter().filter(|ticket| ticket.phase == phase);
        distinct(tickets.filter_map(|ticket| self.played_by(ticket)))
    }
}

pub(crate) fn distinct(all: impl Iterator<Item = RoleAttribution>) -> Vec<RoleAttribution> {
    let mut list: Vec<RoleAttribution> = Vec::new();
    for one in all {
        if !list.contains(&one) {
            list.push(one);
        }
    }
    list
}

#[cfg(test)]
mod tests;
