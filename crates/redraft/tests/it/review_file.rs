//! `redraft review FILE`: one document by itself, again after an edit, and revised.

use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

/// A specification with a requirement that cannot be checked, which the rehearsal reviewer finds.
pub(crate) const LACKING: &str = "\
# Export

## Requirements

- R1: When a user asks for an export, the system shall write it within 10 seconds.
- R2: When the disk is full, the system shall tell the user within 5 seconds.

## Acceptance Criteria

- AC1 (R1): an export of 1,000 orders is written within 10 seconds.
";

const CRITERION: &str = "- AC2 (R2): with a full disk a message is shown within 5 seconds.\n";

fn repository(path: &str, text: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write(path, text);
    scratch
}

fn reviews(scratch: &Scratch) -> Vec<String> {
    let all = events(scratch);
    bodies(&all, "started").map(|body| body["ticket"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_document_is_reviewed_without_a_feature_and_left_as_it_is() {
    let scratch = repository("docs/api/spec.md", LACKING);
    let ran = scratch.run(["review", "docs/api/spec.md"]).expect(1);
    for words in [
        "S1 [",
        "cost: $0.0000 billed; more: redraft cost review-001\n",
        "docs/api/spec.md has findings",
        "next: ",
    ] {
        assert!(ran.stdout.contains(words), "no `{words}` in: {}", ran.stdout);
    }
    assert_eq!(reviews(&scratch), ["review-001/specify.1/review/spec-reviewer/1.1"]);
    assert_eq!(fs::read_to_string(scratch.root().join("docs/api/spec.md")).unwrap(), LACKING);
    assert!(!scratch.root().join("docs/api/.meta.json").exists(), "nothing is put beside it");
    assert_eq!(scratch.git(["status", "--short"]).trim(), "?? docs/", "the user's checkout is as it was");
    assert_eq!(scratch.json(["status"])["features"].as_array().map(Vec::len), Some(0));
}

#[test]
fn called_again_without_an_edit_it_asks_nobody_and_says_the_same() {
    let scratch = repository("spec.md", LACKING);
    let first = scratch.json(["review", "spec.md"]);
    let again = scratch.json(["review", "spec.md"]);
    assert_eq!(first["outcome"], "findings");
    assert_eq!(first["findings"], again["findings"]);
    assert_eq!(reviews(&scratch).len(), 1);
}

#[test]
fn after_an_edit_the_reviewer_that_knows_it_is_sent_only_what_changed() {
    let scratch = repository("spec.md", LACKING);
    scratch.run(["review", "spec.md"]).expect(1);
    let mended = format!("{LACKING}{CRITERION}");
    scratch.write("spec.md", &mended);
    scratch.run(["review", "spec.md"]);
    let all = events(&scratch);
    let second: Vec<&Value> = bodies(&all, "started").collect();
    assert_eq!(second.len(), 2, "{:?}", reviews(&scratch));
    assert_eq!(second[1]["choice"]["strategy"], "resume");
    let prompt = scratch.run(["show", "prompt", "--ticket", "review-001/specify.1/review/spec-reviewer/2.1"]);
    let prompt = prompt.expect(0).stdout;
    assert!(prompt.contains(&format!("+{CRITERION}")), "{prompt}");
    assert!(!prompt.contains("# Rules for Every Role") && prompt.contains("[S1]"), "{prompt}");
}

/// A reviewer that rejects for one quote, or for none, and calls these findings fixed.
fn says(ticket: &str, fixed: &[&str], quote: &str) -> String {
    let answers: Vec<Value> =
        fixed.iter().map(|id| json!({"id": id, "status": "fixed", "note": "it says so now"})).collect();
    let issue = json!({
        "severity": "blocker", "category": "testability", "claim": "present", "file": "spec.md", "line": 0,
        "section": "", "quote": quote, "description": format!("{quote} can be met by anything"), "suggestion": "",
        "same_as": ""
    });
    let issues = if quote.is_empty() { Vec::new() } else { vec![issue] };
    let verdict = json!({
        "approved": quote.is_empty(), "summary": "s", "answers": answers, "issues": issues, "checks": [],
        "verified": [], "files_read": []
    });
    format!("[[rule]]\nticket = \"*/{ticket}\"\ndo = \"say\"\ntext = '''{verdict}'''\n")
}

#[test]
fn a_deferred_blocker_is_an_approval_that_is_marked_and_keeps_code_1_until_its_reviewer_calls_it_fixed() {
    let scratch = repository("spec.md", LACKING);
    scratch.scenario(
        &[
            says("review/spec-reviewer/1.*", &[], "the system shall write it within 10 seconds"),
            says("review/spec-reviewer/2.*", &["S1"], "the system shall tell the user within 5 seconds"),
            says("review/spec-reviewer/3.*", &["S2"], "an export of 1,000 orders"),
            says("validate/spec-reviewer/1.*", &["S3"], ""),
        ]
        .concat(),
    );
    let mut text = LACKING.to_owned();
    let mut edited = |from: &str, to: &str| {
        text = text.replacen(from, to, 1);
        scratch.write("spec.md", &text);
    };
    scratch.run(["review", "spec.md"]).expect(1);
    edited("write it within 10 seconds", "write it within 9 seconds");
    // One blocker outside of what changed is admitted, because it is the first.
    scratch.run(["review", "spec.md"]).expect(1);
    edited("tell the user within 5 seconds", "tell the user within 4 seconds");
    let ran = scratch.run(["review", "spec.md"]).expect(1);
    for words in
        ["S3 [", "deferred, raised in round 3", "spec.md has findings", "spec-reviewer (computed)", "next: "]
    {
        assert!(ran.stdout.contains(words), "no `{words}` in: {}", ran.stdout);
    }
    let again = scratch.run(["review", "spec.md", "--json"]).expect(1);
    let again: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&again["outcome"], &again["judged_by"][0]["computed"]), (&"findings".into(), &true.into()));
    assert_eq!(reviews(&scratch).len(), 3, "nobody is asked again without an edit");
    let log = scratch.run(["log"]).expect(0).stdout;
    assert!(log.contains("spec-reviewer approved (computed): 1 deferred, 1 fixed"), "{log}");
    edited("an export of 1,000 orders", "an export of 2,000 orders");
    let ran = scratch.run(["review", "spec.md"]).expect(0);
    let judged = "spec.md is approved\njudged by rehearsal, no model: spec-reviewer\n";
    assert!(ran.stdout.contains(judged), "{}", ran.stdout);
}

#[test]
fn with_fix_an_author_revises_it_until_it_is_approved() {
    let scratch = repository("spec.md", LACKING);
    let shown = scratch.json(["review", "spec.md", "--fix"]);
    assert_eq!((&shown["outcome"], &shown["fixed"]), (&"approved".into(), &true.into()), "{shown}");
    let text = fs::read_to_string(scratch.root().join("spec.md")).unwrap();
    assert_ne!(text, LACKING);
    assert!(text.starts_with(LACKING.trim_end()), "only what was found is mended: {text}");
    // An approved document is looked at again only when it changes.
    let before = reviews(&scratch).len();
    scratch.run(["review", "spec.md"]).expect(0);
    assert_eq!(reviews(&scratch).len(), before);
    scratch.write("spec.md", &text.replace("within 5 seconds", "within 7 seconds"));
    scratch.run(["review", "spec.md"]);
    let last = reviews(&scratch).pop().unwrap();
    assert_eq!(last, "review-001/specify.1/validate/spec-reviewer/1.1", "{:?}", reviews(&scratch));
}

#[test]
fn a_review_that_was_killed_goes_on_and_the_file_is_written_once_at_the_end() {
    let scratch = repository("spec.md", LACKING);
    let whole = repository("spec.md", LACKING);
    whole.run(["review", "spec.md", "--fix"]).expect(0);
    for boundary in [3, 9, 15, 21] {
        let mut killed = scratch.redraft(["review", "spec.md", "--fix"]);
        killed.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string());
        assert!(!killed.output().unwrap().status.success() || boundary > 3, "nothing was interrupted");
    }
    scratch.run(["review", "spec.md", "--fix"]).expect(0);
    let text = |scratch: &Scratch| fs::read_to_string(scratch.root().join("spec.md")).unwrap();
    assert_eq!(text(&scratch), text(&whole));
}

