//! Claude Code, the installed program, without its terminal interface.
//!
//! Each dispatch is one process. Everything but the turn is its system prompt, kept as a file, so that the beginning of
//! every request stays the same bytes through commits and new files; a later turn is the same command with the same
//! conversation. Where other roles begin alike, the role's own part begins the first turn instead: the program's cache
//! keeps the end of the system prompt and no place inside it. The user's own login and HOME are used. The module knows
//! the engine's port and the program, and nothing of reviews.
//!
//! Start at [`ClaudeAgent`]; `flags` is how it is called, `stream` what it prints (`printed` reads the pieces),
//! `outcome` what that means, `requests` what it costs while it works, `bill` what it cost in the end, `payment` who
//! pays for it, `memory` whether it still has what it was shown, `home` what it has of the user's, `room` what it may reach.

mod bill;
mod flags;
mod home;
mod memory;
mod outcome;
mod payment;
mod printed;
mod requests;
mod room;
mod settings;
mod stream;
#[cfg(test)]
mod tests;

use crate::programs::{DispatchRecord, Fingerprint, Meter, Program, Sessions, with_checks};
use bill::Bill;
use home::OwnHome;
use redraft_adapters::child::{Finished, Launch, OutputListener, ReadEnd, StreamLine, settle, was_abandoned};
use redraft_cost::price::Cards;
use redraft_engine::ports::{
    Abilities, Agent, AgentError, Billing, Cache, Naming, Outcome, Request, Resume, RunHandle, UsageReport,
};
use redraft_facts::choice::Lifetime;
use redraft_facts::event::{AfterFailure, AgentIdentity, PlayerKind};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};
use requests::{Requests, Terms};
pub use settings::{Bash, ClaudeSettings};
use std::path::{Path, PathBuf};
use std::{fs, io};
use stream::Heard;

/// An estimate for English and Markdown, on the safe side.
const CHARS_PER_TOKEN: u64 = 3;
/// The definitions of the tools and the program's own words around ours.
const FRAME_TOKENS: u64 = 6_000;
pub struct ClaudeAgent {
    settings: ClaudeSettings,
    /// None where it has the user's.
    home: Option<OwnHome>,
    program: Program,
    sessions: Sessions,
    redactor: Redactor,
}

impl ClaudeAgent {
    pub fn new(mut settings: ClaudeSettings) -> Self {
        let home = OwnHome::from_settings(&settings);
        if let Some(home) = &home {
            // Where it keeps conversations, for whoever asks the program or looks for them.
            settings.environment.set("CLAUDE_CONFIG_DIR", &home.login.to.to_string_lossy());
        }
        let program =
            Program::new(settings.program.clone(), settings.environment.passed(&flags::OWN, &settings.pass));
        let sessions = Sessions::new(&settings.state);
        let redactor = settings.redactor.knowing(settings.environment.secrets());
        ClaudeAgent { settings, home, program, sessions, redactor }
    }

    /// The finished answer in the folder of a dispatch whose end was not seen, if there is one.
    pub fn recovered(&self, request_dir: &Path) -> Option<Outcome> {
        let asked = DispatchRecord::read(request_dir)?;
        let heard = Heard::in_folder(request_dir)?;
        self.answer(&heard, &asked).ok().flatten()
    }

    /// The settings a dispatch is billed by: those of the model it was sent to, which may no longer be configured.
    fn billed_by(&self, asked: &DispatchRecord) -> ClaudeSettings {
        let settings = self.settings.clone();
        let model = &asked.fingerprint.model;
        if *model == settings.model {
            return settings;
        }
        let cards = Cards::builtin();
        let card = cards.find(model).cloned().unwrap_or_else(|_| cards.conservative());
        ClaudeSettings { model: model.clone(), card, ..settings }
    }

