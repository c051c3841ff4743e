//! `redraft ui`: the features of a repository as pages in the browser, on this machine only.
//!
//! It looks at what `reports` folds from the ledger, like every other view, and stores nothing itself: what a form
//! says is typed for the person (`writing`). `gate` says who is let in, `keys` by which secrets, `serving` accepts
//! connections, `routes` leads them, `site` is what they are answered by, `repository_site` answers them, `pages`
//! draws. Start at [`ui`]; how it is protected is in docs/ui.md.

mod browser;
mod changes;
mod gate;
mod jobs;
mod keys;
mod pages;
mod repository_site;
mod routes;
mod serving;
mod site;
#[cfg(test)]
mod tests;
mod write_timeout;
mod writing;

use keys::Keys;
use redraft_engine::ports::Clock as _;
use redraft_frame::args::UiArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use repository_site::RepositorySite;
use serde::Serialize;
use serving::{Patience, Server, listen};
use std::io;

#[derive(Serialize)]
struct UiJson<'a> {
    v: u16,
    /// Good once, for one browser.
    address: &'a str,
    port: u16,
    pid: u32,
}

/// Serves until it is stopped.
pub fn ui(args: UiArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let here = RepositorySite::new(process)?;
    let listener = listen(args.port).map_err(|error| taken(args.port, &error))?;
    let port = listener.local_addr().map_err(|error| broken(&error))?.port();
    let (here, keys) = (here.at(port), Keys::new());
    let address = format!("http://127.0.0.1:{port}/enter/{}", keys.entry().unwrap_or_default());
    let shown = UiJson { v: 1, address: &address, port, pid: std::process::id() };
    console.show(&address, &shown);
    console.say("this address works once, for one browser on this machine; press Ctrl-C to end");
    if !args.no_open {
        browser::open(&address, process, console);
    }
    let entered = || console.say("a browser has connected; if it was not yours, press Ctrl-C");
    let server = Server { listener, keys, patience: Patience::default() };
    server.serve(&here, &|| over(process), &entered).map_err(|error| broken(&error))?;
    console.say("the page is no longer served; runs go on");
    Ok(ErrorCode::Done)
}

/// Ctrl-C, or the terminal was closed: a page that nobody knows of is not served on.
fn over(process: &ProcessContext) -> bool {
    if process.clock.leaving() {
        process.clock.stop();
    }
    process.clock.stopped()
}

fn taken(port: u16, error: &io::Error) -> CliError {
    let message = format!("port {port} of 127.0.0.1 cannot be used: {error}");
    let error = CliError::new(ErrorCode::Config, message);
    match port {
        0 => error.hint("no port is free; end a program that serves something"),
        _ => error
            .hint("for any port that is free: redraft ui")
            .hint("or name another one: redraft ui --port N"),
    }
}

fn broken(error: &io::Error) -> CliError {
    CliError::new(ErrorCode::Config, format!("the page cannot be served: {error}"))
}
