//! Asks an agent a list of prompts, within a budget, and keeps the answers beside them.
//!
//! A prompt that has an answer is not asked again, so the same command continues after a kill, a limit or Ctrl-C. The
//! engine's [`Questions`] do the sending; `book` keeps what it costs, `plan` says beforehand what that may be, `place` is the configuration and state that the
//! agent needs, `room` the folder it works in. Start at [`Asking::ask`].

mod book;
mod place;
mod plan;
mod room;

pub(super) use place::Place;
pub(super) use plan::{Plan, lock};
pub(super) use room::RoomFile;

use super::answers;
use book::Book;
use redraft_cost::price::{Budget, OverBudget};
use redraft_engine::ports::{Agent, Clock, Store};
use redraft_engine::questions::{AgentQuestion, Questions};
use redraft_eval::record::{Record, WhichTurn};
use redraft_facts::choice::Strategy;
use redraft_facts::event::AfterFailure;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::{AgentName, Role, SessionId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::{Purpose, Scope, Ticket, Unit};
use redraft_facts::usage::Usd;
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_reports::estimate;
use room::Room;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// How often one turn is sent while the agent says that another attempt may work.
const ATTEMPTS_MAX: u16 = 3;
/// So many prompts in a row without an answer are not bad luck.
const FAILED_MAX: usize = 3;

/// One prompt to be answered.
pub(super) struct Job {
    /// `CASE.ARM`: how its files begin.
    pub(super) name: String,
    pub(super) phase: Phase,
    pub(super) role: Role,
    pub(super) strategy: Strategy,
    pub(super) tools: Vec<String>,
    pub(super) schema: &'static str,
    /// The first turn of a conversation that the prompt continues, with the files as they are then.
    pub(super) before: Option<(Prompt, Vec<RoomFile>)>,
    pub(super) prompt: Prompt,
    pub(super) files: Vec<RoomFile>,
}

impl Job {
    /// What it is likely to cost.
    pub(super) fn expected(&self, agent: &dyn Agent) -> Usd {
        let billing = agent.billing();
        let earlier = self.before.as_ref().map_or(0, |(prompt, _)| prompt.chars());
        let of = |chars: u64, earlier: u64| estimate::review(&billing.card, billing.overhead, chars, earlier);
        let before = if earlier > 0 { of(earlier, 0) } else { Usd(0) };
        before + of(self.prompt.chars(), earlier)
    }

    fn prompt_sha256(&self) -> String {
        redraft_facts::text::hash(self.prompt.text().as_bytes()).to_string()
    }
}

/// What asking came to.
#[derive(Debug, Default)]
pub(super) struct AskedAll {
    /// In this call.
    pub(super) answered: usize,
    /// Prompts without an answer, and why.
    pub(super) failed: Vec<(String, String)>,
    /// Why it ended before every prompt was asked.
    pub(super) stop: Option<AskingStop>,
    /// All that the folder's answers cost, also earlier ones.
    pub(super) spent: Usd,
}

#[derive(Debug)]
pub(super) enum AskingStop {
    OverBudget(OverBudget),
    /// Until this time.
    Parked(i64),
    /// Several prompts in a row failed.
    Failing,
    Interrupted,
}

pub(super) struct Asking<'a> {
    pub(super) place: &'a Place,
    pub(super) agent: Arc<dyn Agent>,
    pub(super) out: &'a Path,
    pub(super) budget: Usd,
    /// How many prompts are asked side by side.
    pub(super) at_once: usize,
    pub(super) process: &'a ProcessContext,
    pub(super) console: &'a Console,
}

/// A job under way.
struct Asked {
    job: Job,
    record: Record,
    /// Made for the first turn.
    room: Option<Room>,
    /// The conversation of the first turn.
    conversation: Option<SessionId>,
    attempts: u16,
}

/// What follows from the end of a turn.
enum Next {
    Answered,
    /// It was the first turn of a conversation.
    GoOn(SessionId),
    Again(u64, String),
    Failed(String),
    Stop(AskingStop),
}

