use super::*;

#[test]
fn every_role_of_a_phase_has_a_profile_with_its_own_letter() {
    for phase in Phase::DOCUMENTS {
        let mut letters = BTreeSet::new();
        let author = find(phase, &author(phase)).unwrap();
        assert_eq!(author.kind, ProfileKind::Author);
        assert!(letters.insert(author.letter));
        for seat in panels(phase).into_iter().flat_map(|panel| panel.roles) {
            let profile = find(phase, &seat.role).unwrap();
            assert_ne!(profile.kind, ProfileKind::Author);
            assert_eq!(profile.letter, seat.letter);
            assert!(letters.insert(seat.letter), "letter {} is taken twice", seat.letter);
        }
    }
    assert_eq!(find(Phase::Specify, &Role::new("nobody")), None);
    assert_eq!(find(Phase::Design, &Role::new("spec-reviewer")), None, "a role belongs to its phase");
    assert_eq!(kind(&Role::new("plan-author")), Some(ProfileKind::Author));
}

/// DESIGN's letters: S spec, D design, L plan, T task, P phase.
#[test]
fn findings_are_told_apart_by_the_letters_of_their_roles() {
    let letters: Vec<char> =
        Phase::DOCUMENTS.into_iter().map(|phase| participants(phase)[1].letter).collect();
    assert_eq!(letters, ['S', 'D', 'L', 'T']);
    assert!(Phase::DOCUMENTS.into_iter().all(|phase| participants(phase)[2].letter == 'P'));
}

