//! Projections: what people and files see, folded from events.
//!
//! Everything here can be deleted and comes back byte for byte. Nothing here is read back as truth, and none
//! of it is part of a revision or a delta.

mod board;
pub mod costs;
mod history;
mod line;
mod log_of_tasks;
mod meta;
mod monitor;
mod receipt;
mod settled;

use crate::event::Entry;
use crate::prelude::*;

pub use board::{BoardRow, TaskTally, board_row};
pub use history::history;
pub use line::{line, line_in};
pub use log_of_tasks::implementation_log;
pub use meta::{deferred_reason, meta, not_resumed};
pub use monitor::{FEATURES_MAX, Tally, Thresholds, Warning, required, warnings};
pub use receipt::{Receipt, ReceiptLine, receipt};
pub use settled::settled;

/// The projections that stand beside a feature's artifacts.
pub const FILES: [&str; 3] = [".meta.json", ".review-history.md", "implementation-log.md"];

/// Their contents; one that has nothing to tell is not there.
pub fn files(entries: &[Entry]) -> Vec<(&'static str, String)> {
    let log = implementation_log(entries).map(|log| (FILES[2], log));
    [(FILES[0], meta(entries)), (FILES[1], history(entries))].into_iter().chain(log).collect()
}