    /// The answer among what was heard: none where there is no last line, an error where the line says so.
    fn answer(&self, heard: &Heard, asked: &DispatchRecord) -> Result<Option<Outcome>, AgentError> {
        let Some(result) = &heard.result else { return Ok(None) };
        let Bill { usage, unknown } = Bill::new(&self.billed_by(asked), heard, result, Usd(asked.reserved));
        if let Some((now, detail)) = outcome::failure(heard, result, asked.resume) {
            let now = match now {
                // It passed the most there was for it, and was about to go on.
                AfterFailure::OverBudget(_) => AfterFailure::OverBudget(usage.cost + Usd(asked.reserved)),
                now => now,
            };
            // The cost that the program states is as good a bill as tokens.
            let told = usage.input() > 0 || usage.output > 0 || result.cost > Usd(0);
            let counted = Some(usage).filter(|_| told);
            let unbilled = AgentError::UNBILLED.filter(|_| outcome::is_unbilled(heard, result));
            return Err(self.error(now, &detail, counted.or(unbilled)));
        }
        if asked.resume && result.session_id != asked.session {
            // Whatever that conversation was shown, it is not what this one was shown.
            let detail = format!(
                "claude answered in conversation `{}` and not in {}",
                result.session_id, asked.session
            );
            return Err(self.error(AfterFailure::FreshSession, &detail, Some(usage)));
        }
        if heard.contradicts && !asked.writes {
            return Err(self.error(AfterFailure::GiveUp, "claude gave two answers that differ", Some(usage)));
        }
        let forgot = memory::forgot(heard, asked, &self.sessions);
        if let Some(why) = forgot.as_ref().filter(|forgot| forgot.spoils_the_answer).map(|forgot| &forgot.why)
        {
            return Err(self.error(AfterFailure::FreshSession, &format!("claude: {why}"), Some(usage)));
        }
        let known = result.session_id == asked.session && forgot.is_none();
        let notes = heard.notes().into_iter().chain(forgot.map(|forgot| forgot.why)).collect();
        Ok(Some(Outcome {
            text: result.answer(),
            session: known.then(|| SessionId::new(asked.session.clone())),
            usage,
            opened: Some(heard.opened(&asked.folder)),
            denials: result.denials.clone(),
            notes,
            formless: result.is_formless(),
            asked_ms: heard.asked_ms,
            // Its turns are not its requests: the form of the answer is a call as well.
            requests: None,
            hand: None,
            payment: payment::detect(heard, &self.settings.environment),
            unknown,
        }))
    }

    /// What is known of the cost of a program that ended without its last line. Where its worker vanished, or lines
    /// could not be read, it may have done more than was heard.
    fn known(&self, heard: &Heard, finished: &Finished) -> Option<Usage> {
        let whole = heard.unreadable == 0 && finished.end != ReadEnd::Vanished;
        heard.requests.sum(&self.settings.card).filter(|_| whole)
    }

