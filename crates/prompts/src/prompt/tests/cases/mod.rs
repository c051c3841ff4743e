//! Every kind of dispatch in the made-up feature, for the tests and the pages about prompts.
//!
//! A new kind of dispatch that is added here is compared and documented at once. What `show prompt --example` needs is in
//! `example`; the rest of the made-up feature is here.

mod code;
pub(super) mod retro;

use crate::prompt::brief::{Absent, Brief, Disputed, DomainOutcome, DomainResult, FeaturePaths, Prd};
use crate::prompt::build::build;
use crate::prompt::example::change;
use crate::prompt::example::feature::document;
use crate::prompt::example::{ANSWER, first_of, revision};
use redraft_documents::conventions::Conventions;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::{Finding, Ruling, SettledFinding, Threshold};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_facts::verdict::Severity;
use redraft_roles::profile::{self, Profile, ProfileKind};

pub(super) use crate::prompt::example::feature::{ARTIFACT, SPECIFICATION};

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
    for phase in Phase::DOCUMENTS {
        for profile in profile::participants(phase).iter().copied() {
            let mut show = |name: &str, brief: Brief<'_>| visit(&Case { phase, name, brief });
            match (profile.kind, phase) {
                (ProfileKind::Author, Phase::Specify) => author(profile, &mut show),
                (ProfileKind::Author, _) => later_author(phase, profile, &mut show),
                (ProfileKind::Domain | ProfileKind::Phase, _) => reviewer(phase, profile, &mut show),
            }
        }
    }
    code::each(visit);
    by_itself(visit);
}

type Show<'s> = &'s mut dyn FnMut(&str, Brief<'_>);

fn author(profile: &Profile, show: Show<'_>) {
    let phase = Phase::Specify;
    let finding = document(phase).finding(phase, profile);
    let findings = [&finding];
    let diff = document(phase).diff;
    let draft = Brief { purpose: Purpose::Draft, artifact: None, ..first(profile) };
    let fresh = Brief { purpose: Purpose::Revise, findings: &findings, ..first(profile) };
    let resumed = Brief { strategy: Strategy::Resume, round: 2, ..fresh };
    let no_prd = FeaturePaths { prd: Prd::None, ..draft.place };
    let answers = [ANSWER];
    let lint = [LINT.to_owned()];
    show("draft", draft);
    show("draft, may ask first", Brief { may_ask: true, ..draft });
    show("draft, of a mini-spec", Brief { mini: true, ..draft });
    show("draft, in a project", Brief { project: Some(PROJECT), ..draft });
    let conventions = &conventions();
    show("draft, with conventions", Brief { conventions, ..draft });
    show("draft, after answers", Brief { answers: &answers, ..draft });
    let strategy = Strategy::Resume;
    show("draft, resumed with answers", Brief { strategy, answers: &answers, ..draft });
    show("draft without a PRD", Brief { place: no_prd, ..draft });
    show("revise, with lint warnings", Brief { lint: &lint, ..fresh });
    show("revise, fresh", fresh);
    show("revise, fresh without a PRD", Brief { place: no_prd, ..fresh });
    let others = Some(diff);
    show("revise, fresh, all at once", Brief { gate: Some(GATE), delta: others, unchanged: true, ..fresh });
    show("revise, resumed", resumed);
    show("revise, resumed, failed gate", Brief { gate: Some(GATE), findings: &[], ..resumed });
    show("revise, resumed, nothing changed", Brief { unchanged: true, ..resumed });
    show("revise, resumed, changed by others", Brief { delta: others, ..resumed });
    show("draft, inline", Brief { strategy: Strategy::Inline, ..draft });
    show("revise, inline", Brief { strategy: Strategy::Inline, ..fresh });
    let kept = [Disputed { answer: Some("R4 is about reading, not about deleting"), ..declined(&finding) }];
    show("revise, fresh after a decline", Brief { disputed: &kept, ..fresh });
    let upheld = [Disputed { upheld: Some(("ann", "nobody may delete what they did not write")), ..kept[0] }];
    show("revise, resumed after a person upheld it", Brief { disputed: &upheld, ..resumed });
    show("revise, fresh, nothing answered", Brief { unchanged: true, said: "nothing to change", ..fresh });
}

/// A finding that its author declined.
pub(super) fn declined(finding: &Finding) -> Disputed<'_> {
    Disputed { finding, reply: "R4 says who may delete a key", answer: None, upheld: None }
}

