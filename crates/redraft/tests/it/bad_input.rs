//! Bad input and bad places: a clear error, and nothing lost.

use crate::world::{PROGRAM, feature, left};
use redraft_testkit::{Ran, Scratch};
use std::fs;

const IDEA: &str = "Export the monthly report as CSV";

#[test]
fn not_a_repository_bare_and_without_commits_are_told_apart() {
    let scratch = Scratch::empty(PROGRAM);
    for words in [&["status"][..], &["new", IDEA], &["run"], &["init"]] {
        let ran = scratch.run(words).expect(2);
        assert!(ran.stderr.contains("is not in a git repository"), "{words:?}: {}", ran.stderr);
    }
    scratch.git(["init", "-q", "-b", "main"]);
    scratch.run(["status"]).expect(0);
    let ran = scratch.run(["new", IDEA]).expect(2);
    assert!(ran.stderr.contains("has no commits yet"), "{}", ran.stderr);
    assert_eq!(scratch.json(["status"])["features"], serde_json::json!([]), "nothing was created");
    let bare = Scratch::empty(PROGRAM);
    bare.git(["init", "-q", "--bare"]);
    let ran = bare.run(["status"]).expect(2);
    assert!(ran.stderr.contains("bare repository"), "{}", ran.stderr);
}

#[test]
fn a_wrong_configuration_names_file_line_and_the_nearest_key() {
    let scratch = feature(IDEA);
    for (text, words) in [
        ("[limits]\nround = 3\n", vec!["redraft.toml:2", "rounds"]),
        ("[limits]\nrounds = 0\n", vec!["redraft.toml:2", "rounds"]),
        ("[review]\npolicy = \"guardd\"\n", vec!["redraft.toml:2", "guarded"]),
        ("[limits\n", vec!["redraft.toml:1"]),
        ("[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"absent.toml\"\n", vec!["absent.toml"]),
    ] {
        scratch.write("redraft.toml", text);
        let ran = scratch.run(["run", "001"]).expect(3);
        for word in words {
            assert!(ran.stderr.contains(word), "{word} for {text:?} in {}", ran.stderr);
        }
    }
    fs::remove_file(scratch.root().join("redraft.toml")).unwrap();
    fs::create_dir(scratch.root().join("redraft.toml")).unwrap();
    scratch.run(["run", "001"]).expect(3);
    fs::remove_dir(scratch.root().join("redraft.toml")).unwrap();
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn what_does_not_exist_is_named() {
    let scratch = feature(IDEA);
    for words in [&["run", "042"][..], &["status", "042"], &["show", "findings", "nonsense"], &["log", "042"]]
    {
        let ran = scratch.run(words).expect(2);
        assert!(ran.stderr.contains(words[words.len() - 1]), "{words:?}: {}", ran.stderr);
    }
    scratch.run(["new", "   "]).expect(2);
    let ran = scratch.run(["new", IDEA, "--prd", "absent.md"]).expect(2);
    assert!(ran.stderr.contains("absent.md"), "{}", ran.stderr);
    fs::write(scratch.outside().join("binary"), [0xff, 0xfe, 0x00]).unwrap();
    scratch.run(["new", IDEA, "--prd", "../binary"]).expect(2);
    let ran = scratch.run(["show", "prompt", "--ticket", "001/nonsense"]).expect(2);
    assert!(ran.stderr.contains("is not a ticket"), "{}", ran.stderr);
    scratch.run(["run", "001", "--policy", "cheap"]).expect(2);
    scratch.run(["run", "001", "--certify", "maybe"]).expect(2);
    scratch.run(["-C", "nowhere", "status"]).expect(2);
    assert_eq!(scratch.json(["status"])["features"].as_array().unwrap().len(), 1, "no feature came of it");
}

#[test]
fn a_damaged_ledger_is_reported_and_left_as_it_is() {
    for spoil in [
        |bytes: &mut Vec<u8>| bytes.truncate(5000),
        |bytes: &mut Vec<u8>| {
            let middle = bytes.len() / 2;
            for byte in &mut bytes[middle..middle + 600] {
                *byte ^= 0x5a;
            }
        },
    ] {
        let scratch = feature(IDEA);
        scratch.run(["run", "001"]).expect(0);
        let ledger = scratch.state().join("ledger.db");
        let mut bytes = fs::read(&ledger).unwrap();
        spoil(&mut bytes);
        fs::write(&ledger, &bytes).unwrap();
        let ran = scratch.run(["run", "001"]).expect(3);
        assert!(ran.stderr.contains("ledger.db is damaged"), "{}", ran.stderr);
        assert!(fs::read(&ledger).unwrap() == bytes, "the file was changed");
    }
}

#[test]
fn a_full_disk_is_told_and_the_run_goes_on_when_there_is_space() {
    let scratch = feature(IDEA);
    // No file may grow beyond so many blocks; writes then fail as on a full disk.
    for blocks in [0, 8, 40, 72, 104] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" run 001");
        let mut command = scratch.command("bash");
        let ran = Ran::of(command.args(["-c", &script, PROGRAM]).output().unwrap());
        if ran.code != Some(0) {
            assert_eq!(ran.code, Some(3), "{blocks}: {}", ran.stderr);
            assert!(ran.stderr.contains("hint: "), "{blocks}: {}", ran.stderr);
        }
    }
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(left(&scratch).outcome, "approved");
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    // A file where a folder must be is refused for everybody, the superuser included.
    let other = Scratch::repository(PROGRAM);
    fs::write(other.state(), "in the way").unwrap();
    let ran = other.run(["new", IDEA]).expect(3);
    assert!(ran.stderr.contains("redraft"), "{}", ran.stderr);
    let status = read_only(&scratch, "\"$0\" status");
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    let new = read_only(&scratch, "\"$0\" new another");
    assert_eq!(new.code, Some(3), "{}", new.stderr);
    assert!(new.stderr.contains("hint: "), "{}", new.stderr);
}

/// Runs a command with the repository on a disk that cannot be written: as the superuser by a read-only mount in
/// a namespace of its own, otherwise by taking away the right to write.
fn read_only(scratch: &Scratch, command: &str) -> Ran {
    let mounted = "mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && ";
    let script = format!(
        "if [ \"$(id -u)\" = 0 ]; then exec unshare -m bash -c '{mounted}{command}' \"$0\"; \
         else chmod -R a-w .git; {command}; code=$?; chmod -R u+w .git; exit $code; fi"
    );
    Ran::of(scratch.command("bash").args(["-c", &script, PROGRAM]).output().unwrap())
}
