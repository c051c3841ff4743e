//! `redraft completions`: the script that lets a shell complete what is typed, made from the same arguments clap reads.

use super::hook;
use clap::{CommandFactory as _, ValueEnum as _};
use redraft_adapters::git::CheckoutLocation;
use redraft_frame::args::{Cli, CompletionsArgs, ShellName};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct CompletionsJson<'a> {
    v: u16,
    shell: String,
    script: &'a str,
}

#[derive(Serialize)]
struct FeaturesJson {
    v: u16,
    features: Vec<String>,
}

pub(crate) fn completions(
    args: CompletionsArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let Some(shell) = args.shell else {
        if !args.features {
            return Err(CliError::usage("no shell was named")
                .hint("redraft completions bash; also zsh, fish and powershell"));
        }
        let features = features(&process.folder);
        console.show(&features.join("\n"), &FeaturesJson { v: 1, features });
        return Ok(ErrorCode::Done);
    };
    let cli = shown(&Cli::command());
    let script = match shell {
        ShellName::Bash => with_features(generated(clap_complete::Shell::Bash, &cli), &cli),
        ShellName::Zsh => generated(clap_complete::Shell::Zsh, &cli),
        ShellName::Fish => generated(clap_complete::Shell::Fish, &cli),
        ShellName::PowerShell => generated(clap_complete::Shell::PowerShell, &cli),
    };
    let name = shell.to_possible_value().map(|value| value.get_name().to_owned());
    let json = CompletionsJson { v: 1, shell: name.unwrap_or_default(), script: &script };
    if console.json {
        console.object(&json)
    } else {
        console.made_here(script.trim_end())
    }
    Ok(ErrorCode::Done)
}

fn generated(shell: clap_complete::Shell, cli: &clap::Command) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut cli.clone(), "redraft", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The numbers of all features of the repository around a folder; none where that cannot be known. It is asked for
/// while the user types, so it starts no program and waits for no lock.
fn features(folder: &Path) -> Vec<String> {
    let rows =
        CheckoutLocation::at(folder).and_then(|glance| hook::rows(&glance.state_dir())).unwrap_or_default();
    rows.into_iter().map(|(_, row)| row.id).collect()
}

/// The script for bash, in which commands that take a feature also offer the numbers there are.
fn with_features(script: String, cli: &clap::Command) -> String {
    const ASKED: &str = "$(redraft completions --features 2>/dev/null) ";
    let mut cli = cli.clone();
    cli.build();
    let (mut script, mut left) = (script, vec![cli]);
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands().cloned());
        if command.get_positionals().any(|one| one.get_id() == "feature") {
            // The name by which clap's script lists what can follow a command.
            let name = command.get_bin_name().unwrap_or_default().replace([' ', '-'], "__subcmd__");
            let place = format!("\n        {name})\n            opts=\"");
            script = script.replace(&place, &format!("{place}{ASKED}"));
        }
    }
    script
}

/// The same command without what is hidden, which clap's scripts would offer as well.
fn shown(command: &clap::Command) -> clap::Command {
    // Names must live as long as the program, which ends in a moment.
    let name: &'static str = command.get_name().to_owned().leak();
    let below = command.get_subcommands().filter(|one| !one.is_hide_set()).map(shown);
    let about = command.get_about().cloned().unwrap_or_default();
    let arguments = command.get_arguments().filter(|one| !one.is_hide_set()).cloned();
    clap::Command::new(name).about(about).args(arguments).subcommands(below)
}
