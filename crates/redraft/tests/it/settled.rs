//! Tests that what a person has settled holds where it was settled: in its phase, for the reviewer that had found it.

use crate::built::shell;
use crate::documents::{CLEAN, PRD};
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

const FOLDER: &str = "docs/features/001-export-the-report";

/// The first requirement of the specification, which a reviewer does not accept.
fn quote() -> &'static str {
    CLEAN.lines().find(|line| line.contains("R1")).unwrap()
}

fn issue(severity: &str) -> Value {
    json!({
        "severity": severity, "category": "completeness", "claim": "present",
        "file": format!("{FOLDER}/spec.md"), "line": 0, "section": "", "quote": quote(),
        "description": "nobody says who is allowed to start an export at night", "suggestion": "say it", "same_as": ""
    })
}

fn verdict(approved: bool, issues: &[Value]) -> String {
    json!({
        "approved": approved, "summary": "s", "answers": [], "issues": issues, "checks": [], "verified": [],
        "files_read": []
    })
    .to_string()
}

fn says(ticket: &str, text: &str) -> String {
    format!("[[rule]]\nticket = \"{ticket}\"\ndo = \"say\"\ntimes = 1\ntext = '''{text}'''\n")
}

/// A feature whose specification a reviewer rejects for something that a person then accepts.
fn accepted(later: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("prd.md"), PRD).unwrap();
    let new = ["new", "--lane", "standard", "--until", "design", "export the report", "--prd", "../prd.md"];
    scratch.run(new).expect(0);
    assert!(scratch.artifacts("001").ends_with(FOLDER));
    fs::write(scratch.artifacts("001").join("spec.md"), CLEAN).unwrap();
    let first = says("*/specify.1/review/spec-reviewer/*", &verdict(false, &[issue("warning")]));
    scratch.scenario(&format!("{first}{later}"));
    let agents = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write(
        "redraft.toml",
        &format!("{agents}\n[review]\nthreshold = \"strict\"\n[limits]\nrounds = 1\n"),
    );
    scratch.run(["run", "--until", "specify", "--on-cap", "ask"]).expect(6);
    scratch.run(["decide", "001", "accept", "--why", "only admins are awake"]).expect(0);
    scratch
}

/// The findings that a reviewer's first answer raised.
fn raised(events: &[Value], ticket: &str) -> Vec<Value> {
    let judged = bodies(events, "judged").find(|body| body["ticket"].as_str().unwrap().contains(ticket));
    let changes = judged.unwrap()["changes"].as_array().unwrap();
    changes.iter().filter_map(|change| change.get("raised").cloned()).collect()
}

#[test]
fn what_was_accepted_from_one_role_is_judged_anew_by_another_and_in_a_later_phase() {
    let phase = says("*/specify.1/review/phase-reviewer/*", &verdict(false, &[issue("warning")]));
    let design = says("*/design.1/review/design-reviewer/*", &verdict(false, &[issue("warning")]));
    let scratch = accepted(&format!("{phase}{design}"));
    scratch.run(["run", "--until", "specify", "--on-cap", "ask"]).expect(6);
    let of_phase = raised(&events(&scratch), "/specify.1/review/phase-reviewer/1.1");
    assert_eq!((of_phase.len(), &of_phase[0]["status"]), (1, &"open".into()));
    scratch.run(["decide", "001", "accept", "--why", "for this one as well"]).expect(0);
    scratch.run(["run", "--on-cap", "ask"]).expect(6);
    let of_design = raised(&events(&scratch), "/design.1/review/design-reviewer/1.1");
    assert_eq!((of_design.len(), &of_design[0]["status"]), (1, &"open".into()));

    let prompt = |ticket: &str| scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
    for ticket in [
        "001/specify.1/review/spec-reviewer/1.1",
        "001/specify.1/review/phase-reviewer/1.1",
        "001/design.1/review/design-reviewer/1.1",
        "001/design.1/draft/design-author/1.1",
    ] {
        assert!(
            !prompt(ticket).contains("Settled Matters"),
            "{ticket} is told of nothing that does not hold for it"
        );
    }
    scratch.run(["show", "prompt", "--verify"]).expect(0);
}

