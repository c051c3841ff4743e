//! Asks an agent questions that belong to no feature, such as the reviews that `redraft eval` compares.
//!
//! A question is treated like any other dispatch: its secrets are taken out, the most it can cost is set aside within a
//! budget and kept before it is sent, it goes through the same port, and it is granted more only while the budget lasts.
//! No ledger knows of it: the caller keeps what it is told ([`QuestionBook`]). Start at [`Questions::send`].

use crate::choosing::usual;
use crate::ending::{EngineError, crashed};
use crate::ports::{Agent, AgentError, Cache, Clock, Deadlines, Outcome, Request, Resume, RunHandle};
use crate::redacting::{outcome_without_secrets, prompt_without_secrets};
use crate::threads::{Supervisor, side_by_side};
use redraft_cost::price::{Budget, OverBudget};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::SessionId;
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use std::path::PathBuf;
use std::sync::Arc;

/// A prompt as it is sent and kept.
pub fn without_secrets(mut prompt: Prompt, redactor: &Redactor) -> Prompt {
    prompt_without_secrets(&mut prompt, redactor);
    prompt
}

/// One turn with the agent.
#[derive(Debug, Clone)]
pub struct AgentQuestion {
    /// Names it among everything that was ever asked.
    pub ticket: Ticket,
    pub prompt: Prompt,
    pub strategy: Strategy,
    pub tools: Vec<String>,
    pub schema: &'static str,
    /// What the conversation is called; `resume` says whether it exists already.
    pub session: SessionId,
    pub resume: bool,
    /// The working folder; nothing else of the user's is in it.
    pub folder: PathBuf,
}

/// Keeps what questions cost. What it was told must outlive a crash. `place` is the position among those sent together.
pub trait QuestionBook {
    /// Before it is sent: the most it can cost.
    fn start(&mut self, place: usize, reserved: Usd) -> Result<(), String>;

    /// It may cost this much in all, or already has.
    fn raise(&mut self, place: usize, reserved: Usd) -> Result<(), String>;

    fn end(&mut self, place: usize, end: &QuestionEnd) -> Result<(), String>;
}

/// How a question ended. Nothing in it is secret.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionEnd {
    pub result: Result<Outcome, AgentError>,
    pub wall_ms: u64,
    /// What it counts as: the bill, or what was set aside where there is none.
    pub counted: Usd,
}

/// What became of questions that were sent together.
#[derive(Debug, PartialEq)]
pub struct SentTogether {
    /// Of the first ones; the others did not fit the budget and were not sent.
    pub ends: Vec<QuestionEnd>,
    /// Why the rest was not sent.
    pub over: Option<OverBudget>,
}

pub struct Questions<'a> {
    pub agent: Arc<dyn Agent>,
    pub clock: &'a dyn Clock,
    pub redactor: &'a Redactor,
    pub deadlines: Deadlines,
}

