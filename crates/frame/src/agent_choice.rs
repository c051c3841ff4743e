//! Chooses the agent for roles that no configuration names one for: finds the agents that are there, asks on a
//! terminal, and says what to type without one.
//!
//! Nothing is sent here and nothing is stored in the repository; an answer goes into the user's own file, so that it is
//! asked once. The rehearsal agent is never among them: it plays only where it is named.
//! Start at [`config_with_agents`].

use crate::config::{self, ConfigPlace};
use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::found_agents::{DEFAULT_ROLE, FoundAgent, found};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_agents::api;
use redraft_agents::config::{AgentConfig, Config};
use redraft_facts::ids::{AgentName, Role};
use redraft_reports::question::{AnswerChoice, QuestionForm};
use std::collections::BTreeSet;

/// What was typed, for the messages.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub repo: &'a RepositoryContext,
    /// The roles that need an agent.
    pub roles: &'a [Role],
    /// The command, to be typed again.
    pub command: &'a str,
    /// Whether nothing may be asked.
    pub yes: bool,
}

/// The configuration with an agent for every role. Where none was named for a role, a person on a terminal is asked
/// once; without a terminal the error says what to type.
pub fn config_with_agents(
    wanted: &Wanted<'_>,
    config: Config,
    process: &ProcessContext,
    console: &Console,
) -> Result<Config, CliError> {
    if wanted.roles.iter().all(|role| config.agent_of(role).is_some()) {
        let played: BTreeSet<AgentName> =
            wanted.roles.iter().filter_map(|role| config.agent_of(role)).cloned().collect();
        return played.iter().try_fold(config, |config, name| with_model(config, name, process, console));
    }
    let found = found(wanted.repo, &config, process);
    let usable: Vec<(&AgentName, &String)> =
        found.iter().filter_map(|one| Some((&one.name, one.what.as_ref().ok()?))).collect();
    if usable.is_empty() {
        return Err(none(&found, wanted));
    }
    if wanted.yes || !console.can_ask() {
        return Err(not_chosen(&usable, wanted));
    }
    let Some(name) = asked(&usable, process, console) else { return Err(not_chosen(&usable, wanted)) };
    let mut config = with_model(config, &name, process, console)?;
    let file = config::write(ConfigPlace::User, DEFAULT_ROLE, name.as_str(), wanted.repo, process)?;
    console.say(&format!(
        "{name} now plays every role, in every repository; this is set in {}\n  to change it: redraft config set \
         {DEFAULT_ROLE} NAME",
        file.display()
    ));
    config.default_agent = Some(name);
    Ok(config)
}

/// A person's choice on the terminal; none where they want none of these agents.
fn asked(usable: &[(&AgentName, &String)], process: &ProcessContext, console: &Console) -> Option<AgentName> {
    let why =
        vec!["redraft.toml names no agent; before anything is sent, you are asked about the cost".to_owned()];
    if let [(name, what)] = usable {
        let (yes, no) = ("it plays all roles, in every repository", "nothing is sent");
        let form = QuestionForm::yes_or_no(&format!("Use {what}?"), why, yes, no);
        return console.agrees(&form, &process.clock).then(|| (*name).clone());
    }
    let mut form =
        QuestionForm { what: "Which agent should play all roles?".to_owned(), why, choices: Vec::new() };
    for (name, what) in usable {
        let (word, consequence) = (name.to_string(), (*what).clone());
        form.choices.push(AnswerChoice { word, consequence, default: false });
    }
    let nothing = "nothing is sent".to_owned();
    form.choices.push(AnswerChoice { word: "none".to_owned(), consequence: nothing, default: true });
    let chosen = console.choose(&form, &process.clock)?;
    usable.iter().find(|(name, _)| name.as_str() == chosen.word).map(|(name, _)| (*name).clone())
}

/// A server may have several models; if it has only one, that is taken; of several, the user names one.
fn with_model(
    mut config: Config,
    name: &AgentName,
    process: &ProcessContext,
    console: &Console,
) -> Result<Config, CliError> {
    let Some(AgentConfig::Model(model)) = config.agents.get_mut(name) else { return Ok(config) };
    let Some(url) = model.base_url.clone().filter(|_| model.model.is_empty()) else { return Ok(config) };
    let offered = api::offered(&url).map_err(|detail| {
        CliError::new(
            ErrorCode::Config,
            format!("the server {} does not say which models it has: {detail}", api::shown(&url)),
        )
        .hint("start it, or name its model: OPENAI_MODEL=NAME")
    })?;
    match offered.as_slice() {
        [one] => {
            console.say(&format!("the server {} has one model, {one}", api::shown(&url)));
            model.model = one.clone();
            Ok(config)
        }
        several => {
            let message = match several {
                [] => format!("the server {} has no model", api::shown(&url)),
                several => {
                    format!("the server {} has several models: {}", api::shown(&url), several.join(", "))
                }
            };
            let hint = process.next(&format!("redraft config set agents.{name}.model NAME"));
            Err(CliError::new(ErrorCode::Config, message)
                .hint(format!("name one with OPENAI_MODEL=NAME, or permanently: {hint}")))
        }
    }
}

fn not_chosen(usable: &[(&AgentName, &String)], wanted: &Wanted<'_>) -> CliError {
    let mut error =
        CliError::new(ErrorCode::Config, "no agent was chosen to play the roles, so nothing was sent");
    for (name, what) in usable {
        error = error.hint(format!("to use {what}: redraft config set {DEFAULT_ROLE} {name}"));
    }
    let name = usable.first().map_or("NAME", |(name, _)| name.as_str());
    error.hint(format!("or just this once: {} --agent {name}", wanted.command))
}

fn none(found: &[FoundAgent], wanted: &Wanted<'_>) -> CliError {
    let mut error =
        CliError::new(ErrorCode::Config, "there is no agent to play the roles, so nothing was sent");
    for FoundAgent { name, what } in found {
        if let Err(why) = what {
            error = error.hint(format!("{name} was found, but cannot be used: {why}"));
        }
    }
    error
        .hint("install Claude Code (npm install -g @anthropic-ai/claude-code) or Codex (npm install -g @openai/codex)")
        .hint("or set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL for a server on this machine")
        .hint(format!("then run it again: {}", wanted.command))
        .hint("to see how it works without a model: redraft demo")
}
