use super::*;

fn set(text: &str) -> DocumentSet {
    DocumentSet { upstream: Vec::new(), name: "spec.md".to_owned(), text: text.to_owned() }
}

const SPEC: &str = include_str!("../../data/spec.md");

#[test]
fn plants_are_of_different_kinds_lie_apart_and_name_the_line_they_are_in() {
    for seed in 0..40 {
        let planted = plant(&set(SPEC), 5, &mut Draw::new(seed, "x"));
        let kinds: BTreeSet<PlantKind> = planted.plants.iter().map(|plant| plant.kind).collect();
        assert_eq!(kinds.len(), planted.plants.len());
        for (at, (_, edit)) in planted.edits.iter().enumerate() {
            assert!(planted.edits[at + 1..].iter().all(|(_, other)| edit.is_apart(other, LINES_BETWEEN)));
        }
        let lines: Vec<&str> = planted.text.lines().collect();
        for (plant, (_, edit)) in planted.plants.iter().zip(&planted.edits) {
            if let Some(new) = edit.new.first() {
                assert_eq!(lines[plant.line as usize - 1], new, "{plant:?}");
            }
        }
    }
}

#[test]
fn what_lint_reports_is_not_planted() {
    // The requirement that nothing defines is a fault that lint knows.
    let text = "# Spec\n\n## Requirements\n\n- R1: one\n- R2: two\n\n## Acceptance Criteria\n\n- AC1 (R1): `1`\n- AC2 (R2): `2`\n";
    let before = faults(&set(text), text);
    for seed in 0..20 {
        let planted = plant(&set(text), 5, &mut Draw::new(seed, "x"));
        assert!(faults(&set(text), &planted.text).is_subset(&before), "{planted:#?}");
    }
}

#[test]
fn a_document_without_a_place_stays_clean() {
    let planted = plant(&set("# Nothing\n\nHere.\n"), 5, &mut Draw::new(1, "x"));
    assert_eq!((planted.plants.len(), planted.text.as_str()), (0, "# Nothing\n\nHere.\n"));
}
