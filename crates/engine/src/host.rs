//! Work for hosts: programs that people already work in. A host comes for a piece of work, does it in a conversation of
//! its own and brings back the result.
//!
//! A host is an agent that is never run. Handing out is a start that is stored like any other, submitting an answer;
//! between the two no process holds the feature, and what was handed out is out until its expiry. Nothing here knows
//! how a host asks. Start at [`Submission`]; handing out is in `serving`.

use crate::ending::{EngineError, UnsentWork};
use crate::journal::Journal;
use crate::ports::{Agents, Inbox, Outcome, Resume};
use crate::redacting::outcome_without_secrets;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::DispatchOrder;
use redraft_facts::event::{Entry, Event, HostConversation, Started};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Ticket;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A piece of work as a host is given it.
#[derive(Debug, Clone, PartialEq)]
pub struct HostWork {
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
    /// The conversation that goes on with it; none where a fresh one is begun.
    pub conversation: Option<String>,
}

/// The conversations that a host can still go on with; none where it did not say that it keeps any, and then it is
/// given only whole pieces of work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeptConversations(Option<BTreeSet<SessionId>>);

impl KeptConversations {
    /// More than the seats of any feature that are open at a time. What is left out is asked afresh.
    const NAMES_MAX: usize = 200;

    /// As the host calls them.
    pub(crate) fn named(names: Option<&[String]>, redactor: &Redactor) -> KeptConversations {
        let stored = |name: &String| SessionId::new(stored_name(name, redactor));
        KeptConversations(names.map(|names| names.iter().take(Self::NAMES_MAX).map(stored).collect()))
    }

    /// Whether it keeps conversations at all.
    pub(crate) fn keeps_any(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn has(&self, conversation: &SessionId) -> bool {
        self.0.as_ref().is_some_and(|kept| kept.contains(conversation))
    }

    /// Whether an order's conversation is one of a host of this name, which still has it.
    pub(crate) fn continues(&self, order: &DispatchOrder, host: &AgentName) -> bool {
        order.conversation.as_ref().is_some_and(|talk| talk.agent == *host && self.has(&talk.id))
    }
}

/// What a host calls a conversation, as it is stored and compared.
fn stored_name(conversation: &str, redactor: &Redactor) -> String {
    HostConversation::name(&redactor.redact(conversation).0)
}

/// Why a submission was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmissionRefusal {
    /// The work was taken back, or is about something that has changed since.
    Stale,
    /// It was submitted before.
    Repeated,
    /// Nothing of that name was handed out.
    Unknown,
    /// It came too late.
    Expired,
    /// The conversation that wrote the text may not review it here.
    SameHand,
    /// It says that the work was begun, and holds no result.
    NoResult,
}

impl SubmissionRefusal {
    pub fn name(self) -> &'static str {
        match self {
            SubmissionRefusal::Stale => "stale",
            SubmissionRefusal::Repeated => "repeated",
            SubmissionRefusal::Unknown => "unknown",
            SubmissionRefusal::Expired => "expired",
            SubmissionRefusal::SameHand => "same_hand",
            SubmissionRefusal::NoResult => "no_result",
        }
    }
}

/// What is out with hosts: neither submitted nor expired.
pub(crate) fn out(journal: &Journal<'_>, inbox: &dyn Inbox) -> Result<Vec<(Ticket, i64)>, EngineError> {
    let Some(open) = &journal.state().open else { return Ok(Vec::new()) };
    let now_ms = journal.writer().clock.now_ms();
    let mut out = Vec::new();
    for started in open.handed_out().filter(|started| started.expires_ms > now_ms) {
        if kept(started, inbox)?.is_none() {
            out.push((started.ticket.clone(), started.expires_ms));
        }
    }
    Ok(out)
}

/// An answer that was submitted to a process which died before it could store it.
fn kept(started: &Started, inbox: &dyn Inbox) -> Result<Option<Outcome>, EngineError> {
    let (ticket, session) = (&started.ticket, started.session.as_ref());
    let kept = inbox.get(ticket, session.map_or("", |session| session.as_str()));
    kept.map_err(|detail| EngineError::Inbox { ticket: ticket.clone(), detail })
}

