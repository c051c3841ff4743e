//! `redraft eval`: from approved documents to a count of what reviews found.

use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

const SPEC: &str = include_str!("../../../eval/data/spec.md");
const FILE: &str = "docs/features/001-links/spec.md";

fn with_spec() -> Scratch {
    let scratch = Scratch::empty(PROGRAM);
    scratch.write(FILE, SPEC);
    scratch.write("docs/features/001-links/prd.md", "# Links\n\n## Problem Statement\n\nLinks never end.\n");
    scratch
}

/// What a reviewer answers that sees everything in the case.
fn perfect(case: &Value) -> Value {
    let issue = |plant: &Value| {
        let words: Vec<&str> =
            plant["words"].as_array().unwrap().iter().map(|group| group[0].as_str().unwrap()).collect();
        json!({"severity": "blocker", "category": "clarity", "claim": "present", "file": FILE, "line": plant["line"],
            "section": "", "quote": "", "description": words.join(" and "), "suggestion": "", "same_as": ""})
    };
    let plants = case["plants"].as_array().unwrap();
    let issues: Vec<Value> = plants.iter().map(issue).collect();
    json!({"approved": issues.is_empty(), "summary": "seen", "answers": [], "issues": issues, "checks": [],
        "verified": [], "files_read": []})
}

#[test]
fn answers_are_counted_against_what_was_planted() {
    let scratch = with_spec();
    let planted = scratch.json(["eval", "plant", "cases", FILE, "--cases", "3", "--seed", "7"]);
    assert_eq!(planted["cases"].as_array().unwrap().len(), 4, "{planted}");
    let plants = planted["plants"].as_u64().unwrap();
    assert!(plants >= 9, "{planted}");
    let exported =
        scratch.run(["eval", "export", "cases", "out", "--arm", "ours", "--arm", "plain+2"]).expect(0);
    assert!(exported.stdout.contains("7 prompts in out, for 4 cases and 2 arms"), "{exported:?}");
    let prompt = scratch.root().join("out/001-links.spec.1.ours-inline-1.prompt.md");
    let prompt = fs::read_to_string(prompt).unwrap();
    assert!(prompt.contains("Links never end."), "what the document builds on is in it: {prompt}");

    // Nothing is answered yet.
    let empty = scratch.run(["eval", "score", "cases", "out"]).expect(1);
    assert!(empty.stdout.contains("ours-inline-1: 0 answered, 4 unanswered"), "{empty:?}");

    for case in planted["cases"].as_array().unwrap() {
        let id = case.as_str().unwrap();
        let case = fs::read_to_string(scratch.root().join(format!("cases/{id}/case.json"))).unwrap();
        let answer = perfect(&serde_json::from_str(&case).unwrap());
        scratch.write(&format!("out/{id}.ours-inline-1.answer.txt"), &format!("Here it is:\n\n{answer}\n"));
    }
    let scored = scratch.run(["--json", "eval", "score", "cases", "out", "--html", "report.html"]).expect(1);
    let scored: Value = serde_json::from_str(&scored.stdout).unwrap();
    let ours = &scored["arms"][0];
    assert_eq!((&ours["arm"], &ours["answered"]), (&json!("ours-inline-1"), &json!(4)));
    assert_eq!((&ours["blocking"]["hits"], &ours["blocking"]["of"]), (&json!(plants), &json!(plants)));
    assert_eq!((&ours["rejected_clean"]["hits"], &ours["rejected_clean"]["of"]), (&json!(0), &json!(1)));
    assert_eq!(ours["extra_blocking"], 0);
    assert_eq!(scored["arms"][1]["unanswered"], 3, "a clean case has no second review: {scored}");
    let page = fs::read_to_string(scratch.root().join("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("ours-inline-1"), "{page}");
    // A report is replaced, and somebody else's file is not.
    scratch.run(["eval", "score", "cases", "out", "--html", "report.html"]).expect(1);
    scratch.write("mine.html", "<p>mine</p>");
    let refused = scratch.run(["eval", "score", "cases", "out", "--html", "mine.html"]).expect(2);
    assert!(refused.stderr.contains("is not a report of this command"), "{refused:?}");
}

#[test]
fn a_secret_of_a_document_is_in_no_prompt() {
    let scratch = with_spec();
    let token = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
    scratch.write(FILE, &format!("{SPEC}\nThe key is {token}.\n"));
    scratch.run(["eval", "plant", "cases", FILE]).expect(0);
    scratch
        .run(["eval", "export", "cases", "out", "--arm", "ours", "--arm", "plain", "--arm", "ours+resume+2"])
        .expect(0);
    let mut read = 0;
    for entry in fs::read_dir(scratch.root().join("out")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(&token));
        read += 1;
    }
    assert!(read >= 8, "{read}");
}

#[test]
fn what_cannot_be_used_is_named_with_the_way_out() {
    let scratch = with_spec();
    let refused = |words: &[&str], code: i32, told: &[&str]| {
        let ran = scratch.run(words).expect(code);
        for told in told {
            assert!(ran.stderr.contains(told), "{words:?}: {ran:?}");
        }
    };
    refused(&["eval", "plant", "cases", "README.md"], 2, &["is not a document of a feature", "spec.md"]);
    refused(&["eval", "plant", "cases", "docs/none/spec.md"], 3, &["docs/none/spec.md: it cannot be read"]);
    refused(&["eval", "plant", "cases", FILE, FILE], 2, &["folders of the same name"]);
    refused(&["eval", "export", "cases", "out", "--arm", "ours"], 2, &["has no cases", "redraft eval plant"]);
    scratch.run(["eval", "plant", "cases", FILE]).expect(0);
    refused(&["eval", "plant", "cases", FILE], 2, &["already exists", "another folder"]);
    refused(&["eval", "export", "cases", "out", "--arm", "ours+fast"], 2, &["neither a strategy"]);
    refused(&["eval", "export", "cases", "out", "--arm", "ours+resume"], 2, &["needs a second round"]);
    refused(&["eval", "export", "cases", "out", "--arm", "ours", "--arm", "ours"], 2, &["the same name"]);
    refused(&["eval", "export", "cases", "out", "--arm", "none.md"], 3, &["none.md: it cannot be read"]);
    refused(&["eval", "score", "cases", "out"], 2, &["out cannot be read", "redraft eval export"]);
    let secret = scratch.outside().join("secret");
    fs::write(&secret, "not for a prompt").unwrap();
    let linked = scratch.root().join("cases/001-links.spec.0/files/spec.md");
    fs::remove_file(&linked).unwrap();
    std::os::unix::fs::symlink(&secret, &linked).unwrap();
    refused(
        &["eval", "export", "cases", "out", "--arm", "ours"],
        3,
        &["files/spec.md", "plant the cases again"],
    );
    scratch.write("cases/001-links.spec.0/case.json", "{\"v\": 9}");
    refused(
        &["eval", "export", "cases", "out", "--arm", "ours"],
        3,
        &["it has version 9", "plant the cases again"],
    );
}
