use super::*;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn copy_of(fixture: &Path) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::copy(fixture, Ledger::file(folder.path())).unwrap();
    folder
}

fn exported(folder: &TempDir) -> (String, Export) {
    let mut bytes = Vec::new();
    let export = Ledger::export(folder.path(), &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), export)
}

fn imported(lines: &str) -> (TempDir, Result<Resumed, StoreError>) {
    let folder = TempDir::new().unwrap();
    let resumed = Ledger::import(folder.path(), &mut lines.as_bytes(), 9);
    (folder, resumed)
}

#[test]
fn a_ledger_that_goes_out_and_comes_back_is_the_same_in_every_byte_that_counts() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    for why in ["one", "two", "three"] {
        put(&ledger, FIRST, why);
    }
    put(&ledger, SECOND, "other \u{0} \u{1b} ü");
    ledger.append(Append { blobs: &[vec![0xff, 0, 0xfe]], ..events(SECOND, 4, &[event("bytes")]) }).unwrap();
    let bodies = [(2, event("[redacted]").encode())];
    let redaction = Redaction {
        decided_on: 5,
        at_ms: 7,
        by: "a",
        why: "b",
        bodies: &bodies,
        blobs: &[],
        files: 0,
        objects: 0,
        refs: 0,
    };
    ledger.redact(&redaction).unwrap();
    let (lines, export) = exported(&folder);
    assert_eq!((export.events, export.blobs, export.lost.len()), (6, 5, 0));
    let (back, resumed) = imported(&lines);
    assert_eq!(resumed.unwrap(), Resumed { events: 6, blobs: 5, lost: 0 });
    assert_eq!(exported(&back).0, lines);
    assert_eq!(write(&back).tip().unwrap(), ledger.tip().unwrap());
    assert_eq!(write(&back).session_name("x"), ledger.session_name("x"));
    assert_eq!(write(&back).amended().unwrap(), [(2, 6)]);
}

#[test]
fn ledgers_of_every_version_go_out_and_come_back() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 3);
    for fixture in fixtures {
        let folder = copy_of(&fixture);
        let (lines, export) = exported(&folder);
        assert!(export.lost.is_empty(), "{}: {:?}", fixture.display(), export.lost);
        let (back, resumed) = imported(&lines);
        assert_eq!(resumed.unwrap().events, export.events);
        let (old, new) = (read_only(&folder).unwrap(), read_only(&back).unwrap());
        for scope in old.scopes().unwrap() {
            assert_eq!(old.read(scope.clone()).unwrap(), new.read(scope).unwrap(), "{}", fixture.display());
        }
    }
}

/// A real feature's ledger with one event harmed; what the import makes of it.
fn resumed_after(sql: &str) -> (Export, TempDir, Resumed) {
    let folder = copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1-specify.db"));
    drop(write(&folder));
    tamper(&folder, sql);
    let (lines, export) = exported(&folder);
    let (back, resumed) = imported(&lines);
    (export, back, resumed.unwrap())
}

#[test]
fn wherever_an_event_is_harmed_the_feature_keeps_what_came_before_and_numbers_stay() {
    let folder = copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1-specify.db"));
    let whole = read_only(&folder).unwrap().read(FIRST).unwrap();
    for (at, entry) in whole.iter().enumerate() {
        let seq = entry.seq;
        for sql in [
            format!("UPDATE events SET body = '{{' WHERE seq = {seq}"),
            format!("DELETE FROM events WHERE seq = {seq}"),
            format!("UPDATE events SET chain = zeroblob(32) WHERE seq = {seq}"),
            format!("UPDATE events SET body = replace(body, '\"', '\"x') WHERE seq = {seq}"),
        ] {
            let is_last = at + 1 == whole.len();
            let fits_without = matches!(entry.event, Event::AgentsMet(_));
            if (is_last || fits_without) && sql.starts_with("DELETE") {
                // The board alone knows of the last one, and which scope it was in; and what comes after may fit.
                continue;
            }
            let (export, back, resumed) = resumed_after(&sql);
            assert_eq!(export.lost.len(), 1, "{sql}: {:?}", export.lost);
            assert!(export.lost[0].what.contains(&format!("event {seq}")), "{sql}: {:?}", export.lost);
            assert_eq!(resumed.events + resumed.lost, whole.len() as u64, "{sql}");
            let ledger = read_only(&back).unwrap();
            assert_eq!(ledger.verify().unwrap().seq, whole.len() as u64, "{sql}");
            let left = ledger.read(FIRST).unwrap();
            // Who works with which agent fits wherever a feature is.
            let counts = |entry: &&Entry| !matches!(entry.event, Event::Unreadable(_) | Event::AgentsMet(_));
            let kept: Vec<_> = left.iter().filter(counts).collect();
            assert_eq!(kept, whole[..at].iter().filter(counts).collect::<Vec<_>>(), "{sql}");
            redraft_core::pipeline::Pipeline::replay(&left).unwrap();
            if at > 0 {
                assert_eq!(
                    left.last().unwrap().seq,
                    whole.last().unwrap().seq,
                    "{sql}: commits name numbers"
                );
            }
        }
    }
}