fn later_author(phase: Phase, profile: &Profile, show: Show<'_>) {
    let finding = document(phase).finding(phase, profile);
    let findings = [&finding];
    let may_ask = phase.may_ask();
    let draft = Brief { purpose: Purpose::Draft, artifact: None, may_ask, ..first_of(phase, profile) };
    let fresh = Brief { purpose: Purpose::Revise, findings: &findings, ..first_of(phase, profile) };
    show("draft", draft);
    show("draft, inline", Brief { strategy: Strategy::Inline, ..draft });
    if phase == Phase::CreatePlan {
        show("draft without a design", Brief { place: without_a_design(draft.place), ..draft });
        show("draft, with checks", Brief { checks: &change::CHECKS, ..draft });
    }
    show("revise, fresh", fresh);
    show("revise, resumed", Brief { strategy: Strategy::Resume, round: 2, ..fresh });
}

fn reviewer(phase: Phase, profile: &Profile, show: Show<'_>) {
    let [_, domain, handoff] = profile::participants(phase) else { return };
    let (domain_role, revision) = (Role::new(domain.role), revision());
    let result = DomainResult::Approved { round: 2, max: 5, revision: &revision };
    let approved = DomainOutcome { reviewer: &domain_role, result, unresolved: &[] };
    let hands_off = profile.kind == ProfileKind::Phase;
    let document = document(phase);
    let finding = document.finding(phase, profile);
    let findings = [&finding];
    let diff = document.diff;
    let once = [document.summary(phase, profile)];
    let twice = [document.summary(phase, domain), document.summary(phase, handoff)];
    let first = Brief { outcome: hands_off.then_some(approved), ..first_of(phase, profile) };
    let mended = Some(document.mended.as_bytes());
    let anew = Brief { artifact: mended, findings: &findings, round: 2, last_round: 1, ..first };
    let later = Brief { delta: Some(diff), fix_summaries: &once, ..anew };
    let resumed = Brief { strategy: Strategy::Resume, ..later };
    let validate = Brief {
        purpose: Purpose::Validate,
        findings: &[],
        round: 3,
        last_round: 2,
        fix_summaries: &twice,
        ..later
    };
    let validate_resumed = Brief { strategy: Strategy::Resume, ..validate };
    show("review", first);
    show("review, inline", Brief { strategy: Strategy::Inline, ..first });
    show("review, fresh in a later round", later);
    show("review, conversation lost", Brief { unavailable: true, ..later });
    show("review, what changed is not known", anew);
    show("review, resumed", resumed);
    show("review, digest", Brief { strategy: Strategy::Digest, ..resumed });
    show("validate, resumed", validate_resumed);
    show("validate, fresh", validate);
    show("validate, digest", Brief { strategy: Strategy::Digest, ..validate_resumed });
    show("certify", Brief { purpose: Purpose::Certify, findings: &findings, artifact: mended, ..first });
    let why = format!("no answer for {}", finding.id);
    show("repair", Brief { purpose: Purpose::Repair, repair: Some(&why), ..resumed });
    if phase == Phase::Specify {
        only_once(first, resumed, show);
        let replies = [declined(&finding)];
        let heard = Brief { artifact: first.artifact, disputed: &replies, hearing: true, ..anew };
        let fresh = Brief { delta: Some(""), ..heard };
        show("review, fresh after a decline", fresh);
        show("review, inline after a decline", Brief { strategy: Strategy::Inline, ..fresh });
        show("review, resumed after a decline", Brief { strategy: Strategy::Resume, ..heard });
        let same = Brief { delta: Some(""), fix_summaries: &once, artifact: first.artifact, ..anew };
        show("review, fresh and nothing changed", same);
        show("review, resumed and nothing changed", Brief { strategy: Strategy::Resume, ..same });
        show("review, fresh after changes and a decline", Brief { disputed: &replies, ..later });
        show("review, resumed after changes and a decline", Brief { disputed: &replies, ..resumed });
        show("review, inline in a later round", Brief { strategy: Strategy::Inline, ..later });
        show("validate, resumed with open findings", Brief { findings: &findings, ..validate_resumed });
        let lost = Brief { findings: &findings, unavailable: true, ..validate };
        show("validate, fresh with open findings", lost);
    }
    if phase == Phase::Design && !hands_off {
        show("review, with conventions", Brief { conventions: &conventions(), ..first });
    }
    if phase == Phase::CreatePlan {
        let place = without_a_design(first.place);
        show("review, digest without a design", Brief { place, strategy: Strategy::Digest, ..resumed });
    }
    if hands_off {
        let result = DomainResult::Failed { round: 5, max: 5, revision: &revision };
        let open = document.finding(phase, domain);
        let failed = DomainOutcome { result, unresolved: &[&open], ..approved };
        show("review after a failed domain review", Brief { outcome: Some(failed), ..first });
        show("review without a domain review", Brief { outcome: None, ..first });
    }
}

