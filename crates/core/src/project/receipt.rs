//! What was sent, what it cost, and what resuming saved.

use crate::event::{Certify, Decided, Entry, Event, Judgement, Player, Started};
use crate::ids::{AgentName, Role};
use crate::phase::Phase;
use crate::policy::Strategy;
use crate::prelude::*;
use crate::probe::Resume;
use crate::text::count;
use crate::ticket::Ticket;
use crate::usage::{Usage, Usd, grouped};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    pub v: u16,
    pub lines: Vec<ReceiptLine>,
    /// Who was sent to, in the order they were first.
    pub agents: Vec<ReceiptAgent>,
    /// Characters of all prompts as sent.
    pub sent_chars: u64,
    /// Characters the same dispatches would have sent with a fresh prompt each time.
    pub fresh_chars: u64,
    pub spent: Usage,
    /// Counted for dispatches whose end nobody saw; part of `spent.cost`.
    pub lost: Usd,
    /// How many dispatches a host did, which tells nobody what they cost.
    pub unknown: u32,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceiptLine {
    pub ticket: Ticket,
    pub agent: AgentName,
    pub strategy: String,
    pub why: String,
    pub prompt_chars: u64,
    pub usage: Usage,
    /// Whether nobody knows what it used and cost.
    pub unknown: bool,
    pub end: String,
}

/// An agent as it was when it was sent to, and how often it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceiptAgent {
    pub agent: AgentName,
    #[serde(flatten)]
    pub player: Player,
    pub dispatches: u32,
}

pub fn receipt(entries: &[Entry]) -> Receipt {
    let mut lines: Vec<ReceiptLine> = Vec::new();
    let mut reserved: BTreeMap<Ticket, Usd> = BTreeMap::new();
    let mut first: BTreeMap<(u16, String), u64> = BTreeMap::new();
    let mut receipt = Receipt {
        v: 1,
        lines: Vec::new(),
        agents: Vec::new(),
        sent_chars: 0,
        fresh_chars: 0,
        spent: Usage::default(),
        lost: Usd(0),
        unknown: 0,
        notes: Vec::new(),
    };
    for entry in entries {
        match &entry.event {
            Event::LoopOpened(opened) => {
                // A later pass has rules of its own.
                let before = format!("{}: certify off", opened.phase);
                receipt.notes.retain(|note| !note.starts_with(&before));
                if opened.certify == Certify::Off && opened.phase != Phase::Finish {
                    let what = match opened.panels.is_empty() {
                        true => "closed by gates only, no reviewer reads it",
                        false => "older approvals were not validated",
                    };
                    receipt.notes.push(format!("{before}, {what}"));
                }
            }
            Event::Decided(Decided { revision: Some(revision), unseen, by, .. }) if !unseen.is_empty() => {
                let names: Vec<&str> = unseen.iter().map(Role::as_str).collect();
                let (names, revision) = (names.join(", "), revision.short());
                receipt
                    .notes
                    .push(format!("{by} accepted revision {revision}, which {names} did not review"));
            }
            Event::AgentsMet(fact) => {
                for met in fact.agents.iter().filter(|met| met.resume == Resume::No) {
                    let note = format!("{}: conversations are not continued: {}", met.agent, met.why);
                    if !receipt.notes.contains(&note) {
                        receipt.notes.push(note);
                    }
                }
            }
            Event::Started(fact) => {
                let key = (fact.ticket.pass, fact.ticket.role.to_string());
                let resumed = fact.choice.strategy == Strategy::Resume;
                if !resumed {
                    first.insert(key.clone(), fact.prompt_chars);
                }
                receipt.sent_chars += fact.prompt_chars;
                receipt.fresh_chars +=
                    first.get(&key).copied().unwrap_or(fact.prompt_chars).max(fact.prompt_chars);
                reserved.insert(fact.ticket.clone(), fact.reserved);
                receipt.send(fact);
                lines.push(ReceiptLine {
                    ticket: fact.ticket.clone(),
                    agent: fact.agent.clone(),
                    strategy: fact.choice.strategy.name().to_owned(),
                    why: fact.choice.why.clone(),
                    prompt_chars: fact.prompt_chars,
                    usage: Usage::default(),
                    unknown: fact.pull,
                    end: "under way".to_owned(),
                });
            }
            Event::Answered(fact) => {
                let denied = fact.denials.iter().map(|what| format!("{}: denied: {what}", fact.ticket));
                receipt.notes.extend(denied);
                receipt.notes.extend(fact.notes.iter().map(|note| format!("{}: {note}", fact.ticket)));
                if let Some(hand) = fact.hand.as_ref().filter(|hand| hand.same) {
                    let (ticket, conversation) = (&fact.ticket, &hand.conversation);
                    receipt.notes.push(format!("{ticket}: same hand: {conversation} reviewed what it wrote"));
                }
                end(&mut lines, &fact.ticket, fact.usage, "answered");
            }
            Event::Raised(fact) => {
                reserved.insert(fact.ticket.clone(), fact.reserved);
            }
            Event::Failed(fact) => {
                let unknown = Usage {
                    cost: reserved.get(&fact.ticket).copied().unwrap_or_default(),
                    ..Usage::default()
                };
                end(&mut lines, &fact.ticket, fact.usage.unwrap_or(unknown), "failed");
            }
            Event::Lost(fact) => {
                receipt.lost = receipt.lost + fact.cost;
                end(&mut lines, &fact.ticket, Usage { cost: fact.cost, ..Usage::default() }, "lost");
            }
            Event::Judged(fact) => {
                let said = match fact.judgement {
                    Judgement::Approved => "approved",
                    Judgement::Rejected => "rejected",
                    Judgement::Repair { .. } => "not usable",
                    Judgement::NoVerdict { .. } => "no verdict",
                };
                if let Some(line) = lines.iter_mut().find(|line| line.ticket == fact.ticket) {
                    line.end = said.to_owned();
                }
            }
            Event::Drafted(fact) => {
                let said = match (&fact.revision, fact.commit.is_empty()) {
                    (None, _) => "wrote nothing",
                    (Some(_), true) => "unchanged",
                    (Some(_), false) => "written",
                };
                if let Some(line) = lines.iter_mut().find(|line| line.ticket == fact.ticket) {
                    line.end = said.to_owned();
                }
            }
            _ => {}
        }
    }
    for line in &lines {
        receipt.spent += line.usage;
        receipt.unknown += u32::from(line.unknown);
    }
    receipt.lines = lines;
    receipt
}

