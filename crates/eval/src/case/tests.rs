use super::*;
use crate::plant::PlantKind;

const SPEC: &str = include_str!("../../data/spec.md");

fn set() -> DocumentSet {
    DocumentSet { upstream: Vec::new(), name: "spec.md".to_owned(), text: SPEC.to_owned() }
}

#[test]
fn the_same_seed_makes_the_same_cases_and_the_first_is_clean() {
    let made = cases("001-links", Phase::Specify, &set(), 3, 4, 7);
    assert_eq!(made, cases("001-links", Phase::Specify, &set(), 3, 4, 7));
    assert_ne!(made, cases("001-links", Phase::Specify, &set(), 3, 4, 8));
    let ids: Vec<&str> = made.iter().map(|(case, _)| case.id.as_str()).collect();
    assert_eq!(ids, ["001-links.spec.0", "001-links.spec.1", "001-links.spec.2", "001-links.spec.3"]);
    assert!(made[0].0.is_clean() && made[0].1.first == SPEC);
    assert!(made[1..].iter().all(|(case, _)| case.plants.len() == 4), "{made:#?}");
}

#[test]
fn the_second_revision_left_one_defect_fixed_the_others_and_has_a_new_one() {
    for (case, texts) in cases("001-links", Phase::Specify, &set(), 5, 3, 1).into_iter().skip(1) {
        let (Some(second), Some(text)) = (&case.second, &texts.second) else { panic!("{case:?}") };
        let new = second.new.as_ref().expect("a place for a new one");
        assert!(case.plants.iter().all(|plant| plant.kind != new.kind), "{case:#?}");
        assert_ne!(*text, texts.first);
        // Where something was changed and not removed, its line holds the change in both revisions.
        let left = &case.plants[second.left];
        if left.lines == 1 {
            let line = |text: &str, at: u32| text.lines().nth(at as usize - 1).map(str::to_owned);
            assert_eq!(line(&texts.first, left.line), line(text, second.left_line), "{case:#?}");
        }
    }
}

#[test]
fn every_kind_that_fits_a_specification_is_planted_sooner_or_later() {
    let made = cases("001-links", Phase::Specify, &set(), 30, 5, 3);
    let kinds: BTreeSet<PlantKind> =
        made.iter().flat_map(|(case, _)| case.plants.iter().map(|plant| plant.kind)).collect();
    let missing: Vec<_> = PlantKind::DOCUMENTS.into_iter().filter(|kind| !kinds.contains(kind)).collect();
    // A specification has no tasks.
    assert_eq!(missing, [PlantKind::OrderBroken]);
}

#[test]
fn a_case_comes_back_from_its_stored_form_and_a_later_version_is_refused() {
    for (case, _) in cases("001-links", Phase::Specify, &set(), 2, 4, 7) {
        assert_eq!(Case::read(&case.to_json()), Ok(case.clone()));
        let later = case.to_json().replacen("\"v\": 1", "\"v\": 2", 1);
        assert_eq!(Case::read(&later), Err(BadCase::Version(2)));
    }
    assert!(matches!(Case::read("{}"), Err(BadCase::Unreadable(_))));
}
