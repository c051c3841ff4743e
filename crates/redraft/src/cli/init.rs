//! `redraft init`: writes a configuration file with every default as a comment, and chooses the agent that plays the
//! roles.

use redraft_agents::config::{self, Config};
use redraft_frame::agent_choice::{Wanted, config_with_agents};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode, cannot_be_written, unwritable};
use redraft_frame::found_agents::{DEFAULT_ROLE, FoundAgent, found};
use redraft_frame::found_checks::detect;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_roles::profile;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct InitJson {
    v: u16,
    file: String,
    written: bool,
    /// The agents that are here, by name.
    agents_found: Vec<String>,
    /// The agent that plays every role; none where none was chosen.
    agent: Option<String>,
    /// The checks that were written into the file.
    checks: Vec<CheckJson>,
    next: String,
}

#[derive(Serialize)]
struct CheckJson {
    name: String,
    command: String,
}

pub(crate) fn init(process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let file = repo.repository.main_checkout().join(config::FILE);
    let checks = detect(repo.repository.main_checkout());
    let created = std::fs::File::options().write(true).create_new(true).open(&file);
    let named =
        |error: std::io::Error| CliError::new(ErrorCode::Config, format!("{}: {error}", file.display()));
    let written = match created {
        Ok(mut created) => {
            if let Err(error) = created.write_all(config::template_with(&checks).as_bytes()) {
                // The next time, half a file would be taken for the user's own.
                let left = std::fs::remove_file(&file)
                    .err()
                    .map(|_| "remove the incomplete file, ")
                    .unwrap_or_default();
                return Err(named(error).hint(format!("{left}fix the cause and run `redraft init` again")));
            }
            true
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => false,
        Err(error) if cannot_be_written(&error) => {
            let message = format!("{}: {error}", file.display());
            return Err(unwritable(message, repo.repository.main_checkout()));
        }
        Err(error) => return Err(named(error)),
    };
    // It is better to report a mistake in an existing file here than in the middle of a run.
    let (found, config) = choose(&repo, process, console)?;
    let mut text = match written {
        true => format!("wrote {}; it lists every default as a comment\n", file.display()),
        false => format!("{} already exists and was not changed\n", file.display()),
    };
    for check in checks.iter().filter(|_| written) {
        let (name, command) = (&check.name, &check.command);
        text.push_str(&format!(
            "found a check in this project, {name}: {command} (runs only after `redraft trust`)\n"
        ));
    }
    if written && checks.is_empty() {
        text.push_str(
            "found no checks in this project; list them under [checks], otherwise nothing is run after a task\n",
        );
    }
    let agent = config.default_agent.as_ref().map(ToString::to_string);
    let next = match (&agent, found.first()) {
        (Some(agent), _) => {
            text.push_str(&format!(
                "agent: {agent} plays every role; `redraft config` shows where that comes from\n"
            ));
            next(&repo, process)
        }
        (None, Some(first)) => {
            for FoundAgent { name, what } in &found {
                let what = what.as_ref().unwrap_or_else(|why| why);
                text.push_str(&format!("agent: found {name}: {what}\n"));
            }
            process.next(&format!("redraft config set {DEFAULT_ROLE} {}", first.name))
        }
        (None, None) => {
            text.push_str(
                "agent: none found; install Claude Code (npm install -g @anthropic-ai/claude-code) or Codex (npm \
                 install -g @openai/codex), or set ANTHROPIC_API_KEY or OPENAI_API_KEY\n",
            );
            next(&repo, process)
        }
    };
    text.push_str(&format!("next: {next}"));
    let file = file.display().to_string();
    let checks = checks.into_iter().filter(|_| written);
    let checks = checks.map(|check| CheckJson { name: check.name, command: check.command }).collect();
    let agents_found = found.iter().map(|one| one.name.to_string()).collect();
    console.show(&text, &InitJson { v: 1, file, written, agents_found, agent, checks, next });
    Ok(ErrorCode::Done)
}

/// The agents that are here, and the configuration with the one that a person on a terminal chooses.
fn choose(
    repo: &RepositoryContext,
    process: &ProcessContext,
    console: &Console,
) -> Result<(Vec<FoundAgent>, Config), CliError> {
    let config = repo.config(process)?;
    let here = found(repo, &config, process);
    if config.default_agent.is_some() || !console.can_ask() || here.iter().all(|one| one.what.is_err()) {
        return Ok((here, config));
    }
    let wanted = Wanted { repo, roles: &profile::roles(), command: "redraft init", yes: false };
    // A user who wants none of them may still have the file.
    let chosen = config_with_agents(&wanted, config.clone(), process, console).unwrap_or(config);
    Ok((here, chosen))
}

/// A feature begins at a commit, so there must be one.
fn next(repo: &RepositoryContext, process: &ProcessContext) -> String {
    match repo.repository.head() {
        Ok(_) => process.next("redraft new \"your idea\""),
        Err(_) => format!(
            "git commit --allow-empty -m \"first commit\", then {}",
            process.next("redraft new \"your idea\"")
        ),
    }
}
