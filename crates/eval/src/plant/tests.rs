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
fn no_plant_takes_away_what_makes_another_a_defect() {
    // Without R1 nobody misses its criterion, and with one `60` gone the other contradicts nothing.
    let text = "# Spec\n\n## Requirements\n\n- R1: if the store is unavailable, the request fails at once with an error.\n\n\n\n\n\
                - R2: links are short.\n\n\n\n\n## Acceptance Criteria\n\n- AC1 (R1): a broken store gives `503`.\n\n\n\n\n\
                - AC2 (R2): if it fails, the limit of 60 seconds is kept, with `60` in the error.\n\n\n\n\n## Limits\n\nA request may take 60 seconds.\n";
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let planted = plant(&set(text), 5, &mut Draw::new(seed, "x"));
        let lines: Vec<&str> = text.lines().collect();
        let tells = |word: &str| word.contains(|c: char| c.is_ascii_digit());
        for (at, (_, one)) in planted.edits.iter().enumerate() {
            for (_, other) in &planted.edits[at + 1..] {
                assert!(!edit::cancel(&lines, one, other, tells), "{planted:#?}");
            }
        }
        let kinds: Vec<PlantKind> = planted.plants.iter().map(|plant| plant.kind).collect();
        seen.extend(kinds.iter().copied());
        let has = |id: &str| planted.text.lines().any(|line| line.starts_with(id));
        assert!(has("- R1") || has("- AC1"), "{planted:#?}");
    }
    assert!(
        seen.contains(&PlantKind::CriterionRemoved) && seen.contains(&PlantKind::FailureDropped),
        "{seen:?}"
    );
}

#[test]
fn a_document_without_a_place_stays_clean() {
    let planted = plant(&set("# Nothing\n\nHere.\n"), 5, &mut Draw::new(1, "x"));
    assert_eq!((planted.plants.len(), planted.text.as_str()), (0, "# Nothing\n\nHere.\n"));
}
