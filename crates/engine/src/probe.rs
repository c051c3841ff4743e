//! A probe: three turns with one agent in a repository of its own, to see whether its conversations can be continued.
//!
//! Its dispatches are treated like any other: redacted, reserved, stored before it is sent, sent through the same port,
//! undone where the agent changed what it must not, and stored when it ends; in the agent's own scope, because it
//! belongs to no feature. What the answers mean is decided in [`redraft_prompts::probe`].
//!
//! Start at [`Probe::run`]. [`recover`] ends what a crash left open; [`reserve`] says beforehand how much may be spent.

mod granted;
mod recover;

use crate::boundary::Boundaries;
use crate::choosing::usual;
use crate::ending::EngineError;
use crate::journal::{Journal, Listener, Writer};
use crate::ports::{Agent, AgentError, Clock, Deadlines, Outcome, Request, Store, Trailers, Workspace};
use crate::progress::Progress;
use crate::redacting::{player_without_secrets, prompt_without_secrets, told};
use redraft_cost::price::{Budget, OverBudget};
use redraft_facts::choice::{Choice, Strategy};
use redraft_facts::event::{AfterFailure, Answered, Event, Failed, Lost, Started, TreeMark};
use redraft_facts::ids::{AgentName, Role, SessionId};
use redraft_facts::phase::Phase;
use redraft_facts::probed::Probed;
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use redraft_facts::ticket::{Purpose, Scope, Ticket, Unit};
use redraft_facts::usage::Usd;
use redraft_prompts::probe::{AssessedTurn, Heard, ProbeCase, ProbeFiles, ROLE, TOOLS, assess};
use redraft_prompts::prompt::{self, ProbeTurn, SCHEMA};
use std::path::Path;
use std::sync::Arc;

pub use recover::{Recovered, recover};

/// How often one turn is sent while the agent asks to be tried again.
const ATTEMPTS_MAX: u16 = 3;

/// The world a probe works in.
pub struct ProbeParts<'a> {
    pub store: &'a dyn Store,
    /// A throw-away repository; nothing of the user's is in it.
    pub workspace: &'a dyn Workspace,
    pub clock: &'a dyn Clock,
    pub boundaries: &'a Boundaries,
    pub progress: &'a dyn Progress,
    pub redactor: &'a Redactor,
}

/// How a probe ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeEnd {
    /// Stored. `trouble` is what kept it from finishing, if anything did.
    Probed {
        probed: Probed,
        trouble: Option<String>,
    },
    /// A turn could cost more than is left of the limit; what was found until then is not stored.
    OverBudget(OverBudget),
    Interrupted,
}

pub struct Probe<'a> {
    parts: ProbeParts<'a>,
    agent: Arc<dyn Agent>,
    deadlines: Deadlines,
    budget: Budget,
    journal: Journal<'a>,
    pass: u16,
}

/// What became of one send.
enum Sent {
    Heard(Heard),
    /// After so many milliseconds.
    Again(u64, String),
    OverBudget(OverBudget),
    Interrupted,
}

impl<'a> Probe<'a> {
    /// The next probe of an agent. It may cost `limit`, apart from every feature's budget.
    pub fn load(
        parts: ProbeParts<'a>,
        agent: Arc<dyn Agent>,
        limit: Usd,
        deadlines: Deadlines,
    ) -> Result<Self, EngineError> {
        let ProbeParts { store, clock, redactor, progress, .. } = parts;
        let journal = Journal::open(Writer { store, clock, redactor }, Scope::Agent(agent.name()))?;
        let passes = journal.entries().iter().filter_map(|entry| match &entry.event {
            Event::Started(fact) => Some(fact.ticket.pass),
            Event::Probed(fact) => Some(fact.pass),
            _ => None,
        });
        let pass = passes.max().unwrap_or(0).saturating_add(1);
        // Nobody wants back what is undone there.
        let journal = journal.with_listener(Listener { progress, worktree: None });
        let budget = Budget { limit, spent: Usd(0), in_flight: Usd(0) };
        Ok(Self { parts, agent, deadlines, budget, journal, pass })
    }

    /// Sends the turns one after the other until one brings no answer, and stores what they show.
    pub fn run(mut self) -> Result<ProbeEnd, EngineError> {
        let first = self.ticket(ProbeTurn::Read, 1).to_string();
        // The agent sees the conversation's name, so the seed of what it must not guess has to be more than that name.
        let files = ProbeFiles::new(&self.parts.store.session_name(&format!("papers of {first}")));
        let mut session = None;
        let mut turns = Vec::new();
        self.put(&files.before, "the list as it is read")?;
        for turn in ProbeTurn::ALL {
            if turn == ProbeTurn::Recall {
                self.put(&files.after, "another list")?;
            }
            let heard = match self.turn(turn, session.as_ref())? {
                Sent::Heard(heard) => heard,
                Sent::Again(_, detail) => Heard::Nothing { detail },
                Sent::OverBudget(over) => return Ok(ProbeEnd::OverBudget(over)),
                Sent::Interrupted => return Ok(ProbeEnd::Interrupted),
            };
            session = match &heard {
                Heard::Answer(AssessedTurn { session, .. }) => session.clone(),
                Heard::Refused { .. } | Heard::Nothing { .. } => None,
            };
            turns.push(heard);
            if session.is_none() {
                break;
            }
        }
        self.conclude(&files, &turns)
    }

