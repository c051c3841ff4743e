//! Every kind of dispatch about the code of the made-up feature.

use super::super::brief::{Absent, Brief, Place, Prd, Upstream};
use super::super::build::{build, possible};
use super::super::code::{CheckResult, Code, TaskPapers};
use super::{Case, PROJECT, Sample, Show, change, feature, first_of, without_tools};
use crate::findings::Finding;
use crate::ids::Role;
use crate::phase::{Lane, Phase};
use crate::policy::Strategy;
use crate::prelude::*;
use crate::profile::{self, Kind, Override, Profile};
use crate::ticket::Purpose;

const PHASE: Phase = Phase::Implement;

/// The texts that the cases of a role are made of, kept for as long as they are looked at.
struct Texts {
    upstream: Vec<Upstream<'static>>,
    first: String,
    mended: String,
    delta: String,
    findings: Vec<Finding>,
}

pub(super) fn each(visit: &mut dyn FnMut(&Case<'_>)) {
    let mut show = |name: &str, brief: Brief<'_>| visit(&Case { phase: PHASE, name, brief });
    tasks(&mut show);
    fixes(&mut show);
    extras(&mut show);
    let panels = profile::panels(PHASE);
    for seat in panels.iter().flat_map(|panel| &panel.roles) {
        reviewer(of(seat.role.as_str(), Purpose::Review), &mut show);
        by_itself(of(seat.role.as_str(), Purpose::Review), &mut show);
    }
    alone(&mut show);
}

/// What a role of the phase is sent for this purpose with this strategy; see [`super::sample()`].
pub(super) fn sample(
    role: &Role,
    purpose: Option<Purpose>,
    strategy: Strategy,
    own: Option<&Override>,
) -> Option<Sample> {
    let later = matches!(strategy, Strategy::Resume | Strategy::Digest);
    let named = profile::of(PHASE, role)?;
    let purpose = purpose.unwrap_or(match (named.kind, named.role, later) {
        (Kind::Author, "code-simplifier", _) => Purpose::Simplify,
        (Kind::Author, "test-deepener", _) => Purpose::Outline,
        (Kind::Author, _, false) => Purpose::Implement,
        (Kind::Author, _, true) => Purpose::Revise,
        (Kind::Domain | Kind::Phase, ..) => Purpose::Review,
    });
    let profile = profile::of_dispatch(PHASE, role, purpose, &profile::panels(PHASE))?;
    let texts = Texts::of(profile);
    let of_role: Vec<&Finding> = texts.findings.iter().filter(|one| one.role == *role).collect();
    let all: Vec<&Finding> = texts.findings.iter().collect();
    let summary = [change::summary(&[role.as_str()])];
    let (why, tests) = (format!("no answer for {}", all.first()?.id), [change::TEST_FILES.to_owned()]);
    let first = Brief { purpose, strategy, text: own, ..texts.brief(profile) };
    let mended = texts.code(&texts.mended);
    let again = Brief {
        code: Some(mended),
        delta: later.then_some(texts.delta.as_str()),
        fix_summaries: &summary,
        round: 2,
        last_round: 1,
        ..first
    };
    let base = texts.code(&texts.first);
    let brief = match (named.role, purpose) {
        ("implementer", Purpose::Implement) if strategy == Strategy::Resume => Brief {
            gate: Some(change::FAILED),
            code: Some(Code { task: Some(&change::TASK), ..base }),
            ..first
        },
        ("implementer", Purpose::Implement) => Brief {
            code: Some(Code {
                task: Some(&change::TASK),
                wanted: Some(change::WANTED),
                constraints: Some(change::CONSTRAINTS),
                ..base
            }),
            ..first
        },
        ("implementer", Purpose::Revise) => Brief { findings: &all, round: 2, ..first },
        ("code-simplifier", Purpose::Simplify) | ("test-deepener", Purpose::Outline) => first,
        ("test-deepener", Purpose::Tests) => Brief {
            code: Some(Code {
                outline: Some(change::OUTLINE),
                tests: if later { &tests } else { &[] },
                ..base
            }),
            ..first
        },
        _ if named.kind == Kind::Author => return None,
        (_, Purpose::Review) if later => Brief { findings: &of_role, ..again },
        (_, Purpose::Review) => first,
        (_, Purpose::Validate) => Brief { round: 3, last_round: 2, ..again },
        (_, Purpose::Certify) => Brief { code: Some(mended), round: 3, ..first },
        (_, Purpose::Repair) => Brief { findings: &of_role, repair: Some(&why), ..again },
        _ => return None,
    };
    // What is always begun anew is not continued.
    let fresh = matches!(purpose, Purpose::Simplify | Purpose::Outline | Purpose::Tests);
    let brief = if fresh && later { Brief { strategy: Strategy::Lazy, ..brief } } else { brief };
    Some(Sample { prompt: build(&brief), purpose, strategy: possible(&brief) })
}

/// The same for a change that is reviewed by itself, without a feature's documents.
pub(super) fn sample_by_itself(
    role: &Role,
    purpose: Option<Purpose>,
    strategy: Strategy,
    own: Option<&Override>,
) -> Option<Sample> {
    let purpose = purpose.unwrap_or(Purpose::Review);
    let profile = profile::of(PHASE, role).filter(|profile| profile.kind != Kind::Author)?;
    let texts = Texts { upstream: Vec::new(), ..Texts::of(profile) };
    let findings: Vec<&Finding> = texts.findings.iter().filter(|one| one.role == *role).collect();
    let later = matches!(strategy, Strategy::Resume | Strategy::Digest);
    let why = format!("no answer for {}", findings.first()?.id);
    let first = Brief { purpose, strategy, text: own, ..texts.brief_by_itself(profile, later) };
    let again = Brief { round: 2, last_round: 1, delta: later.then_some(texts.delta.as_str()), ..first };
    let brief = match purpose {
        Purpose::Review if later => Brief { findings: &findings, ..again },
        Purpose::Review | Purpose::Certify => first,
        Purpose::Validate => again,
        Purpose::Repair => Brief { findings: &findings, repair: Some(&why), ..again },
        _ => return None,
    };
    Some(Sample { prompt: build(&brief), purpose, strategy: possible(&brief) })
}

fn of(role: &str, purpose: Purpose) -> &'static Profile {
    let panels = profile::panels(PHASE);
    let found = profile::of_dispatch(PHASE, &Role::new(role), purpose, &panels);
    found.expect("the role is in the phase's cast, as the tests of profiles show")
}