impl Questions<'_> {
    /// Sends questions side by side, as many as fit the budget, which afterwards counts what they cost.
    pub fn send(
        &self,
        questions: Vec<AgentQuestion>,
        budget: &mut Budget,
        book: &mut dyn QuestionBook,
    ) -> Result<SentTogether, EngineError> {
        let (mut requests, mut reserved, mut over) = (Vec::new(), Vec::new(), None);
        for question in questions {
            let mut request = self.request(question);
            request.max_usd = Some(budget.left());
            let dearest = self.agent.highest_cost(&request);
            match budget.reserve(dearest) {
                Ok(left) => *budget = left,
                Err(error) => {
                    over = Some(error);
                    break;
                }
            }
            book.start(requests.len(), dearest).map_err(EngineError::Agent)?;
            requests.push(request);
            reserved.push(dearest);
        }
        // What is not set aside is divided, so that no dollar is promised twice.
        let each = Usd(budget.left().0 / (requests.len() as u64).max(1));
        for (request, reserved) in requests.iter_mut().zip(&reserved) {
            request.max_usd = Some(*reserved + each);
        }
        let mut granting =
            Granting { budget, book, reserved, ended: vec![None; requests.len()], trouble: None };
        let work = |place: usize, watch: &dyn RunHandle| self.run(&requests[place], watch);
        side_by_side(&self.after(&requests), self.clock, work, &mut granting);
        let Granting { ended, trouble, .. } = granting;
        if let Some(trouble) = trouble {
            return Err(EngineError::Agent(trouble));
        }
        let ends: Option<Vec<QuestionEnd>> = ended.into_iter().collect();
        Ok(SentTogether { ends: ends.ok_or_else(crashed)?, over })
    }

    fn request(&self, question: AgentQuestion) -> Request {
        let AgentQuestion { ticket, prompt, strategy, mut tools, schema, session, resume, folder } = question;
        let missing = self.agent.missing(&tools);
        tools.retain(|tool| !missing.contains(tool));
        Request {
            ticket,
            prompt: without_secrets(prompt, self.redactor),
            marks: usual(self.agent.as_ref(), strategy),
            tools,
            schema,
            session,
            resume,
            folder,
            may_write: Vec::new(),
            shares: false,
            deadlines: self.deadlines,
            max_usd: None,
            slot: None,
        }
    }

    /// New conversations begin alike, so the first pays for what they share.
    fn after(&self, requests: &[Request]) -> Vec<Option<usize>> {
        let caches = self.agent.abilities().cache != Cache::None;
        let first = requests.iter().position(|request| !request.resume);
        let wait = |(place, request): (usize, &Request)| {
            first.filter(|first| caches && *first < place && !request.resume)
        };
        requests.iter().enumerate().map(wait).collect()
    }

    fn run(&self, request: &Request, watch: &dyn RunHandle) -> (Result<Outcome, AgentError>, u64) {
        const CHARS_MAX: usize = 300;
        let began = self.clock.moment();
        let able = self.agent.abilities().resume != Resume::No;
        let result = self.agent.run(request, watch);
        let result = result.map(|outcome| outcome_without_secrets(outcome, self.redactor));
        let result = result.map(|outcome| Outcome { session: outcome.session.filter(|_| able), ..outcome });
        let result = result.map_err(|error| {
            let detail = text::one_line(&self.redactor.redact(&error.detail).0, CHARS_MAX);
            AgentError { detail, ..error }
        });
        (result, self.clock.moment().ms_since(began))
    }
}

/// Answers the agents at work.
struct Granting<'q> {
    budget: &'q mut Budget,
    book: &'q mut dyn QuestionBook,
    reserved: Vec<Usd>,
    ended: Vec<Option<QuestionEnd>>,
    /// Why something could not be kept.
    trouble: Option<String>,
}

impl Granting<'_> {
    /// Sets aside this much in all for a place.
    fn keep(&mut self, place: usize, total: Usd) -> bool {
        let Some(reserved) = self.reserved.get_mut(place) else { return false };
        match self.book.raise(place, total) {
            Ok(()) => {
                self.budget.in_flight = self.budget.in_flight - *reserved + total;
                *reserved = total;
                true
            }
            Err(trouble) => {
                self.trouble = Some(trouble);
                false
            }
        }
    }
}

impl Supervisor<(Result<Outcome, AgentError>, u64)> for Granting<'_> {
    fn raise(&mut self, place: usize, total: Usd) -> bool {
        let Some(reserved) = self.reserved.get(place).copied() else { return false };
        if total <= reserved {
            return true;
        }
        let without = Budget { in_flight: self.budget.in_flight - reserved, ..*self.budget };
        self.trouble.is_none() && without.reserve(total).is_ok() && self.keep(place, total)
    }

    fn owe(&mut self, place: usize, total: Usd) {
        if self.reserved.get(place).is_some_and(|reserved| total > *reserved) {
            self.keep(place, total);
        }
    }

    /// Nobody watches.
    fn told(&mut self, _place: usize, _doing: &str) {}

    fn done(&mut self, place: usize, end: &(Result<Outcome, AgentError>, u64)) {
        let reserved = self.reserved.get(place).copied().unwrap_or_default();
        let (result, wall_ms) = end;
        let usage = match result {
            Ok(outcome) => Some(outcome.usage),
            Err(error) => error.usage,
        };
        let counted = usage.map_or(reserved, |usage| usage.cost);
        self.budget.in_flight = self.budget.in_flight - reserved;
        self.budget.spent = self.budget.spent + counted;
        let end = QuestionEnd { result: result.clone(), wall_ms: *wall_ms, counted };
        if let Err(trouble) = self.book.end(place, &end) {
            self.trouble = Some(trouble);
        }
        if let Some(slot) = self.ended.get_mut(place) {
            *slot = Some(end);
        }
    }
}
