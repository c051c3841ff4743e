//! One small, made-up feature, and what each role is sent in it: the program shows it to people, and estimates the size
//! of prompts from it.
//!
//! Start at `sample`. The texts are files in `data/example`; `feature` and `change` say what was found in them.

pub(super) mod change;
pub(super) mod code;
pub(super) mod feature;
pub(super) mod retro;
mod sample;

use crate::prompt::brief::{Absent, AnsweredQuestion, Brief, FeaturePaths, Prd, Upstream};
use feature::{FOLDER, document};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::Profile;

pub use sample::{sample, sample_by_itself};

/// A prompt, and what it is sent for and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub prompt: Prompt,
    pub purpose: Purpose,
    /// What was asked for, or the nearest one in which the dispatch makes sense.
    pub strategy: Strategy,
}

const IDEA: &str = "Limit how many requests an API key may make in a minute.";

pub(super) const ANSWER: AnsweredQuestion<'static> = AnsweredQuestion {
    question: "May a customer raise the limit of a key?",
    assumed: "No.",
    answer: "Yes, up to 1,000 a minute.",
};

/// The first dispatch of a role: a review, by paths.
pub(super) fn first_of(phase: Phase, profile: &Profile) -> Brief<'_> {
    let document = document(phase);
    let (prd, absent): (_, &[Absent<'_>]) = match phase {
        Phase::Document => (Prd::None, &[Absent { name: "prd.md", why: "" }]),
        _ => (Prd::File(feature::PRD), &[Absent { name: "research.md", why: "" }]),
    };
    let place =
        FeaturePaths { folder: FOLDER, prd, absent, artifact: document.path, idea: IDEA, asked: IDEA };
    Brief {
        artifact: Some(document.first.as_bytes()),
        upstream: upstream(phase),
        ..Brief::first_review(profile, place)
    }
}

/// What the roles of a phase are given.
fn upstream(phase: Phase) -> &'static [Upstream<'static>] {
    const fn given(name: &'static str, path: &'static str, text: &'static str) -> Upstream<'static> {
        Upstream { name, path, bytes: text.as_bytes(), shared: true }
    }
    static ALL: [Upstream<'static>; 4] = [
        given("prd.md", feature::PRD, feature::PRD_TEXT),
        given("spec.md", feature::SPECIFICATION.path, feature::SPECIFICATION.mended),
        given("design.md", feature::DESIGN.path, feature::DESIGN.mended),
        given("plan.md", feature::PLAN.path, feature::PLAN.mended),
    ];
    match phase {
        Phase::Specify => &ALL[..1],
        Phase::Design => &ALL[..2],
        Phase::CreatePlan => &ALL[..3],
        Phase::CreateTasks => &ALL,
        // For code, each role has its own files.
        Phase::Implement | Phase::Finish | Phase::Document => &[],
    }
}

pub(super) fn revision() -> Revision {
    Revision::new("4b825dc642cb6eb9a060e54bf8d69288fbee4904")
}
