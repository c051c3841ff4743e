//! The requirements of the original documents for prompts, each under the name it has there: I1 to I8 and the
//! deviations of I1-R4 of seed 031, R2 and R3 of seed 030. Where ours differs, the test says why. The outcome of a
//! domain review is in `outcome`.
//!
//! Not here: I7 for code and the deviations of the three code reviewers are in `code`; I4 and I5 (which files each role
//! is given) in the snapshot `artifacts`; I6 (what is remembered of a conversation) and TD5 (the guard) in `review` and
//! `policy`; I9 and TD7 (lines of the history) are played by the real program in `tests/it`; I10 is the probe.

use super::super::*;
use super::{cases, profile_of};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_roles::profile::{self, ProfileKind};

/// The prompt of a case of the made-up feature.
fn case(phase: Phase, role: &str, name: &str) -> Prompt {
    let mut found = None;
    cases::each(&mut |case| {
        if (case.phase, case.brief.profile.role, case.name) == (phase, role, name) {
            found = Some(build(&case.brief));
        }
    });
    found.unwrap_or_else(|| panic!("there is no case `{name}` of {role} in {phase}"))
}

fn names(fragments: &[Fragment]) -> Vec<&str> {
    fragments.iter().map(|fragment| fragment.name.as_str()).collect()
}

/// The reviewers of the four phases, each with its phase.
fn reviewers() -> impl Iterator<Item = (Phase, &'static profile::Profile)> {
    let of = |phase| profile::participants(phase).iter().map(move |profile| (phase, *profile));
    Phase::DOCUMENTS.into_iter().flat_map(of).filter(|(_, profile)| profile.kind != ProfileKind::Author)
}

/// R4, TD8: one skeleton for all. Rules, rubric with its coda, artifacts, checklist, next phase, answer form; then what
/// changes: what was asked for where the specification is judged, the artifact, the outcome, the iteration.
#[test]
fn i1_r4_and_td8_every_fresh_lazy_review_has_its_sections_in_the_canonical_order() {
    for (phase, profile) in reviewers() {
        let prompt = case(phase, profile.role, "review");
        let rubric = prompt.get("rubric").unwrap();
        assert!(rubric.ends_with(&format!("{}\n", profile.coda)), "{phase}: the coda closes the rubric");
        let (mut stable, mut turn) =
            (vec!["reviewer-rules", "rubric", "required-artifacts", "checklist"], vec!["artifact"]);
        if phase == Phase::Specify {
            turn.insert(0, "asked-for");
        }
        if profile.kind == ProfileKind::Phase {
            stable.push("next-phase");
            turn.push("domain-outcome");
        }
        stable.push("return");
        if profile.iteration_from == 1 {
            turn.push("iteration");
        }
        assert_eq!(names(&prompt.role), stable, "{phase} {}", profile.role);
        assert_eq!(names(&prompt.turn), turn, "{phase} {}", profile.role);
    }
}

/// Key changes 1 and 4: the form of the answer and all else that stays the same stand before what changes.
#[test]
fn i1_r4_the_form_of_the_answer_stands_before_the_artifact_under_review() {
    for (phase, profile) in reviewers() {
        let text = case(phase, profile.role, "review").text();
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{phase}: no {words}"));
        assert!(at("## Required Artifacts") < at("## Checks") && at("## Checks") < at("## Your Answer"));
        assert!(at("## Your Answer") < at(" Under Review\n"), "{phase} {}", profile.role);
    }
}

/// Whoever judges a specification sees what was asked for, with what was answered; a document by itself came from no
/// idea.
#[test]
fn what_was_asked_for_reaches_whoever_judges_against_it() {
    for (phase, profile) in reviewers() {
        let asked = case(phase, profile.role, "review").get("asked-for").map(ToOwned::to_owned);
        assert_eq!(asked.is_some(), phase == Phase::Specify, "{phase} {}", profile.role);
        if let Some(asked) = asked {
            assert!(asked.contains("Limit how many requests an API key may make"), "{asked}");
            assert!(
                asked.contains("What it asks for and the specification neither carries nor excludes"),
                "{asked}"
            );
        }
    }
    let by_itself = case(Phase::Document, "document-reviewer", "review");
    assert!(by_itself.get("asked-for").is_none());
}

