//! Tests each command from the first minute on: empty places, help, JSON, the next command to type.

use crate::world::{PROGRAM, feature};
use redraft_facts::event::Decision;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Purpose;
use redraft_testkit::Scratch;
use serde_json::json;
use std::fs;

#[test]
fn the_demo_rejects_resumes_approves_and_leaves_nothing_behind() {
    let scratch = Scratch::empty(PROGRAM);
    let ran = scratch.run(["demo"]).expect(0);
    for words in [
        "rejected: ",
        "resume",
        "approved",
        "\ncost: $0.0000 billed\n",
        "next: ",
        "  the demo chose accept (write it into the knowledge bank): a demo asks nobody",
    ] {
        assert!(
            ran.stdout.contains(words) || ran.stderr.contains(words),
            "{words} in\n{}\n{}",
            ran.stdout,
            ran.stderr
        );
    }
    assert_eq!(fs::read_dir(scratch.root()).unwrap().count(), 0);
}

#[test]
fn any_idea_can_be_demonstrated_and_kept_and_every_command_works_there() {
    let scratch = Scratch::empty(PROGRAM);
    let shown = scratch.json(["demo", "Show the weather on the start page", "--keep", "kept"]);
    assert_eq!((&shown["v"], &shown["outcome"]), (&json!(1), &json!("approved")));
    let inside = |words: &[&str], code: i32| {
        let output = scratch.redraft(["-C", "kept"]).args(words).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for words in [
        &["status"][..],
        &["status", "--rebuild"],
        &["log"],
        &["log", "001", "-n", "3"],
        &["show", "prompt"],
        &["show", "prompt", "--verify"],
        &["show", "findings"],
        &["run"],
        &["decide"],
        &["trust"],
        &["init"],
        &["init"],
    ] {
        inside(words, 0);
        let mut with_json = words.to_vec();
        with_json.push("--json");
        let object: serde_json::Value = serde_json::from_str(&inside(&with_json, 0)).unwrap();
        assert_eq!(object["v"], 1, "{words:?}");
    }
    assert_eq!(inside(&["log", "-n", "3"], 0).lines().count(), 3);
    inside(&["new", "--until", "specify", "another idea"], 0);
    inside(&["run", "002"], 0);
    scratch.run(["demo", "--keep", "kept"]).expect(2);
}

#[test]
fn a_repository_without_features_says_how_to_begin() {
    let scratch = Scratch::repository(PROGRAM);
    let status = scratch.run(["status"]).expect(0);
    assert_eq!(status.stdout, "no features yet\nnext: redraft new \"your idea\"\n");
    assert_eq!(scratch.json(["status"])["features"], json!([]));
    assert_eq!(scratch.json(["log"])["events"], json!([]));
    for words in [&["run"][..], &["show", "findings"], &["decide"], &["show", "prompt"]] {
        let ran = scratch.run(words).expect(2);
        assert!(ran.stderr.contains("redraft new"), "{words:?}: {}", ran.stderr);
    }
}

#[test]
fn init_writes_defaults_as_comments_and_never_overwrites() {
    let scratch = Scratch::repository(PROGRAM);
    let said = scratch.run(["init"]).expect(0).stdout;
    assert!(said.contains("found no checks in this project"), "{said}");
    let text = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')), "{text}");
    fs::write(scratch.root().join("redraft.toml"), "[limits]\nrounds = 4\n").unwrap();
    let ran = scratch.run(["init"]).expect(0);
    assert!(ran.stdout.contains("already exists and was not changed"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(scratch.root().join("redraft.toml")).unwrap(), "[limits]\nrounds = 4\n");
}

#[test]
fn json_stdout_is_one_object_and_nothing_else_also_for_errors() {
    let scratch = feature("Export the monthly report as CSV");
    let run = scratch.json(["run"]);
    assert_eq!((&run["v"], &run["outcome"]), (&json!(1), &json!("approved")));
    assert!(run["receipt"]["lines"].as_array().unwrap().len() >= 5);
    let error = scratch.json(["run", "099"]);
    assert_eq!((&error["v"], &error["exit"]), (&json!(1), &json!(2)));
    assert!(error["error"].as_str().unwrap().contains("099"));
}

#[test]
fn every_object_begins_with_its_version() {
    let scratch = feature("Export the monthly report as CSV");
    let ticket = "001/specify.1/draft/spec-author/1.1";
    for words in [
        &["log"][..],
        &["status"],
        &["run"],
        &["log"],
        &["cost"],
        &["decide", "001"],
        &["show", "findings", "001"],
        &["show", "prompt", ticket],
        &["cost", "--why", ticket],
        &["status", "--rebuild"],
        &["doctor"],
        &["trust"],
        &["init"],
        &["new", "--until", "specify", "another idea"],
        &["replay", "--ledger"],
        &["run", "099"],
        &["no-such-verb"],
    ] {
        let ran = scratch.run(words.iter().chain(&["--json"]));
        assert!(
            ran.stdout.starts_with("{\n  \"v\": 1,") || ran.stdout.starts_with("{\"v\":1,"),
            "{words:?}: {}",
            ran.stdout
        );
    }
}

#[test]
fn help_shows_the_verbs_and_a_wrong_word_is_usage() {
    let scratch = Scratch::empty(PROGRAM);
    let help = scratch.run(["--help"]).expect(0).stdout;
    for verb in ["demo", "init", "new", "run", "decide", "status", "log", "show", "trust"] {
        assert!(help.contains(&format!("  {verb} ")), "{verb} in {help}");
        scratch.run([verb, "--help"]).expect(0);
    }
    scratch.run(["rnu"]).expect(2);
    scratch.run(Vec::<&str>::new()).expect(2);
}

#[test]
fn help_names_every_choice_phase_and_purpose() {
    let scratch = Scratch::empty(PROGRAM);
    let decide = scratch.run(["decide", "--help"]).expect(0).stdout;
    for choice in Decision::ALL.map(Decision::name) {
        assert!(decide.contains(choice), "{choice} in {decide}");
    }
    let prompt = scratch.run(["show", "prompt", "--help"]).expect(0).stdout;
    let purposes = Purpose::ALL.into_iter().filter(|purpose| *purpose != Purpose::Probe).map(Purpose::name);
    for word in purposes.chain(Phase::ALL.into_iter().map(Phase::name)) {
        assert!(prompt.contains(word), "{word} in {prompt}");
    }
    assert!(scratch.run(["--help"]).expect(0).stdout.contains("reviewed code"));
}

#[test]
fn a_feature_is_found_by_number_by_worktree_and_when_it_is_the_only_one_open() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["run"]).expect(0);
    scratch.run(["new", "--until", "specify", "Show the weather"]).expect(0);
    scratch.run(["show", "findings", "001-export"]).expect(0);
    let ran = scratch.run(["run"]).expect(0);
    assert!(ran.stdout.contains("feature 002 is approved"), "the only open one: {}", ran.stdout);
    let ran = scratch.run(["run"]).expect(2);
    assert!(ran.stderr.contains("001, 002"), "{}", ran.stderr);
    let inside = scratch
        .redraft(["show", "findings", "--json"])
        .current_dir(scratch.worktree("001"))
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&inside.stdout).contains("\"feature\": \"001\""));
}

