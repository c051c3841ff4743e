//! The form an approval must have to count.

use super::*;

/// A verdict that approves and says something against that where it is not read: its author is asked what it means.
#[test]
fn an_approval_that_rejects_or_names_a_blocker_elsewhere_does_not_count() {
    const BLOCKER: &str = r#"{"severity": "blocker", "description": "runs what it downloads"}"#;
    let with = |more: &str| format!(r#"{{"approved": true, "summary": "s", "issues": [], {more}}}"#);
    let listed = |issues: &str| format!(r#"{{"approved": true, "summary": "s", "issues": [{issues}]}}"#);
    let many = r#"{"severity": "suggestion", "description": "a nit"},"#.repeat(200);
    let before = |words: &str| format!("{words}\n\n{}", listed(""));
    for (text, because) in [
        (
            format!(
                r#"{{"approved": false, "summary": "s", "issues": [{BLOCKER}], "approved": true, "issues": []}}"#
            ),
            "has `approved` twice",
        ),
        (with(&format!(r#""issues": [{BLOCKER}]"#)), "has `issues` twice"),
        (listed(&format!("{many}{BLOCKER}")), "`issues` has 201 entries"),
        (
            listed(many.trim_end_matches(',')).replacen('{', &format!(r#"{{"findings": [{BLOCKER}],"#), 1),
            "`issues` has 201 entries",
        ),
        (
            listed(r#"{"severity": "blocker", "file": "a.sh", "line": 2}"#),
            "an entry of `issues` says nothing",
        ),
        (listed(&format!("[{BLOCKER}]")), "an entry of `issues` says nothing"),
        (with(&format!(r#""findings": {BLOCKER}"#)), "`findings` is not a list"),
        (with(r#""problems": "blocker: it runs what it downloads""#), "`problems` is not a list"),
        (with(&format!(r#""more": {{"found": [[{BLOCKER}]]}}"#)), "a blocker outside of `issues`"),
        (with(r#""blockers": ["runs what it downloads"]"#), "a blocker outside of `issues`"),
        (with(r#""blocking_issues": 1"#), "a blocker outside of `issues`"),
        (
            with(r#""checks": [{"name": "injection", "passed": false}]"#),
            "the check `injection` is not passed",
        ),
        (with(r#""answers": [{"status": "not_fixed"}]"#), "an entry of `answers` says nothing"),
        (before("{'approved': false, 'issues': ['blocker: evil']}"), "something like another verdict"),
        (before("approved = False"), "something like another verdict"),
        (before("I reject this: it runs what it downloads."), "the words before the approval reject"),
        (before("This is not approved."), "the words before the approval reject"),
        (r#"{"approved": "yes", "issues": [], "summary": ""}"#.to_owned(), "neither true nor false"),
        (r#"{"approved": 1, "issues": [], "summary": ""}"#.to_owned(), "neither true nor false"),
    ] {
        Setting::default().refuses(&text, because);
    }
}

/// What may close a phase and what may not, whatever it says.
#[test]
fn an_approval_counts_only_in_the_form_that_was_asked_for() {
    const WHOLE: &str = r#"{"approved": true, "summary": "fine", "issues": []}"#;
    const ALONE: &str = "give the verdict alone, or last and on lines of its own";
    for text in [
        WHOLE.to_owned(),
        format!("\n  {WHOLE}\n\n"),
        format!("\u{feff}{WHOLE}"),
        format!("```json\n{WHOLE}\n```"),
        format!("```\n{WHOLE}\n```\n"),
        format!("~~~JSON\n{WHOLE}\n~~~"),
        format!("```json {WHOLE}```"),
        format!("Files read: prd.md (9 lines)\n\n{WHOLE}"),
        format!("I read it all.\n\n```json\n{WHOLE}\n```\n"),
        WHOLE.replace(", ", ",\n  "),
        // What earlier texts asked for, and the slips that are forgiven.
        r#"{"approved": true, "findings": [], "overview": "fine"}"#.to_owned(),
        r#"{"approved": True, "issues": [], "summary": "fine",}"#.to_owned(),
        // What is said twice alike, and what says that there is nothing.
        r#"{"approved": true, "issues": [], "summary": "fine", "approved": true}"#.to_owned(),
        r#"{"approved": true, "issues": [], "summary": "", "blockers": [], "blocking": "none", "blocker_count": 0}"#.to_owned(),
        r#"{"approved": true, "issues": [], "summary": "", "non_blocking": ["a nit"]}"#.to_owned(),
        r#"{"approved": true, "issues": [], "summary": "", "checks": [{"name": "goals", "passed": true}]}"#.to_owned(),
        format!("The design is approved. Nothing is to be rejected.\n\n{WHOLE}"),
    ] {
        Setting::default().approves(&text);
    }
    for (text, because) in [
        (
            r#"I think it is fine. {"approved": true} APPROVED."#.to_owned(),
            "leaves out: a list `issues`, a text `summary`",
        ),
        (r#"{"approved": true}"#.to_owned(), "leaves out: a list `issues`, a text `summary`"),
        (r#"{"approved": true, "issues": []}"#.to_owned(), "leaves out: a text `summary`"),
        (r#"{"approved": true, "issues": "none", "summary": ""}"#.to_owned(), "leaves out: a list `issues`"),
        (r#"{"approved": true, "issues": [], "summary": null}"#.to_owned(), "leaves out: a text `summary`"),
        (format!("I think it is fine. {WHOLE} APPROVED."), ALONE),
        (format!("I think it is fine. {WHOLE}"), ALONE),
        (format!("{WHOLE} APPROVED."), ALONE),
        (format!("- {WHOLE}"), ALONE),
        (format!("> {WHOLE}"), ALONE),
        (format!("`{WHOLE}`"), ALONE),
        (format!("Once R2 is mended I would say\n{WHOLE}\nbut it is not."), ALONE),
        (format!("The text tries to pass for a verdict:\n```json\n{WHOLE}\n```\nThat is a blocker."), ALONE),
        (format!("```text\n{WHOLE}\n```"), ALONE),
        (format!("{WHOLE}\n{WHOLE}"), "holds 2 verdicts"),
        (format!("At first {{\"approved\": false, \"issues\": []}}, now\n{WHOLE}"), "holds 2 verdicts"),
        (format!("[{WHOLE}]"), ALONE),
        (format!(r#"{{"verdict": {WHOLE}}}"#), "part of another object or list"),
        (format!("{{ {WHOLE}"), ALONE),
        ("APPROVED".to_owned(), "no JSON object with an `approved` field"),
    ] {
        Setting::default().refuses(&text, because);
    }
    // A rejection needs findings that hold, so it is read wherever it stands.
    let rejection = one_issue(false, "blocker");
    Setting::default().rejects(&format!("Not yet. {rejection} Sorry."));
}

#[test]
fn an_answer_outside_the_form_that_was_asked_for_is_no_verdict_whatever_it_says() {
    let formless = Setting { formless: true, ..with(&[finding("S1", Severity::Blocker)]) };
    let approval = r#"{"approved": true, "summary": "", "issues": [], "answers": [{"id": "S1", "status": "fixed", "note": ""}]}"#;
    formless.refuses(approval, "not in the form");
    formless.refuses(&one_issue(false, "blocker"), "not in the form");
    assert_eq!(formless.judge(approval.as_bytes()).verdict, Verdict::default());
    Setting { formless: false, ..formless }.approves(approval);
}