/// What a person answered to the author of another document is known to its reviewers.
#[test]
fn what_was_answered_reaches_the_reviewers_of_every_document() {
    let said = [AnsweredQuestion { question: "Which store?", assumed: "any", answer: "the one we have" }];
    let mut told = 0;
    cases::each(&mut |case| {
        let reviews = case.brief.profile.kind != ProfileKind::Author && case.brief.code.is_none();
        if !reviews || case.name != "review" || !Phase::DOCUMENTS.contains(&case.phase) {
            return;
        }
        let prompt = build(&Brief { answers: &said, ..case.brief });
        let text =
            prompt.get("asked-for").unwrap_or_else(|| panic!("{} {}", case.phase, case.brief.profile.role));
        assert!(text.contains("1. Which store?\n   Answer: the one we have\n"), "{text}");
        assert_eq!(text.contains("What was answered is decided"), case.phase != Phase::Specify, "{text}");
        told += 1;
    });
    assert_eq!(told, 8);
}

/// I1-R4's own words, and R2.2: "must", not "may". Ours differs in one thing: of the files of I5, those that a role does not
/// compare the document with are named and not ordered.
#[test]
fn i1_r4_and_r2_2_a_fresh_lazy_review_must_read_its_artifacts_and_confirm_it() {
    for (phase, profile) in reviewers() {
        let prompt = case(phase, profile.role, "review");
        let required = prompt.get("required-artifacts").unwrap();
        let words = "## Required Artifacts\n\nYou MUST read the following files before beginning your review.\n\
                     After reading, confirm: \"Files read: {name} ({N} lines), ...\" in a single line.\n\n- ";
        assert!(required.starts_with(words), "{phase}: {required}");
        for name in profile.artifacts {
            let path = format!("docs/features/031-key-limits/{name}");
            assert!(required.contains(&path), "{phase}: {required}");
            let must = required.contains(&format!(": {path}\n"));
            assert_eq!(must, profile.required().any(|one| one == *name), "{phase}: {required}");
        }
    }
}

/// What stands at hand is what the walk of the role does not compare with; where the parent is missing, all are read.
#[test]
fn a_phase_review_is_ordered_the_parent_and_the_document() {
    let ordered_by = |phase| ordered(&case(phase, "phase-reviewer", "review"));
    let paths = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("docs/features/031-key-limits/{name}")).collect()
    };
    assert_eq!(ordered_by(Phase::Specify), paths(&["prd.md", "spec.md"]));
    assert_eq!(ordered_by(Phase::Design), paths(&["spec.md", "design.md"]));
    assert_eq!(ordered_by(Phase::CreatePlan), paths(&["spec.md", "design.md", "plan.md"]));
    assert_eq!(ordered_by(Phase::CreateTasks), paths(&["plan.md", "tasks.md"]));
    let profile =
        profile::find(Phase::CreateTasks, &redraft_facts::ids::Role::new("phase-reviewer")).unwrap();
    let absent = [Absent { name: "plan.md", why: "phase skipped, lane express" }];
    let first = cases::first(profile);
    let brief = Brief { place: FeaturePaths { absent: &absent, ..first.place }, ..first };
    assert_eq!(ordered(&build(&brief)).len(), 4, "the design or the specification takes its place");
}

/// R2.1: what a lazy prompt names by its path does not stand in it.
#[test]
fn r2_1_no_upstream_artifact_stands_in_a_lazy_prompt() {
    for (phase, profile) in reviewers() {
        let text = case(phase, profile.role, "review").text();
        assert!(!text.contains("A leaked key stops working at once."), "{phase}: the PRD is in it");
        let later = phase > Phase::Specify;
        assert!(!(later && text.contains("- AC2 (R2):")), "{phase}: the specification is in it");
    }
}

