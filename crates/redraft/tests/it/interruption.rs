//! Ctrl-C, a second driver, and two features at once.

mod cost;

use crate::world::{answered, bodies, events, feature, left, own_ledger};
use redraft_engine::ports::{Append, Store};
use redraft_facts::event::{Cancelled, Event, Unreadable};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const IDEA: &str = "Export the monthly report as CSV";

/// A run whose reviewer never answers, started and already waiting for it.
fn hanging(scratch: &Scratch, stdout: Stdio) -> (Child, JoinHandle<String>) {
    scratch.scenario(HANGS);
    run_until(scratch, &["run", "001", "-v"], stdout, "review/spec-reviewer/1.1 sent")
}

pub(crate) const HANGS: &str = "[[rule]]\nticket = \"001/*/review/spec-reviewer/1.1\"\ndo = \"hang\"\n";

/// A run that has said this, and goes on.
pub(crate) fn run_until(
    scratch: &Scratch,
    words: &[&str],
    stdout: Stdio,
    said: &str,
) -> (Child, JoinHandle<String>) {
    let mut command = scratch.redraft(words);
    let mut child = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(said) {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the run ended early");
    }
    // Read on, so that the run never waits for us.
    let rest = std::thread::spawn(move || std::io::read_to_string(talk).unwrap());
    (child, rest)
}

