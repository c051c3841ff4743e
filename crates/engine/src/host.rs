//! Work for hosts: programs in which people already work, that come for a piece of work, do it in a conversation of their
//! own and bring back what came of it.
//!
//! A host is an agent that is never run. Handing out is a start that is stored like any other, submitting an answer;
//! between the two nobody holds the feature, and what was handed out is out until its expiry. Nothing here knows how a
//! host asks. Start at [`Run::hand_out`] and [`Submission`].

use crate::dispatch::{clean, tools};
use crate::driver::{EngineError, Parts, Run};
use crate::ending::Owed;
use crate::ports::{Agent, AgentError, Inbox, Outcome};
use redraft_core::event::{Entry, Event, Failed, Hand, Now, Started};
use redraft_core::ids::Role;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::policy::Strategy;
use redraft_core::price::{Budget, OverBudget};
use redraft_core::prompt::{Prompt, schema_for};
use redraft_core::redact::Redactor;
use redraft_core::review::{Effect, Order};
use redraft_core::ticket::Ticket;
use redraft_core::usage::Usd;
use std::path::PathBuf;
use std::sync::Arc;

/// A piece of work as a host is given it.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    pub ticket: Ticket,
    pub prompt: Prompt,
    /// What the role may use.
    pub tools: Vec<String>,
    /// The form of the answer.
    pub schema: &'static str,
    pub folder: PathBuf,
    /// What it may change, relative to the folder; `!` before what it may not.
    pub writes: Vec<String>,
    /// Until when it may be submitted, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// Why a submission was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The work was taken back, or is about something that has gone on since.
    Stale,
    /// It was submitted before.
    Repeated,
    /// Nothing of that name was handed out.
    Unknown,
    /// It came after its time.
    Expired,
    /// Whoever wrote the text may not review it here.
    SameHand,
    /// It says that the work was begun, not what came of it.
    NoResult,
}

impl Refusal {
    pub fn name(self) -> &'static str {
        match self {
            Refusal::Stale => "stale",
            Refusal::Repeated => "repeated",
            Refusal::Unknown => "unknown",
            Refusal::Expired => "expired",
            Refusal::SameHand => "same_hand",
            Refusal::NoResult => "no_result",
        }
    }
}

