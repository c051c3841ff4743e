use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// What is done to the files of a ledger.
type Harm = Box<dyn FnOnce(&TempDir)>;

/// Puts something under a name.
type Maker<'a> = &'a dyn Fn(&std::path::Path);

/// Appends one event to a ledger after something was done to its files; the error.
fn refused_after(harm: impl FnOnce(&TempDir)) -> (TempDir, StoreError) {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, "one");
    put(&ledger, FIRST, "two");
    harm(&folder);
    let three = [event("three")];
    let error = ledger.append(events(FIRST, 2, &three)).unwrap_err();
    (folder, error)
}

#[test]
fn a_ledger_that_was_removed_or_replaced_takes_no_more_events_and_what_it_held_is_rescued() {
    let remove =
        |name: &'static str| move |folder: &TempDir| fs::remove_file(folder.path().join(name)).unwrap();
    let cases: [(&str, &str, Harm); 6] = [
        ("the file", "it was removed", Box::new(remove("ledger.db"))),
        ("the log", "its log", Box::new(remove("ledger.db-wal"))),
        (
            "all of it",
            "it was removed",
            Box::new(|folder| {
                for name in files(folder) {
                    fs::remove_file(folder.path().join(name)).unwrap();
                }
            }),
        ),
        ("its folder", "it was removed", Box::new(|folder| fs::remove_dir_all(folder.path()).unwrap())),
        (
            "another in its place",
            "another file has taken its place",
            Box::new(|folder| {
                fs::copy(Ledger::file(folder.path()), folder.path().join("copy")).unwrap();
                fs::rename(folder.path().join("copy"), Ledger::file(folder.path())).unwrap();
            }),
        ),
        (
            "another log",
            "another file has taken the place of",
            Box::new(|folder| {
                let log = folder.path().join("ledger.db-wal");
                fs::copy(&log, folder.path().join("copy")).unwrap();
                fs::rename(folder.path().join("copy"), log).unwrap();
            }),
        ),
    ];
    for (what, words, harm) in cases {
        let (folder, error) = refused_after(harm);
        assert!(error.to_string().contains(words), "{what}: {error}");
        let StoreError::Gone { rescued: Some(rescued), .. } = error else { panic!("{what}: {error}") };
        let other = TempDir::new().unwrap();
        fs::copy(&rescued, Ledger::file(other.path())).unwrap();
        let ledger = write(&other);
        assert_eq!(ledger.verify().unwrap().seq, 2, "{what}");
        assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["one", "two"], "{what}");
        assert!(std::path::Path::new(&rescued).starts_with(folder.path()));
    }
}

#[test]
fn a_ledger_that_was_cut_short_in_place_takes_no_more_events() {
    for left in [0, 1] {
        let (_folder, error) = refused_after(|folder| {
            let file = fs::File::options().write(true).open(Ledger::file(folder.path())).unwrap();
            file.set_len(left).unwrap();
        });
        assert!(error.to_string().contains(&format!("it was cut short, to {left} bytes")), "{error}");
    }
}

#[test]
fn a_ledger_that_was_written_anew_and_is_shorter_takes_more_events() {
    let folder = TempDir::new().unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, &"long ".repeat(20_000));
    ledger.scrub().unwrap();
    let long = fs::metadata(Ledger::file(folder.path())).unwrap().len();
    ledger.link().connection.execute_batch("CREATE TABLE spare AS SELECT zeroblob(400000) AS x").unwrap();
    ledger.link().connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    put(&ledger, FIRST, "two");
    ledger.link().connection.execute_batch("DROP TABLE spare").unwrap();
    ledger.scrub().unwrap();
    assert!(fs::metadata(Ledger::file(folder.path())).unwrap().len() < long + 400_000);
    put(&ledger, FIRST, "three");
}

#[test]
fn what_was_rescued_is_rescued_once_and_never_in_place_of_another() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("ledger.rescued.db"), "of another day").unwrap();
    let ledger = write(&folder);
    put(&ledger, FIRST, "one");
    fs::remove_file(Ledger::file(folder.path())).unwrap();
    for _ in 0..2 {
        let two = [event("two")];
        let error = ledger.append(events(FIRST, 1, &two)).unwrap_err();
        let StoreError::Gone { rescued, .. } = error else { panic!("{error}") };
        assert_eq!(rescued, Some(folder.path().join("ledger.rescued-2.db").display().to_string()));
    }
    assert_eq!(fs::read_to_string(folder.path().join("ledger.rescued.db")).unwrap(), "of another day");
    assert!(!folder.path().join("ledger.rescued-3.db").exists());
}

#[test]
fn a_ledger_that_was_made_read_only_takes_no_more_events() {
    for (path, mode) in [("ledger.db", 0o444), (".", 0o555)] {
        let (folder, error) = refused_after(|folder| {
            fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        });
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{path}: {error}");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn what_is_no_file_is_refused_at_once_under_every_name_that_is_opened() {
    let folder_of = |name: &str, make: &dyn Fn(&std::path::Path)| {
        let folder = TempDir::new().unwrap();
        if name != FILE {
            put(&write(&folder), FIRST, "one");
        }
        let path = folder.path().join(name);
        let _ = fs::remove_file(&path);
        make(&path);
        folder
    };
    let pipe = |path: &std::path::Path| {
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    };
    let folder = |path: &std::path::Path| fs::create_dir(path).unwrap();
    let device = |path: &std::path::Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    let makers: [(&str, Maker<'_>); 3] = [("a pipe", &pipe), ("a folder", &folder), ("a device", &device)];
    for name in [FILE, "ledger.db-wal", "ledger.db-shm", "ledger.db-journal"] {
        for (what, make) in makers {
            let made = folder_of(name, make);
            for mode in [OpenMode::ReadOnly, OpenMode::Write] {
                let error = Ledger::open(made.path(), mode).unwrap_err().to_string();
                assert!(error.contains(&format!("it is {what}, not a file")), "{name}, {mode:?}: {error}");
            }
            assert!(Ledger::export(made.path(), &mut Vec::new()).is_err(), "{name}");
        }
    }
}
