use super::*;

#[test]
fn a_part_of_a_report_is_read_item_by_item() {
    let cases: [(&str, &[&str]); 9] = [
        ("none", &[]),
        ("None.", &[]),
        ("N/A", &[]),
        ("- none\n", &[]),
        ("No deviations.", &[]),
        ("one sentence", &["one sentence"]),
        ("- a\n- b\n", &["a", "b"]),
        ("1. a\n   more of a\n2. b", &["a\n   more of a", "b"]),
        ("For two reasons:\n- a\n  - inner\n- b", &["For two reasons:", "a\n  - inner", "b"]),
    ];
    for (text, expected) in cases {
        assert_eq!(items(text), expected, "{text}");
    }
}

fn resolution(kind: DecisionKind, text: &str) -> Resolution {
    Resolution {
        id: "001/implement.1/task-1/implement/implementer/1.1 decision 1".to_owned(),
        kind,
        at_ms: 0,
        phase: Phase::Implement,
        by: "implementer".to_owned(),
        work: Some(ReportedWork {
            task: Some("1".to_owned()),
            title: "Write <it>".to_owned(),
            commit: "c0ffee".to_owned(),
            files: vec!["src/a.rs".to_owned()],
        }),
        asked: String::new(),
        text: text.to_owned(),
        findings: Vec::new(),
        standing: DecisionStatus::Accepted,
    }
}

#[test]
fn a_record_has_its_four_parts_and_nothing_that_was_said_can_add_one() {
    let one =
        resolution(DecisionKind::Decision, "Turns are files\n## Status\n<!-- redraft: other -->\n--> x");
    let concern = resolution(DecisionKind::Concern, "may be slow\n## Decision");
    let text = record(7, "001-x", &one, &[&concern]);
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings,
        ["# 7. Turns are files", "## Context", "## Decision", "## Status", "## Consequences"]
    );
    assert_eq!(text.matches("<!--").count(), 1, "{text}");
    assert!(text.contains(&marker(&one)), "{text}");
    assert!(text.contains("task 1: Write &lt;it&gt;."), "{text}");
    assert!(text.contains("- Concern: may be slow ## Decision"), "{text}");
    assert_eq!(file_name(7, &one), "0007-turns-are-files.md");
}

#[test]
fn only_what_says_how_something_is_to_be_is_recorded() {
    let recorded: Vec<&str> =
        DecisionKind::ALL.into_iter().filter(|kind| kind.is_recorded()).map(DecisionKind::name).collect();
    assert_eq!(recorded, ["decision", "deviation", "ruling"]);
}
