//! The state of an adopted feature, and what others may conclude from it.

use crate::documents::CLEAN;
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::{Value, json};

/// A folder with a document for every phase, and what its own record says.
fn whole(scratch: &Scratch, name: &str, meta: &str) {
    for (file, text) in [
        ("spec.md", CLEAN),
        ("design.md", "# Design\n\n## Components\n\n- One.\n"),
        ("plan.md", "# Plan\n\n1. Begin.\n"),
        ("tasks.md", "# Tasks\n\n- [ ] T1: one\n- [ ] T2: two\n"),
        (".meta.json", meta),
    ] {
        scratch.write(&format!("docs/features/{name}/{file}"), text);
    }
}

fn lives(scratch: &Scratch) -> Vec<(String, String)> {
    let word = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let board = scratch.json(["status"]);
    let rows = board["features"].as_array().unwrap().iter();
    rows.map(|row| (word(row, "status"), word(row, "life"))).collect()
}

#[test]
fn a_feature_with_every_document_stands_where_its_own_record_says() {
    let scratch = Scratch::repository(PROGRAM);
    for (name, status) in
        [("001-a", "active"), ("002-b", "completed"), ("003-c", "planned"), ("004-d", "abandoned")]
    {
        whole(&scratch, name, &format!("{{\"status\": \"{status}\"}}"));
    }
    let report = scratch.json(["adopt", "--yes"]);
    let said: Vec<&str> =
        report["features"].as_array().unwrap().iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(said, ["active", "completed", "planned", "abandoned"]);
    let found = lives(&scratch);
    let lives: Vec<&str> = found.iter().map(|(_, life)| life.as_str()).collect();
    assert_eq!(lives, said, "the board says what the report said");
    assert_eq!(found[0].0, "active", "its tasks are not carried out here");
    assert_eq!(scratch.json(["status", "001"])["features"][0]["phase"], "implement");
    scratch.run(["phase", "skip", "001", "implement", "--why", "it is built elsewhere"]).expect(0);
    let text = scratch.run(["status", "001"]).expect(0).stdout;
    assert!(text.contains("it was adopted as active; there is nothing left to do here"), "{text}");
    let text = scratch.run(["status", "002"]).expect(0).stdout;
    assert!(!text.contains("it was adopted as"), "{text}");
}

#[test]
fn what_depends_on_one_that_is_not_done_waits_until_it_is_closed_here_or_a_person_says_so() {
    let scratch = Scratch::repository(PROGRAM);
    whole(&scratch, "001-a", "{\"status\": \"active\"}");
    scratch.run(["adopt", "--yes"]).expect(0);
    scratch.run(["new", "Limits", "--until", "specify", "--depends-on", "001"]).expect(0);
    assert_eq!(scratch.json(["status", "002"])["next"], "redraft run 001", "its tasks are left");
    scratch.run(["phase", "skip", "001", "implement", "--why", "it is built elsewhere"]).expect(0);
    let shown = scratch.json(["status", "002"]);
    assert_eq!(shown["features"][0]["blocked_by"][0]["feature"], "001-a");
    // Running it would do nothing.
    assert_eq!(shown["next"], "redraft run 002 --unblock \"why\"");
    let refused = scratch.run(["run", "--yes", "002"]).expect(6);
    assert!(!refused.stderr.contains("first:"), "{}", refused.stderr);
    scratch.run(["phase", "back", "001", "create-tasks", "--why", "to be reviewed here"]).expect(0);
    assert_eq!(scratch.json(["status", "002"])["next"], "redraft run 001");
    scratch.run(["run", "001", "--on-cap", "accept"]).expect(0);
    assert_eq!(lives(&scratch)[0].1, "completed");
    scratch.run(["run", "--yes", "002"]).expect(0);
}

#[test]
fn features_that_wait_for_each_other_are_adopted_with_a_note_and_begun_by_a_persons_word() {
    let scratch = Scratch::repository(PROGRAM);
    for (name, other) in [("001-a", "002-b"), ("002-b", "001")] {
        let meta = json!({"status": "active", "depends_on_features": [other]}).to_string();
        scratch.write(&format!("docs/features/{name}/.meta.json"), &meta);
        scratch.write(
            &format!("docs/features/{name}/prd.md"),
            "# PRD: Export\n\n## Goals\n\n- Export reports.\n",
        );
    }
    let report = scratch.json(["adopt", "--yes"]);
    for at in 0..2 {
        let notes = report["features"][at]["notes"].to_string();
        assert!(notes.contains("features wait for each other: "), "{notes}");
        assert!(notes.contains("--unblock"), "{notes}");
    }
    assert_eq!(scratch.json(["status"])["next"], "redraft run 001 --unblock \"why\"");
    scratch.run(["run", "--yes", "001", "--until", "specify"]).expect(6);
    scratch.run(["run", "--yes", "001", "--until", "specify", "--unblock", "one must begin"]).expect(0);
}

