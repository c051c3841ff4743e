//! Who wrote and who judged what, joined by ticket.
//!
//! [`Players`] is a fold over events, part of a feature's state and usable alone. A dispatch is stored with its player, a verdict
//! and a draft with their ticket; everything that names who judged asks here.

use crate::review::Loop;
use core::fmt;
use redraft_facts::event::{Drafted, Entry, Event, Judgement, Player, PlayerKind, RetroWritten};
use redraft_facts::findings::FindingChange;
use redraft_facts::ids::{AgentName, FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use serde::{Deserialize, Serialize};

/// An agent under its name, as it was at a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    pub agent: AgentName,
    pub player: Player,
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.player.shown(&self.agent))
    }
}

/// A role and who played it, as programs read it. What is not known, or is not there, is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    pub role: Role,
    pub agent: AgentName,
    pub kind: PlayerKind,
    pub program: String,
    pub version: String,
    pub model: String,
}

impl PlayedBy {
    pub fn new(role: &Role, played: &Played) -> PlayedBy {
        let Player { kind, program, version, model } = played.player.clone();
        PlayedBy { role: role.clone(), agent: played.agent.clone(), kind, program, version, model }
    }

    pub fn is_rehearsed(&self) -> bool {
        self.kind == PlayerKind::Rehearsal
    }

    /// Who played it, as people read it.
    pub fn shown(&self) -> String {
        let PlayedBy { agent, kind, program, version, model, .. } = self;
        Player { kind: *kind, program: program.clone(), version: version.clone(), model: model.clone() }
            .shown(agent)
    }
}

/// `rehearsal, no model: spec-reviewer, phase-reviewer; claude (Claude Code 2.1.325), claude-sonnet-5.5: design-reviewer`.
pub fn in_words(all: &[PlayedBy]) -> String {
    let mut grouped: Vec<(String, Vec<&str>)> = Vec::new();
    for one in all {
        let (shown, role) = (one.shown(), one.role.as_str());
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
pub struct Players {
    sent: BTreeMap<Ticket, Played>,
    /// The last verdict of each role in each pass of a phase; certificates apart.
    verdicts: BTreeMap<(Phase, u16, Role, bool), Ticket>,
    /// For each phase, role and player the first dispatch that changed something.
    wrote: Vec<Ticket>,
    /// Where each finding was first raised.
    raised: BTreeMap<(Phase, FindingId), Ticket>,
}

impl Players {
    pub fn of(entries: &[Entry]) -> Players {
        let mut players = Players::default();
        entries.iter().for_each(|entry| players.take(&entry.event));
        players
    }

    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Started(fact) => {
                let played = Played { agent: fact.agent.clone(), player: fact.player.clone() };
                self.sent.insert(fact.ticket.clone(), played);
            }
            Event::Judged(fact) => {
                let Ticket { phase, pass, role, purpose, .. } = &fact.ticket;
                if matches!(fact.judgement, Judgement::Approved | Judgement::Rejected) {
                    let seat = (*phase, *pass, role.clone(), *purpose == Purpose::Certify);
                    self.verdicts.insert(seat, fact.ticket.clone());
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

    pub fn played(&self, ticket: &Ticket) -> Option<&Played> {
        self.sent.get(ticket)
    }

    /// Who was sent this, as people read it; empty where nobody was.
    pub fn shown(&self, ticket: &Ticket) -> String {
        self.played(ticket).map(ToString::to_string).unwrap_or_default()
    }

    /// Who was sent this, as programs read it.
    pub fn played_by(&self, ticket: &Ticket) -> Option<PlayedBy> {
        self.played(ticket).map(|played| PlayedBy::new(&ticket.role, played))
    }

    /// Who raised a finding of this phase.
    pub fn raised_by(&self, phase: Phase, finding: &FindingId) -> Option<PlayedBy> {
        self.raised.get(&(phase, finding.clone())).and_then(|ticket| self.played_by(ticket))
    }

    /// Who gave the last verdict of each role in this loop, in the order of its panels.
    pub fn judges(&self, of: &Loop) -> Vec<PlayedBy> {
        let (phase, pass) = (of.opened.phase, of.opened.pass);
        let verdict = |role: &Role, fresh: bool| {
            let ticket = self.verdicts.get(&(phase, pass, role.clone(), fresh))?;
            self.played_by(ticket)
        };
        let all =
            of.reviewers.iter().flat_map(|seat| [verdict(&seat.role, false), verdict(&seat.role, true)]);
        distinct(all.flatten())
    }

    /// Who wrote what this phase is about, in all passes: a later one goes on with what is there.
    pub fn writers(&self, phase: Phase) -> Vec<PlayedBy> {
        let tickets = self.wrote.iter().filter(|ticket| ticket.phase == phase);
        distinct(tickets.filter_map(|ticket| self.played_by(ticket)))
    }
}

pub(crate) fn distinct(all: impl Iterator<Item = PlayedBy>) -> Vec<PlayedBy> {
    let mut list: Vec<PlayedBy> = Vec::new();
    for one in all {
        if !list.contains(&one) {
            list.push(one);
        }
    }
    list
}

#[cfg(test)]
mod tests;
