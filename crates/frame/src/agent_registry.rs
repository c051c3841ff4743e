//! Makes the agents for the roles from the configuration, each when it is first needed.
//!
//! An agent that plays no role is never made, so a missing key for it does not matter.

use crate::own_state::ACCEPT;
use crate::process_context::{KEY_BYTES_MAX, ProcessContext};
use crate::repository_context::RepositoryContext;
use crate::sandbox::sandbox;
use redraft_adapters::{git, plain_file};
use redraft_agents::api::{
    self, AnswerForm, AnthropicSettings, ApiAgent, Bounds, Commands, Key, LengthField, OpenAiSettings,
    OpenAiWire,
};
use redraft_agents::claude::{Bash, ClaudeAgent, ClaudeSettings};
use redraft_agents::codex::{CodexAgent, CodexSettings};
use redraft_agents::config::{
    AgentConfig, BashRule, Config, ModelAgent, ModelKind, Origin, SchemaForm, Wire,
};
use redraft_agents::mcp::McpServers;
use redraft_agents::programs::Containment;
use redraft_agents::pull::{HOST, PullAgent};
use redraft_cost::price::{Card, Cards};
use redraft_engine::ports::{Agent, Agents};
use redraft_facts::ids::{AgentName, Role};
use redraft_rehearsal::{RehearsalAgent, Scenario};
use redraft_roles::profile;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const ANTHROPIC: &str = "https://api.anthropic.com";
const OPENAI: &str = "https://api.openai.com/v1";

/// A scenario can contain whole answers, also very long ones.
const SCENARIO_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The roles that a connected host plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostPlays {
    /// No host has come.
    Nothing,
    /// Those that were left to hosts, or to no agent.
    Left,
    All,
}

pub struct AgentRegistry<'a> {
    repo: &'a RepositoryContext,
    config: &'a Config,
    process: &'a ProcessContext,
    cards: Cards,
    made: Mutex<BTreeMap<AgentName, Arc<dyn Agent>>>,
    /// The roles of the host that has come.
    host: HostPlays,
}

/// Whether hosts play every role, so that no run of this program can go on by itself.
pub fn hosts_play_all(config: &Config) -> bool {
    let settings = |role: &Role| config.agents.get(config.agent_of(role)?);
    profile::roles().iter().all(|role| matches!(settings(role), Some(AgentConfig::Pull)))
}

impl<'a> AgentRegistry<'a> {
    pub fn new(repo: &'a RepositoryContext, config: &'a Config, process: &'a ProcessContext) -> Self {
        Self {
            repo,
            config,
            process,
            cards: config.cards(),
            made: Mutex::default(),
            host: HostPlays::Nothing,
        }
    }

    /// The same when a host has come: it plays the roles that the configuration leaves to hosts or to no agent, or all
    /// roles where the configuration leaves none to hosts.
    pub fn for_host(repo: &'a RepositoryContext, config: &'a Config, process: &'a ProcessContext) -> Self {
        let settings = |role: &Role| config.agents.get(config.agent_of(role)?);
        let pull = |role: &Role| matches!(settings(role), Some(AgentConfig::Pull));
        let host = if profile::roles().iter().any(pull) { HostPlays::Left } else { HostPlays::All };
        Self { host, ..Self::new(repo, config, process) }
    }

    pub fn process(&self) -> &ProcessContext {
        self.process
    }