impl Run<'_> {
    /// Sends nothing itself: whatever is to be sent is left to hosts, or to another run.
    pub fn serve(&mut self) {
        self.serves = true;
    }

    /// Ends what a crash left open, reads what was answered, and says what is out with hosts: nothing else is under way
    /// then.
    pub fn settle(&mut self) -> Result<Vec<(Ticket, i64)>, EngineError> {
        loop {
            let out = self.out()?;
            let is_out = |ticket: &Ticket| out.iter().any(|(one, _)| one == ticket);
            let next = pipeline::pending(self.journal.state()).into_iter().find(|effect| match effect {
                Effect::Recover(ticket) => !is_out(ticket),
                Effect::Snapshot(_) | Effect::Judge(_) => true,
                _ => false,
            });
            match next {
                Some(Effect::Recover(ticket)) => self.recover(&ticket)?,
                Some(Effect::Snapshot(ticket) | Effect::Judge(ticket)) => self.conclude(&ticket)?,
                _ => return Ok(out),
            }
        }
    }

    /// What is out with hosts: neither submitted nor expired, nor taken back by this run.
    pub(crate) fn out(&self) -> Result<Vec<(Ticket, i64)>, EngineError> {
        let Some(open) = self.journal.state().open.as_ref().filter(|_| !self.sends_now) else {
            return Ok(Vec::new());
        };
        let now_ms = self.parts.clock.now_ms();
        let mut out = Vec::new();
        for started in open.handed_out().filter(|started| started.expires_ms > now_ms) {
            if self.kept(started)?.is_none() {
                out.push((started.ticket.clone(), started.expires_ms));
            }
        }
        Ok(out)
    }

    /// An answer that was submitted to a process which died before it could store it.
    fn kept(&self, started: &Started) -> Result<Option<Outcome>, EngineError> {
        let (ticket, session) = (&started.ticket, started.session.as_ref());
        let kept = self.parts.inbox.get(ticket, session.map_or("", |session| session.as_str()));
        kept.map_err(|detail| EngineError::Inbox { ticket: ticket.clone(), detail })
    }

    /// Which orders are for hosts, and which are for agents that are sent to.
    pub(crate) fn divide(&self, orders: Vec<Order>) -> Result<Owed, EngineError> {
        let mut owed = Owed::default();
        for order in orders {
            match self.agent_of(&order.ticket.role)?.abilities().pull {
                true => owed.hosts.push(order),
                false => owed.others.push(order),
            }
        }
        Ok(owed)
    }

    fn agent_of(&self, role: &Role) -> Result<Arc<dyn Agent>, EngineError> {
        self.parts.agents.agent_for(role).map_err(EngineError::Agent)
    }

    /// Stores that a host has this to do. What is owed may be another thing afterwards: a turn in a conversation with
    /// another agent is nothing that a host can take, and is ordered anew.
    pub fn hand_out(&mut self, order: &Order) -> Result<Result<(), OverBudget>, EngineError> {
        let mark = self.mark_round()?;
        let budget = Budget {
            limit: self.rules.budget,
            spent: self.journal.state().money.counted(),
            in_flight: Usd(0),
        };
        if let Err(over) = self.start(order, &mark, budget)? {
            return Ok(Err(over));
        }
        let started = self.started(&order.ticket);
        if started.is_some_and(|started| started.choice.strategy == Strategy::Resume) {
            let ticket = order.ticket.clone();
            let detail = "a host continues no conversation with another agent".to_owned();
            let (now, usage, undone) = (Now::FreshSession, AgentError::UNBILLED, Vec::new());
            self.journal.record(Failed { ticket, now, detail, usage, undone })?;
        }
        Ok(Ok(()))
    }

    /// What a host that has a ticket is given, as often as it asks; none where it is not out.
    pub fn work(&self, ticket: &Ticket) -> Result<Option<Work>, EngineError> {
        let Some(open) = &self.journal.state().open else { return Ok(None) };
        let Some(started) = open.handed_out().find(|started| started.ticket == *ticket) else {
            return Ok(None);
        };
        let blob = self.parts.store.blob(&started.prompt)?;
        let unreadable = |error: serde_json::Error| {
            EngineError::Agent(format!("the stored prompt of {ticket} cannot be read: {error}"))
        };
        let prompt: Prompt = serde_json::from_slice(&blob).map_err(unreadable)?;
        let agent = self.agent_of(&ticket.role)?;
        let (tools, _) = tools(ticket, &open.opened.panels, self.setting().papers, agent.as_ref());
        Ok(Some(Work {
            ticket: ticket.clone(),
            prompt,
            tools,
            schema: schema_for(ticket.purpose),
            folder: self.place_of(ticket)?,
            writes: self.may_write(ticket)?,
            expires_ms: started.expires_ms,
        }))
    }

    /// Stores what came of a piece of work. What that means is found out by the next drive.
    pub fn submit(
        &mut self,
        submission: &Submission<'_>,
    ) -> Result<Result<(), (Refusal, String)>, EngineError> {
        let Parts { inbox, redactor, clock, boundaries, .. } = self.parts;
        let ticket = submission.ticket;
        boundaries.pass("before a submission is kept");
        let kept =
            submission.keep(self.journal.state(), self.journal.entries(), inbox, redactor, clock.now_ms())?;
        let outcome = match kept {
            Ok(outcome) => outcome,
            Err(refused) => return Ok(Err(refused)),
        };
        boundaries.pass("a submission is kept");
        // It was found to be out.
        let Some(started) = self.started(ticket) else { return Ok(Ok(())) };
        let wall_ms = self.parts.clock.now_ms().saturating_sub(self.began_ms(ticket)).max(0) as u64;
        self.store_answer(ticket, &started.tree, outcome, wall_ms)?;
        Ok(Ok(()))
    }

    fn began_ms(&self, ticket: &Ticket) -> i64 {
        let started = |event: &Event| matches!(event, Event::Started(fact) if fact.ticket == *ticket);
        let entry = self.journal.entries().iter().rev().find(|entry| started(&entry.event));
        entry.map_or(self.parts.clock.now_ms(), |entry| entry.at_ms)
    }
}

/// What a host hands in.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'a> {
    pub ticket: &'a Ticket,
    pub text: &'a str,
    /// What the host calls the conversation that did the work.
    pub conversation: &'a str,
}

