//! One small feature, and a brief for every kind of dispatch in it.
//!
//! The generated `docs/prompts.md` and the tests walk the same cases, so a new kind of dispatch that is added
//! here is documented and compared at once.

use super::brief::{Brief, DomainOutcome, DomainResult, Place, Prd, Upstream};
use crate::findings::{Finding, Status};
use crate::ids::{FindingId, Revision, Role};
use crate::policy::Strategy;
use crate::prelude::*;
use crate::profile::{self, Kind, Profile};
use crate::ticket::Purpose;
use crate::verdict::{Claim, Severity};

pub(super) const FOLDER: &str = "docs/features/031-key-limits";
pub(super) const ARTIFACT: &str = "docs/features/031-key-limits/spec.md";
const PRD: &str = "docs/features/031-key-limits/prd.md";

pub(super) const SPEC: &str = "\
# Limits for API keys

## Requirements

- R1: When a key has made 100 requests in one minute, the gateway shall refuse the next one with status 429.
- R2: When a key is revoked, the gateway shall refuse it quickly.

## Acceptance Criteria

- AC1 (R1): the 101st request within a minute gets status 429.
";

const UPSTREAM: [Upstream<'static>; 1] = [Upstream { path: PRD, bytes: PRD_TEXT.as_bytes(), shared: true }];

const PRD_TEXT: &str = "\
# Key limits

## Goals

- One customer cannot slow down the others.
- A leaked key stops working at once.
";

/// The same after the first finding was mended, and the difference between the two.
const REVISED: &str = "\
# Limits for API keys

## Requirements

- R1: When a key has made 100 requests in one minute, the gateway shall refuse the next one with status 429.
- R2: When a key is revoked, the gateway shall refuse it within 5 seconds with status 401.

## Acceptance Criteria

- AC1 (R1): the 101st request within a minute gets status 429.
- AC2 (R2): a request 5 seconds after the revocation gets status 401.
";

const DIFF: &str = "\
--- a/docs/features/031-key-limits/spec.md
+++ b/docs/features/031-key-limits/spec.md
@@ -3,8 +3,9 @@
 ## Requirements
 
 - R1: When a key has made 100 requests in one minute, the gateway shall refuse the next one with status 429.
-- R2: When a key is revoked, the gateway shall refuse it quickly.
+- R2: When a key is revoked, the gateway shall refuse it within 5 seconds with status 401.
 
 ## Acceptance Criteria
 
 - AC1 (R1): the 101st request within a minute gets status 429.
+- AC2 (R2): a request 5 seconds after the revocation gets status 401.
";

const GATE: &str = "line 6 [placeholder] `TBD` is not filled in";

/// One kind of dispatch.
pub(super) struct Case<'a> {
    /// What distinguishes it, in words fit for a file name.
    pub(super) name: &'a str,
    pub(super) brief: Brief<'a>,
}

