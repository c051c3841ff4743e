//! Codex, the installed program, without its terminal interface.
//!
//! Each dispatch is one process; the first carries the whole prompt, a later one only its turn, in the thread that
//! Codex named. Codex counts tokens over the whole life of a thread, so what a dispatch used is a difference, and it
//! never gives up a lost network by itself, so the deadlines are ours. The module knows the engine's port and the
//! program, and nothing of reviews.
//!
//! Start at [`CodexAgent`]; `flags` is how it is called, `room` what it may reach, `stream` what it prints, `remark` what it says about a request
//! that did not work, `outcome` what its end means, `answer` the result, `skills` what is kept from a reviewer, `form`
//! whether an answer is what was asked for, `limit` when a usage limit ends, `totals` the counting, `spending` and
//! `rollout` what it costs while it works.

mod answer;
mod flags;
mod form;
mod limit;
mod outcome;
mod remark;
mod rollout;
mod room;
mod skills;
mod spending;
mod stream;
#[cfg(test)]
mod tests;
mod totals;

use crate::mcp::McpServers;
use crate::programs::{
    Containment, ConversationRecord, DispatchRecord, Fingerprint, Home, Meter, Program, Sessions, with_checks,
};
use answer::Counted;
use redraft_adapters::child::{Environment, Launch, OutputListener, StreamLine, settle, was_abandoned};
use redraft_cost::price::Card;
use redraft_engine::ports::{
    Abilities, Agent, AgentError, Billing, Cache, Naming, Outcome, Request, Resume, RunHandle, UsageReport,
};
use redraft_facts::event::{AfterFailure, AgentIdentity, PlayerKind};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};
use rollout::Rollout;
use spending::Spending;
use std::path::{Path, PathBuf};
use std::{fs, io};
use stream::Heard;
use totals::Totals;

/// An estimate for English and Markdown, on the safe side.
const CHARS_PER_TOKEN: u64 = 3;
/// The program's own instructions and the definitions of its tools.
const FRAME_TOKENS: u64 = 12_000;
/// The schema that was asked for, next to what came.
const SCHEMA_FILE: &str = "schema.json";

/// The settings of a Codex agent.
#[derive(Debug, Clone)]
pub struct CodexSettings {
    pub name: AgentName,
    /// The program, found already.
    pub program: PathBuf,
    pub model: String,
    /// The agent's own folder: what is kept of each conversation.
    pub state: PathBuf,
    /// Where the output of each dispatch is kept, by ticket.
    pub runs: PathBuf,
    /// Our own binary.
    pub worker: PathBuf,
    /// The user's variables, of which a named set is passed on.
    pub environment: Environment,
    /// More variables to pass on, by name; a star at the end stands for any ending.
    pub pass: Vec<String>,
    pub extra_args: Vec<String>,
    /// Servers with more tools.
    pub mcp: McpServers,
    /// What the model costs; Codex names no price itself.
    pub card: Card,
    /// Knows every key of the configuration, also those of other agents: a program can come across them.
    pub redactor: Redactor,
    /// What holds it.
    pub containment: Containment,
}

pub struct CodexAgent {
    settings: CodexSettings,
    /// What it has of the user's home; none where it has all of it.
    home: Option<Home>,
    program: Program,
    sessions: Sessions,
    redactor: Redactor,
}

impl CodexAgent {
    pub fn new(mut settings: CodexSettings) -> Self {
        let own = rollout::home(&settings.environment).zip(settings.containment.home());
        let home = own.map(|(from, to)| Home {
            from,
            to: to.join(".codex"),
            shared: &["auth.json"],
            shown: &["AGENTS.md", "AGENTS.override.md", "rules", "skills", "prompts"],
        });
        if let Some(home) = &home {
            // Where it keeps conversations, for whoever asks the program or looks for them.
            settings.environment.set("CODEX_HOME", &home.to.to_string_lossy());
        }
        let program =
            Program::new(settings.program.clone(), settings.environment.passed(&flags::OWN, &settings.pass));
        let sessions = Sessions::new(&settings.state);
        let redactor = settings.redactor.knowing(settings.environment.secrets());
        CodexAgent { settings, home, program, sessions, redactor }
    }

    /// The finished answer in the folder of a dispatch whose end was not seen, if there is one.
    pub fn recovered(&self, request_dir: &Path) -> Option<Outcome> {
        let asked = DispatchRecord::read(request_dir)?;
        let heard = Heard::in_folder(request_dir)?;
        let schema = fs::read_to_string(request_dir.join(SCHEMA_FILE)).ok()?;
        // Only an answer is adopted, so when a limit ended does not matter.
        self.answer(&heard, &asked, &schema, 0, self.noted(&heard, &asked)).ok().flatten()
    }

