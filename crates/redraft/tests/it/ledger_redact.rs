//! `redraft ledger redact`: a secret that got in is taken out again, wherever it is.

use crate::documents::PRD;
use crate::world::{PROGRAM, bodies, events};
use redraft_adapters::lock::{Holder, Lock};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// Does not look like a secret, so nothing keeps it out; with letters that JSON and shells escape.
const SECRET: &str = "sword\"fish-Plaza/4711+q";

/// The end of it, which is the same in every spelling except base64.
const TELLING: &str = "fish-Plaza/4711+q";

/// A feature whose idea and PRD hold the secret, not yet run.
fn feature() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    let prd = format!("{PRD}\n\n## Access\n\nThe store is opened with {SECRET} by hand.\n");
    fs::write(scratch.outside().join("prd.md"), prd).unwrap();
    let idea = format!("Export the monthly report as CSV for the store that {SECRET} opens");
    scratch.run(["new", "--until", "specify", &idea, "--prd", "../prd.md"]).expect(0);
    scratch
}

pub(crate) fn redact(scratch: &Scratch, words: &[&str], secret: &str) -> Ran {
    let mut command = scratch.redraft([&["ledger", "redact"], words].concat());
    told(&mut command, secret)
}

pub(crate) fn told(command: &mut std::process::Command, secret: &str) -> Ran {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that needs no secret does not read it.
    let _ = child.stdin.take().unwrap().write_all(secret.as_bytes());
    Ran::new(child.wait_with_output().unwrap())
}

/// Where the secret can be found: files of the whole repository, and objects as git shows them.
fn places(scratch: &Scratch) -> Vec<String> {
    let found =
        scratch.command("grep").args(["-rlaF", TELLING, "."]).current_dir(scratch.root()).output().unwrap();
    let mut places: Vec<String> = String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect();
    let objects = scratch
        .command("git")
        .args(["cat-file", "--batch-all-objects", "--batch"])
        .current_dir(scratch.root())
        .output()
        .unwrap();
    if objects.stdout.windows(TELLING.len()).any(|window| window == TELLING.as_bytes()) {
        places.push("an object of git".to_owned());
    }
    places
}

fn require_clean(scratch: &Scratch, when: &str) {
    assert_eq!(places(scratch), [""; 0], "{when}");
    let checked = scratch.run(["status", "--verify"]).expect(0);
    assert!(
        checked.stderr.contains("replaced when a secret was removed (event "),
        "{when}: {}",
        checked.stderr
    );
    let fsck =
        scratch.command("git").args(["fsck", "--no-dangling"]).current_dir(scratch.root()).output().unwrap();
    let said = String::from_utf8_lossy(&fsck.stderr).into_owned() + &String::from_utf8_lossy(&fsck.stdout);
    assert!(fsck.status.success() && !said.contains("missing") && !said.contains("broken"), "{when}: {said}");
    let worktree = scratch.worktree("001");
    assert_eq!(scratch.git_in(&worktree, ["status", "--porcelain"]), "", "{when}");
}

#[test]
fn a_secret_is_taken_out_of_a_finished_feature_and_nothing_of_it_is_left() {
    let scratch = feature();
    scratch.run(["run", "001"]).expect(0);
    let before = places(&scratch);
    for place in ["ledger.db", "sessions/", "prd.md", "an object of git"] {
        assert!(before.iter().any(|found| found.contains(place)), "{place}: {before:?}");
    }
    let head = scratch.git_in(&scratch.worktree("001"), ["rev-parse", "HEAD"]);
    let ran = redact(&scratch, &[], SECRET).expect(6);
    assert!(
        ran.stdout.contains("nothing was changed; to remove it: redraft ledger redact --yes"),
        "{}",
        ran.stdout
    );
    assert_eq!(places(&scratch), before, "a look changes nothing");

    let ran = redact(&scratch, &["--yes", "--why", &format!("{SECRET} came in")], SECRET).expect(0);
    assert!(ran.stdout.contains("revoke the secret"), "{}", ran.stdout);
    assert!(!ran.stdout.contains(TELLING) && !ran.stderr.contains(TELLING));
    require_clean(&scratch, "afterwards");
    assert_ne!(scratch.git_in(&scratch.worktree("001"), ["rev-parse", "HEAD"]), head);
    let events = events(&scratch);
    let said: Vec<_> = bodies(&events, "redacted").collect();
    assert!(said.len() == 1 && said[0]["why"] == "[redacted] came in", "{said:?}");
    let prd = fs::read_to_string(scratch.artifacts("001").join("prd.md")).unwrap();
    assert!(prd.contains("is opened with [redacted] by hand"), "{prd}");
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["show", "findings", "001"]).expect(0);
    let again = redact(&scratch, &["--yes"], SECRET).expect(0);
    assert!(again.stdout.contains("it is not in anything that redraft stores"), "{}", again.stdout);
}