    /// The agent of that name; the error says what is missing.
    pub fn named(&self, name: &AgentName) -> Result<Arc<dyn Agent>, String> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = made.get(name) {
            return Ok(Arc::clone(agent));
        }
        let agent = self.make(name)?;
        made.insert(name.clone(), Arc::clone(&agent));
        Ok(agent)
    }

    fn make(&self, name: &AgentName) -> Result<Arc<dyn Agent>, String> {
        let Some(settings) = self.config.agents.get(name) else {
            if name.as_str() == HOST {
                return Ok(Arc::new(PullAgent::new(name.clone(), self.process.host.get())));
            }
            return Err(format!("agent `{name}` is no longer in redraft.toml or in your own configuration"));
        };
        let named = |detail: String| format!("[agents.{name}] {detail}");
        let unaccepted: Vec<String> =
            self.config.unaccepted_of(name).iter().map(|want| want.line()).collect();
        if !unaccepted.is_empty() {
            // Nothing it needs is looked for, read or started before a person has accepted it.
            return Err(named(format!("nobody has accepted {}; {ACCEPT}", unaccepted.join(", "))));
        }
        match settings {
            AgentConfig::Rehearsal { scenario } => {
                let scenario =
                    scenario.as_deref().map_or(Ok(Scenario::default()), |file| self.scenario(name, file));
                let scenario = scenario.map_err(named)?;
                Ok(Arc::new(rehearsal(name.clone(), &self.state(name), scenario)))
            }
            AgentConfig::Model(model) => self.model(name, model).map_err(named),
            AgentConfig::Pull => Ok(Arc::new(PullAgent::new(name.clone(), self.process.host.get()))),
        }
    }

    fn model(&self, name: &AgentName, agent: &ModelAgent) -> Result<Arc<dyn Agent>, String> {
        let (name, model, state, card) =
            (name.clone(), agent.model.clone(), self.state(name), self.card(agent)?);
        let runs = self.repo.state.join("runs");
        let (worker, environment) = (self.process.exe.clone(), self.process.environment.clone());
        let (pass, extra_args) = (agent.pass.clone(), agent.args.clone());
        let redactor = self.process.redactor.clone();
        let mut bounds = Bounds::default();
        bounds.answer_tokens = agent.max_tokens.map_or(bounds.answer_tokens, u64::from);
        let mcp = self.servers(agent)?;
        let containment = match agent.kind {
            ModelKind::Claude | ModelKind::Codex => self.containment(&state)?,
            ModelKind::Anthropic | ModelKind::OpenAi => Containment::Off,
        };
        Ok(match agent.kind {
            ModelKind::Claude => Arc::new(ClaudeAgent::new(ClaudeSettings {
                program: self.program(&name, agent, "npm install -g @anthropic-ai/claude-code")?,
                bash: self.bash(agent),
                name,
                model,
                state,
                runs,
                worker,
                environment,
                pass,
                max_turns: 60,
                max_tokens: agent.max_tokens,
                tool_map: BTreeMap::new(),
                mcp,
                extra_args,
                card,
                redactor,
                containment,
            })),
            ModelKind::Codex => {
                let program = self.program(&name, agent, "npm install -g @openai/codex")?;
                let settings = CodexSettings {
                    name,
                    program,
                    model,
                    state,
                    runs,
                    worker,
                    environment,
                    pass,
                    extra_args,
                    mcp,
                    card,
                    redactor,
                    containment,
                };
                Arc::new(CodexAgent::new(settings))
            }
            ModelKind::Anthropic => Arc::new(ApiAgent::anthropic(AnthropicSettings {
                proxy: self.proxy(agent, ANTHROPIC)?,
                base_url: agent.base_url.clone().unwrap_or_else(|| ANTHROPIC.to_owned()),
                key: self.key(agent, "ANTHROPIC_API_KEY")?.ok_or_else(|| no_key("ANTHROPIC_API_KEY"))?,
                name,
                model,
                bounds,
                state,
                card,
                redactor,
                commands: self.commands(),
            })?),
            ModelKind::OpenAi => {
                let base_url = agent.base_url.clone().unwrap_or_else(|| OPENAI.to_owned());
                let proxy = self.proxy(agent, OPENAI)?;
                let key = self.key(agent, "OPENAI_API_KEY")?;
                if key.is_none() && agent.base_url.is_none() {
                    return Err(no_key("OPENAI_API_KEY"));
                }
                let local = agent.base_url.is_some();
                let length = if local { LengthField::MaxTokens } else { LengthField::MaxCompletionTokens };
                let wire = match agent.wire {
                    Wire::Chat => OpenAiWire::Chat,
                    Wire::Responses => OpenAiWire::Responses { reasoning: !local },
                };
                let form = match agent.schema {
                    SchemaForm::JsonSchema => AnswerForm::JsonSchema,
                    SchemaForm::JsonObject => AnswerForm::JsonObject,
                    SchemaForm::None => AnswerForm::None,
                };
                Arc::new(ApiAgent::openai(OpenAiSettings {
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
                    commands: self.commands(),
                })?)
            }
        })
    }

    fn state(&self, name: &AgentName) -> PathBuf {
        self.repo.state.join("agents").join(name.as_str())
    }

    fn card(&self, agent: &ModelAgent) -> Result<Card, String> {
        card(&self.cards, agent)
    }

    /// The agent's servers, if every variable they are to be given is there.
    fn servers(&self, agent: &ModelAgent) -> Result<McpServers, String> {
        for (name, server) in &agent.mcp {
            let there =
                |variable: &&String| self.process.environment.0.contains_key(OsStr::new(variable.as_str()));
            if let Some(variable) = server.env.iter().find(|variable| !there(variable)) {
                return Err(format!(
                    "the server {name} needs {variable}, which is not set; set it, or remove it from `env`"
                ));
            }
        }
        Ok(agent.mcp.clone())
    }

    /// The project's checks, which a role that builds may run as the engine does; none before a person has accepted
    /// them.
    fn checks(&self) -> Vec<String> {
        let checks = self.config.checks.iter().filter(|_| self.config.is_accepted());
        checks.map(|check| check.command.clone()).collect()
    }

    fn bash(&self, agent: &ModelAgent) -> Bash {
        match agent.bash {
            BashRule::Checks => Bash::Only(self.checks()),
            BashRule::All => Bash::All,
        }
    }

    fn commands(&self) -> Option<Commands> {
        let accepted = self.checks();
        (!accepted.is_empty()).then(|| Commands {
            accepted,
            worker: self.process.exe.clone(),
            runs: self.repo.state.join("runs"),
            environment: self.process.environment.clone(),
            redactor: self.process.redactor.clone(),
            limit_ms: self.config.check_minutes * 60_000,
            sandbox: Some(sandbox(self.repo, self.config, self.process)),
            reached: Arc::default(),
        })
    }

    /// What holds a program, whose files are below `state`.
    fn containment(&self, state: &Path) -> Result<Containment, String> {
        // What opens more is nothing before a person has accepted it.
        let usual = Config::default();
        let config = if self.config.is_accepted() { self.config } else { &usual };
        let sandbox = sandbox(self.repo, config, self.process);
        Containment::find(sandbox, &self.process.exe, state.join("home"), &self.process.environment)
    }

    /// The proxy before a service.
    fn proxy(&self, agent: &ModelAgent, usual: &str) -> Result<Option<String>, String> {
        let base_url = agent.base_url.as_deref().unwrap_or(usual);
        api::proxy(base_url, agent.proxy.as_deref(), &self.process.environment)
    }

    /// Where the program is: as configured, or on the PATH.
    fn program(&self, name: &AgentName, agent: &ModelAgent, install: &str) -> Result<PathBuf, String> {
        let usual = agent.kind.program().unwrap_or_default();
        let word = agent.program.as_deref().unwrap_or(usual);
        let path = Path::new(word);
        let found = match path.components().count() > 1 {
            true => Some(self.folder_of(name).join(path)).filter(|path| path.is_file()),
            false => self.process.find_program(word),
        };
        found.ok_or_else(|| {
            format!("the program `{word}` was not found; install it with `{install}` or set `program`")
        })
    }

    /// The folder that paths in an agent's settings are relative to: that of the file they stand in.
    fn folder_of(&self, name: &AgentName) -> &Path {
        let own = self.process.own.file.as_deref().and_then(Path::parent);
        match self.config.origins.get(name) {
            Some(Origin::User) => own.unwrap_or(Path::new("/")),
            Some(Origin::Repository) | None => self.repo.repository.main_checkout(),
        }
    }

    fn scenario(&self, name: &AgentName, file: &Path) -> Result<Scenario, String> {
        let named = |detail: String| format!("scenario {}: {detail}", file.display());
        let text = plain_file::read_text_inside(self.folder_of(name), file, SCENARIO_BYTES_MAX);
        Scenario::parse(&text.map_err(|error| named(error.to_string()))?)
            .map_err(|error| named(error.to_string()))
    }

    /// The key, from the file or the variable the user named, or the usual variable.
    fn key(&self, agent: &ModelAgent, usual: &str) -> Result<Option<Key>, String> {
        if let Some(file) = &agent.key_file {
            let text = plain_file::read_text(Path::new(file), KEY_BYTES_MAX);
            let text = text.map_err(|error| format!("key_file {file}: {error}"))?;
            return Ok(Some(Key::new(text)));
        }
        let name = agent.key_env.as_deref().unwrap_or(usual);
        let value = self.process.environment.0.get(OsStr::new(name)).and_then(|value| value.to_str());
        match (value.filter(|value| !value.trim().is_empty()), &agent.key_env) {
            (Some(value), _) => Ok(Some(Key::new(value))),
            (None, Some(_)) => Err(no_key(name)),
            (None, None) => Ok(None),
        }
    }
}