/// Deviation of specify.md, and of the other domain reviewers alike.
#[test]
fn i1_r4_deviation_what_a_domain_reviewer_judges_is_inline_and_not_to_be_read_again() {
    for (phase, profile) in reviewers().filter(|(_, profile)| profile.kind == ProfileKind::Domain) {
        let prompt = case(phase, profile.role, "review");
        assert!(!prompt.get("required-artifacts").unwrap().contains(phase.artifact()), "{phase}");
        assert!(prompt.get("artifact").unwrap().contains("```markdown"), "{phase}");
    }
}

/// Deviation of the phase reviewer: it reads the document under review like the others, by its path.
#[test]
fn i1_r4_deviation_what_a_phase_reviewer_judges_is_named_by_its_path() {
    for phase in Phase::DOCUMENTS {
        let prompt = case(phase, "phase-reviewer", "review");
        assert!(prompt.get("required-artifacts").unwrap().contains(phase.artifact()), "{phase}");
        assert!(!prompt.get("artifact").unwrap().contains("```"), "{phase}");
    }
}

/// Deviation of specify.md and design.md: the coda belongs to the rubric, before the form of the answer.
#[test]
fn i1_r4_deviation_the_coda_of_specify_and_design_stands_in_the_stable_part() {
    for (phase, role) in [(Phase::Specify, "spec-reviewer"), (Phase::Design, "design-reviewer")] {
        let (prompt, coda) = (case(phase, role, "review"), profile_of(role).coda);
        assert!(!coda.is_empty() && prompt.get("rubric").unwrap().contains(coda));
        assert!(prompt.turn.iter().all(|fragment| !fragment.text.contains(coda)));
    }
}

/// Deviation of design.md: the field is called `suggestion`, as everywhere.
#[test]
fn i1_r4_deviation_the_design_reviewer_is_asked_for_a_suggestion_and_no_challenge() {
    let prompt = case(Phase::Design, "design-reviewer", "review");
    let form = prompt.get("return").unwrap();
    assert!(form.contains("\"suggestion\": \"\"") && !form.contains("\"challenge\""), "{form}");
}

/// Deviation of the plan reviewer: its first review is not numbered. Ours differs in two things. One schema serves all
/// roles, since another one would be another prefix to a cache, so `category` is there. And its later fresh reviews are
/// numbered: every later prompt lists what is open, and I3's line about a lost session has to stand somewhere.
#[test]
fn i1_r4_deviation_the_plan_reviewer_has_no_iteration_context_in_its_first_review() {
    unnumbered_at_first(Phase::CreatePlan, "plan-reviewer");
}

/// Deviation of the task reviewer: the same, and what it calls `task` is our `section`.
#[test]
fn i1_r4_deviation_the_task_reviewer_has_no_iteration_context_in_its_first_review() {
    unnumbered_at_first(Phase::CreateTasks, "task-reviewer");
    let prompt = case(Phase::CreateTasks, "task-reviewer", "review");
    let form = prompt.get("return").unwrap();
    assert!(form.contains("\"section\": \"\"") && !form.contains("\"task\""), "{form}");
}

fn unnumbered_at_first(phase: Phase, role: &str) {
    for name in ["review", "review, inline", "certify"] {
        assert_eq!(case(phase, role, name).get("iteration"), None, "{name}");
    }
    for name in ["review, fresh in a later round", "review, conversation lost", "review, resumed"] {
        let prompt = case(phase, role, name);
        assert!(prompt.get("iteration").unwrap().contains("This is iteration 2 of 5.\n"), "{name}");
        assert!(prompt.get("open-findings").is_some(), "{name}");
    }
}