    fn fingerprint(&self, request: &Request) -> Result<Fingerprint, AgentError> {
        let version = self
            .program
            .version()
            .map_err(|detail| self.error(AfterFailure::AskPerson, detail, AgentError::UNBILLED))?;
        Ok(Fingerprint {
            v: Fingerprint::VERSION,
            program: "codex".to_owned(),
            version: version.to_owned(),
            model: self.settings.model.clone(),
            flags: flags::fixed(&self.settings, request),
            // The thread itself keeps what was said first.
            system_sha256: text::hash(b"").to_string(),
            tools: flags::abilities(&self.settings, request),
            schema_sha256: text::hash(request.schema.as_bytes()).to_string(),
            folder: request.folder.display().to_string(),
        })
    }

    fn spending(&self, request: &Request) -> Spending<'_> {
        let card = &self.settings.card;
        let before = Totals::last(&self.sessions.folder(&request.session)).filter(|_| request.resume);
        let before = before.unwrap_or_default();
        let earlier = match request.resume {
            // The sum of all its prompts is more than the last one, which is never larger than the model takes in.
            true => self.sessions.size(&request.session).unwrap_or(before.input.min(card.context.tokens)),
            false => FRAME_TOKENS,
        };
        let prompt = (request.prompt.text().len() as u64).div_ceil(CHARS_PER_TOKEN);
        Spending::new(card, before, prompt + earlier)
    }

    fn error(&self, now: AfterFailure, detail: &str, usage: Option<Usage>) -> AgentError {
        let (detail, _) = self.redactor.redact(detail);
        AgentError { now, detail: text::one_line(&detail, 400), usage, interrupted: false }
    }

    fn broken(&self, path: &Path, error: &io::Error) -> AgentError {
        self.error(AfterFailure::AskPerson, &format!("{}: {error}", path.display()), None)
    }
}

impl Agent for CodexAgent {
    fn name(&self) -> AgentName {
        self.settings.name.clone()
    }

    fn describe(&self) -> String {
        format!("codex {}, {}", self.program.version().unwrap_or("(no version)"), self.settings.model)
    }

    fn player(&self) -> AgentIdentity {
        let version = self.program.version().unwrap_or_default();
        AgentIdentity::new(PlayerKind::Codex, "Codex", version, &self.settings.model)
    }

    fn missing(&self, tools: &[String]) -> Vec<String> {
        flags::missing(&self.settings, tools)
    }

    fn is_free(&self) -> bool {
        self.settings.card.is_free()
    }

    fn sandbox(&self, folder: &Path) -> Option<String> {
        self.settings.containment.level_in_words(folder)
    }

    fn billing(&self) -> Billing {
        Billing {
            model: self.settings.model.clone(),
            card: self.settings.card.clone(),
            overhead: FRAME_TOKENS,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            resume: Resume::Yes,
            session_id: Naming::Theirs,
            cache: match self.settings.card.charges_for_keeping() {
                // It finds only what ends where an earlier request ended, so another thread finds nothing.
                true => Cache::Conversation,
                false => Cache::AnyPrefix,
            },
            // It asks for none; it has what its service gives.
            lifetimes: vec![self.settings.card.lifetime.is],
            opened_files: false,
            structured: true,
            usage: UsageReport::Streaming,
            pull: false,
        }
    }

    fn left_behind(&self, ticket: &Ticket) -> Option<Outcome> {
        let out = self.settings.runs.join(ticket.to_string());
        settle(&out);
        self.recovered(&out)
    }

    fn unwatched(&self, ticket: &Ticket) -> Option<Usd> {
        let out = self.settings.runs.join(ticket.to_string());
        let (asked, heard) = (DispatchRecord::read(&out)?, Heard::in_folder(&out)?);
        let before = Totals::last(&self.sessions.folder(&SessionId::new(heard.thread.clone())));
        let before = before.filter(|_| asked.resume).unwrap_or_default();
        let card = self.card(&asked);
        let mut spending = Spending::new(&card, before, 0);
        spending.read(Rollout::find(&self.settings.environment, &heard.thread));
        spending.searched(heard.searches);
        spending.unwatched().filter(|_| was_abandoned(&out))
    }

    fn beyond(&self) -> Usd {
        self.settings.card.beyond(spending::ANSWER_TOKENS)
    }

    fn highest_cost(&self, request: &Request) -> Usd {
        self.spending(request).at_most()
    }