#[test]
fn a_prd_is_copied_in_and_read_by_path() {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("idea.md"), crate::documents::PRD).unwrap();
    scratch.run(["new", "--until", "specify", "export the report", "--prd", "../idea.md"]).expect(0);
    assert_eq!(fs::read_to_string(scratch.artifacts("001").join("prd.md")).unwrap(), crate::documents::PRD);
    scratch.run(["run"]).expect(0);
    let prompt =
        scratch.run(["show", "prompt", "--ticket", "001/specify.1/review/spec-reviewer/1.1"]).expect(0);
    assert!(prompt.stdout.contains("\ndocs/features/001-export-the-report/prd.md: "), "{}", prompt.stdout);
    let without = feature("Export the monthly report as CSV");
    without.run(["run"]).expect(0);
    let prompt =
        without.run(["show", "prompt", "--ticket", "001/specify.1/review/spec-reviewer/1.1"]).expect(0);
    assert!(
        prompt.stdout.contains("- PRD: No PRD — feature created without brainstorm"),
        "{}",
        prompt.stdout
    );
}

/// The command after `next: `, without the program's name.
fn next(said: &str) -> Vec<String> {
    let line = said.lines().find_map(|line| line.strip_prefix("next: redraft ")).unwrap();
    line.split(' ').map(str::to_owned).collect()
}