impl Texts {
    fn of(profile: &Profile) -> Texts {
        let names = PHASE.upstream().iter().filter(|name| profile.artifacts.contains(name));
        let upstream = names.map(|name| {
            let (path, text) = match *name {
                "prd.md" => (feature::PRD, feature::PRD_TEXT),
                "spec.md" => (feature::SPECIFICATION.path, feature::SPECIFICATION.mended),
                "design.md" => (feature::DESIGN.path, feature::DESIGN.mended),
                "plan.md" => (feature::PLAN.path, feature::PLAN.mended),
                _ => (feature::TASKS.path, feature::TASKS.mended),
            };
            Upstream { name, path, bytes: text.as_bytes(), shared: profile::shared(PHASE, name) }
        });
        Texts {
            upstream: upstream.collect(),
            first: change::first(),
            mended: change::mended(),
            delta: change::delta(),
            findings: change::findings(),
        }
    }

    fn code<'a>(&'a self, change: &'a str) -> Code<'a> {
        Code { change, checks: &change::CHECKS, results: &change::PASSED, ..Code::default() }
    }

    /// The first dispatch of a role.
    fn brief<'a>(&'a self, profile: &'a Profile) -> Brief<'a> {
        let first = first_of(PHASE, profile);
        Brief {
            place: Place { artifact: "", absent: &[], ..first.place },
            artifact: None,
            upstream: &self.upstream,
            code: Some(self.code(&self.first)),
            ..first
        }
    }

    /// A dispatch about the change by itself, as it is at first or `later`.
    fn brief_by_itself<'a>(&'a self, profile: &'a Profile, later: bool) -> Brief<'a> {
        let first = self.brief(profile);
        let compares = profile.compares();
        let code = Code {
            change: if later { &self.mended } else { &self.first },
            by_itself: true,
            intent: compares.then_some(if later { change::INTENT_OF_MORE } else { change::INTENT }),
            ..Code::default()
        };
        let place = Place { folder: "", prd: Prd::None, absent: &NO_DOCUMENTS, idea: "", ..first.place };
        Brief { place, upstream: &[], code: Some(code), ..first }
    }
}

