//! `redraft finish`: drives the last phase by itself, and merges.
//!
//! Everything up to the branch that is ready is what `redraft run` does; see [`super::run`]. Who may merge when is decided
//! in `run::merge`; here only a feature that has not come so far is refused.

use super::run;
use redraft_adapters::lock::Lock;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store as _;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::args::{FinishArgs, RunArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;

pub(crate) fn finish(
    args: FinishArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let id = repo.feature(&ledger, args.feature.as_deref())?;
    let entries = ledger.read(Scope::Feature(id))?;
    drop(ledger);
    let state = Pipeline::replay(&entries)
        .map_err(|rejected| CliError::new(ErrorCode::Config, rejected.to_string()))?;
    if state.cancelled {
        return Err(CliError::usage(format!("feature {id} was abandoned, so there is nothing to finish"))
            .hint("begin another: redraft new \"your idea\""));
    }
    let before = state.phases().find(|phase| *phase < Phase::Finish && !state.is_over(*phase));
    if let Some(phase) = before {
        let message = format!("feature {id} is still in {phase}, so it cannot be finished yet");
        return Err(match Lock::holder(&repo.state, &id.to_string()) {
            Some(holder) => CliError::new(ErrorCode::Held, format!("{message}; it is held by {holder}"))
                .hint(format!("wait until it has come so far; redraft watch {id} shows it"))
                .hint(format!("or stop it: redraft stop {id}; redraft run {id} continues it later")),
            None => CliError::usage(message).hint(format!("continue it: redraft run {id}")),
        });
    }
    let args = RunArgs {
        feature: Some(id.to_string()),
        yes: args.yes,
        budget: args.budget,
        agent: args.agent,
        until: Some(Phase::Finish.name().to_owned()),
        merge: args.merge,
        ..RunArgs::default()
    };
    run::drive_to(&repo, id, &args, process, console, run::RunKind::Finish)
}
