//! Agents that are models behind HTTP: Anthropic's Messages and whatever speaks OpenAI's protocols.
//!
//! Such an agent has no program of its own, so this module keeps its conversations (`transcript`), gives it tools
//! (`tools`, next to this module) and counts its money (`spend`). One loop serves all protocols (`dispatch`); what
//! differs is behind `wire::Wire`. Keys, folders and prices are handed in; nothing here reads a configuration or
//! decides what is dispatched. Start at [`ApiAgent`], then `dispatch`.

mod anthropic;
mod chat;
mod dispatch;
mod missed;
mod offered;
mod proxy;
mod raw;
mod reach;
mod responses;
mod settings;
mod spend;
#[cfg(test)]
mod tests;
mod transcript;
mod trouble;
mod wire;
mod writing_progress;

use crate::http::{Client, HttpError};
use crate::tools;
pub use crate::tools::Commands;
pub use offered::offered;
pub use proxy::proxy;
pub(crate) use proxy::stays_here;
pub use reach::{reach, shown};
use redraft_cost::price::Card;
use redraft_engine::ports::{
    Abilities, Agent, AgentError, Billing, Cache, Naming, Outcome, Request, Resume, RunHandle, UsageReport,
};
use redraft_facts::choice::Lifetime;
use redraft_facts::event::{AfterFailure, AgentIdentity, PlayerKind};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::AgentName;
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};
pub use settings::{AnswerForm, AnthropicSettings, Bounds, Key, LengthField, OpenAiSettings, OpenAiWire};
use std::fmt;
use std::path::Path;
use transcript::{Head, Transcript, Transcripts};
use wire::Wire;

/// Roughly what the descriptions of its tools and the form of the answer add to a prompt.
const OVERHEAD_TOKENS: u64 = 1_500;

/// A model behind HTTP, ready to be dispatched to.
pub struct ApiAgent {
    name: AgentName,
    model: String,
    base_url: String,
    key: Option<Key>,
    bounds: Bounds,
    structured: bool,
    card: Card,
    redactor: Redactor,
    kind: PlayerKind,
    wire: Box<dyn Wire>,
    client: Client,
    transcripts: Transcripts,
    commands: Option<Commands>,
}

impl ApiAgent {
    /// The error says which setting cannot be used.
    pub fn anthropic(settings: AnthropicSettings) -> Result<ApiAgent, String> {
        let AnthropicSettings { name, model, base_url, key, bounds, state, card, redactor, proxy, commands } =
            settings;
        let base_url = settings::checked_url(&base_url, true)?;
        Ok(ApiAgent {
            client: client(proxy.as_deref())?,
            transcripts: Transcripts::new(&state),
            wire: Box::new(anthropic::Messages),
            kind: PlayerKind::Anthropic,
            structured: true,
            key: Some(key),
            name,
            model,
            base_url,
            bounds,
            card,
            redactor,
            commands,
        })
    }

    /// The error says which setting cannot be used.
    pub fn openai(settings: OpenAiSettings) -> Result<ApiAgent, String> {
        let OpenAiSettings {
            name,
            model,
            base_url,
            key,
            wire,
            form,
            length,
            bounds,
            state,
            card,
            redactor,
            proxy,
            commands,
        } = settings;
        let base_url = settings::checked_url(&base_url, key.is_some())?;
        let wire: Box<dyn Wire> = match wire {
            OpenAiWire::Chat => Box::new(chat::Chat { form, length }),
            OpenAiWire::Responses { reasoning } => Box::new(responses::Responses { form, reasoning }),
        };
        Ok(ApiAgent {
            client: client(proxy.as_deref())?,
            transcripts: Transcripts::new(&state),
            structured: form == AnswerForm::JsonSchema,
            kind: PlayerKind::OpenAi,
            wire,
            name,
            model,
            base_url,
            key,
            bounds,
            card,
            redactor,
            commands,
        })
    }

    /// A text without secrets, including the agent's own key, whether or not the redactor knows it.
    fn scrub(&self, text: &str) -> String {
        let (text, _) = self.redactor.redact(text);
        match self.key.as_ref().map(Key::expose).filter(|key| !key.is_empty()) {
            Some(key) if text.contains(key) => text.replace(key, "[redacted:key]"),
            _ => text.into_owned(),
        }
    }

    fn scrubbed(&self, prompt: &Prompt) -> Prompt {
        let mut prompt = prompt.clone();
        for list in [&mut prompt.constant, &mut prompt.feature, &mut prompt.role, &mut prompt.turn] {
            for fragment in list {
                fragment.text = self.scrub(&fragment.text);
            }
        }
        prompt
    }

    fn error(&self, now: AfterFailure, detail: &str, usage: Option<Usage>) -> AgentError {
        const DETAIL_CHARS_MAX: usize = 500;
        let detail = text::one_line(&self.scrub(detail), DETAIL_CHARS_MAX);
        AgentError { now, detail: format!("{}: {detail}", self.name), usage, interrupted: false }
    }

