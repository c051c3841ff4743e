//! Tests the estimates: before money is spent, and again before code is written.

use crate::documents::CLEAN;
use crate::models::{ANTHROPIC, run, with_agent};
use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, bodies, events, executable};
use redraft_testkit::Scratch;
use std::fs;

/// An author like Claude Code that writes the specification in its HOME.
const WRITES: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
while [ $# -gt 1 ]; do [ "$1" = --session-id ] && id=$2; shift; done
cat > /dev/null
folder=$(echo docs/features/001-*)
mkdir -p "$folder"
cp "$HOME/spec.md" "$folder/"
echo '{"type":"system","subtype":"init","apiKeySource":"ANTHROPIC_API_KEY"}'
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.5,' "$id"
printf '"usage":{"input_tokens":1000,"output_tokens":100},"structured_output":{"summary":"written"}}\n'
"#;

/// A feature whose specification and code are done by a paid agent, and the rest by one that costs nothing.
fn paid(lane: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    executable(&scratch, "claude.sh", WRITES);
    fs::create_dir_all(scratch.outside().join("home")).unwrap();
    fs::write(scratch.outside().join("home/spec.md"), CLEAN).unwrap();
    scratch.write(
        "redraft.toml",
        "[sandbox]\nlevel = \"off\"\n[agents.claude]\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n[roles]\nspec-author = \"claude\"\nimplementer = \
         \"claude\"\nsecurity-reviewer = \"claude\"\n",
    );
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["new", "--lane", lane, "Export the monthly report as CSV"]).expect(0);
    scratch.run(["run", "001", "--until", "specify", "--yes"]).expect(0);
    scratch
}

#[test]
fn before_code_is_written_the_estimate_is_made_again_with_the_number_of_tasks() {
    let scratch = paid("standard");
    let ran = scratch.run(["run", "001"]).expect(6);
    let asked = "code is written next, in ";
    let tasks = ran.stdout.split_once(asked).unwrap().1.split_once(" task").unwrap().0.to_owned();
    let tasks: u64 = tasks.parse().unwrap();
    assert!(tasks > 1, "{}", ran.stdout);
    let shown = scratch.json(["decide", "001"]);
    let estimate = &shown["estimate"];
    assert_eq!((&estimate["tasks"], &estimate["tasks_assumed"]), (&tasks.into(), &false.into()), "{shown:#}");
    let roles: Vec<(&str, u64)> = estimate["roles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["role"].as_str().unwrap(), one["dispatches"].as_u64().unwrap()))
        .collect();
    // One for each task and two of fixes; only what costs money is named.
    assert_eq!(roles, [("implementer", tasks + 2), ("security-reviewer", 3)], "{shown:#}");
    let sum: u64 = estimate["roles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["expected_micro_usd"].as_u64().unwrap())
        .sum();
    assert_eq!(estimate["expected_micro_usd"], sum);
    assert!(sum > 0 && estimate["left_micro_usd"].as_u64().unwrap() < 5_000_000, "{shown:#}");
    // Every place that shows the question says the same.
    let json =
        redraft_testkit::Ran::new(scratch.redraft(["run", "001", "--json"]).output().unwrap()).expect(6);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&json["estimate"], &json["outcome"]), (estimate, &"waiting".into()));
    let line =
        format!("expected from here: about {} for {} dispatches, with {tasks} tasks", usd(sum), tasks + 5);
    let status = scratch.run(["status"]).expect(0).stdout;
    let decide = scratch.run(["decide", "001"]).expect(6).stdout;
    for text in [&ran.stdout, &ran.stderr, &status, &decide] {
        assert!(text.contains(&line), "{line}: {text}");
    }
    for text in [&status, &decide] {
        assert!(text.contains("an estimate from the sizes of the roles' texts"), "{text}");
    }
    assert_eq!(
        bodies(&events(&scratch), "asked").filter(|body| body["question"]["about"] == "begin").count(),
        1
    );
    // On a terminal it stands above the question.
    let said = on_a_terminal(&scratch, &["run", "001"], "stop\n", 6);
    let (before, _) = said.split_once("go, abandon or STOP?").unwrap_or_else(|| panic!("{said}"));
    assert!(before.contains(&line), "{said}");
    scratch.run(["decide", "001", "go"]).expect(0);
    let row = &scratch.json(["status"])["features"][0];
    assert!(row["question"].is_null() && row["estimate"].is_null(), "{row:#}");
    assert_eq!(
        bodies(&events(&scratch), "asked").filter(|body| body["question"]["about"] == "begin").count(),
        1,
        "a decision asks nothing again"
    );
}

fn usd(micro: u64) -> String {
    redraft_facts::usage::Usd(micro).to_string()
}

#[test]
fn what_is_left_to_agents_that_cost_nothing_is_not_estimated() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--lane", "express", "Export the monthly report as CSV"]).expect(0);
    let ran = scratch.run(["run", "001"]).expect(6);
    assert!(
        ran.stdout.contains("code is written next") && !ran.stdout.contains("expected"),
        "{}",
        ran.stdout
    );
    assert!(scratch.json(["status"])["features"][0]["estimate"].is_null());
}

#[test]
fn the_next_feature_is_estimated_from_the_bills_of_the_ones_before() {
    let (scratch, _provider) = with_agent(ANTHROPIC);
    let first = run(&scratch, &["run", "001"]);
    assert!(
        first.stderr.contains("expected: about $") && !first.stderr.contains("earlier feature"),
        "{}",
        first.stderr
    );
    run(&scratch, &["run", "001", "--yes"]).expect(0);
    let sent = |role: &str| {
        let of_role = |body: &&serde_json::Value| body["ticket"].as_str().unwrap().contains(role);
        bodies(&events(&scratch), "started").filter(of_role).count()
    };
    let reviews = sent("/spec-reviewer/");
    scratch.run(["new", "--until", "specify", "another feature"]).expect(0);
    let second = run(&scratch, &["run", "002", "--verbose"]);
    assert_eq!(second.code, Some(6), "{}", second.stderr);
    let words = format!(" for {reviews} dispatches, from 1 earlier feature\n");
    let reviewer = second.stderr.lines().find(|line| line.contains("spec-reviewer: ")).unwrap();
    assert!(format!("{reviewer}\n").ends_with(&words), "{reviewer}");
    assert!(
        second.stderr.contains("an estimate from 1 earlier feature of this repository\n"),
        "{}",
        second.stderr
    );
}
