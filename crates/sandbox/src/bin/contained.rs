//! The helper alone, for the tests and the benchmark of this crate; the program has it as a command of its own.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(2).collect();
    ExitCode::from(redraft_sandbox::contained(&words))
}
