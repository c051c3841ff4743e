//! Tests how findings look on a narrow terminal.

use super::super::forms::tests::finding;
use super::*;
use redraft_facts::ids::Role;

fn alone(finding: &Finding) -> Defect<'_> {
    Defect { first: finding, also: Vec::new() }
}

#[test]
fn a_defect_that_two_reviewers_found_is_shown_and_counted_once_and_names_both() {
    let description = "What the caller gives is put into a command and run as it is".to_owned();
    let one = Finding { description: description.clone(), ..finding(Severity::Blocker, "a.sh", 3) };
    let other = Finding {
        id: FindingId::new("Q2"),
        role: Role::new("code-quality-reviewer"),
        category: "flow".to_owned(),
        severity: Severity::Warning,
        description: format!("{description}, without a check"),
        ..one.clone()
    };
    let both = [other, one, finding(Severity::Blocker, "b.sh", 9)];
    let found = defects(&both);
    assert_eq!(found.len(), 2);
    let text = row(&found[0]);
    assert!(text.starts_with("blocker     a.sh:3  X1, Q2\n"), "{text}");
    let named = "    injection, security-reviewer\n    also flow, code-quality-reviewer (Q2)\n";
    assert!(text.ends_with(named), "{text}");
    assert_eq!(counts(&both), "2 blockers");
    assert_eq!(shared_ids(&both), [[&FindingId::new("X1"), &FindingId::new("Q2")]]);
}

#[test]
fn a_row_begins_with_severity_and_place_and_fits_on_80_columns() {
    let text = row(&alone(&finding(Severity::Warning, "src/a.sh", 3)));
    assert!(text.starts_with("warning     src/a.sh:3  X1\n    Whatever is given"), "{text}");
    assert!(
        text.ends_with("    suggested: call it with arguments\n    injection, security-reviewer\n"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
    let long = row(&alone(&Finding { description: "x".repeat(200), ..finding(Severity::Blocker, "", 0) }));
    assert!(long.starts_with("blocker     no place given  X1\n"), "{long}");
}
