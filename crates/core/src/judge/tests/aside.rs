//! What is put aside: found outside of what changed, or settled by a person.

use super::*;

#[test]
fn a_rejection_for_old_text_alone_is_an_approval_and_what_it_found_is_deferred() {
    let setting = Setting { delta: Some(Delta::parse(DIFF)), ..Setting::default() };
    for judged in [
        setting.computes(&one_issue(false, "warning"), "S1 (deferred)"),
        setting.computes(&one_issue(false, "suggestion"), "S1 (deferred)"),
        setting.approves(&one_issue(true, "warning")),
    ] {
        assert!(
            matches!(judged.changes.as_slice(), [FindingChange::Raised(finding)] if finding.status == Status::Deferred)
        );
    }
    assert!(!setting.approves(&one_issue(true, "warning")).is_computed());
}

#[test]
fn a_blocker_in_old_text_is_admitted_once() {
    let setting = |late_left| Setting { delta: Some(Delta::parse(DIFF)), late_left, ..Setting::default() };
    assert!(setting(true).rejects(&one_issue(false, "blocker")).late);
    assert!(!setting(false).computes(&one_issue(false, "blocker"), "S1 (deferred)").late);
    assert!(!setting(false).approves(&one_issue(true, "blocker")).late);
}

#[test]
fn an_approval_is_computed_only_where_all_that_is_left_is_put_aside() {
    let delta = || Some(Delta::parse(DIFF));
    let known = finding("S1", Severity::Blocker);
    let outside = Setting { delta: delta(), ..with(core::slice::from_ref(&known)) };
    let with_answer = |status: &str, severity: &str| {
        let answers = format!(r#""answers": [{{"id": "S1", "status": "{status}"}}], "issues""#);
        one_issue(false, severity).replace("\"issues\"", &answers)
    };
    let judged = outside.computes(&with_answer("fixed", "warning"), "S2 (deferred)");
    assert!(matches!(&judged.changes[0], FindingChange::Fixed { id, .. } if id.as_str() == "S1"));
    outside.rejects(&with_answer("not_fixed", "warning"));
    // What was not answered, or not proved, or not in its form, approves nothing.
    let doubted = Finding { unverified: Some("gone".to_owned()), ..known };
    let unproved = Setting { delta: delta(), repair_left: false, ..with(&[doubted]) };
    let judged = unproved.judge(with_answer("not_fixed", "warning").as_bytes());
    assert!(judged.settled && matches!(judged.judgement, Judgement::NoVerdict { .. }), "{judged:?}");
    let formless = format!("Not yet. {} Sorry.", with_answer("fixed", "warning"));
    let judged = outside.judge(formless.as_bytes());
    let Judgement::Repair { why } = judged.judgement else { panic!("{:?}", judged.judgement) };
    assert!(why.contains("put off and holds nothing up") && why.contains("give the verdict alone"), "{why}");
    // A warning that is open and does not stand in the way here may be what the role means.
    let mut lenient = Setting { rule: Threshold::Blockers, delta: delta(), ..Setting::default() };
    let inside =
        r#"{"severity": "warning", "file": "spec.md", "quote": "the new last line", "text": "odd"}, "#;
    lenient.known = vec![Finding { status: Status::Open, ..finding("S1", Severity::Warning) }];
    let both = one_issue(false, "warning").replace("[{", &format!("[{inside}{{"));
    assert!(matches!(lenient.judge(both.as_bytes()).judgement, Judgement::Repair { .. }));
}

#[test]
fn what_was_found_outside_of_what_changed_is_kept_also_where_the_answer_cannot_be_used() {
    let answer = r#"{"approved": false, "summary": "", "issues": [
        {"severity": "warning", "file": "spec.md", "line": 4, "text": "readable by everybody"},
        {"severity": "blocker", "file": "spec.md", "line": 3, "text": "who may revoke a key"},
        {"severity": "blocker", "file": "gone.md", "line": 3, "text": "cites nothing that is there"},
        {"severity": "blocker", "file": "spec.md", "line": 40, "quote": "the new last line", "text": "inside"}]}"#;
    let known = [finding("S1", Severity::Blocker)];
    let judged = |repair_left, late_left| {
        Setting { repair_left, late_left, delta: Some(Delta::parse(DIFF)), ..with(&known) }
            .judge(answer.as_bytes())
    };
    let kept = |judged: &Judged| -> Vec<String> {
        let raised = judged.changes.iter().map(|change| match change {
            FindingChange::Raised(raised) => {
                format!("{} {}{}", raised.id, raised.status.name(), if raised.late { " late" } else { "" })
            }
            other => panic!("{other:?}"),
        });
        raised.collect()
    };
    for repair_left in [true, false] {
        let mut expected = vec!["S2 deferred".to_owned(), "S3 open late".to_owned()];
        // What may still be cited rightly is not kept as it is.
        expected.extend((!repair_left).then(|| "S4 deferred".to_owned()));
        let with_late = judged(repair_left, true);
        assert!(with_late.late && !with_late.settled, "S1 has no answer");
        assert_eq!(kept(&with_late), expected);
        expected[1] = "S3 deferred".to_owned();
        assert_eq!((kept(&judged(repair_left, false)), judged(repair_left, false).late), (expected, false));
    }
    let approved = r#"{"approved": true, "summary": "", "issues": [
        {"severity": "warning", "file": "spec.md", "line": 4, "text": "readable by everybody"}]}"#;
    let setting = Setting { delta: Some(Delta::parse(DIFF)), ..Setting::default() };
    let withheld = withheld(setting.approves(approved), "not opened".to_owned(), true);
    assert_eq!(kept(&withheld), ["S1 deferred"]);
}

