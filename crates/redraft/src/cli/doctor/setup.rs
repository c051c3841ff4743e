//! Checks what each agent needs, whether it is there, and what could be installed. Keys are looked for and never shown.

use super::is_used;
use super::report::{Line, Offer};
use redraft_adapters::child::Environment;
use redraft_agents::api;
use redraft_agents::config::{AgentConfig, Config, LOCAL, ModelAgent, ModelKind};
use redraft_cost::price::{Card, Cards, PriceBasis};
use redraft_engine::ports::Agent;
use redraft_facts::ids::AgentName;
use redraft_facts::usage::Usd;
use redraft_frame::agent_registry;
use redraft_frame::found_agents::DEFAULT_ROLE;
use redraft_frame::own_state::ACCEPT;
use redraft_frame::process_context::ProcessContext;
use redraft_reports::estimate;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A server on this machine or the next answers at once.
const REACH_WITHIN: Duration = Duration::from_secs(5);

pub(super) struct Setup {
    pub(super) kind: &'static str,
    pub(super) lines: Vec<Line>,
    /// The address where something must listen for it: the server the user named, or the proxy before it.
    pub(super) base_url: Option<String>,
    pub(super) expected: Usd,
}

pub(super) fn check(
    cards: &Cards,
    settings: Option<&AgentConfig>,
    made: &Result<Arc<dyn Agent>, String>,
    environment: &Environment,
) -> Setup {
    let mut setup = Setup {
        kind: if matches!(settings, Some(AgentConfig::Pull)) { "pull" } else { "rehearsal" },
        lines: Vec::new(),
        base_url: None,
        expected: Usd(0),
    };
    let model = match settings {
        Some(AgentConfig::Model(model)) => Some(model.as_ref()),
        Some(AgentConfig::Rehearsal { .. } | AgentConfig::Pull) | None => None,
    };
    match made {
        Ok(agent) => {
            setup.lines.push(there(model, agent.as_ref()));
            // In a worktree, wherever that is.
            let held = agent.sandbox(Path::new("/worktree"));
            let program = model.is_some_and(|model| model.kind.program().is_some());
            setup.lines.extend(held.filter(|_| program).map(|level| Line::ok("sandbox", level)));
        }
        // What is missing is reported with the way to get it.
        Err(detail) => setup.lines.push(match detail.strip_suffix(ACCEPT) {
            Some(wish) => Line::bad("accepted", wish.trim_end_matches("; "), ACCEPT),
            None => Line::bad("settings", detail.clone(), "correct redraft.toml, or install the program"),
        }),
    }
    if let Some(model) = model {
        setup.kind = model.kind.name();
        setup.base_url = model.base_url.as_ref().map(|url| {
            // An unusable proxy is reported where the agent is made.
            let proxy = api::proxy(url, model.proxy.as_deref(), environment);
            proxy.ok().flatten().unwrap_or_else(|| url.clone())
        });
        if made.is_ok() {
            setup.lines.extend(key(model));
        }
        if let (Ok(card), false) =
            (agent_registry::card(cards, model), setup.lines.iter().any(Line::wants_acceptance))
        {
            setup.lines.push(Line::ok("price", priced(model, &card)));
            setup.expected = estimate::probe(&card, frame_tokens(model.kind));
        }
    }
    setup
}

/// Whether something listens where the user said the service is.
pub(super) fn reachable(base_url: &str) -> Line {
    match api::reach(base_url, REACH_WITHIN) {
        Ok(()) => Line::ok("server", format!("{} answers", api::shown(base_url))),
        Err(detail) => Line::bad("server", detail, "start it, or correct base_url or proxy in redraft.toml"),
    }
}

