use super::*;
use redraft_facts::text::hash;
use std::sync::Barrier;

#[test]
fn events_come_back_in_order_with_their_blobs_and_board_also_after_reopening() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    let stored = put(&ledger, FIRST, "one");
    assert_eq!(stored, [Entry { seq: 1, at_ms: 1000, event: event("one") }]);
    put(&ledger, SECOND, "two");
    let batch = [event("three"), event("four")];
    let stored = ledger.append(events(FIRST, 1, &batch)).unwrap();
    assert_eq!(stored.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [3, 4]);
    let tip = ledger.tip().unwrap();
    drop(ledger);
    for mode in [OpenMode::Write, OpenMode::ReadOnly] {
        let ledger = Ledger::open(folder.path(), mode).unwrap();
        let first = ledger.read(FIRST).unwrap();
        assert_eq!(whys(&first), ["one", "three", "four"]);
        assert_eq!(first.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!(whys(&ledger.read(SECOND).unwrap()), ["two"]);
        assert_eq!(ledger.read(Scope::Repo).unwrap(), []);
        assert_eq!(ledger.scopes().unwrap(), [FIRST, SECOND]);
        assert_eq!(ledger.last_seq(FIRST).unwrap(), 4);
        assert_eq!(ledger.last_seq(Scope::Repo).unwrap(), 0);
        assert_eq!(ledger.blob(&hash(b"two")).unwrap(), b"two");
        let row = |why| format!("{{\"why\":\"{why}\"}}");
        assert_eq!(ledger.board().unwrap(), [(FIRST, 1, row("one")), (SECOND, 2, row("two"))]);
        assert_eq!(ledger.tip().unwrap(), tip);
        assert_eq!(ledger.verify().unwrap(), tip);
        let mut seen = Vec::new();
        ledger.all(&mut |scope, entry| seen.push((scope, entry.seq))).unwrap();
        assert_eq!(seen, [(FIRST, 1), (SECOND, 2), (FIRST, 3), (FIRST, 4)]);
    }
}

#[test]
fn an_append_decided_on_an_older_event_stores_nothing() {
    let folder = TempDir::new().unwrap();
    let (ours, theirs) = (write(&folder), write(&folder));
    put(&ours, FIRST, "one");
    put(&theirs, FIRST, "two");
    let late = [event("late")];
    let append = Append {
        scope: FIRST,
        decided_on: 1,
        at_ms: 1000,
        events: &late,
        blobs: &[b"late".to_vec()],
        board: Some("late"),
        elsewhere: None,
    };
    let error = ours.append(append).unwrap_err();
    assert!(matches!(error, StoreError::Moved { scope: FIRST, decided_on: 1, found: 2 }), "{error}");
    assert_eq!(whys(&ours.read(FIRST).unwrap()), ["one", "two"]);
    assert!(ours.blob(&hash(b"late")).is_err());
    assert_eq!(ours.board().unwrap().first().unwrap().1, 2);
    assert_eq!(ours.append(events(SECOND, 0, &late)).unwrap().len(), 1);
    assert_eq!(ours.append(events(FIRST, 2, &late)).unwrap().len(), 1);
}

#[test]
fn events_and_blobs_can_be_neither_changed_nor_removed_nor_replaced() {
    let folder = TempDir::new().unwrap();
    put(&write(&folder), FIRST, "one");
    let raw = raw(&folder);
    for sql in [
        "UPDATE events SET body = '{}'",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events VALUES (1, 'w', '001', 0, 'cancelled', 1, x'00', '{}', x'00', x'00', NULL)",
        "INSERT INTO events VALUES (5, 'w', '001', 0, 'cancelled', 1, x'00', '{}', x'00', x'00', NULL)",
        "UPDATE events SET writer = 'another'",
        "UPDATE events SET signature = x'00'",
        "UPDATE events SET body = '{}', salt = NULL",
        "INSERT INTO redactions VALUES (1, 1, x'00', x'00')",
        "UPDATE blobs SET bytes = x'00'",
        "DELETE FROM blobs",
    ] {
        let error = raw.execute_batch(sql).unwrap_err().to_string();
        assert!(
            error.contains("events are")
                || error.contains("blobs are never")
                || error.contains("is redacted is named"),
            "{sql}: {error}"
        );
    }
    raw.execute_batch("INSERT OR REPLACE INTO blobs SELECT id, x'00' FROM blobs").unwrap();
    write(&folder).verify().unwrap();
}

#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, "one");
    let before = ledger.tip().unwrap();
    let limit = |pages: i64| {
        let sql = format!("PRAGMA max_page_count = {pages}");
        ledger.link().connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    limit(1);
    let large = [vec![7; 1_000_000]];
    let two = [event("two")];
    let append = || Append { blobs: &large, board: Some("two"), ..events(FIRST, 1, &two) };
    let error = ledger.append(append()).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(error.to_string().contains("ledger.db"), "{error}");
    assert_eq!(ledger.tip().unwrap(), before);
    assert_ne!(ledger.board().unwrap().first().unwrap().2, "two");
    limit(1_000_000);
    ledger.append(append()).unwrap();
    assert_eq!(ledger.verify().unwrap().seq, 2);
}

#[test]
fn while_another_process_writes_an_append_is_busy_and_a_reader_is_not() {
    let folder = TempDir::new().unwrap();
    put(&write(&folder), FIRST, "one");
    let impatient = Ledger::open_waiting(folder.path(), OpenMode::Write, Duration::ZERO).unwrap();
    let other = raw(&folder);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = impatient.append(events(FIRST, 1, &[event("two")])).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert_eq!(whys(&read_only(&folder).unwrap().read(FIRST).unwrap()), ["one"]);
    other.execute_batch("COMMIT").unwrap();
    impatient.append(events(FIRST, 1, &[event("two")])).unwrap();
}

