//! I9: a fresh conversation that was told to read files and did not is noted in the history, and nothing else follows.

use crate::models::{ANTHROPIC, model, run, with_model};
use redraft_testkit::Scratch;
use redraft_testkit::provider::{RecordedRequest, Reply, all_text, was_tool_used};
use serde_json::json;
use std::fs;

const SPEC: &str = "docs/features/001-a-feature/spec.md";
const WARNING: &str = "LAZY-LOAD-WARNING: phase-reviewer did not confirm artifact reads";

/// The history of a feature whose lazy reviewers were played by this model, once its specification is approved.
fn history(model: impl Fn(&RecordedRequest, usize) -> Reply + Send + Sync + 'static) -> String {
    let (scratch, _provider) = with_model(ANTHROPIC, model);
    let ran = run(&scratch, &["run", "001", "--yes", "--policy", "resume"]);
    assert_eq!(ran.code, Some(0), "it never blocks: {}\n{}", ran.stdout, ran.stderr);
    read(&scratch)
}

fn read(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap()
}

fn reviews_the_hand_off(request: &RecordedRequest) -> bool {
    all_text(request).contains("# Review the Hand-off")
}

#[test]
fn i9_a_lazy_review_that_opened_nothing_is_told_of_in_the_history_and_holds_nothing_up() {
    let history = history(model);
    assert_eq!(history.matches(WARNING).count(), 1, "{history}");
    let (before, _) = history.split_once(WARNING).unwrap();
    let entry = before.rsplit("\n## ").next().unwrap();
    assert!(entry.contains("phase-reviewer"), "inside the entry of its iteration: {entry}");
    assert!(
        !history.contains("spec-reviewer did not confirm"),
        "without a PRD it has nothing to read: {history}"
    );
}

#[test]
fn i9_what_the_agent_opened_decides_and_not_what_the_role_says() {
    let claims = |request: &RecordedRequest, index: usize| match reviews_the_hand_off(request) {
        true => Reply::Json(
            json!({"approved": true, "summary": "read", "answers": [], "issues": [], "checks": [],
            "verified": [], "files_read": [{"file": SPEC, "lines": 5}]}),
        ),
        false => model(request, index),
    };
    assert!(history(claims).contains(WARNING), "it says so and has not opened it");
    let opens = |request: &RecordedRequest, index: usize| match reviews_the_hand_off(request) {
        true if !was_tool_used(request, "Read") => Reply::tool("Read", json!({"path": SPEC})),
        _ => model(request, index),
    };
    assert!(!history(opens).contains("LAZY-LOAD-WARNING"), "it has opened it and does not say so");
}

#[test]
fn i9_is_about_lazy_dispatches_only() {
    let (scratch, _provider) = with_model(ANTHROPIC, model);
    run(&scratch, &["run", "001", "--yes", "--policy", "inline"]).expect(0);
    assert!(!read(&scratch).contains("LAZY-LOAD-WARNING"));
}
