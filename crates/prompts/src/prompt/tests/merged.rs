//! Tests that an author is shown a defect once, however many reviewers found it.

use super::super::*;
use super::cases;
use super::code::with;
use redraft_facts::findings::Finding;
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::prelude::*;

#[test]
fn what_two_reviewers_found_is_listed_once_with_both_ids_and_answered_once() {
    for name in ["fix", "fix, resumed"] {
        with("implementer", name, &mut |brief| {
            let one = brief.findings[0];
            let other = Finding {
                id: FindingId::new("X7"),
                role: Role::new("security-reviewer"),
                description: format!("{} and more", one.description),
                ..one.clone()
            };
            let alone = build(brief);
            let findings: Vec<&Finding> = brief.findings.iter().copied().chain([&other]).collect();
            let prompt = build(&Brief { findings: &findings, ..*brief });
            let (list, before) = (prompt.get("open-findings").unwrap(), alone.get("open-findings").unwrap());
            let entries = |list: &str| list.lines().filter(|line| line.starts_with("- [")).count();
            assert_eq!(entries(list), entries(before), "{list}");
            assert!(list.contains(&format!("\n- [{}, X7] [", one.id)), "{list}");
            assert!(list.contains("\n  X7, found by security-reviewer: "), "{list}");
            assert!(list.ends_with("with all its ids in `id` as they stand.\n"), "{list}");
            assert!(!before.contains("several ids"), "{before}");
        });
    }
}

#[test]
fn a_reviewer_rules_on_its_own_finding_whoever_else_found_it() {
    with("security-reviewer", "review, fresh in a later round", &mut |brief| {
        let prompt = build(brief);
        let list = prompt.get("open-findings").unwrap();
        assert!(!list.contains("several ids"), "{list}");
    });
}

/// What was said of two findings in the same words is read once.
#[test]
fn a_summary_says_the_same_of_two_findings_once() {
    with("security-reviewer", "review, fresh in a later round", &mut |brief| {
        let said = ["Both are gone.\n- I1: fixed. The guard is back.\n- Q1: fixed. The guard is back.\n- Q2: fixed. No.".to_owned()];
        let prompt = build(&Brief { fix_summaries: &said, ..*brief });
        let text = prompt.get("fix-summary").unwrap();
        let expected = "Both are gone.\n- I1, Q1: fixed. The guard is back.\n- Q2: fixed. No.\n";
        assert!(text.contains(expected), "{text}");
    });
}

/// After a step back reviewers begin anew, and the findings of the pass before are open: they read why one was left.
#[test]
fn a_first_review_with_findings_from_before_has_the_authors_answers_and_one_without_has_not() {
    let said = ["- X1: not fixed. R7 orders it.".to_owned()];
    let finding = cases::finding('X', "something");
    let document = Brief { fix_summaries: &said, ..cases::first(super::profile_of("spec-reviewer")) };
    let mut seen = 0;
    let mut look = |brief: &Brief<'_>| {
        let asked = build(&Brief { findings: &[&finding], delta: None, fix_summaries: &said, ..*brief });
        let text = asked.get("fix-summary").unwrap();
        assert!(text.contains("about what is open below") && text.contains("R7 orders it."), "{text}");
        let none = build(&Brief { findings: &[], delta: None, fix_summaries: &said, ..*brief });
        assert_eq!(none.get("fix-summary"), None);
        seen += 1;
    };
    look(&document);
    with("security-reviewer", "review", &mut |brief| look(brief));
    assert_eq!(seen, 2);
}

/// A declined finding stands once, and so does what its reviewer said to the decline.
#[test]
fn a_disagreement_says_nothing_twice() {
    with("security-reviewer", "review, fresh in a later round", &mut |brief| {
        let finding = brief.findings[0];
        let disputed = [Disputed { finding, reply: "It is guarded above.", answer: None, upheld: None }];
        let text = build(&Brief { disputed: &disputed, ..*brief }).text();
        assert_eq!(text.matches(&finding.description).count(), 1, "{text}");
        assert!(text.contains(&format!("- [{}]\n  Reply: It is guarded above.\n", finding.id)), "{text}");
    });
    with("implementer", "fix", &mut |brief| {
        let finding = Finding { note: "Nothing guards it.".to_owned(), ..brief.findings[0].clone() };
        let answer = Some(finding.note.as_str());
        let disputed = [Disputed { finding: &finding, reply: "It is.", answer, upheld: None }];
        let text = build(&Brief { findings: &[&finding], disputed: &disputed, ..*brief }).text();
        assert_eq!(text.matches("Nothing guards it.").count(), 1, "{text}");
        assert!(text.contains("  The reviewer keeps it: Nothing guards it.\n"), "{text}");
    });
}
