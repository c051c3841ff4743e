//! Whole loops with agents that have a model behind them; the model is a script on this machine.

use crate::world::{PROGRAM, bodies, events, left};
use redraft_testkit::Scratch;
use redraft_testkit::provider::{Provider, Recorded, Reply, all_text, last_user_text, was_tool_used};
use serde_json::json;

const KEY: &str = "sk-ant-test-0000000000000000";
const SPEC: &str = "docs/features/001-a-feature/spec.md";

/// Plays all roles by what it is asked: the author writes a file and says so; the first review of each reviewer
/// rejects, every later one approves.
fn model(request: &Recorded, _index: usize) -> Reply {
    let (all, last) = (all_text(request), last_user_text(request));
    if all.contains("# Write the Specification") {
        if !was_tool_used(request, "Write") {
            return Reply::tool(
                "Write",
                json!({"path": SPEC, "content": "# Spec\n\n## Requirements\n\n- R1: first\n"}),
            );
        }
        if last.contains("New Issues to Fix") && !was_tool_used(request, "Edit") {
            let edit = json!({"path": SPEC, "old_text": "- R1: first", "new_text": "- R1: second"});
            return Reply::tool("Edit", edit);
        }
        return Reply::Json(
            json!({"approved": true, "summary": "written", "answers": answers(&last), "issues": [],
            "checks": [], "verified": [], "files_read": []}),
        );
    }
    let first = !last.contains("[S1]") && !last.contains("[P1]") && !last.contains("final validation");
    let issue = json!({"severity": "blocker", "category": "clarity", "claim": "present", "file": SPEC, "line": 5,
        "section": "Requirements", "quote": "- R1: first", "description": "nobody can tell what first means",
        "suggestion": "", "same_as": ""});
    let rejecting = first && all.contains("# Review the Specification");
    let issues = if rejecting { vec![issue] } else { vec![] };
    Reply::Json(
        json!({"approved": issues.is_empty(), "summary": "read", "answers": answers(&last), "issues": issues,
        "checks": [], "verified": [], "files_read": []}),
    )
}

fn answers(text: &str) -> serde_json::Value {
    match text.contains("[S1]") {
        true => json!([{"id": "S1", "status": "fixed", "note": "it says second now"}]),
        false => json!([]),
    }
}

fn with_agent(agent: &str) -> (Scratch, Provider) {
    let provider = Provider::start(model);
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "a feature"]).expect(0);
    let agent = agent.replace("URL", &provider.base_url());
    scratch.write("redraft.toml", &format!("[agents.model]\n{agent}\n[roles]\ndefault = \"model\"\n"));
    (scratch, provider)
}

fn run(scratch: &Scratch, words: &[&str]) -> redraft_testkit::Ran {
    let mut command = scratch.redraft(words);
    command.env("TEST_MODEL_KEY", KEY);
    redraft_testkit::Ran::of(command.output().unwrap())
}

#[test]
fn a_spec_is_written_rejected_mended_and_approved_over_every_protocol() {
    for agent in [
        "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"URL\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nwire = \"responses\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"a-model-of-mine\"\nprice = \"local\"\nbase_url = \"URL/v1\"\nschema = \"none\"",
    ] {
        let (scratch, provider) = with_agent(agent);
        let ran = run(&scratch, &["run", "001", "--yes", "--policy", "resume"]);
        assert_eq!(ran.code, Some(0), "{agent}\n{}\n{}", ran.stdout, ran.stderr);
        let left = left(&scratch);
        assert!(left.artifact.contains("- R1: second"), "{agent}: {}", left.artifact);
        assert_eq!(left.findings.len(), 1, "{agent}: {:?}", left.findings);
        let events = events(&scratch);
        let strategies: Vec<&str> =
            bodies(&events, "started").map(|body| body["choice"]["strategy"].as_str().unwrap()).collect();
        assert!(strategies.contains(&"resume"), "{agent}: {strategies:?}");
        assert!(provider.requests().len() >= 6, "{agent}");
        let found = scratch.command("grep").args(["-rlaF", KEY, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "", "{agent}: the key was written somewhere");
    }
}

#[test]
fn money_is_agreed_to_once_before_the_first_paid_dispatch() {
    let anthropic = "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"URL\"\nkey_env = \"TEST_MODEL_KEY\"";
    let (scratch, provider) = with_agent(anthropic);
    let ran = run(&scratch, &["run", "001"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("spec-reviewer: claude-sonnet-4.5") && ran.stderr.contains("--yes"),
        "{}",
        ran.stderr
    );
    assert!(provider.requests().is_empty());
    let ran = run(&scratch, &["run", "001", "--yes", "--budget", "0.01"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(provider.requests().is_empty(), "the dearest outcome did not fit, so nothing was sent");
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stdout.contains("spent $0.0000"), "{}", ran.stdout);
}

#[test]
fn what_is_missing_for_an_agent_is_told_before_anything_is_sent() {
    for (agent, words) in [
        ("kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"", "ANTHROPIC_API_KEY"),
        ("kind = \"openai\"\nmodel = \"gpt-6-sol\"\nkey_env = \"NO_SUCH\"", "NO_SUCH"),
        ("kind = \"openai\"\nmodel = \"gpt-6-soul\"\nbase_url = \"URL/v1\"", "gpt-6-sol"),
        (
            "kind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"no-such-claude\"",
            "npm install -g @anthropic-ai/claude-code",
        ),
        (
            "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"http://example.invalid\"\nkey_env = \"TEST_MODEL_KEY\"",
            "http",
        ),
    ] {
        let (scratch, provider) = with_agent(agent);
        let ran = run(&scratch, &["run", "001", "--yes"]);
        assert_eq!(ran.code, Some(3), "{agent}: {}", ran.stderr);
        assert!(ran.stderr.contains(words) && !ran.stderr.contains(KEY), "{agent}: {}", ran.stderr);
        assert!(provider.requests().is_empty(), "{agent}");
    }
}
