//! Tests that an author is shown a defect once, however many reviewers found it.

use super::super::*;
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
