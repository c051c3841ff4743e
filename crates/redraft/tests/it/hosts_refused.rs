//! Tests what hosts are refused, and how they are told: old work, other people's work, their own text, bad calls.

use crate::hosts::{IDEA, begun, never, rehearsed, stored, submit, works};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};

/// So far ahead that everything that is out has expired.
const LATER: (&str, &str) = ("REDRAFT_CLOCK_AHEAD_MS", "3600000");

fn handed_in(work: &Value, text: &str, conversation: &str) -> Value {
    json!({ "ticket": work["ticket"], "text": text, "conversation": conversation })
}

#[test]
fn repeated_unknown_expired_and_stale_submissions_are_refused_and_change_nothing() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let draft = host.call("next", json!({}));
    let text = rehearsed(&scratch, &draft);
    let events = || scratch.json(["status", "--verify"])["verified_events"].clone();

    for ticket in
        ["001/specify.1/draft/spec-author/1.9", "007/specify.1/draft/spec-author/1.1", "no ticket", ""]
    {
        let before = events();
        let told = host.call("submit", json!({ "ticket": ticket, "text": text, "conversation": "a" }));
        assert_eq!((&told["refused"], events()), (&json!("unknown"), before), "{told}");
    }
    assert_eq!(host.call("submit", handed_in(&draft, &text, "a"))["accepted"], true);
    let before = events();
    assert_eq!(host.call("submit", handed_in(&draft, &text, "a"))["refused"], "repeated");
    assert_eq!(events(), before);

    // Its time is over, first seen by the server, then by the process that takes it back.
    let review = host.call("next", json!({}));
    let text = rehearsed(&scratch, &review);
    let (name, value) = LATER;
    let mut late = scratch.host(&[], &[(name, value.to_owned())]);
    let told = late.call("submit", handed_in(&review, &text, "b"));
    assert_eq!(told["refused"], "expired", "{told}");
    let again = late.call("next", json!({}));
    assert_ne!(again["ticket"], review["ticket"], "{again}");
    let told = late.call("submit", handed_in(&review, &text, "b"));
    assert_eq!(told["refused"], "expired", "{told}");
    assert_eq!(stored(&scratch, "lost").len(), 1);

    // A run that a person starts with --now takes back what is out.
    let mut run = scratch.redraft(["run", "--yes", "--now"]);
    Ran::new(run.env(name, value).output().unwrap()).expect(0);
    let told = late.call("submit", handed_in(&again, &text, "c"));
    assert_eq!(told["refused"], "stale", "{told}");
    assert!(told["why"].as_str().unwrap().contains("taken back"), "{told}");
    assert_eq!(late.call("next", json!({}))["state"], "done");
}

#[test]
fn the_note_that_a_subagent_was_started_is_no_result_and_uses_no_attempt() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let draft = host.call("next", json!({}));
    let events = || scratch.json(["status", "--verify"])["verified_events"].clone();
    let before = events();
    for note in [
        "Async agent launched successfully.\nagentId: a1b2c3",
        "  Async agent launched successfully. It works in the background.",
        "[{\"type\":\"text\",\"text\":\"Async agent launched successfully. agentId: a1\"}]",
    ] {
        let told = host.call("submit", handed_in(&draft, note, "a"));
        assert_eq!((&told["refused"], events()), (&json!("no_result"), before.clone()), "{told}");
        assert!(told["why"].as_str().unwrap().contains("`run_in_background: false`"), "{told}");
    }
    assert_eq!(host.call("next", json!({})), draft, "it is still out, and the same");
    let text = rehearsed(&scratch, &draft);
    assert_eq!(host.call("submit", handed_in(&draft, &text, "a"))["accepted"], true);
    let end = works(&scratch, &mut host, never);
    assert_eq!(end["outcome"], "approved");
    assert!(stored(&scratch, "started").iter().all(|one| one["ticket"].as_str().unwrap().ends_with(".1")));
}

#[test]
fn a_message_that_is_too_large_is_answered_with_the_limit_and_the_server_goes_on() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let draft = host.call("next", json!({}));
    for megabytes in [16, 50] {
        let text = "x".repeat(megabytes * 1024 * 1024);
        let arguments = handed_in(&draft, &text, "a");
        let told = host.ask("tools/call", json!({ "name": "submit", "arguments": arguments })).unwrap();
        let message = told["message"].as_str().unwrap_or_else(|| panic!("{told}"));
        assert!(message.contains("bytes, and at most 15,728,640 are read"), "{message}");
    }
    assert_eq!(host.call("next", json!({})), draft);
}