/// What a change by itself is held to none of, and nothing is said of them.
const NO_DOCUMENTS: [Absent<'static>; 5] = [
    Absent { name: "prd.md", why: "" },
    Absent { name: "spec.md", why: "" },
    Absent { name: "design.md", why: "" },
    Absent { name: "plan.md", why: "" },
    Absent { name: "tasks.md", why: "" },
];

fn tasks(show: Show<'_>) {
    let profile = of("implementer", Purpose::Implement);
    let texts = Texts::of(profile);
    let code = Code {
        task: Some(&change::TASK),
        wanted: Some(change::WANTED),
        constraints: Some(change::CONSTRAINTS),
        ..texts.code("")
    };
    let task = Brief { purpose: Purpose::Implement, code: Some(code), ..texts.brief(profile) };
    let inline = Strategy::Inline;
    show("task", task);
    show("task, inline", Brief { strategy: inline, ..task });
    show("task, in a project", Brief { project: Some(PROJECT), ..task });
    let no_prd = Place { prd: Prd::None, ..task.place };
    show("task, without a PRD", Brief { place: no_prd, code: Some(Code { wanted: None, ..code }), ..task });
    let untraced = Some(Code { task: Some(&change::UNTRACED), ..code });
    show("task, untraced", Brief { code: untraced, ..task });
    show("task, untraced and inline", Brief { code: untraced, strategy: inline, ..task });
    show("task, where nothing can be run", Brief { missing: &["Run".to_owned()], ..task });
    let begun = TaskPapers { begun: true, ..change::TASK };
    let failed =
        Brief { gate: Some(change::FAILED), code: Some(Code { task: Some(&begun), ..code }), ..task };
    show("task, after a failed check", failed);
    show("task, resumed after a failed check", Brief { strategy: Strategy::Resume, ..failed });
}

fn fixes(show: Show<'_>) {
    let profile = of("implementer", Purpose::Revise);
    let texts = Texts::of(profile);
    let findings: Vec<&Finding> = texts.findings.iter().collect();
    let fix = Brief { purpose: Purpose::Revise, findings: &findings, ..texts.brief(profile) };
    let resumed = Brief { strategy: Strategy::Resume, round: 2, findings: &findings[..1], ..fix };
    show("fix", fix);
    show("fix, inline", Brief { strategy: Strategy::Inline, ..fix });
    show("fix, resumed", resumed);
    show("fix, resumed after changes by others", Brief { delta: Some(&texts.delta), ..resumed });
    let failed = Brief { findings: &[], gate: Some(change::FAILED), ..resumed };
    show("fix, resumed after a failed check", failed);
    let diverges = Some(Code { diverges: true, ..texts.code(&texts.first) });
    show("fix, tests disagree", Brief { findings: &[], gate: Some(change::FAILED), code: diverges, ..fix });
    show("fix, nothing changed", Brief { unchanged: true, ..resumed });
}

fn extras(show: Show<'_>) {
    let inline = Strategy::Inline;
    let simplifier = of("code-simplifier", Purpose::Simplify);
    let texts = Texts::of(simplifier);
    let simplify = Brief { purpose: Purpose::Simplify, ..texts.brief(simplifier) };
    show("simplify", simplify);
    show("simplify, inline", Brief { strategy: inline, ..simplify });
    let outliner = of("test-deepener", Purpose::Outline);
    let texts = Texts::of(outliner);
    let outline = Brief { purpose: Purpose::Outline, ..texts.brief(outliner) };
    show("outline", outline);
    show("outline, inline", Brief { strategy: inline, ..outline });
    let code = Code { outline: Some(change::OUTLINE), ..texts.code(&texts.first) };
    let deepener = of("test-deepener", Purpose::Tests);
    let tests = Brief { profile: deepener, purpose: Purpose::Tests, code: Some(code), ..outline };
    show("tests", tests);
    show("tests, inline", Brief { strategy: inline, ..tests });
    let written = [change::TEST_FILES.to_owned()];
    show("tests, once more", Brief { code: Some(Code { tests: &written, ..code }), ..tests });
}

