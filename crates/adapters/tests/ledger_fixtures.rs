//! Ledgers of every stored form still open, verify and fold, and what is written now has the same form. None of the
//! files is ever changed; a new version adds one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use redraft_adapters::sqlite::{FILE, Ledger, OpenMode};
use redraft_core::pipeline::{Pipeline, pending};
use redraft_core::review::Effect;
use redraft_engine::ports::{Append, Store};
use redraft_facts::event::{Entry, Event, Unreadable};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::{FeatureId, ReviewId};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::ticket::Scope;
use redraft_reports::projections::{self, BoardRow};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Reads a fixture in a folder of its own, and checks that this changes nothing.
fn read(name: &str, look: impl FnOnce(&Ledger)) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(fixture(name), folder.path().join(FILE)).unwrap();
    let ledger = Ledger::open(folder.path(), OpenMode::ReadOnly).unwrap();
    ledger.verify().unwrap();
    look(&ledger);
    drop(ledger);
    let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), [FILE], "reading left nothing beside the file");
    assert!(std::fs::read(folder.path().join(FILE)).unwrap() == std::fs::read(fixture(name)).unwrap());
}

/// The events of a scope, folded, with its row on the board as this program folds it.
fn folded(ledger: &Ledger, scope: &Scope) -> (Vec<Entry>, Pipeline) {
    let entries = ledger.read(scope.clone()).unwrap();
    let state = Pipeline::replay(&entries).unwrap();
    // A review by itself ends where a feature would close its phase.
    let owes = pending(&state);
    let is_over = match scope {
        Scope::Review(_) => matches!(owes.as_slice(), [Effect::ClosePhase { .. }]),
        _ => owes.is_empty(),
    };
    assert!(is_over, "{scope}: {owes:?}");
    let rows = ledger.board().unwrap();
    let (_, seq, row) = rows.iter().find(|(of, ..)| of == scope).unwrap();
    let last = entries.last().unwrap();
    assert_eq!(*seq, last.seq);
    // A row of an earlier version is not read: it is folded again.
    let now = BoardRow::new(&state, last.at_ms);
    let stored: serde_json::Value = serde_json::from_str(row).unwrap();
    let version = stored["v"].as_u64().unwrap();
    assert!(version < u64::from(now.v) || serde_json::from_str::<BoardRow>(row).unwrap() == now, "{row}");
    assert_eq!((&stored["id"], &stored["status"]), (&now.id.clone().into(), &now.status.clone().into()));
    for id in entries.iter().flat_map(|entry| entry.event.blobs()) {
        assert!(!ledger.blob(id).unwrap().is_empty());
    }
    (entries, state)
}

/// Layout 1 and version 1 of everything: a small feature from its idea to its merge, with code and a check, and a
/// document that was reviewed by itself.
#[test]
fn a_feature_that_was_merged_and_a_review_are_read_as_they_were_written() {
    read("ledger-1.db", |ledger| {
        let (entries, state) = folded(ledger, &Scope::Feature(FeatureId(1)));
        let created = state.created.as_ref().unwrap();
        assert_eq!((created.lane, created.until), (Lane::Express, Phase::Finish));
        assert_eq!(created.uuid.as_str().len(), 36);
        for phase in [Phase::Specify, Phase::Implement, Phase::Finish] {
            assert!(state.closed(phase).is_some(), "{phase:?}");
        }
        assert!(entries.iter().any(|entry| matches!(entry.event, Event::Merged(_))));
        let checkouts = entries.iter().filter_map(|entry| match &entry.event {
            Event::Checked(fact) => fact.checkout.as_ref(),
            _ => None,
        });
        assert!(checkouts.clone().count() > 0 && checkouts.into_iter().all(|checkout| checkout.empty));
        assert!(projections::history(&entries).contains("\n- Agent: rehearsal, no model\n"));
        let (_, review) = folded(ledger, &Scope::Review(ReviewId(1)));
        let reviewed = review.created.as_ref().unwrap();
        assert_eq!(reviewed.document.as_deref(), Some("notes.md"));
        assert_ne!(reviewed.uuid, created.uuid);
    });
}