#[test]
fn who_wrote_a_text_may_not_review_it_but_another_conversation_of_the_same_host_may() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let draft = host.call("next", json!({}));
    let text = rehearsed(&scratch, &draft);
    host.call("submit", handed_in(&draft, &text, "main"));
    let review = host.call("next", json!({}));
    let text = rehearsed(&scratch, &review);
    let told = host.call("submit", handed_in(&review, &text, "  main\n"));
    assert_eq!(told["refused"], "same_hand", "{told}");
    assert!(told["why"].as_str().unwrap().contains("has not seen the writing"), "{told}");
    assert_eq!(host.call("submit", handed_in(&review, &text, "other"))["accepted"], true);
    let end = works(&scratch, &mut host, never);
    assert_eq!(end["outcome"], "approved");
    assert!(stored(&scratch, "answered").iter().all(|one| one["hand"]["same"] == false));
}

#[test]
fn in_the_express_lane_the_same_hand_may_review_and_everybody_can_see_that_it_did() {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    scratch
        .run(["new", "--lane", "express", "Add a line to notes.txt that says hello", "--until", "implement"])
        .expect(0);
    let mut host = scratch.host(&[], &[]);
    let end = loop {
        let told = host.call("next", json!({}));
        match told["state"].as_str().unwrap() {
            "work" => {
                let text = rehearsed(&scratch, &told);
                assert_eq!(host.call("submit", handed_in(&told, &text, "main"))["accepted"], true);
            }
            "decide" => drop(host.call("decide", json!({ "choice": told["options"][0] }))),
            _ => break told,
        }
    };
    assert_eq!((&end["state"], &end["outcome"]), (&json!("done"), &json!("approved")), "{end}");
    let closed = stored(&scratch, "phase-closed");
    let code = closed.iter().find(|one| one["phase"] == "implement").unwrap();
    assert_eq!(code["approvals"][0]["same_hand"], true, "{code}");
    for (words, mark) in [
        (vec!["log", "001"], "by the same hand"),
        (vec!["log", "001", "--as", "review-history"], "same hand"),
        (vec!["cost", "001", "--all"], "same hand: main reviewed what it wrote"),
    ] {
        let shown = scratch.run(words).expect(0).stdout;
        assert!(shown.contains(mark), "{mark} in {shown}");
    }
}

#[test]
fn a_feature_that_is_driven_by_somebody_else_is_held_and_not_touched() {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    let [begun, go] = ["begun", "go"].map(|name| scratch.shared().join(name));
    let check = format!("touch {}; until [ -f {} ]; do sleep 0.05; done", begun.display(), go.display());
    scratch.write("redraft.toml", &format!("[checks]\ntests = \"{check}\"\n{}", scratch.opened()));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch
        .run(["new", "--lane", "express", "Add a line to notes.txt that says hello", "--until", "implement"])
        .expect(0);
    let mut command = scratch.redraft(["run", "--yes", "--json"]);
    let run = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    while !begun.exists() {
        std::thread::yield_now();
    }
    let mut host = scratch.host(&[], &[]);
    let told = host.call("next", json!({}));
    assert_eq!(told["state"], "held", "{told}");
    assert!(told["by"].as_str().unwrap().contains("redraft run"), "{told}");
    std::fs::write(&go, "").unwrap();
    Ran::new(run.wait_with_output().unwrap()).expect(0);
    assert_eq!(host.call("next", json!({}))["state"], "done");
}

#[test]
fn commands_that_nobody_accepted_are_not_run_for_a_host_either() {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    let ran = scratch.outside().join("ran");
    scratch.write_unaccepted("redraft.toml", &format!("[checks]\ntests = \"touch {}\"\n", ran.display()));
    scratch.run(["new", IDEA, "--lane", "express"]).expect(0);
    let mut host = scratch.host(&[], &[]);
    let told = host.call("next", json!({}));
    assert_eq!(told["state"], "stopped", "{told}");
    assert!(told["command"].as_str().unwrap().starts_with("redraft trust"), "{told}");
    assert!(!ran.exists() && stored(&scratch, "started").is_empty());
    scratch.run(["trust", "--yes"]).expect(0);
    assert_eq!(host.call("next", json!({}))["state"], "work");
}

#[test]
fn a_configuration_can_leave_some_roles_to_hosts_and_each_side_says_whose_turn_it_is() {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    scratch.write("redraft.toml", "[agents.desk]\nkind = \"pull\"\n\n[roles]\nspec-author = \"desk\"\n");
    scratch.run(["new", IDEA, "--until", "specify"]).expect(0);
    let ran = scratch.run(["run", "--yes"]).expect(6);
    assert!(ran.stdout.contains("is for a host, which fetches it through `redraft mcp`"), "{}", ran.stdout);
    let mut host = scratch.host(&[], &[]);
    let draft = host.call("next", json!({}));
    assert_eq!(draft["role"], "spec-author");
    submit(&scratch, &mut host, &draft);
    let told = host.call("next", json!({}));
    assert_eq!((&told["state"], &told["command"]), (&json!("stopped"), &json!("redraft run 001")), "{told}");
    assert!(told["reason"].as_str().unwrap().starts_with("spec-reviewer is played by rehearsal"), "{told}");
    scratch.run(["run", "--yes"]).expect(6);
    assert_eq!(host.call("next", json!({}))["role"], "spec-author", "the revision is the host's again");
    assert_eq!(stored(&scratch, "started")[0]["agent"], "desk");
    let reviewed = scratch.run(["review", "README.md", "--agent", "desk", "--yes"]).expect(3);
    assert!(reviewed.stdout.contains("hosts only fetch work of features"), "{}", reviewed.stdout);
}