#[test]
fn it_can_begin_anew_and_be_judged_as_another_kind() {
    let scratch = repository("notes.md", LACKING);
    scratch.run(["review", "notes.md", "--as", "spec"]).expect(1);
    scratch.run(["review", "notes.md", "--as", "spec", "--again"]).expect(1);
    let tickets = reviews(&scratch);
    assert_eq!(tickets[0], "review-001/specify.1/review/spec-reviewer/1.1");
    assert_eq!(tickets[1], "review-002/specify.1/review/spec-reviewer/1.1");
    scratch.run(["review", "notes.md", "--as", "document"]);
    assert_eq!(reviews(&scratch)[2], "review-002/document.1/review/document-reviewer/1.1");
}

#[test]
fn what_it_was_judged_as_is_kept_and_told_until_another_kind_is_asked_for() {
    let scratch = repository("notes.md", LACKING);
    let first = scratch.run(["review", "notes.md"]);
    assert!(
        first.stderr.contains("notes.md is reviewed as document, because of its name"),
        "{}",
        first.stderr
    );
    let said = scratch.run(["review", "notes.md", "--as", "spec"]).expect(1);
    assert!(said.stderr.contains("notes.md is reviewed as spec, as you said"), "{}", said.stderr);
    scratch.write("notes.md", &format!("{LACKING}\nMore.\n"));
    let kept = scratch.run(["review", "notes.md"]).expect(1);
    assert!(kept.stderr.contains("notes.md is reviewed as spec, like last time"), "{}", kept.stderr);
    assert_eq!(reviews(&scratch).last().unwrap(), "review-001/specify.1/review/spec-reviewer/2.1");
    // What another reviewer found no longer counts.
    scratch.run(["review", "notes.md", "--as", "plan"]);
    let shown = scratch.json(["status", "notes.md"])["reviews"][0].clone();
    let listed = scratch.json(["show", "findings", "notes.md"])["findings"].clone();
    let phases = listed.as_array().unwrap().iter().map(|one| one["phase"].as_str().unwrap());
    assert!(phases.clone().all(|phase| phase == "create-plan"), "{listed}");
    assert_eq!(shown["open_findings"], phases.count(), "{shown}");
    // Back to what it was, without an edit; that is kept as well, even by a new review.
    assert_eq!(scratch.json(["review", "notes.md", "--as", "document"])["as"], "document");
    assert_eq!(scratch.json(["review", "notes.md"])["as"], "document");
    scratch.run(["review", "notes.md", "--as", "spec"]).expect(1);
    assert_eq!(scratch.json(["review", "notes.md", "--again"])["as"], "spec");
    scratch.run(["status", "--verify"]).expect(0);
}

