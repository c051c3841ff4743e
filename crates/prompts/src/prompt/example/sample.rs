//! One role's prompt in the made-up feature, for a person who wants to read it.

use crate::prompt::brief::{Brief, DomainOutcome, DomainResult, possible};
use crate::prompt::build::build;
use crate::prompt::example::feature::document;
use crate::prompt::example::{ANSWER, Sample, code, first_of, retro, revision};
use redraft_facts::choice::Strategy;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, ProfileKind, RoleText};

/// The same for a change that is reviewed by itself, without documents. None for a role that does not review code.
pub fn sample_by_itself(
    role: &Role,
    purpose: Option<Purpose>,
    strategy: Strategy,
    own: Option<&RoleText>,
) -> Option<Sample> {
    code::sample_by_itself(role, purpose, strategy, own)
}

/// What a role is sent for this purpose with this strategy; `own` is the repository's text for it. Without a purpose it is
/// the role's first dispatch, or with a strategy for later rounds its second. None where the role takes no part in the
/// phase or is never asked for that.
pub fn sample(
    phase: Phase,
    role: &Role,
    purpose: Option<Purpose>,
    strategy: Strategy,
    own: Option<&RoleText>,
) -> Option<Sample> {
    if phase == Phase::Implement {
        return code::sample(role, purpose, strategy, own);
    }
    if phase == Phase::Finish {
        return retro::sample(role, purpose, own);
    }
    let profile = profile::find(phase, role)?;
    let later = matches!(strategy, Strategy::Resume | Strategy::Digest);
    let purpose = purpose.unwrap_or(match profile.kind {
        ProfileKind::Author if later || phase == Phase::Document => Purpose::Revise,
        ProfileKind::Author => Purpose::Draft,
        ProfileKind::Domain | ProfileKind::Phase => Purpose::Review,
    });
    let domain = profile::participants(phase).iter().find(|profile| profile.kind == ProfileKind::Domain)?;
    let (domain_role, revision) = (Role::new(domain.role), revision());
    let result = DomainResult::Approved { round: 2, max: 5, revision: &revision };
    let outcome = DomainOutcome { reviewer: &domain_role, result, unresolved: &[] };
    let document = document(phase);
    let finding = document.finding(phase, profile);
    let findings = [&finding];
    let summary = [document.summary(phase, profile)];
    let why = format!("no answer for {}", finding.id);
    let first = Brief { text: own, purpose, strategy, outcome: Some(outcome), ..first_of(phase, profile) };
    let mended = Some(document.mended.as_bytes());
    let again = Brief {
        artifact: mended,
        delta: later.then_some(document.diff),
        fix_summaries: &summary,
        round: 2,
        last_round: 1,
        ..first
    };
    let brief = match (profile.kind, purpose) {
        (ProfileKind::Author, Purpose::Draft) if phase != Phase::Document => Brief {
            artifact: None,
            may_ask: phase.may_ask() && strategy != Strategy::Resume,
            answers: if strategy == Strategy::Resume { &[ANSWER] } else { &[] },
            ..first
        },
        (ProfileKind::Author, Purpose::Revise) => Brief { findings: &findings, round: 2, ..first },
        (ProfileKind::Domain | ProfileKind::Phase, Purpose::Review) if later => {
            Brief { findings: &findings, ..again }
        }
        (ProfileKind::Domain | ProfileKind::Phase, Purpose::Review) => first,
        (ProfileKind::Domain | ProfileKind::Phase, Purpose::Validate) => {
            Brief { round: 3, last_round: 2, ..again }
        }
        (ProfileKind::Domain | ProfileKind::Phase, Purpose::Certify) => {
            Brief { artifact: mended, round: 3, ..first }
        }
        (ProfileKind::Domain | ProfileKind::Phase, Purpose::Repair) => {
            Brief { findings: &findings, repair: Some(&why), ..again }
        }
        _ => return None,
    };
    Some(Sample { prompt: build(&brief), purpose, strategy: possible(&brief) })
}