#[test]
fn bad_calls_are_answered_with_what_is_wrong_and_the_server_lives() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    for (tool, arguments, wanted) in [
        ("nxt", json!({}), "there is no tool `nxt`"),
        ("next", json!({ "feture": "001" }), "unknown field `feture`"),
        ("next", json!({ "feature": "999" }), "999"),
        ("next", json!({ "feature": 998 }), "998"),
        ("decide", json!({ "feature": [], "choice": "go" }), "the number of a feature"),
        ("submit", json!({ "ticket": "x" }), "missing field `text`"),
        ("submit", json!({ "ticket": "x", "text": "t", "conversation": " " }), "`conversation` is empty"),
        ("decide", json!({ "choice": "go" }), "is not waiting for a decision"),
        ("decide", json!({ "choice": "--help" }), "--help"),
        ("decide", json!({ "choice": "maybe" }), "`maybe`"),
        ("context", json!({ "task": "1.1" }), "tasks.md"),
        ("lint", json!({ "target": "nowhere.md" }), "nowhere.md"),
    ] {
        let (told, is_error) = host.try_call(tool, arguments.clone()).unwrap();
        assert!(
            is_error && told["error"].as_str().is_some_and(|why| why.contains(wanted)),
            "{tool} {arguments}: {told}"
        );
        assert!(!told["hints"].as_array().unwrap().is_empty(), "{tool}: {told}");
    }
    host.send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "no/such" }));
    assert_eq!(host.call("status", json!({}))["features"][0]["id"], "001");
    let tools = host.ask("tools/list", json!({})).unwrap();
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["status", "next", "check", "submit", "decide", "findings", "context", "cost", "lint"]);
    assert_eq!(host.close().0, Some(0));
}

#[test]
fn without_a_repository_or_a_feature_every_call_says_so_and_an_agent_at_work_is_not_served() {
    let empty = Scratch::empty(env!("CARGO_BIN_EXE_redraft"));
    let mut host = empty.host(&[], &[]);
    let (told, is_error) = host.try_call("next", json!({})).unwrap();
    assert!(is_error && told["exit"] == 2, "{told}");
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    let mut host = scratch.host(&[], &[]);
    let (told, is_error) = host.try_call("next", json!({})).unwrap();
    assert!(is_error && told["hints"][0].as_str().unwrap().contains("redraft new"), "{told}");
    let refused =
        Ran::new(scratch.redraft(["mcp"]).env("REDRAFT_TICKET", "001/x").output().unwrap()).expect(2);
    assert!(refused.stderr.contains("cannot serve others"), "{}", refused.stderr);
    assert_eq!(scratch.run(["mcp"]).code, Some(0), "a host that is gone before it began");
    scratch.run(["rehearse", "001/specify.1/draft/spec-author/1.1"]).expect(2);
}

#[test]
fn a_feature_changes_its_course_only_while_nobody_is_at_work_on_it() {
    let scratch = begun("design");
    scratch.run(["run", "--until", "specify", "--yes"]).expect(0);
    let mut host = scratch.host(&[], &[]);
    let draft = host.call("next", json!({}));
    assert!(draft["ticket"].as_str().unwrap().starts_with("001/design.1/draft/"), "{draft}");
    for words in [
        vec!["phase", "back", "specify", "--why", "something was forgotten"],
        vec!["phase", "skip", "design", "--why", "nothing to design"],
        vec!["run", "--lane", "deep", "--yes"],
    ] {
        let refused = scratch.run(&words).expect(7);
        assert!(refused.stderr.contains("is with a host until"), "{words:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("redraft run 001 --now"), "{words:?}: {}", refused.stderr);
    }
    // What was submitted and not read yet is read first.
    submit(&scratch, &mut host, &draft);
    let refused = scratch.run(["phase", "back", "specify", "--why", "x"]).expect(7);
    assert!(refused.stderr.contains("let it end first: redraft run 001"), "{}", refused.stderr);
    scratch.run(["run", "--lane", "deep", "--until", "design", "--yes"]).expect(0);
    assert_eq!(scratch.json(["status"])["features"][0]["lane"], "deep");
    assert_eq!(stored(&scratch, "lost").len(), 0, "the draft was kept");
}
