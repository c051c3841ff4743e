//! What the prompts of the four phases have in common, and the examples of them.

use super::super::example;
use super::super::*;
use crate::ids::Role;
use crate::phase::Phase;
use crate::policy::Strategy;
use crate::prelude::*;
use crate::profile;

#[test]
fn every_role_of_every_phase_can_be_shown_with_every_strategy() {
    for phase in Phase::ALL {
        for profile in profile::cast(phase) {
            for strategy in Strategy::ALL {
                let role = Role::new(profile.role);
                let prompt = sample(phase, &role, None, strategy, None).unwrap().prompt;
                let fresh = strategy != Strategy::Resume;
                assert_eq!(prompt.get("rubric").is_some(), fresh, "{phase} {role} {strategy:?}");
                assert!(!prompt.turn.is_empty(), "{phase} {role} {strategy:?}");
            }
        }
    }
    assert_eq!(sample(Phase::Design, &Role::new("spec-reviewer"), None, Strategy::Lazy, None), None);
}

#[test]
fn a_text_of_the_repository_stands_where_the_built_in_one_would_and_nothing_else_changes() {
    let role = Role::new("plan-reviewer");
    let own = profile::Override::parse("---\ntools: Read\n---\n# Ours\n\nAsk this.\n", &role).unwrap();
    let built_in = sample(Phase::CreatePlan, &role, None, Strategy::Lazy, None).unwrap().prompt;
    let replaced = sample(Phase::CreatePlan, &role, None, Strategy::Lazy, Some(&own)).unwrap().prompt;
    assert_eq!(replaced.get("rubric"), Some("# Ours\n\nAsk this.\n"));
    let others = |prompt: &Prompt| {
        let rest = prompt.fragments().filter(|(_, fragment)| fragment.name != "rubric");
        rest.map(|(stability, fragment)| (stability, fragment.clone())).collect::<Vec<_>>()
    };
    assert_eq!(others(&replaced), others(&built_in));
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