/// The others are numbered from the first review on.
#[test]
fn i1_r4_spec_design_and_phase_reviewers_have_an_iteration_context_in_every_review() {
    for (phase, profile) in reviewers().filter(|(_, profile)| !matches!(profile.letter, 'L' | 'T')) {
        let prompt = case(phase, profile.role, "review");
        let expected = "## Iteration Context\n\nThis is iteration 1 of 5.\n";
        assert_eq!(prompt.get("iteration"), Some(expected), "{phase} {}", profile.role);
    }
}

/// Deviation of the task reviewer: its checklist by name, above what changes.
#[test]
fn i1_r4_deviation_the_task_reviewer_has_its_validate_checklist_in_the_stable_part() {
    let prompt = case(Phase::CreateTasks, "task-reviewer", "review");
    let checks = &prompt.role.iter().find(|fragment| fragment.name == "checklist").unwrap().text;
    for name in ["plan-fidelity", "executability", "size", "dependencies", "testability"] {
        assert!(checks.contains(&format!(". `{name}`: ")), "{name}");
    }
}

/// Deviation of the phase reviewer: expectations are the same every time, the outcome is not.
#[test]
fn i1_r4_deviation_the_next_phase_is_stable_and_the_outcome_is_of_the_turn() {
    for phase in Phase::DOCUMENTS {
        let prompt = case(phase, "phase-reviewer", "review");
        let expectations = prompt.role.iter().find(|fragment| fragment.name == "next-phase").unwrap();
        assert!(expectations.text.starts_with("## Next Phase Expectations\n"), "{phase}");
        assert!(names(&prompt.role).ends_with(&["next-phase", "return"]), "{phase}");
        let turn = ["asked-for", "artifact", "domain-outcome", "iteration"];
        assert_eq!(names(&prompt.turn), turn[usize::from(phase != Phase::Specify)..], "{phase}");
    }
}

/// I2, TD6 and R2.4: the same conversation is sent the delta, the summary and what is open; no artifacts, no rubric.
#[test]
fn i2_and_td6_a_resumed_review_is_sent_only_what_changed() {
    for (phase, profile) in reviewers() {
        let prompt = case(phase, profile.role, "review, resumed");
        let (text, file) = (prompt.text(), phase.artifact());
        assert!(prompt.constant.is_empty() && prompt.feature.is_empty() && prompt.role.is_empty());
        let opening = format!(
            "You already have the upstream artifacts and the previous version of {file} in context from your prior review."
        );
        assert!(text.starts_with(&opening), "{phase}: {text}");
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{phase}: no {words}"));
        let order = [
            "\n## Delta\n\n```diff\n",
            "\n## Fix Summary\n",
            "\nThis is iteration 2 of 5.\n",
            "\n## Your Answer\n",
        ];
        assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{phase}: {text}");
        assert!(!text.contains("## Required Artifacts") && !text.contains(profile.coda), "{phase}");
        assert!(prompt.chars() < case(phase, profile.role, "review").chars(), "NFR1: {phase}");
    }
}

/// A role that is asked again says which checks it reports, and of what.
#[test]
fn i2_a_resumed_review_is_told_which_checks_to_report() {
    for (phase, profile) in reviewers() {
        for name in ["review, resumed", "validate, resumed"] {
            let prompt = case(phase, profile.role, name);
            let form = prompt.get("return-short").unwrap();
            assert!(
                form.contains("- `checks`: one entry for every check of your role. A check on"),
                "{form}"
            );
        }
        let digest = case(phase, profile.role, "review, digest");
        assert!(digest.get("digest-note").unwrap().contains("passes, with the note `not touched`"));
    }
}