fn reviewer(profile: &Profile, show: Show<'_>) {
    let texts = Texts::of(profile);
    let findings: Vec<&Finding> =
        texts.findings.iter().filter(|one| one.role.as_str() == profile.role).collect();
    let others: Vec<&str> = ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"]
        .into_iter()
        .filter(|role| *role != profile.role)
        .collect();
    let once = [change::summary(&[profile.role])];
    let twice = [change::summary(&others[..1]), change::summary(&others[1..])];
    let first = texts.brief(profile);
    let later = Brief {
        code: Some(texts.code(&texts.mended)),
        findings: &findings,
        round: 2,
        last_round: 1,
        ..first
    };
    let resumed =
        Brief { strategy: Strategy::Resume, delta: Some(&texts.delta), fix_summaries: &once, ..later };
    let validate = Brief { purpose: Purpose::Validate, findings: &[], round: 3, ..later };
    let validate_resumed =
        Brief { strategy: Strategy::Resume, delta: Some(&texts.delta), fix_summaries: &twice, ..validate };
    show("review", first);
    show("review, inline", Brief { strategy: Strategy::Inline, ..first });
    show("review, fresh in a later round", later);
    show("review, inline in a later round", Brief { strategy: Strategy::Inline, ..later });
    show("review, conversation lost", Brief { unavailable: true, ..later });
    show("review, resumed", resumed);
    show("review, digest", Brief { strategy: Strategy::Digest, ..resumed });
    show("validate, resumed", validate_resumed);
    show("validate, fresh", validate);
    show("validate, conversation lost", Brief { unavailable: true, ..validate });
    show("validate, digest", Brief { strategy: Strategy::Digest, ..validate_resumed });
    show("certify", Brief { purpose: Purpose::Certify, ..later });
    let why = "the answer is not a JSON object";
    show("repair", Brief { purpose: Purpose::Repair, repair: Some(why), ..resumed });
    if profile.letter == 'I' {
        let failed = [CheckResult { passed: false, ..change::PASSED[0] }];
        let left_out = [change::LEFT_OUT];
        let done_before = [change::DONE_BEFORE];
        let code = Code {
            results: &failed,
            left_out: &left_out,
            done_before: &done_before,
            ..texts.code(&texts.first)
        };
        show("review, after decisions of a person", Brief { code: Some(code), ..first });
        let settled = [super::settled()];
        show("review, with settled matters", Brief { settled: &settled, ..first });
        show(
            "review, digest with settled matters",
            Brief { settled: &settled, strategy: Strategy::Digest, ..resumed },
        );
        without_tools(first, show);
    }
}

/// A change that is reviewed by itself, again after it went on.
fn by_itself(profile: &Profile, show: Show<'_>) {
    let texts = Texts { upstream: Vec::new(), ..Texts::of(profile) };
    let findings: Vec<&Finding> =
        texts.findings.iter().filter(|one| one.role.as_str() == profile.role).collect();
    let first = texts.brief_by_itself(profile, false);
    let later = Brief {
        delta: Some(&texts.delta),
        round: 2,
        last_round: 1,
        strategy: Strategy::Resume,
        ..texts.brief_by_itself(profile, true)
    };
    show("a change by itself", first);
    show("a change by itself, inline", Brief { strategy: Strategy::Inline, ..first });
    show("a change by itself, resumed", Brief { findings: &findings, ..later });
    show("a change by itself, resumed after an approval", Brief { purpose: Purpose::Validate, ..later });
}

/// The one reviewer of lane express, where only a mini-spec was written.
fn alone(show: Show<'_>) {
    let panels = profile::panels_in(PHASE, Lane::Express);
    let role = Role::new("implementation-reviewer");
    let Some(profile) = profile::of_dispatch(PHASE, &role, Purpose::Review, &panels) else { return };
    let texts = Texts::of(profile);
    let why = "phase skipped, lane express";
    let absent = ["design.md", "plan.md", "tasks.md"].map(|name| Absent { name, why });
    let first = texts.brief(profile);
    let first = Brief { place: Place { absent: &absent, ..first.place }, ..first };
    show("review, alone in lane express", first);
}
