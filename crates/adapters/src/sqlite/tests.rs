//! The ledger on real files. `writing` is about appends, `reading` about opening for reading, `damage` about files that
//! are not what was stored, `checkpoints` about how much of a file is looked at, `redactions` about what is taken out
//! again, `dumps` about export and import, `gone` about files that are removed, replaced or no files at all, `vouching` about entries that somebody else wrote.

#![expect(clippy::disallowed_methods, reason = "these are the tests of storing itself")]

mod checkpoints;
mod damage;
mod dumps;
mod gone;
mod reading;
mod redactions;
mod vouching;
mod writing;

use super::*;
use redraft_engine::ports::{Append, Store as _};
use redraft_facts::event::{Cancelled, Event};
use redraft_facts::ids::FeatureId;
use tempfile::TempDir;

const FIRST: Scope = Scope::Feature(FeatureId(1));
const SECOND: Scope = Scope::Feature(FeatureId(2));

fn event(why: &str) -> Event {
    Cancelled { by: "ada".to_owned(), why: why.to_owned() }.into()
}

fn write(folder: &TempDir) -> Ledger {
    Ledger::open(folder.path(), OpenMode::Write).unwrap()
}

fn read_only(folder: &TempDir) -> Result<Ledger, StoreError> {
    Ledger::open(folder.path(), OpenMode::ReadOnly)
}

/// One event, decided on whatever the scope's last one is.
fn put(ledger: &Ledger, scope: Scope, why: &str) -> Vec<Entry> {
    let decided_on = ledger.last_seq(scope.clone()).unwrap();
    let board = format!("{{\"why\":\"{why}\"}}");
    let events = [event(why)];
    let blobs = [why.as_bytes().to_vec()];
    let append = Append {
        scope,
        decided_on,
        at_ms: 1000,
        events: &events,
        blobs: &blobs,
        board: Some(&board),
        elsewhere: None,
    };
    ledger.append(append).unwrap()
}

/// An append that brings only events.
fn events(scope: Scope, decided_on: u64, events: &[Event]) -> Append<'_> {
    Append { scope, decided_on, at_ms: 1000, events, blobs: &[], board: None, elsewhere: None }
}

/// Another program's connection to the same file.
fn raw(folder: &TempDir) -> Connection {
    Connection::open(Ledger::file(folder.path())).unwrap()
}

/// Changes what must never change: removes the triggers, then runs the statement.
fn tamper(folder: &TempDir, sql: &str) {
    let raw = raw(folder);
    let find = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
    let triggers: Vec<String> =
        raw.prepare(find).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for trigger in triggers {
        raw.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
    }
    raw.execute_batch(sql).unwrap();
}

fn whys(entries: &[Entry]) -> Vec<&str> {
    entries
        .iter()
        .map(|entry| match &entry.event {
            Event::Cancelled(cancelled) => cancelled.why.as_str(),
            other => panic!("not stored by these tests: {other:?}"),
        })
        .collect()
}

fn files(folder: &TempDir) -> Vec<String> {
    let list = std::fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = list.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
