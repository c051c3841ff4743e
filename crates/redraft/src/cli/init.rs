//! `redraft init`: a configuration file with every default as a comment.

use super::console::Console;
use super::errors::{CliError, Code};
use super::site::{Site, Surroundings};
use redraft_adapters::checks::detect;
use redraft_adapters::config;
use serde::Serialize;
use std::io::Write;

/// Programs that Redraft's users commonly have; found by name, never started.
const KNOWN_AGENTS: [&str; 2] = ["claude", "codex"];

#[derive(Serialize)]
struct InitJson {
    v: u16,
    file: String,
    written: bool,
    agents_found: Vec<String>,
    /// The checks that were written into the file.
    checks: Vec<CheckJson>,
    next: String,
}

#[derive(Serialize)]
struct CheckJson {
    name: String,
    command: String,
}

pub(crate) fn init(around: &Surroundings, console: &Console) -> Result<Code, CliError> {
    let site = Site::find(&around.folder)?;
    let file = site.repository.main_checkout().join(config::FILE);
    let checks = detect(site.repository.main_checkout());
    let created = std::fs::File::options().write(true).create_new(true).open(&file);
    let named = |error: std::io::Error| CliError::new(Code::Config, format!("{}: {error}", file.display()));
    let written = match created {
        Ok(mut created) => {
            if let Err(error) = created.write_all(config::template_with(&checks).as_bytes()) {
                // Half a file would be taken for the user's own the next time.
                let left = std::fs::remove_file(&file)
                    .err()
                    .map(|_| "remove what is there of it, ")
                    .unwrap_or_default();
                return Err(named(error).hint(format!("{left}mend the cause and run `redraft init` again")));
            }
            true
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // It is the user's now. A mistake in it is better told here than in the middle of a run.
            site.config()?;
            false
        }
        Err(error) => return Err(named(error)),
    };
    let found = installed(around);
    let mut text = match written {
        true => format!("wrote {}; every default is in it as a comment\n", file.display()),
        false => format!("{} exists and is left as it is\n", file.display()),
    };
    for check in checks.iter().filter(|_| written) {
        let (name, command) = (&check.name, &check.command);
        text.push_str(&format!(
            "found a check of this project, {name}: {command} (runs only after `redraft trust`)\n"
        ));
    }
    if written && checks.is_empty() {
        text.push_str(
            "found no checks of this project; name them under [checks], or nothing is run after a task\n",
        );
    }
    for agent in &found {
        text.push_str(&format!("found {agent} on the PATH; to use it, add to redraft.toml: [agents.{agent}] model = \"…\" and [roles] default = \"{agent}\"\n"));
    }
    let next = around.next("redraft new \"your idea\"");
    text.push_str(&format!("next: {next}"));
    let file = file.display().to_string();
    let checks = checks.into_iter().filter(|_| written);
    let checks = checks.map(|check| CheckJson { name: check.name, command: check.command }).collect();
    console.show(&text, &InitJson { v: 1, file, written, agents_found: found, checks, next });
    Ok(Code::Done)
}

fn installed(around: &Surroundings) -> Vec<String> {
    let there = |name: &&&str| around.find_program(name).is_some();
    KNOWN_AGENTS.iter().filter(there).map(|name| (*name).to_owned()).collect()
}
