//! Tests which agent plays a role: another agent for one run, and tools that an agent does not have.

use crate::world::{bodies, events, feature};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

const IDEA: &str = "Export the monthly report as CSV";
/// An agent that bills exactly what it reserved, so that a budget ends a run where it should.
const ONE_DOLLAR: &str = "usd_per_dispatch = 1.0\n";

fn with_second_agent(scratch: &Scratch) {
    let config = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}\n[agents.second]\nkind = \"rehearsal\"\n"));
}

/// Ticket, agent, strategy and reason of everything sent.
fn sent(scratch: &Scratch) -> Vec<[String; 4]> {
    let events = events(scratch);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let row = |body: &Value| {
        let choice = &body["choice"];
        [&body["ticket"], &body["agent"], &choice["strategy"], &choice["why"]].map(text)
    };
    bodies(&events, "started").map(row).collect()
}

#[test]
fn a_conversation_of_another_agent_is_not_continued_and_the_history_says_why() {
    let scratch = feature(IDEA);
    scratch.scenario(ONE_DOLLAR);
    with_second_agent(&scratch);
    scratch.run(["run", "001", "--budget", "3", "--policy", "resume"]).expect(5);
    let ran = scratch.run(["run", "001", "--agent", "secnd"]).expect(2);
    assert!(
        ran.stderr.contains(
            "there is no agent `secnd` (known: anthropic, claude, codex, openai, rehearsal, second)"
        ),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("did you mean `second`?"), "{}", ran.stderr);
    scratch.run(["run", "001", "--agent", "second"]).expect(0);
    let sent = sent(&scratch);
    let agents: Vec<&str> = sent.iter().map(|[_, agent, ..]| agent.as_str()).collect();
    assert_eq!(agents[..3], ["rehearsal"; 3]);
    assert!(agents.len() > 3 && agents[3..].iter().all(|agent| *agent == "second"), "{agents:?}");
    let [ticket, _, strategy, why] = &sent[3];
    assert!(ticket.ends_with("review/spec-reviewer/2.1"), "{ticket}");
    assert_eq!(strategy, "lazy");
    assert_eq!(why, "the earlier conversation is with agent rehearsal, not second");
    let history = fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    assert!(history.contains(&format!("\nAGENT-CHANGED: spec-reviewer iteration 2 — {why}\n")), "{history}");
    assert!(!history.contains("RESUME-FALLBACK"), "{history}");
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn a_repair_that_another_agent_would_have_to_make_becomes_a_fresh_review() {
    let scratch = feature(IDEA);
    scratch.scenario(&format!(
        "{ONE_DOLLAR}[[rule]]\nticket = \"*/review/spec-reviewer/1.1\"\ndo = \"garbage\"\n"
    ));
    with_second_agent(&scratch);
    scratch.run(["run", "001", "--budget", "2"]).expect(5);
    let ran = scratch.run(["run", "001", "--budget", "2.5", "--agent", "rehearsal"]).expect(5);
    assert!(ran.stdout.contains("next: redraft run 001 --budget 4 --agent rehearsal"), "{}", ran.stdout);
    scratch.run(["run", "001", "--agent", "second", "--budget", "100"]).expect(0);
    let sent = sent(&scratch);
    assert!(sent[2][0].contains("/repair/spec-reviewer/"), "{sent:?}");
    assert!(sent[3][0].ends_with("review/spec-reviewer/1.2") && sent[3][2] == "inline", "{sent:?}");
    let history = fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    assert!(history.contains("RESUME-FALLBACK: spec-reviewer iteration 1 — "), "{history}");
}

#[test]
fn tools_that_an_agent_does_not_have_are_recorded_and_told_to_the_role() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    let events = events(&scratch);
    for body in bodies(&events, "started") {
        let missing: Vec<&str> =
            body["missing"].as_array().unwrap().iter().map(|tool| tool.as_str().unwrap()).collect();
        let ticket = body["ticket"].as_str().unwrap();
        let wanted: &[&str] = match ticket.contains("/spec-reviewer/") || ticket.contains("/spec-author/") {
            true => &["WebSearch", "mcp__context7__resolve-library-id", "mcp__context7__query-docs"],
            false => &[],
        };
        assert_eq!(missing, wanted, "{}", body["ticket"]);
    }
    let history = fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    assert!(history.contains("\nTOOLS-MISSING: spec-reviewer iteration 1 — WebSearch, "), "{history}");
    let shown =
        scratch.run(["show", "prompt", "001", "--role", "spec-reviewer", "--strategy", "inline"]).expect(0);
    assert!(shown.stdout.contains("## Tools You Do Not Have"), "{}", shown.stdout);
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}
