//! `redraft worker`: the hidden process between a run and an agent's program.

use crate::args::WorkerArgs;
use crate::errors::{CliError, ErrorCode};
use redraft_adapters::child::worker::{WorkerJob, work};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[expect(clippy::disallowed_methods, reason = "what the agent prints is this command's only data")]
pub fn worker(args: WorkerArgs) -> Result<ErrorCode, CliError> {
    let bug = |error: std::io::Error| CliError::new(ErrorCode::Bug, format!("the worker: {error}"));
    // It must outlive every signal except the one that cannot be caught: without it, its agent has no keeper.
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).map_err(bug)?;
    }
    let mut words = args.command.into_iter();
    let program = words.next().ok_or_else(|| CliError::usage("the worker needs a program to run"))?;
    let helper = std::env::current_exe().map_err(bug)?;
    let task = WorkerJob { out: args.out, helper, program, arguments: words.collect() };
    work(&task, std::io::stdin(), std::io::stdout()).map_err(bug)?;
    Ok(ErrorCode::Done)
}
