//! The agents that are there, whether or not the configuration names them for a role. The rehearsal agent is never among
//! them. Start at [`found`].

use crate::agent_registry::AgentRegistry;
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_agents::api;
use redraft_agents::config::{AgentConfig, Config, LOCAL, ModelAgent, ModelKind};
use redraft_facts::ids::AgentName;
use std::ffi::OsStr;

/// The key that says who plays every role.
pub const DEFAULT_ROLE: &str = "roles.default";

/// An agent that could play.
pub struct FoundAgent {
    pub name: AgentName,
    /// As in `Claude Code 2.1.325 (claude-sonnet-5-5, your login)`; or why it cannot be used.
    pub what: Result<String, String>,
}

/// The agents that are there: first those of the files, then programs, then keys, then a server on this machine.
pub fn found(repo: &RepositoryContext, config: &Config, process: &ProcessContext) -> Vec<FoundAgent> {
    let kinds = ModelKind::ALL.map(|kind| AgentName::new(kind.name()));
    let named: Vec<AgentName> = config.origins.keys().filter(|name| !kinds.contains(name)).cloned().collect();
    let all = named.into_iter().chain(kinds).chain([AgentName::new(LOCAL)]);
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for name in all {
        let Some(AgentConfig::Model(model)) = config.agents.get(&name) else { continue };
        if seen.contains(&name) || !is_there(model, process) {
            continue;
        }
        let what = described(repo, config, &name, model, process);
        seen.push(name.clone());
        found.push(FoundAgent { name, what });
    }
    found
}

/// Whether what it needs is there: its program, its key, or a server that the user named.
fn is_there(model: &ModelAgent, process: &ProcessContext) -> bool {
    let set = |name: &str| process.environment.0.get(OsStr::new(name)).is_some_and(|value| !value.is_empty());
    let own_key = || model.key_file.is_some() || model.key_env.as_deref().is_some_and(set);
    match model.kind {
        ModelKind::Claude | ModelKind::Codex => {
            let usual = model.kind.program().unwrap_or_default();
            model.program.is_some() || process.find_program(usual).is_some()
        }
        ModelKind::Anthropic => own_key() || set("ANTHROPIC_API_KEY"),
        ModelKind::OpenAi => model.base_url.is_some() || own_key() || set("OPENAI_API_KEY"),
    }
}

fn described(
    repo: &RepositoryContext,
    config: &Config,
    name: &AgentName,
    model: &ModelAgent,
    process: &ProcessContext,
) -> Result<String, String> {
    if model.model.is_empty() {
        let server = model.base_url.as_deref().map(api::shown).unwrap_or_default();
        return Ok(format!("the server {server}"));
    }
    let agent = AgentRegistry::new(repo, config, process).named(name)?;
    let player = agent.player();
    let program = format!("{} {}", player.program, player.version);
    Ok(format!("{} ({}, {})", program.trim_end(), player.model, account(model, process)))
}

/// Who pays, as the user knows it.
fn account(model: &ModelAgent, process: &ProcessContext) -> String {
    let set =
        |name: &&str| process.environment.0.get(OsStr::new(name)).is_some_and(|value| !value.is_empty());
    let key = |usual: &str| match (&model.key_file, &model.key_env) {
        (Some(file), _) => format!("the key in {file}"),
        (None, variable) => format!("your {}", variable.as_deref().unwrap_or(usual)),
    };
    match model.kind {
        ModelKind::Claude => {
            match ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].iter().find(|name| set(name)) {
                Some(variable) => format!("your {variable}"),
                None => "your login".to_owned(),
            }
        }
        ModelKind::Codex => "your login".to_owned(),
        ModelKind::Anthropic => key("ANTHROPIC_API_KEY"),
        ModelKind::OpenAi => match &model.base_url {
            Some(url) => format!("the server {}", api::shown(url)),
            None => key("OPENAI_API_KEY"),
        },
    }
}