/// What is the same in every phase and shown in the first one.
fn only_once(first: Brief<'_>, resumed: Brief<'_>, show: Show<'_>) {
    let lint = [LINT.to_owned()];
    let no_prd = FeaturePaths { prd: Prd::None, ..first.place };
    let inline = Strategy::Inline;
    show("review, with lint warnings", Brief { lint: &lint, ..first });
    show("review, resumed with lint warnings", Brief { lint: &lint, ..resumed });
    let settled = [settled()];
    show("review, with settled matters", Brief { settled: &settled, ..first });
    show("review, resumed with settled matters", Brief { settled: &settled, ..resumed });
    let void = Some("no answer for S1");
    show("review, after an answer that could not be used", Brief { void, ..first });
    show("review, in a project", Brief { project: Some(PROJECT), ..first });
    show("review, where only blockers count", Brief { rule: Threshold::Blockers, ..first });
    show("review without a PRD", Brief { place: no_prd, ..first });
    show("review, inline without a PRD", Brief { upstream: &[], place: no_prd, strategy: inline, ..first });
    if first.profile.tools.contains(&"WebSearch") {
        without_tools(first, show);
    }
}

/// Cases of a reviewer whose agent lacks some or all of the tools that look outside of the repository.
fn without_tools(first: Brief<'_>, show: Show<'_>) {
    let outside = |server_only: bool| {
        let looks = |tool: &&&str| tool.starts_with("mcp__") || (!server_only && **tool == "WebSearch");
        first.profile.tools.iter().filter(looks).map(|tool| (*tool).to_owned()).collect::<Vec<String>>()
    };
    show("review, no tool looks outside", Brief { missing: &outside(false), ..first });
    show("review, a server of tools is missing", Brief { missing: &outside(true), ..first });
}

