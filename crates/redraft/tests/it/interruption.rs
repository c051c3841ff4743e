//! Ctrl-C, a second driver, and two features at once.

use crate::world::{answered, feature, left};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

const IDEA: &str = "Export the monthly report as CSV";

/// A run whose reviewer never answers, started and already waiting for it.
fn hanging(scratch: &Scratch) -> Child {
    scratch.scenario("[[rule]]\nticket = \"001/*/review/spec-reviewer/1.1\"\ndo = \"hang\"\n");
    let mut command = scratch.redraft(["run", "001"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("review/spec-reviewer/1.1 sent") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the run ended early");
    }
    // Read on, so that the run never waits for us.
    std::thread::spawn(move || std::io::copy(&mut talk, &mut std::io::sink()));
    child
}

fn signal(scratch: &Scratch, child: &Child, name: &str) {
    let sent = scratch.command("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_stops_cleanly_and_the_same_command_continues() {
    for name in ["-INT", "-TERM"] {
        let scratch = feature(IDEA);
        let child = hanging(&scratch);
        signal(&scratch, &child, name);
        let ran = Ran::of(child.wait_with_output().unwrap()).expect(130);
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
fn a_second_driver_is_refused_by_name_and_another_feature_may_run() {
    let scratch = feature(IDEA);
    scratch.run(["new", "Show the weather on the start page"]).expect(0);
    let mut child = hanging(&scratch);
    for words in [&["run", "001"][..], &["decide", "001", "retry"]] {
        let ran = scratch.run(words).expect(7);
        assert!(ran.stderr.contains("`redraft run 001` of tester, process "), "{}", ran.stderr);
    }
    scratch.run(["run", "002"]).expect(0);
    let status = scratch.run(["status"]).expect(0);
    assert!(status.stdout.contains("001 ") && status.stdout.contains("002 "), "{}", status.stdout);
    scratch.run(["status", "--rebuild"]).expect(0);
    child.kill().unwrap();
    child.wait().unwrap();
    scratch.scenario("");
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn a_crash_while_a_feature_is_made_is_mended_by_the_next_command() {
    for boundary in 1..20 {
        let scratch = redraft_testkit::Scratch::repository(crate::world::PROGRAM);
        fs::write(scratch.outside().join("prd.md"), crate::documents::PRD).unwrap();
        let mut command = scratch.redraft(["new", IDEA, "--prd", "../prd.md"]);
        let output = command.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string()).output().unwrap();
        if output.status.code() == Some(0) {
            assert!(boundary > 3, "too few boundaries in `new`");
            return;
        }
        assert_eq!(output.status.code(), None);
        let features = scratch.json(["status"])["features"].as_array().unwrap().len();
        if features == 0 {
            scratch.run(["new", IDEA, "--prd", "../prd.md"]).expect(0);
        }
        scratch.run(["run", "001"]).expect(0);
        assert_eq!(
            fs::read_to_string(scratch.artifacts("001").join("prd.md")).unwrap(),
            crate::documents::PRD
        );
    }
    panic!("`new` never came to its end");
}
