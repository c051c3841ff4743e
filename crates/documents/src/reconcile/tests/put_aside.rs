//! Findings that were deferred or settled by a person, and are named again.

use super::*;

#[test]
fn a_repeat_of_a_settled_finding_is_only_noted() {
    for status in [Status::Deferred, Status::Ruled, Status::Overruled] {
        let again = Issue { same_as: "S1".to_owned(), ..issue(Severity::Warning, 3, "x") };
        let round = Round { known: vec![finding("S1", status)], issues: vec![again], ..Round::default() };
        has_note(&round.check(&[]), &format!("S1 is repeated, but it is {} already", status.name()));
    }
}

#[test]
fn a_repeat_that_is_graver_or_lies_in_what_changed_counts() {
    let again = |line| Issue { same_as: "S1".to_owned(), ..issue(Severity::Blocker, line, "x") };
    let round = |status, line| Round {
        known: vec![finding("S1", status)],
        issues: vec![again(line)],
        delta: Some(delta()),
        late_left: true,
        ..Round::default()
    };
    // Put off as a warning, it would never be ruled on.
    round(Status::Deferred, 50).check(&["restated S1 blocker: "]);
    let note = "was deferred, and what changed touches it";
    round(Status::Deferred, 11)
        .check(&[&format!("reopened S1: {note}"), &format!("restated S1 blocker: {note}")]);
    for status in [Status::Ruled, Status::Overruled] {
        round(status, 11).check(&["raised S2 blocker open"]);
    }
}

#[test]
fn what_a_person_has_settled_is_not_raised_again_by_whomever() {
    let text = "nobody says who may delete a key of kind P1";
    let quoted = |file: &str, quote: &str, description: &str| Issue {
        file: file.to_owned(),
        quote: quote.to_owned(),
        ..issue(Severity::Warning, 7, description)
    };
    let before = Finding { quote: "a key can be deleted".to_owned(), ..finding("P1", Status::Ruled) };
    let cases = [
        (issue(Severity::Warning, 50, text), "ruled", "at the same place in the same words"),
        (issue(Severity::Suggestion, 52, text), "ruled", "less grave, some lines on"),
        (issue(Severity::Blocker, 50, text), "open", "graver than what was accepted"),
        (issue(Severity::Warning, 50, "the limit of requests has no unit"), "open", "something else there"),
        (issue(Severity::Warning, 90, text), "open", "elsewhere, and nothing shows that it is the same"),
        (
            quoted("docs/design.md", "a key  can be deleted", text),
            "ruled",
            "another document quotes the same words",
        ),
        (
            quoted("docs/design.md", "a key is never deleted", text),
            "open",
            "another document says something else",
        ),
        (quoted(FILE, "keys expire after an hour", text), "open", "other words are quoted"),
    ];
    for (issue, status, what) in cases {
        let severity = issue.severity;
        let round = Round { settled: vec![settled(before.clone())], issues: vec![issue], ..Round::default() };
        let reconciled = round.check(&[&format!("raised S1 {severity} {status}")]);
        let FindingChange::Raised(raised) = &reconciled.changes[0] else { panic!("{what}") };
        if status == "ruled" {
            assert_eq!(
                raised.note, "settled before: P1 of specify, accepted by ann: known and small",
                "{what}"
            );
            has_note(&reconciled, "S1 was settled before: P1 of specify, accepted by ann: known and small");
        } else {
            assert_eq!(raised.note, "", "{what}");
        }
    }
}

#[test]
fn a_settled_matter_outside_the_delta_uses_up_no_late_round() {
    let before = Finding { severity: Severity::Blocker, ..finding("P1", Status::Ruled) };
    let issues = vec![issue(Severity::Blocker, 50, "nobody says who may delete a key of kind P1")];
    let (delta, late_left) = (Some(delta()), true);
    let round = Round { settled: vec![settled(before)], issues, delta, late_left, ..Round::default() };
    assert!(!round.check(&["raised S1 blocker ruled"]).late);
}

#[test]
fn a_finding_of_the_role_itself_goes_before_a_ruling_on_another_one() {
    let again = issue(Severity::Warning, 50, "nobody says who may delete a key of kind S1");
    let before = Finding { description: again.description.clone(), ..finding("P1", Status::Ruled) };
    Round { known: open(&["S1"]), settled: vec![settled(before)], issues: vec![again], ..Round::default() }
        .check(&["kept S1: found again"]);
}
