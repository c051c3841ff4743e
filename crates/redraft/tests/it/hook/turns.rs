//! When a hook ends a turn that goes in circles, or reminds one that stops.

use super::{IDEA, answer, greeting, stopped, tool, under_way};
use crate::world::feature;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

pub(super) fn tool_answer(scratch: &Scratch, name: &str, input: &Value) -> Value {
    tool(scratch, "s", name, input.clone())
}

#[test]
fn the_third_try_of_the_same_thing_ends_the_turn_and_no_session_is_blamed_for_another() {
    let scratch = feature(IDEA);
    let tries =
        ["Write .git/redraft/a", "Bash rm .git/redraft/b", "Edit .git/redraft/c", "Edit .git/redraft/c"];
    let asked = |session: &str, line: &str| {
        let (name, rest) = line.split_once(' ').unwrap();
        let field = if name == "Bash" { "command" } else { "file_path" };
        tool(&scratch, session, name, json!({field: rest}))
    };
    let decided = |answer: &Value| {
        let decision = answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned();
        (decision, answer["continue"] != json!(false))
    };
    let first: Vec<(String, bool)> = tries[..3].iter().map(|line| decided(&asked("one", line))).collect();
    let deny = |goes_on| ("deny".to_owned(), goes_on);
    assert_eq!(first, [deny(true), deny(true), deny(false)]);
    // A host that goes on nevertheless is given something else to do, and stops after it.
    for line in &tries {
        let answer = asked("one", line);
        assert_eq!(decided(&answer), ("allow".to_owned(), false), "{line}");
        let input = &answer["hookSpecificOutput"]["updatedInput"];
        match input["file_path"].as_str() {
            Some(note) => {
                let place = std::env::temp_dir();
                assert!(Path::new(note).starts_with(place) && !Path::new(note).exists(), "{note}");
            }
            None => assert_eq!(input["command"], "true # refused by Redraft"),
        }
    }
    let last = asked("one", tries[0]);
    assert_eq!(
        last["stopReason"], last["hookSpecificOutput"]["permissionDecisionReason"],
        "the person is told the same"
    );
    let other = asked("two", tries[0]);
    assert!(other["continue"].is_null() && other["hookSpecificOutput"]["permissionDecision"] == "deny");
    let text = |answer: &Value| answer["hookSpecificOutput"]["permissionDecisionReason"].clone();
    assert_eq!(text(&other), text(&last), "the text is the same each time");
}

#[test]
fn where_nothing_can_be_remembered_nothing_is_said() {
    let scratch = feature(IDEA);
    fs::write(scratch.state().join("hooks"), "a file where a folder should be").unwrap();
    assert_eq!(tool(&scratch, "s", "Write", json!({"file_path": ".git/redraft/x"})), Value::Null);
    let stop = answer(&scratch, "stop", &stopped(&scratch, "s", false), &[("REDRAFT_AUTONOMOUS", "1")]);
    assert_eq!(stop, Value::Null);
    fs::remove_file(scratch.state().join("hooks")).unwrap();
    let nameless = tool(&scratch, "", "Write", json!({"file_path": ".git/redraft/x"}));
    assert!(!nameless.is_null(), "sessions without a name are one session");
    fs::remove_dir_all(scratch.state().join("hooks")).unwrap();
    let deny = || tool(&scratch, "s", "Write", json!({"file_path": ".git/redraft/x"}));
    assert!(!deny().is_null());
    let file = fs::read_dir(scratch.state().join("hooks")).unwrap().next().unwrap().unwrap().path();
    fs::write(&file, "{\"v\":2}").unwrap();
    assert_eq!(deny(), Value::Null, "a form of another version");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"v\":2}", "is left as it is");
}

#[test]
fn only_the_latest_sessions_are_remembered() {
    let scratch = feature(IDEA);
    for session in 0..40 {
        let answer =
            tool(&scratch, &format!("session {session}"), "Write", json!({"file_path": ".git/redraft/x"}));
        assert!(!answer.is_null());
    }
    assert_eq!(fs::read_dir(scratch.state().join("hooks")).unwrap().count(), 32);
}