impl Asking<'_> {
    /// What all answers of the folder cost so far, after the end of turns that nobody saw is settled.
    pub(super) fn settled(&self) -> Result<Usd, CliError> {
        let mut sum = Usd(0);
        for (name, mut record) in answers::records(self.out)? {
            if record.agent == self.agent.name().as_str() {
                book::settle(self, &name, &mut record)?;
            }
            sum = sum + record.counted();
        }
        Ok(sum)
    }

    /// Asks the jobs, none of which has an answer, until all are asked or something stops it.
    pub(super) fn ask(&self, jobs: Vec<Job>) -> Result<AskedAll, CliError> {
        let mut budget = Budget { limit: self.budget, spent: self.settled()?, in_flight: Usd(0) };
        let mut all = AskedAll::default();
        let total = jobs.len();
        let mut waiting: VecDeque<Asked> = VecDeque::new();
        for job in jobs {
            waiting.push_back(self.begin(job)?);
        }
        let mut failing = 0;
        while all.stop.is_none() && !waiting.is_empty() {
            if self.process.stopped() {
                all.stop = Some(AskingStop::Interrupted);
                break;
            }
            let mut together: Vec<Asked> = waiting.drain(..self.at_once.min(waiting.len())).collect();
            let nexts = self.send(&mut together, &mut budget, &mut all)?;
            let (mut wait_ms, mut back) = (0, Vec::new());
            for (place, mut asked) in together.into_iter().enumerate() {
                match nexts.get(place) {
                    // It did not fit the budget next to the others.
                    None => back.push(asked),
                    Some(Next::Answered) => {
                        failing = 0;
                        all.answered += 1;
                        let done = all.answered + all.failed.len();
                        let cost = asked.record.counted();
                        self.console.say(&format!("{done} of {total}: {}, {cost}", asked.job.name));
                    }
                    Some(Next::GoOn(session)) => {
                        (asked.conversation, asked.attempts) = (Some(session.clone()), 0);
                        back.push(asked);
                    }
                    Some(Next::Again(ms, _)) if asked.attempts < ATTEMPTS_MAX => {
                        wait_ms = wait_ms.max(*ms);
                        back.push(asked);
                    }
                    Some(Next::Again(_, why) | Next::Failed(why)) => {
                        failing += 1;
                        self.console.say(&format!("{}: {why}", asked.job.name));
                        all.failed.push((asked.job.name.clone(), why.clone()));
                    }
                    Some(Next::Stop(_)) => {}
                }
            }
            back.into_iter().rev().for_each(|asked| waiting.push_front(asked));
            for next in nexts {
                if let Next::Stop(stop) = next {
                    all.stop = Some(stop);
                }
            }
            if failing >= FAILED_MAX && !waiting.is_empty() {
                all.stop = all.stop.or(Some(AskingStop::Failing));
            }
            if all.stop.is_none() && wait_ms > 0 && !self.process.clock.wait_ms(wait_ms) {
                all.stop = Some(AskingStop::Interrupted);
            }
        }
        all.spent = budget.spent;
        Ok(all)
    }

    fn begin(&self, job: Job) -> Result<Asked, CliError> {
        let player = self.process.redactor.redact(&self.agent.describe()).0.into_owned();
        let new = || Record {
            v: redraft_eval::record::VERSION,
            agent: self.agent.name().to_string(),
            player: player.clone(),
            prompt_sha256: String::new(),
            turns: Vec::new(),
        };
        let mut record = answers::record(self.out, &job.name)?.unwrap_or_else(new);
        (record.player, record.prompt_sha256) = (player.clone(), job.prompt_sha256());
        Ok(Asked { job, record, room: None, conversation: None, attempts: 0 })
    }

    /// Sends the next turn of each of these; the result is shorter where not all fit the budget.
    fn send(
        &self,
        together: &mut [Asked],
        budget: &mut Budget,
        all: &mut AskedAll,
    ) -> Result<Vec<Next>, CliError> {
        let mut questions = Vec::new();
        for asked in together.iter_mut() {
            questions.push(self.question(asked)?);
        }
        let sending = Questions {
            agent: Arc::clone(&self.agent),
            clock: &self.process.clock,
            redactor: &self.process.redactor,
            deadlines: crate::cli::run::deadlines(self.place.config.dispatch_minutes * 60_000),
        };
        let turns: Vec<(Ticket, WhichTurn)> = questions
            .iter()
            .zip(together.iter())
            .map(|(question, asked)| (question.ticket.clone(), asked.turn()))
            .collect();
        let mut book = Book { asking: self, together, turns: &turns };
        let sent = sending.send(questions, budget, &mut book)?;
        if let Some(over) = sent.over.filter(|_| sent.ends.is_empty()) {
            all.stop = Some(AskingStop::OverBudget(over));
        }
        let left = budget.left();
        together.iter_mut().take(sent.ends.len()).for_each(|asked| asked.attempts += 1);
        let nexts = sent.ends.into_iter().zip(together.iter()).map(|(end, asked)| match end.result {
            Ok(outcome) => match (asked.turn(), outcome.session) {
                (WhichTurn::Answer, _) => Next::Answered,
                (WhichTurn::Before, Some(session)) => Next::GoOn(session),
                (WhichTurn::Before, None) => {
                    Next::Failed("the agent kept no conversation to continue".to_owned())
                }
            },
            Err(error) if error.interrupted => Next::Stop(AskingStop::Interrupted),
            Err(error) => match error.now {
                AfterFailure::Wait(ms) => Next::Again(ms, error.detail),
                AfterFailure::ParkUntil(until) => Next::Stop(AskingStop::Parked(until)),
                AfterFailure::OverBudget(needed) => {
                    Next::Stop(AskingStop::OverBudget(OverBudget { needed, left, limit: self.budget }))
                }
                AfterFailure::FreshSession if asked.conversation.is_some() => {
                    Next::Failed(format!("its conversation could not be continued: {}", error.detail))
                }
                AfterFailure::FreshSession | AfterFailure::GiveUp => Next::Again(0, error.detail),
                AfterFailure::AskPerson => Next::Failed(error.detail),
            },
        });
        Ok(nexts.collect())
    }

    /// The next turn of a job, in its folder as it must be then.
    fn question(&self, asked: &mut Asked) -> Result<AgentQuestion, CliError> {
        let turn = asked.turn();
        // Never twice the same: an agent may refuse a conversation whose name it knows.
        let words =
            format!("{} {} {}", asked.job.name, asked.record.turns.len(), self.process.clock.now_ms());
        let unique = self.place.ledger.session_name(&words);
        let Job { phase, role, strategy, tools, schema, before, prompt, files, .. } = &asked.job;
        let ticket = Ticket {
            scope: Scope::Agent(AgentName::new(format!("{SCOPE}{unique}"))),
            phase: *phase,
            pass: 1,
            unit: Unit::Whole,
            purpose: Purpose::Review,
            role: role.clone(),
            round: if asked.conversation.is_some() { 2 } else { 1 },
            attempt: asked.attempts + 1,
        };
        let (prompt, files) = match (turn, before) {
            (WhichTurn::Before, Some((prompt, files))) => (prompt, files),
            _ => (prompt, files),
        };
        let room = match asked.room.take() {
            Some(room) => room,
            None => Room::make()?,
        };
        room.furnish(files)?;
        let folder = room.folder().to_owned();
        asked.room = Some(room);
        let resume = asked.conversation.is_some();
        Ok(AgentQuestion {
            ticket,
            prompt: prompt.clone(),
            strategy: if resume { Strategy::Resume } else { fresh(*strategy) },
            tools: tools.clone(),
            schema,
            session: asked.conversation.clone().unwrap_or_else(|| SessionId::new(unique)),
            resume,
            folder,
        })
    }
}

/// How the tickets of these questions begin; they belong to no agent's probe.
const SCOPE: &str = "eval-";

/// How the first turn of a conversation is sent.
fn fresh(strategy: Strategy) -> Strategy {
    match strategy {
        Strategy::Resume => Strategy::Inline,
        Strategy::Inline | Strategy::Lazy | Strategy::Digest => strategy,
    }
}

impl Asked {
    fn turn(&self) -> WhichTurn {
        match (&self.job.before, &self.conversation) {
            (Some(_), None) => WhichTurn::Before,
            _ => WhichTurn::Answer,
        }
    }
}
