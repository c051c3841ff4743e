use super::*;

#[test]
fn every_role_of_a_phase_has_a_profile_with_its_own_letter() {
    for phase in Phase::ALL {
        let mut letters = BTreeSet::new();
        let author = of(phase, &author(phase)).unwrap();
        assert_eq!(author.kind, Kind::Author);
        assert!(letters.insert(author.letter));
        for seat in panels(phase).into_iter().flat_map(|panel| panel.roles) {
            let profile = of(phase, &seat.role).unwrap();
            assert_ne!(profile.kind, Kind::Author);
            assert_eq!(profile.letter, seat.letter);
            assert!(letters.insert(seat.letter), "letter {} is taken twice", seat.letter);
        }
    }
    assert_eq!(of(Phase::Specify, &Role::new("nobody")), None);
    assert_eq!(of(Phase::Design, &Role::new("spec-reviewer")), None, "a role belongs to its phase");
    assert_eq!(kind(&Role::new("plan-author")), Some(Kind::Author));
}

/// DESIGN's letters: S spec, D design, L plan, T task, P phase.
#[test]
fn findings_are_told_apart_by_the_letters_of_their_roles() {
    let letters: Vec<char> = Phase::ALL.into_iter().map(|phase| cast(phase)[1].letter).collect();
    assert_eq!(letters, ['S', 'D', 'L', 'T']);
    assert!(Phase::ALL.into_iter().all(|phase| cast(phase)[2].letter == 'P'));
}

/// I5 of seed 031, R3.2 of seed 030: which artifacts each reviewer of a phase is given, and in which order.
#[test]
fn i5_and_r3_2_every_reviewer_is_given_the_artifacts_of_its_map() {
    let map: [(Phase, &str, &[&str]); 8] = [
        (Phase::Specify, "spec-reviewer", &["prd.md"]),
        (Phase::Specify, "phase-reviewer", &["prd.md", "spec.md"]),
        (Phase::Design, "design-reviewer", &["prd.md", "spec.md"]),
        (Phase::Design, "phase-reviewer", &["prd.md", "spec.md", "design.md"]),
        (Phase::CreatePlan, "plan-reviewer", &["prd.md", "spec.md", "design.md"]),
        (Phase::CreatePlan, "phase-reviewer", &["prd.md", "spec.md", "design.md", "plan.md"]),
        (Phase::CreateTasks, "task-reviewer", &["prd.md", "spec.md", "design.md", "plan.md"]),
        (Phase::CreateTasks, "phase-reviewer", &["prd.md", "spec.md", "design.md", "plan.md", "tasks.md"]),
    ];
    for (phase, role, artifacts) in map {
        assert_eq!(of(phase, &Role::new(role)).unwrap().artifacts, artifacts, "{phase} {role}");
    }
}

/// ORIGINAL: the categories of each reviewer.
#[test]
fn a_reviewer_has_the_categories_of_its_field() {
    let of = |phase: Phase| cast(phase)[1].categories;
    assert_eq!(of(Phase::Specify), ["testability", "assumptions", "scope", "traceability", "clarity"]);
    assert_eq!(
        of(Phase::Design),
        ["completeness", "consistency", "feasibility", "assumptions", "complexity"]
    );
    assert_eq!(
        of(Phase::CreatePlan),
        ["failure-mode", "assumption", "dependency", "tdd-order", "feasibility"]
    );
    // The seed's validate checklist of the task reviewer.
    let tasks = ["plan-fidelity", "executability", "size", "dependencies", "testability"];
    assert_eq!(of(Phase::CreateTasks), tasks);
}

/// Prior art 6 of seed 022: spec- and design-reviewer look outside of the repository, the others do not.
#[test]
fn only_the_first_two_domain_reviewers_look_outside_of_the_repository() {
    let outside = |profile: &Profile| profile.tools.contains(&"WebSearch");
    for phase in Phase::ALL {
        let [author, domain, handoff] = cast(phase) else { panic!("three roles in {phase}") };
        assert_eq!(outside(domain), phase <= Phase::Design, "{phase}");
        assert!(!outside(author) && !outside(handoff), "{phase}");
    }
}

/// ORIGINAL: what each next phase needs, in the words of its expectations.
#[test]
fn the_phase_reviewer_is_told_what_the_next_phase_needs() {
    let needs: [(Phase, &[&str]); 4] = [
        (Phase::Specify, &["requirements", "acceptance criterion", "scope", "two ways"]),
        (Phase::Design, &["component", "interface", "depend", "risk"]),
        (Phase::CreatePlan, &["step", "order", "depend"]),
        (Phase::CreateTasks, &["15 minutes", "done", "depend"]),
    ];
    for (phase, words) in needs {
        let text = cast(phase)[2].next_phase.to_lowercase();
        for word in words {
            assert!(text.contains(word), "{phase}: no `{word}` in:\n{text}");
        }
    }
}

#[test]
fn the_domain_is_judged_before_the_hand_off() {
    for phase in Phase::ALL {
        let kinds: Vec<Kind> = (panels(phase).iter())
            .flat_map(|panel| &panel.roles)
            .map(|seat| of(phase, &seat.role).unwrap().kind)
            .collect();
        assert_eq!(kinds, [Kind::Domain, Kind::Phase]);
    }
}

#[test]
fn a_checklist_has_at_most_five_yes_or_no_questions() {
    for profile in all() {
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
    for phase in Phase::ALL {
        for profile in cast(phase) {
            let hands_off = profile.kind == Kind::Phase;
            assert_eq!(!profile.next_phase.is_empty(), hands_off, "{}", profile.role);
            assert_eq!(profile.artifacts.contains(&phase.artifact()), hands_off, "{}", profile.role);
        }
    }
}

#[test]
fn only_an_author_may_write() {
    for profile in all() {
        let writes = profile.tools.iter().any(|tool| ["Write", "Edit"].contains(tool));
        assert_eq!(writes, profile.kind == Kind::Author, "{}", profile.role);
        assert_eq!(profile.categories.is_empty(), profile.kind == Kind::Author, "{}", profile.role);
    }
}

/// Both kinds of words are obeyed to the letter: a persona buys nothing, and a call for restraint makes a
/// reviewer find faults and keep them to itself.
#[test]
fn no_role_text_sets_a_persona_or_asks_for_restraint() {
    for profile in all() {
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
    for profile in all().filter(|profile| profile.kind != Kind::Author) {
        let opening = profile.rubric.lines().nth(2).unwrap();
        assert!(opening.starts_with("You serve one decision:"), "{opening}");
        let (_, exclusions) = profile.rubric.split_once("## Not a Finding Here\n").unwrap();
        let after = exclusions.lines().find(|line| !line.is_empty() && !line.starts_with("- ")).unwrap();
        assert!(after.starts_with("A doubt is still no reason"), "{after}");
        let (_, pairs) = profile.rubric.split_once("## Where the Line Runs\n").unwrap();
        assert!((2..=3).contains(&pairs.lines().filter(|line| line.starts_with("- ")).count()));
    }
}
