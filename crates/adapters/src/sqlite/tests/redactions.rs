use super::*;
use redraft_facts::event::Redacted;
use redraft_facts::text::hash;
use std::fs;

const SECRET: &str = "fake-secret-0123456789";

fn with_secret() -> TempDir {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, "before");
    put(&ledger, FIRST, SECRET);
    put(&ledger, SECOND, "after");
    ledger.check().unwrap();
    put(&ledger, SECOND, "checked");
    folder
}

fn body(why: &str) -> String {
    event(why).encode()
}

fn redaction<'a>(
    bodies: &'a [(u64, String)],
    blobs: &'a [(BlobId, Vec<u8>)],
    decided_on: u64,
) -> Redaction<'a> {
    Redaction {
        decided_on,
        at_ms: 7,
        by: "ada",
        why: "it came in",
        bodies,
        blobs,
        files: 1,
        objects: 2,
        refs: 3,
    }
}

/// Takes the secret out of event 2 and its blob; returns the event that says so.
fn take_out(ledger: &Ledger) -> u64 {
    let bodies = [(2, body("[redacted]"))];
    let blobs = [(hash(SECRET.as_bytes()), b"[redacted]".to_vec())];
    let seq = ledger.redact(&redaction(&bodies, &blobs, ledger.tip().unwrap().seq)).unwrap();
    ledger.scrub().unwrap();
    seq
}

fn holds(folder: &TempDir, text: &str) -> bool {
    files(folder).iter().any(|name| {
        let bytes = fs::read(folder.path().join(name)).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn a_body_and_a_blob_are_replaced_the_chain_holds_and_no_byte_of_them_is_left() {
    let folder = with_secret();
    assert!(holds(&folder, SECRET));
    let ledger = write(&folder);
    let salt: Vec<u8> =
        raw(&folder).query_row("SELECT salt FROM events WHERE seq = 2", [], |row| row.get(0)).unwrap();
    let by = take_out(&ledger);
    assert_eq!((by, ledger.verify().unwrap().seq), (5, 5));
    assert_eq!(ledger.amended().unwrap(), [(2, 5)]);
    assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["before", "[redacted]"]);
    assert_eq!(ledger.blob(&hash(b"[redacted]")).unwrap(), b"[redacted]");
    assert!(ledger.blob(&hash(SECRET.as_bytes())).is_err());
    let said = ledger.read(Scope::Repo).unwrap();
    let Event::Redacted(Redacted { by, why, events, blobs, files: 1, objects: 2, refs: 3 }) = &said[0].event
    else {
        panic!("{said:?}")
    };
    assert_eq!((by.as_str(), why.as_str(), events.len(), *blobs), ("ada", "it came in", 1, 1));
    // While it is open, and when it is closed: neither the secret, nor its salt, nor the name its blob had.
    for _ in 0..2 {
        assert!(!holds(&folder, SECRET) && !holds(&folder, hash(SECRET.as_bytes()).as_str()));
        let left = fs::read(Ledger::file(folder.path())).unwrap();
        assert!(!left.windows(salt.len()).any(|window| window == salt));
    }
    put(&ledger, FIRST, "and on");
    drop(ledger);
    assert!(!holds(&folder, SECRET));
    assert_eq!(read_only(&folder).unwrap().verify().unwrap().seq, 6);
}

#[test]
fn a_body_can_be_replaced_again_and_so_can_the_event_that_says_so() {
    let folder = with_secret();
    let ledger = write(&folder);
    take_out(&ledger);
    let mut said = String::new();
    ledger
        .each_body(&mut |seq, _, _, _, body| {
            if seq == 5 {
                said = body
            }
        })
        .unwrap();
    let bodies = [(2, body("[redacted] twice")), (5, said.replace("it came in", "[redacted]"))];
    ledger.redact(&redaction(&bodies, &[], 5)).unwrap();
    ledger.scrub().unwrap();
    assert_eq!(ledger.verify().unwrap().seq, 6);
    assert_eq!(ledger.amended().unwrap(), [(2, 6), (5, 6)]);
    assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["before", "[redacted] twice"]);
    let salts = "SELECT count(*) FROM redactions WHERE salt IS NOT NULL";
    assert_eq!(raw(&folder).query_row(salts, [], |row| row.get::<_, i64>(0)), Ok(2), "only of what is now");
}

#[test]
fn a_redaction_decided_on_an_older_end_changes_nothing() {
    let folder = with_secret();
    let ledger = write(&folder);
    let bodies = [(2, body("[redacted]"))];
    let error = ledger.redact(&redaction(&bodies, &[], 3)).unwrap_err();
    assert!(matches!(error, StoreError::Moved { decided_on: 3, found: 4, .. }), "{error}");
    assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["before", SECRET]);
}

#[test]
fn what_a_redaction_put_there_cannot_be_changed_unseen() {
    for (sql, words) in [
        (
            "UPDATE events SET body = replace(body, '[redacted]', 'approved') WHERE seq = 2",
            "event 2 does not match",
        ),
        ("DELETE FROM redactions", "no redaction says by what"),
        ("UPDATE redactions SET salt = NULL", "no redaction says by what"),
        ("UPDATE redactions SET by_seq = 4", "no redaction says by what"),
        (
            "UPDATE events SET salt = NULL WHERE seq = 1",
            "event 1 was replaced, and no redaction says by what",
        ),
        ("UPDATE events SET body_hash = zeroblob(32) WHERE seq = 2", "event 2 does not match"),
        ("UPDATE events SET body = replace(body, 'ada', 'bob') WHERE seq = 5", "event 5 does not match"),
    ] {
        let folder = with_secret();
        take_out(&write(&folder));
        tamper(&folder, sql);
        let error = read_only(&folder).unwrap().verify().unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{sql}: {error}");
        assert!(error.to_string().contains(words), "{sql}: {error}");
    }
}

#[test]
fn the_triggers_let_nobody_redact_without_an_event_that_says_so() {
    let folder = with_secret();
    take_out(&write(&folder));
    let raw = raw(&folder);
    for sql in [
        "UPDATE events SET body = '{}', salt = NULL WHERE seq = 1",
        "INSERT INTO redactions VALUES (1, 5, x'00', x'1234')",
        "INSERT INTO redactions VALUES (1, 4, x'00', x'1234')",
        "UPDATE redactions SET salt = NULL",
        "UPDATE redactions SET hash = x'00'",
        "DELETE FROM redactions",
    ] {
        assert!(raw.execute_batch(sql).is_err(), "{sql}");
    }
    put(&write(&folder), FIRST, "and on");
    assert!(raw.execute_batch("UPDATE events SET body = '{}', salt = NULL WHERE seq = 2").is_err());
    assert!(raw.execute_batch("DELETE FROM blobs").is_err());
}