#[test]
fn a_rejection_for_what_a_person_has_ruled_stands_in_nobodys_way() {
    let ruled = Finding { status: Status::Ruled, ..finding("S2", Severity::Blocker) };
    let again = r#""summary": "", "issues": [{"severity": "blocker", "text": "again", "same_as": "S2"}]}"#;
    let rejects = |more: &str| format!(r#"{{"approved": false, {more}{again}"#);
    with(core::slice::from_ref(&ruled)).computes(&rejects(""), "S2 (ruled)");
    let both = with(&[finding("S1", Severity::Blocker), ruled]);
    let judged = both.computes(
        &rejects(r#""answers": [{"id": "S1", "status": "fixed", "note": "seen"}], "#),
        "S2 (ruled)",
    );
    let [FindingChange::Fixed { id, .. }] = judged.changes.as_slice() else { panic!("{:?}", judged.changes) };
    assert_eq!(id.as_str(), "S1");
    both.refuses(&rejects(""), "no answer for S1");
}

#[test]
fn a_rejection_without_any_ground_is_not_called_settled() {
    assert!(!Setting::default().judge(b"no verdict at all").settled);
    assert!(!Setting::default().judge(one_issue(false, "warning").as_bytes()).settled, "it counts");
    let fixed = Finding { status: Status::Fixed, ..finding("S1", Severity::Blocker) };
    let judged = with(&[fixed]).judge(br#"{"approved": false, "issues": []}"#);
    assert!(!judged.settled && matches!(judged.judgement, Judgement::Repair { .. }));
}

#[test]
fn a_rejection_that_may_rest_on_a_failed_check_is_not_turned_into_an_approval() {
    let setting =
        Setting { rule: Threshold::Blockers, delta: Some(Delta::parse(DIFF)), ..Setting::default() };
    let answer = one_issue(false, "suggestion");
    setting.computes(&answer, "S1 (deferred)");
    let failed = r#""checks": [{"name": "traced", "passed": false, "note": "issue 1"}], "issues""#;
    let judged = setting.judge(answer.replace("\"issues\"", failed).as_bytes());
    assert!(matches!(judged.judgement, Judgement::Repair { .. }), "{judged:?}");
}
