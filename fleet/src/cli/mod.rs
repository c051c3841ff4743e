//! One file for each command.

mod args;
mod repository;
mod say;
mod server;
mod start;
mod status;
mod worker;

use args::{Cli, Command};
use clap::{CommandFactory as _, FromArgMatches as _};
use serde_json::json;

/// An error as redraft has them: what is wrong, what to do, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    text: String,
    hints: Vec<String>,
}

impl Failure {
    pub(crate) fn new(code: u8, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), hints: Vec::new() }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

pub(crate) const USAGE: u8 = 2;
pub(crate) const CONFIG: u8 = 3;
pub(crate) const HELD: u8 = 7;

/// What was typed, with the options of `start` that do not merely have their defaults.
fn read(typed: &clap::ArgMatches) -> Result<Cli, clap::Error> {
    let mut cli = Cli::from_arg_matches(typed)?;
    if let (Command::Start(args), Some((_, typed))) = (&mut cli.command, typed.subcommand()) {
        let is_typed = |id: &&str| typed.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        args.typed = args::OF_A_FEATURE.iter().copied().filter(is_typed).collect();
    }
    Ok(cli)
}

pub(crate) async fn main() -> u8 {
    let cli = match Cli::command().try_get_matches().and_then(|typed| read(&typed)) {
        Ok(cli) => cli,
        Err(error) => {
            let is_help = !error.use_stderr();
            // A terminal that is gone has no use for it.
            let _ = error.print();
            return if is_help { 0 } else { USAGE };
        }
    };
    let json = match &cli.command {
        Command::Start(args) => args.json,
        Command::Status(args) => args.json,
        Command::Decide(args) => args.json,
        Command::Comment(args) => args.json,
        Command::Worker(_) | Command::Stop(_) | Command::History(_) => false,
    };
    let done = match cli.command {
        Command::Worker(args) => worker::worker(args).await,
        Command::Start(args) => start::start(args).await,
        Command::Status(args) => status::status(&args).await,
        Command::Decide(args) => say::decide(args).await,
        Command::Comment(args) => say::comment(args).await,
        Command::Stop(args) => say::stop(&args).await,
        Command::History(args) => say::history(&args).await,
    };
    match done {
        Ok(code) => code,
        Err(failure) if json => {
            let Failure { code, text, hints } = failure;
            println!("{:#}", json!({ "v": 1, "error": text, "hints": hints, "exit": code }));
            code
        }
        Err(failure) => {
            eprintln!("error: {}", failure.text);
            for hint in &failure.hints {
                eprintln!("  hint: {hint}");
            }
            failure.code
        }
    }
}
