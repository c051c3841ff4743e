//! The outcome of the domain review, as the phase reviewer is told it: C7, interface 6, AC-11 and AC-12 of seed 022.

use super::super::brief::DomainResult;
use super::super::*;
use super::cases::{self, Case};
use super::profile_of;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::Finding;
use redraft_facts::ids::{Revision, Role};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, ProfileKind};

/// AC-11 of seed 022: in all four phases the phase reviewer is told who reviewed before it, with which result and what is
/// left; the block stands between the artifact and the iteration, and after what is the same in every round.
#[test]
fn ac_11_the_phase_reviewer_of_every_phase_is_told_the_outcome_of_the_domain_review() {
    let mut seen = BTreeSet::new();
    cases::each(&mut |Case { phase, name, brief }| {
        if brief.profile.kind != ProfileKind::Phase
            || brief.outcome.is_none()
            || brief.strategy == Strategy::Resume
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
            text.contains(&format!("- Reviewer: {}\n", profile::participants(*phase)[1].role)),
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
    cases::each(&mut |Case { phase, name, brief }| {
        if brief.profile.kind == ProfileKind::Phase && brief.outcome.is_none() {
            assert!(!build(brief).text().contains("Domain Reviewer Outcome\n"), "{phase} {name}");
            phases.insert(*phase);
        }
    });
    assert_eq!(phases.len(), 4);
}

/// Interface 6 of seed 022: the block as it is sent, for one result.
fn outcome(result: DomainResult<'_>, unresolved: &[&Finding]) -> String {
    let reviewer = Role::new("spec-reviewer");
    let outcome = Some(DomainOutcome { reviewer: &reviewer, result, unresolved });
    let prompt = build(&Brief { outcome, ..cases::first(profile_of("phase-reviewer")) });
    prompt.get("domain-outcome").unwrap().to_owned()
}

fn revision() -> Revision {
    Revision::new("0123456789abcdef")
}

#[test]
fn c7_an_approval_is_told_with_its_iteration_and_revision() {
    let (round, max, revision) = (3, 5, &revision());
    assert_eq!(
        outcome(DomainResult::Approved { round, max, revision }, &[]),
        "## Domain Reviewer Outcome\n\n- Reviewer: spec-reviewer\n\
         - Result: APPROVED at iteration 3/5, revision 0123456789\n- Unresolved issues: none\n"
    );
}

#[test]
fn c7_a_failure_at_the_cap_is_told_with_its_revision_and_what_is_left() {
    let open = cases::finding('S', "R2 names no time");
    let (round, max, revision) = (5, 5, &revision());
    let text = outcome(DomainResult::Failed { round, max, revision }, &[&open]);
    assert!(text.contains("\n- Result: FAILED at iteration cap (5/5), revision 0123456789\n"), "{text}");
    assert!(
        text.contains("\n- Unresolved issues:\n  - [S1] [blocker] [testability] R2 names no time (at: "),
        "{text}"
    );
}

/// A person may accept before the cap is reached; then the cap is not what ended it.
#[test]
fn c7_what_a_person_accepted_before_the_cap_is_told_as_such() {
    let (round, max, revision) = (2, 5, &revision());
    let text = outcome(DomainResult::Failed { round, max, revision }, &[]);
    let line = "\n- Result: FAILED, accepted by a person at iteration 2/5, revision 0123456789\n";
    assert!(text.contains(line), "{text}");
}
