//! `redraft stop`: asks the process that drives a feature to end, as Ctrl-C in its terminal does.

use redraft_adapters::lock::{Holder, InterruptError, Lock, interrupt};
use redraft_engine::ports::Clock;
use redraft_facts::ticket::Scope;
use redraft_frame::args::StopArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_views::board;
use serde::Serialize;

/// How long to wait for the end: a run stores where it stands and ends what agents have started.
const WAIT_MS: u64 = 10_000;
const PAUSE_MS: u64 = 50;

#[derive(Serialize)]
struct StopJson {
    v: u16,
    feature: String,
    /// Who was asked to end; none where nobody drives it.
    asked: Option<Holder>,
    /// Whether nobody drives it any more.
    ended: bool,
    next: String,
}

pub(crate) fn stop(
    args: StopArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let scope = repo.resolve_scope(&ledger, args.feature.as_deref(), process)?;
    let name = scope.to_string();
    let asked = interrupt(&repo.state, &name).map_err(not_asked)?;
    let begun = process.clock.moment();
    let is_driven = || Lock::holder(&repo.state, &name).is_some_and(|now| Some(&now) == asked.as_ref());
    while is_driven() && process.clock.moment().ms_since(begun) < WAIT_MS {
        if !process.clock.wait_ms(PAUSE_MS) {
            break;
        }
    }
    let ended = !is_driven();
    let next = match &scope {
        Scope::Feature(id) if ended => board::next_after(&repo, &ledger, *id, process)?,
        _ => process.next("redraft status"),
    };
    let called = if matches!(scope, Scope::Feature(_)) { format!("feature {name}") } else { name };
    let text = match (&asked, ended) {
        (None, _) => format!("nobody drives {called}: there is nothing to stop"),
        (Some(holder), true) => format!("{called} is stopped: {holder} has ended"),
        (Some(holder), false) => format!(
            "{called}: {holder} was asked to stop and has not ended yet; to end it immediately, run this command again"
        ),
    };
    let code = if ended { ErrorCode::Done } else { ErrorCode::Held };
    let shown = StopJson { v: 1, feature: scope.to_string(), asked, ended, next };
    console.show(&format!("{text}\nnext: {}", shown.next), &shown);
    Ok(code)
}

fn not_asked(error: InterruptError) -> CliError {
    let holder = match &error {
        InterruptError::Another(holder) | InterruptError::Refused { holder, .. } => holder.clone(),
    };
    CliError::new(ErrorCode::Config, error.to_string())
        .hint(format!("look at it: ps -p {}; end it in its own terminal with Ctrl-C", holder.pid))
}
