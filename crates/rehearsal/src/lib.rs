//! The rehearsal agent: Redraft's own agent, built in, without a model and without the network.
//!
//! It is not a recording: it reads the documents it is given, writes and mends real documents and programs, and answers
//! like any other agent. The same request always gives the same answer. It understands nothing: it reports what the
//! lint of `documents`, the trace of `reports` and three small checks of its own find. It knows the engine's port and
//! not the loop behind it; it starts no program.
//!
//! Start at [`RehearsalAgent`]. `turn` and `code_turn` are one turn of a role, with documents and with code, and the
//! only places that touch files. `drafts` and `author` write documents, `checks` and `review` judge them (`excerpt`
//! where only parts are sent), `code` does both for programs, `retro` looks back on a feature, `probe` answers probes,
//! `session` is its memory, `scenario` makes it misbehave.

mod amounts;
mod ask;
mod author;
mod checks;
mod code;
mod code_turn;
mod drafts;
mod edit;
mod excerpt;
mod pace;
mod parsed_document;
mod probe;
mod retro;
mod review;
mod scenario;
mod session;
mod turn;
mod unreadable;
mod working_folder;

#[cfg(test)]
mod tests;

pub use scenario::{Act, Scenario, ScenarioError, ScenarioRule};

use pace::Pace;
use redraft_cost::price::{Card, Cards};
use redraft_engine::ports::{
    Abilities, Agent, AgentError, Billing, Cache, Naming, Outcome, Request, Resume, RunHandle, UsageReport,
};
use redraft_facts::choice::Lifetime;
use redraft_facts::event::{AfterFailure, AgentIdentity, PlayerKind};
use redraft_facts::ids::AgentName;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Payment, Usage, Usd};
use redraft_facts::verdict::AnswerStatus;
use redraft_prompts::prompt;
use session::{Conversation, LogLine, Sessions};
use std::path::Path;
use turn::{Turned, Work};

/// An estimate for English and Markdown, on the safe side.
const CHARS_PER_TOKEN: u64 = 3;
/// The longest answer of this agent.
const OUTPUT_TOKENS_MAX: u64 = 4_000;
/// The price of a token of the conversation so far, as a share of a new one's.
const READ_SHARE: f64 = 0.1;
const WAIT_MS: u64 = 10;
/// The price card its tokens are predicted by.
const LOCAL: &str = "local";

/// The tools of a profile whose work it can do: it works with files and nothing else.
const TOOLS: [&str; 6] = ["Read", "List", "Glob", "Grep", "Write", "Edit"];

/// Commits everything in a folder with a message, for scenarios in which the agent commits. This crate starts no program.
pub type CommitAll = fn(&Path, &str) -> Result<(), String>;

pub struct RehearsalAgent {
    name: AgentName,
    sessions: Sessions,
    scenario: Scenario,
    commit: CommitAll,
    card: Card,
}

impl RehearsalAgent {
    /// `state` is the agent's own folder: conversations, counts and the log.
    pub fn new(name: AgentName, state: &Path, scenario: Scenario, commit: CommitAll) -> Self {
        let cards = Cards::builtin();
        let card = cards.find(LOCAL).cloned().unwrap_or_else(|_| cards.conservative());
        RehearsalAgent { name, sessions: Sessions::new(state), scenario, commit, card }
    }
}

impl Agent for RehearsalAgent {
    fn name(&self) -> AgentName {
        self.name.clone()
    }

    fn describe(&self) -> String {
        "the built-in rehearsal agent, no model, offline".to_owned()
    }

    /// It is part of this program, so it has this program's version.
    fn player(&self) -> AgentIdentity {
        AgentIdentity::new(PlayerKind::Rehearsal, "redraft", env!("CARGO_PKG_VERSION"), "")
    }

    fn missing(&self, tools: &[String]) -> Vec<String> {
        tools.iter().filter(|tool| !TOOLS.contains(&tool.as_str())).cloned().collect()
    }

    /// A scenario may give it a price, but nobody is billed.
    fn is_free(&self) -> bool {
        true
    }

