use super::super::chain::{Chain, Link, body_hash};
use super::*;
use redraft_facts::event::RetroWritten;
use redraft_facts::text::hash;
use std::fs;

/// A closed ledger with three events and their blobs.
fn three() -> TempDir {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    for why in ["one", "two", "three"] {
        put(&ledger, FIRST, why);
    }
    drop(ledger);
    folder
}

fn verdict_after(sql: &str) -> String {
    let folder = three();
    tamper(&folder, sql);
    let error = read_only(&folder).unwrap().verify().unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    error.to_string()
}

#[test]
fn the_first_event_that_was_changed_is_named() {
    for change in [
        "body = replace(body, 'two', 'too')",
        "at_ms = at_ms + 1",
        "scope = '002'",
        "kind = 'trusted'",
        "kind_version = 2",
        "chain = zeroblob(32)",
    ] {
        let error = verdict_after(&format!("UPDATE events SET {change} WHERE seq >= 2"));
        assert!(error.contains("event 2 does not match its checksum"), "{change}: {error}");
    }
}

#[test]
fn an_event_that_was_removed_is_missed_wherever_it_stood() {
    for seq in 1..=3 {
        let error = verdict_after(&format!("DELETE FROM events WHERE seq = {seq}"));
        assert!(error.contains(&format!("event {seq} is missing")), "{error}");
    }
}

#[test]
fn an_event_whose_neighbours_closed_the_gap_does_not_fit_the_chain() {
    let error = verdict_after("DELETE FROM events WHERE seq = 2; UPDATE events SET seq = 2 WHERE seq = 3");
    assert!(error.contains("event 2 does not match its checksum"), "{error}");
}

#[test]
fn a_blob_with_other_bytes_than_its_name_is_neither_verified_nor_handed_out() {
    let swap = "UPDATE blobs SET bytes = CAST('other' AS BLOB) WHERE bytes = CAST('two' AS BLOB)";
    let id = hash(b"two");
    assert!(verdict_after(swap).contains(id.as_str()));
    let folder = three();
    tamper(&folder, swap);
    let error = read_only(&folder).unwrap().blob(&id).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    let error = read_only(&folder).unwrap().blob(&hash(b"never stored")).unwrap_err();
    assert!(error.to_string().contains("it has no blob"), "{error}");
}

#[test]
fn a_body_that_does_not_have_the_form_of_its_version_is_damage() {
    let folder = three();
    tamper(&folder, "UPDATE events SET body = '{\"by\":1}' WHERE seq = 2");
    let error = read_only(&folder).unwrap().read(FIRST).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("event 2"), "{error}");
}

#[test]
fn a_truncated_file_is_damage_in_both_modes_and_is_left_as_it_is() {
    let whole = fs::metadata(Ledger::file(three().path())).unwrap().len();
    for len in [1, 50, 4096, whole - 4096, whole - 1] {
        let folder = three();
        let path = Ledger::file(folder.path());
        fs::File::options().write(true).open(&path).unwrap().set_len(len).unwrap();
        let bytes = fs::read(&path).unwrap();
        for mode in [OpenMode::ReadOnly, OpenMode::Write] {
            let outcome = Ledger::open(folder.path(), mode).and_then(|ledger| ledger.verify());
            let error = outcome.unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{len} bytes, {mode:?}: {error}");
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "{len} bytes");
    }
}

