//! `redraft eval`: from approved documents to a count of what reviews found.

use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

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
    assert!(!exported.stdout.contains("case.json"), "{exported:?}");
    let inside = scratch.run(["eval", "export", "cases", "cases/out", "--arm", "ours"]).expect(0);
    assert!(
        inside.stdout.contains("the prompts are in the folder of the cases: who answers there"),
        "{inside:?}"
    );
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

/// The files below a folder that hold a text, and how many files there are.
pub(crate) fn holding(folder: &Path, text: &str) -> (Vec<PathBuf>, usize) {
    let (mut with, mut all) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (inside, more) = holding(&path, text);
            with.extend(inside);
            all += more;
        } else {
            all += 1;
            with.extend(fs::read_to_string(&path).unwrap().contains(text).then_some(path));
        }
    }
    (with, all)
}

#[test]
fn a_secret_of_a_document_is_in_no_case_and_in_no_prompt() {
    let scratch = with_spec();
    let token = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
    scratch.write(FILE, &format!("{SPEC}\nThe key is {token}.\n"));
    scratch.run(["eval", "plant", "cases", FILE]).expect(0);
    let (with, all) = holding(&scratch.root().join("cases"), &token);
    assert!(with.is_empty() && all >= 4, "{all} files, of them with the secret {with:?}");
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

#[test]
fn findings_that_no_defect_explains_are_classed_once_and_blind() {
    let scratch = with_spec();
    scratch.run(["eval", "plant", "cases", FILE, "--cases", "1"]).expect(0);
    let issue = |severity: &str, words: &str| {
        json!({"severity": severity, "category": "clarity", "claim": "present", "file": FILE, "line": 3,
            "section": "", "quote": "", "description": words, "suggestion": "", "same_as": ""})
    };
    let answer = |issues: &[Value]| {
        json!({"approved": false, "summary": "seen", "answers": [], "issues": issues, "checks": [], "verified": [],
            "files_read": []})
        .to_string()
    };
    scratch.run(["eval", "export", "cases", "out", "--arm", "ours", "--arm", "plain"]).expect(0);
    for case in ["001-links.spec.0", "001-links.spec.1"] {
        let ours = answer(&[issue("blocker", "nobody may delete"), issue("blocker", "the title is dull")]);
        scratch.write(&format!("out/{case}.ours-inline-1.answer.json"), &ours);
        let plain = answer(&[issue("warning", "deleting is left open")]);
        scratch.write(&format!("out/{case}.plain-inline-1.answer.json"), &plain);
    }
    // Without an agent the prompts are written, and score goes on without classes.
    let written = scratch.run(["eval", "judge", "cases", "out"]).expect(1);
    assert!(
        written.stdout.contains("0 of 3 findings classed; 0 material defects in cases/judged"),
        "{written:?}"
    );
    let prompt =
        fs::read_to_string(scratch.root().join("cases/judged/001-links.spec.judge.1.prompt.md")).unwrap();
    assert!(prompt.contains("### F3") && prompt.contains("Links never end."), "{prompt}");
    assert!(!prompt.contains("ours-inline") && !prompt.contains("Severity"), "{prompt}");
    let number = |words: &str| {
        let at = prompt.find(words).unwrap();
        prompt[..at].rsplit("### ").next().unwrap().lines().next().unwrap().to_owned()
    };
    let class = |words: &str, class: &str, same_as: &str| json!({"id": number(words), "reason": "r", "class": class, "same_as": same_as});
    let (one, two) = (number("nobody may delete"), number("deleting is left open"));
    let (first, second) = if one < two {
        ("nobody may delete", "deleting is left open")
    } else {
        ("deleting is left open", "nobody may delete")
    };
    let mut classes = [
        class(first, "material", ""),
        class(second, "material", &number(first)),
        class("the title is dull", "minor", ""),
    ];
    classes.sort_by_key(|class| class["id"].as_str().unwrap().to_owned());
    scratch
        .write("cases/judged/001-links.spec.judge.1.answer.json", &json!({"findings": classes}).to_string());
    let judged = scratch.run(["eval", "judge", "cases", "out"]).expect(0);
    assert!(judged.stdout.contains("3 of 3 findings classed; 1 material defect in"), "{judged:?}");
    let scored = scratch.json(["eval", "score", "cases", "out"]);
    let (ours, plain) = (&scored["arms"][0]["judged"], &scored["arms"][1]["judged"]);
    assert_eq!(
        (&ours["material"], &ours["minor"], &ours["wrong"]),
        (&json!(2), &json!(2), &json!(0)),
        "{scored}"
    );
    assert_eq!((&ours["union_blocking"]["hits"], &ours["union_blocking"]["of"]), (&json!(2), &json!(2)));
    assert_eq!((&plain["union_blocking"]["hits"], &plain["union_blocking"]["of"]), (&json!(0), &json!(2)));
    assert_eq!(scored["material"][0]["blocking"], json!(["ours-inline-1"]), "{scored}");
    assert_eq!(scored["material"][0]["otherwise"], json!(["plain-inline-1"]), "{scored}");
    let found = fs::read_to_string(scratch.root().join("cases/judged/found.json")).unwrap();
    assert!(found.contains("\"ours-inline-1\""), "{found}");

    // What is classed stays; only what is new is asked, here of an agent that finds everything minor.
    let union = || fs::read_to_string(scratch.root().join("cases/judged/union.json")).unwrap();
    let before: Value = serde_json::from_str(&union()).unwrap();
    scratch.write(
        "out/001-links.spec.0.plain-inline-1.answer.json",
        &answer(&[issue("blocker", "a new thing")]),
    );
    let asked = scratch.run(["eval", "judge", "cases", "out", "--agent", "rehearsal"]).expect(0);
    assert!(asked.stderr.contains("1 prompt to ask of rehearsal"), "{asked:?}");
    let second =
        fs::read_to_string(scratch.root().join("cases/judged/001-links.spec.judge.2.prompt.md")).unwrap();
    assert!(
        second.contains("- D1: ") && second.contains("a new thing") && !second.contains("### F2"),
        "{second}"
    );
    let after: Value = serde_json::from_str(&union()).unwrap();
    assert_eq!(
        before["documents"]["001-links.spec"]["defects"],
        after["documents"]["001-links.spec"]["defects"]
    );
    let again = scratch.run(["eval", "judge", "cases", "out", "--agent", "rehearsal"]).expect(0);
    assert!(!again.stderr.contains("to ask of"), "{again:?}");
}