/// I2-FV: what changed since its own approval, all summaries, and no guard's business.
#[test]
fn i2_fv_a_final_validation_is_sent_the_changes_since_the_roles_own_approval() {
    for (phase, profile) in reviewers() {
        let prompt = case(phase, profile.role, "validate, resumed");
        let text = prompt.text();
        assert!(
            text.contains("from your prior review at iteration 2, in which you approved it."),
            "{phase}: {text}"
        );
        assert!(text.contains("\n## Changes Since Your Last Review\n\n```diff\n"), "{phase}: {text}");
        assert_eq!(prompt.get("fix-summary").unwrap().matches("\nRevision ").count(), 2, "{phase}");
        assert!(
            text.contains("\nThis is the final validation round (iteration 3 of 5).\n"),
            "{phase}: {text}"
        );
        assert_eq!(prompt.get("domain-outcome"), None, "{phase}");
    }
}

/// I3: the same prompt as a fresh one, with one line more and what was open.
#[test]
fn i3_a_fallback_is_a_fresh_prompt_that_says_so_and_lists_what_was_open() {
    for (phase, profile) in reviewers() {
        let (fresh, lost) =
            (case(phase, profile.role, "review"), case(phase, profile.role, "review, conversation lost"));
        assert_eq!(
            (&fresh.constant, &fresh.feature, &fresh.role),
            (&lost.constant, &lost.feature, &lost.role)
        );
        let expected = "## Iteration Context\n\nThis is iteration 2 of 5.\n\
                        (Fresh dispatch — prior review session unavailable.)\n";
        assert_eq!(lost.get("iteration"), Some(expected), "{phase}");
        let open = lost.get("open-findings").unwrap();
        assert!(
            open.contains(&format!("\nPrevious issues to re-evaluate:\n\n- [{}1] ", profile.letter)),
            "{open}"
        );
    }
}

/// I7 for the authors of documents: fresh with its artifacts and what to fix, continued with what is new; and never a count
/// of rounds, which changes nothing about the work.
#[test]
fn i7_an_author_is_sent_the_issues_fresh_with_its_artifacts_and_resumed_without() {
    for phase in Phase::DOCUMENTS {
        let author = profile::author(phase);
        let (fresh, resumed) =
            (case(phase, author.as_str(), "revise, fresh"), case(phase, author.as_str(), "revise, resumed"));
        let letter = profile::participants(phase)[1].letter;
        let (listed, again) = (fresh.get("open-findings").unwrap(), resumed.get("open-findings").unwrap());
        assert!(fresh.get("required-artifacts").is_some() && listed.contains(&format!("- [{letter}1] ")));
        assert!(again.starts_with("## New Issues to Fix\n") && again.contains(&format!("- [{letter}1] ")));
        assert!(resumed.role.is_empty() && !resumed.text().contains("## Required Artifacts"), "{phase}");
        assert!(!fresh.text().contains("Iteration Context") && !resumed.text().contains("Iteration Context"));
    }
}

/// I8: the feature's own PRD, the file it came from, or the line that says there is none; for every role that is given
/// it.
#[test]
fn i8_the_prd_is_named_where_it_is_or_the_line_says_that_there_is_none() {
    for (prd, line) in [
        (Prd::File("docs/features/031-key-limits/prd.md"), "- PRD: docs/features/031-key-limits/prd.md\n"),
        (Prd::File("docs/brainstorms/keys.prd.md"), "- PRD: docs/brainstorms/keys.prd.md\n"),
        (Prd::None, "- PRD: No PRD — feature created without brainstorm\n"),
    ] {
        for strategy in [Strategy::Lazy, Strategy::Digest] {
            let first = cases::first(profile_of("phase-reviewer"));
            let place = FeaturePaths { prd, ..first.place };
            let prompt = build(&Brief { place, strategy, delta: Some("x"), round: 2, ..first });
            assert!(prompt.text().contains(line), "{strategy:?}: {line}");
        }
    }
}

/// An artifact that is not there is explained by its own reason, also where nobody has to read it.
#[test]
fn a_digest_names_a_skipped_design_by_its_reason() {
    let prompt = case(Phase::CreatePlan, "plan-reviewer", "review, digest without a design");
    let listed = prompt.get("artifacts-at-hand").unwrap();
    assert!(listed.contains("- Design: none (phase skipped, lane express)\n"), "{listed}");
}
