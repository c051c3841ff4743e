//! What the prompts of the four phases have in common, by the names the original documents gave it.

use super::super::example::{self, Case};
use super::super::*;
use crate::ids::Role;
use crate::phase::Phase;
use crate::policy::Strategy;
use crate::prelude::*;
use crate::profile::{self, Kind};
use crate::ticket::Purpose;

#[test]
fn every_role_of_every_phase_can_be_shown_with_every_strategy() {
    for phase in Phase::ALL {
        for profile in profile::cast(phase) {
            for strategy in Strategy::ALL {
                let role = Role::new(profile.role);
                let prompt = sample(phase, &role, strategy, None).unwrap();
                let fresh = strategy != Strategy::Resume;
                assert_eq!(prompt.get("rubric").is_some(), fresh, "{phase} {role} {strategy:?}");
                assert!(!prompt.turn.is_empty(), "{phase} {role} {strategy:?}");
            }
        }
    }
    assert_eq!(sample(Phase::Design, &Role::new("spec-reviewer"), Strategy::Lazy, None), None);
}

#[test]
fn a_text_of_the_repository_stands_where_the_built_in_one_would_and_nothing_else_changes() {
    let role = Role::new("plan-reviewer");
    let own = profile::Override::parse("---\ntools: Read\n---\n# Ours\n\nAsk this.\n", &role).unwrap();
    let built_in = sample(Phase::CreatePlan, &role, Strategy::Lazy, None).unwrap();
    let replaced = sample(Phase::CreatePlan, &role, Strategy::Lazy, Some(&own)).unwrap();
    assert_eq!(replaced.get("rubric"), Some("# Ours\n\nAsk this.\n"));
    let others = |prompt: &Prompt| {
        let rest = prompt.fragments().filter(|(_, fragment)| fragment.name != "rubric");
        rest.map(|(stability, fragment)| (stability, fragment.clone())).collect::<Vec<_>>()
    };
    assert_eq!(others(&replaced), others(&built_in));
}

/// AC-11 of seed 022: in all four phases the phase reviewer is told who reviewed before it, with which result and what is
/// left; the block stands between the artifact and the iteration, and after what is the same in every round.
#[test]
fn ac_11_the_phase_reviewer_of_every_phase_is_told_the_outcome_of_the_domain_review() {
    let mut seen = BTreeSet::new();
    example::each(&mut |Case { phase, name, brief }| {
        if brief.profile.kind != Kind::Phase || brief.outcome.is_none() || brief.strategy == Strategy::Resume
        {
            return;
        }
        let prompt = build(brief);
        let turn: Vec<&str> = prompt.turn.iter().map(|fragment| fragment.name.as_str()).collect();
        let at = |wanted: &str| turn.iter().position(|name| *name == wanted);
        if brief.purpose != Purpose::Review || at("domain-outcome").is_none() {
            return;
        }
        assert!(
            at("artifact") < at("domain-outcome") && at("domain-outcome") < at("iteration"),
            "{phase} {name}: {turn:?}"
        );
        let text = prompt.get("domain-outcome").unwrap();
        assert!(
            text.contains(&format!("- Reviewer: {}\n", profile::cast(*phase)[1].role)),
            "{phase} {name}: {text}"
        );
        let result = text.lines().find(|line| line.starts_with("- Result: ")).unwrap();
        let approved = result.starts_with("- Result: APPROVED at iteration ");
        assert!(approved || result.starts_with("- Result: FAILED at iteration cap ("), "{result}");
        assert!(text.contains("- Unresolved issues:"), "{text}");
        assert!(prompt.role.iter().any(|fragment| fragment.name == "next-phase"), "{phase} {name}");
        seen.insert((*phase, approved));
    });
    assert_eq!(seen.len(), 8, "approved and failed in each of four phases: {seen:?}");
}

