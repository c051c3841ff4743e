//! `redraft ledger`: works on the ledger itself. `redact` takes a secret out, `export_import` writes it as text and
//! back.

mod export_import;
mod redact;
mod reopen_review;
mod secret;
mod verify;

use redraft_adapters::lock::Lock;
use redraft_adapters::sqlite::Ledger;
use redraft_facts::ticket::Scope;
use redraft_frame::args::LedgerCommand;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;

pub(crate) use verify::{StretchJson, Verified, verify};

pub(crate) fn ledger(
    command: LedgerCommand,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    match command {
        LedgerCommand::Redact(args) => redact::redact(&args, process, console),
        LedgerCommand::Export(args) => export_import::export(&args, process, console),
        LedgerCommand::Import(args) => export_import::import(&args, process, console),
    }
}

/// Holds everything that a run, a review or a probe would hold, so that none of them goes on meanwhile.
fn hold_all(
    repo: &RepositoryContext,
    scopes: Vec<Scope>,
    process: &ProcessContext,
    console: &Console,
) -> Result<Vec<Lock>, CliError> {
    let mut locks = vec![repo.lock_repository(process, console)?, repo.lock("in-place", process)?];
    for scope in scopes.into_iter().filter(|scope| *scope != Scope::Repo) {
        locks.push(repo.lock(&scope.to_string(), process)?);
    }
    Ok(locks)
}

/// The scopes of a ledger; none for one that cannot be read.
fn scopes(ledger: &Ledger) -> Vec<Scope> {
    ledger.scopes().unwrap_or_default()
}