fn end(lines: &mut [ReceiptLine], ticket: &Ticket, usage: Usage, said: &str) {
    if let Some(line) = lines.iter_mut().find(|line| line.ticket == *ticket) {
        line.usage = usage;
        line.end = said.to_owned();
    }
}

impl Receipt {
    fn send(&mut self, fact: &Started) {
        let same = |one: &&mut ReceiptAgent| one.agent == fact.agent && one.player == fact.player;
        match self.agents.iter_mut().find(same) {
            Some(one) => one.dispatches += 1,
            None => {
                let (agent, player) = (fact.agent.clone(), fact.player.clone());
                self.agents.push(ReceiptAgent { agent, player, dispatches: 1 });
            }
        }
    }

    /// As people read it: one line a dispatch, then the sums.
    pub fn text(&self) -> String {
        let mut rows =
            vec![["dispatch", "how", "characters", "tokens in", "out", "cost", "end"].map(str::to_owned)];
        for line in &self.lines {
            let name = line.ticket.to_string();
            let known = |figure: String| if line.unknown { "-".to_owned() } else { figure };
            rows.push([
                name.split_once('/').map_or(name.as_str(), |(_, rest)| rest).to_owned(),
                line.strategy.clone(),
                grouped(line.prompt_chars),
                known(grouped(line.usage.input())),
                known(grouped(line.usage.output)),
                if line.unknown { "unknown".to_owned() } else { line.usage.cost.to_string() },
                line.end.clone(),
            ]);
        }
        let mut out = table(&rows);
        let (sent, fresh) = (grouped(self.sent_chars), grouped(self.fresh_chars));
        let percent = (self.sent_chars * 100).checked_div(self.fresh_chars).unwrap_or(100);
        out.push_str(&format!(
            "\nsent {sent} characters in {}; with a fresh prompt each time it would have been about {fresh} ({percent} %)\n",
            count(self.lines.len(), "dispatch")
        ));
        let unknown = match self.unknown {
            0 => String::new(),
            some => format!(" and what {} of hosts cost, which is unknown", count(some as usize, "dispatch")),
        };
        out.push_str(&format!("spent {}{unknown}; orchestration: 0 tokens\n", self.spent.cost));
        if self.lost > Usd(0) {
            out.push_str(&format!("of that {} count for dispatches that were lost\n", self.lost));
        }
        for ReceiptAgent { agent, player, dispatches } in &self.agents {
            let dispatches = count(*dispatches as usize, "dispatch");
            out.push_str(&format!("played by {}: {dispatches}\n", player.shown(agent)));
        }
        for note in &self.notes {
            out.push_str(&format!("{note}\n"));
        }
        out
    }
}

/// Columns padded to their widest cell; numbers to the right.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let mut out = String::new();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(width(column) - cell.chars().count());
            let number = (2..=5).contains(&column);
            line.push_str(&if number { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") });
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
