//! The receipt of a feature: what was sent, and what it cost.

use super::line::line;
use redraft_core::bills::{Bill, Bills, EndedDispatch};
use redraft_cost::price::{Cards, UNLIMITED_ANSWER_TOKENS};
use redraft_facts::choice::Strategy;
use redraft_facts::event::{AgentIdentity, Certify, Decided, Entry, Event, Judgement, PlayerKind, Started};
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::probed::Resume;
use redraft_facts::text::count;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Money, Payment, Usage, Usd, grouped};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    pub v: u16,
    pub lines: Vec<ReceiptLine>,
    /// The agents that were sent to, in the order of their first dispatch.
    pub agents: Vec<ReceiptAgent>,
    /// Characters of all prompts as sent.
    pub sent_chars: u64,
    /// Characters the same dispatches would have sent with a fresh prompt each time.
    pub fresh_chars: u64,
    /// The tokens of all bills that are known, and what of them was charged.
    pub spent: Usage,
    /// What may have been charged in addition and is unknown, and for how many dispatches.
    pub unknown_micro_usd: Usd,
    pub unknown_bills: u32,
    /// What a subscription covered, and what went through a login that may be one, by the price list.
    pub covered_micro_usd: Usd,
    pub login_micro_usd: Usd,
    /// What is set aside for dispatches that are under way. Nothing of it is spent yet.
    pub reserved_micro_usd: Usd,
    /// What the budget counts of what has ended: all of these but what is reserved.
    pub counted_micro_usd: Usd,
    /// How many dispatches a host did, whose cost is never reported.
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
    /// Whether its usage and cost are unknown.
    pub unknown: bool,
    /// The most it may have cost in addition to what is known.
    pub at_most_micro_usd: Usd,
    /// Who pays for it: `key`, `subscription`, `login` or `unknown`.
    pub payment: Payment,
    /// Whether a person corrected its cost.
    pub corrected: bool,
    pub end: String,
}

/// An agent as it was when it was sent to, and how often it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceiptAgent {
    pub agent: AgentName,
    #[serde(flatten)]
    pub player: AgentIdentity,
    pub dispatches: u32,
}