#[test]
fn an_agent_that_stops_is_reminded_once_for_each_state_and_only_where_that_is_wanted() {
    let scratch = under_way();
    let stop =
        |session: &str, active: bool| answer(&scratch, "stop", &stopped(&scratch, session, active), &[]);
    assert_eq!(stop("s", false), Value::Null, "not wanted");
    scratch.write_unaccepted("redraft.toml", "[hooks]\nautonomous = true\n");
    let said = stop("s", false);
    let message = said["systemMessage"].as_str().unwrap();
    assert!(message.contains("hooks.autonomous") && message.contains("redraft trust"), "{said}");
    assert_eq!(said["decision"], Value::Null, "nobody has accepted it, so the session ends");
    assert_eq!(stop("s", false), Value::Null, "told once");
    scratch.run(["trust", "--yes"]).expect(0);
    let stop = |session: &str, active: bool| {
        answer(&scratch, "stop", &stopped(&scratch, &format!("{session}2"), active), &[])
    };
    assert_eq!(stop("s", true), Value::Null, "it goes on only because of a hook");
    let said = stop("s", false);
    assert_eq!(said["decision"], "block");
    let reason = said["reason"].as_str().unwrap();
    assert!(reason.contains("phase design") && reason.contains("`redraft run 001`"), "{reason}");
    assert_eq!(stop("s", false), Value::Null, "the same state again");
    assert!(!stop("another", false).is_null(), "another session");
    assert_eq!(
        answer(&scratch, "stop", &stopped(&scratch, "third", false), &[("REDRAFT_AUTONOMOUS", "0")]),
        Value::Null
    );
    let ticket = [("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1")];
    assert_eq!(answer(&scratch, "stop", &stopped(&scratch, "third", false), &ticket), Value::Null);
    scratch.run(["phase", "skip", "001", "design", "--why", "nothing to design"]).expect(0);
    assert!(stop("s", false)["reason"].as_str().unwrap().contains("phase create-plan"), "the state moved");
    assert_eq!(stop("s", false), Value::Null);
    scratch.run(["decide", "001", "abandon"]).expect(0);
    assert_eq!(stop("s", false), Value::Null, "nothing is owed");
    scratch.write("redraft.toml", "[hooks]\nautonomous = \"yes\"\n");
    assert_eq!(stop("fourth", false), Value::Null, "a configuration with a mistake");
}

#[test]
fn nobody_is_reminded_while_a_person_is_asked_or_before_anything_was_begun() {
    let scratch = feature(IDEA);
    scratch.write("redraft.toml", "[hooks]\nautonomous = true\n[limits]\nrounds = 1\n");
    let stop = || answer(&scratch, "stop", &stopped(&scratch, "s", false), &[]);
    assert_eq!(stop(), Value::Null, "nobody has begun it");
    scratch.run(["run", "001"]).expect(5);
    assert_eq!(scratch.json(["status"])["features"][0]["status"], "waiting");
    assert_eq!(stop(), Value::Null, "a person is asked");
    let text = greeting(&scratch, &scratch.root());
    assert!(text.contains("A person is asked: \"") && text.contains("`redraft decide 001`"), "{text}");
    scratch.run(["decide", "001", "rerun"]).expect(0);
    assert!(!stop().is_null(), "now an agent can go on");
}

#[test]
fn a_feature_that_another_process_drives_is_left_to_it() {
    let scratch = under_way();
    fs::write(
        scratch.state().join("locks/001"),
        json!({"pid": std::process::id(), "user": "ada", "since_ms": 0, "command": "redraft run 001"})
            .to_string(),
    )
    .unwrap();
    let held = fs::File::open(scratch.state().join("locks/001")).unwrap();
    held.lock().unwrap();
    let stop = || answer(&scratch, "stop", &stopped(&scratch, "s", false), &[("REDRAFT_AUTONOMOUS", "1")]);
    assert_eq!(stop(), Value::Null);
    assert!(greeting(&scratch, &scratch.root()).contains("Another process drives it"));
    held.unlock().unwrap();
    assert!(!stop().is_null());
}
