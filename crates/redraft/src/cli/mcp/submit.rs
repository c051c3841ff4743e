//! The tool `submit`: what came of a piece of work is stored, and nothing else happens; `next` finds out what it means.

use super::reply::{Reply, Submitted};
use super::{CliError, Desk, Site};
use crate::cli::args::RunArgs;
use crate::cli::console::Console;
use crate::cli::errors::Code;
use crate::cli::run::{Players, Wish, with_run};
use redraft_core::ticket::{Scope, Ticket};
use redraft_engine::Refusal;
use redraft_engine::ports::Clock as _;
use serde::Deserialize;

/// More than any answer has.
const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How long work of our own may hold a feature whose work is submitted; it is never at checks then.
const HELD_MS: i64 = 10_000;
const LOOK_AGAIN_MS: u64 = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmitArgs {
    ticket: String,
    text: String,
    conversation: String,
}

pub(super) fn submit(desk: &Desk, args: &SubmitArgs) -> Result<Reply, CliError> {
    if args.conversation.trim().is_empty() {
        let error = CliError::usage("`conversation` is empty");
        return Err(error.hint("name the conversation in which the work was done; each subagent has its own"));
    }
    if args.text.len() > TEXT_BYTES_MAX {
        let (size, most) = (args.text.len(), TEXT_BYTES_MAX);
        return Err(CliError::usage(format!("`text` has {size} bytes, and at most {most} are taken"))
            .hint("submit the answer, not the files that were written"));
    }
    let unknown = |why: String| refused(Refusal::Unknown, why);
    let Ok(ticket) = args.ticket.parse::<Ticket>() else {
        return Ok(unknown(format!("`{}` is no ticket; `next` gives them", args.ticket)));
    };
    let Scope::Feature(id) = ticket.scope else {
        return Ok(unknown(format!("{ticket} is not about a feature, and nothing else is handed out")));
    };
    let site = Site::find(&desk.around.folder)?;
    let known = site.reader()?.map(|ledger| site.feature(&ledger, Some(&id.to_string())));
    if !matches!(known, Some(Ok(_))) {
        return Ok(unknown(format!("there is no feature {id} here")));
    }
    let (console, since_ms) = (Console::kept(), desk.around.clock.now_ms());
    loop {
        let wish = Wish {
            site: &site,
            id,
            args: &RunArgs::default(),
            players: Players::Host,
            progress: &console,
            around: &desk.around,
            console: &console,
        };
        let done = with_run(&wish, |run, _| Ok(run.submit(&ticket, &args.text, &args.conversation)?));
        let waited_ms = desk.around.clock.now_ms().saturating_sub(since_ms);
        match done {
            Ok(Some(Ok(()))) => {
                return Ok(Reply::new(&Submitted { v: 1, accepted: Some(true), refused: None, why: None }));
            }
            Ok(Some(Err((refusal, why)))) => return Ok(refused(refusal, why)),
            // Nobody is asked about cost where nothing is sent.
            Ok(None) => return Err(CliError::new(Code::Bug, "a host was asked about cost")),
            Err(error) if error.code == Code::Held && waited_ms < HELD_MS => {
                if !desk.around.clock.wait_ms(LOOK_AGAIN_MS) {
                    return Err(error);
                }
            }
            Err(error) => return Err(error.hint("nothing was stored; submit it again")),
        }
    }
}

fn refused(refusal: Refusal, why: String) -> Reply {
    Reply::new(&Submitted { v: 1, accepted: None, refused: Some(refusal.name()), why: Some(why) })
}
