//! Bad input and bad places: a clear error, and nothing lost.

use crate::world::{PROGRAM, feature, left, own_ledger};
use redraft_engine::ports::{Append, Store};
use redraft_facts::event::Unreadable;
use redraft_facts::ticket::Scope;
use redraft_testkit::{Ran, Scratch};
use std::fs;

const IDEA: &str = "Export the monthly report as CSV";

#[test]
fn not_a_repository_bare_and_without_commits_are_told_apart() {
    let scratch = Scratch::empty(PROGRAM);
    for words in [&["status"][..], &["new", "--until", "specify", IDEA], &["run"], &["init"]] {
        let ran = scratch.run(words).expect(2);
        assert!(ran.stderr.contains("is not in a git repository"), "{words:?}: {}", ran.stderr);
    }
    scratch.git(["init", "-q", "-b", "main"]);
    scratch.run(["status"]).expect(0);
    let ran = scratch.run(["new", "--until", "specify", IDEA]).expect(2);
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
    scratch.run(["new", "--until", "specify", "   "]).expect(2);
    let ran = scratch.run(["new", "--until", "specify", IDEA, "--prd", "absent.md"]).expect(2);
    assert!(ran.stderr.contains("absent.md"), "{}", ran.stderr);
    fs::write(scratch.outside().join("binary"), [0xff, 0xfe, 0x00]).unwrap();
    scratch.run(["new", "--until", "specify", IDEA, "--prd", "../binary"]).expect(2);
    let ran = scratch.run(["show", "prompt", "--ticket", "001/nonsense"]).expect(2);
    assert!(ran.stderr.contains("is not a ticket"), "{}", ran.stderr);
    scratch.run(["run", "001", "--policy", "cheap"]).expect(2);
    scratch.run(["run", "001", "--certify", "maybe"]).expect(2);
    scratch.run(["-C", "nowhere", "status"]).expect(2);
    assert_eq!(scratch.json(["status"])["features"].as_array().unwrap().len(), 1, "no feature came of it");
}