/// The same with `redacted`: a feature from which a password was taken out.
#[test]
fn a_ledger_from_which_a_secret_was_taken_out_is_read_as_it_was_written() {
    read("ledger-1-redacted.db", |ledger| {
        let amended = ledger.amended().unwrap();
        let said = ledger.read(Scope::Repo).unwrap();
        let Some(Event::Redacted(redacted)) = said.last().map(|entry| &entry.event) else {
            panic!("{said:?}")
        };
        assert_eq!((redacted.why.as_str(), redacted.events.len()), ("it was a password", amended.len()));
        assert!(!amended.is_empty() && amended.iter().all(|(_, by)| *by == said.last().unwrap().seq));
        let (_, state) = folded(ledger, &Scope::Feature(FeatureId(1)));
        assert!(state.created.unwrap().idea.contains("the store that [redacted] opens"));
    });
    let bytes = std::fs::read(fixture("ledger-1-redacted.db")).unwrap();
    assert!(!bytes.windows(9).any(|window| window == b"swordfish"));
}

/// The same with reviews that rejected: a document through its phase.
#[test]
fn a_feature_that_was_specified_is_read_as_it_was_written() {
    read("ledger-1-specify.db", |ledger| {
        let (entries, state) = folded(ledger, &Scope::Feature(FeatureId(1)));
        assert_eq!(state.closed(Phase::Specify).unwrap().approvals.len(), 2);
        let rejected = |entry: &&Entry| matches!(&entry.event, Event::Judged(fact) if !fact.verdict.approved);
        assert!(entries.iter().filter(rejected).count() > 0);
        assert_eq!(ledger.tip().unwrap().seq, entries.last().unwrap().seq);
    });
}

const ALL: [&str; 3] = ["ledger-1.db", "ledger-1-redacted.db", "ledger-1-specify.db"];

#[test]
fn every_stored_event_is_written_again_byte_for_byte() {
    for name in ALL {
        read(name, |ledger| {
            let amended = ledger.amended().unwrap();
            let (mut events, mut prompts) = (0, Vec::new());
            let mut each = |seq: u64, _: &str, kind: &str, version: u16, body: String| {
                let event = Event::decode(kind, version, &body).unwrap();
                let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                let again = event.encode();
                // Where a secret was taken out, fields may stand in another order.
                let is_amended = amended.iter().any(|(of, _)| *of == seq);
                let is_same = again == body || (is_amended && value(&again) == value(&body));
                assert!(
                    is_same && event.version() == version,
                    "{name}: event {seq}: {again} instead of {body}"
                );
                events += 1;
                if let Event::Started(started) = event {
                    prompts.push(started.prompt);
                }
            };
            ledger.each_body(&mut each).unwrap();
            assert!(events > 10 && !prompts.is_empty(), "{name}: {events} events");
            for id in prompts {
                let bytes = ledger.blob(&id).unwrap();
                let prompt: Prompt = serde_json::from_slice(&bytes).unwrap();
                assert!(serde_json::to_vec(&prompt).unwrap() == bytes, "{name}: prompt {id}");
            }
        });
    }
}

#[test]
fn a_ledger_comes_back_from_its_lines_byte_for_byte() {
    for name in ALL {
        let [from, to] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::fs::copy(fixture(name), from.path().join(FILE)).unwrap();
        let lines = exported(from.path());
        Ledger::import(to.path(), &mut lines.as_slice(), 0).unwrap();
        assert!(exported(to.path()) == lines, "{name}");
    }
}

fn exported(folder: &Path) -> Vec<u8> {
    let mut lines = Vec::new();
    assert_eq!(Ledger::export(folder, &mut lines).unwrap().lost, []);
    lines
}

/// The application id, the layout, and every table, index and trigger.
fn layout(file: &Path) -> Vec<String> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    let mut found = vec![format!("{:x} {}", number("application_id"), number("user_version"))];
    let mut objects =
        connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").unwrap();
    let objects = objects.query_map([], |row| row.get(0)).unwrap();
    found.extend(objects.map(Result::unwrap));
    found
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
fn a_new_ledger_has_the_layout_of_those_that_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(folder.path(), OpenMode::Write).unwrap();
    let (scope, event) =
        (Scope::Repo, Unreadable { kind: String::new(), detail: "d".to_owned(), blob: None }.into());
    let append = Append {
        scope,
        decided_on: 0,
        at_ms: 0,
        events: std::slice::from_ref(&event),
        blobs: &[],
        board: None,
        elsewhere: None,
    };
    // An earlier check leaves a checkpoint.
    ledger.check().unwrap();
    ledger.append(append).unwrap();
    drop(ledger);
    let new = layout(&folder.path().join(FILE));
    assert_eq!(new[0], "52444654 1");
    for name in ALL {
        // A copy, because opening it leaves files next to it.
        let copy = folder.path().join(name);
        std::fs::copy(fixture(name), &copy).unwrap();
        assert_eq!(layout(&copy), new, "{name}");
    }
}
