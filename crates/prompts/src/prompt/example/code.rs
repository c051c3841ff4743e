//! Sample prompts about the code of the made-up feature.

use crate::prompt::brief::{Absent, Brief, FeaturePaths, Prd, Upstream, possible};
use crate::prompt::build::build;
use crate::prompt::code_brief::CodeBrief;
use crate::prompt::example::{Sample, change, feature, first_of};
use redraft_facts::choice::Strategy;
use redraft_facts::findings::Finding;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, Profile, ProfileKind, RoleText};

pub(in crate::prompt) const PHASE: Phase = Phase::Implement;

/// The texts that the cases of a role are made of, kept as long as they are used.
pub(in crate::prompt) struct Texts {
    pub(in crate::prompt) upstream: Vec<Upstream<'static>>,
    pub(in crate::prompt) findings: Vec<Finding>,
}

/// What a role of the phase is sent for this purpose with this strategy; see [`super::sample()`].
pub(super) fn sample(
    role: &Role,
    purpose: Option<Purpose>,
    strategy: Strategy,
    own: Option<&RoleText>,
) -> Option<Sample> {
    let later = matches!(strategy, Strategy::Resume | Strategy::Digest);
    let named = profile::find(PHASE, role)?;
    let purpose = purpose.unwrap_or(match (named.kind, named.role, later) {
        (ProfileKind::Author, "code-simplifier", _) => Purpose::Simplify,
        (ProfileKind::Author, "test-deepener", _) => Purpose::Outline,
        (ProfileKind::Author, _, false) => Purpose::Implement,
        (ProfileKind::Author, _, true) => Purpose::Revise,
        (ProfileKind::Domain | ProfileKind::Phase, ..) => Purpose::Review,
    });
    let profile = profile::of_dispatch(PHASE, role, purpose, &profile::panels(PHASE))?;
    let texts = Texts::for_profile(profile);
    let of_role: Vec<&Finding> = texts.findings.iter().filter(|one| one.role == *role).collect();
    let all: Vec<&Finding> = texts.findings.iter().collect();
    let summary = [change::summary(&[role.as_str()])];
    let (why, tests) = (format!("no answer for {}", all.first()?.id), [change::TEST_FILES.to_owned()]);
    let first = Brief { purpose, strategy, text: own, ..texts.brief(profile) };
    let mended = code(change::MENDED);
    let again = Brief {
        code: Some(mended),
        delta: later.then_some(change::FIXES),
        fix_summaries: &summary,
        round: 2,
        last_round: 1,
        ..first
    };
    let base = code(change::FIRST);
    let others: Vec<Upstream<'_>> =
        first.upstream.iter().filter(|file| file.name != "prd.md").copied().collect();
    let brief = match (named.role, purpose) {
        ("implementer", Purpose::Implement) if strategy == Strategy::Resume => Brief {
            gate: Some(change::FAILED),
            code: Some(CodeBrief { task: Some(&change::TASK), ..base }),
            ..first
        },
        ("implementer", Purpose::Implement) => Brief {
            code: Some(CodeBrief {
                task: Some(&change::TASK),
                wanted: Some(change::WANTED),
                constraints: Some(change::CONSTRAINTS),
                ..base
            }),
            place: FeaturePaths { prd: Prd::InPart(feature::PRD), ..first.place },
            upstream: &others,
            ..first
        },
        ("implementer", Purpose::Revise) => Brief { findings: &all, round: 2, ..first },
        ("code-simplifier", Purpose::Simplify) | ("test-deepener", Purpose::Outline) => first,
        ("test-deepener", Purpose::Tests) => Brief {
            code: Some(CodeBrief {
                outline: Some(change::OUTLINE),
                tests: if later { &tests } else { &[] },
                ..base
            }),
            ..first
        },
        _ if named.kind == ProfileKind::Author => return None,
        (_, Purpose::Review) if later => Brief { findings: &of_role, ..again },
        (_, Purpose::Review) => first,
        (_, Purpose::Validate) => Brief { round: 3, last_round: 2, ..again },
        (_, Purpose::Certify) => Brief { code: Some(mended), round: 3, ..first },
        (_, Purpose::Repair) => Brief { findings: &of_role, repair: Some(&why), ..again },
        _ => return None,
    };
    // Work that always begins in a new conversation is not continued.
    let fresh = matches!(purpose, Purpose::Simplify | Purpose::Outline);
    let brief = if fresh && later { Brief { strategy: Strategy::Lazy, ..brief } } else { brief };
    Some(Sample { prompt: build(&brief), purpose, strategy: possible(&brief) })
}

