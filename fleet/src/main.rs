//! The program: reads what was typed, does it, and ends with one of redraft's exit codes.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = words.split_first()
        && first == redraft_fleet::program::BOUND
    {
        eprintln!("error: {}", redraft_fleet::program::become_bound(rest));
        return ExitCode::from(130);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(3);
        }
    };
    let code = runtime.block_on(cli::main());
    // A poll that the server holds open must not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    ExitCode::from(code)
}
