//! `redraft eval`: measures reviews on documents with known defects.
//!
//! What is planted, asked and counted is decided in the crate `eval`; here files are read and written and agents are asked
//! (`asking`). `case_folder` is the form of the folder of cases, `answers` that of the folder of prompts and answers,
//! `counted` what the answers found.

mod answers;
mod asking;
mod case_folder;
mod counted;
mod export;
mod judge;
mod plant;
mod prompts;
mod run;
mod score;

use redraft_frame::args::EvalCommand;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;

pub(crate) fn eval(
    command: EvalCommand,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    match command {
        EvalCommand::Plant(args) => plant::plant(&args, process, console),
        EvalCommand::Export(args) => export::export(&args, process, console),
        EvalCommand::Run(args) => run::run(&args, process, console),
        EvalCommand::Judge(args) => judge::judge(&args, process, console),
        EvalCommand::Score(args) => score::score(&args, process, console),
    }
}
