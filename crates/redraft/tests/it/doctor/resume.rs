//! Tests what a probe's result means for the features that use the agent.

use super::{agent, doctor, meta};
use crate::world::{bodies, events, executable, feature};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;
use std::process::Stdio;

const IDEA: &str = "Export the monthly report as CSV";
const FORGETS: &str = "[[rule]]\nticket = \"*/probe/prober/3.*\"\ndo = \"say\"\ntext = \"who are you?\"\n";

fn strategies(scratch: &Scratch, number: &str) -> Vec<String> {
    let of_feature = |body: &&Value| body["ticket"].as_str().unwrap().starts_with(&format!("{number}/"));
    let events = events(scratch);
    let sent = bodies(&events, "started").filter(of_feature);
    sent.map(|body| body["choice"]["strategy"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_failed_probe_turns_resuming_off_and_says_so_until_one_passes() {
    let scratch = feature(IDEA);
    scratch.scenario(FORGETS);
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!((code, agent(&report, "rehearsal")["resume"].as_str()), (1, Some("no")), "{report:#}");
    let ran = scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    assert!(
        strategies(&scratch, "001").iter().all(|strategy| strategy == "lazy"),
        "{:?}",
        strategies(&scratch, "001")
    );
    let reason = meta(&scratch, "001")["r1_deferred_reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("V3: asked for the first line it had read"), "{reason}");
    // People are not told the numbers of our checks.
    let plain = reason.strip_prefix("V3: ").unwrap();
    let note = format!("rehearsal: conversations are not continued: {}", plain.get(..30).unwrap());
    assert!(ran.stderr.contains(&note), "{}", ran.stderr);
    let cost = scratch.run(["cost", "001"]).expect(0).stdout;
    assert!(cost.contains(&note), "every receipt says so: {cost}");
    let whys: Vec<Value> =
        bodies(&events(&scratch), "started").map(|body| body["choice"]["why"].clone()).collect();
    assert!(whys.iter().any(|why| *why == format!("rehearsal is not resumed: {reason}")), "{whys:?}");

    // The file is a projection: it comes back byte for byte.
    let file = scratch.artifacts("001").join(".meta.json");
    let before = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(fs::read(&file).unwrap(), before);

    scratch.scenario("");
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!((code, agent(&report, "rehearsal")["resume"].as_str()), (0, Some("yes")), "{report:#}");
    scratch.run(["new", "--until", "specify", "Show the weather on the start page"]).expect(0);
    let ran = scratch.run(["run", "002", "--policy", "resume"]).expect(0);
    assert!(strategies(&scratch, "002").contains(&"resume".to_owned()));
    assert!(meta(&scratch, "002").get("r1_deferred_reason").is_none());
    assert!(!ran.stdout.contains("not continued"), "{}", ran.stdout);
}

#[test]
fn a_probe_tells_every_feature_of_the_agent_that_can_go_on_and_no_other() {
    let scratch = feature(IDEA);
    scratch.scenario("");
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["new", "--until", "specify", "Show the weather on the start page"]).expect(0);
    scratch.run(["new", "--until", "specify", "Let people export their data"]).expect(0);
    scratch.run(["decide", "003", "abandon"]).expect(0);
    scratch.scenario("[[rule]]\nticket = \"*/review/*\"\ndo = \"hang\"\n");
    scratch.run(["new", "--until", "specify", "Sort the list of orders"]).expect(0);
    let mut driven =
        scratch.redraft(["run", "004"]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let asked = |_: &i32| {
        fs::read_to_string(scratch.state().join("agents/rehearsal/log.jsonl"))
            .unwrap_or_default()
            .lines()
            .any(|line| line.contains("004/specify.1/review") && line.contains("\"at\":\"asked\""))
    };
    assert!((0..20_000_000).any(|look| asked(&look)));
    let before = bodies(&events(&scratch), "agents-met").count();
    scratch.scenario(FORGETS);
    let ran = scratch.run(["doctor"]).expect(1);
    driven.kill().unwrap();
    driven.wait().unwrap();
    assert!(
        ran.stderr
            .contains("feature 004 has a run under way; that run records what was found about rehearsal"),
        "{}",
        ran.stderr
    );
    assert_eq!(bodies(&events(&scratch), "agents-met").count(), before + 1, "only feature 002 was told");
    let reason = meta(&scratch, "002")["r1_deferred_reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("V3: asked for the first line it had read"), "{reason}");
    assert!(meta(&scratch, "001").get("r1_deferred_reason").is_none(), "it is finished");
    let plain = reason.strip_prefix("V3: ").unwrap();
    let note = format!("rehearsal: conversations are not continued: {plain}");
    let shown = scratch.run(["cost", "002"]).expect(0).stdout;
    assert!(shown.contains(&note), "{shown}");
    let shown = scratch.json(["cost", "002"]);
    assert_eq!((&shown["r1_deferred_reason"], &shown["notes"][0]), (&reason.as_str().into(), &note.into()));
    assert!(scratch.json(["cost", "001"]).get("r1_deferred_reason").is_none());
    let file = scratch.artifacts("002").join(".meta.json");
    let kept = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(fs::read(&file).unwrap(), kept);

    // A second probe says nothing new; a probe that passes takes it back.
    scratch.run(["doctor"]).expect(1);
    scratch.scenario("");
    scratch.run(["doctor"]).expect(0);
    assert!(meta(&scratch, "002").get("r1_deferred_reason").is_none());
    assert!(scratch.json(["cost", "002"]).get("r1_deferred_reason").is_none());
    scratch.run(["run", "002", "--policy", "resume"]).expect(0);
    assert!(strategies(&scratch, "002").contains(&"resume".to_owned()));
}

#[test]
fn an_agent_nobody_probed_may_resume_until_two_conversations_in_a_row_are_gone() {
    let scratch = feature(IDEA);
    scratch.scenario(
        "[[rule]]\nticket = \"*/revise/*/1.1\"\ndo = \"lose-session\"\n\
         [[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"lose-session\"\n",
    );
    scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    let all = events(&scratch);
    let met: Vec<&str> =
        bodies(&all, "agents-met").map(|body| body["agents"][0]["resume"].as_str().unwrap()).collect();
    assert_eq!(met, ["unproved", "no"]);
    let last = strategies(&scratch, "001");
    assert_eq!(last.iter().filter(|strategy| *strategy == "resume").count(), 2, "{last:?}");
    let reason = meta(&scratch, "001")["r1_deferred_reason"].as_str().unwrap().to_owned();
    assert!(
        reason.starts_with("V2: 2 conversations in a row could not be continued: no conversation"),
        "{reason}"
    );
    // It holds for every feature of the agent.
    scratch.scenario("");
    scratch.run(["new", "--until", "specify", "Show the weather on the start page"]).expect(0);
    scratch.run(["run", "002", "--policy", "resume"]).expect(0);
    assert!(strategies(&scratch, "002").iter().all(|strategy| strategy == "lazy"));
    assert_eq!(meta(&scratch, "002")["r1_deferred_reason"], reason.as_str());
    // A probe that passes lifts it.
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!((code, agent(&report, "rehearsal")["resume"].as_str()), (0, Some("yes")), "{report:#}");
}

#[test]
fn the_prompts_of_a_probe_can_be_shown() {
    let scratch = feature(IDEA);
    doctor(&scratch, &["--agent", "rehearsal"]);
    let events = events(&scratch);
    let tickets: Vec<&str> =
        bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap()).collect();
    assert_eq!(tickets.len(), 3, "{tickets:?}");
    for (turn, ticket) in tickets.iter().enumerate() {
        let shown = scratch.json(["show", "prompt", "--ticket", ticket]);
        assert_eq!(shown["ticket"], **ticket);
        let text = scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
        assert!(turn == 0 || text.contains(&format!("## Turn {}", turn + 1)), "{text}");
    }
    let none =
        scratch.run(["show", "prompt", "--ticket", "agent-other/specify.1/probe/prober/1.1"]).expect(2);
    assert!(
        none.stderr.contains("for agent other") && none.stderr.contains("redraft doctor --agent other"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_probe_is_held_to_the_budget_that_was_typed() {
    let scratch = feature(IDEA);
    scratch.scenario("usd_per_dispatch = 1.0\n");
    let (report, code) = doctor(&scratch, &["--agent", "rehearsal", "--budget", "2"]);
    assert_eq!(code, 5, "{report:#}");
    assert_eq!(bodies(&events(&scratch), "started").count(), 2);
    assert!(
        agent(&report, "rehearsal")["note"].as_str().unwrap().contains("the budget of $2.0000"),
        "{report:#}"
    );
    scratch.run(["doctor", "--budget", "much"]).expect(2);
    assert_eq!(doctor(&scratch, &["--agent", "rehearsal", "--budget", "3"]).1, 0);
}

#[test]
fn a_killed_probe_tells_what_it_had_reserved() {
    let scratch = feature(IDEA);
    scratch.scenario("usd_per_dispatch = 1.0\n[[rule]]\nticket = \"*/probe/prober/2.1\"\ndo = \"hang\"\n");
    let mut probe =
        scratch.redraft(["doctor", "--agent", "rehearsal"]).stderr(Stdio::null()).spawn().unwrap();
    let log = scratch.state().join("agents/rehearsal/log.jsonl");
    let asked =
        |_: &i32| fs::read_to_string(&log).unwrap_or_default().matches("\"at\":\"asked\"").count() == 2;
    assert!((0..20_000_000).any(|look| asked(&look)));
    probe.kill().unwrap();
    probe.wait().unwrap();
    scratch.scenario("usd_per_dispatch = 1.0\n");
    let ran = scratch.run(["doctor", "--agent", "rehearsal"]).expect(0);
    assert!(ran.stderr.contains("was cut off; what it cost is unknown, at most $1.0000"), "{}", ran.stderr);
    assert!(ran.stdout.contains("rehearsal"), "{}", ran.stdout);
}

/// Answers the first turn of a probe like Claude Code.
const ANSWERING: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
echo called >> "$HOME/calls"
while [ $# -gt 1 ]; do [ "$1" = --session-id ] && id=$2; shift; done
cat > /dev/null
echo '{"type":"system","subtype":"init"}'
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.25,' "$id"
echo '"usage":{"input_tokens":10,"output_tokens":10},"result":"read it"}'
"#;

#[test]
fn an_answer_that_a_killed_probe_had_paid_for_is_stored_with_its_cost() {
    let scratch = feature(IDEA);
    executable(&scratch, "claude.sh", ANSWERING);
    scratch
        .write(
            "redraft.toml",
            // It notes in the user's home that it was called.
            "[sandbox]\nlevel = \"off\"\n[agents.claude]\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n",
        );
    scratch.run(["trust", "--yes"]).expect(0);
    let words = ["doctor", "--agent", "claude", "--yes"];
    // Before and after the start is stored, and after the agent answered.
    let died = scratch.redraft(words).env("REDRAFT_ABORT_AT_BOUNDARY", "3").output().unwrap();
    assert_eq!(died.status.code(), None);
    assert_eq!(fs::read_to_string(scratch.outside().join("home/calls")).unwrap().lines().count(), 1);
    let ran = scratch.run(words);
    assert!(ran.stderr.contains("after its agent had answered"), "{}", ran.stderr);
    let events = events(&scratch);
    let first = bodies(&events, "answered").next().unwrap();
    assert_eq!(
        (&first["ticket"], &first["usage"]["cost"]),
        (&"agent-claude/specify.1/probe/prober/1.1".into(), &180.into()),
        "10 tokens in and 10 out, by the card"
    );
    assert_eq!(bodies(&events, "lost").count(), 0);
}