impl Submission<'_> {
    fn named(&self, redactor: &Redactor) -> String {
        Hand::name(&redactor.redact(self.conversation).0)
    }

    /// Keeps it where whoever drives the feature finds it, or says why it is not taken. The feature need not be ours: what
    /// is kept is stored by whoever drives it next, and only while it is out.
    pub fn keep(
        &self,
        state: &Pipeline,
        entries: &[Entry],
        inbox: &dyn Inbox,
        redactor: &Redactor,
        now_ms: i64,
    ) -> Result<Result<Outcome, (Refusal, String)>, EngineError> {
        let conversation = self.named(redactor);
        if let Some(refused) = self.refusal(state, entries, &conversation, now_ms) {
            return Ok(Err(refused));
        }
        let out = state.open.as_ref().and_then(|open| {
            let started = open.handed_out().find(|started| started.ticket == *self.ticket)?;
            Some((started, open.is_same_hand(self.ticket, &conversation)))
        });
        let Some((started, same)) = out else { return Ok(Err(gone_on(self.ticket))) };
        let hand = Some(Hand { conversation, same });
        let outcome = Outcome { text: self.text.to_owned(), hand, ..Outcome::default() };
        let outcome = clean(outcome, redactor);
        let session = started.session.as_ref().map_or("", |session| session.as_str());
        let kept = inbox.put(self.ticket, session, &outcome);
        kept.map_err(|detail| EngineError::Inbox { ticket: self.ticket.clone(), detail })?;
        Ok(Ok(outcome))
    }

    /// Why it would not be taken; none where it would.
    pub fn refused(
        &self,
        state: &Pipeline,
        entries: &[Entry],
        redactor: &Redactor,
        now_ms: i64,
    ) -> Option<(Refusal, String)> {
        self.refusal(state, entries, &self.named(redactor), now_ms)
    }

    fn refusal(
        &self,
        state: &Pipeline,
        entries: &[Entry],
        conversation: &str,
        now_ms: i64,
    ) -> Option<(Refusal, String)> {
        let ticket = self.ticket;
        let started = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Started(fact) if fact.ticket == *ticket => Some(fact),
            _ => None,
        });
        let Some(started) = started.filter(|started| started.pull) else {
            return Some((Refusal::Unknown, format!("{ticket} was never handed out")));
        };
        let open = state.open.as_ref();
        if let Some(open) = open.filter(|open| open.handed_out().any(|one| one.ticket == *ticket)) {
            if started.expires_ms <= now_ms {
                return Some(expired(ticket));
            }
            if is_begun_only(self.text) {
                let why = format!(
                    "this says that a subagent was started in the background, not what it answered; wait for its last \
                     message and submit that, or start it again in the foreground (`run_in_background: false`). {ticket} is \
                     still yours"
                );
                return Some((Refusal::NoResult, why));
            }
            let same = open.is_same_hand(ticket, conversation) && !open.allows_same_hand(ticket);
            return same.then(|| {
                let why = format!(
                    "`{conversation}` wrote some of what {ticket} is about, so it cannot review it; do it in a \
                     conversation that has not seen the writing, and submit that under its own name"
                );
                (Refusal::SameHand, why)
            });
        }
        for entry in entries.iter().rev() {
            match &entry.event {
                Event::Answered(fact) if fact.ticket == *ticket => {
                    return Some((Refusal::Repeated, format!("{ticket} was submitted before")));
                }
                Event::Lost(fact) if fact.ticket == *ticket && started.expires_ms <= entry.at_ms => {
                    return Some(expired(ticket));
                }
                Event::Lost(fact) if fact.ticket == *ticket => {
                    return Some((Refusal::Stale, format!("{ticket} was taken back")));
                }
                _ => {}
            }
        }
        Some(gone_on(ticket))
    }
}

/// Whether a text is what Claude Code's tool says when it has started a subagent in the background. Taken for a result it
/// would use up an attempt while the subagent is at work.
fn is_begun_only(text: &str) -> bool {
    const NOTE: &str = "Async agent launched";
    const WITHIN_CHARS: usize = 120;
    // A host may hand it in with the object around it.
    text.chars().take(WITHIN_CHARS).collect::<String>().contains(NOTE)
}

fn gone_on(ticket: &Ticket) -> (Refusal, String) {
    (Refusal::Stale, format!("the feature has gone on without {ticket}"))
}

fn expired(ticket: &Ticket) -> (Refusal, String) {
    (Refusal::Expired, format!("the time for {ticket} is over; it will be given out again"))
}
