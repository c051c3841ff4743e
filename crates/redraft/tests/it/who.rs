//! Tests that every verdict is shown with who judged, and that what was only rehearsed is marked.

use crate::documents::CLEAN;
use crate::finish::{coded, retro};
use crate::hosts::{begun, never, works};
use crate::models::{ANTHROPIC, run, with_agent};
use crate::review_base::{SAFE, UNSAFE, review, topic};
use crate::world::{events, executable, feature};
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

const IDEA: &str = "Let people reset a forgotten password by email";
const REHEARSED: &str = "rehearsal, no model";
const NOTICE: &str = "No model took part: the rehearsal agent, which is built in and judges nothing, played";

/// Places, each with what is there.
type Told<T> = Vec<(&'static str, T)>;

/// Every place that shows a verdict, with what is there: what people read, then what programs read.
fn told(scratch: &Scratch) -> (Told<String>, Told<Value>) {
    let file = |name: &str| fs::read_to_string(scratch.artifacts("001").join(name)).unwrap();
    let text = |words: &[&str]| scratch.run(words).expect(0).stdout;
    let branch = scratch.git_in(&scratch.worktree("001"), ["log", "--format=%B", "main..HEAD"]);
    let texts = vec![
        ("commits", branch),
        (".review-history.md", file(".review-history.md")),
        ("status", text(&["status"])),
        ("log", text(&["log"])),
        ("show findings", text(&["show", "findings"])),
        ("show pull-request", text(&["show", "pull-request"])),
        ("cost", text(&["cost"])),
        ("receipt", text(&["run", "001", "--yes"])),
    ];
    let meta: Value = serde_json::from_str(&file(".meta.json")).unwrap();
    let status = scratch.json(["status"])["features"][0].clone();
    let objects = vec![
        (
            ".meta.json",
            json!({"judged_by": meta["phases"]["specify"]["judged_by"], "rehearsed": meta["rehearsed"]}),
        ),
        ("status --json", status),
        ("run --json", scratch.json(["run", "001", "--yes"])),
        ("show findings --json", scratch.json(["show", "findings"])),
        ("show pull-request --json", scratch.json(["show", "pull-request"])),
        ("cost --json", scratch.json(["cost"])),
    ];
    (texts, objects)
}

/// The first to judge, as programs read it.
fn first_judge(object: &Value) -> [&str; 5] {
    ["role", "agent", "kind", "program", "model"]
        .map(|key| object["judged_by"][0][key].as_str().unwrap_or("absent"))
}

#[test]
fn a_rehearsed_feature_is_marked_wherever_it_could_be_taken_for_a_review() {
    let scratch = feature(IDEA);
    let ran = scratch.run(["run", "001"]).expect(0);
    assert!(
        ran.stdout.starts_with("feature 001 is approved\n")
            && ran.stdout.contains(&format!("\n{NOTICE} every role\n")),
        "{}",
        ran.stdout
    );
    let all = scratch.run(["cost", "--all"]).expect(0).stdout;
    assert!(all.contains("\nplayed by rehearsal, no model: 8 dispatches\n"), "{all}");
    let (texts, objects) = told(&scratch);
    for (place, text) in &texts {
        assert!(text.contains(REHEARSED) || text.contains(NOTICE), "{place}:\n{text}");
    }
    for (place, object) in &objects {
        assert_eq!(
            first_judge(object),
            ["spec-reviewer", "rehearsal", "rehearsal", "redraft", ""],
            "{place}"
        );
        assert_eq!(object["judged_by"][0]["version"], env!("CARGO_PKG_VERSION"), "{place}");
        assert_eq!(object["rehearsed"], true, "{place}: {object}");
    }
    let text = |name: &str| &texts.iter().find(|(place, _)| *place == name).unwrap().1;
    for line in [
        "Redraft-Ticket: 001/specify.1/draft/spec-author/1.1\nRedraft-Agent: rehearsal, no model\nRedraft-Seq: ",
        "Redraft-Approved: spec-reviewer by rehearsal, no model\nRedraft-Approved: phase-reviewer by rehearsal, no model\n",
    ] {
        assert!(text("commits").contains(line), "{line}\n{}", text("commits"));
    }
    let history = text(".review-history.md");
    assert!(history.contains("\n- Agent: rehearsal, no model\n- Decision: rejected\n"), "{history}");
    assert!(history.contains(
        "- Approved by phase-reviewer (001/specify.1/review/phase-reviewer/2.1): rehearsal, no model\n"
    ));
    let wanted = "\n    judged by rehearsal, no model: spec-reviewer, phase-reviewer\n    rehearsed: the rehearsal \
        agent took part, and it judges nothing\n";
    assert!(text("status").contains(wanted), "{}", text("status"));
    assert!(
        text("log").contains("spec-reviewer rejected: 2 new; by rehearsal, no model\n"),
        "{}",
        text("log")
    );
    assert!(text("show findings").contains("raised in round 1 by spec-reviewer, rehearsal, no model\n"));
    let request = text("show pull-request");
    let above = request.split("## Trace").next().unwrap();
    assert!(
        above.contains(&format!("\n> {NOTICE} these roles: spec-author, spec-reviewer, phase-reviewer.\n")),
        "{above}"
    );
    let hands = "- specify: written by rehearsal, no model: spec-author; approved by rehearsal, no model: spec-reviewer, phase-reviewer\n";
    assert!(above.contains(hands), "{above}");
    let events = events(&scratch);
    let of = |kind: &str| events.iter().find(|event| event["kind"] == kind).unwrap();
    assert_eq!(first_judge(of("judged"))[2], "rehearsal");
    assert_eq!(of("phase-closed")["judged_by"].as_array().unwrap().len(), 2);
    assert_eq!(of("started").get("judged_by"), None);
    assert_eq!(objects[3].1["findings"][0]["raised_by"]["kind"], "rehearsal");
    assert_eq!(objects[2].1["receipt"]["agents"][0]["kind"], "rehearsal");
    assert_eq!(objects[5].1["phases"][0]["roles"][0]["dispatches"][0]["player"]["kind"], "rehearsal");
}

#[test]
fn a_model_behind_http_is_named_wherever_its_verdict_stands() {
    let (scratch, _provider) = with_agent(ANTHROPIC);
    run(&scratch, &["run", "001", "--yes"]).expect(0);
    let key = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    // Looking at what is done needs no key.
    scratch.write("redraft.toml", &key.replace("TEST_MODEL_KEY", "HOME"));
    let (texts, objects) = told(&scratch);
    for (place, text) in &texts {
        assert!(text.contains("model (Anthropic API), claude-sonnet-4.5"), "{place}:\n{text}");
        assert!(!text.contains(REHEARSED) && !text.contains("No model"), "{place}:\n{text}");
    }
    for (place, object) in &objects {
        let wanted = ["spec-reviewer", "model", "anthropic", "Anthropic API", "claude-sonnet-4.5"];
        assert_eq!(first_judge(object), wanted, "{place}");
        assert_eq!(
            (&object["judged_by"][0]["version"], &object["rehearsed"]),
            (&"".into(), &false.into()),
            "{place}"
        );
    }
}

/// Answers like Claude Code, with an approval.
const CLAUDE: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo '2.1.325 (Claude Code)' && exit 0
while [ $# -gt 1 ]; do case "$1" in --session-id|--resume) id=$2;; esac; shift; done
cat > /dev/null
echo '{"type":"system","subtype":"init"}'
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.01,' "$id"
printf '%s\n' '"usage":{"input_tokens":10,"output_tokens":10},"result":"","structured_output":{"approved":true,"summary":"fine","answers":[],"issues":[],"checks":[],"verified":[],"files_read":[]}}'
"#;

#[test]
fn claude_code_is_named_with_its_version_beside_a_role_that_was_only_rehearsed() {
    let scratch = feature("Export the monthly report as CSV");
    executable(&scratch, "program.sh", CLAUDE);
    let config = "[agents.claude]\nkind = \"claude\"\nmodel = \"claude-sonnet-4-5\"\nprogram = \"./program.sh\"\n\
                  [roles]\nspec-reviewer = \"claude\"\n";
    scratch.write("redraft.toml", config);
    let folder = scratch.worktree("001").join("docs/features/001-export-the-monthly-report-as-csv");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("spec.md"), CLEAN).unwrap();
    scratch.run(["trust", "--yes"]).expect(0);
    let ran = scratch.json(["run", "001", "--yes"]);
    assert_eq!((&ran["outcome"], &ran["rehearsed"]), (&"approved".into(), &true.into()), "{ran}");
    let judges = ran["judged_by"].as_array().unwrap();
    let wanted = json!({"role": "spec-reviewer", "agent": "claude", "kind": "claude", "program": "Claude Code",
        "version": "2.1.325", "model": "claude-sonnet-4-5"});
    assert_eq!(judges[0], wanted);
    assert_eq!((&judges[1]["role"], &judges[1]["kind"]), (&"phase-reviewer".into(), &"rehearsal".into()));
    let message = scratch.git_in(&scratch.worktree("001"), ["log", "-1", "--format=%B"]);
    let approved = "Redraft-Approved: spec-reviewer by claude (Claude Code 2.1.325), claude-sonnet-4-5\n\
                    Redraft-Approved: phase-reviewer by rehearsal, no model\n";
    assert!(message.contains(approved), "{message}");
    let request = scratch.run(["show", "pull-request"]).expect(0).stdout;
    let notice = "> No model took part in some of this: the rehearsal agent, which is built in and judges nothing, \
                  played these roles: phase-reviewer.\n";
    assert!(request.contains(notice), "{request}");
    let trailers = ["log", "-1", "--format=%(trailers:key=Redraft-Approved,valueonly)"];
    let read = scratch.git_in(&scratch.worktree("001"), trailers);
    assert_eq!(read.lines().filter(|line| !line.is_empty()).count(), 2, "git reads them as trailers: {read}");
}

#[test]
fn a_host_is_named_as_it_names_itself_and_its_model_is_not_guessed() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let done = works(&scratch, &mut host, never);
    assert_eq!((&done["state"], &done["rehearsed"]), (&"done".into(), &false.into()), "{done}");
    let wanted = json!({"role": "spec-reviewer", "agent": "host", "kind": "pull", "program": "test-host",
        "version": "1", "model": ""});
    assert_eq!(done["judged_by"][0], wanted);
    assert_eq!(host.call("cost", json!({}))["judged_by"][0], wanted);
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(
        status.contains("judged by host (test-host 1), model not known: spec-reviewer, phase-reviewer"),
        "{status}"
    );
}

