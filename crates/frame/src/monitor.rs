//! Shows the warnings over several features: at the end of `run`, in `cost` and in `status`.
//!
//! `reports::projections` decides what is counted and when it is too much; here the finished features are found on the
//! board.

use crate::console::Console;
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_core::tally::Tally;
use redraft_reports::projections::{BoardRow, Thresholds, Warning, warnings};

/// What happens too often in the finished features. If the configuration cannot be read, the defaults apply here: the
/// commands that run something report what is wrong with it.
pub fn watch(repo: &RepositoryContext, rows: &[BoardRow], process: &ProcessContext) -> Vec<Warning> {
    let mut finished: Vec<&BoardRow> = rows.iter().filter(|row| row.is_finished()).collect();
    if finished.is_empty() {
        return Vec::new();
    }
    finished.sort_by_key(|row| row.updated_ms);
    let tallies: Vec<Tally> = finished.iter().map(|row| row.tally).collect();
    let thresholds = repo.config(process).map_or_else(|_| Thresholds::default(), |config| config.monitor);
    warnings(&tallies, &thresholds)
}

/// Prints the warnings.
pub fn say(warnings: &[Warning], console: &Console) {
    for Warning { text, remedy, .. } in warnings {
        console.say(&format!("warning: {text}\n  remedy: {remedy}"));
    }
}
