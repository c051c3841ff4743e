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
mod pull_request;
mod receipt;
mod removable_dispatches;

use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_facts::harmless;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::redact::Redactor;

pub use board::{BoardRow, OutWork, TaskTally, board_row};
pub(crate) use board::{by_gates_only, by_ruling};
pub use history::history;
pub(crate) use history::history_of_roles;
pub(crate) use line::own_texts;
pub use line::{line, line_in};
pub use log_of_tasks::implementation_log;
pub use log_of_tasks::implementation_log_of_roles;
pub use meta::{deferred_reason, meta, not_resumed};
pub use monitor::{FEATURES_MAX, Thresholds, Warning, warnings};
pub use pull_request::{pull_request, pull_request_title};
pub use receipt::{Receipt, ReceiptAgent, ReceiptLine, billed_apart, receipt};
pub use removable_dispatches::removable_dispatches;

/// The projections that stand next to a feature's artifacts.
pub const FILES: [&str; 3] = [".meta.json", ".review-history.md", "implementation-log.md"];

/// The documents of a feature, which have reviews of their own, and what is written about it: no part of its code.
pub fn not_code(created: &FeatureCreated) -> Vec<String> {
    if !created.has_documents() {
        return Vec::new();
    }
    let artifacts = Phase::DOCUMENTS.iter().chain([&Phase::Finish]).map(|phase| phase.artifact());
    artifacts.chain(["prd.md"]).chain(FILES).map(|name| created.path_of(name)).collect()
}

/// Their contents; one without content does not exist, and for a finished feature only the record exists. A secret that
/// got into the ledger must not block every commit of our own files, so they are redacted.
pub fn files(entries: &[Entry], redactor: &Redactor) -> Vec<(&'static str, String)> {
    let record = meta(entries);
    let record = (FILES[0], harmless::json(&redactor.redact(&record).0).into_owned());
    if is_finished(entries) {
        return vec![record];
    }
    let log = implementation_log(entries).map(|log| (FILES[2], log));
    let pages = [(FILES[1], history(entries))].into_iter().chain(log);
    [record].into_iter().chain(pages.map(|(name, page)| (name, for_people(&page, redactor)))).collect()
}

/// A page that people open: without secrets, so that it can always be committed, and without characters that nobody
/// would see in it.
fn for_people(page: &str, redactor: &Redactor) -> String {
    let (clean, _) = redactor.redact(page);
    harmless::text(&clean).into_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_for_people_holds_neither_a_secret_nor_what_nobody_would_see() {
        let token = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
        let page = format!("- S1: the key is\n{token}\n- S2: \u{202e}{token}\u{9b}31m \\n{token}\n");
        let clean = for_people(&page, &Redactor::default());
        assert!(!clean.contains(&token) && !clean.contains(harmless::is_harmful), "{clean}");
        assert!(Redactor::default().find(&clean).is_empty(), "it can be committed");
    }
}