#[test]
fn code_that_was_only_rehearsed_says_so_in_its_log_its_retrospective_and_its_merge() {
    let scratch = coded("", "");
    let built = scratch.run(["log", "--as", "implementation-log"]).expect(0).stdout;
    assert!(built.contains("- **Agent:** rehearsal, no model\n"), "{built}");
    let ran = scratch.json(["finish", "--merge"]);
    assert_eq!((&ran["outcome"], &ran["rehearsed"]), (&"merged".into(), &true.into()), "{ran}");
    let page = retro(&scratch, "001");
    assert!(page.contains("- judged by rehearsal, no model: implementation-reviewer\n"), "{page}");
    assert!(page.contains(&format!("- {NOTICE} every role\n")), "{page}");
    let message = scratch.git(["log", "-1", "--format=%B", "main"]);
    let lines = "Redraft-Agent: rehearsal, no model\nRedraft-Approved: implementation-reviewer by rehearsal, no model\n";
    assert!(message.contains(lines), "{message}");
    // The agent that looks back is sent the history without it: what an agent is told does not depend on who played the
    // roles.
    let prompt = scratch.run(["show", "prompt", "001", "--role", "retro-facilitator"]).expect(0).stdout;
    assert!(prompt.contains("## Review History") && !prompt.contains("no model"), "{prompt}");
}