/// The same for a change that is reviewed by itself, without a feature's documents.
pub(super) fn sample_by_itself(
    role: &Role,
    purpose: Option<Purpose>,
    strategy: Strategy,
    own: Option<&RoleText>,
) -> Option<Sample> {
    let purpose = purpose.unwrap_or(Purpose::Review);
    let profile = profile::find(PHASE, role).filter(|profile| profile.kind != ProfileKind::Author)?;
    let texts = Texts { upstream: Vec::new(), ..Texts::for_profile(profile) };
    let findings: Vec<&Finding> = texts.findings.iter().filter(|one| one.role == *role).collect();
    let later = matches!(strategy, Strategy::Resume | Strategy::Digest);
    let why = format!("no answer for {}", findings.first()?.id);
    let first = Brief { purpose, strategy, text: own, ..texts.brief_by_itself(profile, later) };
    let again = Brief { round: 2, last_round: 1, delta: later.then_some(change::FIXES), ..first };
    let brief = match purpose {
        Purpose::Review if later => Brief { findings: &findings, ..again },
        Purpose::Review | Purpose::Certify => first,
        Purpose::Validate => again,
        Purpose::Repair => Brief { findings: &findings, repair: Some(&why), ..again },
        _ => return None,
    };
    Some(Sample { prompt: build(&brief), purpose, strategy: possible(&brief) })
}

/// A change, with the checks of the project passed.
pub(in crate::prompt) fn code(change: &str) -> CodeBrief<'_> {
    CodeBrief {
        change,
        checks: &change::CHECKS,
        results: &change::PASSED,
        may_recheck: true,
        ..CodeBrief::default()
    }
}

impl Texts {
    pub(in crate::prompt) fn for_profile(profile: &Profile) -> Texts {
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
        Texts { upstream: upstream.collect(), findings: change::findings() }
    }

    /// The first dispatch of a role.
    pub(in crate::prompt) fn brief<'a>(&'a self, profile: &'a Profile) -> Brief<'a> {
        let first = first_of(PHASE, profile);
        Brief {
            place: FeaturePaths { artifact: "", absent: &[], ..first.place },
            artifact: None,
            upstream: &self.upstream,
            code: Some(code(change::FIRST)),
            ..first
        }
    }

    /// A dispatch about the change by itself, as it is at first or `later`.
    pub(in crate::prompt) fn brief_by_itself<'a>(&'a self, profile: &'a Profile, later: bool) -> Brief<'a> {
        let first = self.brief(profile);
        let compares = profile.compares();
        let code = CodeBrief {
            change: if later { change::MENDED } else { change::FIRST },
            by_itself: true,
            intent: compares.then_some(if later { change::INTENT_OF_MORE } else { change::INTENT }),
            ..CodeBrief::default()
        };
        let place = FeaturePaths {
            folder: "",
            prd: Prd::None,
            absent: &NO_DOCUMENTS,
            idea: "",
            asked: "",
            ..first.place
        };
        Brief { place, upstream: &[], code: Some(code), ..first }
    }
}

/// The documents that a change by itself has none of; nothing is said about them.
const NO_DOCUMENTS: [Absent<'static>; 5] = [
    Absent { name: "prd.md", why: "" },
    Absent { name: "spec.md", why: "" },
    Absent { name: "design.md", why: "" },
    Absent { name: "plan.md", why: "" },
    Absent { name: "tasks.md", why: "" },
];
