use super::*;
use std::fs;
use std::path::PathBuf;

/// A ledger of layout 1, as a real run left it, closed.
fn old() -> TempDir {
    let folder = TempDir::new().unwrap();
    let fixture = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-v1.db");
    fs::copy(fixture, Ledger::file(folder.path())).unwrap();
    folder
}

fn layout_of(folder: &TempDir) -> i64 {
    raw(folder).query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

fn bodies(ledger: &Ledger) -> Vec<(u64, String, String, String)> {
    let mut found = Vec::new();
    ledger
        .each_body(&mut |seq, scope, kind, version, body| {
            found.push((seq, scope.to_owned(), format!("{kind} {version}"), body));
        })
        .unwrap();
    found
}

#[test]
fn a_ledger_of_layout_1_is_brought_up_when_it_is_first_written_and_a_copy_is_left() {
    let folder = old();
    let reader = read_only(&folder).unwrap();
    let (before, board) = (bodies(&reader), reader.board().unwrap());
    reader.verify().unwrap();
    drop(reader);
    assert_eq!((layout_of(&folder), files(&folder)), (1, vec![FILE.to_owned()]), "reading brings nothing up");

    let ledger = write(&folder);
    assert_eq!(ledger.verify().unwrap().seq, before.len() as u64);
    assert_eq!((bodies(&ledger), ledger.board().unwrap()), (before.clone(), board));
    for id in ledger.blob_ids().unwrap() {
        ledger.blob(&id).unwrap();
    }
    put(&ledger, SECOND, "new");
    drop(ledger);
    assert_eq!(layout_of(&folder), 2);
    read_only(&folder).unwrap().verify().unwrap();

    let copy = TempDir::new().unwrap();
    fs::rename(folder.path().join(BEFORE), Ledger::file(copy.path())).unwrap();
    assert_eq!(layout_of(&copy), 1);
    let copy = read_only(&copy).unwrap();
    copy.verify().unwrap();
    assert_eq!(bodies(&copy), before);
    // A second writer finds nothing to do and leaves no second copy.
    drop(write(&folder));
    assert_eq!(files(&folder), [FILE]);
}

#[test]
fn whoever_is_killed_while_a_ledger_is_brought_up_leaves_the_old_one_whole() {
    let folder = old();
    let path = Ledger::file(folder.path());
    let place = Place::new(&path);
    let connection = raw(&folder);
    let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate).unwrap();
    upgrade::change(&place, &transaction).unwrap();
    assert_eq!(transaction.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)), Ok(2));
    // What the kernel does for a process that is no more.
    drop(transaction);
    drop(connection);
    assert_eq!(layout_of(&folder), 1);
    let before = bodies(&read_only(&folder).unwrap());
    // Half a copy of an earlier attempt is in nobody's way.
    fs::write(folder.path().join(format!("{BEFORE}.part")), "half").unwrap();
    let ledger = write(&folder);
    ledger.verify().unwrap();
    assert_eq!(bodies(&ledger), before);
    assert!(!files(&folder).iter().any(|name| name.ends_with(".part")));
}

#[test]
fn a_damaged_ledger_of_layout_1_is_not_brought_up() {
    for sql in [
        "UPDATE events SET body = replace(body, 'a', 'b') WHERE seq = 3",
        "UPDATE events SET at_ms = 5 WHERE seq = 3",
        "DELETE FROM events WHERE seq = 3",
        "UPDATE blobs SET bytes = x'00' WHERE rowid = 1",
    ] {
        let folder = old();
        tamper(&folder, sql);
        let before = fs::read(Ledger::file(folder.path())).unwrap();
        let error = Ledger::open(folder.path(), Mode::Write).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{sql}: {error}");
        assert_eq!((layout_of(&folder), folder.path().join(BEFORE).exists()), (1, false), "{sql}");
        let after = read_only(&folder).unwrap();
        assert!(
            after.verify().is_err() && before.len() == fs::read(Ledger::file(folder.path())).unwrap().len()
        );
    }
}

#[test]
fn a_reader_that_was_open_before_a_ledger_is_brought_up_goes_on_reading() {
    let folder = old();
    let reader = read_only(&folder).unwrap();
    let before = reader.read(FIRST).unwrap();
    let ledger = write(&folder);
    put(&ledger, SECOND, "new");
    assert_eq!(reader.read(FIRST).unwrap(), before);
    drop(ledger);
    assert_eq!(reader.read(FIRST).unwrap(), before);
    assert_eq!(whys(&reader.read(SECOND).unwrap()), ["new"]);
}