#[test]
fn a_rehearsed_review_of_a_change_is_no_clean_result_in_any_form() {
    let scratch = topic(SAFE);
    let ran = review(&scratch, &["--format", "sarif"]).expect(0);
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["results"], json!([]));
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let told = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(told["level"], "note");
    let roles = "implementation-reviewer, code-quality-reviewer, security-reviewer";
    assert_eq!(told["message"]["text"], format!("{NOTICE} these roles: {roles}."));
    for properties in [&run["properties"], &run["tool"]["driver"]["properties"]] {
        assert_eq!((&properties["rehearsed"], first_judge(properties)[2]), (&true.into(), "rehearsal"));
    }
    let shown = scratch.json(["review", "--base", "main"]);
    assert_eq!((&shown["outcome"], &shown["rehearsed"]), (&"approved".into(), &true.into()));
    assert_eq!(shown["judged_by"].as_array().unwrap().len(), 3);
    let github = review(&scratch, &["--format", "github"]).expect(0).stdout;
    assert_eq!(github, format!("::warning title=rehearsal%2C no model::{NOTICE} these roles: {roles}\n"));
    let table = review(&scratch, &[]).expect(0).stdout;
    assert!(
        table.contains(&format!("\njudged by rehearsal, no model: {roles}\n{NOTICE} these roles: ")),
        "{table}"
    );
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.contains(&format!("    judged by rehearsal, no model: {roles}\n")), "{status}");
}