    fn conclude(&mut self, files: &ProbeFiles, turns: &[Heard]) -> Result<ProbeEnd, EngineError> {
        let (structured, free) = (self.agent.abilities().structured, self.agent.is_free());
        let assessed = assess(&ProbeCase { files, structured, free, turns });
        let probed = Probed {
            agent: self.agent.name(),
            version: self.agent.describe(),
            pass: self.pass,
            checks: assessed.checks,
            cache_share: assessed.cache_share,
            cost: self.budget.spent,
        };
        self.parts.boundaries.pass("before a probe is stored");
        self.journal.record(probed.clone())?;
        let trouble = turns.iter().find_map(|heard| match heard {
            Heard::Nothing { detail } => Some(detail.clone()),
            Heard::Answer(_) | Heard::Refused { .. } => None,
        });
        Ok(ProbeEnd::Probed { probed, trouble })
    }

    /// Puts the file there and commits it.
    fn put(&self, text: &str, message: &str) -> Result<(), EngineError> {
        self.parts.workspace.write(ProbeFiles::FILE, text.as_bytes())?;
        let trailers = Trailers { seq: self.journal.seq(), ..Trailers::default() };
        self.parts.workspace.commit(&[ProbeFiles::FILE.to_owned()], message, &trailers)?;
        Ok(())
    }

    /// One turn, sent again while the agent asks for that.
    fn turn(&mut self, turn: ProbeTurn, session: Option<&SessionId>) -> Result<Sent, EngineError> {
        let mut attempt = 1;
        loop {
            match self.send(turn, attempt, session)? {
                Sent::Again(wait_ms, _) if attempt < ATTEMPTS_MAX => {
                    if !self.parts.clock.wait_ms(wait_ms) {
                        return Ok(Sent::Interrupted);
                    }
                }
                sent => return Ok(sent),
            }
            attempt += 1;
        }
    }

    fn send(
        &mut self,
        turn: ProbeTurn,
        attempt: u16,
        session: Option<&SessionId>,
    ) -> Result<Sent, EngineError> {
        if self.parts.clock.stopped() {
            return Ok(Sent::Interrupted);
        }
        let ticket = self.ticket(turn, attempt);
        // Every attempt at a new conversation has a name of its own: the one before may have been taken.
        let new = || SessionId::new(self.parts.store.session_name(&ticket.to_string()));
        let session = session.cloned().unwrap_or_else(new);
        let folder = self.parts.workspace.folder();
        let mut request = request(self.agent.as_ref(), ticket, turn, session, &folder, self.deadlines);
        prompt_without_secrets(&mut request.prompt, self.parts.redactor);
        request.max_usd = Some(self.budget.left());
        let reserved = self.agent.highest_cost(&request);
        if let Err(over) = self.budget.reserve(reserved) {
            return Ok(Sent::OverBudget(over));
        }
        let mark = self.start(&request, reserved)?;
        let began = self.parts.clock.moment();
        let (result, reserved) = self.ask(&request, reserved)?;
        self.parts.boundaries.pass("a probed agent answered");
        let wall_ms = self.parts.clock.moment().ms_since(began);
        let name = request.ticket.to_string();
        let undone = self.parts.workspace.restore(&mark, &[], &name)?;
        match result {
            Ok(outcome) => self.answered(request.ticket, outcome, undone, wall_ms),
            Err(error) => self.failed(request.ticket, request.resume, error, reserved, undone),
        }
    }

    fn start(&mut self, request: &Request, reserved: Usd) -> Result<TreeMark, EngineError> {
        let mark = self.parts.workspace.mark(&[])?;
        let blob = serde_json::to_vec(&request.prompt).unwrap_or_default();
        let (ticket, total_ms) = (request.ticket.clone(), self.deadlines.total_ms);
        let read = self.parts.workspace.read(ProbeFiles::FILE)?.map_or(0, |bytes| bytes.len() as u64);
        let strategy = if request.resume { Strategy::Resume } else { Strategy::Lazy };
        let started = Started {
            choice: Choice::new(strategy, format!("turn {} of a probe", ticket.round)),
            ticket,
            agent: self.agent.name(),
            sees: None,
            since: None,
            prompt: text::hash(&blob),
            prompt_chars: request.prompt.chars(),
            context_chars: request.prompt.chars() + if request.resume { 0 } else { read },
            session: Some(request.session.clone()),
            tree: mark.clone(),
            reserved,
            expires_ms: self.parts.clock.now_ms().saturating_add_unsigned(total_ms),
            markers: Vec::new(),
            missing: Vec::new(),
            told: Vec::new(),
            pull: false,
            player: player_without_secrets(self.agent.player(), self.parts.redactor),
            recall: None,
            sandbox: None,
            slot: None,
        };
        self.parts.boundaries.pass("before a probe's start is stored");
        self.journal.append(vec![started.into()], &[blob])?;
        self.parts.boundaries.pass("after a probe's start is stored");
        Ok(mark)
    }

