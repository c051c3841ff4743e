use super::*;

#[test]
fn a_small_ledger_is_looked_at_whole_by_every_command() {
    let folder = TempDir::new().unwrap();
    for why in ["one", "two", "three"] {
        let ledger = write(&folder);
        ledger.check().unwrap();
        put(&ledger, FIRST, why);
    }
    assert_eq!(write(&folder).check().unwrap().events, 3);
    tamper(&folder, "UPDATE events SET at_ms = 5 WHERE seq = 1");
    assert!(write(&folder).check().unwrap_err().to_string().contains("event 1 does not match"));
}

/// A ledger of many events in two scopes, and the checkpoint that a second writer stored at their end.
fn long() -> TempDir {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    let batch: Vec<Event> = (0..500).map(|number| event(&number.to_string())).collect();
    for round in 0..20 {
        let blobs = [format!("blob {round}").into_bytes()];
        ledger.append(Append { blobs: &blobs, ..events(FIRST, round * 500, &batch) }).unwrap();
    }
    drop(ledger);
    let ledger = write(&folder);
    assert_eq!(ledger.check().unwrap().events, 10_000, "nobody had looked yet");
    put(&ledger, SECOND, "other");
    put(&ledger, FIRST, "last");
    folder
}

#[test]
fn a_command_looks_only_at_what_was_added_since_the_last_look() {
    let folder = long();
    for _ in 0..3 {
        let ledger = write(&folder);
        let checked = ledger.check().unwrap();
        assert_eq!((checked.events, checked.blobs), (2, 2));
        assert_eq!(checked.tip.seq, 10_002);
    }
    let ledger = write(&folder);
    ledger.check().unwrap();
    put(&ledger, SECOND, "one more");
    drop(ledger);
    assert_eq!(write(&folder).check().unwrap().events, 1);
    assert_eq!(read_only(&folder).unwrap().verify().unwrap().seq, 10_003);
}

#[test]
fn a_checkpoint_that_is_gone_or_does_not_fit_makes_the_next_look_a_whole_one() {
    for sql in [
        "DROP TABLE checkpoint",
        "DROP TABLE checkpoint_scopes",
        "DELETE FROM checkpoint",
        "UPDATE checkpoint SET chain = zeroblob(32)",
    ] {
        let folder = long();
        raw(&folder).execute_batch(sql).unwrap();
        let ledger = write(&folder);
        assert_eq!(ledger.check().unwrap().events, 10_002, "{sql}");
        put(&ledger, FIRST, "and on");
        drop(ledger);
        assert_eq!(write(&folder).check().unwrap().events, 1, "{sql}: it is there again");
    }
}

#[test]
fn what_was_changed_before_the_checkpoint_is_found_where_it_is_read_and_by_a_whole_look() {
    for (sql, words) in [
        ("UPDATE events SET body = replace(body, '77', '78') WHERE seq = 78", "event 78 does not match"),
        ("UPDATE events SET at_ms = 5 WHERE seq = 78", "event 78 does not match"),
        ("DELETE FROM events WHERE seq = 78", "event 78 is missing"),
    ] {
        let folder = long();
        tamper(&folder, sql);
        let ledger = write(&folder);
        ledger.check().unwrap();
        for error in [
            ledger.read(FIRST).unwrap_err(),
            ledger.all(&mut |_, _| ()).unwrap_err(),
            read_only(&folder).unwrap().read(FIRST).unwrap_err(),
            ledger.verify().unwrap_err(),
        ] {
            assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
        assert_eq!(whys(&ledger.read(SECOND).unwrap()), ["other"], "nothing of this one was touched");
    }
}

#[test]
fn an_event_that_is_gone_from_between_those_of_other_scopes_is_missed() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    for scope in [FIRST, SECOND, FIRST, SECOND, FIRST] {
        put(&ledger, scope, "said");
    }
    ledger.append(Append { blobs: &[vec![7; 1 << 20]], ..events(Scope::Repo, 0, &[]) }).unwrap();
    drop(ledger);
    let ledger = write(&folder);
    ledger.check().unwrap();
    put(&ledger, SECOND, "checked");
    drop(ledger);
    tamper(&folder, "DELETE FROM events WHERE seq = 2");
    let ledger = write(&folder);
    ledger.check().unwrap();
    let error = ledger.read(SECOND).unwrap_err().to_string();
    assert!(error.contains("002 had 2 events up to event 5, of which 1 are left"), "{error}");
}

#[test]
fn what_was_changed_or_removed_after_the_checkpoint_is_found_by_every_command() {
    for (sql, words) in [
        ("UPDATE events SET body = '{}' WHERE seq = 10001", "event 10001 does not match"),
        ("DELETE FROM events WHERE seq = 10002", "event 10002 is missing"),
        ("DELETE FROM events WHERE seq >= 10000; DELETE FROM board", "the checkpoint knows event 10000"),
        ("UPDATE blobs SET bytes = x'00' WHERE bytes = CAST('last' AS BLOB)", "does not match its name"),
    ] {
        let folder = long();
        tamper(&folder, sql);
        let error = write(&folder).check().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_program_that_knows_no_checkpoints_may_write_beside_one() {
    let folder = long();
    // It never looks, so it has nothing to store.
    put(&write(&folder), FIRST, "older program");
    assert_eq!(write(&folder).check().unwrap().events, 3);
}

#[test]
fn of_two_writers_the_one_that_came_further_leaves_the_checkpoint() {
    let folder = long();
    let (slow, fast) = (write(&folder), write(&folder));
    slow.check().unwrap();
    put(&fast, SECOND, "two");
    fast.check().unwrap();
    put(&fast, SECOND, "three");
    put(&slow, FIRST, "four");
    assert_eq!(write(&folder).check().unwrap().events, 2, "three and four");
}
