//! Projections: what people and files see, folded from events.
//!
//! Everything here can be deleted and comes back byte for byte. Nothing here is read back as truth, and none
//! of it is part of a revision or a delta.

pub mod bills;
mod board;
pub mod costs;
mod history;
mod line;
mod log_of_tasks;
mod meta;
mod monitor;
mod pull_request;
mod receipt;
mod settled;

use crate::event::{Entry, Event};
use crate::phase::Phase;
use crate::prelude::*;

pub use board::{BoardRow, OutWork, TaskTally, board_row};
pub use history::history;
pub(crate) use history::history_of_roles;
pub use line::{line, line_in};
pub use log_of_tasks::implementation_log;
pub(crate) use log_of_tasks::implementation_log_of_roles;
pub use meta::{deferred_reason, meta, not_resumed};
pub use monitor::{FEATURES_MAX, Tally, Thresholds, Warning, required, warnings};
pub use pull_request::{pull_request, pull_request_title};
pub use receipt::{Receipt, ReceiptAgent, ReceiptLine, receipt};
pub use settled::settled;

/// The projections that stand beside a feature's artifacts.
pub const FILES: [&str; 3] = [".meta.json", ".review-history.md", "implementation-log.md"];

/// Their contents; one that has nothing to tell is not there, and of a finished feature only the record is.
pub fn files(entries: &[Entry]) -> Vec<(&'static str, String)> {
    let record = (FILES[0], meta(entries));
    if is_finished(entries) {
        return vec![record];
    }
    let log = implementation_log(entries).map(|log| (FILES[2], log));
    [record, (FILES[1], history(entries))].into_iter().chain(log).collect()
}

/// Whether the last phase is closed and nothing was begun again since.
pub fn is_finished(entries: &[Entry]) -> bool {
    let last = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::PhaseClosed(closed) => Some(closed.phase == Phase::Finish),
        Event::LoopOpened(_) | Event::WentBack(_) => Some(false),
        _ => None,
    });
    last.unwrap_or(false)
}
