//! Tests what the prompts of the four phases have in common, and their examples.

use super::super::*;
use super::cases;
use crate::prompt::example::feature::document;
use redraft_documents::delta::Comparison;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, ProfileKind};

#[test]
fn every_role_of_every_phase_can_be_shown_with_every_strategy() {
    for phase in Phase::ALL {
        for profile in profile::participants(phase) {
            for strategy in Strategy::ALL {
                let role = Role::new(profile.role);
                let Sample { prompt, purpose, strategy: sent } =
                    sample(phase, &role, None, strategy, None).unwrap();
                let fresh = sent != Strategy::Resume;
                // Some work on code always begins in a new conversation, and looking back is done once.
                let anew = matches!(
                    purpose,
                    Purpose::Simplify | Purpose::Outline | Purpose::Tests | Purpose::Retro | Purpose::Judge
                );
                assert_eq!(fresh, strategy != Strategy::Resume || anew, "{phase} {role} {strategy:?}");
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
    let own = profile::RoleText::parse("---\ntools: Read\n---\n# Ours\n\nAsk this.\n", &role).unwrap();
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
    cases::each(&mut |case| {
        if case.name == "draft without a design" {
            shown = build(&case.brief).get("required-artifacts").unwrap().to_owned();
        }
    });
    assert!(shown.contains("- Design: none (phase skipped, lane express)\n"), "{shown}");
    let author = profile::participants(Phase::Design)[0];
    let mut drafts = Vec::new();
    cases::each(&mut |case| {
        if case.brief.profile.role == author.role && case.name == "draft" {
            drafts.push(build(&case.brief).text());
        }
    });
    assert!(drafts.len() == 1 && !drafts[0].contains("- Research:"), "{drafts:?}");
}

/// An example that does not fit teaches the wrong thing: the finding is the role's own, quotes the first version and is
/// gone in the next, and the changes are those of the phase's document.
#[test]
fn the_example_of_every_role_fits_its_phase() {
    for phase in Phase::DOCUMENTS.into_iter().chain([Phase::Document]) {
        for profile in profile::participants(phase) {
            let role = Role::new(profile.role);
            let resumed = sample(phase, &role, None, Strategy::Resume, None).unwrap().prompt;
            let raised =
                if profile.kind == ProfileKind::Author { profile::participants(phase)[1] } else { profile };
            let list = resumed.get("open-findings").unwrap();
            let line = list.lines().find(|line| line.starts_with("- [")).unwrap();
            assert!(line.starts_with(&format!("- [{}1] [blocker] [", raised.letter)), "{phase}: {line}");
            let category = line.split(['[', ']']).nth(5).unwrap();
            assert!(raised.categories.contains(&category), "{phase} {role}: {category}");
            if profile.kind == ProfileKind::Author {
                let quote = list.lines().find_map(|line| line.strip_prefix("  Quote: ")).unwrap();
                let review = sample(phase, &Role::new(raised.role), None, Strategy::Lazy, None).unwrap();
                assert!(
                    review.prompt.get("artifact").unwrap().contains(quote.trim_matches('"')),
                    "{phase}: {quote}"
                );
                continue;
            }
            let delta = resumed.get("delta").unwrap();
            let file = delta.lines().find_map(|line| line.strip_prefix("+++ b/")).unwrap();
            assert!(phase == Phase::Document || file.ends_with(phase.artifact()), "{phase}: {file}");
            assert!(resumed.get("fix-summary").unwrap().contains(&format!("\n{}1: ", raised.letter)));
        }
    }
}

#[test]
fn the_change_of_each_document_of_the_example_is_the_difference_between_its_versions() {
    for phase in Phase::DOCUMENTS.into_iter().chain([Phase::Document]) {
        let document = document(phase);
        let compared = Comparison::new(document.first, document.mended).unified(document.path);
        assert_eq!(document.diff, compared, "{phase}");
    }
}

#[test]
fn an_example_can_be_shown_for_every_purpose_a_role_has_and_for_no_other() {
    for phase in Phase::DOCUMENTS.into_iter().chain([Phase::Document]) {
        for profile in profile::participants(phase) {
            let role = Role::new(profile.role);
            let fits: Vec<Purpose> = (Purpose::ALL.into_iter())
                .filter(|purpose| sample(phase, &role, Some(*purpose), Strategy::Lazy, None).is_some())
                .collect();
            let expected: &[Purpose] = match (profile.kind, phase) {
                (ProfileKind::Author, Phase::Document) => &[Purpose::Revise],
                (ProfileKind::Author, _) => &[Purpose::Draft, Purpose::Revise],
                _ => &[Purpose::Review, Purpose::Validate, Purpose::Certify, Purpose::Repair],
            };
            assert_eq!(fits, expected, "{phase} {role}");
        }
    }
    let role = Role::new("spec-reviewer");
    let certify = sample(Phase::Specify, &role, Some(Purpose::Certify), Strategy::Resume, None).unwrap();
    assert_eq!(certify.strategy, Strategy::Lazy, "fresh eyes are never resumed");
}

/// A document by itself builds on nothing, so nobody is told to read an empty list or to trust one.
#[test]
fn the_roles_of_a_document_are_told_that_no_other_file_has_to_be_read() {
    for profile in profile::participants(Phase::Document) {
        for strategy in [Strategy::Lazy, Strategy::Inline, Strategy::Digest] {
            let prompt =
                sample(Phase::Document, &Role::new(profile.role), None, strategy, None).unwrap().prompt;
            let (_, list) = prompt.fragments().find(|(_, one)| one.name.contains("artifacts")).unwrap();
            assert!(list.text.contains("No other file has to be read before your "), "{}", list.text);
            assert!(!prompt.text().contains("MUST read"), "{}", profile.role);
        }
        let resumed =
            sample(Phase::Document, &Role::new(profile.role), None, Strategy::Resume, None).unwrap();
        assert!(!resumed.prompt.text().contains("upstream artifacts"), "{}", profile.role);
    }
}