/// Kinds of agents that are not configured, and what it takes to use them.
pub(super) fn offers(config: &Config, process: &ProcessContext) -> Vec<Offer> {
    let models = || {
        config.agents.iter().filter(|(name, _)| is_used(config, name)).filter_map(|(name, settings)| {
            match settings {
                AgentConfig::Model(model) => Some((name, model)),
                AgentConfig::Rehearsal { .. } | AgentConfig::Pull => None,
            }
        })
    };
    let configured = |wanted: ModelKind, local: bool| {
        models().any(|(name, model)| {
            // One kind covers two: the vendor's service, and a server that the user named. An agent with the name of
            // the kind is what the offer would lead to, wherever its server is.
            let is_this = wanted != ModelKind::OpenAi
                || model.base_url.is_some() == local
                || (!local && name.as_str() == wanted.name());
            model.kind == wanted && is_this
        })
    };
    let program = |kind: &'static str, package: &str| {
        let found = process.find_program(kind);
        let install = match &found {
            Some(path) => format!("found at {}", path.display()),
            None => format!("npm install -g {package}"),
        };
        let hint = format!("{install}; to use it: redraft config set {DEFAULT_ROLE} {kind}");
        Offer { kind, found: found.is_some(), hint }
    };
    let service = |kind: &'static str, variable: &str| {
        let found = process.environment.0.get(OsStr::new(variable)).is_some_and(|value| !value.is_empty());
        let key = if found {
            format!("{variable} is set")
        } else {
            format!("set {variable} to a key of the service")
        };
        Offer { kind, found, hint: format!("{key}; to use it: redraft config set {DEFAULT_ROLE} {kind}") }
    };
    let mut offers = Vec::new();
    if !configured(ModelKind::Claude, false) {
        offers.push(program("claude", "@anthropic-ai/claude-code"));
    }
    if !configured(ModelKind::Codex, false) {
        offers.push(program("codex", "@openai/codex"));
    }
    if !configured(ModelKind::Anthropic, false) {
        offers.push(service("anthropic", "ANTHROPIC_API_KEY"));
    }
    if !configured(ModelKind::OpenAi, false) {
        offers.push(service("openai", "OPENAI_API_KEY"));
    }
    if !configured(ModelKind::OpenAi, true) {
        let found = config.agents.contains_key(&AgentName::new(LOCAL));
        let server = if found {
            "a variable names a server"
        } else {
            "start llama.cpp's llama-server, Ollama or vLLM, and set OPENAI_BASE_URL or OLLAMA_HOST"
        };
        let hint = format!("{server}; to use it: redraft config set {DEFAULT_ROLE} {LOCAL}");
        offers.push(Offer { kind: "local server", found, hint });
    }
    offers
}

fn there(model: Option<&ModelAgent>, agent: &dyn Agent) -> Line {
    let version = agent.describe();
    match model.map(|model| model.kind) {
        None => Line::ok("built in", version),
        Some(ModelKind::Claude | ModelKind::Codex) if version.contains("(no version)") => {
            Line::bad("program", version, "it was found, but `--version` gives no answer; install it again")
        }
        Some(ModelKind::Claude | ModelKind::Codex) => Line::ok("program", version),
        Some(ModelKind::Anthropic | ModelKind::OpenAi) => Line::ok("service", version),
    }
}

/// Where the key comes from. It was found, or the agent could not have been made.
fn key(model: &ModelAgent) -> Option<Line> {
    let usual = match model.kind {
        ModelKind::Claude | ModelKind::Codex => return None,
        ModelKind::Anthropic => "ANTHROPIC_API_KEY",
        ModelKind::OpenAi => "OPENAI_API_KEY",
    };
    let detail = match (&model.key_file, &model.key_env, &model.base_url) {
        (Some(file), ..) => format!("from the file {file}"),
        (None, Some(variable), _) => format!("from {variable}"),
        (None, None, Some(_)) if model.kind == ModelKind::OpenAi => format!("from {usual} if it is set"),
        (None, None, _) => format!("from {usual}"),
    };
    Some(Line::ok("key", detail))
}

fn priced(model: &ModelAgent, card: &Card) -> String {
    let name = model.price.as_ref().unwrap_or(&model.model);
    match card.basis {
        PriceBasis::Listed if card.is_free() => format!("{name}: free"),
        PriceBasis::Listed => format!("the card of {name}, read in {}", card.date),
        PriceBasis::Configured => format!("the card of {name}, as configured"),
        PriceBasis::Unknown => "unknown, counted as the most expensive".to_owned(),
    }
}

/// What the programs and protocols send around our own words, measured with the programs named in docs/agents.md.
fn frame_tokens(kind: ModelKind) -> u64 {
    match kind {
        ModelKind::Claude => 2_500,
        ModelKind::Codex => 9_700,
        ModelKind::Anthropic | ModelKind::OpenAi => 1_200,
    }
}