pub(crate) fn signal(scratch: &Scratch, child: &Child, name: &str) {
    let sent = scratch.command("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_stops_cleanly_and_the_same_command_continues() {
    for name in ["-INT", "-TERM"] {
        let scratch = feature(IDEA);
        let (child, _) = hanging(&scratch, Stdio::piped());
        signal(&scratch, &child, name);
        let ran = Ran::new(child.wait_with_output().unwrap()).expect(130);
        assert!(ran.stdout.contains("feature 001 is interrupted"), "{}", ran.stdout);
        assert!(ran.stdout.contains("next: redraft run 001"), "{}", ran.stdout);
        scratch.scenario("");
        scratch.run(["run", "001"]).expect(0);
        assert_eq!(left(&scratch).outcome, "approved");
        assert_eq!(
            answered(&scratch).get("001/specify.1/review/spec-reviewer/1.1"),
            None,
            "it was never answered"
        );
    }
}

#[test]
fn a_run_that_stands_still_is_told_from_one_that_works_and_who_was_asked_from_who_was_not() {
    let scratch = feature(IDEA);
    let (child, _) = hanging(&scratch, Stdio::piped());
    let still = "it stands still (Ctrl-Z): fg in its terminal continues it";
    let status = || scratch.run(["status"]).expect(0).stdout;
    assert!(!status().contains(still));
    let reviewer = &scratch.json(["report", "001"])["phases_in_detail"][0]["reviewers"][0];
    assert_eq!((&reviewer["role"], &reviewer["standing"]), (&"spec-reviewer".into(), &"asked".into()));
    if cfg!(target_os = "linux") {
        signal(&scratch, &child, "-STOP");
        assert!(status().contains(still), "{}", status());
        signal(&scratch, &child, "-CONT");
    }
    signal(&scratch, &child, "-INT");
    Ran::new(child.wait_with_output().unwrap()).expect(130);
}

/// `timeout` signals the program and then its whole group. Two signals of one kind may come as one, so these are of two.
#[test]
fn two_signals_at_once_are_one_wish_and_the_result_is_printed() {
    let scratch = feature(IDEA);
    let (child, _) = hanging(&scratch, Stdio::piped());
    let id = child.id().to_string();
    let both = format!("kill -INT {id}; kill -TERM {id}");
    assert!(scratch.command("sh").args(["-c", &both]).status().unwrap().success());
    let ran = Ran::new(child.wait_with_output().unwrap()).expect(130);
    assert!(ran.stdout.contains("feature 001 is interrupted"), "{}", ran.stdout);
    assert!(ran.stdout.contains("next: redraft run 001"), "{}", ran.stdout);
}

/// An import that waits for more of its input, and has read some of it.
fn importing(scratch: &Scratch) -> Child {
    /// More than a pipe holds, so that whoever could write it all knows that it is being read.
    const BYTES: usize = 1 << 20;
    let mut command = scratch.redraft(["ledger", "import", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(&vec![b' '; BYTES]).unwrap();
    child
}

/// A program that waits for its input does not see that it is to stop.
#[test]
fn a_second_signal_ends_what_the_first_could_not_stop() {
    const ONE_WISH: Duration = Duration::from_millis(600);
    const PAUSE: Duration = Duration::from_millis(100);
    const TRIES_MAX: usize = 600;
    let scratch = Scratch::repository(crate::world::PROGRAM);
    let mut child = importing(&scratch);
    // Also two that are not of one kind are one wish.
    let id = child.id().to_string();
    let both = format!("kill -USR1 {id}; kill -TERM {id}");
    assert!(scratch.command("sh").args(["-c", &both]).status().unwrap().success());
    drop(child.stdin.take());
    let ran = Ran::new(child.wait_with_output().unwrap());
    assert_ne!(ran.code, Some(130), "it was ended at once");
    assert!(ran.stderr.contains("error: "), "it came to its own end: {}", ran.stderr);

    let mut child = importing(&scratch);
    signal(&scratch, &child, "-USR1");
    let began = Instant::now();
    while began.elapsed() < ONE_WISH {
        std::thread::park_timeout(ONE_WISH);
        assert_eq!(child.try_wait().unwrap(), None, "the first signal only asks");
    }
    // On a busy machine it may take longer until the next one counts.
    let ended = (0..TRIES_MAX).find_map(|_| {
        let _ =
            scratch.command("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
        std::thread::park_timeout(PAUSE);
        child.try_wait().unwrap()
    });
    assert_eq!(ended.and_then(|ended| ended.code()), Some(130));
}

/// A run whose reviewer takes a while, started and already waiting for it.
fn slow(scratch: &Scratch, stdin: Stdio, words: &[&str]) -> Child {
    scratch
        .scenario("[[rule]]\nticket = \"001/*/review/spec-reviewer/1.1\"\ndo = \"late\"\nwait_ms = 1500\n");
    let mut command = match words {
        [] => scratch.redraft(["run", "001", "-v"]),
        [first, rest @ ..] => {
            let redraft = scratch.redraft(["run", "001", "-v"]);
            let mut command = scratch.command(first);
            command.args(rest).arg(redraft.get_program()).args(redraft.get_args());
            command
        }
    };
    let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("review/spec-reviewer/1.1 sent") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the run ended early");
    }
    std::thread::spawn(move || std::io::read_to_string(talk));
    child
}

#[test]
fn a_closed_terminal_loses_no_dispatch_and_a_run_without_one_goes_on() {
    let reviewed = "001/specify.1/review/spec-reviewer/1.1";
    for (name, has_terminal, words) in
        [("a terminal", true, &[][..]), ("none", false, &[]), ("nohup", true, &["nohup"])]
    {
        let scratch = feature(IDEA);
        let told = scratch.outside().join("told");
        let command = format!("command = 'echo $REDRAFT_REASON > {}'", told.display());
        scratch.configure(&format!(
            "[roles]\ndefault = \"rehearsal\"\n[notify]\nafter_seconds = 0\n{command}\n"
        ));
        let (terminal, end) = crate::terminal::pair();
        let child = slow(&scratch, if has_terminal { end.into() } else { Stdio::null() }, words);
        signal(&scratch, &child, "-HUP");
        let ran = Ran::new(child.wait_with_output().unwrap());
        drop(terminal);
        let goes_on = !has_terminal || !words.is_empty();
        assert_eq!(ran.code, Some(if goes_on { 0 } else { 130 }), "{name}: {}", ran.stdout);
        assert!(answered(&scratch).contains_key(reviewed), "{name}: what was under way is stored");
        assert_eq!(bodies(&events(&scratch), "lost").count(), 0, "{name}");
        let expected = if goes_on { "ended\n" } else { "waiting\n" };
        assert_eq!(std::fs::read_to_string(&told).unwrap(), expected, "{name}: a person is told");
        scratch.scenario("");
        scratch.run(["run", "001"]).expect(0);
        assert_eq!(left(&scratch).outcome, "approved", "{name}");
    }
}

#[test]
fn an_edit_made_while_a_run_was_dead_is_undone_and_the_next_run_says_how_to_get_it_back() {
    for json in [false, true] {
        let scratch = feature(IDEA);
        let (mut child, _) = hanging(&scratch, Stdio::piped());
        child.kill().unwrap();
        child.wait().unwrap();
        scratch.scenario("");
        let spec = scratch.artifacts("001").join("spec.md");
        let mine = fs::read_to_string(&spec).unwrap() + "\nWritten by hand.\n";
        fs::write(&spec, &mine).unwrap();
        let command = if json {
            let ran = scratch.json(["run", "001"]);
            let undone = ran["undone"].as_array().unwrap().clone();
            assert_eq!(undone.len(), 1, "{ran}");
            assert_eq!(undone[0]["ticket"], "001/specify.1/review/spec-reviewer/1.1");
            assert_eq!(undone[0]["ref"], "refs/redraft/lost/001/specify.1/review/spec-reviewer/1.1");
            assert!(undone[0]["what"][0].as_str().unwrap().ends_with("/spec.md"), "{ran}");
            undone[0]["command"].as_str().unwrap().to_owned()
        } else {
            let ran = scratch.run(["run", "001"]).expect(0);
            assert!(ran.stdout.contains("refs/redraft/lost/001/specify.1/"), "{}", ran.stdout);
            let said = "what was undone is kept; to get it back: ";
            ran.stderr.lines().find_map(|line| line.split_once(said)).unwrap().1.to_owned()
        };
        assert!(!fs::read_to_string(&spec).unwrap().contains("Written by hand."));
        let did = scratch.command("sh").args(["-c", &command]).status().unwrap();
        assert!(did.success(), "{command}");
        assert_eq!(fs::read_to_string(&spec).unwrap(), mine, "{command}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
fn an_error_after_ctrl_c_that_does_not_come_from_it_is_told() {
    let cancelled = || Event::from(Cancelled { by: "somebody".into(), why: "else".into() });
    let unreadable = || Event::from(Unreadable { kind: String::new(), detail: "lost".into(), blob: None });
    let cases: [(&str, Scope, Event, bool, &str); 2] = [
        (
            "the feature moved on",
            Scope::Feature(FeatureId(1)),
            cancelled(),
            false,
            "changed by another process",
        ),
        // What another process wrote makes the run read the file again, and there is no longer a ledger in it.
        ("the ledger is damaged", Scope::Repo, unreadable(), true, "is damaged"),
    ];
    for (what, scope, event, damage, told) in cases {
        let scratch = feature(IDEA);
        let mut child = hanging(&scratch, Stdio::null());
        let ledger = own_ledger(&scratch);
        let decided_on = ledger.last_seq(scope.clone()).unwrap();
        let (events, at_ms) = ([event], 0);
        ledger
            .append(Append {
                scope,
                decided_on,
                at_ms,
                events: &events,
                blobs: &[],
                board: None,
                elsewhere: None,
            })
            .unwrap();
        for name in ["ledger.db", "ledger.db-wal"].into_iter().filter(|_| damage) {
            let path = scratch.state().join(name);
            let bytes = fs::metadata(&path).unwrap().len() as usize;
            fs::File::options().write(true).open(&path).unwrap().write_all(&vec![b'x'; bytes]).unwrap();
        }
        signal(&scratch, &child.0, "-INT");
        let code = child.0.wait().unwrap().code();
        let talk = child.1.join().unwrap();
        assert!(code.is_some_and(|code| code != 0 && code != 130), "{what}: {code:?}: {talk}");
        assert!(talk.contains(told), "{what}: {talk}");
    }
}

#[test]
fn a_second_driver_is_refused_by_name_and_another_feature_may_run() {
    let scratch = feature(IDEA);
    scratch.run(["new", "--until", "specify", "Show the weather on the start page"]).expect(0);
    let (mut child, _) = hanging(&scratch, Stdio::piped());
    for words in [&["run", "001"][..], &["decide", "001", "retry"]] {
        let ran = scratch.run(words).expect(7);
        assert!(ran.stderr.contains("`redraft run 001 -v` of Test Person, process "), "{}", ran.stderr);
    }
    let finish = scratch.run(["finish", "001"]).expect(7).stderr;
    for words in [
        "feature 001 is still in specify, so it cannot be finished yet; it is held by `redraft run 001 -v` of ",
        "hint: wait until it has come so far; redraft watch 001 shows it",
        "hint: or stop it: redraft stop 001; redraft run 001 continues it later",
    ] {
        assert!(finish.contains(words), "no `{words}` in {finish}");
    }
    scratch.run(["run", "002"]).expect(0);
    let status = scratch.run(["status"]).expect(0);
    assert!(status.stdout.contains("001 ") && status.stdout.contains("002 "), "{}", status.stdout);
    scratch.run(["status", "--rebuild"]).expect(0);
    child.kill().unwrap();
    child.wait().unwrap();
    scratch.scenario("");
    let finish = scratch.run(["finish", "001"]).expect(2).stderr;
    assert!(finish.contains("hint: continue it: redraft run 001"), "{finish}");
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn a_crash_while_a_feature_is_made_is_mended_by_the_next_command() {
    for boundary in 1..20 {
        let scratch = redraft_testkit::Scratch::repository(crate::world::PROGRAM);
        fs::write(scratch.outside().join("prd.md"), crate::documents::PRD).unwrap();
        let mut command = scratch.redraft(["new", "--until", "specify", IDEA, "--prd", "../prd.md"]);
        let output = command.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string()).output().unwrap();
        if output.status.code() == Some(0) {
            assert!(boundary > 3, "too few boundaries in `new`");
            return;
        }
        assert_eq!(output.status.code(), None);
        let features = scratch.json(["status"])["features"].as_array().unwrap().len();
        if features == 0 {
            scratch.run(["new", "--until", "specify", IDEA, "--prd", "../prd.md"]).expect(0);
        }
        scratch.run(["run", "001"]).expect(0);
        assert_eq!(
            fs::read_to_string(scratch.artifacts("001").join("prd.md")).unwrap(),
            crate::documents::PRD
        );
    }
    panic!("`new` never came to its end");
}
