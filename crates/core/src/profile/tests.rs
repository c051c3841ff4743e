use super::*;
use crate::phase::Lane;

#[test]
fn every_role_of_a_phase_has_a_profile_with_its_own_letter() {
    let mut letters = BTreeSet::new();
    for &phase in Lane::Standard.phases() {
        let author = of(&author(phase)).unwrap();
        assert_eq!(author.kind, Kind::Author);
        assert!(letters.insert(author.letter));
        for seat in panels(phase).into_iter().flat_map(|panel| panel.roles) {
            let profile = of(&seat.role).unwrap();
            assert_ne!(profile.kind, Kind::Author);
            assert_eq!(profile.letter, seat.letter);
            assert!(letters.insert(seat.letter), "letter {} is taken twice", seat.letter);
        }
    }
    assert_eq!(of(&Role::new("nobody")), None);
}

#[test]
fn the_domain_is_judged_before_the_hand_off() {
    let kinds: Vec<Kind> = (panels(Phase::Specify).iter())
        .flat_map(|panel| &panel.roles)
        .map(|seat| of(&seat.role).unwrap().kind)
        .collect();
    assert_eq!(kinds, [Kind::Domain, Kind::Phase]);
}

#[test]
fn a_checklist_has_at_most_five_yes_or_no_questions() {
    for profile in ALL {
        let checks: Vec<&str> = profile.checklist.lines().collect();
        assert!((1..=5).contains(&checks.len()), "{}", profile.role);
        for (at, check) in checks.iter().enumerate() {
            assert!(check.starts_with(&format!("{}. `", at + 1)), "{check}");
            assert!(check.contains('?'), "{check}");
        }
    }
}

#[test]
fn only_a_phase_reviewer_knows_the_next_phase_and_reads_the_artifact_by_path() {
    for profile in ALL {
        let hands_off = profile.kind == Kind::Phase;
        assert_eq!(!profile.next_phase.is_empty(), hands_off, "{}", profile.role);
        assert_eq!(profile.artifacts.contains(&Phase::Specify.artifact()), hands_off, "{}", profile.role);
    }
}

#[test]
fn only_an_author_may_write() {
    for profile in ALL {
        let writes = profile.tools.iter().any(|tool| ["Write", "Edit"].contains(tool));
        assert_eq!(writes, profile.kind == Kind::Author, "{}", profile.role);
        assert_eq!(profile.categories.is_empty(), profile.kind == Kind::Author, "{}", profile.role);
    }
}

/// Both kinds of words are obeyed to the letter: a persona buys nothing, and a call for restraint makes a
/// reviewer find faults and keep them to itself.
#[test]
fn no_role_text_sets_a_persona_or_asks_for_restraint() {
    for profile in ALL {
        let text = format!("{} {} {}", profile.rubric, profile.coda, profile.checklist).to_lowercase();
        for banned in
            ["you are a", "expert", "skeptic", "conservative", "nitpick", "only serious", "confidence"]
        {
            assert!(!text.contains(banned), "{} says `{banned}`", profile.role);
        }
    }
}

#[test]
fn a_reviewer_text_opens_with_its_decision_and_closes_its_exclusions_with_the_counterweight() {
    for profile in ALL.into_iter().filter(|profile| profile.kind != Kind::Author) {
        let opening = profile.rubric.lines().nth(2).unwrap();
        assert!(opening.starts_with("You serve one decision:"), "{opening}");
        let (_, exclusions) = profile.rubric.split_once("## Not a Finding Here\n").unwrap();
        let after = exclusions.lines().find(|line| !line.is_empty() && !line.starts_with("- ")).unwrap();
        assert!(after.starts_with("A doubt is still no reason"), "{after}");
        let (_, pairs) = profile.rubric.split_once("## Where the Line Runs\n").unwrap();
        assert!((2..=3).contains(&pairs.lines().filter(|line| line.starts_with("- ")).count()));
    }
}
