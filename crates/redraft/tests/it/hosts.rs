//! Tests hosts that come for the work: a feature by `next`, work, `submit`, and in turns with `redraft run`.

use crate::world::{bodies, events};
use redraft_testkit::{Host, Scratch};
use serde_json::{Value, json};
use std::fs;

pub(crate) const IDEA: &str = "Let people reset a forgotten password by email";

/// A repository with a feature that ends after this phase.
pub(crate) fn begun(until: &str) -> Scratch {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    scratch.run(["new", IDEA, "--until", until]).expect(0);
    scratch
}

/// The stored events of a kind.
pub(crate) fn stored(scratch: &Scratch, kind: &str) -> Vec<Value> {
    bodies(&events(scratch), kind).cloned().collect()
}

/// What the rehearsal agent does with a piece of work: files are changed, the answer is returned.
pub(crate) fn rehearsed(scratch: &Scratch, work: &Value) -> String {
    let word = |name: &str| work[name].as_str().unwrap_or_default().to_owned();
    scratch.run(["rehearse", &word("ticket"), "--folder", &word("folder")]).expect(0).stdout
}

/// Submits a piece of work, done in a conversation of its own.
pub(crate) fn submit(scratch: &Scratch, host: &mut Host, work: &Value) -> Value {
    let text = rehearsed(scratch, work);
    let ticket = &work["ticket"];
    host.call("submit", json!({ "ticket": ticket, "text": text, "conversation": format!("talk {ticket}") }))
}

/// Does whatever is next until `stop` says so or nothing is left; returns what `next` said last.
pub(crate) fn works(scratch: &Scratch, host: &mut Host, mut stop: impl FnMut(&Value) -> bool) -> Value {
    const STEPS_MAX: usize = 200;
    for _ in 0..STEPS_MAX {
        let told = host.call("next", json!({}));
        if stop(&told) {
            return told;
        }
        match told["state"].as_str().unwrap_or_default() {
            "work" => assert_eq!(submit(scratch, host, &told), json!({ "v": 1, "accepted": true })),
            "decide" => {
                let choice = &told["options"][0];
                host.call("decide", json!({ "choice": choice, "why": "the person said so" }));
            }
            _ => return told,
        }
    }
    panic!("no end after {STEPS_MAX} steps");
}

/// The text of a file that `next` names.
fn file(path: &Value) -> String {
    fs::read_to_string(path.as_str().unwrap()).unwrap()
}

pub(crate) fn never(_told: &Value) -> bool {
    false
}

#[test]
fn a_host_is_given_work_in_the_form_that_is_promised_and_the_same_again_until_it_is_submitted() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let work = host.call("next", json!({}));
    let keys: Vec<&str> = work.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = [
        "expires",
        "feature",
        "folder",
        "prompt_file",
        "role",
        "run_as",
        "schema_file",
        "state",
        "ticket",
        "tools",
        "v",
        "writes",
    ];
    assert_eq!(keys, wanted);
    assert_eq!((&work["state"], &work["run_as"]), (&json!("work"), &json!("subagent")));
    assert_eq!(work["ticket"], "001/specify.1/draft/spec-author/1.1");
    assert_eq!(work["role"], "spec-author");
    assert_eq!(work["folder"], scratch.worktree("001").display().to_string());
    assert_eq!(work["writes"].as_array().unwrap().len(), 1);
    let schema: Value = serde_json::from_str(&file(&work["schema_file"])).unwrap();
    assert_eq!(schema["type"], "object");
    assert!(file(&work["prompt_file"]).contains(IDEA));
    assert_eq!(host.call("next", json!({})), work, "asked again, given again");
    let beside = host.call("next", json!({ "beside": [work["ticket"]] }));
    assert_eq!((&beside["state"], &beside["for"]), (&json!("wait"), &json!("what you still have")));

    let started = stored(&scratch, "started");
    assert_eq!(started.len(), 1, "handed out once");
    assert_eq!((&started[0]["pull"], &started[0]["choice"]["strategy"]), (&json!(true), &json!("lazy")));
    let expires = started[0]["expires_ms"].as_i64().unwrap();
    assert!(expires > 1_700_000_000_000, "{expires}");
    let status = scratch.json(["status"]);
    assert_eq!(status["features"][0]["out"][0]["ticket"], work["ticket"]);

    submit(&scratch, &mut host, &work);
    let answered = stored(&scratch, "answered");
    assert_eq!(
        answered[0]["hand"],
        json!({ "conversation": format!("talk {}", work["ticket"]), "same": false })
    );
    assert_eq!((&answered[0]["session"], &answered[0]["usage"]["cost"]), (&Value::Null, &json!(0)));
    assert_eq!(host.close(), (Some(0), String::new()));
}