    /// The card of models that run on one's own machine, which cost only time.
    fn billing(&self) -> Billing {
        Billing { model: LOCAL.to_owned(), card: self.card.clone(), overhead: 0 }
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            resume: Resume::Yes,
            session_id: Naming::Ours,
            cache: Cache::Conversation,
            // It never forgets what it remembers.
            lifetimes: vec![Lifetime::HalfDay],
            opened_files: true,
            structured: false,
            usage: UsageReport::AtEnd,
            pull: false,
        }
    }

    /// It works inside our own process and ends with it.
    fn left_behind(&self, _ticket: &Ticket) -> Option<Outcome> {
        None
    }

    fn highest_cost(&self, request: &Request) -> Usd {
        let earlier = if request.resume { self.sessions.load(&request.session).ok().flatten() } else { None };
        let chars = request.prompt.chars() + earlier.map_or(0, |conversation| conversation.chars());
        self.cost(tokens(chars), 0, OUTPUT_TOKENS_MAX)
    }

    fn run(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        let prompt = request.prompt.text();
        let hash = text::hash(prompt.as_bytes());
        let ticket = request.ticket.to_string();
        let log = |at: &'static str, chars: u64| {
            let session = request.session.as_str();
            let resume = request.resume;
            let line =
                LogLine { v: 1, at, ticket: &ticket, session, resume, prompt_sha256: hash.as_str(), chars };
            self.sessions
                .log(&line)
                .map_err(|error| broken(&format!("the log of the rehearsal agent: {error}")))
        };
        let prompt_chars = request.prompt.chars();
        log("asked", prompt_chars)?;
        match self.answer(request, watch) {
            Ok(outcome) => log("answered", outcome.text.chars().count() as u64).map(|()| outcome),
            Err(error) => log("failed", prompt_chars).and(Err(error)),
        }
    }
}

impl RehearsalAgent {
    fn answer(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        let rule = self.scenario.claim(&request.ticket.to_string(), &self.sessions.rule_uses());
        let rule = rule.map_err(|error| broken(&format!("the counts of the scenario: {error}")))?;
        if watch.stopped() {
            return Err(interrupted());
        }
        if let Some(rule) = rule {
            self.before(rule, request, watch)?;
        }
        let act = rule.map(|rule| rule.act);
        let mut conversation = self.conversation(request)?;
        conversation.forget(&request.ticket);
        let earlier = conversation.chars();
        let pace = Pace::new(watch);
        let may_write = !matches!(act, Some(Act::Unchanged | Act::Decline));
        let asks = rule.filter(|rule| rule.act == Act::Ask).map(|rule| rule.text.as_deref());
        let work = Work { request, pace: &pace, memory: &conversation.memory, may_write, act, asks };
        let turned = work.turn()?;
        let text = match rule {
            Some(ScenarioRule { act: Act::Garbage, text, .. }) => {
                text.clone().unwrap_or_else(|| garbage(&turned.text))
            }
            Some(ScenarioRule { act: Act::Say, text, .. }) => text.clone().unwrap_or_default(),
            Some(ScenarioRule { act: act @ (Act::Decline | Act::Stop), text, .. }) => {
                says_no(&turned.text, *act, text.as_deref())
            }
            _ => turned.text.clone(),
        };
        let code = conversation.code.clone().filter(|_| act != Some(Act::Forget));
        let text = match code.filter(|_| prompt::is_asked(&request.prompt)) {
            Some(code) => prompt::tell(&text, &code),
            None => text,
        };
        conversation.code = prompt::given(&request.prompt).or(conversation.code);
        let answer_chars = text.chars().count() as u64;
        let Turned { memory, opened, .. } = turned;
        conversation.take_turn(&request.ticket, memory, request.prompt.chars(), answer_chars);
        let saved = self.sessions.save(&request.session, &conversation);
        saved.map_err(|error| broken(&format!("conversation {}: {error}", request.session)))?;
        let usage = self.usage(request.prompt.chars(), earlier, answer_chars);
        match rule {
            Some(ScenarioRule { act: Act::CrashSession, .. }) => {
                let detail = "the connection broke after the turn had been taken".to_owned();
                return Err(AgentError {
                    now: AfterFailure::GiveUp,
                    detail,
                    usage: Some(usage),
                    interrupted: false,
                });
            }
            Some(rule @ ScenarioRule { act: Act::Edit, .. }) => edit(rule, request)?,
            Some(ScenarioRule { act: Act::Commit, .. }) => self.commit(&request.folder)?,
            _ => {}
        }
        Ok(Outcome {
            text,
            session: Some(request.session.clone()),
            usage,
            opened: Some(opened),
            denials: Vec::new(),
            notes: Vec::new(),
            formless: false,
            asked_ms: None,
            requests: None,
            hand: None,
            payment: Payment::Unknown,
            unknown: Usd(0),
        })
    }

