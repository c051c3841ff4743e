use super::*;
use tempfile::TempDir;

fn holder(command: &str) -> Holder {
    Holder {
        pid: std::process::id(),
        user: "ada".to_owned(),
        since_ms: 1_709_210_096_000,
        command: command.to_owned(),
        asks: false,
    }
}

#[test]
fn a_lock_says_as_long_as_its_holder_asks_a_person() {
    let state = TempDir::new().unwrap();
    let lock = Lock::take(state.path(), "031", &holder("redraft run 031")).unwrap();
    let named = || Lock::holder(state.path(), "031").unwrap();
    assert!(!named().asks);
    let asking = lock.asking();
    assert!(named().asks);
    assert_eq!(Holder { asks: false, ..named() }, holder("redraft run 031"));
    drop(asking);
    assert_eq!(named(), holder("redraft run 031"));
}

/// The holder that is named for the lock `031`.
fn held(state: &TempDir) -> Holder {
    match Lock::take(state.path(), "031", &holder("redraft decide")).unwrap_err() {
        LockError::Held(holder) => holder,
        other => panic!("{other}"),
    }
}

#[test]
fn a_held_lock_is_refused_and_names_its_holder() {
    let state = TempDir::new().unwrap();
    let lock = Lock::take(state.path(), "031", &holder("redraft run 031")).unwrap();
    assert_eq!(held(&state), holder("redraft run 031"));
    assert_eq!(
        LockError::Held(held(&state)).to_string(),
        format!(
            "it is held by `redraft run 031` of ada, process {}, since 2024-02-29 12:34:56 UTC",
            std::process::id()
        )
    );
    Lock::take(state.path(), "032", &holder("redraft run 032")).unwrap();
    drop(lock);
}

/// No system gives this number to a process.
const NOBODY: u32 = i32::MAX as u32;

#[test]
fn a_lock_whose_holder_was_killed_is_waited_for() {
    assert!(Holder { pid: NOBODY, ..holder("redraft run 031") }.is_gone());
    assert!(!holder("redraft run 031").is_gone() && !Holder::unknown().is_gone());
    let state = TempDir::new().unwrap();
    let killed = Holder { pid: NOBODY, ..holder("redraft run 031") };
    drop(Lock::take(state.path(), "031", &killed).unwrap());
    // Stands for what the killed process was about to start: it holds the lock and signs nothing.
    let path = state.path().join("locks").join("031");
    fs::write(&path, serde_json::to_string(&killed).unwrap()).unwrap();
    let started = File::open(&path).unwrap();
    started.lock().unwrap();
    std::thread::scope(|threads| {
        let next = threads.spawn(|| Lock::take(state.path(), "031", &holder("redraft run 031")).map(drop));
        drop(started);
        next.join().unwrap().unwrap();
    });
}

#[test]
fn a_dropped_lock_can_be_taken_again_and_its_file_stays() {
    let state = TempDir::new().unwrap();
    let long = holder(&"redraft run ".repeat(20));
    drop(Lock::take(state.path(), "031", &long).unwrap());
    let file = state.path().join("locks").join("031");
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
    let _lock = Lock::take(state.path(), "031", &holder("short")).unwrap();
    assert_eq!(held(&state), holder("short"));
    assert!(file.exists());
}

#[test]
fn what_a_killed_process_left_inside_does_not_hold_the_lock() {
    let state = TempDir::new().unwrap();
    fs::create_dir(state.path().join("locks")).unwrap();
    let left = serde_json::to_string(&holder("redraft run, killed long ago")).unwrap();
    fs::write(state.path().join("locks").join("031"), left).unwrap();
    let _lock = Lock::take(state.path(), "031", &holder("redraft run 031")).unwrap();
    assert_eq!(held(&state), holder("redraft run 031"));
}

#[test]
fn an_empty_torn_or_foreign_text_inside_is_an_unknown_holder() {
    let state = TempDir::new().unwrap();
    let _lock = Lock::take(state.path(), "031", &holder("redraft run 031")).unwrap();
    for text in [&b""[..], b"{\"pid\":42,\"us", b"\xff\xfe", b"[]"] {
        fs::write(state.path().join("locks").join("031"), text).unwrap();
        assert_eq!(held(&state), Holder::unknown());
    }
    assert_eq!(LockError::Held(Holder::unknown()).to_string(), "it is held by another process (unknown)");
}

#[test]
fn a_name_cannot_lead_out_of_the_folder() {
    let state = TempDir::new().unwrap();
    for name in ["", "..", "../x", "a/b", "a\\b"] {
        let error = Lock::take(state.path(), name, &holder("redraft run")).unwrap_err();
        assert!(matches!(error, LockError::Name(_)), "{error}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let state = TempDir::new().unwrap();
    fs::write(state.path().join("locks"), "").unwrap();
    let error = Lock::take(state.path(), "031", &holder("redraft run")).unwrap_err();
    assert!(error.to_string().contains("locks"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_holder_is_gone_when_its_process_is_and_not_before() {
    assert!(!Holder { pid: std::process::id(), ..holder("x") }.is_gone());
    // More than any Linux counts to.
    assert!(Holder { pid: 5_000_000, ..holder("x") }.is_gone());
    assert!(!Holder::unknown().is_gone(), "nobody knows");
}

#[test]
fn whoever_holds_a_lock_is_seen_without_taking_it() {
    let state = TempDir::new().unwrap();
    assert_eq!(Lock::holder(state.path(), "031"), None, "nobody ever took it");
    let lock = Lock::take(state.path(), "031", &holder("redraft run 031")).unwrap();
    assert_eq!(Lock::holder(state.path(), "031"), Some(holder("redraft run 031")));
    drop(lock);
    assert_eq!(Lock::holder(state.path(), "031"), None);
    // What a killed process signed, and what one signed whose number now belongs to somebody else.
    let path = state.path().join("locks").join("031");
    for pid in [NOBODY, std::process::id()] {
        let left = Holder { pid, ..holder("redraft run 031") };
        fs::write(&path, serde_json::to_string(&left).unwrap()).unwrap();
        assert_eq!(Lock::holder(state.path(), "031"), None, "{pid}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "another process, whose number is signed")]
fn only_the_process_that_signed_and_holds_a_lock_is_asked_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    assert!(matches!(interrupt(state, "031"), Ok(None)), "nobody took it");
    let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let holder = Holder {
        pid: other.id(),
        user: "ann".into(),
        since_ms: 0,
        command: "redraft run".into(),
        asks: false,
    };
    let lock = Lock::take(state, "031", &holder).unwrap();
    // The same number, but a process that began at another time.
    let path = state.join("locks/031");
    let signed = std::fs::read_to_string(&path).unwrap();
    assert!(signed.contains("\"began\":"), "{signed}");
    let forged = signed.replace("\"began\":", "\"began\":1");
    std::fs::write(&path, forged).unwrap();
    assert!(matches!(interrupt(state, "031"), Err(InterruptError::Another(_))));
    assert!(other.try_wait().unwrap().is_none(), "it was left alone");
    std::fs::write(&path, signed).unwrap();
    assert_eq!(interrupt(state, "031").unwrap(), Some(holder));
    let ended = other.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(2));
    drop(lock);
}
