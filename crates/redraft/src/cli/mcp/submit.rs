//! The tool `submit`: stores the result of a piece of work, and nothing else; `next` finds out what it means.

use super::reply::{Reply, Submitted, UndoneJson};
use super::{CliError, McpService, RepositoryContext};
use crate::cli::run::{RunRequest, WorkSource, with_run};
use redraft_adapters::sqlite::Ledger;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Clock as _, Store as _};
use redraft_engine::{Submission, SubmissionRefusal, Undone};
use redraft_facts::event::Entry;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_frame::args::RunArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::ErrorCode;
use redraft_frame::story::Story;
use serde::Deserialize;

/// More than any answer has.
const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How long to wait for the feature; after that, what is submitted is kept for the process that holds it.
const HELD_MS: u64 = 1_500;
const LOOK_AGAIN_MS: u64 = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmitArgs {
    ticket: String,
    text: String,
    conversation: String,
}

pub(super) fn submit(desk: &McpService, args: &SubmitArgs) -> Result<Reply, CliError> {
    if args.conversation.trim().is_empty() {
        let error = CliError::usage("`conversation` is empty");
        return Err(error.hint("name the conversation in which the work was done; each subagent has its own"));
    }
    if args.text.len() > TEXT_BYTES_MAX {
        let (size, most) = (args.text.len(), TEXT_BYTES_MAX);
        return Err(CliError::usage(format!("`text` has {size} bytes, and at most {most} are allowed"))
            .hint("submit the answer, not the files that were written"));
    }
    let unknown = |why: String| refused(SubmissionRefusal::Unknown, why);
    let Ok(ticket) = args.ticket.parse::<Ticket>() else {
        return Ok(unknown(format!("`{}` is not a ticket; `next` gives you tickets", args.ticket)));
    };
    let Scope::Feature(id) = ticket.scope else {
        return Ok(unknown(format!(
            "{ticket} does not belong to a feature, and only work of features is handed out"
        )));
    };
    let repo = RepositoryContext::find(&desk.process.folder)?;
    let process = &desk.process;
    let given = Submission { ticket: &ticket, text: &args.text, conversation: &args.conversation };
    let Some(ledger) = repo.reader()? else { return Ok(unknown(format!("there is no feature {id} here"))) };
    // Read first: a refusal comes at once, no matter which process drives the feature.
    let now = || standing(&ledger, &ticket.scope);
    let (state, entries) = now()?;
    if let Some((refusal, why)) = given.refused(&state, &entries, &process.redactor, process.clock.now_ms()) {
        return Ok(refused(refusal, why));
    }
    let (console, since) = (Console::capturing(), process.clock.moment());
    loop {
        let wish = RunRequest {
            repo: &repo,
            id,
            args: &RunArgs::default(),
            players: WorkSource::Host,
            progress: &Story::new(&console, false),
            process,
            console: &console,
        };
        let done = with_run(&wish, |run, _| {
            let taken = run.submit(&given)?;
            Ok(taken.map(|()| run.undone().to_vec()))
        });
        let waited_ms = process.clock.moment().ms_since(since);
        match done {
            Ok(Some(Ok(undone))) => return Ok(accepted(&undone)),
            Ok(Some(Err((refusal, why)))) => return Ok(refused(refusal, why)),
            // Where nothing is sent, there is no question about cost.
            Ok(None) => return Err(CliError::new(ErrorCode::Bug, "a host was asked about cost")),
            Err(error) if error.code == ErrorCode::Held && waited_ms < HELD_MS => {
                if !process.clock.wait_ms(LOOK_AGAIN_MS) {
                    return Err(error);
                }
            }
            Err(error) if error.code == ErrorCode::Held => {
                // The process that drives the feature stores what is kept; a run may be busy with something else for
                // long.
                let (state, entries) = now()?;
                let inbox = repo.inbox()?;
                let kept = given.keep(&state, &entries, &inbox, &process.redactor, process.clock.now_ms())?;
                let (state, entries) = now()?;
                let gone = given.refused(&state, &entries, &process.redactor, process.clock.now_ms());
                return Ok(match (kept, gone) {
                    (Ok(_), None) => accepted(&[]),
                    // The process that drives it took it between the two looks.
                    (Ok(_), Some((SubmissionRefusal::Repeated, _))) => accepted(&[]),
                    (Err((refusal, why)), _) | (Ok(_), Some((refusal, why))) => refused(refusal, why),
                });
            }
            Err(error) => return Err(error.hint("submit the same again; nothing is stored twice")),
        }
    }
}

/// A feature according to its events now.
fn standing(ledger: &Ledger, scope: &Scope) -> Result<(Pipeline, Vec<Entry>), CliError> {
    let entries = ledger.read(scope.clone())?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    Ok((state, entries))
}

/// With what was undone in the worktree: a host must tell the person, whose edit it may have been.
fn accepted(undone: &[Undone]) -> Reply {
    let told =
        undone.iter().map(|one| UndoneJson { what: one.what.clone(), to_get_it_back: one.command.clone() });
    Reply::new(&Submitted { v: 1, accepted: Some(true), refused: None, why: None, undone: told.collect() })
}

fn refused(refusal: SubmissionRefusal, why: String) -> Reply {
    let (refused, why) = (Some(refusal.name()), Some(why));
    Reply::new(&Submitted { v: 1, accepted: None, refused, why, undone: Vec::new() })
}