    /// What the requests of a dispatch are priced by.
    fn terms(&self, request: &Request) -> Terms<'_> {
        let session = &request.session;
        let earlier = match request.resume {
            true => self.sessions.size(session).unwrap_or_else(|| {
                let system = fs::metadata(self.sessions.folder(session).join("system.md"));
                system.map_or(0, |file| file.len().div_ceil(CHARS_PER_TOKEN)) + FRAME_TOKENS
            }),
            false => FRAME_TOKENS,
        };
        Terms {
            card: &self.settings.card,
            lifetime: flags::lifetime(request),
            answer_tokens: self.settings.answer_tokens().into(),
            first_tokens: (request.prompt.text().len() as u64).div_ceil(CHARS_PER_TOKEN) + earlier,
            searches: request.tools.iter().any(|tool| tool == "WebSearch"),
        }
    }

    fn fingerprint(&self, request: &Request, system: &str) -> Result<Fingerprint, AgentError> {
        let version = self
            .program
            .version()
            .map_err(|detail| self.error(AfterFailure::AskPerson, detail, AgentError::UNBILLED))?;
        Ok(Fingerprint {
            v: Fingerprint::VERSION,
            program: "claude".to_owned(),
            version: version.to_owned(),
            model: self.settings.model.clone(),
            flags: flags::fingerprint(&self.settings, request),
            system_sha256: text::hash(system.as_bytes()).to_string(),
            tools: flags::tools(&self.settings, request),
            schema_sha256: text::hash(request.schema.as_bytes()).to_string(),
            folder: request.folder.display().to_string(),
        })
    }

    /// Prepares the conversation's files; a resumed one must be as it was begun.
    fn prepare(&self, request: &Request) -> Result<(PathBuf, Fingerprint), AgentError> {
        let folder = self.sessions.folder(&request.session);
        let file = folder.join("system.md");
        let broken = |error: io::Error| {
            self.error(AfterFailure::AskPerson, &format!("{}: {error}", file.display()), AgentError::UNBILLED)
        };
        if request.resume {
            let system = match fs::read_to_string(&file) {
                Ok(system) => system,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let detail = format!("nothing is known about conversation {}", request.session);
                    return Err(self.error(AfterFailure::FreshSession, &detail, AgentError::UNBILLED));
                }
                Err(error) => return Err(broken(error)),
            };
            let now = self.fingerprint(request, &system)?;
            let cut = || memory::is_cut(&self.settings.environment, &self.sessions, &request.session);
            return match self.sessions.refusal(&request.session, &now).or_else(cut) {
                Some(detail) => Err(self.error(AfterFailure::FreshSession, &detail, AgentError::UNBILLED)),
                None => Ok((file, now)),
            };
        }
        let system = opening(request).0.text();
        let fingerprint = self.fingerprint(request, &system)?;
        fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &system)).map_err(broken)?;
        self.sessions.begin(&request.session, &fingerprint).map_err(broken)?;
        Ok((file, fingerprint))
    }

    fn error(&self, now: AfterFailure, detail: &str, usage: Option<Usage>) -> AgentError {
        let (detail, _) = self.redactor.redact(detail);
        AgentError { now, detail: text::one_line(&detail, 400), usage, interrupted: false }
    }
}

impl Agent for ClaudeAgent {
    fn name(&self) -> AgentName {
        self.settings.name.clone()
    }

    fn describe(&self) -> String {
        format!("claude {}, {}", self.program.version().unwrap_or("(no version)"), self.settings.model)
    }

    fn player(&self) -> AgentIdentity {
        let version = self.program.version().unwrap_or_default();
        AgentIdentity::new(PlayerKind::Claude, "Claude Code", version, &self.settings.model)
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
            session_id: Naming::Ours,
            cache: Cache::SystemAndLast,
            lifetimes: vec![Lifetime::Hour, Lifetime::FiveMinutes],
            opened_files: true,
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
        let limit = DispatchRecord::read(&out)?.limit?;
        was_abandoned(&out).then_some(Usd(limit))
    }

    fn highest_cost(&self, request: &Request) -> Usd {
        Requests::default().at_most(&self.terms(request))
    }

