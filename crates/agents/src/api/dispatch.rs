//! One dispatch: sends the conversation and does what the model asks of its tools, until it answers.
//!
//! Every message is stored before the next request is sent, and the turn is closed when the answer is there; a failure
//! before that leaves the conversation as it was. Protocols are behind [`super::wire`]. Start at [`run`].

mod exchange;

use super::ApiAgent;
use super::missed::Continued;
use super::spend::{Spending, so_far};
use super::transcript::{Done, Transcript};
use super::trouble::{Trouble, is_too_long};
use super::wire::{Call, Counted, End, Fault, Listener, Said, joined};
use super::writing_progress::doing;
use crate::http::HttpError;
use crate::http::retry::{self, Failure, Retry};
use crate::tools::{ToolResult, Toolbox};
use redraft_documents::answer;
use redraft_engine::ports::{AgentError, Moment, Outcome, Request, RunHandle};
use redraft_facts::choice::Lifetime;
use redraft_facts::event::AfterFailure;
use redraft_facts::usage::{Payment, Usage, Usd, grouped};
use std::hash::{DefaultHasher, Hash, Hasher};

pub(super) fn run(agent: &ApiAgent, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
    let toolbox = Toolbox::new(&request.folder, &request.may_write, &request.tools)
        .map(|toolbox| toolbox.in_slot(request.slot));
    let toolbox = toolbox.map_err(|why| agent.error(AfterFailure::GiveUp, &why, AgentError::UNBILLED))?;
    let began = watch.moment();
    let until = began.plus_ms(request.deadlines.total_ms);
    let toolbox = toolbox.with_commands(agent.commands.clone()).with_deadline(until);
    let dispatch = Dispatch {
        agent,
        request,
        watch,
        began,
        asked: 0,
        asked_ms: None,
        toolbox,
        spending: Spending::new(&agent.card),
        unknown: Usd(0),
        opened: Vec::new(),
        denials: Vec::new(),
        notes: Vec::new(),
    };
    dispatch.run()
}

struct Dispatch<'a> {
    agent: &'a ApiAgent,
    request: &'a Request,
    watch: &'a dyn RunHandle,
    began: Moment,
    /// Requests sent, repetitions included.
    asked: u64,
    /// When the last of them was.
    asked_ms: Option<i64>,
    toolbox: Toolbox,
    spending: Spending<'a>,
    /// How much of the sum is on no bill.
    unknown: Usd,
    opened: Vec<String>,
    denials: Vec<String>,
    notes: Vec<String>,
}

