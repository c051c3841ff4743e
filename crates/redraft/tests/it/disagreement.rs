//! Tests what a person sees and says where author and reviewer disagree, and where an implementer says no.

use crate::documents::planted;
use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, bodies, events, feature};
use redraft_testkit::Scratch;
use serde_json::json;
use std::fs;

const DECLINES: &str =
    "[[rule]]\nticket = \"*/revise/spec-author/*\"\ndo = \"decline\"\ntext = \"the text has it\"\n";

/// A feature whose specification has defects, with an author that declines what is found.
fn declined() -> Scratch {
    let scratch = feature("Export the monthly report as CSV");
    let folder = scratch.worktree("001");
    let folder = folder.join("docs/features").join(folder.file_name().unwrap());
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("spec.md"), planted()).unwrap();
    scratch.scenario(DECLINES);
    scratch
}

/// How many findings stand in the way, as the question is asked about one after the other.
fn contested(scratch: &Scratch) -> usize {
    let all = events(scratch);
    bodies(&all, "drafted").last().unwrap()["declined"].as_array().unwrap().len()
}

#[test]
fn a_person_is_shown_both_texts_and_overrules_with_name_and_reason_everywhere() {
    let scratch = declined();
    scratch.run(["run", "001", "--yes"]).expect(6);
    let question = scratch.run(["decide", "001"]).expect(6).stdout;
    assert!(question.contains("spec-author and spec-reviewer disagree about S1"), "{question}");
    assert!(question.contains("spec-author: the text has it"), "{question}");
    assert!(question.contains("    uphold    it holds, and the author must change the file\n"), "{question}");
    let shown = scratch.json(["decide", "001"]);
    assert_eq!(shown["question"]["about"], json!({"disagreement": {"finding": "S1"}}));
    let refused = scratch.run(["decide", "001", "overrule"]).expect(2);
    assert!(refused.stderr.contains("overruling a finding needs a reason"), "{}", refused.stderr);
    let secret = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
    let why = format!("known, see {secret}");
    let number = contested(&scratch);
    for _ in 0..number {
        scratch.run(["decide", "001", "overrule", "--why", &why]).expect(0);
    }
    scratch.run(["run", "001", "--yes"]).expect(0);
    let findings = scratch.json(["show", "findings", "001"]);
    let first = findings["findings"].as_array().unwrap().iter().find(|one| one["id"] == "S1").unwrap();
    assert_eq!(first["status"], "overruled");
    assert!(first["note"].as_str().unwrap().ends_with(": known, see [redacted:github-token]"), "{first}");
    let text = scratch.run(["show", "findings", "001"]).expect(0).stdout;
    assert!(text.contains("overruled, raised in round 1"), "{text}");
    let history = scratch.run(["log", "001", "--as", "review-history"]).expect(0).stdout;
    for part in ["## Decision: overrule", "- Overrules: S1", "- Overruled: S1", "S1"] {
        assert!(history.contains(part), "{part} is not in {history}");
    }
    assert!(history.contains("overruled): "), "the approval says what it is without: {history}");
    let request = scratch.run(["show", "pull-request", "001"]).expect(0).stdout;
    assert!(request.contains("## Overruled findings") && request.contains("S1 [blocker]"), "{request}");
    assert_eq!(scratch.json(["status", "001"])["features"][0]["status"], "approved", "no stage has failed");
    let stored = scratch.run(["log", "001", "--json"]).expect(0).stdout;
    assert!(!stored.contains(&secret), "what was typed is stored without its secret");
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn on_a_terminal_a_finding_is_upheld_with_a_reason_that_its_author_is_told() {
    let scratch = declined();
    let lines = "uphold\n\nuphold\nit is not there\nstop\n";
    let said = on_a_terminal(&scratch, &["run", "001"], lines, 6);
    assert!(said.contains("uphold, overrule, accept, rerun, abandon or STOP?"), "{said}");
    assert!(said.contains("upholding a finding needs a reason"), "{said}");
    let all = events(&scratch);
    let decided = bodies(&all, "decided").next().unwrap();
    assert_eq!((&decided["choice"], &decided["why"]), (&json!("uphold"), &json!("it is not there")));
    scratch.scenario("");
    while scratch.json(["decide", "001"])["question"].is_object() {
        scratch.run(["decide", "001", "uphold", "--why", "it is not there"]).expect(0);
    }
    scratch.run(["run", "001", "--yes"]).expect(0);
    let ticket = "001/specify.1/revise/spec-author/3.1";
    let told = scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
    assert!(told.contains("): it is not there") && told.contains("Upheld by a person ("), "{told}");
}

#[test]
fn an_implementer_that_says_no_is_asked_about_in_its_own_words_and_not_reviewed() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--lane", "express", "Export the monthly report as CSV"]).expect(0);
    scratch.scenario(
        "[[rule]]\nticket = \"*/implement/implementer/*\"\ndo = \"stop\"\ntext = \"R1 and AC1 disagree\"\n",
    );
    scratch.run(["run", "001", "--yes"]).expect(6);
    let question = scratch.run(["decide", "001"]).expect(6).stdout;
    assert!(question.contains("the implementer said: R1 and AC1 disagree"), "{question}");
    let all = events(&scratch);
    let reviews =
        bodies(&all, "started").filter(|body| body["ticket"].as_str().unwrap().contains("/review/"));
    assert_eq!(reviews.count(), 0, "nobody is sent what is said not to be done");
    let log = scratch.run(["log", "001", "--as", "implementation-log"]).expect(0).stdout;
    assert!(log.contains(", not done\n"), "{log}");
    let ticket = bodies(&all, "started").last().unwrap()["ticket"].as_str().unwrap().to_owned();
    let told = scratch.run(["show", "prompt", "--ticket", &ticket]).expect(0).stdout;
    assert!(
        told.contains("An earlier turn stopped and said why") && told.contains("R1 and AC1 disagree"),
        "{told}"
    );
}