#[test]
fn a_review_is_shown_by_its_file_or_its_number_wherever_features_are() {
    let scratch = repository("docs/api/spec.md", LACKING);
    scratch.run(["review", "docs/api/spec.md"]).expect(1);
    scratch.run(["new", "--until", "specify", "Show the weather"]).expect(0);
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(
        status.contains("review-001 docs/api/spec.md  waiting for you: there are findings to correct\n    as spec, 1 open finding, 1 dispatch"),
        "{status}"
    );
    assert!(status.contains("    next: redraft review docs/api/spec.md\n"), "{status}");
    for word in ["docs/api/spec.md", "./docs/api/../api/spec.md", "review-001", "review-1"] {
        let findings = scratch.json(["show", "findings", word]);
        assert_eq!(
            (&findings["feature"], &findings["findings"][0]["id"]),
            (&"review-001".into(), &"S1".into())
        );
        let cost = scratch.run(["cost", word]).expect(0).stdout;
        assert!(
            cost.starts_with("review-001 of docs/api/spec.md, waiting for you: there are findings to correct: $0.0000 billed\n1 dispatch: "),
            "{cost}"
        );
        let log = scratch.run(["log", word]).expect(0).stdout;
        assert!(log.lines().all(|line| line.contains("  review-001  ")), "{log}");
        let shown = scratch.json(["status", word]);
        assert_eq!(shown["features"].as_array().map(Vec::len), Some(0));
        assert_eq!(shown["reviews"][0]["document"], "docs/api/spec.md");
        scratch.run(["show", "prompt", word, "--verify"]).expect(0);
    }
    let all = scratch.run(["cost"]).expect(0).stdout;
    assert!(all.contains("review-001 spec") && all.contains("001 show-the-weather"), "{all}");
    scratch.run(["cost", "--why", "review-001/specify.1/review/spec-reviewer/1.1"]).expect(0);
    // From a subfolder, and for a file that does not exist.
    scratch.run(["-C", "docs/api", "show", "findings", "spec.md"]).expect(0);
    scratch.write("other.md", "# Other\n");
    let unknown = scratch.run(["show", "findings", "other.md"]).expect(2);
    assert!(unknown.stderr.contains("review it: redraft review other.md"), "{}", unknown.stderr);
    scratch.run(["log", "review-009"]).expect(2);
    // Folded again it is the same.
    let before = scratch.json(["status"])["reviews"].clone();
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(scratch.json(["status"])["reviews"], before);
}