/// Which orders are for hosts, and which are for agents that are sent to.
pub(crate) fn divide(orders: Vec<DispatchOrder>, agents: &dyn Agents) -> Result<UnsentWork, EngineError> {
    let mut unsent = UnsentWork::default();
    for order in orders {
        let agent = agents.agent_for(&order.ticket.role).map_err(EngineError::Agent)?;
        match agent.abilities().pull {
            true => unsent.hosts.push(order),
            false => unsent.others.push(order),
        }
    }
    Ok(unsent)
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
        stored_name(self.conversation, redactor)
    }

    /// Keeps it where the process that drives the feature finds it, or says why it is not taken. The feature need not
    /// be ours: the next process that drives it stores what is kept, but only while the work is out.
    pub fn keep(
        &self,
        state: &Pipeline,
        entries: &[Entry],
        inbox: &dyn Inbox,
        redactor: &Redactor,
        now_ms: i64,
    ) -> Result<Result<Outcome, (SubmissionRefusal, String)>, EngineError> {
        let conversation = self.named(redactor);
        if let Some(refused) = self.refusal(state, entries, &conversation, now_ms) {
            return Ok(Err(refused));
        }
        let out = state.open.as_ref().and_then(|open| {
            let started = open.handed_out().find(|started| started.ticket == *self.ticket)?;
            Some((started, open.is_same_hand(self.ticket, &conversation)))
        });
        let Some((started, same)) = out else { return Ok(Err(gone_on(self.ticket))) };
        // What is not remembered is not ordered to go on.
        let session = kept_then(entries, started).then(|| SessionId::new(&conversation));
        let hand = Some(HostConversation { conversation, same });
        let outcome = Outcome { text: self.text.to_owned(), session, hand, ..Outcome::default() };
        let outcome = outcome_without_secrets(outcome, redactor);
        let session = started.session.as_ref().map_or("", |session| session.as_str());
        let kept = inbox.put(self.ticket, session, &outcome);
        kept.map_err(|detail| EngineError::Inbox { ticket: self.ticket.clone(), detail })?;
        Ok(Ok(outcome))
    }

    /// The reason it would be refused; none where it would be taken.
    pub fn refused(
        &self,
        state: &Pipeline,
        entries: &[Entry],
        redactor: &Redactor,
        now_ms: i64,
    ) -> Option<(SubmissionRefusal, String)> {
        self.refusal(state, entries, &self.named(redactor), now_ms)
    }

    fn refusal(
        &self,
        state: &Pipeline,
        entries: &[Entry],
        conversation: &str,
        now_ms: i64,
    ) -> Option<(SubmissionRefusal, String)> {
        let ticket = self.ticket;
        let started = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Started(fact) if fact.ticket == *ticket => Some(fact),
            _ => None,
        });
        let Some(started) = started.filter(|started| started.pull) else {
            return Some((SubmissionRefusal::Unknown, format!("{ticket} was never handed out")));
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
                return Some((SubmissionRefusal::NoResult, why));
            }
            let same = open.is_same_hand(ticket, conversation) && !open.allows_same_hand(ticket);
            return same.then(|| {
                let why = format!(
                    "`{conversation}` wrote some of what {ticket} is about, so it cannot review it; do it in a \
                     conversation that has not seen the writing, and submit that under its own name"
                );
                (SubmissionRefusal::SameHand, why)
            });
        }
        for entry in entries.iter().rev() {
            match &entry.event {
                Event::Answered(fact) if fact.ticket == *ticket => {
                    return Some((SubmissionRefusal::Repeated, format!("{ticket} was submitted before")));
                }
                // Its conversation was not the one that was to go on.
                Event::Failed(fact) if fact.ticket == *ticket => {
                    return Some((SubmissionRefusal::Repeated, format!("{ticket} was submitted before")));
                }
                Event::Lost(fact) if fact.ticket == *ticket && started.expires_ms <= entry.at_ms => {
                    return Some(expired(ticket));
                }
                Event::Lost(fact) if fact.ticket == *ticket => {
                    return Some((SubmissionRefusal::Stale, format!("{ticket} was taken back")));
                }
                _ => {}
            }
        }
        Some(gone_on(ticket))
    }
}

/// Whether the host that was given this said that it keeps conversations, and nothing had shown otherwise.
fn kept_then(entries: &[Entry], started: &Started) -> bool {
    let given =
        |entry: &&Entry| matches!(&entry.event, Event::Started(fact) if fact.ticket == started.ticket);
    let met = entries.iter().rev().skip_while(|entry| !given(entry)).find_map(|entry| match &entry.event {
        Event::AgentsMet(met) => met.agents.iter().find(|met| met.agent == started.agent),
        _ => None,
    });
    met.is_some_and(|met| met.resume != Resume::No)
}

/// Whether a text is only the note of Claude Code's tool that a subagent was started in the background. Taken for a
/// result, it would use up an attempt while the subagent is still at work.
fn is_begun_only(text: &str) -> bool {
    const NOTE: &str = "Async agent launched";
    const WITHIN_CHARS: usize = 120;
    // A host may submit it with the object around it.
    text.chars().take(WITHIN_CHARS).collect::<String>().contains(NOTE)
}

fn gone_on(ticket: &Ticket) -> (SubmissionRefusal, String) {
    (SubmissionRefusal::Stale, format!("the feature has gone on without {ticket}"))
}

fn expired(ticket: &Ticket) -> (SubmissionRefusal, String) {
    (SubmissionRefusal::Expired, format!("the time for {ticket} is over; it will be given out again"))
}
