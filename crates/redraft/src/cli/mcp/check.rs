//! The tool `check`: runs a check of the project once more for a reviewer that a host has at work. The feature is held
//! only to find out what may be run; what it printed is kept until the review is submitted.

use super::reply::Reply;
use super::{CliError, McpService, RepositoryContext};
use crate::cli::run::{RunRequest, WorkSource, with_run};
use redraft_adapters::checks::ShellChecks;
use redraft_engine::Rechecking;
use redraft_engine::ports::{CheckWish, Clock as _, NO_CHECK};
use redraft_facts::ticket::{Scope, Ticket};
use redraft_frame::args::RunArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::ErrorCode;
use redraft_frame::sandbox::sandbox;
use redraft_frame::story::Story;
use serde::{Deserialize, Serialize};
use std::sync::PoisonError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckArgs {
    ticket: String,
    name: String,
    #[serde(default)]
    test: String,
}

#[derive(Serialize)]
struct Checked {
    v: u16,
    ran: bool,
    /// What it printed, or why it was not run.
    text: String,
}

pub(super) fn check(desk: &McpService, args: &CheckArgs) -> Result<Reply, CliError> {
    let _one = desk.checking.lock().unwrap_or_else(PoisonError::into_inner);
    let (ran, text) = match run(desk, args)? {
        Ok(text) => (true, text),
        Err(why) => (false, why),
    };
    Ok(Reply::new(&Checked { v: 1, ran, text }))
}

fn run(desk: &McpService, args: &CheckArgs) -> Result<Result<String, String>, CliError> {
    let Ok(ticket) = args.ticket.parse::<Ticket>() else {
        return Ok(Err(format!("`{}` is not a ticket; `next` gives you tickets", args.ticket)));
    };
    let Scope::Feature(id) = ticket.scope else {
        return Ok(Err(format!(
            "{ticket} does not belong to a feature, and only work of features is handed out"
        )));
    };
    let (process, console) = (&desk.process, Console::capturing());
    let repo = RepositoryContext::find(&process.folder)?;
    let wish = RunRequest {
        repo: &repo,
        id,
        args: &RunArgs::default(),
        players: WorkSource::Host,
        progress: &Story::new(&console, false),
        process,
        console: &console,
    };
    let granted = with_run(&wish, |run, stage| {
        let granted = run.may_check(&ticket)?;
        Ok(granted.map(|granted| (granted, stage.created.clone(), stage.config.clone())))
    });
    let granted = granted.map_err(|error| match error.code {
        ErrorCode::Held => error.hint("ask again when it is free; nothing was run"),
        _ => error,
    })?;
    let Some(((grant, expires_ms), created, config)) = granted.flatten() else {
        return Ok(Err(NO_CHECK.to_owned()));
    };
    let folder = repo.check_folder(&created, &config);
    let sandbox = sandbox(&repo, &config, process);
    let checks = ShellChecks {
        worker: &process.exe,
        out: repo.state.join("checks").join(id.to_string()),
        environment: &process.environment,
        redactor: &process.redactor,
        limit_ms: config.check_minutes * 60_000,
        clock: &process.clock,
        sandbox: &sandbox,
        home: folder.home(),
    };
    let inbox = repo.inbox()?;
    let left_ms = u64::try_from(expires_ms.saturating_sub(process.clock.now_ms())).unwrap_or(0);
    let until = process.clock.moment().plus_ms(left_ms);
    let wish = CheckWish { name: args.name.clone(), test: args.test.clone() };
    Ok(Rechecking::new(grant, &checks, &folder, &inbox).check(&wish, until, &process.clock))
}
