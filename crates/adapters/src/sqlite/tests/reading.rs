use super::*;
use std::fs;
use std::time::SystemTime;

/// A ledger with one event, closed, so that nothing is left in a log.
fn closed(folder: &TempDir) {
    put(&write(folder), FIRST, "one");
    assert_eq!(files(folder), [FILE]);
}

fn untouched(folder: &TempDir) -> (Vec<String>, SystemTime, Vec<u8>) {
    let file = Ledger::file(folder.path());
    (files(folder), fs::metadata(&file).unwrap().modified().unwrap(), fs::read(&file).unwrap())
}

#[test]
fn reading_changes_neither_the_file_nor_its_folder() {
    let folder = TempDir::new().unwrap();
    closed(&folder);
    let before = untouched(&folder);
    let ledger = read_only(&folder).unwrap();
    assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["one"]);
    assert_eq!(ledger.verify().unwrap().seq, 1);
    assert_eq!(untouched(&folder), before);
    drop(ledger);
    assert_eq!(untouched(&folder), before);
}

#[cfg(unix)]
#[test]
fn a_ledger_in_a_folder_that_cannot_be_written_is_readable_and_only_that() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    closed(&folder);
    let protect = |folder_mode, file_mode| {
        fs::set_permissions(Ledger::file(folder.path()), fs::Permissions::from_mode(file_mode)).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(folder_mode)).unwrap();
    };
    protect(0o555, 0o444);
    let ledger = read_only(&folder).unwrap();
    assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["one"]);
    // Root may write whatever the permissions say.
    if fs::write(folder.path().join("probe"), "").is_err() {
        let error = Ledger::open(folder.path(), OpenMode::Write).unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    }
    protect(0o755, 0o644);
}