/// Every case of every built-in role, in reading order.
pub(super) fn each(visit: &mut dyn FnMut(&Case<'_>)) {
    for profile in profile::ALL {
        match profile.kind {
            Kind::Author => author(profile, visit),
            Kind::Domain => {
                reviewer(profile, None, visit);
                without_tools(profile, visit);
            }
            Kind::Phase => {
                let (reviewer_role, revision) = (Role::new("spec-reviewer"), revision());
                let result = DomainResult::Approved { round: 2, max: 5, revision: &revision };
                let outcome = DomainOutcome { reviewer: &reviewer_role, result, unresolved: &[] };
                reviewer(profile, Some(outcome), visit);
                handoff(profile, outcome, visit);
            }
        }
    }
}

fn author(profile: &Profile, visit: &mut dyn FnMut(&Case<'_>)) {
    let finding = finding('S', "R2 has no acceptance criterion and no time within which it must hold");
    let findings = [&finding];
    let draft = Brief { purpose: Purpose::Draft, artifact: None, round: 1, ..first(profile) };
    let fresh = Brief { purpose: Purpose::Revise, findings: &findings, ..first(profile) };
    let resumed = Brief { strategy: Strategy::Resume, round: 2, ..fresh };
    let no_prd = Place { prd: Prd::None, ..draft.place };
    for (name, brief) in [
        ("draft", draft),
        ("draft without a PRD", Brief { place: no_prd, ..draft }),
        ("revise, fresh", fresh),
        ("revise, conversation lost", Brief { unavailable: true, ..fresh }),
        (
            "revise, fresh, all at once",
            Brief { gate: Some(GATE), delta: Some(DIFF), unchanged: true, ..fresh },
        ),
        ("revise, resumed", resumed),
        ("revise, resumed, failed gate", Brief { gate: Some(GATE), findings: &[], ..resumed }),
        ("revise, resumed, nothing changed", Brief { unchanged: true, ..resumed }),
        ("revise, resumed, changed by others", Brief { delta: Some(DIFF), ..resumed }),
        ("draft, inline", Brief { strategy: Strategy::Inline, ..draft }),
        ("revise, inline", Brief { strategy: Strategy::Inline, ..fresh }),
        ("repair", Brief { purpose: Purpose::Repair, repair: Some("no answer for S1"), ..resumed }),
    ] {
        visit(&Case { name, brief });
    }
}

fn reviewer(profile: &Profile, outcome: Option<DomainOutcome<'_>>, visit: &mut dyn FnMut(&Case<'_>)) {
    let finding =
        finding(profile.letter, "R2 has no acceptance criterion and no time within which it must hold");
    let findings = [&finding];
    let once = ["S1: R2 now names 5 seconds and status 401; added AC2.".to_owned()];
    let twice = [once[0].clone(), "P1: named the owner of the open question.".to_owned()];
    let first = Brief { outcome, ..first(profile) };
    let revised = Some(REVISED.as_bytes());
    let later = Brief { artifact: revised, findings: &findings, round: 2, last_round: 1, ..first };
    let resumed = Brief { strategy: Strategy::Resume, delta: Some(DIFF), fix_summaries: &once, ..later };
    let validate = Brief { purpose: Purpose::Validate, findings: &[], round: 3, last_round: 2, ..later };
    let validate_resumed =
        Brief { strategy: Strategy::Resume, delta: Some(DIFF), fix_summaries: &twice, ..validate };
    let inline = Brief { strategy: Strategy::Inline, ..first };
    for (name, brief) in [
        ("review", first),
        ("review without a PRD", Brief { place: Place { prd: Prd::None, ..first.place }, ..first }),
        ("review, fresh in a later round", later),
        ("review, conversation lost", Brief { unavailable: true, ..later }),
        ("review, resumed", resumed),
        ("validate, resumed", validate_resumed),
        ("validate, resumed with open findings", Brief { findings: &findings, ..validate_resumed }),
        ("validate, fresh", validate),
        ("validate, fresh with open findings", Brief { findings: &findings, unavailable: true, ..validate }),
        ("certify", Brief { purpose: Purpose::Certify, artifact: revised, findings: &findings, ..first }),
        ("review, inline", inline),
        (
            "review, inline without a PRD",
            Brief { upstream: &[], place: Place { prd: Prd::None, ..first.place }, ..inline },
        ),
        ("review, inline in a later round", Brief { strategy: Strategy::Inline, ..later }),
        ("review, digest", Brief { strategy: Strategy::Digest, ..resumed }),
        ("validate, digest", Brief { strategy: Strategy::Digest, ..validate_resumed }),
        ("repair", Brief { purpose: Purpose::Repair, repair: Some("no answer for S1"), ..resumed }),
    ] {
        visit(&Case { name, brief });
    }
}

/// What a reviewer meets whose agent lacks some or all of the tools that look outside of the repository.
fn without_tools(profile: &Profile, visit: &mut dyn FnMut(&Case<'_>)) {
    let outside = |server_only: bool| {
        let tools = profile
            .tools
            .iter()
            .filter(|tool| tool.starts_with("mcp__") || (!server_only && **tool == "WebSearch"));
        tools.map(|tool| (*tool).to_owned()).collect::<Vec<String>>()
    };
    for (name, missing) in [
        ("review, no tool looks outside", outside(false)),
        ("review, a server of tools is missing", outside(true)),
    ] {
        visit(&Case { name, brief: Brief { missing: &missing, ..first(profile) } });
    }
}

/// What only a phase reviewer meets: a domain review that failed, and none at all.
fn handoff(profile: &Profile, approved: DomainOutcome<'_>, visit: &mut dyn FnMut(&Case<'_>)) {
    let open = finding('S', "R2 has no acceptance criterion and no time within which it must hold");
    let unresolved = [&open];
    let revision = revision();
    let result = DomainResult::Failed { round: 5, max: 5, revision: &revision };
    let failed = DomainOutcome { result, unresolved: &unresolved, ..approved };
    let first = first(profile);
    visit(&Case {
        name: "review after a failed domain review",
        brief: Brief { outcome: Some(failed), ..first },
    });
    visit(&Case { name: "review without a domain review", brief: first });
}

pub(super) fn first(profile: &Profile) -> Brief<'_> {
    Brief {
        profile,
        missing: &[],
        place: Place {
            folder: FOLDER,
            prd: Prd::File(PRD),
            artifact: ARTIFACT,
            idea: "Limit how many requests an API key may make in a minute.",
        },
        purpose: Purpose::Review,
        strategy: Strategy::Lazy,
        artifact: Some(SPEC.as_bytes()),
        upstream: &UPSTREAM,
        delta: None,
        fix_summaries: &[],
        findings: &[],
        outcome: None,
        gate: None,
        unchanged: false,
        round: 1,
        rounds_max: 5,
        last_round: 0,
        unavailable: false,
        repair: None,
    }
}

pub(super) fn finding(letter: char, description: &str) -> Finding {
    Finding {
        id: FindingId::new(format!("{letter}1")),
        role: Role::new("spec-reviewer"),
        round: 1,
        severity: Severity::Blocker,
        category: "testability".to_owned(),
        claim: Claim::Present,
        file: ARTIFACT.to_owned(),
        line: 6,
        section: "Requirements".to_owned(),
        quote: "the gateway shall refuse it quickly".to_owned(),
        description: description.to_owned(),
        suggestion: "State the time and the status.".to_owned(),
        status: Status::Open,
        late: false,
        unverified: None,
        note: String::new(),
    }
}

fn revision() -> Revision {
    Revision::new("4b825dc642cb6eb9a060e54bf8d69288fbee4904")
}
