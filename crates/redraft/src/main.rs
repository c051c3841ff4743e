//! The `redraft` program: reads what was typed, does it, and ends with a code of the public table.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
