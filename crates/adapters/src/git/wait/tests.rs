//! Calls that hang, each with what it hangs on.

use super::super::error::GitError;
use super::super::run::Git;
use super::super::tests::repositories::TestRepository;
use redraft_engine::ports::WorkspaceError;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_millis(300);

/// A git that runs this script instead.
fn instead(bed: &TestRepository, script: &str) -> Git {
    let program = bed.root.join(".git/other-git");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    // It would be asked where its folders are.
    bed.git.guard().told(&bed.root, &bed.root.join(".git"), &bed.root.join(".git"));
    bed.git.clone().with_program(program).with_limit(LIMIT)
}

/// Whether a process of this number still runs.
fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn marker(bed: &TestRepository) -> PathBuf {
    bed.root.join(".git/redraft/marker")
}

#[test]
fn a_call_that_hangs_is_ended_at_its_limit_with_all_it_started_and_says_what_it_waited_for() {
    let cases = [
        ("it hangs itself", "exec tail -f /dev/null", None),
        ("a prompt nobody sees", "tail -f /dev/null & echo $! > PIDS; wait", Some("tail")),
        (
            "deaf to requests",
            "trap '' TERM; tail -f /dev/null & echo $! > PIDS; wait; wait; wait",
            Some("tail"),
        ),
        ("it prints for ever", "while :; do echo x; done", None),
        ("silent, and its pipes are closed", "exec >/dev/null 2>&1; exec tail -f /dev/null", None),
    ];
    for (name, script, waited_for) in cases {
        for (input, marked) in [(None, false), (Some(1_000_000), false), (Some(10), true)] {
            let bed = TestRepository::new();
            let pids = bed.root.join(".git/pids");
            let git = instead(&bed, &script.replace("PIDS", pids.to_str().unwrap()));
            let mut call = git.call(&bed.root, ["commit", "-m", "x"]);
            if let Some(length) = input {
                call = call.input(vec![b'x'; length]);
            }
            if marked {
                call = call.marked(marker(&bed));
            }
            let began = Instant::now();
            let error = call.end().unwrap_err();
            assert!(began.elapsed() >= LIMIT, "{name}");
            let GitError::Slow { waited_for: found, .. } = &error else { panic!("{name}: {error}") };
            assert_eq!(found.as_deref(), waited_for, "{name}");
            let told = WorkspaceError::from(error).to_string();
            assert!(
                told.starts_with("git commit -m x was not finished after 300 ms and was stopped"),
                "{told}"
            );
            if let Ok(pid) = fs::read_to_string(&pids) {
                assert!(!runs(&pid), "{name}: what it had started still runs");
            }
        }
    }
}

#[test]
fn a_call_that_ends_in_time_is_heard_to_its_end() {
    let bed = TestRepository::new();
    for (script, stdout, stderr, code) in [
        ("echo out; echo err >&2; exit 3", "out\n", "err\n", 3),
        ("cat; echo done >&2", "hello", "done\n", 0),
        ("exec 1>&-; echo late >&2", "", "late\n", 0),
        // What it leaves running keeps its pipes for a moment.
        ("(read -r _ < /dev/null; printf zzz) &", "zzz", "", 0),
    ] {
        let git = instead(&bed, script).with_limit(super::LIMIT);
        let done = git.call(&bed.root, ["x"]).input(b"hello".to_vec()).end().unwrap();
        let found = (String::from_utf8(done.stdout).unwrap(), done.stderr, done.code);
        assert_eq!(found, (stdout.to_owned(), stderr.to_owned(), Some(code)), "{script}");
    }
}

#[test]
fn a_companion_that_does_not_answer_is_given_up_at_the_limit() {
    use super::super::lasting_git::{LastingGit, Slot};
    let bed = TestRepository::new();
    let git = instead(&bed, "tail -f /dev/null & wait");
    let slot = Slot::default();
    let began = Instant::now();
    let start = || LastingGit::start(git.call(&bed.root, ["cat-file", "--batch"]), &bed.root.join(".git"));
    let error = slot.ask(start, |companion| companion.line()).unwrap_err();
    assert!(matches!(&error, GitError::Slow { waited_for: Some(name), .. } if name == "tail"), "{error}");
    assert!(began.elapsed() < 20 * LIMIT, "it is not asked again");
}