/// A document that belongs to no phase.
fn by_itself(visit: &mut dyn FnMut(&Case<'_>)) {
    let phase = Phase::Document;
    let document = document(phase);
    for profile in profile::participants(phase) {
        let mut show = |name: &str, brief: Brief<'_>| visit(&Case { phase, name, brief });
        let finding = document.finding(phase, profile);
        let (findings, diff, summary) = ([&finding], document.diff, [document.summary(phase, profile)]);
        let first = first_of(phase, profile);
        let resume = Strategy::Resume;
        if profile.kind == ProfileKind::Author {
            let revise = Brief { purpose: Purpose::Revise, findings: &findings, ..first };
            show("revise, fresh", revise);
            show("revise, inline", Brief { strategy: Strategy::Inline, ..revise });
            show("revise, resumed", Brief { strategy: resume, round: 2, ..revise });
            continue;
        }
        let later = Brief {
            artifact: Some(document.mended.as_bytes()),
            findings: &findings,
            round: 2,
            last_round: 1,
            delta: Some(diff),
            fix_summaries: &summary,
            ..first
        };
        show("review", first);
        show("review, inline", Brief { strategy: Strategy::Inline, ..first });
        show("review, digest", Brief { strategy: Strategy::Digest, ..later });
        show("review, resumed", Brief { strategy: resume, ..later });
    }
}

const LINT: &str = "spec.md:6 [vague-word] `quickly` says no number";

pub(super) fn first(profile: &Profile) -> Brief<'_> {
    first_of(Phase::Specify, profile)
}

/// Something a person has accepted in the specification.
/// One file that agents have as well, and one that is longer than there is room for.
pub(super) fn conventions() -> Conventions {
    let rules = "# For agents\n\n- Time comes from `Clock`, never from the system.\n".to_owned();
    let long = "- Every error has a code in `errors.md`.\n".repeat(200);
    let found = [("AGENTS.md".to_owned(), rules), ("CONTRIBUTING.md".to_owned(), long)];
    let mut kept = Conventions::new(&found, |path, _| path == "AGENTS.md");
    // The page would be long, too.
    kept.files[1].text = kept.files[1].text.lines().take(2).map(|line| format!("{line}\n")).collect();
    kept
}

fn settled() -> SettledFinding {
    let phase = Phase::Specify;
    let raised = document(phase).finding(phase, profile::participants(phase)[1]);
    let finding = Finding {
        severity: Severity::Warning,
        line: 5,
        quote: "When a key has made 100 requests in one minute".to_owned(),
        description: "R1 counts by key, so whoever has many keys is not limited".to_owned(),
        ..raised
    };
    let (by, why) = ("ann".to_owned(), "nobody has more than three keys".to_owned());
    SettledFinding { finding, ruling: Ruling { phase, pass: 1, number: 1, by, why, overruled: false } }
}

/// The same feature, with the design left out.
fn without_a_design(place: FeaturePaths<'_>) -> FeaturePaths<'_> {
    FeaturePaths { absent: &[Absent { name: "design.md", why: "phase skipped, lane express" }], ..place }
}

/// A finding on the specification, for tests that need one.
pub(super) fn finding(letter: char, description: &str) -> Finding {
    let phase = Phase::Specify;
    let of = document(phase).finding(phase, profile::participants(phase)[1]);
    let id = redraft_facts::ids::FindingId::new(format!("{letter}1"));
    Finding { id, description: description.to_owned(), ..of }
}

/// What is sent in a case.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) phase: Phase,
    pub(super) role: &'static str,
    pub(super) name: String,
    pub(super) prompt: Prompt,
}

impl Sent {
    /// `spec-reviewer: review, resumed`. The phase reviewer has one name in all phases; the others say by theirs which
    /// one it is.
    pub(super) fn label(&self) -> String {
        let shared =
            Phase::DOCUMENTS.iter().filter(|phase| profile::find(**phase, &Role::new(self.role)).is_some());
        let phase = if shared.count() > 1 { format!("{} ", self.phase) } else { String::new() };
        format!("{phase}{}: {}", self.role, self.name)
    }
}

/// What is sent in every case, retrospectives included, in reading order.
pub(super) fn sent() -> Vec<Sent> {
    let mut all = Vec::new();
    each(&mut |Case { phase, name, brief }| {
        let role = brief.profile.role;
        all.push(Sent { phase: *phase, role, name: (*name).to_owned(), prompt: build(brief) });
    });
    retro::each(&mut |name, brief| {
        let role = brief.profile.role;
        let prompt = crate::prompt::retro::retro(brief);
        all.push(Sent { phase: Phase::Finish, role, name: name.to_owned(), prompt });
    });
    all
}