/// AC-12 of seed 022: without a domain review there is no block, not even an empty one.
#[test]
fn ac_12_without_a_domain_review_there_is_no_outcome_block() {
    let mut phases = BTreeSet::new();
    example::each(&mut |Case { phase, name, brief }| {
        if brief.profile.kind == Kind::Phase && brief.outcome.is_none() {
            assert!(!build(brief).text().contains("Domain Reviewer Outcome\n"), "{phase} {name}");
            phases.insert(*phase);
        }
    });
    assert_eq!(phases.len(), 4);
}

/// R4 of seed 031, for every reviewer of the document phases: rubric with its coda, artifacts, checklist, next phase,
/// answer form; then the artifact, the outcome, the iteration.
#[test]
fn r4_every_fresh_lazy_review_has_its_sections_in_the_canonical_order() {
    let order = [
        "rubric",
        "required-artifacts",
        "checklist",
        "next-phase",
        "return",
        "artifact",
        "domain-outcome",
        "iteration",
    ];
    for phase in Phase::ALL {
        for profile in profile::cast(phase).iter().filter(|profile| profile.kind != Kind::Author) {
            let mut names = Vec::new();
            example::each(&mut |case| {
                if (case.phase, case.name, case.brief.profile.role) == (phase, "review", profile.role) {
                    let prompt = build(&case.brief);
                    names = prompt.role.iter().chain(&prompt.turn).map(|one| one.name.clone()).collect();
                    let rubric = prompt.get("rubric").unwrap();
                    assert!(
                        rubric.ends_with(&format!("{}\n", profile.coda)),
                        "{phase}: the coda closes the rubric"
                    );
                }
            });
            let hands_off = profile.kind == Kind::Phase;
            let expected: Vec<&str> = order
                .into_iter()
                .filter(|name| hands_off || !matches!(*name, "next-phase" | "domain-outcome"))
                .collect();
            assert_eq!(names, expected, "{phase} {}", profile.role);
        }
    }
}

/// The per-command deviations of seed 031's I1-R4 for the document phases. One schema for all roles is ours: the fields
/// `task`, `category` and `location` of the originals are `section` and `category` here, in every phase.
#[test]
fn i1_r4_deviations_the_reviewed_artifact_stands_inline_for_domain_reviewers_and_by_path_for_the_phase_reviewer()
 {
    for phase in Phase::ALL {
        example::each(&mut |case| {
            if case.phase != phase || case.name != "review" {
                return;
            }
            let (prompt, path) = (build(&case.brief), case.brief.place.artifact);
            let (listed, artifact) =
                (prompt.get("required-artifacts").unwrap(), prompt.get("artifact").unwrap());
            match case.brief.profile.kind {
                Kind::Domain => {
                    assert!(!listed.contains(path), "{phase}: what is inline is not to be read again");
                    assert!(artifact.contains("```markdown"), "{phase}: {artifact}");
                }
                Kind::Phase => {
                    assert!(listed.contains(path), "{phase}: {listed}");
                    assert!(!artifact.contains("```"), "{phase}: {artifact}");
                }
                Kind::Author => unreachable!("an author does not review"),
            }
        });
    }
}

/// DESIGN 8: an artifact whose phase was skipped is named with the reason; a note that is not there is not named.
#[test]
fn an_artifact_of_a_skipped_phase_is_named_as_none_with_the_reason() {
    let mut shown = String::new();
    example::each(&mut |case| {
        if case.name == "draft without a design" {
            shown = build(&case.brief).get("required-artifacts").unwrap().to_owned();
        }
    });
    assert!(shown.contains("- Design: none (phase skipped, lane express)\n"), "{shown}");
    let author = profile::cast(Phase::Design)[0];
    let mut drafts = Vec::new();
    example::each(&mut |case| {
        if case.brief.profile.role == author.role && case.name == "draft" {
            drafts.push(build(&case.brief).text());
        }
    });
    assert!(drafts.len() == 1 && !drafts[0].contains("- Research:"), "{drafts:?}");
}