    /// What the requests of a conversation begin with. The fingerprint covers all of it, the model and the protocol.
    fn head(&self, request: &Request, system: String) -> Head {
        let tools = self.wire.tools(&tools::offered(&request.tools, self.commands.as_ref()));
        let schema = request.schema.trim().to_owned();
        let fingerprint = [&self.wire.signature(), &self.base_url, &self.model, &tools, &schema, &system];
        let fingerprint = text::hash(fingerprint.map(String::as_str).join("\n\u{0}\n").as_bytes());
        Head { fingerprint: fingerprint.as_str().to_owned(), system, tools, schema }
    }

    /// The conversation a resumed request continues.
    fn continued(&self, request: &Request) -> Result<Transcript, AgentError> {
        let lost = |why: String| self.error(AfterFailure::FreshSession, &why, AgentError::UNBILLED);
        let session = &request.session;
        let loaded = self.transcripts.load(session, &request.ticket);
        let loaded =
            loaded.map_err(|error| lost(format!("conversation {session} cannot be read: {error}")))?;
        let transcript = loaded.ok_or_else(|| lost(format!("there is no conversation {session}")))?;
        if self.head(request, transcript.head.system.clone()) != transcript.head {
            let why = "was held with another model, server, tool set or answer form";
            return Err(lost(format!("conversation {session} {why}")));
        }
        if transcript.last().is_none() {
            return Err(lost(format!("conversation {session} has no finished turn to continue from")));
        }
        Ok(transcript)
    }

    /// The longest lifetime a request writes something for, and that of the newest message; none if it is not kept.
    fn lifetimes(&self, request: &Request) -> (Lifetime, Option<Lifetime>) {
        let given = self.wire.lifetimes(&request.marks);
        given.unwrap_or((self.card.lifetime.is, Some(self.card.lifetime.is)))
    }
}

impl Agent for ApiAgent {
    fn name(&self) -> AgentName {
        self.name.clone()
    }

    fn sandbox(&self, _folder: &Path) -> Option<String> {
        self.commands.as_ref()?.reached()
    }

    fn describe(&self) -> String {
        format!("{} at {}", self.model, self.base_url)
    }

    /// A service states no version, and the model is the one that is asked for.
    fn player(&self) -> AgentIdentity {
        let protocol = match self.kind {
            PlayerKind::Anthropic => "Anthropic API",
            _ => "OpenAI-compatible API",
        };
        AgentIdentity::new(self.kind, protocol, "", &self.model)
    }

    fn missing(&self, tools: &[String]) -> Vec<String> {
        tools::missing(tools, self.commands.as_ref())
    }

    fn is_free(&self) -> bool {
        self.card.is_free()
    }

    fn billing(&self) -> Billing {
        Billing { model: self.model.clone(), card: self.card.clone(), overhead: OVERHEAD_TOKENS }
    }

    fn abilities(&self) -> Abilities {
        let sold = self.wire.sold();
        Abilities {
            resume: Resume::Yes,
            session_id: Naming::Ours,
            cache: match self.wire.cache() {
                // It finds only what ends where an earlier request ended, so another conversation finds nothing.
                Cache::AnyPrefix if self.card.charges_for_keeping() => Cache::Conversation,
                cache => cache,
            },
            // Where nothing can be asked for, the agent has what the vendor gives.
            lifetimes: if sold.is_empty() { vec![self.card.lifetime.is] } else { sold.to_vec() },
            opened_files: true,
            structured: self.structured,
            usage: UsageReport::Streaming,
            pull: false,
        }
    }

    /// It works inside our own process and ends with it.
    fn left_behind(&self, _ticket: &Ticket) -> Option<Outcome> {
        None
    }

    /// All that is sent, counted as the densest text there is, what tools may add, and the longest answer.
    fn highest_cost(&self, request: &Request) -> Usd {
        let earlier = if request.resume { self.continued(request).ok() } else { None };
        let before = earlier.map_or_else(
            || {
                (self.wire.tools(&tools::offered(&request.tools, self.commands.as_ref())).len()
                    + request.schema.len()) as u64
            },
            |transcript| transcript.bytes(),
        );
        let input = spend::tokens_at_most(before.saturating_add(request.prompt.text().len() as u64));
        let (longest, _) = self.lifetimes(request);
        self.card.dearest(input.saturating_add(self.bounds.tool_tokens), self.bounds.answer_tokens, longest)
    }

    fn run(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        dispatch::run(self, request, watch)
    }
}

/// Shows no secret: neither the key nor what the redactor knows.
impl fmt::Debug for ApiAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ApiAgent { name, model, base_url, .. } = self;
        write!(f, "ApiAgent({name}: {model} at {base_url})")
    }
}

fn client(proxy: Option<&str>) -> Result<Client, String> {
    Client::new(proxy).map_err(|error: HttpError| error.to_string())
}