    /// What a rule does instead of, or before, any work.
    fn before(
        &self,
        rule: &ScenarioRule,
        request: &Request,
        watch: &dyn RunHandle,
    ) -> Result<(), AgentError> {
        let wait_ms = rule.wait_ms.unwrap_or(WAIT_MS);
        match rule.act {
            Act::Fail => Err(failed(AfterFailure::GiveUp, "the scenario makes this attempt fail")),
            Act::Overloaded => Err(failed(
                AfterFailure::Wait(wait_ms),
                &format!("overloaded, try again in {}", text::span(wait_ms)),
            )),
            Act::Hang if !watch.wait_ms(request.deadlines.total_ms) => Err(interrupted()),
            Act::Hang => Err(failed(
                AfterFailure::GiveUp,
                &format!("no answer within {}", text::span(request.deadlines.total_ms)),
            )),
            Act::LoseSession => {
                let removed = self.sessions.remove(&request.session);
                removed.map_err(|error| broken(&format!("conversation {}: {error}", request.session)))?;
                Err(unknown(request))
            }
            Act::Late => {
                // As a model does that takes long to finish.
                watch.begun();
                if watch.wait_ms(wait_ms) { Ok(()) } else { Err(interrupted()) }
            }
            _ => Ok(()),
        }
    }

    /// Commits everything, as an agent does that was not told to leave commits alone.
    fn commit(&self, folder: &Path) -> Result<(), AgentError> {
        let done = (self.commit)(folder, "work of an agent that commits");
        done.map_err(|error| broken(&text::one_line(&error, 200)))
    }

    fn conversation(&self, request: &Request) -> Result<Conversation, AgentError> {
        if !request.resume {
            return Ok(Conversation::default());
        }
        let loaded = self.sessions.load(&request.session);
        loaded
            .map_err(|error| failed(AfterFailure::FreshSession, &format!("{error}")))?
            .ok_or_else(|| unknown(request))
    }

    fn usage(&self, prompt_chars: u64, earlier_chars: u64, answer_chars: u64) -> Usage {
        let (uncached, read, output) = (tokens(prompt_chars), tokens(earlier_chars), tokens(answer_chars));
        Usage { uncached, written: 0, read, output, cost: self.cost(uncached, read, output) }
    }

    /// A dollar for a million tokens is a millionth of a dollar for one.
    fn cost(&self, uncached: u64, read: u64, output: u64) -> Usd {
        let Scenario { usd_per_million_input, usd_per_million_output, usd_per_dispatch, .. } = self.scenario;
        let input = (uncached as f64 + read as f64 * READ_SHARE) * usd_per_million_input;
        let flat = usd_per_dispatch * 1_000_000.0;
        Usd((flat + input + output as f64 * usd_per_million_output).ceil() as u64)
    }
}

fn tokens(chars: u64) -> u64 {
    chars.div_ceil(CHARS_PER_TOKEN)
}

/// The same answer, with a no in it: to every finding, or to the task.
fn says_no(answer: &str, act: Act, why: Option<&str>) -> String {
    let Some(mut verdict) = redraft_documents::answer::parse(answer.as_bytes()).verdict else {
        return answer.to_owned();
    };
    let why = why.unwrap_or("the scenario has it say so");
    if act == Act::Stop {
        verdict.approved = false;
        let concerns = verdict.checks.iter_mut().filter(|check| check.name == "concerns");
        concerns.for_each(|check| why.clone_into(&mut check.note));
    }
    for answer in verdict.answers.iter_mut().filter(|_| act == Act::Decline) {
        answer.status = AnswerStatus::NotFixed;
        why.clone_into(&mut answer.note);
    }
    serde_json::to_string(&verdict).unwrap_or_else(|_| answer.to_owned())
}

/// Something between prose and JSON, as agents produce it: the verdict breaks off.
fn garbage(text: &str) -> String {
    let half: String = text.chars().take(text.chars().count() / 3).collect();
    format!(
        "I looked at everything and overall it seems fine to me!\n\n{half}\n… and so on, you get the idea.\n"
    )
}

/// Changes a file the role may not change.
fn edit(rule: &ScenarioRule, request: &Request) -> Result<(), AgentError> {
    let path = rule.path.as_deref().unwrap_or_default();
    let target = working_folder::inside(&request.folder, path)?;
    let written = std::fs::create_dir_all(target.parent().unwrap_or(&request.folder))
        .and_then(|()| std::fs::write(&target, rule.text.as_deref().unwrap_or_default()));
    written.map_err(|error| broken(&format!("{path}: {error}")))
}

fn failed(now: AfterFailure, detail: &str) -> AgentError {
    AgentError { now, detail: detail.to_owned(), usage: None, interrupted: false }
}

/// No retry helps: the agent's own files cannot be used.
fn broken(detail: &str) -> AgentError {
    failed(AfterFailure::AskPerson, detail)
}

fn interrupted() -> AgentError {
    AgentError { interrupted: true, ..failed(AfterFailure::GiveUp, "the run was asked to stop") }
}

/// Nothing was said, so nothing is billed.
fn unknown(request: &Request) -> AgentError {
    let detail = format!("no conversation found with session ID: {}", request.session);
    AgentError { usage: Some(Usage::default()), ..failed(AfterFailure::FreshSession, &detail) }
}
