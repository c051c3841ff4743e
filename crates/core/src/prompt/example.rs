//! One small feature, and a brief for every kind of dispatch in it.
//!
//! The generated `docs/prompts.md` and the tests walk the same cases, so a new kind of dispatch that is added
//! here is documented and compared at once.

use super::brief::{Absent, Answer, Brief, DomainOutcome, DomainResult, Place, Prd, Upstream};
use super::build::build;
use super::fragment::Prompt;
use crate::findings::{Finding, Status};
use crate::ids::{FindingId, Revision, Role};
use crate::phase::Phase;
use crate::policy::Strategy;
use crate::prelude::*;
use crate::profile::{self, Kind, Override, Profile};
use crate::ticket::Purpose;
use crate::verdict::{Claim, Severity};

pub(super) const FOLDER: &str = "docs/features/031-key-limits";
pub(super) const ARTIFACT: &str = "docs/features/031-key-limits/spec.md";
const PRD: &str = "docs/features/031-key-limits/prd.md";
const DESIGN_PATH: &str = "docs/features/031-key-limits/design.md";
const PLAN_PATH: &str = "docs/features/031-key-limits/plan.md";
const TASKS_PATH: &str = "docs/features/031-key-limits/tasks.md";

pub(super) const SPEC: &str = "\
# Limits for API keys

## Requirements

- R1: When a key has made 100 requests in one minute, the gateway shall refuse the next one with status 429.
- R2: When a key is revoked, the gateway shall refuse it quickly.

## Acceptance Criteria

- AC1 (R1): the 101st request within a minute gets status 429.
";

const DESIGN: &str = "\
# Design: limits for API keys

- C1 Counter (R1): counts the requests of a key in the current minute.
- C2 Gate (R1, R2): asks C1 and the key store before it forwards a request.
- D1: counters live in the gateway's memory; a restart forgets at most one minute.
";

const PLAN: &str = "\
# Plan: limits for API keys

- Step 1 (C1): the counter, with a test for the 101st request.
- Step 2 (C2), after step 1: the gate in front of every route.
";

const TASKS: &str = "\
# Tasks: limits for API keys

### Task 1.1: Count the requests of a key

**Implements:** Plan Step 1, Design C1
**Done when:** the test for the 101st request fails before and passes after.
";

const fn given(name: &'static str, path: &'static str, text: &'static str) -> Upstream<'static> {
    Upstream { name, path, bytes: text.as_bytes(), shared: true }
}

/// What the roles of a phase are given, and what they write.
fn upstream(phase: Phase) -> &'static [Upstream<'static>] {
    const ALL: [Upstream<'static>; 4] = [
        given("prd.md", PRD, PRD_TEXT),
        given("spec.md", ARTIFACT, REVISED),
        given("design.md", DESIGN_PATH, DESIGN),
        given("plan.md", PLAN_PATH, PLAN),
    ];
    match phase {
        Phase::Specify => &ALL[..1],
        Phase::Design => &ALL[..2],
        Phase::CreatePlan => &ALL[..3],
        Phase::CreateTasks => &ALL,
        Phase::Document => &[],
    }
}

fn written(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::Specify => (ARTIFACT, SPEC),
        Phase::Design => (DESIGN_PATH, DESIGN),
        Phase::CreatePlan => (PLAN_PATH, PLAN),
        Phase::CreateTasks => (TASKS_PATH, TASKS),
        Phase::Document => ("docs/limits.md", SPEC),
    }
}

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

const PROJECT: &str = "\
- Project: P001-gateway
- Goals: one customer cannot slow down the others
- Priority: milestone 1, Foundations
- Depends on: 030-keys (completed)
";

const GATE: &str = "line 6 [placeholder] `TBD` is not filled in";

/// One kind of dispatch.
pub(super) struct Case<'a> {
    pub(super) phase: Phase,
    /// What distinguishes it, in words fit for a file name.
    pub(super) name: &'a str,
    pub(super) brief: Brief<'a>,
}

