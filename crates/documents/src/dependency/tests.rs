use super::*;

/// `name life phase: waits, for`.
fn world(lines: &'static [&'static str]) -> impl Fn(&str) -> Option<FeatureStanding> {
    move |wanted: &str| {
        let line = lines.iter().find(|line| line.split(' ').next() == Some(wanted))?;
        let (head, waits) = line.split_once(':').unwrap();
        let words: Vec<&str> = head.split(' ').collect();
        let all = [FeatureLife::Planned, FeatureLife::Active, FeatureLife::Completed, FeatureLife::Abandoned];
        let life = all.into_iter().find(|life| life.name() == words[1]).unwrap();
        let waits_for = waits.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
        Some(FeatureStanding {
            life,
            phase: words.get(2).map(|word| (*word).to_owned()).unwrap_or_default(),
            waits_for: waits_for.collect(),
            goes_on: matches!(life, FeatureLife::Planned | FeatureLife::Active),
        })
    }
}

fn names(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn what_is_not_completed_is_in_the_way_and_what_nobody_knows_is_not() {
    let known = world(&[
        "001-a completed create-tasks:",
        "002-b active design:",
        "003-c abandoned design:",
        "004-d planned specify:",
    ]);
    let found = blockers(&names(&["001-a", "002-b", "003-c", "004-d", "009-z"]), &known);
    let shown: Vec<String> = found.iter().map(Blocker::shown).collect();
    assert_eq!(shown, ["002-b (design)", "003-c (abandoned)", "004-d (specify)"]);
}

#[test]
fn the_first_to_go_on_with_is_one_that_nothing_is_in_the_way_of() {
    let known = world(&[
        "001-a active design:",
        "002-b planned specify: 001-a",
        "003-c planned specify: 002-b",
        "004-d abandoned specify: 001-a",
    ]);
    let first_of = |words: &[&str]| first(&names(words), &known).map(|blocker| blocker.name);
    assert_eq!(first_of(&["003-c"]).as_deref(), Some("001-a"));
    assert_eq!(first_of(&["004-d"]).as_deref(), Some("004-d"), "what was given up waits for nothing");
    assert_eq!(first_of(&[]), None);
}

#[test]
fn features_that_wait_for_each_other_have_no_first_and_are_told_as_a_circle() {
    let known = world(&[
        "001-a planned specify: 003-c",
        "002-b planned specify: 001-a",
        "003-c planned specify: 002-b",
        "004-d planned specify: 003-c",
    ]);
    assert_eq!(first(&names(&["003-c"]), &known), None);
    let way = circle("001-a", &names(&["003-c"]), &known).unwrap();
    assert_eq!(way, ["001-a", "003-c", "002-b", "001-a"]);
    assert_eq!(
        circle("004-d", &names(&["003-c"]), &known),
        None,
        "it is not part of the circle it waits for"
    );
    assert_eq!(circle("001-a", &names(&["001-a"]), &known).unwrap(), ["001-a", "001-a"]);
}
