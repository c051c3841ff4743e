//! Makes the board and the files of features again from their events.

use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::{Store, StoreError, Workspace};
use redraft_engine::{Journal, write_projections};
use redraft_facts::event::{Entry, FeatureCreated};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::CliError;
use redraft_frame::prepare::hold_place;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows::fold;
use redraft_reports::projections;

/// Writes the projections of a feature whose lock is held, where they differ.
pub(crate) fn write_files(
    repo: &RepositoryContext,
    created: &FeatureCreated,
    entries: &[Entry],
) -> Result<(), CliError> {
    let workspace = repo.workspace(created)?;
    for (name, text) in projections::files(entries, &Redactor::default()) {
        let path = format!("{}/{name}", created.folder());
        if workspace.read(&path)?.as_deref() != Some(text.as_bytes()) {
            workspace.write(&path, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Rewrites the files of a feature whose lock is held, as a run does after a decision, where they exist and no other process
/// is at work on them.
pub(crate) fn write_feature(repo: &RepositoryContext, journal: &Journal<'_>, process: &ProcessContext) {
    let Some(created) = &journal.state().created else { return };
    let Ok(_place) = hold_place(repo, created, process) else { return };
    if let (Ok(true), Ok(workspace)) = (repo.is_there(created), repo.workspace(created)) {
        // What they tell is stored, and the next run writes them.
        let _ = write_projections(&workspace, journal, &process.boundaries);
    }
}

/// Others may go on while the board is folded; then it is folded once more, as often as that is likely to help.
const FOLDS_MAX: usize = 5;

/// Rewrites the board from the events; returns how many features are on it.
pub(crate) fn fold_board(ledger: &Ledger) -> Result<usize, CliError> {
    let mut folds = 0;
    loop {
        let mut board = Vec::new();
        for scope in ledger.scopes()? {
            if let Some((seq, row)) = fold(&scope, &ledger.read(scope.clone())?)? {
                board.push((scope, seq, serde_json::to_string(&row).unwrap_or_default()));
            }
        }
        folds += 1;
        match ledger.replace_board(&board) {
            Err(StoreError::Moved { .. }) if folds < FOLDS_MAX => {}
            done => {
                let features =
                    board.iter().filter(|(scope, _, _)| matches!(scope, Scope::Feature(_))).count();
                return Ok(done.map(|()| features)?);
            }
        }
    }
}