#[test]
fn a_feature_goes_on_wherever_it_stood_when_the_secret_was_taken_out() {
    for boundary in ["3", "9", "16", "24", "33"] {
        let scratch = feature();
        scratch.redraft(["run", "001"]).env("REDRAFT_ABORT_AT_BOUNDARY", boundary).output().unwrap();
        redact(&scratch, &["--yes"], SECRET).expect(0);
        assert_eq!(places(&scratch), [""; 0], "boundary {boundary}");
        scratch.run(["run", "001"]).expect(0);
        require_clean(&scratch, boundary);
        let closed = bodies(&events(&scratch), "phase-closed").count();
        assert_eq!(closed, 1, "boundary {boundary}");
    }
}

#[test]
fn killed_anywhere_it_is_refused_to_go_on_until_it_is_done_again_and_then_nothing_is_left() {
    let mut killed = 0;
    for boundary in 1.. {
        let scratch = feature();
        scratch.run(["run", "001"]).expect(0);
        let boundary = boundary.to_string();
        let mut command = scratch.redraft(["ledger", "redact", "--yes"]);
        let ran = told(command.env("REDRAFT_ABORT_AT_BOUNDARY", &boundary), SECRET);
        if ran.code == Some(0) {
            break;
        }
        killed += 1;
        scratch.run(["status"]).expect(0);
        let refused = scratch.run(["new", "--until", "specify", "Another idea"]).expect(3);
        assert!(refused.stderr.contains("redraft ledger redact"), "{boundary}: {}", refused.stderr);
        redact(&scratch, &["--yes"], SECRET).expect(0);
        require_clean(&scratch, &boundary);
        scratch.run(["run", "001"]).expect(0);
    }
    assert_eq!(killed, 9, "every step of it");
}

