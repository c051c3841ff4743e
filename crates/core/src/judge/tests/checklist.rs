//! What an answer says about the checks that were asked for.

use super::*;

fn with_check(note: &str) -> String {
    let checks = format!(r#""checks": [{{"name": "traced", "passed": false, "note": "{note}"}}], "issues""#);
    one_issue(false, "blocker").replace("\"issues\"", &checks)
}

#[test]
fn a_failed_check_names_its_finding_or_is_returned_once() {
    let known = Finding { status: Status::Open, ..finding("S7", Severity::Suggestion) };
    let setting = || Setting { known: vec![known.clone()], ..Setting::default() };
    for note in ["1", "issue 1", "finding #1.", "S7 is not fixed", "(s7)"] {
        setting().rejects(&with_check(note));
    }
    for note in [
        "",
        "healing stands in AC-1.1 only",
        "R1 has no criterion",
        "see 2",
        "0 found",
        "S70",
        "R1 has 1 criterion",
    ] {
        let judged = setting().judge(with_check(note).as_bytes());
        let Judgement::Repair { why } = &judged.judgement else { panic!("{note}: {judged:?}") };
        assert!(why.contains("failed checks whose notes name no finding: `traced`"), "{note}: {why}");
        assert_eq!(judged.changes, [], "{note}: the next answer has it all again");
        Setting { repair_left: false, ..setting() }.rejects(&with_check(note));
    }
}

/// The form asks for it: a failed check names an earlier finding by its id.
#[test]
fn an_approval_may_leave_a_check_failed_because_of_an_earlier_finding_that_stays_open() {
    let of = |status, severity| Finding { status, ..finding("S7", severity) };
    let answer = |note: &str, status: &str| {
        format!(
            r#"{{"approved": true, "summary": "", "issues": [], "answers": [{{"id": "S7", "status": "{status}", "note": ""}}],
            "checks": [{{"name": "traced", "passed": false, "note": "{note}"}}]}}"#
        )
    };
    for status in [Status::Open, Status::Deferred] {
        with(&[of(status, Severity::Suggestion)]).approves(&answer("S7", "not_fixed"));
    }
    let because = "the check `traced` is not passed";
    let setting = with(&[of(Status::Open, Severity::Suggestion)]);
    setting.refuses(&answer("S7", "fixed"), because);
    setting.refuses(&answer("S8", "not_fixed"), because);
    setting.refuses(&answer("", "not_fixed"), because);
    with(&[of(Status::Ruled, Severity::Suggestion)]).refuses(&answer("S7", "not_fixed"), because);
    with(&[of(Status::Open, Severity::Blocker)]).rejects(&answer("S7", "not_fixed"));
}

#[test]
fn checks_without_an_entry_are_noted_and_refuse_nothing() {
    let setting = Setting { checks: &["testable", "traced"], ..Setting::default() };
    let judged = setting.approves(r#"{"approved": true, "summary": "", "issues": [], "checks": []}"#);
    assert_eq!(judged.notes, ["0 of 2 checks answered; without an entry: testable, traced"]);
    let named = r#""checks": [{"name": "Traced", "passed": true, "note": ""}]"#;
    let judged = setting.approves(&format!(r#"{{"approved": true, "summary": "", "issues": [], {named}}}"#));
    assert_eq!(judged.notes, ["1 of 2 checks answered; without an entry: testable"]);
    assert!(
        Setting::default().approves(r#"{"approved": true, "summary": "", "issues": []}"#).notes.is_empty()
    );
}
