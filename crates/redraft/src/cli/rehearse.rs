//! `redraft rehearse`: shows what the built-in rehearsal agent would do with a piece of work that a host was given. For
//! trying or writing a host without a model. It stores nothing: the host submits what it prints.

use super::run::deadlines;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Agent as _, Request, Store as _};
use redraft_facts::choice::{Marks, Strategy};
use redraft_facts::event::Started;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::AgentName;
use redraft_facts::ticket::Ticket;
use redraft_frame::agent_registry;
use redraft_frame::args::RehearseArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_prompts::prompt::schema_for;
use redraft_rehearsal::Scenario;
use serde::Serialize;

/// It is done long before this.
const LIMIT_MS: u64 = 10 * 60 * 1000;

#[derive(Serialize)]
struct RehearseJson<'a> {
    v: u16,
    ticket: &'a str,
    text: &'a str,
}

pub(crate) fn rehearse(
    args: RehearseArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let out = || {
        CliError::usage(format!("no host has the ticket `{}`", args.ticket))
            .hint("a host gets tickets from the tool `next` of `redraft mcp`")
    };
    let ticket: Ticket = args.ticket.parse().map_err(|_| out())?;
    let ledger = repo.reader()?.ok_or_else(out)?;
    let entries = ledger.read(ticket.scope.clone())?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let open = state.open.as_ref().ok_or_else(out)?;
    let started: &Started = open.handed_out().find(|one| one.ticket == ticket).ok_or_else(out)?;
    if started.choice.strategy == Strategy::Resume {
        let session = started.session.as_ref().map_or("", |session| session.as_str());
        let error = CliError::usage(format!(
            "{ticket} goes on with the conversation `{session}`, which is the host's own"
        ));
        return Err(error.hint("call `next` without `kept`: it then gives the whole prompt"));
    }
    let created = state.created.as_ref().ok_or_else(out)?;
    let blob = ledger.blob(&started.prompt)?;
    let unreadable = |error: serde_json::Error| {
        CliError::new(ErrorCode::Config, format!("the stored prompt of {ticket} cannot be read: {error}"))
    };
    let prompt: Prompt = serde_json::from_slice(&blob).map_err(unreadable)?;
    let folder = match &args.folder {
        Some(folder) => process.folder.join(folder),
        None => repo.worktree(created)?,
    };
    let session = started.session.clone().ok_or_else(out)?;
    let request = Request {
        ticket: ticket.clone(),
        prompt,
        marks: Marks::default(),
        tools: Vec::new(),
        schema: schema_for(ticket.purpose),
        session,
        resume: false,
        folder,
        may_write: vec![open.artifact().to_owned()],
        shares: false,
        deadlines: deadlines(LIMIT_MS),
        max_usd: None,
        slot: None,
    };
    repo.require_own_state()?;
    let own = repo.state.join("agents").join("rehearse");
    let agent = agent_registry::rehearsal(AgentName::new("rehearse"), &own, Scenario::default());
    let outcome = agent.run(&request, &process.clock);
    let outcome = outcome.map_err(|error| CliError::new(ErrorCode::Agent, error.to_string()))?;
    let text = outcome.text;
    console.show(&text, &RehearseJson { v: 1, ticket: &args.ticket, text: &text });
    Ok(ErrorCode::Done)
}