#[test]
fn many_processes_can_create_and_fill_one_ledger_at_once() {
    const WRITERS: u32 = 8;
    let folder = TempDir::new().unwrap();
    let start = Barrier::new(WRITERS as usize);
    std::thread::scope(|threads| {
        for number in 0..WRITERS {
            let (folder, start) = (&folder, &start);
            threads.spawn(move || {
                start.wait();
                let ledger = write(folder);
                for _ in 0..5 {
                    put(&ledger, Scope::Feature(FeatureId(number)), "mine");
                }
            });
        }
    });
    let ledger = write(&folder);
    assert_eq!(ledger.verify().unwrap().seq, u64::from(WRITERS) * 5);
    assert_eq!(ledger.scopes().unwrap().len(), WRITERS as usize);
}

#[test]
fn a_session_has_the_same_name_for_the_same_words_in_one_ledger_only() {
    let (here, there) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let name = write(&here).session_name("001/specify.1/review/spec-reviewer/1.1");
    assert_eq!(Uuid::parse_str(&name).unwrap().get_version_num(), 5);
    assert_eq!(read_only(&here).unwrap().session_name("001/specify.1/review/spec-reviewer/1.1"), name);
    assert_ne!(write(&here).session_name("001/specify.1/review/spec-reviewer/1.2"), name);
    assert_ne!(write(&there).session_name("001/specify.1/review/spec-reviewer/1.1"), name);
}

#[test]
fn the_board_is_read_without_looking_at_ten_thousand_events() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    let batch: Vec<Event> = (0..1000).map(|number| event(&number.to_string())).collect();
    for round in 0..10 {
        ledger.append(Append { board: Some("row"), ..events(FIRST, round * 1000, &batch) }).unwrap();
    }
    assert_eq!(ledger.verify().unwrap().seq, 10_000);
    let mut count = 0;
    ledger.all(&mut |_, _| count += 1).unwrap();
    assert_eq!(count, 10_000);
    let plan: Vec<String> = {
        let link = ledger.link();
        let mut explain = link.connection.prepare(&format!("EXPLAIN QUERY PLAN {}", rows::BOARD)).unwrap();
        explain.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect()
    };
    assert!(plan.iter().all(|step| step.contains("board") && !step.contains("events")), "{plan:?}");
    drop(ledger);
    // Nothing but the board is left to be read.
    tamper(&folder, "DROP TABLE events; DROP TABLE blobs");
    assert_eq!(read_only(&folder).unwrap().board().unwrap(), [(FIRST, 10_000, "row".to_owned())]);
}

#[test]
fn scopes_and_the_last_number_of_a_scope_are_found_by_the_index() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, "one");
    let link = ledger.link();
    let sql = "EXPLAIN QUERY PLAN SELECT coalesce(max(seq), 0) FROM events WHERE scope = '001'";
    let plan: String = link.connection.query_row(sql, [], |row| row.get(3)).unwrap();
    assert!(plan.contains("SEARCH events USING COVERING INDEX events_by_scope"), "{plan}");
}

#[test]
fn a_missing_board_is_no_error_and_comes_back_when_the_caller_has_folded_it_again() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, "one");
    put(&ledger, SECOND, "two");
    raw(&folder).execute_batch("DROP TABLE board").unwrap();
    assert!(!read_only(&folder).unwrap().has_board().unwrap());
    assert_eq!(read_only(&folder).unwrap().board().unwrap(), []);
    put(&ledger, FIRST, "three");
    assert!(!ledger.has_board().unwrap(), "one row would pass for a whole board");
    ledger.verify().unwrap();
    let rows = [(FIRST, 3, "a".to_owned()), (SECOND, 2, "b".to_owned())];
    ledger.replace_board(&rows).unwrap();
    assert_eq!(ledger.board().unwrap(), rows);
    let stale = [(FIRST, 1, "old".to_owned())];
    let error = ledger.replace_board(&stale).unwrap_err();
    assert!(matches!(error, StoreError::Moved { found: 3, .. }), "{error}");
    assert_eq!(ledger.board().unwrap(), rows);
}

#[test]
fn a_feature_that_began_while_the_board_was_folded_keeps_its_row() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, "one");
    let folded = [(FIRST, 1, "a".to_owned())];
    // It comes from another process after the rows were folded.
    put(&write(&folder), SECOND, "two");
    let own = ledger.board().unwrap().into_iter().find(|(scope, ..)| *scope == SECOND).unwrap();
    ledger.replace_board(&folded).unwrap();
    assert_eq!(ledger.board().unwrap(), [folded[0].clone(), own]);

    // Without an old board there is nothing to keep its row from, so nothing is written.
    raw(&folder).execute_batch("DROP TABLE board").unwrap();
    let error = ledger.replace_board(&folded).unwrap_err();
    assert!(matches!(error, StoreError::Moved { scope: SECOND, found: 2, .. }), "{error}");
    assert!(!ledger.has_board().unwrap());
}

#[test]
fn what_every_append_asks_is_prepared_once() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    for why in ["one", "two", "three"] {
        put(&ledger, FIRST, why);
    }
    let link = ledger.link();
    let statement = link.connection.prepare_cached(rows::LAST_SEQ).unwrap();
    assert_eq!(statement.get_status(rusqlite::StatementStatus::RePrepare), 0);
}