#[test]
fn a_blob_that_is_lost_is_named_and_known_to_be_lost_afterwards() {
    let sql = "UPDATE blobs SET bytes = x'00' WHERE rowid = 2";
    let (export, back, resumed) = resumed_after(sql);
    assert!(export.lost.len() == 1 && export.lost[0].what.starts_with("blob "), "{:?}", export.lost);
    assert_eq!(resumed.lost, 0);
    let ledger = read_only(&back).unwrap();
    ledger.verify().unwrap();
    let said = ledger.read(Scope::Repo).unwrap();
    assert!(
        matches!(&said[..], [entry] if matches!(&entry.event, Event::Unreadable(lost) if lost.blob.is_some()))
    );
}

#[test]
fn pages_that_cannot_be_read_cost_what_is_on_them_and_nothing_else_fails() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1-specify.db");
    let pages = fs::metadata(&fixture).unwrap().len() / 4096;
    let mut readable = 0;
    for page in 1..pages {
        let folder = copy_of(&fixture);
        drop(write(&folder));
        let path = Ledger::file(folder.path());
        let mut bytes = fs::read(&path).unwrap();
        let at = usize::try_from(page * 4096).unwrap();
        if at + 4096 > bytes.len() {
            continue;
        }
        bytes[at..at + 4096].fill(0xa5);
        fs::write(&path, &bytes).unwrap();
        let mut lines = Vec::new();
        // Without the list of its tables nothing can be recognised.
        let Ok(export) = Ledger::export(folder.path(), &mut lines) else { continue };
        readable += 1;
        let (back, resumed) = imported(&String::from_utf8(lines).unwrap());
        let resumed = resumed.unwrap_or_else(|error| panic!("page {page}: {error} {:?}", export.lost));
        assert_eq!(resumed.events + resumed.lost > 0, export.events + resumed.lost > 0, "page {page}");
        read_only(&back).unwrap().verify().unwrap();
        assert!(fs::read(&path).unwrap() == bytes, "the damaged file is left as it is");
    }
    assert!(readable > pages / 2, "{readable} of {pages}");
}

#[test]
fn lines_that_are_not_what_was_exported_make_no_ledger() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    for why in ["one", "two", "three"] {
        put(&ledger, FIRST, why);
    }
    let (lines, _) = exported(&folder);
    let without =
        |word: &str| lines.lines().filter(|line| !line.contains(word)).collect::<Vec<_>>().join("\n");
    for (harmed, words) in [
        (String::new(), "it is empty"),
        ("{}".to_owned(), "line 1"),
        (lines.replace("redraft ledger", "another file"), "it is `another file`"),
        (lines.replace("\"v\":1", "\"v\":2"), "version 2"),
        (without("\"end\""), "its end is missing"),
        (without("\"seq\":2"), "event 2 is expected, not event 3"),
        (lines.replace(r#"\"why\":\"two\""#, r#"\"why\":\"too\""#), "does not match"),
        (lines.replace("\"at_ms\":1000", "\"at_ms\":1001"), "event 1 does not match its checksum"),
        (lines.replace("\"text\":\"two\"", "\"text\":\"too\""), "does not match its name"),
        (without("\"text\":\"two\""), "fewer lines than it says"),
    ] {
        let error = imported(&harmed).1.unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let error = Ledger::import(folder.path(), &mut lines.as_bytes(), 9).unwrap_err().to_string();
    assert!(error.contains("it is there already"), "{error}");
}