    fn answered(
        &mut self,
        ticket: Ticket,
        outcome: Outcome,
        undone: Vec<String>,
        wall_ms: u64,
    ) -> Result<Sent, EngineError> {
        let (answered, blob) = stored(ticket, outcome, undone, wall_ms, self.parts.redactor);
        let text = String::from_utf8_lossy(&blob).into_owned();
        let Answered { session, usage, opened, formless, .. } = answered.clone();
        self.budget.spent = self.budget.spent + usage.cost;
        self.journal.append(vec![answered.into()], &[blob])?;
        self.parts.boundaries.pass("a probe's answer is stored");
        Ok(Sent::Heard(Heard::Answer(AssessedTurn { text, session, usage, opened, formless })))
    }

    fn failed(
        &mut self,
        ticket: Ticket,
        resumed: bool,
        error: AgentError,
        reserved: Usd,
        undone: Vec<String>,
    ) -> Result<Sent, EngineError> {
        let AgentError { now, detail, usage, interrupted } = error;
        let cost = usage.map_or(reserved, |usage| usage.cost);
        self.budget.spent = self.budget.spent + cost;
        if interrupted {
            self.journal.record(Lost { ticket, cost, undone })?;
            return Ok(Sent::Interrupted);
        }
        let detail = text::one_line(&self.parts.redactor.redact(&detail).0, 200);
        self.journal.record(Failed { ticket, now, detail: detail.clone(), usage, undone, forgot: None })?;
        Ok(match now {
            AfterFailure::Wait(ms) => Sent::Again(ms, detail),
            AfterFailure::ParkUntil(_) => Sent::Heard(Heard::Nothing { detail }),
            AfterFailure::OverBudget(needed) => {
                Sent::OverBudget(OverBudget { needed, left: self.budget.left(), limit: self.budget.limit })
            }
            // A failed first turn says nothing about conversations.
            AfterFailure::FreshSession | AfterFailure::AskPerson | AfterFailure::GiveUp if resumed => {
                Sent::Heard(Heard::Refused { detail })
            }
            AfterFailure::FreshSession | AfterFailure::AskPerson | AfterFailure::GiveUp => {
                Sent::Heard(Heard::Nothing { detail })
            }
        })
    }

    fn ticket(&self, turn: ProbeTurn, attempt: u16) -> Ticket {
        ticket(&self.agent.name(), self.pass, turn, attempt)
    }
}

/// The money a probe of this agent sets aside for all its turns: the first turn does the reading.
pub fn highest_cost(agent: &dyn Agent, folder: &Path, deadlines: Deadlines) -> Usd {
    let first = ticket(&agent.name(), 1, ProbeTurn::Read, 1);
    let one =
        agent.highest_cost(&request(agent, first, ProbeTurn::Read, SessionId::new(""), folder, deadlines));
    // Later turns send the whole conversation again and little else, so none is counted as less than the first.
    ProbeTurn::ALL.iter().fold(Usd(0), |sum, _| sum + one)
}

/// An answer as it is stored, without secrets, and the bytes it names.
fn stored(
    ticket: Ticket,
    outcome: Outcome,
    undone: Vec<String>,
    wall_ms: u64,
    redactor: &Redactor,
) -> (Answered, Vec<u8>) {
    let blob = redactor.redact(&outcome.text).0.into_owned().into_bytes();
    let (denials, notes) = (told(&outcome.denials, redactor), told(&outcome.notes, redactor));
    let Outcome { session, usage, opened, formless, asked_ms, requests, payment, unknown, .. } = outcome;
    let answer = text::hash(&blob);
    let answered = Answered {
        ticket,
        answer,
        usage,
        session,
        opened,
        undone,
        wall_ms,
        denials,
        notes,
        formless,
        asked_ms,
        requests,
        hand: None,
        payment,
        unknown,
        ran: None,
    };
    (answered, blob)
}

/// A probe's tickets name the phase whose reviewers it stands in for.
fn ticket(agent: &AgentName, pass: u16, turn: ProbeTurn, attempt: u16) -> Ticket {
    Ticket {
        scope: Scope::Agent(agent.clone()),
        phase: Phase::Specify,
        pass,
        unit: Unit::Whole,
        purpose: Purpose::Probe,
        role: Role::new(ROLE),
        round: turn.number(),
        attempt,
    }
}

fn request(
    agent: &dyn Agent,
    ticket: Ticket,
    turn: ProbeTurn,
    session: SessionId,
    folder: &Path,
    deadlines: Deadlines,
) -> Request {
    Request {
        ticket,
        prompt: prompt::probe(turn),
        marks: usual(agent, Strategy::Lazy),
        tools: TOOLS.map(str::to_owned).into(),
        schema: SCHEMA,
        session,
        resume: turn != ProbeTurn::Read,
        folder: folder.to_owned(),
        may_write: Vec::new(),
        deadlines,
        shares: false,
        max_usd: None,
        slot: None,
    }
}