#[test]
fn a_ledger_opened_for_reading_refuses_to_append() {
    let folder = TempDir::new().unwrap();
    closed(&folder);
    let ledger = read_only(&folder).unwrap();
    let error = ledger.append(events(FIRST, 1, &[event("two")])).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_reader_sees_what_is_only_in_the_log_of_a_writer() {
    let folder = TempDir::new().unwrap();
    let writer = write(&folder);
    put(&writer, FIRST, "one");
    let reader = read_only(&folder).unwrap();
    put(&writer, FIRST, "two");
    assert_eq!(whys(&reader.read(FIRST).unwrap()), ["one", "two"]);
}

#[test]
fn a_reader_that_was_open_before_the_writer_sees_what_it_writes() {
    let folder = TempDir::new().unwrap();
    closed(&folder);
    let reader = read_only(&folder).unwrap();
    assert_eq!(reader.last_seq(FIRST).unwrap(), 1);
    let writer = write(&folder);
    put(&writer, FIRST, "two");
    assert_eq!(reader.last_seq(FIRST).unwrap(), 2);
    put(&writer, FIRST, "three");
    drop(writer);
    assert_eq!(whys(&reader.read(FIRST).unwrap()), ["one", "two", "three"]);
}

#[test]
fn a_reader_notices_a_writer_that_has_come_and_gone() {
    let folder = TempDir::new().unwrap();
    closed(&folder);
    // An old file, as a reader normally finds it: times of the file system are too coarse for this test's pace.
    let file = fs::File::options().append(true).open(Ledger::file(folder.path())).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    drop(file);
    let reader = read_only(&folder).unwrap();
    assert_eq!(reader.last_seq(FIRST).unwrap(), 1);
    put(&write(&folder), FIRST, "two");
    assert_eq!(files(&folder), [FILE]);
    assert_eq!(whys(&reader.read(FIRST).unwrap()), ["one", "two"]);
    assert_eq!(files(&folder), [FILE]);
}

#[test]
fn what_a_killed_writer_left_in_its_log_is_read_without_touching_it_and_written_on() {
    let folder = TempDir::new().unwrap();
    let writer = write(&folder);
    put(&writer, FIRST, "one");
    // The files as they are without the writer ever closing them.
    let killed = TempDir::new().unwrap();
    for name in files(&folder) {
        fs::copy(folder.path().join(&name), killed.path().join(&name)).unwrap();
    }
    let log = killed.path().join(format!("{FILE}-wal"));
    let before = (untouched(&killed), fs::read(&log).unwrap());
    assert_eq!(whys(&read_only(&killed).unwrap().read(FIRST).unwrap()), ["one"]);
    assert_eq!((untouched(&killed), fs::read(&log).unwrap()), before);
    put(&write(&killed), FIRST, "two");
    assert_eq!(whys(&read_only(&killed).unwrap().read(FIRST).unwrap()), ["one", "two"]);
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_read_is_an_error_and_not_an_older_state() {
    let folder = TempDir::new().unwrap();
    let writer = write(&folder);
    put(&writer, FIRST, "one");
    let copy = TempDir::new().unwrap();
    for ending in ["", "-wal"] {
        let name = format!("{FILE}{ending}");
        fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    // SQLite follows no link in the place of the log's index, so this stops it as a protected folder would.
    std::os::unix::fs::symlink("nowhere", copy.path().join(format!("{FILE}-shm"))).unwrap();
    let error = read_only(&copy).unwrap_err();
    assert!(
        error.to_string().contains("ledger.db-wal, which can only be read in a writable folder"),
        "{error}"
    );
}

#[test]
fn names_with_signs_that_mean_something_in_a_uri_are_only_names() {
    let outer = TempDir::new().unwrap();
    let folder = outer.path().join("50% of it? #1 & 'more' ä");
    put(&Ledger::open(&folder, OpenMode::Write).unwrap(), FIRST, "one");
    assert_eq!(Ledger::open(&folder, OpenMode::ReadOnly).unwrap().last_seq(FIRST).unwrap(), 1);
}

#[test]
fn a_missing_ledger_is_not_created_by_reading() {
    let folder = TempDir::new().unwrap();
    let error = read_only(&folder).unwrap_err();
    assert!(error.to_string().contains("ledger.db"), "{error}");
    assert_eq!(files(&folder), [""; 0]);
}

#[test]
fn a_newer_layout_is_read_and_never_written() {
    let folder = TempDir::new().unwrap();
    closed(&folder);
    raw(&folder)
        .execute_batch("PRAGMA user_version = 2; UPDATE meta SET value = '7.8.9' WHERE key = 'program'")
        .unwrap();
    let before = untouched(&folder);
    for mode in [OpenMode::Write, OpenMode::ReadOnly] {
        let ledger = Ledger::open(folder.path(), mode).unwrap();
        assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["one"]);
        for error in [
            ledger.append(events(FIRST, 1, &[event("two")])).unwrap_err(),
            ledger.replace_board(&[]).unwrap_err(),
        ] {
            assert!(matches!(error, StoreError::Newer { .. }), "{error}");
            assert!(error.to_string().contains("use redraft 7.8.9 or later"), "{error}");
        }
    }
    assert_eq!(untouched(&folder), before);
}

#[test]
fn tables_we_do_not_find_in_a_newer_layout_are_not_called_damage() {
    let folder = TempDir::new().unwrap();
    closed(&folder);
    raw(&folder).execute_batch("PRAGMA user_version = 2; ALTER TABLE events RENAME TO facts").unwrap();
    let error = read_only(&folder).unwrap().read(FIRST).unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
}

#[test]
fn an_event_of_a_newer_program_is_named_and_other_scopes_stay_readable() {
    for (kind, version, expected) in [
        ("dreamt", 1, "event 2: event kind `dreamt` is not known to this redraft"),
        ("cancelled", 9, "event 2: event kind `cancelled` version 9 was written by a newer redraft"),
    ] {
        let folder = TempDir::new().unwrap();
        closed(&folder);
        let values = format!(
            "2, 'w', '002', 0, '{kind}', {version}, zeroblob(16), '{{}}', zeroblob(32), zeroblob(32), NULL"
        );
        let sql = format!("INSERT INTO events VALUES ({values})");
        raw(&folder).execute_batch(&sql).unwrap();
        let ledger = write(&folder);
        let error = ledger.read(SECOND).unwrap_err();
        assert!(matches!(error, StoreError::Newer { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["one"]);
        let mut seen = Vec::new();
        ledger.each_of(&["cancelled", "dreamt"], &mut |scope, _| seen.push(scope.clone())).unwrap();
        assert_eq!(seen, [FIRST], "it is passed over where all scopes are read");
    }
}

#[test]
fn events_of_some_kinds_are_read_in_order_across_scopes_and_pages() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    for number in 0..150 {
        put(&ledger, if number % 3 == 0 { SECOND } else { FIRST }, &number.to_string());
    }
    let mut seen = Vec::new();
    let mut take = |scope: &Scope, entry: &Entry| match &entry.event {
        Event::Cancelled(fact) => seen.push((scope.clone(), fact.why.clone())),
        other => panic!("{other:?}"),
    };
    ledger.each_of(&["cancelled", "asked"], &mut take).unwrap();
    let expected = (0..150).map(|n| (if n % 3 == 0 { SECOND } else { FIRST }, n.to_string()));
    assert_eq!(seen, expected.collect::<Vec<_>>());
    ledger.each_of(&["asked"], &mut |_, entry| panic!("{entry:?}")).unwrap();
}

#[test]
fn readers_beside_writers_that_come_and_go_see_whole_states_in_order() {
    const WRITTEN: u64 = 200;
    let folder = TempDir::new().unwrap();
    closed(&folder);
    std::thread::scope(|threads| {
        let writers = threads.spawn(|| {
            for _ in 1..WRITTEN {
                put(&write(&folder), FIRST, "more");
            }
        });
        let mut seen = 0;
        while !writers.is_finished() {
            let seq = read_only(&folder).unwrap().verify().unwrap().seq;
            assert!(seq >= seen, "{seq} after {seen}");
            seen = seq;
        }
    });
    assert_eq!(read_only(&folder).unwrap().verify().unwrap().seq, WRITTEN);
}