impl Dispatch<'_> {
    fn run(mut self) -> Result<Outcome, AgentError> {
        if self.watch.stopped() {
            return Err(self.interrupted());
        }
        let mut transcript = self.transcript()?;
        let earlier = transcript.last().cloned();
        for turn in 0..self.agent.bounds.turns {
            let asked_ms = self.watch.now_ms();
            self.asked_ms = Some(asked_ms);
            let (said, counted) = self.ask(&transcript)?;
            if let Some(earlier) = earlier.as_ref().filter(|_| turn == 0) {
                let turn = Continued { earlier, now: &transcript, asked_ms, counted: &counted };
                self.notes.extend(turn.missed(&self.agent.card));
            }
            let parts = transcript.parts();
            for message in &said.messages {
                self.stored(transcript.add(message.clone()))?;
            }
            let end = match said.end {
                End::Truncated if self.can_judge_half(&said) => {
                    self.notes.push(self.cut());
                    End::Answered
                }
                end => end,
            };
            match end {
                End::Answered if said.messages.is_empty() => {
                    return Err(self.failed(AfterFailure::GiveUp, "an empty answer"));
                }
                End::Answered => {
                    let ticket = self.request.ticket.to_string();
                    let (_, newest) = self.agent.lifetimes(self.request);
                    // What is not kept is not missed later.
                    let kept = newest.is_some() || self.asked > 1;
                    let prompt_tokens = if kept { counted.input() } else { 0 };
                    let done = Done { ticket, asked_ms, prompt_tokens, parts, lifetime: newest };
                    self.stored(transcript.finish(done))?;
                    return Ok(self.outcome(said.text));
                }
                End::Tools => {
                    let results = self.call_all(said.calls);
                    for message in self.agent.wire.results(&results) {
                        self.stored(transcript.add(message))?;
                    }
                }
                End::Paused => {}
                end @ (End::Truncated | End::Refused | End::Full) => return Err(self.ended(end)),
            }
            if self.watch.stopped() {
                return Err(self.interrupted());
            }
        }
        let turns = self.agent.bounds.turns;
        Err(self.failed(
            AfterFailure::GiveUp,
            &format!("no answer after {turns} requests; the model kept calling tools"),
        ))
    }

    /// Whether a text that was cut off is worth keeping: a reviewer can be asked to mend it in the same conversation,
    /// while the same request would only be cut off again. An author's half-done work is undone instead, and an
    /// approval that was cut off does not count.
    fn can_judge_half(&self, said: &Said) -> bool {
        let approves = || answer::parse(said.text.as_bytes()).verdict.is_some_and(|verdict| verdict.approved);
        self.request.may_write.is_empty()
            && said.calls.is_empty()
            && !said.text.trim().is_empty()
            && !approves()
    }

    /// The conversation up to and including what is asked now.
    fn transcript(&self) -> Result<Transcript, AgentError> {
        let Self { agent, request, .. } = *self;
        let prompt = agent.scrubbed(&request.prompt);
        if request.resume {
            let mut transcript = agent.continued(request)?;
            let text = joined(prompt.fragments().map(|(_, fragment)| fragment)).unwrap_or_default();
            self.stored(transcript.add(agent.wire.say(&text)))?;
            return Ok(transcript);
        }
        let opening = agent.wire.open(&prompt);
        let head = agent.head(request, opening.system);
        let mut transcript = self.stored(agent.transcripts.open(&request.session, head))?;
        self.stored(transcript.add(opening.message))?;
        Ok(transcript)
    }

    /// Ends a request that becomes dearer than was granted, unless there is money for that as well. An answer that is
    /// there already is paid for, so it is kept.
    fn check(&mut self, sent: &Counted, listener: &dyn Listener) -> Result<(), Trouble> {
        if listener.is_whole() {
            return Ok(());
        }
        let counted = listener.counted();
        // Some servers count the prompt only at the end; until then its size is what is known.
        let counted = if counted.input() == 0 { sent.clone() } else { counted };
        let counted = so_far(counted, listener.length());
        let Some(total) = self.spending.over(&counted) else { return Ok(()) };
        let longer = self.agent.card.dearest(0, self.agent.bounds.answer_tokens, Lifetime::FiveMinutes);
        self.spending.grant(total + longer, self.watch)
    }

    /// Waits, if the same request may succeed later; otherwise says what the trouble means.
    fn recover(&self, trouble: &Trouble, attempt: u32) -> Result<(), AgentError> {
        let (status, retry_after, kind, message, detail) = match trouble {
            Trouble::Http(HttpError::Stopped { .. }) => return Err(self.interrupted()),
            Trouble::Http(error @ HttpError::Refused(_)) => {
                return Err(self.failed(AfterFailure::AskPerson, &error.to_string()));
            }
            Trouble::Http(
                error @ (HttpError::Broken(_)
                | HttpError::Unreachable(_)
                | HttpError::Offline { .. }
                | HttpError::Connect(_)),
            ) => (None, None, "", "", error.to_string()),
            Trouble::Http(error) => return Err(self.failed(AfterFailure::GiveUp, &error.to_string())),
            Trouble::Stream(Fault::Cut) => (None, None, "", "", "the answer broke off".to_owned()),
            Trouble::Overspent(total) => {
                let detail = format!("cut off: it could have cost {total}, and that much is not left");
                return Err(self.failed(AfterFailure::OverBudget(*total), &detail));
            }
            Trouble::Stream(Fault::Garbage(why)) => return Err(self.failed(AfterFailure::GiveUp, why)),
            Trouble::Stream(Fault::Reported { kind, message }) => {
                let detail = if kind.is_empty() { message.clone() } else { format!("{kind}: {message}") };
                (Some(200), None, kind.as_str(), message.as_str(), detail)
            }
            Trouble::Status { status, retry_after, fault } => {
                let (kind, message) = match fault {
                    Fault::Reported { kind, message } => (kind.as_str(), message.as_str()),
                    Fault::Cut => ("", ""),
                    Fault::Garbage(body) => ("", body.as_str()),
                };
                let detail = format!("status {status}: {message}");
                (Some(*status), retry_after.as_deref(), kind, message, detail)
            }
        };
        let left_ms = self.left_ms();
        let retry_after_ms = retry::retry_after_ms(retry_after, self.watch.now_ms());
        let random = self.random();
        let failure = Failure { attempt, status, retry_after_ms, kind, message, left_ms, random };
        let next = match trouble {
            Trouble::Http(HttpError::Offline { .. }) => retry::next_offline(&failure),
            _ => retry::next(&failure),
        };
        match next {
            Retry::Wait(ms) if self.watch.wait_ms(ms) => Ok(()),
            Retry::Wait(_) => Err(self.interrupted()),
            // A conversation that has outgrown the model can be started again with less in it.
            Retry::Stop(AfterFailure::GiveUp)
                if self.request.resume && is_too_long(status, kind, &detail) =>
            {
                Err(self.failed(AfterFailure::FreshSession, &detail))
            }
            Retry::Stop(now) if attempt > 1 => {
                Err(self.failed(now, &format!("{detail} (after {attempt} tries)")))
            }
            Retry::Stop(now) => Err(self.failed(now, &detail)),
        }
    }

    fn call_all(&mut self, calls: Vec<Call>) -> Vec<(Call, ToolResult)> {
        let mut results = Vec::with_capacity(calls.len());
        for call in calls {
            self.watch.tell(&doing(&call));
            let mut result = match &call.input {
                Some(input) => self.toolbox.call(&call.name, input, &self.request.ticket, self.watch),
                None => not_json(&call.name),
            };
            result.text = self.agent.scrub(&result.text);
            if let Some(path) = result.opened.as_ref().filter(|path| !self.opened.contains(path)) {
                self.opened.push(path.clone());
            }
            if result.denied {
                self.denials.push(format!("{}: {}", call.name, result.text));
            }
            results.push((call, result));
        }
        results
    }

    fn outcome(self, text: String) -> Outcome {
        Outcome {
            text,
            session: Some(self.request.session.clone()),
            usage: self.spending.sum(),
            opened: Some(self.opened),
            denials: self.denials,
            notes: self.notes,
            // Whatever came is read as text: servers differ in whether they keep the form at all.
            formless: false,
            asked_ms: self.asked_ms,
            requests: u32::try_from(self.asked).ok(),
            hand: None,
            payment: Payment::Key,
            unknown: self.unknown,
        }
    }

    fn ended(&self, end: End) -> AgentError {
        match end {
            End::Full if self.request.resume => {
                self.failed(AfterFailure::FreshSession, "the conversation no longer fits the model")
            }
            End::Full => self.failed(AfterFailure::GiveUp, "the prompt does not fit the model"),
            End::Refused => self.failed(AfterFailure::GiveUp, "the model refused to answer"),
            End::Truncated | End::Answered | End::Tools | End::Paused => {
                self.failed(AfterFailure::GiveUp, &self.cut())
            }
        }
    }

    fn cut(&self) -> String {
        let tokens = grouped(self.agent.bounds.answer_tokens);
        format!("the answer was cut at {tokens} tokens; allow longer ones with `max_tokens`")
    }

    fn stored<T>(&self, result: std::io::Result<T>) -> Result<T, AgentError> {
        result.map_err(|error| {
            let session = &self.request.session;
            self.failed(AfterFailure::GiveUp, &format!("conversation {session} cannot be stored: {error}"))
        })
    }

    fn failed(&self, now: AfterFailure, detail: &str) -> AgentError {
        self.agent.error(now, detail, self.usage())
    }

    fn interrupted(&self) -> AgentError {
        let error = self.failed(AfterFailure::GiveUp, "interrupted");
        AgentError { interrupted: true, ..error }
    }

    /// What the requests cost; none where the service did not say and may have billed, which then counts as all that
    /// was granted. What is known to be more than that is returned.
    fn usage(&self) -> Option<Usage> {
        let is_known = self.unknown == Usd(0) || !self.spending.is_granted();
        is_known.then(|| self.spending.sum())
    }

    fn left_ms(&self) -> u64 {
        let passed = self.watch.moment().ms_since(self.began);
        self.request.deadlines.total_ms.saturating_sub(passed)
    }

    /// Differs between clients that failed at the same moment, and is the same when a test repeats.
    fn random(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.request.ticket.to_string(), self.request.session.as_str(), self.asked).hash(&mut hasher);
        hasher.finish()
    }
}

fn not_json(name: &str) -> ToolResult {
    let text = format!("the input of {name} is not JSON; call it again");
    ToolResult { text, is_error: true, ..ToolResult::default() }
}