/// ORIGINAL: the categories of each reviewer.
#[test]
fn a_reviewer_has_the_categories_of_its_field() {
    let of = |phase: Phase| participants(phase)[1].categories;
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

/// Prior art 6 of seed 022: spec- and design-reviewer look outside of the repository, the others do not. So do the
/// authors of what they judge, who would otherwise write down an assumption that is looked up a round later.
#[test]
fn authors_and_domain_reviewers_of_specification_and_design_look_outside_of_the_repository() {
    let outside = |profile: &Profile| profile.tools.contains(&"WebSearch");
    for phase in Phase::DOCUMENTS {
        let [author, domain, handoff] = participants(phase) else { panic!("three roles in {phase}") };
        assert_eq!(outside(domain), phase <= Phase::Design, "{phase}");
        assert_eq!(outside(author), outside(domain), "{phase}");
        assert!(!outside(handoff), "{phase}");
        let told = "look up what others document as far as you have a tool for it";
        assert_eq!(author.rubric.contains(told), outside(author), "{phase}");
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
        let text = participants(phase)[2].next_phase.to_lowercase();
        for word in words {
            assert!(text.contains(word), "{phase}: no `{word}` in:\n{text}");
        }
    }
}

#[test]
fn the_domain_is_judged_before_the_hand_off() {
    for phase in Phase::DOCUMENTS {
        let kinds: Vec<ProfileKind> = (panels(phase).iter())
            .flat_map(|panel| &panel.roles)
            .map(|seat| find(phase, &seat.role).unwrap().kind)
            .collect();
        assert_eq!(kinds, [ProfileKind::Domain, ProfileKind::Phase]);
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
    for phase in Phase::DOCUMENTS {
        for profile in participants(phase) {
            let hands_off = profile.kind == ProfileKind::Phase;
            assert_eq!(!profile.next_phase.is_empty(), hands_off, "{}", profile.role);
            assert_eq!(profile.artifacts.contains(&phase.artifact()), hands_off, "{}", profile.role);
        }
    }
}

#[test]
fn only_an_author_may_write_and_who_looks_back_may_not() {
    for profile in all() {
        let writes = profile.tools.iter().any(|tool| ["Write", "Edit", "Run"].contains(tool));
        // Its page is made from its answer, so that no number gets onto it that nobody counted.
        let looks_back = profile.role == "retro-facilitator";
        assert_eq!(writes, profile.kind == ProfileKind::Author && !looks_back, "{}", profile.role);
        assert_eq!(profile.categories.is_empty(), profile.kind == ProfileKind::Author, "{}", profile.role);
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
fn a_reviewer_text_opens_with_its_decision_and_ends_with_a_few_pairs() {
    for profile in all().filter(|profile| profile.kind != ProfileKind::Author) {
        let opening = profile.rubric.lines().nth(2).unwrap();
        assert!(opening.starts_with("You serve one decision:"), "{opening}");
        assert!(profile.rubric.contains("## Not a Finding Here\n"), "{}", profile.role);
        let (_, pairs) = profile.rubric.split_once("## Where the Line Runs\n").unwrap();
        assert!((2..=4).contains(&pairs.lines().filter(|line| line.starts_with("- ")).count()));
    }
}

fn reviewer(role: &str) -> &'static Profile {
    find(Phase::Implement, &Role::new(role)).unwrap()
}

/// DESIGN: I implementation, Q code quality, X security; one panel, not one after the other.
#[test]
fn code_is_judged_by_one_panel_of_three() {
    let [panel] = panels(Phase::Implement).try_into().unwrap();
    let seats: Vec<(&str, char)> = panel.roles.iter().map(|seat| (seat.role.as_str(), seat.letter)).collect();
    assert_eq!(
        seats,
        [("implementation-reviewer", 'I'), ("code-quality-reviewer", 'Q'), ("security-reviewer", 'X')]
    );
    assert_eq!(author(Phase::Implement), Role::new("implementer"));
    // One tool set for a panel: tools stand in front of what is cached.
    let tools: BTreeSet<&[&str]> =
        panel.roles.iter().map(|seat| reviewer(seat.role.as_str()).tools).collect();
    assert_eq!(tools.len(), 1);
}

/// DESIGN, lanes: express has mini-spec gates and one implementation-reviewer with all three rubrics.
#[test]
fn in_lane_express_one_reviewer_has_all_three_rubrics() {
    let panels = panels_in(Phase::Implement, Lane::Express);
    let role = Role::new("implementation-reviewer");
    assert_eq!(panels, [Panel { roles: vec![PanelRole { role: role.clone(), letter: 'I' }] }]);
    let alone = of_dispatch(Phase::Implement, &role, Purpose::Review, &panels).unwrap();
    for one in ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"].map(reviewer) {
        assert!(alone.rubric.contains(one.rubric), "no rubric of {}", one.role);
        assert!(alone.checklist.contains(one.checklist), "no checks of {}", one.role);
        assert!(one.categories.iter().all(|category| alone.categories.contains(category)), "{}", one.role);
    }
    let passes: Vec<&str> = alone.checklist.split("### ").skip(1).collect();
    assert_eq!(passes.len(), 3, "it goes through the change three times");
    for pass in passes {
        let checks = pass.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        assert!((1..=5).contains(&checks), "at most five checks a pass: {pass}");
    }
    assert_eq!((alone.role, alone.artifacts), (role.as_str(), reviewer(role.as_str()).artifacts));
    for (lane, count) in [(Lane::Standard, 3), (Lane::Deep, 3)] {
        let panels = panels_in(Phase::Implement, lane);
        assert_eq!(panels[0].roles.len(), count);
        let among = of_dispatch(Phase::Implement, &role, Purpose::Review, &panels).unwrap();
        assert_eq!(among.rubric, reviewer(role.as_str()).rubric);
    }
    assert!(panels_in(Phase::Specify, Lane::Express).is_empty(), "a mini-spec is read by gates alone");
}

/// ORIGINAL: categories and levels of the reviewers of code.
#[test]
fn a_reviewer_of_code_has_the_categories_and_checks_of_its_field() {
    let names = |role: &str| -> Vec<&str> {
        let lines = reviewer(role).checklist.lines();
        lines.map(|line| line.split('`').nth(1).unwrap()).collect()
    };
    let one = "implementation-reviewer";
    assert_eq!(reviewer(one).categories, ["missing", "extra", "misunderstood", "incomplete"]);
    assert_eq!(names(one), ["task-completeness", "spec-compliance", "design-alignment", "prd-delivery"]);
    for (role, fields) in [
        ("code-quality-reviewer", ["readability", "kiss", "yagni", "formatting", "flow"]),
        ("security-reviewer", ["injection", "auth", "crypto", "exposure", "config"]),
    ] {
        assert_eq!(reviewer(role).categories, fields);
        assert_eq!(names(role), fields, "one check for each category");
    }
    for role in [one, "code-quality-reviewer"] {
        for category in reviewer(role).categories {
            assert!(reviewer(role).rubric.contains(&format!("- `{category}`: ")), "{category} is explained");
        }
    }
    for severity in
        ["- `blocker`, also called critical or high: ", "- `warning`, medium: ", "- `suggestion`, low: "]
    {
        assert!(reviewer("security-reviewer").rubric.contains(severity), "{severity}");
    }
}

/// SC-11: tools to look outside, and the words that ask for it and say what to do where there is nothing.
#[test]
fn ac_14_the_implementation_reviewer_verifies_a_claim_about_a_library_or_says_that_there_is_none() {
    verifies("implementation-reviewer", "library", "No external claims to verify");
}

/// SC-10.
#[test]
fn ac_13_the_security_reviewer_verifies_a_claim_about_safety_or_says_that_there_is_none() {
    verifies("security-reviewer", "safety", "No external security claims to verify");
}

fn verifies(role: &str, about: &str, none: &str) {
    let profile = reviewer(role);
    for tool in ["WebSearch", "mcp__context7__resolve-library-id", "mcp__context7__query-docs"] {
        assert!(profile.tools.contains(&tool), "{role}: {tool}");
    }
    let line = profile.rubric.lines().find(|line| line.contains("at least one")).unwrap();
    for words in [about, "`verified`", "Unable to verify independently - flagged for human review", none] {
        assert!(line.contains(words), "{role}: no `{words}` in: {line}");
    }
}

/// ORIGINAL: phase A gets the documents, never code; it has no tool that finds a file.
#[test]
fn who_thinks_of_tests_can_search_nowhere_and_write_nothing() {
    let outline = of_dispatch(Phase::Implement, &Role::new("test-deepener"), Purpose::Outline, &[]).unwrap();
    assert_eq!(outline.tools, ["Read"]);
    let tests = of_dispatch(Phase::Implement, &Role::new("test-deepener"), Purpose::Tests, &[]).unwrap();
    assert!(tests.tools.contains(&"Write") && tests.tools.contains(&"Run"));
    assert_ne!(outline.rubric, tests.rubric);
}

/// ORIGINAL: the implementer checks the done criteria first, works interface, red-green, refactor, and the engine commits.
#[test]
fn the_implementer_checks_first_works_red_then_green_and_leaves_documents_tests_and_history_alone() {
    let task = of_dispatch(Phase::Implement, &Role::new("implementer"), Purpose::Implement, &[]).unwrap();
    let at = |words: &str| task.rubric.find(words).unwrap_or_else(|| panic!("no `{words}`"));
    assert!(at("Task already complete") < at("Interface: "));
    assert!(at("Interface: ") < at("Red, then green: ") && at("Red, then green: ") < at("Refactor: "));
    for words in [
        "You make no commit",
        "`redraft.toml`",
        "A ticked box proves nothing",
        "None is deleted, skipped or weakened",
    ] {
        at(words);
    }
    let fix = reviewer("implementer").rubric;
    assert!(fix.contains("You make no commit") && fix.contains("None is deleted, skipped or weakened"));
}

/// Two questions, two texts; neither is answered in a conversation that knows the other.
#[test]
fn who_looks_back_has_one_text_for_what_a_feature_teaches_and_one_for_earlier_lessons() {
    let role = author(Phase::Finish);
    assert_eq!(role, Role::new("retro-facilitator"));
    assert!(panels(Phase::Finish).is_empty(), "nobody reviews it");
    let of = |purpose| of_dispatch(Phase::Finish, &role, purpose, &[]).unwrap();
    let (retro, judge) = (of(Purpose::Retro), of(Purpose::Judge));
    assert_ne!(retro.rubric, judge.rubric);
    for profile in [retro, judge] {
        let opening = profile.rubric.lines().nth(2).unwrap();
        assert!(opening.starts_with("You serve one decision:"), "{opening}");
        assert_eq!(profile.tools, READING);
    }
    assert!(retro.rubric.contains("at most three in all"), "lessons are few");
    for words in ["`confirmed`", "`challenged`", "`skipped`"] {
        assert!(judge.rubric.contains(words), "{words}");
    }
}

/// What a strong model was seen to miss in a real repository: the way things are done there, how ids are written, and
/// documentation that a change makes wrong.
#[test]
fn roles_are_told_to_follow_what_is_there_and_documentation_that_becomes_wrong_is_somebodys_task() {
    let text = |phase: Phase, role: &str, purpose: Purpose| {
        let profile = of_dispatch(phase, &Role::new(role), purpose, &panels(phase)).unwrap();
        format!("{}{}", profile.rubric, profile.checklist)
    };
    let (draft, review) = (Purpose::Draft, Purpose::Review);
    let cases: [(Phase, &str, Purpose, &[&str]); 8] = [
        (
            Phase::Specify,
            "spec-author",
            draft,
            &["`G1`", "`R1`", "`AC1 (R1)`", "`A1`", "`Q1`", "told to users: the documentation"],
        ),
        (Phase::Design, "design-author", draft, &["Find the feature most like this one", "every caller"]),
        (Phase::Design, "design-reviewer", review, &["a rule of the repository that the design breaks"]),
        (Phase::CreatePlan, "plan-author", draft, &["must be told to users"]),
        (
            Phase::CreateTasks,
            "task-author",
            draft,
            &["become wrong or incomplete are among the files of a task"],
        ),
        (
            Phase::Implement,
            "implementer",
            Purpose::Implement,
            &["Find what is most like it", "every caller", "or keep documentation, help or an example true?"],
        ),
        (
            Phase::Implement,
            "implementer",
            Purpose::Revise,
            &["or keep documentation, help or an example true?"],
        ),
        (
            Phase::Implement,
            "code-quality-reviewer",
            review,
            &["Conventions of This Repository", "Search documentation, help and examples"],
        ),
    ];
    for (phase, role, purpose, words) in cases {
        let text = text(phase, role, purpose);
        for words in words {
            assert!(text.contains(words), "{role} is not told `{words}`");
        }
    }
}