#[test]
fn a_document_goes_to_its_approval_and_its_cost_is_shown_as_unknown() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let end = works(&scratch, &mut host, never);
    assert_eq!((&end["state"], &end["outcome"]), (&json!("done"), &json!("approved")), "{end}");
    let sum = &host.call("cost", json!({}))["sum"];
    assert_eq!(sum["dispatches"], sum["unknown"]);
    let row = &scratch.json(["status"])["features"][0];
    assert_eq!((&row["untold"], row["out"].is_null()), (&sum["unknown"], true), "{row}");
    let shown = scratch.run(["status"]).expect(0).stdout;
    assert!(shown.contains("of unknown cost"), "{shown}");
    let receipt = scratch.run(["run", "001"]).expect(0).stdout;
    assert!(receipt.contains(", unknown for ") && receipt.contains(" dispatches by hosts"), "{receipt}");
    assert!(scratch.run(["cost", "001"]).expect(0).stdout.contains("unknown"));
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    scratch.run(["status", "--verify"]).expect(0);
}

#[test]
fn a_host_that_was_killed_and_one_that_never_heard_the_answer_go_on_where_they_were() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let lost = works(&scratch, &mut host, |told| {
        told["ticket"].as_str().is_some_and(|one| one.contains("/review/"))
    });
    host.kill();
    let mut host = scratch.host(&[], &[]);
    assert_eq!(host.call("next", json!({})), lost, "the piece of work that the dead host had");
    let text = rehearsed(&scratch, &lost);
    let args = json!({ "ticket": lost["ticket"], "text": text, "conversation": "second" });
    host.call("submit", args.clone());
    host.kill();
    let mut host = scratch.host(&[], &[]);
    assert_eq!(host.call("submit", args)["refused"], "repeated");
    let end = works(&scratch, &mut host, never);
    assert_eq!(end["outcome"], "approved", "{end}");
    assert!(stored(&scratch, "lost").is_empty(), "nothing was given up");
}

