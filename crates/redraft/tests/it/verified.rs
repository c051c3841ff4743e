//! Tests that what reviewers looked up, and what they left to a person, is shown wherever people read about a review.

use crate::documents::{CLEAN, PRD};
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::json;
use std::fs;

#[test]
fn what_a_reviewer_verified_and_what_it_flagged_for_a_person_is_shown() {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("prd.md"), PRD).unwrap();
    let new = ["new", "--lane", "standard", "--until", "specify", "export the report", "--prd", "../prd.md"];
    scratch.run(new).expect(0);
    fs::write(scratch.artifacts("001").join("spec.md"), CLEAN).unwrap();
    let flagged = "Unable to verify independently - flagged for human review";
    let verdict = json!({
        "approved": true, "summary": "s", "answers": [], "issues": [], "checks": [], "files_read": [],
        "verified": [
            {"claim": "RFC 4180 allows quotes", "source": "the RFC, section 2", "result": "holds"},
            {"claim": "the mail service accepts 20 MB", "source": "", "result": flagged}
        ],
    });
    scratch.scenario(&format!(
        "[[rule]]\nticket = \"*/specify.1/review/spec-reviewer/*\"\ndo = \"say\"\ntimes = 1\ntext = \'\'\'{verdict}\'\'\'\n"
    ));
    scratch.run(["run"]).expect(0);

    let person = format!("the mail service accepts 20 MB: {flagged}");
    let settled = "RFC 4180 allows quotes (the RFC, section 2): holds";
    let findings = scratch.run(["show", "findings", "001"]).expect(0).stdout;
    let history = fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    let request = scratch.run(["show", "pull-request", "001"]).expect(0).stdout;
    for (text, wanted) in [
        (&findings, format!("for a person to check, specify, spec-reviewer: {person}\n")),
        (&findings, format!("verified, specify, spec-reviewer: {settled}")),
        (&history, format!("- For a person to check: {person}\n")),
        (&history, format!("- Verified: {settled}\n")),
        (&request, format!("## For a person to check\n\n- specify, spec-reviewer: {person}\n")),
        (
            &request,
            format!(
                "## Looked up by reviewers\n\n- specify, spec-reviewer: {settled}\n- nothing was looked up by phase-reviewer (specify)\n"
            ),
        ),
        (&findings, "\nnothing was looked up by phase-reviewer (specify)".to_owned()),
        (&history, "- Verified: nothing was looked up\n".to_owned()),
    ] {
        assert!(text.contains(&wanted), "no `{wanted}` in:\n{text}");
    }
    for command in ["findings", "pull-request"] {
        let shown = &scratch.json(["show", command, "001"])["verified"];
        assert_eq!(shown.as_array().unwrap().len(), 2, "{shown}");
        assert_eq!((&shown[0]["flagged"], &shown[1]["flagged"]), (&json!(true), &json!(false)), "{shown}");
        assert_eq!(shown[1]["role"], "spec-reviewer");
        let nothing = &scratch.json(["show", command, "001"])["nothing_looked_up"];
        assert_eq!(nothing, &json!([{"phase": "specify", "role": "phase-reviewer"}]), "{nothing}");
    }
}