/// The built-in agent without a model. `state` is its own folder.
pub fn rehearsal(name: AgentName, state: &Path, scenario: Scenario) -> RehearsalAgent {
    RehearsalAgent::new(name, state, scenario, |folder, message| {
        git::commit_all(folder, "Rehearsal", message).map_err(|error| error.to_string())
    })
}

fn no_key(variable: &str) -> String {
    format!(
        "there is no key: set {variable}, or name another variable or a file with `key_env` or `key_file`"
    )
}

/// The price card of a model: its own card, the one the user names, or the most expensive of all where the price is
/// unknown.
pub fn card(cards: &Cards, agent: &ModelAgent) -> Result<Card, String> {
    let wanted = match agent.price.as_deref() {
        Some("unknown") => return Ok(cards.conservative()),
        Some(other) => other,
        None => agent.model.as_str(),
    };
    cards.find(wanted).cloned().map_err(|unknown| format!("{unknown}\n  {}", unknown.way_out()))
}

impl Agents for AgentRegistry<'_> {
    fn agent_for(&self, role: &Role) -> Result<Arc<dyn Agent>, String> {
        match (self.host, self.config.agent_of(role)) {
            (HostPlays::All, _) | (HostPlays::Left, None) => self.named(&AgentName::new(HOST)),
            (HostPlays::Nothing, None) => {
                Err(format!("no agent is set for {role}; set one: redraft config set roles.default NAME"))
            }
            (HostPlays::Nothing | HostPlays::Left, Some(name)) => self.named(name),
        }
    }

    fn named(&self, name: &AgentName) -> Result<Arc<dyn Agent>, String> {
        AgentRegistry::named(self, name)
    }
}