#[test]
fn runs_and_hosts_take_turns_and_what_they_leave_is_folded_to_the_same() {
    let scratch = begun("create-plan");
    scratch.run(["run", "--until", "specify", "--yes"]).expect(0);
    let mut host = scratch.host(&[], &[]);
    // Half of a phase by a host, with a piece of work in its hands.
    let held = works(&scratch, &mut host, |told| {
        told["ticket"].as_str().is_some_and(|one| one.contains("/revise/"))
    });
    assert!(held["ticket"].as_str().unwrap().starts_with("001/design.1/"), "{held}");
    let refused = scratch.run(["run", "--yes"]).expect(7);
    assert!(refused.stdout.contains("is with a host until"), "{}", refused.stdout);
    assert!(refused.stdout.contains("redraft run 001 --now"), "{}", refused.stdout);
    submit(&scratch, &mut host, &held);
    // The rest of it by a run, and the next phase by a host again.
    scratch.run(["run", "--until", "design", "--yes"]).expect(0);
    let end = works(&scratch, &mut host, never);
    assert_eq!(end["outcome"], "approved", "{end}");
    let hands: Vec<bool> = stored(&scratch, "started").iter().map(|one| one["pull"] == json!(true)).collect();
    let turns = hands.windows(2).filter(|two| two[0] != two[1]).count();
    assert!(turns >= 3, "{hands:?}");

    let board = scratch.json(["status"])["features"].clone();
    let history = scratch.run(["log", "001", "--as", "review-history"]).expect(0).stdout;
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(scratch.json(["status"])["features"], board);
    assert_eq!(scratch.run(["log", "001", "--as", "review-history"]).expect(0).stdout, history);
    scratch.run(["status", "--verify"]).expect(0);
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn reviewers_of_one_round_are_given_out_side_by_side() {
    let scratch = begun("implement");
    scratch.run(["run", "--until", "create-tasks", "--yes"]).expect(0);
    let mut host = scratch.host(&[], &[]);
    let first = works(&scratch, &mut host, |told| {
        told["ticket"].as_str().is_some_and(|one| one.contains("implement.1/review/"))
    });
    let mut all = vec![first];
    while all.len() < 3 {
        let beside: Vec<Value> = all.iter().map(|work| work["ticket"].clone()).collect();
        let work = host.call("next", json!({ "beside": beside }));
        assert_eq!(work["state"], "work", "{work}");
        all.push(work);
    }
    let roles: Vec<&str> = all.iter().filter_map(|work| work["role"].as_str()).collect();
    assert_eq!(roles, ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"]);
    assert!(all.iter().all(|work| work["writes"] == json!([])));
    // In any order.
    for work in all.iter().rev() {
        submit(&scratch, &mut host, work);
    }
    let end = works(&scratch, &mut host, never);
    assert_eq!((&end["state"], &end["outcome"]), (&json!("done"), &json!("approved")), "{end}");
}

#[test]
fn while_checks_run_submit_has_returned_and_next_says_wait() {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    let go = scratch.shared().join("go");
    let check = format!("[checks]\ntests = \"until [ -f {} ]; do sleep 0.05; done\"\n", go.display());
    scratch.write("redraft.toml", &(check + &scratch.opened()));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch
        .run(["new", "--lane", "express", "Add a line to notes.txt that says hello", "--until", "implement"])
        .expect(0);
    let mut host = scratch.host(&["--patience", "0"], &[]);
    let (mut submitted, mut waited) = (Value::Null, Value::Null);
    for _ in 0..2_000 {
        let told = host.call("next", json!({}));
        match told["state"].as_str().unwrap() {
            "work" if told["ticket"].as_str().unwrap().contains("/review/") => break,
            "work" => submitted = submit(&scratch, &mut host, &told),
            "decide" => drop(host.call("decide", json!({ "choice": told["options"][0] }))),
            "wait" if told["for"] == "the project's checks" => {
                waited = told;
                fs::write(&go, "").unwrap();
            }
            "wait" => {}
            _ => panic!("{told}"),
        }
    }
    assert_eq!(submitted["accepted"], true);
    assert_eq!(waited["for"], "the project's checks", "{waited}");
    assert!(waited["retry_after_s"].as_u64().unwrap() >= 5);
    assert!(stored(&scratch, "checked").iter().any(|one| one["gate"] == "tests" && one["passed"] == true));
}

/// Each result of `next` is paid for again by every later request of the host's main conversation.
#[test]
fn what_passes_the_hosts_main_conversation_is_small_however_long_a_prompt_is() {
    const RESULT_CHARS_MAX: usize = 1_200;
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let mut prompts = Vec::new();
    let long =
        "The person who asks is told what happens next, in words that a stranger understands. ".repeat(600);
    for round in 0..4 {
        let told = host.call("next", json!({}));
        assert_eq!(told["state"], "work", "{told}");
        let chars = told.to_string().chars().count();
        assert!(chars < RESULT_CHARS_MAX, "{chars}: {told}");
        let prompt = file(&told["prompt_file"]);
        assert!(!told.to_string().contains(prompt.lines().next().unwrap()), "{told}");
        prompts.push(prompt);
        submit(&scratch, &mut host, &told);
        if round == 1 {
            // A person makes the document long while no host has it.
            let spec = scratch.artifacts("001").join("spec.md");
            let text = fs::read_to_string(&spec).unwrap();
            fs::write(&spec, format!("{text}\n## Background\n\n{long}\n")).unwrap();
        }
    }
    assert!(prompts.iter().any(|prompt| prompt.contains(long.trim_end())), "the document is in it whole");
}

#[test]
fn what_a_person_changed_while_work_was_out_is_told_to_the_host_with_the_way_back() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let draft = host.call("next", json!({}));
    submit(&scratch, &mut host, &draft);
    let review = host.call("next", json!({}));
    let spec = scratch.artifacts("001").join("spec.md");
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, format!("{text}\nA person's words.\n")).unwrap();
    let answer = rehearsed(&scratch, &review);
    let told =
        host.call("submit", json!({ "ticket": review["ticket"], "text": answer, "conversation": "r" }));
    assert_eq!(told["accepted"], true);
    let back = told["undone"][0]["to_get_it_back"].as_str().unwrap();
    assert_eq!(fs::read_to_string(&spec).unwrap(), text);
    let shell = scratch.command("sh").args(["-c", back]).status().unwrap();
    assert!(shell.success(), "{back}");
    assert!(fs::read_to_string(&spec).unwrap().contains("A person's words."), "{back}");
    // Nothing was undone with the next piece.
    let work = host.call("next", json!({}));
    assert_eq!(submit(&scratch, &mut host, &work), json!({ "v": 1, "accepted": true }));
}

