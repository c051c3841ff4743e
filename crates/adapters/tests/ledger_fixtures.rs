//! Ledgers written by earlier builds still open, verify and fold. One fixture per version; none is ever changed.

use redraft_adapters::sqlite::{FILE, Ledger, Mode};
use redraft_core::event::Event;
use redraft_core::ids::FeatureId;
use redraft_core::phase::Phase;
use redraft_core::pipeline::{Pipeline, pending};
use redraft_core::project::{self, BoardRow};
use redraft_core::ticket::Scope;
use redraft_engine::ports::Store;
use std::path::Path;

/// Version 1: feature 001 through specify, with a rejection, a lost session and a validation.
#[test]
fn the_ledger_of_version_1_is_read_as_it_was_written() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-v1.db");
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(&fixture, folder.path().join(FILE)).unwrap();
    let ledger = Ledger::open(folder.path(), Mode::ReadOnly).unwrap();
    let tip = ledger.verify().unwrap();
    let entries = ledger.read(Scope::Feature(FeatureId(1))).unwrap();
    assert_eq!(entries.last().map(|entry| entry.seq), Some(tip.seq));

    let state = Pipeline::replay(&entries).unwrap();
    let closed = state.closed(Phase::Specify).expect("the phase is closed");
    assert_eq!(closed.approvals.len(), 2);
    assert_eq!(pending(&state), []);
    assert!(project::history(&entries).contains("RESUME-FALLBACK: spec-reviewer iteration 2 — "));
    for entry in &entries {
        if let Event::Started(started) = &entry.event {
            assert!(!ledger.blob(&started.prompt).unwrap().is_empty());
        }
    }
    let rows = ledger.board().unwrap();
    let row: BoardRow = serde_json::from_str(&rows[0].2).unwrap();
    assert_eq!(row, BoardRow::of(&state, entries.last().unwrap().at_ms));
    drop(ledger);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [FILE], "reading left nothing beside the file");
    assert!(std::fs::read(folder.path().join(FILE)).unwrap() == std::fs::read(&fixture).unwrap());
}