    fn run(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        let fingerprint = self.fingerprint(request)?;
        let cut = || {
            let held = ConversationRecord::read(&self.sessions.folder(&request.session))?;
            held.is_cut(Rollout::find(&self.settings.environment, request.session.as_str()).file())
        };
        if request.resume
            && let Some(detail) = self.sessions.refusal(&request.session, &fingerprint).or_else(cut)
        {
            return Err(self.error(AfterFailure::FreshSession, &detail, AgentError::UNBILLED));
        }
        let unsent = |path: &Path, error: &io::Error| AgentError {
            usage: AgentError::UNBILLED,
            ..self.broken(path, error)
        };
        if request.resume {
            let noted = Rollout::find(&self.settings.environment, request.session.as_str()).news();
            let noted = noted.map(|noted| noted.total).unwrap_or_default();
            let folder = self.sessions.folder(&request.session);
            let begun = Totals::begin(&folder, &request.ticket.to_string(), noted);
            begun.map_err(|error| unsent(&folder, &error))?;
        }
        let out = self.settings.runs.join(request.ticket.to_string());
        let asked = DispatchRecord::new(request, fingerprint, self.highest_cost(request));
        let kept = asked.keep(&out).and_then(|()| fs::write(out.join(SCHEMA_FILE), request.schema));
        kept.map_err(|error| unsent(&out, &error))?;
        let room = self.room(request, &out)?;
        let launch = Launch {
            worker: &self.settings.worker,
            out: &out,
            program: self.program.path(),
            arguments: &flags::all(&self.settings, request, &out),
            folder: &request.folder,
            input: &request.prompt.text(),
            environment: &room.environment,
            secrets: self.redactor.known().to_vec(),
            unkept: &[],
            deadlines: request.deadlines,
            policy: room.policy.clone(),
        };
        let mut heard = Heard::default();
        let (meter, mut spending) = (Meter::new(watch), self.spending(request));
        meter.expect(spending.at_most());
        if request.resume {
            let rollout = Rollout::find(&self.settings.environment, request.session.as_str());
            spending.read(rollout.onwards());
        }
        let session = request.session.as_str();
        let notes = || Rollout::find(&self.settings.environment, session).onwards();
        let (mut notes, mut seen) = (if request.resume { notes() } else { Rollout::default() }, 0);
        let mut hear = |line: StreamLine| {
            let (begun, done, cuts, at_work) = (heard.begun, heard.done, heard.cuts, heard.at_work);
            heard.take(line);
            if heard.at_work && !at_work && !request.resume {
                notes = Rollout::find(&self.settings.environment, &heard.thread);
            }
            notes.news();
            let answers = u64::from(notes.answers().unwrap_or_default());
            // More answers than follow what it did: it goes on by itself, as after a form that was refused.
            if answers > heard.done.saturating_add(1).max(seen) {
                seen = answers;
                meter.goes_on();
                if heard.begun == 0 && !request.resume {
                    spending.read(Rollout::find(&self.settings.environment, &heard.thread));
                }
                spending.look();
                meter.expect(spending.at_most());
            }
            spending.searched(heard.searches);
            if heard.cuts > cuts {
                spending.breaks_off();
                meter.expect(spending.at_most());
            }
            heard.doing.drain(..).for_each(|doing| watch.tell(&doing));
            if heard.unconnected >= outcome::UNCONNECTED_MAX {
                meter.end();
            }
            if heard.begun > begun {
                if begun == 0 && !request.resume {
                    spending.read(Rollout::find(&self.settings.environment, &heard.thread));
                }
                spending.step();
            }
            if heard.done > done {
                // The next request follows at once.
                heard.asked_ms = Some(watch.now_ms());
                meter.goes_on();
                spending.look();
                meter.expect(spending.at_most());
            }
        };
        let finished = with_checks(request, &out, watch, || launch.run(&meter, &mut hear));
        let finished = finished.map_err(|error| unsent(&self.settings.worker, &error))?;
        if let Some(home) = &self.home {
            // What cannot be handed back now is when the next dispatch begins.
            let _ = home.hand_back();
        }
        if !request.resume && heard.begun == 0 {
            // It did nothing but speak, so its notes were not read yet.
            spending.read(Rollout::find(&self.settings.environment, &heard.thread));
        }
        let counted = Counted {
            context: spending.context(),
            largest: spending.largest(),
            requests: spending.answers(),
            plan: spending.has_plan(),
            usage: spending.counted(),
            broken: spending.broken(),
            searches: spending.searches(),
        };
        if heard.total.is_none() {
            // Counted even where it is more than was granted.
            meter.owes(spending.until_now());
        }
        if let Some(tokens) = counted.context.filter(|_| !heard.thread.is_empty()) {
            // Only a reservation depends on it, which without it is estimated.
            let _ = self.sessions.keep_size(&SessionId::new(heard.thread.clone()), tokens);
        }
        if let Some(needed) = meter.over_budget().filter(|_| heard.total.is_none()) {
            let detail = format!("cut off: it could have cost {needed}, and that much is not left");
            return Err(self.error(AfterFailure::OverBudget(needed), &detail, None));
        }
        let asked = DispatchRecord { reserved: meter.granted().0.max(asked.reserved), ..asked };
        if let Some(outcome) = self.answer(&heard, &asked, request.schema, watch.now_ms(), counted)? {
            return self.remembered(outcome, &asked, spending.rollout());
        }
        if meter.is_ended() {
            let (now, detail) = outcome::offline(&heard);
            let unbilled = AgentError::UNBILLED.filter(|_| outcome::never_connected(&heard));
            return Err(self.error(now, &detail, unbilled));
        }
        let (now, detail) = outcome::silence(&heard, &finished);
        let detail = room.hint(&finished).map_or(detail.clone(), |hint| format!("{detail} ({hint})"));
        let unbilled = AgentError::UNBILLED.filter(|_| outcome::never_connected(&heard));
        Err(outcome::why(&heard).error(&finished, self.error(now, &detail, unbilled)))
    }
}