#[test]
fn the_command_that_status_prints_goes_on_whatever_stopped_the_run() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.scenario("usd_per_dispatch = 1.0\n");
    // Stopped by the default budget: the next command names a higher one, in the run and long after it.
    let stopped = scratch.run(["run", "001"]).expect(5);
    assert_eq!(next(&stopped.stdout), ["run", "001", "--budget", "7"]);
    scratch.run(["run", "001"]).expect(5);
    let status = scratch.run(["status"]).expect(0);
    assert_eq!(next(&status.stdout), ["run", "001", "--budget", "7"]);
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(scratch.run(["status"]).expect(0).stdout, status.stdout, "it comes from the events alone");
    let dispatches = || scratch.json(["status"])["features"][0]["dispatches"].as_u64().unwrap();
    let before = dispatches();
    scratch.run(next(&status.stdout)).expect(5);
    assert_eq!(dispatches(), before + 2, "it really went on");
    // A given budget stays: a run that is killed and continued keeps to it.
    let mut killed = scratch.redraft(["run", "001", "--budget", "100"]);
    assert_eq!(killed.env("REDRAFT_ABORT_AT_BOUNDARY", "2").output().unwrap().status.code(), None);
    let status = scratch.run(["status"]).expect(0);
    assert_eq!(next(&status.stdout), ["run", "001"]);
    scratch.run(["run", "001"]).expect(0);
    let log = scratch.run(["log"]).expect(0).stdout;
    assert_eq!(log.matches("set the budget to").count(), 2, "{log}");
    assert_eq!(
        log.matches("was not sent: it may cost $1.0000").count(),
        2,
        "told once for each budget: {log}"
    );
}

#[test]
fn a_close_removes_what_was_kept_of_answers_and_leaves_the_last_failure_and_other_features() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["new", "--until", "specify", "Show the weather on the start page"]).expect(0);
    let files = |feature: &str| {
        let list = scratch
            .command("find")
            .arg(scratch.state().join("runs").join(feature))
            .args(["-type", "f"])
            .output();
        String::from_utf8(list.unwrap().stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    scratch.scenario("[[rule]]\nticket = \"002/*/review/phase-reviewer/*\"\ndo = \"fail\"\n");
    scratch.run(["run", "002"]).expect(4);
    let others = files("002");
    assert!(
        others.iter().any(|file| file.ends_with("outcome.json")),
        "an open phase keeps its answers: {others:?}"
    );
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(files("001"), [""; 0]);
    assert!(!scratch.state().join("runs/001").exists());
    assert_eq!(files("002"), others, "another feature's are not touched");
    // Everything can still be looked at: it is in the ledger.
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    // A crash between the close and the cleaning leaves it to the next run.
    let old = scratch.state().join("runs/001/specify.1/draft/spec-author/1.1");
    fs::create_dir_all(&old).unwrap();
    fs::write(old.join("outcome.json"), "{}").unwrap();
    scratch.run(["run", "001"]).expect(0);
    assert!(!scratch.state().join("runs/001").exists());
}
