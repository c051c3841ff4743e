//! Reads the rows of the board, one for each feature and each review. How they are shown is not known here.

use crate::errors::{CliError, ErrorCode};
use redraft_adapters::sqlite::Ledger;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store;
use redraft_facts::event::Entry;
use redraft_facts::ticket::Scope;
use redraft_reports::projections::BoardRow;

/// The rows of all features, as stored; where one has another form, or the board is gone, all are folded again without
/// being stored.
pub fn rows(ledger: &Ledger) -> Result<Vec<BoardRow>, CliError> {
    rows_of(ledger, |scope| matches!(scope, Scope::Feature(_)))
}

/// The same for reviews of documents.
pub fn reviews(ledger: &Ledger) -> Result<Vec<BoardRow>, CliError> {
    rows_of(ledger, |scope| matches!(scope, Scope::Review(_)))
}

fn rows_of(ledger: &Ledger, wanted: fn(&Scope) -> bool) -> Result<Vec<BoardRow>, CliError> {
    if !ledger.has_board()? {
        return folded(ledger, wanted);
    }
    let mut rows = Vec::new();
    for (scope, _, row) in ledger.board()?.into_iter().filter(|(scope, _, _)| wanted(scope)) {
        match serde_json::from_str::<BoardRow>(&row) {
            Ok(row) if row.is_current() && is_of(&scope, &row) => rows.push(row),
            Ok(_) | Err(_) => return folded(ledger, wanted),
        }
    }
    Ok(rows)
}

/// Whether a stored row has the number of its scope. The number is put into commands that people type and shells
/// complete, and only the scope is certain to be a number.
pub fn is_of(scope: &Scope, row: &BoardRow) -> bool {
    match scope {
        Scope::Feature(id) => row.id == id.to_string(),
        Scope::Review(id) => row.id == id.to_string() || row.id == scope.to_string(),
        Scope::Agent(_) | Scope::Repo => false,
    }
}

fn folded(ledger: &Ledger, wanted: fn(&Scope) -> bool) -> Result<Vec<BoardRow>, CliError> {
    let mut rows = Vec::new();
    for scope in ledger.scopes()?.into_iter().filter(wanted) {
        if let Some((_, row)) = fold(&scope, &ledger.read(scope.clone())?)? {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The row of a feature or a review, with the number of its last event.
pub fn fold(scope: &Scope, entries: &[Entry]) -> Result<Option<(u64, BoardRow)>, CliError> {
    let (Scope::Feature(_) | Scope::Review(_), Some(last)) = (scope, entries.last()) else {
        return Ok(None);
    };
    let state =
        Pipeline::replay(entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    Ok(Some((last.seq, BoardRow::new(&state, last.at_ms))))
}
