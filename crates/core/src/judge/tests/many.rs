//! More warnings than a review may have.

use super::*;

/// A verdict with these issues, in this order.
fn with_issues(approved: bool, issues: &[(&str, usize)]) -> String {
    let issue = |(severity, number): &(&str, usize)| {
        let section = format!("Section {number}");
        format!(
            r#"{{"severity": "{severity}", "file": "spec.md", "claim": "absent", "section": "{section}",
            "description": "case {number} of {severity} has no outcome"}}"#
        )
    };
    let issues: Vec<String> = issues.iter().map(issue).collect();
    format!(r#"{{"approved": {approved}, "summary": "s", "issues": [{}]}}"#, issues.join(", "))
}

fn severities(judged: &Judged) -> Vec<Severity> {
    let raised = judged.changes.iter().map(|change| match change {
        FindingChange::Raised(raised) => raised.severity,
        other => panic!("{other:?}"),
    });
    raised.collect()
}

#[test]
fn the_first_five_warnings_count_and_the_others_are_suggestions_and_no_blocker_is_touched() {
    use Severity::{Blocker, Suggestion, Warning};
    let blockers = || Setting { rule: Threshold::Blockers, ..Setting::default() };
    let six: Vec<(&str, usize)> = (1..=6).map(|number| ("warning", number)).collect();
    let told = |judged: &Judged| {
        let note = judged.notes.iter().find(|note| note.starts_with("more than 5 warnings in one review"));
        note.cloned()
    };
    let five = blockers().approves(&with_issues(true, &six[..5]));
    assert_eq!((severities(&five), told(&five)), (vec![Warning; 5], None));
    let judged = blockers().approves(&with_issues(true, &six));
    assert_eq!(severities(&judged), [vec![Warning; 5], vec![Suggestion]].concat());
    let note =
        "more than 5 warnings in one review: \"case 6 of warning has no outcome\" counted as suggestions";
    assert_eq!(told(&judged).as_deref(), Some(note));
    let mixed: Vec<(&str, usize)> =
        (1..=8).flat_map(|number| [("warning", number), ("blocker", number + 10)]).collect();
    let judged = Setting::default().rejects(&with_issues(false, &mixed));
    let all = severities(&judged);
    assert_eq!(all.iter().filter(|one| **one == Blocker).count(), 8);
    assert_eq!(all.iter().filter(|one| **one == Warning).count(), 5);
    assert!(told(&judged).unwrap().contains("\"case 6 of warning has no outcome\" and 2 more counted"));
}