#[test]
fn claude_code_that_reviews_a_change_is_named_in_every_form() {
    let scratch = topic(UNSAFE);
    scratch.git(["switch", "--quiet", "main"]);
    // The program that reviews a change must not be part of it.
    executable(&scratch, "../program.sh", CLAUDE);
    let program = scratch.outside().join("program.sh").display().to_string();
    let config = format!(
        "[agents.claude]\nkind = \"claude\"\nmodel = \"claude-sonnet-4-5\"\nprogram = \"{program}\"\n\
         [roles]\ndefault = \"claude\"\n"
    );
    scratch.write("redraft.toml", &config);
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "--quiet", "--message", "configure"]);
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    scratch.run(["trust", "--base", "main", "--yes"]).expect(0);
    let ran = review(&scratch, &["--yes", "--format", "sarif"]).expect(0);
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["toolExecutionNotifications"], json!([]));
    let judge = &run["properties"]["judged_by"][0];
    assert_eq!((&judge["version"], &judge["model"]), (&"2.1.325".into(), &"claude-sonnet-4-5".into()));
    let github = review(&scratch, &["--yes", "--format", "github"]).expect(0).stdout;
    let wanted = "::notice title=judged by::claude (Claude Code 2.1.325), claude-sonnet-4-5: implementation-reviewer, \
                  code-quality-reviewer, security-reviewer\n";
    assert_eq!(github, wanted);
}

#[test]
fn the_review_of_a_document_names_who_judged_it() {
    let scratch = Scratch::repository(crate::world::PROGRAM);
    scratch.write("spec.md", CLEAN);
    let ran = scratch.run(["review", "spec.md"]).expect(0);
    assert!(
        ran.stdout.contains(&format!(
            "\njudged by rehearsal, no model: spec-reviewer\n{NOTICE} every role\nnext: "
        )),
        "{}",
        ran.stdout
    );
    let shown = scratch.json(["review", "spec.md"]);
    assert_eq!((first_judge(&shown)[2], &shown["rehearsed"]), ("rehearsal", &true.into()), "{shown}");
}
