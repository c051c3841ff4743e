//! Projections: what people and files see, folded from events.
//!
//! Everything here can be deleted and comes back byte for byte. Nothing here is read back as truth, and none
//! of it is part of a revision or a delta.

mod board;
pub mod costs;
mod history;
mod line;
mod meta;
mod monitor;
mod receipt;
mod settled;

use crate::event::Entry;
use crate::prelude::*;

pub use board::{BoardRow, board_row};
pub use history::history;
pub use line::line;
pub use meta::{deferred_reason, meta, not_resumed};
pub use monitor::{FEATURES_MAX, Tally, Thresholds, Warning, required, warnings};
pub use receipt::{Receipt, ReceiptLine, receipt};
pub use settled::settled;

/// The projections that stand beside a feature's artifacts.
pub const FILES: [&str; 2] = [".meta.json", ".review-history.md"];

/// Their contents.
pub fn files(entries: &[Entry]) -> [(&'static str, String); 2] {
    [(FILES[0], meta(entries)), (FILES[1], history(entries))]
}