#[test]
fn a_budget_that_is_none_is_answered_with_what_is_accepted() {
    let scratch = feature("an idea");
    for command in [["run", "001"], ["doctor", "--yes"]] {
        for word in ["-1", "-0.5", "1000001", "five", "NaN"] {
            let ran = scratch.run([command[0], command[1], "--budget", word]).expect(2);
            let message = format!("`{word}` is not a budget: dollars from 0 to 1,000,000 are accepted");
            assert!(ran.stderr.contains(&message), "{}", ran.stderr);
            assert!(ran.stderr.contains("write it as 5 or 2.50"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_damaged_ledger_is_reported_and_left_as_it_is() {
    for spoil in [
        |bytes: &mut Vec<u8>| bytes.truncate(5000),
        |bytes: &mut Vec<u8>| {
            // From the middle on, the first place where something is stored.
            let stored = |at: &usize| bytes[*at..at + 600].iter().all(|byte| *byte != 0);
            let begin = (bytes.len() / 2..bytes.len() - 600).find(stored).unwrap();
            for byte in &mut bytes[begin..begin + 600] {
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
fn what_was_changed_long_ago_is_refused_where_it_is_touched_and_found_by_verify() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["new", "--until", "specify", "Show the weather"]).expect(0);
    scratch.run(["run", "002"]).expect(0);
    let ran = scratch.run(["status", "--verify"]).expect(0);
    assert!(ran.stderr.contains("the ledger is fine"), "{}", ran.stderr);
    let events = scratch.json(["log"])["events"].as_array().unwrap().len();
    assert_eq!(scratch.json(["status", "--verify"])["verified_events"], events);
    grow(&scratch);
    let ledger = scratch.state().join("ledger.db");
    let mut bytes = fs::read(&ledger).unwrap();
    // As it stands in the first event; the board has the same idea before other words.
    let idea = format!("\"idea\":\"{IDEA}\",\"lane\"");
    let length = bytes.len() - idea.len();
    // Split pages may still hold a copy without meaning.
    let places: Vec<usize> = (0..length).filter(|at| bytes[*at..].starts_with(idea.as_bytes())).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| bytes[at + 10] ^= 1);
    fs::write(&ledger, &bytes).unwrap();
    for words in [
        &["run", "001"][..],
        &["log"],
        &["show", "findings", "001"],
        &["decide", "001"],
        &["status", "--verify"],
    ] {
        let ran = scratch.run(words).expect(3);
        assert!(ran.stderr.contains("event 1 does not match its checksum"), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{words:?}: {}", ran.stderr);
    }
    assert!(fs::read(&ledger).unwrap() == bytes, "the file was changed");
    scratch.run(["run", "002"]).expect(0);
}

#[test]
fn what_is_no_ordinary_file_is_refused_without_waiting_for_it() {
    let scratch = feature(IDEA);
    let pipe = |name: &str| {
        assert!(scratch.command("mkfifo").arg(name).status().unwrap().success());
    };
    let refused = |words: &[&str], code: i32, expected: &[&str]| {
        let ran = scratch.run(words).expect(code);
        for word in expected {
            assert!(ran.stderr.contains(word), "{words:?}: {word} in {}", ran.stderr);
        }
    };
    let config = scratch.root().join("redraft.toml");
    for (make, expected) in [
        (&["mkfifo", "redraft.toml"][..], "it is a pipe, not a file"),
        (&["ln", "-s", "/dev/zero", "redraft.toml"], "a link that leads out of the repository, to /dev/zero"),
        (&["ln", "-s", ".", "redraft.toml"], "it is a folder, not a file"),
        (&["ln", "-s", "nowhere", "redraft.toml"], "it cannot be read"),
        (&["truncate", "-s", "2M", "redraft.toml"], "it is too large: at most 1024 KB are read"),
    ] {
        assert!(scratch.command(make[0]).args(&make[1..]).status().unwrap().success());
        for words in [&["run", "001"][..], &["new", "--until", "specify", "another"], &["init"], &["trust"]] {
            refused(words, 3, &["redraft.toml: ", expected, "hint: "]);
        }
        fs::remove_file(&config).unwrap();
    }
    pipe("pipe");
    scratch.write("large.md", &"x".repeat(5 << 20));
    fs::create_dir(scratch.root().join("folder")).unwrap();
    for (file, expected) in
        [("pipe", "a pipe"), ("/dev/zero", "a device"), ("folder", "a folder"), ("large.md", "too large")]
    {
        refused(&["new", "--until", "specify", "another", "--prd", file], 2, &["the PRD ", expected]);
    }
    scratch.write("redraft.toml", "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"pipe\"\n");
    refused(&["run", "001"], 3, &["scenario", "it is a pipe, not a file"]);
    for (file, expected) in
        [("/dev/zero", "it is a device, not a file"), ("pipe", "it is a pipe, not a file")]
    {
        let agent = "[agents.local]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\nprice = \"local\"";
        scratch.write(
            "redraft.toml",
            &format!("{agent}\nkey_file = \"{file}\"\n[roles]\ndefault = \"local\"\n"),
        );
        refused(&["run", "001"], 3, &["key_file", expected]);
    }
    fs::remove_file(&config).unwrap();
    assert_eq!(scratch.json(["status"])["features"].as_array().unwrap().len(), 1, "no feature came of it");
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn what_would_stop_a_feature_from_being_made_is_found_before_it_is_begun() {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("prd.md"), crate::documents::PRD).unwrap();
    let refused = |code: i32, expected: &str| {
        for words in [
            &["new", "--until", "specify", IDEA][..],
            &["new", "--until", "specify", IDEA, "--prd", "../prd.md"],
        ] {
            let ran = scratch.run(words).expect(code);
            assert!(ran.stderr.contains(expected), "{words:?}: {}", ran.stderr);
        }
        assert_eq!(scratch.json(["status"])["features"], serde_json::json!([]), "nothing was stored");
        assert_eq!(scratch.git(["for-each-ref", "refs/heads/feature/"]), "");
    };
    fs::write(scratch.root().join(".redraft"), "").unwrap();
    refused(2, ".redraft is not a folder");
    fs::remove_file(scratch.root().join(".redraft")).unwrap();
    fs::create_dir(scratch.root().join(".redraft")).unwrap();
    fs::write(scratch.root().join(".redraft/worktrees"), "").unwrap();
    refused(2, ".redraft/worktrees is not a folder");
    fs::remove_file(scratch.root().join(".redraft/worktrees")).unwrap();
    scratch.git(["branch", "feature"]);
    refused(2, "git branch -m feature NEW-NAME");
    scratch.git(["branch", "-m", "feature", "features"]);
    scratch.git(["config", "--unset", "user.email"]);
    refused(3, "git config user.name");
    scratch.git(["config", "user.email", "person@example.invalid"]);
    assert_eq!(scratch.json(["new", "--until", "specify", IDEA, "--prd", "../prd.md"])["feature"], "001");
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn a_feature_that_could_not_be_made_can_be_completed_or_given_up() {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("prd.md"), crate::documents::PRD).unwrap();
    scratch.write(".gitignore", "docs/\n");
    scratch.git(["add", ".gitignore"]);
    scratch.git(["commit", "-qm", "ignore"]);
    for _ in 0..2 {
        let ran = scratch.run(["new", "--until", "specify", IDEA, "--prd", "../prd.md"]).expect(3);
        assert!(ran.stderr.contains("take docs/features/"), "{}", ran.stderr);
    }
    let ran = scratch.run(["new", "--until", "specify", IDEA, "--prd", "../prd.md"]).expect(3);
    for command in ["redraft run 003", "redraft decide 003 abandon"] {
        assert!(ran.stderr.contains(command), "{}", ran.stderr);
    }
    scratch.run(["decide", "003", "abandon"]).expect(0);
    let status = scratch.json(["status", "003"]);
    assert_eq!(status["features"][0]["status"], "abandoned");
    scratch.run(["run", "001"]).expect(3);
    fs::write(scratch.worktree("001").join(".gitignore"), "").unwrap();
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(fs::read_to_string(scratch.artifacts("001").join("prd.md")).unwrap(), crate::documents::PRD);
}

/// Makes the ledger so large that a command no longer checks all of it, and lets one command check it.
#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
fn grow(scratch: &Scratch) {
    let ledger = own_ledger(scratch);
    for number in 0..10 {
        let events = [Unreadable { kind: String::new(), detail: "x".repeat(100_000), blob: None }.into()];
        let decided_on = ledger.last_seq(Scope::Repo).unwrap();
        let blobs = [vec![number; 10_000]];
        ledger
            .append(Append {
                scope: Scope::Repo,
                decided_on,
                at_ms: 0,
                events: &events,
                blobs: &blobs,
                board: None,
                elsewhere: None,
            })
            .unwrap();
    }
    drop(ledger);
    scratch.run(["new", "--until", "specify", "the command that looks"]).expect(0);
}

/// Every event up to now, as text.
fn history(scratch: &Scratch) -> Vec<String> {
    scratch.run(["log"]).expect(0).stdout.lines().map(str::to_owned).collect()
}

#[test]
fn a_full_disk_is_told_and_the_run_goes_on_when_there_is_space() {
    let scratch = feature(IDEA);
    let (mut before, mut failed, mut ledger) = (history(&scratch), 0, 0);
    // No file may grow beyond this many blocks.
    for blocks in (0..=160).step_by(8) {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" run 001");
        let mut command = scratch.command("bash");
        let ran = Ran::new(command.args(["-c", &script, PROGRAM]).output().unwrap());
        let after = history(&scratch);
        assert!(after.starts_with(&before), "{blocks}: nothing that was stored is lost");
        scratch.run(["status", "--verify"]).expect(0);
        before = after;
        if ran.code == Some(0) {
            break;
        }
        failed += 1;
        ledger += usize::from(ran.stderr.contains("a quota or a file size limit is reached"));
        assert_eq!(ran.code, Some(3), "{blocks}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{blocks}: {}", ran.stderr);
    }
    assert!(failed >= 3 && ledger >= 2, "{failed} runs failed, {ledger} of them at the ledger");
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(left(&scratch).outcome, "approved");
    on_a_small_disk(&scratch);
}

#[test]
fn a_configuration_that_cannot_be_written_whole_is_not_left_behind() {
    let scratch = Scratch::repository(PROGRAM);
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" init";
    let ran = Ran::new(scratch.command("bash").args(["-c", script, PROGRAM]).output().unwrap());
    if ran.code == Some(0) {
        let bytes = fs::metadata(scratch.root().join("redraft.toml")).unwrap().len();
        panic!("the template has {bytes} bytes and fits the limit of this test");
    }
    let ran = ran.expect(3);
    assert!(ran.stderr.contains("run `redraft init` again"), "{}", ran.stderr);
    assert!(!scratch.root().join("redraft.toml").exists());
    scratch.run(["init"]).expect(0);
}

/// The same on a disk that is really full, where one can be mounted: in a namespace of our own, by the superuser or by
/// anybody whom the system allows it.
fn on_a_small_disk(scratch: &Scratch) {
    let script = r#"
        set -e; mkdir ../small; mount -t tmpfs -o size=4m small ../small; mkdir ../small/repo; cd ../small/repo
        git init -q -b main; git config user.name T; git config user.email t@example.invalid
        git commit -q --allow-empty -m first; "$0" new --until specify "Export the monthly report as CSV" > /dev/null 2>&1
        for left in 0 4 8 16 32 64 128 256; do
            free=$(df --output=avail -k . | tail -n 1)
            [ $free -le $left ] || dd if=/dev/zero of=../filler bs=1k count=$((free - left)) status=none
            said=$("$0" run 001 2>&1) && code=0 || code=$?
            rm -f ../filler
            [ $code = 0 ] || [ $code = 3 ] || { echo "left $left: code $code, $said"; exit 1; }
            [ $code = 0 ] || [[ $said == *"hint: "* ]] || { echo "left $left: $said"; exit 1; }
            if [ $code = 3 ]; then echo failed; fi
            if [[ $said == *"no space left"* ]]; then echo full; fi
            "$0" status --verify > /dev/null 2>&1
        done
        "$0" run 001 > /dev/null 2>&1; "$0" status"#;
    let possible = |words: &[&str]| {
        let tried =
            scratch.command("unshare").args(words).args(["mount", "-t", "tmpfs", "none", "/mnt"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let Some(words) = [&["-m"][..], &["-rm"]].into_iter().find(|words| possible(words)) else { return };
    let mut command = scratch.command("unshare");
    let ran = Ran::new(command.args(words).args(["bash", "-c", script, PROGRAM]).output().unwrap()).expect(0);
    assert!(ran.stdout.matches("failed\n").count() >= 3, "{}", ran.stdout);
    assert!(ran.stdout.matches("full\n").count() >= 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("001 export-the-monthly-report-as-csv  approved"), "{}", ran.stdout);
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    // A file where a folder must be is refused for everybody, the superuser included.
    let other = Scratch::repository(PROGRAM);
    fs::write(other.state(), "in the way").unwrap();
    let ran = other.run(["new", "--until", "specify", IDEA]).expect(3);
    assert!(ran.stderr.contains("redraft"), "{}", ran.stderr);
    let status = read_only(&scratch, "\"$0\" status");
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    let untouched = Scratch::repository(PROGRAM);
    for (scratch, command, object) in [
        (&scratch, "new another", ".git/redraft/locks/repo"),
        (&scratch, "run 001", ".git/redraft/locks/001"),
        (&untouched, "new another", ""),
        (&untouched, "init", ""),
    ] {
        let ran = read_only(scratch, &format!("\"$0\" {command}"));
        assert_eq!(ran.code, Some(3), "{command}: {}", ran.stderr);
        let object = format!("{}/{object}", scratch.root().display());
        let words = format!("hint: make {} writable for you", object.trim_end_matches('/'));
        assert!(ran.stderr.contains(&words), "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: or work in a clone of your own: git clone"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("SQLite") && !ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
}

/// Runs a command with the repository on a disk that cannot be written: as the superuser by a read-only mount in
/// a namespace of its own, otherwise by taking away the right to write.
fn read_only(scratch: &Scratch, command: &str) -> Ran {
    let mounted = "mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && ";
    let script = format!(
        "if [ \"$(id -u)\" = 0 ]; then exec unshare -m bash -c '{mounted}{command}' \"$0\"; \
         else chmod -R a-w .; {command}; code=$?; chmod -R u+w .; exit $code; fi"
    );
    Ran::new(scratch.command("bash").args(["-c", &script, PROGRAM]).output().unwrap())
}