#[test]
fn the_first_look_is_no_edit_and_the_second_is() {
    let scratch = repository("spec.md", LACKING);
    let first = scratch.run(["review", "spec.md"]).expect(1);
    assert!(first.stderr.contains("Test Person handed in the document") && !first.stderr.contains("edited"));
    scratch.write("spec.md", &format!("{LACKING}{CRITERION}"));
    let second = scratch.run(["review", "spec.md"]);
    assert!(second.stderr.contains("Test Person edited the document"), "{}", second.stderr);
}

#[test]
fn a_document_that_fails_the_gate_is_told_why_and_nobody_is_asked() {
    let scratch = repository("spec.md", &LACKING.replace("within 10 seconds.\n- R2", "within TBD.\n- R2"));
    let ran = scratch.run(["review", "spec.md"]).expect(1);
    assert!(reviews(&scratch).is_empty());
    assert!(
        ran.stdout.contains("gate lint failed: ") && ran.stdout.contains("line 5 [placeholder]"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stderr.contains("gate lint failed"), "the result says it: {}", ran.stderr);
    assert!(
        ran.stderr.contains(" is to review spec.md") && !ran.stderr.contains("reviews"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("cost: ") && !ran.stdout.contains("dispatch"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("spec.md failed the gate lint, so no reviewer was asked about it as it stands\n"),
        "{}",
        ran.stdout
    );
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.contains("spec.md  waiting for you: the gate lint failed\n"), "{status}");
    assert_eq!(scratch.json(["review", "spec.md"])["gate"]["gate"], "lint");
}

#[test]
fn a_gate_that_failed_on_the_way_is_told_where_the_result_says_nothing_of_it() {
    let scratch = repository("spec.md", &LACKING.replace("within 10 seconds.\n- R2", "within TBD.\n- R2"));
    let ran = scratch.run(["review", "spec.md", "--fix"]).expect(0);
    assert_eq!(ran.stderr.matches("gate lint failed: ").count(), 1, "{}", ran.stderr);
    let (_, later) = ran.stderr.split_once("gate lint failed: ").unwrap();
    assert!(later.contains("gate lint passed"), "in the order it happened: {}", ran.stderr);
    assert!(!ran.stdout.contains("gate lint failed"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_reviewed_is_told_and_leaves_nothing_behind() {
    let scratch = repository("empty.md", "\n  \n");
    fs::write(scratch.root().join("binary.md"), [0xff, 0xfe, 0x00]).unwrap();
    fs::write(scratch.outside().join("elsewhere.md"), LACKING).unwrap();
    for (file, words) in [
        ("absent.md", "absent.md"),
        ("empty.md", "nothing to review"),
        ("binary.md", "not UTF-8"),
        (".", "."),
        ("../elsewhere.md", "not in the repository"),
    ] {
        let ran = scratch.run(["review", file]).expect(2);
        assert!(ran.stderr.contains(words), "{file}: {}", ran.stderr);
    }
    assert!(!scratch.root().join(".redraft/worktrees").exists());
}