#[test]
fn a_file_of_something_else_is_damage_and_is_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = Ledger::file(folder.path());
    let garbage = "not a ledger\n".repeat(1000);
    fs::write(&path, &garbage).unwrap();
    for mode in [OpenMode::ReadOnly, OpenMode::Write] {
        let error = Ledger::open(folder.path(), mode).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{mode:?}: {error}");
        assert!(error.to_string().contains("ledger.db"), "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), garbage);
}

#[test]
fn the_database_of_another_program_is_not_taken_over() {
    let folder = TempDir::new().unwrap();
    raw(&folder).execute_batch("CREATE TABLE guests (name TEXT)").unwrap();
    for mode in [OpenMode::ReadOnly, OpenMode::Write] {
        let error = Ledger::open(folder.path(), mode).unwrap_err();
        assert!(error.to_string().contains("not a ledger of this redraft"), "{mode:?}: {error}");
    }
}

#[test]
fn an_empty_file_is_what_an_interrupted_creation_leaves_and_is_filled_by_the_next() {
    let folder = TempDir::new().unwrap();
    fs::write(Ledger::file(folder.path()), "").unwrap();
    let error = read_only(&folder).unwrap_err();
    assert!(error.to_string().contains("nothing was ever stored in it"), "{error}");
    put(&write(&folder), FIRST, "one");
    assert_eq!(read_only(&folder).unwrap().verify().unwrap().seq, 1);
}

#[test]
fn a_file_without_tables_is_read_as_none_and_filled_by_the_next_change() {
    let folder = TempDir::new().unwrap();
    raw(&folder).execute_batch("PRAGMA user_version = 1; PRAGMA user_version = 0").unwrap();
    assert!(fs::metadata(Ledger::file(folder.path())).unwrap().len() > 0, "it has a header");
    assert!(Ledger::open_begun(folder.path()).unwrap().is_none());
    put(&write(&folder), FIRST, "one");
    assert_eq!(Ledger::open_begun(folder.path()).unwrap().unwrap().verify().unwrap().seq, 1);
}

#[test]
fn an_empty_file_beside_a_full_log_is_damage_because_sqlite_would_throw_the_log_away() {
    let folder = TempDir::new().unwrap();
    fs::write(Ledger::file(folder.path()), "").unwrap();
    let log = folder.path().join(format!("{FILE}-wal"));
    fs::write(&log, "all that is left").unwrap();
    for mode in [OpenMode::ReadOnly, OpenMode::Write] {
        let error = Ledger::open(folder.path(), mode).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{mode:?}: {error}");
    }
    assert_eq!(fs::read_to_string(&log).unwrap(), "all that is left");
}

#[test]
fn verify_finds_an_event_with_the_right_checksum_that_does_not_have_the_form_of_its_kind() {
    for (kind, body) in [
        ("cancelled", "{\"by\":1}"),
        ("cancelled", "{}"),
        ("cancelled", "no JSON"),
        ("cancelled", "{\"by\":\"a\",\"why\":\"b\",\"more\":1}"),
        ("merged", "{\"by\":\"a\",\"why\":\"b\"}"),
    ] {
        let folder = three();
        let tip = read_only(&folder).unwrap().tip().unwrap();
        let salt = [1; 16];
        let hash = body_hash(&salt, body);
        let link = Link { writer: "w", at_ms: 0, scope: "001", kind, version: 1, body_hash: &hash };
        let chain = Chain::after(tip).extend(&link).chain;
        let sql = "INSERT INTO events VALUES (4, 'w', '001', 0, ?1, 1, ?2, ?3, ?4, ?5, NULL)";
        raw(&folder).execute(sql, rusqlite::params![kind, salt, body, hash, chain]).unwrap();
        let ledger = read_only(&folder).unwrap();
        for error in [ledger.verify().unwrap_err(), ledger.read(FIRST).unwrap_err()] {
            assert!(matches!(error, StoreError::Damaged { .. }), "{body}: {error}");
            assert!(error.to_string().contains("event 4: a stored"), "{body}: {error}");
        }
    }
}

#[test]
fn verify_misses_a_blob_that_an_event_names() {
    let folder = three();
    let judge = Some(hash(b"never stored"));
    let (ticket, plain) = (None, None);
    let (added, relevant, notes) = (Vec::new(), Vec::new(), Vec::new());
    let fact = RetroWritten { ticket, commit: String::new(), plain, added, relevant, judge, notes };
    write(&folder).append(events(FIRST, 3, &[fact.into()])).unwrap();
    let error = read_only(&folder).unwrap().verify().unwrap_err().to_string();
    assert!(error.contains("event 4 names blob") && error.contains("which is missing"), "{error}");
}