#[test]
fn what_was_merged_or_pushed_or_is_ignored_is_named_and_left() {
    let scratch = feature();
    scratch.run(["run", "001"]).expect(0);
    let branch = scratch.git_in(&scratch.worktree("001"), ["branch", "--show-current"]);
    scratch.git(["branch", "kept", branch.trim()]);
    scratch.git(["update-ref", &format!("refs/remotes/origin/{}", branch.trim()), branch.trim()]);
    let kept = scratch.git(["rev-parse", "kept"]);
    let ignored = scratch.worktree("001").join("secret.log");
    fs::write(scratch.root().join(".git/info/exclude"), "*.log\n").unwrap();
    fs::write(&ignored, SECRET).unwrap();
    let ran = redact(&scratch, &["--yes"], SECRET).expect(1);
    for words in [
        "refs/heads/kept, which redraft does not rewrite",
        "refs/remotes/origin/feature/001-",
        "secret.log, which git ignores",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert_eq!(scratch.git(["rev-parse", "kept"]), kept);
    assert_eq!(fs::read_to_string(&ignored).unwrap(), SECRET);
    let left = scratch.git(["grep", "-c", "-F", TELLING, "kept", "--", "docs"]);
    assert!(!left.is_empty(), "somebody's branch is as it was");
    scratch.run(["status", "--verify"]).expect(0);
}

#[test]
fn it_waits_for_no_run_and_takes_no_word_that_is_needed() {
    let scratch = feature();
    scratch.run(["run", "001"]).expect(0);
    let holder = Holder {
        pid: std::process::id(),
        user: "ada".into(),
        since_ms: 0,
        command: "redraft run".into(),
        asks: false,
    };
    let lock = Lock::take(&scratch.state(), "001", &holder).unwrap();
    let held = redact(&scratch, &["--yes"], SECRET).expect(7);
    assert!(held.stderr.contains("feature 001 is held by"), "{}", held.stderr);
    drop(lock);
    for (text, words) in [
        ("abc", "fewer than 6 characters"),
        ("redacted", "it is part of `[redacted]`"),
        ("spec-reviewer", "it is part of `spec-reviewer`, a word that redraft itself uses"),
        ("approved", "would make no sense without it"),
    ] {
        let refused = redact(&scratch, &["--yes"], text).expect(2);
        assert!(refused.stderr.contains(words), "{text}: {}", refused.stderr);
    }
    scratch.run(["status", "--verify"]).expect(0);
}

#[test]
fn a_secret_can_be_named_by_where_it_stands() {
    let key = format!("AKIA{}", "IOSFODNN7Q3WTZ2B");
    for named in ["file", "event"] {
        let scratch = feature();
        scratch.run(["run", "001"]).expect(0);
        let note = scratch.artifacts("001").join("notes.md");
        fs::write(&note, format!("one\ntwo {key} three\n")).unwrap();
        let words = match named {
            "file" => vec!["--yes".to_owned(), "--file".to_owned(), format!("{}:2", note.display())],
            _ => vec!["--yes".to_owned(), "--event".to_owned(), "1".to_owned()],
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if named == "file" {
            redact(&scratch, &words, "").expect(0);
            assert_eq!(fs::read_to_string(&note).unwrap(), "one\ntwo [redacted] three\n");
        } else {
            let refused = redact(&scratch, &words, "").expect(2);
            assert!(refused.stderr.contains("nothing in event 1 looks like a secret"), "{}", refused.stderr);
        }
    }
}

#[test]
fn a_secret_in_the_name_of_a_feature_is_left_there_and_told_and_the_feature_goes_on() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "swordfish-4711 opens the store"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    for again in [false, true] {
        let ran = redact(&scratch, &["--yes"], "swordfish-4711").expect(1);
        assert!(ran.stdout.contains("it is still in the name of feature 001"), "{again}: {}", ran.stdout);
        assert_eq!(ran.stdout.contains("removed from"), !again, "{}", ran.stdout);
        scratch.run(["status", "--verify"]).expect(0);
    }
    let created = bodies(&events(&scratch), "feature-created").next().unwrap().clone();
    assert_eq!(created["idea"], "[redacted] opens the store");
    assert_eq!(created["slug"], "swordfish-4711-opens-the-store");
    let spec = fs::read_to_string(scratch.artifacts("001").join("spec.md")).unwrap();
    assert!(spec.contains("[redacted]") && !spec.contains("swordfish"), "{spec}");
    scratch.run(["phase", "back", "001", "specify", "--why", "once more"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    // Without a branch nothing is found by the name any more.
    scratch.run(["decide", "001", "abandon"]);
    scratch.git(["worktree", "remove", "--force", scratch.worktree("001").to_str().unwrap()]);
    scratch.git(["branch", "-D", created["branch"].as_str().unwrap()]);
    let ran = redact(&scratch, &["--yes"], "swordfish-4711");
    assert!(!ran.stdout.contains("name of feature"), "{}{}", ran.stdout, ran.stderr);
    assert!(!events(&scratch).iter().any(|event| event.to_string().contains("swordfish")));
    scratch.run(["status", "--verify"]).expect(0);
}

#[test]
fn a_secret_is_taken_out_of_the_folder_that_checks_run_in_also_by_whoever_was_killed() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("tests/run.sh", "cp -r docs built 2> /dev/null; exit 0\n");
    scratch.write(".gitignore", "built/\n");
    scratch
        .write("redraft.toml", "[checks]\ntests = \"sh tests/run.sh\"\n[roles]\ndefault = \"rehearsal\"\n");
    scratch.git(["add", "-A"]);
    scratch.git(["commit", "--quiet", "-m", "begin"]);
    scratch.run(["trust", "--yes"]).expect(0);
    let idea = format!("Greet people in notes.sh, the door that {TELLING} opens");
    scratch.run(["new", "--lane", "express", &idea]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    let in_check = |scratch: &Scratch| places(scratch).iter().any(|place| place.contains("/check-"));
    assert!(in_check(&scratch), "{:?}", places(&scratch));
    let mut killed = scratch.redraft(["ledger", "redact", "--yes"]);
    killed.env("REDRAFT_ABORT_AT_BOUNDARY", "3");
    told(&mut killed, TELLING);
    assert!(in_check(&scratch), "it was killed before");
    redact(&scratch, &["--yes"], TELLING).expect(0);
    assert_eq!(places(&scratch), [""; 0]);
    scratch.run(["run", "001", "--yes"]).expect(0);
    scratch.run(["status", "--verify"]).expect(0);
}