/// Every case of every role of the first phase, and of the later ones what differs there, in reading order.
pub(super) fn each(visit: &mut dyn FnMut(&Case<'_>)) {
    for profile in profile::cast(Phase::Specify).iter().copied() {
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
    for phase in [Phase::Design, Phase::CreatePlan, Phase::CreateTasks] {
        later_phase(phase, visit);
    }
    document(visit);
}

fn later_phase(phase: Phase, visit: &mut dyn FnMut(&Case<'_>)) {
    let [author, domain, handoff] = profile::cast(phase) else { return };
    let mut show = |name, brief| visit(&Case { phase, name, brief });
    let draft = Brief { purpose: Purpose::Draft, artifact: None, may_ask: true, ..first_of(phase, author) };
    let left_out = [Absent { name: "design.md", why: "phase skipped, lane express" }];
    show("draft", draft);
    show("draft, inline", Brief { strategy: Strategy::Inline, ..draft });
    if phase == Phase::CreatePlan {
        let place = Place { absent: &left_out, ..draft.place };
        show("draft without a design", Brief { place, ..draft });
    }
    let review = first_of(phase, domain);
    let letter = domain.letter;
    let finding = Finding {
        file: review.place.artifact.to_owned(),
        role: Role::new(domain.role),
        ..finding(letter, "nothing says what happens to a request while the counter is being reset")
    };
    let findings = [&finding];
    show("revise, fresh", Brief { purpose: Purpose::Revise, findings: &findings, ..first_of(phase, author) });
    show("review", review);
    show("review, inline", Brief { strategy: Strategy::Inline, ..review });
    show("review, fresh in a later round", Brief { findings: &findings, round: 2, ..review });
    let (domain_role, revision) = (Role::new(domain.role), revision());
    let result = DomainResult::Approved { round: 3, max: 5, revision: &revision };
    let approved = DomainOutcome { reviewer: &domain_role, result, unresolved: &[] };
    let result = DomainResult::Failed { round: 5, max: 5, revision: &revision };
    let failed = DomainOutcome { result, unresolved: &findings, ..approved };
    let handed = first_of(phase, handoff);
    show("review", Brief { outcome: Some(approved), ..handed });
    show("review, inline", Brief { outcome: Some(approved), strategy: Strategy::Inline, ..handed });
    show("review after a failed domain review", Brief { outcome: Some(failed), ..handed });
    show("review without a domain review", handed);
}

/// A document that belongs to no phase.
fn document(visit: &mut dyn FnMut(&Case<'_>)) {
    let phase = Phase::Document;
    let absent = [Absent { name: "prd.md", why: "" }];
    for profile in profile::cast(phase) {
        let first = first_of(phase, profile);
        let first = Brief { place: Place { prd: Prd::None, absent: &absent, ..first.place }, ..first };
        let finding = Finding {
            file: first.place.artifact.to_owned(),
            role: Role::new("document-reviewer"),
            ..finding('O', "the two limits cannot both hold")
        };
        let findings = [&finding];
        let (name, brief) = match profile.kind {
            Kind::Author => {
                ("revise, fresh", Brief { purpose: Purpose::Revise, findings: &findings, ..first })
            }
            Kind::Domain | Kind::Phase => ("review", first),
        };
        visit(&Case { phase, name, brief });
    }
}

/// What a role is sent with this strategy, for the feature of this page; `own` is the repository's text for it. None where
/// the role does not take part in the phase. A strategy for later rounds is shown in the second one.
pub fn sample(phase: Phase, role: &Role, strategy: Strategy, own: Option<&Override>) -> Option<Prompt> {
    let profile = profile::of(phase, role)?;
    let first = Brief { text: own, strategy, ..first_of(phase, profile) };
    let later = matches!(strategy, Strategy::Resume | Strategy::Digest);
    let domain = profile::cast(phase).iter().find(|profile| profile.kind == Kind::Domain)?;
    let (domain_role, revision) = (Role::new(domain.role), revision());
    let result = DomainResult::Approved { round: 2, max: 5, revision: &revision };
    let outcome = DomainOutcome { reviewer: &domain_role, result, unresolved: &[] };
    let letter = if profile.kind == Kind::Author { domain.letter } else { profile.letter };
    let finding = Finding {
        file: first.place.artifact.to_owned(),
        ..finding(letter, "R2 has no acceptance criterion and no time within which it must hold")
    };
    let findings = [&finding];
    let summary = [format!("{letter}1: R2 now names 5 seconds and status 401; added AC2.")];
    let diff = DIFF.replace(ARTIFACT, first.place.artifact);
    let brief = match (profile.kind, later) {
        (Kind::Author, false) => Brief { purpose: Purpose::Draft, artifact: None, may_ask: true, ..first },
        (Kind::Author, true) => Brief { purpose: Purpose::Revise, findings: &findings, round: 2, ..first },
        (_, false) => Brief { outcome: Some(outcome), ..first },
        (_, true) => Brief {
            outcome: Some(outcome),
            delta: Some(&diff),
            fix_summaries: &summary,
            findings: &findings,
            round: 2,
            ..first
        },
    };
    Some(build(&brief))
}

fn author(profile: &Profile, visit: &mut dyn FnMut(&Case<'_>)) {
    let finding = finding('S', "R2 has no acceptance criterion and no time within which it must hold");
    let findings = [&finding];
    let draft = Brief { purpose: Purpose::Draft, artifact: None, round: 1, ..first(profile) };
    let fresh = Brief { purpose: Purpose::Revise, findings: &findings, ..first(profile) };
    let resumed = Brief { strategy: Strategy::Resume, round: 2, ..fresh };
    let no_prd = Place { prd: Prd::None, ..draft.place };
    let answers = [Answer {
        question: "May a customer raise the limit of a key?",
        assumed: "No.",
        answer: "Yes, up to 1,000 a minute.",
    }];
    let lint = ["spec.md:6 [vague-word] `quickly` says no number".to_owned()];
    for (name, brief) in [
        ("draft", draft),
        ("draft, may ask first", Brief { may_ask: true, ..draft }),
        ("draft, of a mini-spec", Brief { mini: true, ..draft }),
        ("draft, in a project", Brief { project: Some(PROJECT), ..draft }),
        ("draft, after answers", Brief { answers: &answers, ..draft }),
        (
            "draft, resumed with answers",
            Brief { strategy: Strategy::Resume, answers: &answers, round: 1, ..draft },
        ),
        ("draft without a PRD", Brief { place: no_prd, ..draft }),
        ("revise, with lint warnings", Brief { lint: &lint, ..fresh }),
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
        visit(&Case { phase: Phase::Specify, name, brief });
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
    let lint = ["spec.md:6 [vague-word] `quickly` says no number".to_owned()];
    for (name, brief) in [
        ("review", first),
        ("review, with lint warnings", Brief { lint: &lint, ..first }),
        ("review, in a project", Brief { project: Some(PROJECT), ..first }),
        ("review, resumed with lint warnings", Brief { lint: &lint, ..resumed }),
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
        visit(&Case { phase: Phase::Specify, name, brief });
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
        visit(&Case { phase: Phase::Specify, name, brief: Brief { missing: &missing, ..first(profile) } });
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
        phase: Phase::Specify,
        name: "review after a failed domain review",
        brief: Brief { outcome: Some(failed), ..first },
    });
    visit(&Case { phase: Phase::Specify, name: "review without a domain review", brief: first });
}

pub(super) fn first(profile: &Profile) -> Brief<'_> {
    first_of(Phase::Specify, profile)
}

fn first_of(phase: Phase, profile: &Profile) -> Brief<'_> {
    let (path, text) = written(phase);
    Brief {
        profile,
        text: None,
        missing: &[],
        place: Place {
            folder: FOLDER,
            prd: Prd::File(PRD),
            absent: &[Absent { name: "research.md", why: "" }],
            artifact: path,
            idea: "Limit how many requests an API key may make in a minute.",
        },
        project: None,
        purpose: Purpose::Review,
        strategy: Strategy::Lazy,
        artifact: Some(text.as_bytes()),
        upstream: upstream(phase),
        delta: None,
        fix_summaries: &[],
        findings: &[],
        outcome: None,
        gate: None,
        lint: &[],
        may_ask: false,
        answers: &[],
        mini: false,
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
