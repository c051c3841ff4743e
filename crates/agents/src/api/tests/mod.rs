//! Agents behind HTTP against the fake provider: what goes over the wire, what is stored, what a failure means.

mod anthropic;
mod bills;
mod failures;
mod limits;
mod openai;
mod refusals;
mod secrets;
mod untold;

use super::{AnswerForm, AnthropicSettings, ApiAgent, Bounds, Key, LengthField, OpenAiSettings, OpenAiWire};
use redraft_cost::price::Cards;
use redraft_engine::ports::{Agent, AgentError, Deadlines, Moment, Outcome, Request, RunHandle};
use redraft_facts::choice::{Lifetime, Marks};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_facts::usage::Usd;
use redraft_prompts::prompt::SCHEMA;
use redraft_testkit::provider::{Provider, RecordedRequest, Reply, Script};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// The key every agent here has; it must never be seen outside a request.
const CANARY: &str = "canary-7f3a9c1e5b2d";
const FIRST: &str = "031/specify.1/review/spec-reviewer/1.1";
const SECOND: &str = "031/specify.1/review/spec-reviewer/2.1";

struct World {
    folder: tempfile::TempDir,
    provider: Provider,
    watch: Clockwork,
}

/// A clock that moves only when it is made to.
#[derive(Default)]
struct Clockwork {
    now_ms: AtomicI64,
    /// How far it moves each time it is looked at.
    step_ms: AtomicI64,
    /// How often `stopped` is asked before it says yes; 0 for never.
    stop_after: AtomicU64,
    looks: AtomicU64,
    waits: Mutex<Vec<u64>>,
    /// What a dispatch may come to; 0 for anything.
    budget: AtomicU64,
    /// What was asked for.
    afforded: Mutex<Vec<Usd>>,
    told: Mutex<Vec<String>>,
}

impl RunHandle for Clockwork {
    fn stopped(&self) -> bool {
        let looks = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
        let stop_after = self.stop_after.load(Ordering::SeqCst);
        stop_after > 0 && looks >= stop_after
    }

    fn wait_ms(&self, ms: u64) -> bool {
        self.waits.lock().unwrap().push(ms);
        self.now_ms.fetch_add(ms as i64, Ordering::SeqCst);
        true
    }

    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn moment(&self) -> Moment {
        let now_ms = self.now_ms.fetch_add(self.step_ms.load(Ordering::SeqCst), Ordering::SeqCst);
        Moment::after(std::time::Duration::from_millis(now_ms as u64))
    }

    fn tell(&self, doing: &str) {
        self.told.lock().unwrap().push(doing.to_owned());
    }

    fn afford(&self, total: Usd) -> bool {
        self.afforded.lock().unwrap().push(total);
        let budget = self.budget.load(Ordering::SeqCst);
        budget == 0 || total <= Usd(budget)
    }
}

impl World {
    fn answering(replies: Vec<Reply>) -> World {
        World::with(Provider::answering(replies))
    }

    fn scripted(script: impl Script + 'static) -> World {
        World::with(Provider::start(script))
    }

    fn with(provider: Provider) -> World {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("work/docs")).unwrap();
        fs::write(folder.path().join("work/docs/spec.md"), "# Spec\nThe limit is three.\n").unwrap();
        World { folder, provider, watch: Clockwork::default() }
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn anthropic_settings(&self) -> AnthropicSettings {
        AnthropicSettings {
            name: AgentName::new("sonnet"),
            model: "claude-sonnet-5".to_owned(),
            base_url: self.provider.base_url(),
            key: Key::new(CANARY),
            bounds: Bounds { answer_tokens: 4_000, tool_tokens: 10_000, turns: 6 },
            state: self.state(),
            card: Cards::builtin().find("claude-sonnet-5").unwrap().clone(),
            redactor: Redactor::new(vec![CANARY.to_owned()]),
            proxy: None,
            commands: None,
        }
    }

    fn anthropic(&self) -> ApiAgent {
        ApiAgent::anthropic(self.anthropic_settings()).unwrap()
    }

    fn openai(&self, wire: OpenAiWire, form: AnswerForm) -> ApiAgent {
        let settings = OpenAiSettings {
            name: AgentName::new("sol"),
            model: "gpt-6-sol".to_owned(),
            base_url: format!("{}/v1/", self.provider.base_url()),
            key: Some(Key::new(CANARY)),
            wire,
            form,
            length: LengthField::MaxCompletionTokens,
            bounds: Bounds { answer_tokens: 4_000, tool_tokens: 10_000, turns: 6 },
            state: self.state(),
            card: Cards::builtin().find("gpt-6-sol").unwrap().clone(),
            redactor: Redactor::default(),
            proxy: None,
            commands: None,
        };
        ApiAgent::openai(settings).unwrap()
    }

    /// A first dispatch.
    fn fresh(&self) -> Request {
        let texts = |name: &str, words: &str| vec![Fragment::new(name, format!("{words} ").repeat(400))];
        Request {
            slot: None,
            ticket: FIRST.parse().unwrap(),
            prompt: Prompt {
                constant: texts("rules", "constant rules"),
                feature: texts("feature", "about the feature"),
                role: texts("role", "what a reviewer does"),
                turn: vec![Fragment::new("task", "Review docs/spec.md.")],
            },
            marks: marks(Some(Lifetime::Hour), Some(Lifetime::Hour), Some(Lifetime::FiveMinutes)),
            tools: ["Read", "Glob", "Grep", "List"].map(str::to_owned).to_vec(),
            schema: SCHEMA,
            session: SessionId::new("11111111-2222"),
            resume: false,
            folder: self.folder.path().join("work"),
            may_write: Vec::new(),
            deadlines: Deadlines {
                connect_ms: 60_000,
                first_byte_ms: 60_000,
                idle_ms: 60_000,
                total_ms: 600_000,
            },
            shares: false,
            max_usd: None,
        }
    }

    /// The dispatch after it, in the same conversation.
    fn resumed(&self) -> Request {
        let turn = vec![Fragment::new("delta", "The limit is four now.")];
        let prompt = Prompt { turn, ..Prompt::default() };
        Request { ticket: SECOND.parse().unwrap(), prompt, resume: true, ..self.fresh() }
    }

    fn run(&self, agent: &ApiAgent, request: &Request) -> Result<Outcome, AgentError> {
        agent.run(request, &self.watch)
    }

    /// The error of a fresh dispatch to Anthropic.
    fn error(&self) -> AgentError {
        self.run(&self.anthropic(), &self.fresh()).unwrap_err()
    }

    fn waits(&self) -> Vec<u64> {
        self.watch.waits.lock().unwrap().clone()
    }

    fn bodies(&self) -> Vec<String> {
        self.provider.requests().iter().map(text_of).collect()
    }
}

fn marks(system: Option<Lifetime>, stable: Option<Lifetime>, tail: Option<Lifetime>) -> Marks {
    Marks { system, stable, tail }
}

fn text_of(request: &RecordedRequest) -> String {
    String::from_utf8(request.body.clone()).unwrap()
}

fn verdict() -> Value {
    json!({"approved": true, "summary": "fine"})
}

fn read_spec() -> Reply {
    Reply::tool("Read", json!({"path": "docs/spec.md"}))
}

/// The messages of a request in their exact bytes, without boundaries.
fn messages(body: &str, from: &str, to: &str) -> String {
    let (_, rest) = body.split_once(from).unwrap();
    let (messages, _) = rest.rsplit_once(to).unwrap();
    let without = messages.replace(r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#, "");
    without.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
}