#[test]
fn calls_that_come_together_wait_for_each_other_and_two_servers_do_not_stop_each_other() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let mut other = scratch.host(&[], &[]);
    for id in 0..3 {
        let params = json!({ "name": "next", "arguments": {} });
        host.send(
            &json!({ "jsonrpc": "2.0", "id": format!("n{id}"), "method": "tools/call", "params": params }),
        );
    }
    let second = other.call("next", json!({}));
    assert_eq!(second["state"], "work", "{second}");
    for _ in 0..3 {
        let told = host.heard();
        let text = told["result"]["content"][0]["text"].as_str().unwrap_or_default();
        let state: Value = serde_json::from_str(text).unwrap();
        assert_eq!((&state["state"], &state["ticket"]), (&json!("work"), &second["ticket"]), "{state}");
    }
    assert_eq!(stored(&scratch, "started").len(), 1);
}

#[test]
fn what_ended_while_nobody_waited_is_told_as_it_is_now() {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    let [begun, go] = ["begun", "go"].map(|name| scratch.shared().join(name));
    let check = format!("touch {}; until [ -f {} ]; do sleep 0.05; done", begun.display(), go.display());
    scratch.write("redraft.toml", &format!("[checks]\ntests = \"{check}\"\n{}", scratch.opened()));
    scratch.run(["trust", "--yes"]).expect(0);
    let idea = "Add a line to notes.txt that says hello";
    scratch.run(["new", "--lane", "express", idea, "--until", "implement"]).expect(0);
    let mut host = scratch.host(&["--patience", "0"], &[]);
    let (mut submitted, mut checking) = (Value::Null, false);
    while !checking {
        let told = host.call("next", json!({}));
        match told["state"].as_str().unwrap() {
            "work" => {
                submit(&scratch, &mut host, &told);
                submitted = told;
            }
            "decide" => drop(host.call("decide", json!({ "choice": told["options"][0] }))),
            _ => checking = begun.exists(),
        }
    }
    // While checks run, refusing takes no longer than reading does.
    let again = json!({ "ticket": submitted["ticket"], "text": "x", "conversation": "y" });
    assert_eq!(host.call("submit", again)["refused"], "repeated");
    fs::write(&go, "").unwrap();
    while !scratch.json(["status"])["features"][0]["out"].is_array() {
        std::thread::yield_now();
    }
    // What the server handed out by itself is taken back and done by a run. The server holds the feature until it has
    // made the folder of that work.
    let mut run = scratch.run(["run", "--now", "--yes"]);
    while run.code == Some(7) {
        run = scratch.run(["run", "--now", "--yes"]);
    }
    run.expect(0);
    let mut told = host.call("next", json!({}));
    while told["state"] == "wait" {
        told = host.call("next", json!({}));
    }
    assert_eq!(told["state"], "done", "{told}");
}

#[test]
fn what_is_submitted_while_a_run_has_the_feature_is_kept_and_stored_by_that_run() {
    let scratch = begun("implement");
    scratch.run(["run", "--until", "create-tasks", "--yes"]).expect(0);
    let late = "[[rule]]\nticket = \"*/review/code-quality-reviewer/1.1\"\ndo = \"late\"\nwait_ms = 6000\n";
    scratch.write("late.toml", late);
    let agents =
        "[agents.desk]\nkind = \"pull\"\n[agents.slow]\nkind = \"rehearsal\"\nscenario = \"late.toml\"\n";
    let roles = "[roles]\nimplementer = \"desk\"\ncode-simplifier = \"desk\"\ntest-deepener = \"desk\"\n\
                 security-reviewer = \"desk\"\ncode-quality-reviewer = \"slow\"\n";
    scratch.write("redraft.toml", &format!("{agents}{roles}"));
    let mut host = scratch.host(&[], &[]);
    let review = works(&scratch, &mut host, |told| told["role"] == "security-reviewer");
    assert_eq!(review["state"], "work", "{review}");
    let mut command = scratch.redraft(["run", "--yes", "--json"]);
    let run = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let quality =
        |one: &Value| one["ticket"].as_str().is_some_and(|name| name.contains("/code-quality-reviewer/"));
    while !stored(&scratch, "started").iter().any(quality) {
        std::thread::yield_now();
    }
    // The run waits for a slow agent, and holds the feature all the while.
    assert_eq!(submit(&scratch, &mut host, &review), json!({ "v": 1, "accepted": true }));
    let answered =
        |scratch: &Scratch| stored(scratch, "answered").iter().any(|one| one["ticket"] == review["ticket"]);
    assert!(!answered(&scratch), "it is kept, and not stored behind the run's back");
    run.wait_with_output().unwrap();
    assert!(answered(&scratch));
    let end = loop {
        let told = works(&scratch, &mut host, never);
        if told["state"] != "stopped" {
            break told;
        }
        scratch.run(["run", "--yes"]);
    };
    assert_eq!((&end["state"], &end["outcome"]), (&json!("done"), &json!("approved")), "{end}");
    assert_eq!(stored(&scratch, "lost").len(), 0);
}