/// A repository in shell that has the documents of a planned feature, with these boxes in the first task.
fn with_ticked(first: &str) -> Scratch {
    let source = crate::built::planned("");
    let scratch = crate::built::shell("", "sh tests/run.sh");
    for name in ["spec.md", "design.md", "plan.md", "tasks.md"] {
        let mut text = std::fs::read_to_string(source.artifacts("001").join(name)).unwrap();
        if name == "tasks.md" {
            let (before, after) = text.split_once("**Done when:**\n- ").unwrap();
            text = format!("{before}**Done when:**\n- {first} {after}");
        }
        scratch.write(&format!("docs/features/001-export/{name}"), &text);
    }
    scratch.write("docs/features/001-export/.meta.json", "{\"status\": \"active\"}");
    scratch.git(["add", "docs"]);
    scratch.git(["commit", "-q", "-m", "documents"]);
    scratch
}

fn sent(scratch: &Scratch) -> Vec<String> {
    let events = crate::world::events(scratch);
    let tickets =
        crate::world::bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned());
    let tasks =
        tickets.filter_map(|ticket| Some(ticket.split_once("/task-")?.1.split('/').next()?.to_owned()));
    tasks.collect()
}

/// Puts what another repository built for its first task into this one, like the people who ticked its box.
fn build_first(scratch: &Scratch, other: &Scratch) {
    let events = crate::world::events(other);
    let built = crate::world::bodies(&events, "built").next().unwrap();
    for file in built["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()) {
        let text = other.git(["show", &format!("{}:{file}", built["commit"].as_str().unwrap())]);
        scratch.write(file, &format!("{text}\n"));
        scratch.git(["add", file]);
    }
    scratch.git(["commit", "-q", "-m", "the first task"]);
}

#[test]
fn a_ticked_task_counts_as_done_before_and_is_not_sent_and_unticking_sends_it() {
    let run = |scratch: &Scratch| scratch.run(["run", "001", "--yes", "--until", "implement"]).expect(0);
    let unticked = with_ticked("[ ]");
    let report = unticked.json(["adopt", "--yes"]);
    assert!(!report["features"][0]["notes"].to_string().contains("ticked"), "{report:#}");
    run(&unticked);
    let all = sent(&unticked);
    let scratch = with_ticked("[x]");
    build_first(&scratch, &unticked);
    let report = scratch.json(["adopt", "--yes"]);
    let notes = report["features"][0]["notes"].to_string();
    assert!(
        notes.contains("1 of its ") && notes.contains("done before it was adopted, not by redraft"),
        "{notes}"
    );
    run(&scratch);
    let ticked = sent(&scratch);
    assert!(all.len() > 2 && ticked[..] == all[1..], "{ticked:?} {all:?}");
    let told = scratch.run(["show", "prompt", "001", "--role", "implementation-reviewer"]).expect(0).stdout;
    assert!(told.contains("## Tasks Done Before") && told.contains(&format!("\n- {} ", all[0])), "{told}");
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    let board = scratch.json(["status"]);
    assert_eq!(board["features"][0]["tasks"]["done"], all.len(), "{board:#}");
    let log = std::fs::read_to_string(scratch.artifacts("001").join("implementation-log.md")).unwrap();
    assert!(log.contains("Done before it was adopted, not by redraft: its box was ticked."), "{log}");
    let line = scratch.run(["log", "001"]).expect(0).stdout;
    assert!(line.contains(&format!("; done before it was adopted, not by redraft: {}\n", all[0])), "{line}");
    // What counts is what the box says when code is begun.
    let changed = with_ticked("[x]");
    changed.run(["adopt", "--yes"]).expect(0);
    let list = changed.artifacts("001").join("tasks.md");
    let text = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, text.replacen("- [x] ", "- [ ] ", 1)).unwrap();
    run(&changed);
    assert_eq!(sent(&changed), all);
}