#[test]
fn a_rejection_for_it_alone_holds_nothing_up_and_something_graver_does() {
    let back = |scratch: &Scratch| {
        scratch.run(["run", "--until", "specify"]).expect(0);
        scratch.run(["phase", "back", "001", "specify", "--why", "once more"]).expect(0);
        scratch.run(["run", "--until", "specify", "--on-cap", "ask"])
    };
    let again = "/specify.2/review/spec-reviewer/1.1";
    // Why it was gone back to is a comment, which its reviewer rules on.
    let met = json!([{"id": "U1", "status": "fixed", "note": "looked at once more"}]);
    let on_it = |severity: &str| {
        let said = verdict(false, &[issue(severity)]);
        says(
            "*/specify.2/review/spec-reviewer/*",
            &said.replace("\"answers\":[]", &format!("\"answers\":{met}")),
        )
    };
    let scratch = accepted(&on_it("warning"));
    back(&scratch).expect(0);
    let events_now = events(&scratch);
    let first =
        bodies(&events_now, "judged").find(|body| body["ticket"].as_str().unwrap().contains(again)).unwrap();
    assert_eq!((&first["judgement"], &first["verdict"]["approved"]), (&"approved".into(), &false.into()));
    let notes = first["notes"].to_string();
    assert!(notes.contains("put aside: S1 (ruled)"), "{notes}");
    let told =
        scratch.run(["show", "prompt", "--ticket", "001/specify.2/review/spec-reviewer/1.1"]).expect(0);
    assert!(told.stdout.contains("## Settled Matters") && told.stdout.contains("only admins are awake"));
    // It is not the role's own word, and nothing that shows it says so.
    let log = scratch.run(["log", "001"]).expect(0).stdout;
    assert!(log.contains("spec-reviewer approved (computed)"), "{log}");
    let history = fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    for words in [
        "- Decision: approved (computed)\n",
        "- Approved by spec-reviewer (001/specify.2/review/spec-reviewer/1.1) (computed): ",
    ] {
        assert!(history.contains(words), "no `{words}` in {history}");
    }
    for command in [&["status", "001"][..], &["show", "pull-request", "001"], &["cost", "001"]] {
        let shown = scratch.run(command.iter().copied()).expect(0).stdout;
        assert!(shown.contains("(computed)"), "{command:?}: {shown}");
    }
    for command in [&["status", "001"][..], &["show", "findings", "001"], &["log", "001"]] {
        let shown = scratch.json(command.iter().copied()).to_string();
        assert!(shown.contains(r#""computed":true"#), "{command:?}: {shown}");
    }
    let commits = scratch.git(["log", "--format=%B", "feature/001-export-the-report"]);
    assert!(commits.contains("spec-reviewer (computed) by "), "{commits}");
    scratch.run(["show", "prompt", "--verify"]).expect(0);

    let scratch = accepted(&on_it("blocker"));
    back(&scratch).expect(6);
    let repeated = raised(&events(&scratch), again);
    assert_eq!((repeated.len(), &repeated[0]["status"]), (1, &"open".into()));
}

#[test]
fn whoever_compares_code_with_what_was_asked_for_is_told_of_nothing_that_was_settled_for_a_document() {
    let scratch = shell("", "sh tests/run.sh");
    fs::write(scratch.outside().join("prd.md"), PRD).unwrap();
    scratch.run(["new", "--lane", "standard", "export the report", "--prd", "../prd.md"]).expect(0);
    fs::write(scratch.artifacts("001").join("spec.md"), CLEAN).unwrap();
    scratch.scenario(&says("*/specify.1/review/spec-reviewer/*", &verdict(false, &[issue("warning")])));
    let agents = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    let checks = "[checks]\ntests = \"sh tests/run.sh\"\n";
    let strict = "[review]\nthreshold = \"strict\"\n[limits]\nrounds = 1\n";
    scratch.write("redraft.toml", &format!("{agents}{checks}{strict}"));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "--until", "specify", "--on-cap", "ask"]).expect(6);
    scratch.run(["decide", "001", "accept", "--why", "only admins are awake"]).expect(0);
    scratch.write("redraft.toml", &format!("{agents}{checks}"));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "--yes", "--until", "implement"]).expect(0);
    let ticket = "001/implement.1/review/implementation-reviewer/1.1";
    let told = scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
    assert!(!told.contains("Settled Matters") && !told.contains("only admins are awake"), "{told}");
}