pub fn receipt(entries: &[Entry]) -> Receipt {
    let mut lines: Vec<ReceiptLine> = Vec::new();
    let mut bills = Bills::default();
    let mut first: BTreeMap<(u16, String), u64> = BTreeMap::new();
    let mut reserved: BTreeMap<Ticket, Usd> = BTreeMap::new();
    let mut receipt = Receipt {
        v: 1,
        lines: Vec::new(),
        agents: Vec::new(),
        sent_chars: 0,
        fresh_chars: 0,
        spent: Usage::default(),
        unknown_micro_usd: Usd(0),
        unknown_bills: 0,
        covered_micro_usd: Usd(0),
        login_micro_usd: Usd(0),
        reserved_micro_usd: Usd(0),
        counted_micro_usd: Usd(0),
        unknown: 0,
        notes: Vec::new(),
    };
    for entry in entries {
        let ended = bills.take(&entry.event);
        if let Some(ended) = &ended {
            reserved.remove(&ended.ticket);
        }
        match &entry.event {
            Event::Raised(fact) => {
                reserved.insert(fact.ticket.clone(), fact.reserved);
            }
            Event::LoopOpened(opened) => {
                // A later pass has its own rules.
                let before = format!("{}: certify off", opened.phase);
                receipt.notes.retain(|note| !note.starts_with(&before));
                if opened.certify == Certify::Off && opened.phase != Phase::Finish {
                    let what = match opened.panels.is_empty() {
                        true => "closed by gates only; no reviewer reads it",
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
                    let note = format!("{}: conversations are not continued: {}", met.agent, met.reason());
                    if !receipt.notes.contains(&note) {
                        receipt.notes.push(note);
                    }
                }
            }
            Event::Checked(fact) => {
                let level = fact.checkout.as_ref().and_then(|checkout| checkout.sandbox.as_ref());
                receipt.contained("checks", level);
            }
            Event::Started(fact) => {
                let what = match fact.player.kind {
                    PlayerKind::Claude | PlayerKind::Codex => fact.agent.to_string(),
                    _ => format!("commands of {}", fact.agent),
                };
                receipt.contained(&what, fact.sandbox.as_ref());
                let key = (fact.ticket.pass, fact.ticket.role.to_string());
                let resumed = fact.choice.strategy == Strategy::Resume;
                if !resumed {
                    first.insert(key.clone(), fact.prompt_chars);
                }
                receipt.sent_chars += fact.prompt_chars;
                receipt.unknown += u32::from(fact.pull);
                receipt.fresh_chars +=
                    first.get(&key).copied().unwrap_or(fact.prompt_chars).max(fact.prompt_chars);
                receipt.send(fact);
                reserved.insert(fact.ticket.clone(), fact.reserved);
                if let Some(note) = without_limit(fact).filter(|note| !receipt.notes.contains(note)) {
                    receipt.notes.push(note);
                }
                lines.push(ReceiptLine {
                    ticket: fact.ticket.clone(),
                    agent: fact.agent.clone(),
                    strategy: fact.choice.strategy.name().to_owned(),
                    why: fact.choice.why.clone(),
                    prompt_chars: fact.prompt_chars,
                    usage: Usage::default(),
                    unknown: fact.pull,
                    at_most_micro_usd: Usd(0),
                    payment: Payment::Unknown,
                    corrected: false,
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
                end(&mut lines, ended, "answered");
            }
            Event::CostCorrected(fact) => {
                let said = lines.iter().find(|line| line.ticket == fact.ticket).map(|line| line.end.clone());
                end(&mut lines, ended, &said.unwrap_or_default());
                if let Some(line) = lines.iter_mut().find(|line| line.ticket == fact.ticket) {
                    line.corrected = true;
                }
                receipt.notes.push(line(&entry.event));
            }
            Event::Failed(_) => end(&mut lines, ended, "failed"),
            Event::Lost(_) => end(&mut lines, ended, "lost"),
            Event::Judged(fact) => {
                let said = match fact.judgement {
                    Judgement::Approved if fact.is_computed() => "approved (computed)",
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
    let money = bills.total();
    lines.iter().for_each(|line| receipt.spent += line.usage);
    receipt.spent.cost = money.spent;
    receipt.unknown_micro_usd = money.unknown;
    receipt.unknown_bills = money.unknown_bills;
    receipt.covered_micro_usd = money.covered;
    receipt.login_micro_usd = money.login;
    receipt.counted_micro_usd = money.counted();
    receipt.reserved_micro_usd = reserved.values().fold(Usd(0), |sum, one| sum + *one);
    receipt.lines = lines;
    receipt
}

/// The warning that one answer can exceed the budget, where the agent cannot limit its length; with the amount, by the
/// price list.
fn without_limit(fact: &Started) -> Option<String> {
    if fact.player.kind != PlayerKind::Codex || fact.reserved == Usd(0) {
        return None;
    }
    let tokens = grouped(UNLIMITED_ANSWER_TOKENS);
    let beyond = match Cards::builtin().find(&fact.player.model) {
        Ok(card) => format!(" by at most {}", card.beyond(UNLIMITED_ANSWER_TOKENS)),
        Err(_) => String::new(),
    };
    let agent = &fact.agent;
    Some(format!(
        "{agent}: Codex does not limit its answers; one of more than {tokens} tokens can exceed the budget{beyond}"
    ))
}

fn end(lines: &mut [ReceiptLine], ended: Option<EndedDispatch>, said: &str) {
    let Some(ended) = ended else { return };
    let Some(line) = lines.iter_mut().find(|line| line.ticket == ended.ticket) else { return };
    line.at_most_micro_usd = ended.money().unknown;
    line.payment = ended.payment;
    line.end = said.to_owned();
    line.unknown = false;
    match ended.bill {
        Bill::Known(usage) => line.usage = usage,
        Bill::Unknown { .. } => line.unknown = true,
        Bill::UnderWay => {}
    }
}

impl ReceiptLine {
    fn cost(&self) -> String {
        match (self.unknown, self.payment, self.at_most_micro_usd) {
            (true, ..) => "unknown".to_owned(),
            _ if self.corrected => format!("{} corrected", self.usage.cost),
            (false, Payment::Subscription, Usd(0)) => format!("{} covered", self.usage.cost),
            (false, Payment::Login, Usd(0)) => format!("{} login", self.usage.cost),
            (false, _, Usd(0)) => self.usage.cost.to_string(),
            (false, ..) => format!("{} + unknown", self.usage.cost),
        }
    }
}

impl Receipt {
    /// How far commands were held to a sandbox, once for each that was reached.
    fn contained(&mut self, what: &str, level: Option<&String>) {
        let note = level.map(|level| format!("sandbox of {what}: {level}"));
        self.notes.extend(note.filter(|note| !self.notes.contains(note)));
    }

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

    fn money(&self) -> Money {
        Money {
            spent: self.spent.cost,
            covered: self.covered_micro_usd,
            login: self.login_micro_usd,
            unknown: self.unknown_micro_usd,
            unknown_bills: self.unknown_bills,
        }
    }

    /// What it cost, in one line: `cost: $0.1200 billed, at most $0.5509 unknown (…)`.
    pub fn cost(&self) -> String {
        format!("cost: {}", billed_apart(&self.money(), self.reserved_micro_usd, self.unknown))
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
                line.cost(),
                line.end.clone(),
            ]);
        }
        let mut out = table(&rows);
        let Usage { read, output, .. } = self.spent;
        out.push_str(&format!(
            "\n{}: {} tokens in, {} of them read from a cache, and {} out\n{}\n",
            count(self.lines.len(), "dispatch"),
            grouped(self.spent.input()),
            grouped(read),
            grouped(output),
            self.cost()
        ));
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

/// What was billed, what is reserved, and what is unknown, apart: nothing is called spent that was only reserved. `hosts`
/// dispatches were done by hosts, which do not say what they cost.
pub fn billed_apart(money: &Money, reserved: Usd, hosts: u32) -> String {
    let dispatches = |number: u32| count(number as usize, "dispatch");
    let Money { spent, covered, login, unknown, unknown_bills } = *money;
    let mut parts = vec![format!("{spent} billed")];
    if reserved > Usd(0) {
        parts.push(format!("{reserved} reserved for what is under way"));
    }
    if unknown > Usd(0) {
        let who = dispatches(unknown_bills);
        parts.push(format!("at most {unknown} unknown ({who} interrupted, failed or without a bill)"));
    }
    if covered > Usd(0) {
        parts.push(format!("{covered} covered by your subscription, at list prices"));
    }
    if login > Usd(0) {
        parts.push(format!("{login} through your login, at list prices, covered if that is a subscription"));
    }
    if hosts > 0 {
        parts.push(format!("unknown for {} by hosts", dispatches(hosts)));
    }
    let apart = parts.len() > 1 + usize::from(hosts > 0);
    let counted =
        if apart { format!("; the budget counts {}", money.counted() + reserved) } else { String::new() };
    format!("{}{counted}", parts.join(", "))
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
