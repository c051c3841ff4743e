//! `redraft trust`: shows what redraft.toml would run, and stores that a person accepted it.

use super::args::TrustArgs;
use super::console::Console;
use super::errors::{CliError, Code};
use super::site::{Site, Surroundings};
use redraft_adapters::config::{Command, Config};
use redraft_adapters::sqlite::Ledger;
use redraft_core::event::{Event, Trusted};
use redraft_core::ids::Role;
use redraft_core::shown;
use redraft_core::ticket::Scope;
use redraft_engine::ports::{Append, Clock, Store};
use serde::Serialize;

#[derive(Serialize)]
struct TrustJson {
    v: u16,
    commands: Vec<CommandJson>,
    hash: String,
    accepted: bool,
}

#[derive(Serialize)]
struct CommandJson {
    key: String,
    command: String,
}

pub(crate) fn trust(args: TrustArgs, around: &Surroundings, console: &Console) -> Result<Code, CliError> {
    let site = Site::find(&around.folder)?;
    let config = match &args.base {
        Some(name) => site.config_of(name, around)?,
        None => site.config(around)?,
    };
    let commands: Vec<CommandJson> = config
        .commands()
        .into_iter()
        .map(|command| CommandJson { key: command.key, command: command.text })
        .collect();
    let wanted = config.commands_hash();
    let hash = wanted.to_string();
    if commands.is_empty() {
        console.show(
            "redraft.toml wants nothing that a person must accept",
            &TrustJson { v: 1, commands, hash, accepted: true },
        );
        return Ok(Code::Done);
    }
    let ledger = site.writer()?;
    let entries = ledger.read(Scope::Repo)?;
    let known =
        entries.iter().any(|entry| matches!(&entry.event, Event::Trusted(fact) if fact.commands == wanted));
    let mut text = String::new();
    for command in &commands {
        // One line for each command, whatever it holds: what is accepted is what is seen.
        text.push_str(&format!("{}: {}\n", shown::name(&command.key), shown::name(&command.command)));
    }
    let accepted = known || args.yes || asked(&text, around, console);
    if accepted && !known {
        accept(&ledger, &config, around)?;
    }
    text.push_str(match (known, accepted) {
        (true, _) => "accepted before",
        (false, true) => "accepted; redraft asks again when they change",
        (false, false) => "not accepted; to accept: redraft trust --yes",
    });
    console.show(&text, &TrustJson { v: 1, commands, hash, accepted });
    Ok(if accepted { Code::Done } else { Code::Waiting })
}

/// Stores that the commands of the file, as they stand there now, are accepted.
pub(crate) fn accept(ledger: &Ledger, config: &Config, around: &Surroundings) -> Result<(), CliError> {
    let event = Event::from(Trusted { commands: config.commands_hash(), by: around.user.clone() });
    let decided_on = ledger.read(Scope::Repo)?.last().map_or(0, |entry| entry.seq);
    let at_ms = around.clock.now_ms();
    let (events, blobs) = ([event], Vec::new());
    let append =
        Append { scope: Scope::Repo, decided_on, at_ms, events: &events, blobs: &blobs, board: None };
    ledger.append(append)?;
    Ok(())
}

/// Whether a person has accepted exactly the commands that stand in the file now.
pub(crate) fn is_accepted(ledger: &Ledger, config: &Config) -> Result<bool, CliError> {
    let wanted = config.commands_hash();
    let entries = ledger.read(Scope::Repo)?;
    Ok(entries.iter().any(|entry| matches!(&entry.event, Event::Trusted(fact) if fact.commands == wanted)))
}

/// Nothing of `redraft.toml` runs before a person has accepted exactly this: the commands that the agents of these roles
/// would start.
pub(crate) fn require_for_agents(
    ledger: &Ledger,
    config: &Config,
    roles: &[Role],
    then: &str,
) -> Result<(), CliError> {
    let mut commands: Vec<Command> = roles
        .iter()
        .filter_map(|role| config.agent_of(role))
        .flat_map(|name| config.commands_of(name))
        .collect();
    commands.dedup();
    require(ledger, config, &commands, then)
}

/// The same for the project's checks.
pub(crate) fn require_for_checks(ledger: &Ledger, config: &Config, then: &str) -> Result<(), CliError> {
    let checks: Vec<Command> =
        config.commands().into_iter().filter(|command| command.key.starts_with("checks.")).collect();
    require(ledger, config, &checks, then)
}

fn require(ledger: &Ledger, config: &Config, commands: &[Command], then: &str) -> Result<(), CliError> {
    let Some(first) = commands.first() else { return Ok(()) };
    if is_accepted(ledger, config)? {
        return Ok(());
    }
    let message = format!("redraft.toml wants to {}, which nobody has accepted yet", first.wish());
    Err(CliError::new(Code::Waiting, message)
        .hint("look at what it wants and accept it: redraft trust")
        .hint(format!("then: {then}")))
}

fn asked(commands: &str, around: &Surroundings, console: &Console) -> bool {
    if !console.can_ask() {
        return false;
    }
    console.say_before_asking(commands.trim_end());
    let question = "may redraft do this? yes or no: ";
    console.ask(question, &around.clock).is_some_and(|word| word == "yes" || word == "y")
}
