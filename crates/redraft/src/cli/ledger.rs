//! `redraft ledger`: what is done to the ledger itself. `redact` takes a secret out, `dump` writes it as text and back.

mod again;
mod dump;
mod redact;
mod secret;
mod verify;

use redraft_adapters::lock::Lock;
use redraft_adapters::sqlite::Ledger;
use redraft_facts::ticket::Scope;
use redraft_frame::args::LedgerCommand;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, Code};
use redraft_frame::site::{Site, Surroundings};

pub(crate) use verify::verify;

pub(crate) fn ledger(
    command: LedgerCommand,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    match command {
        LedgerCommand::Redact(args) => redact::redact(&args, around, console),
        LedgerCommand::Export(args) => dump::export(&args, around, console),
        LedgerCommand::Import(args) => dump::import(&args, around, console),
    }
}

/// Holds everything that a run, a review or a probe would hold, so that none of them goes on meanwhile.
fn hold_all(
    site: &Site,
    scopes: Vec<Scope>,
    around: &Surroundings,
    console: &Console,
) -> Result<Vec<Lock>, CliError> {
    let mut locks = vec![site.lock_repository(around, console)?, site.lock("in-place", around)?];
    for scope in scopes.into_iter().filter(|scope| *scope != Scope::Repo) {
        locks.push(site.lock(&scope.to_string(), around)?);
    }
    Ok(locks)
}

/// The scopes of a ledger; none of one that cannot be read.
fn scopes(ledger: &Ledger) -> Vec<Scope> {
    ledger.scopes().unwrap_or_default()
}