    fn run(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        let (system, fingerprint) = self.prepare(request)?;
        let out = self.settings.runs.join(request.ticket.to_string());
        let terms = self.terms(request);
        let limit = request.max_usd.filter(|_| flags::keeps_to_a_sum(&self.settings));
        let asked = DispatchRecord {
            limit: limit.map(|Usd(limit)| limit),
            ..DispatchRecord::new(request, fingerprint, self.highest_cost(request))
        };
        // It checks the sum after each request, so one more than that is paid for.
        let told = |limit: Usd| (limit - terms.after(terms.first_tokens)).max(terms.first());
        let limited = Request { max_usd: limit.map(told), ..request.clone() };
        let turn = opening(request).1.text();
        let room = self.room(request, &out)?;
        let launch = Launch {
            worker: &self.settings.worker,
            out: &out,
            program: self.program.path(),
            arguments: &flags::all(&self.settings, &limited, &system, &out),
            folder: &request.folder,
            input: &turn,
            environment: &room.environment,
            secrets: self.redactor.known().to_vec(),
            unkept: &flags::UNKEPT,
            deadlines: request.deadlines,
            policy: room.policy.clone(),
        };
        let mut heard = Heard::default();
        heard.requests.live = true;
        let meter = Meter::new(watch);
        let refusals_max = flags::refusals_max(&self.settings);
        meter.expect(heard.requests.at_most(&terms));
        let mut hear = |line: StreamLine| {
            let before = (heard.requests.count(), heard.requests.beside());
            heard.take(line);
            heard.doing.drain(..).for_each(|doing| watch.tell(&doing));
            if heard.refusals > refusals_max {
                meter.end();
            }
            if heard.requests.count() > before.0 {
                meter.begun();
                heard.asked_ms = Some(watch.now_ms());
                // It may go on without a tool: a form that was refused, an answer that is continued, a summary.
                if before.0 > 0 {
                    meter.goes_on();
                }
            }
            if (heard.requests.count(), heard.requests.beside()) != before {
                meter.expect(heard.requests.at_most(&terms));
            }
            if heard.requests.go_on {
                meter.goes_on();
            }
        };
        let kept = asked.keep(&out).and_then(|()| flags::keep_servers(&self.settings, request, &out));
        let work = || launch.run(&meter, &mut hear);
        let finished = kept.and_then(|()| with_checks(request, &out, watch, work));
        let finished = finished.map_err(|error| {
            let detail = format!("{}: {error}", self.settings.worker.display());
            self.error(AfterFailure::AskPerson, &detail, AgentError::UNBILLED)
        })?;
        if let Some(home) = &self.home {
            // What cannot be handed back now is when the next dispatch begins.
            let _ = home.login.hand_back();
        }
        if let Some(tokens) = heard.requests.context() {
            // Only a reservation depends on it, which without it is estimated.
            let _ = self.sessions.keep_size(&request.session, tokens);
        }
        if heard.result.is_none() {
            // Counted even where it is more than was granted.
            meter.owes(heard.requests.until_now(&terms));
        }
        if let Some(needed) = meter.over_budget().filter(|_| heard.result.is_none()) {
            let detail = format!("cut off: it could have cost {needed}, and that much is not left");
            return Err(self.error(AfterFailure::OverBudget(needed), &detail, None));
        }
        let asked = DispatchRecord { reserved: meter.granted().0.max(asked.reserved), ..asked };
        if let Some(outcome) = self.answer(&heard, &asked)? {
            memory::keep(&self.settings.environment, &self.sessions, request, &heard);
            return Ok(outcome);
        }
        if meter.is_ended() {
            let (now, detail) = outcome::shut_out(&heard);
            // What was refused is not billed.
            let usage = match heard.answering {
                true => heard.requests.answered(&self.settings.card),
                false => AgentError::UNBILLED,
            };
            return Err(self.error(now, &detail, usage));
        }
        let (now, detail) = outcome::silence(&heard, &finished);
        let detail = room.hint(&finished).map_or(detail.clone(), |hint| format!("{detail} ({hint})"));
        let error = self.error(now, &detail, self.known(&heard, &finished));
        Err(outcome::why(&heard).error(&finished, error))
    }
}

/// What goes into the system prompt, and the first turn. Only the turn of a resumed conversation is used.
fn opening(request: &Request) -> (Prompt, Prompt) {
    let Prompt { constant, feature, role, turn } = request.prompt.clone();
    let (own, first) = if request.shares { (Vec::new(), role) } else { (role, Vec::new()) };
    let system = Prompt { constant, feature, role: own, turn: Vec::new() };
    (system, Prompt { role: first, turn, ..Prompt::default() })
}
