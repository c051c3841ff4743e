//! What the reviewers look for, one file for each kind of defect.
//!
//! A check is a function from the papers to what it found; it never sees the prompt, the session or earlier
//! findings. Each compares two places and speaks only when it is sure: a finding that is wrong costs a round.
//! Start at [`DOMAIN`] and [`HANDOFF`], the two lists of checks for a specification; those for the documents of later
//! phases are in `later`.

mod alike;
mod criteria;
mod english;
mod failures;
mod goals;
mod numbers;
mod questions;
mod references;
mod shape;
pub(super) mod spelling;

pub(super) use goals::goals;

#[cfg(test)]
mod pairs;
#[cfg(test)]
mod plants;
#[cfg(test)]
mod tests;

use super::later::remedy::Remedy;
use super::later::{self, Above, Look};
use super::pace::{Pace, Stopped};
use super::spec::Spec;
use redraft_core::phase::Phase;
use redraft_core::verdict::{Claim, Severity};
use std::ops::Range;

/// How many findings of one kind a review lists. More would help nobody, and a verdict holds no more than 200. The
/// rest is one finding more, which stays open until there is none.
pub(super) const DEFECTS_MAX: usize = 30;

/// What a reviewer has before it: the document under review and what it builds on.
pub(super) struct Papers<'a> {
    pub(super) path: &'a str,
    pub(super) spec: Spec<'a>,
    pub(super) prd: Option<(&'a str, &'a Spec<'a>)>,
    /// Which phase writes the document under review.
    pub(super) phase: Phase,
    /// What earlier phases wrote.
    pub(super) above: &'a Above<'a>,
    pub(super) pace: &'a Pace<'a>,
}

/// What one check found, and what it found to be in order.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) defects: Vec<Defect>,
    /// Things that are as they should be, by the marks a finding about them would carry, and why.
    pub(super) settled: Vec<(Vec<String>, String)>,
    /// How much was compared.
    pub(super) note: String,
}

#[derive(Debug, Clone)]
pub(super) struct Defect {
    pub(super) wrong: Wrong,
    pub(super) severity: Severity,
    pub(super) category: &'static str,
    pub(super) claim: Claim,
    pub(super) file: String,
    /// Counted from 0.
    pub(super) line: usize,
    pub(super) section: String,
    pub(super) quote: String,
    /// Its parts in backticks name the defect in every later round, so it holds no line numbers.
    pub(super) description: String,
    pub(super) suggestion: String,
}

/// What is wrong, as the one who mends it needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The requirement with this index has no criterion.
    NoCriterion { requirement: usize },
    /// Nothing says what the system has to do.
    NoRequirements,
    /// The acceptance section with this heading holds nothing.
    EmptyAcceptance { line: usize },
    /// A goal nobody serves: its id, if it has one, and its words.
    NoRequirement { id: String, goal: String },
    /// Two numbers for one thing: the later place, and what it should say.
    TwoNumbers { line: usize, at: Range<usize>, right: String },
    /// A failure nobody handles, in its own words.
    NoHandling { failure: String },
    /// Two spellings: the first one, and the one to replace by it.
    TwoSpellings { right: String, wrong: String },
    /// A question nobody owns.
    NoOwner { line: usize },
    /// A reference to nothing.
    DeadReference { line: usize, at: Range<usize> },
    /// Something in a document of a later phase, with the change that would mend it.
    Remedy(Remedy),
}

impl Defect {
    pub(super) fn marks(&self) -> Vec<String> {
        marks(&self.description).map(str::to_owned).collect()
    }

    /// Whether these are the marks of its description.
    pub(super) fn is_named_by(&self, names: &[String]) -> bool {
        marks(&self.description).eq(names.iter().map(String::as_str))
    }
}

/// A way to look at the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Shape,
    Criteria,
    Goals,
    Numbers,
    Failures,
    Spelling,
    Questions,
    References,
    /// What is looked for in the documents of later phases.
    Later(Look),
}

impl Check {
    /// What is in order when it finds nothing.
    pub(super) fn name(self) -> &'static str {
        match self {
            Check::Shape => "there are requirements and a way to check them",
            Check::Criteria => "every requirement has an acceptance criterion",
            Check::Goals => "every goal of the PRD has a requirement",
            Check::Numbers => "no two sections give different numbers for one thing",
            Check::Failures => "every listed failure is handled",
            Check::Spelling => "every term has one spelling",
            Check::Questions => "every open question has an owner or a default",
            Check::References => "every reference leads somewhere",
            Check::Later(look) => look.name(),
        }
    }

    pub(super) fn look(self, papers: &Papers<'_>) -> Result<Looked, Stopped> {
        match self {
            Check::Shape => shape::look(papers),
            Check::Criteria => criteria::look(papers),
            Check::Goals => goals::look(papers),
            Check::Numbers => numbers::look(papers),
            Check::Failures => failures::look(papers),
            Check::Spelling => spelling::look(papers),
            Check::Questions => questions::look(papers),
            Check::References => references::look(papers),
            Check::Later(look) => look.look(papers),
        }
    }
}

/// Every check, in the order in which findings are dealt with.
pub(super) const ALL: [Check; 8] = [
    Check::Shape,
    Check::Criteria,
    Check::Goals,
    Check::Numbers,
    Check::Failures,
    Check::Spelling,
    Check::Questions,
    Check::References,
];

/// What the spec-reviewer checks.
pub(super) const DOMAIN: [Check; 6] =
    [Check::Shape, Check::Criteria, Check::Goals, Check::Numbers, Check::Failures, Check::Spelling];

/// What the phase-reviewer checks: whether the next phase can start from the document alone.
pub(super) const HANDOFF: [Check; 2] = [Check::Questions, Check::References];

/// What holds for any document, whatever it is for.
pub(super) const DOCUMENT: [Check; 4] =
    [Check::Numbers, Check::Spelling, Check::Questions, Check::References];

/// What the domain reviewer of a phase checks.
pub(super) fn domain(phase: Phase) -> &'static [Check] {
    match phase {
        Phase::Specify => &DOMAIN,
        Phase::Document => &DOCUMENT,
        // Code is looked at by rules of its own.
        Phase::Implement | Phase::Finish => &[],
        Phase::Design | Phase::CreatePlan | Phase::CreateTasks => later::domain(phase),
    }
}

/// What the phase reviewer checks when a phase ends.
pub(super) fn handoff(phase: Phase) -> &'static [Check] {
    if phase == Phase::Specify { &HANDOFF } else { &later::HANDOFF }
}

/// Both, in the order in which findings are dealt with.
pub(super) fn all(phase: Phase) -> Vec<Check> {
    match phase {
        Phase::Specify => ALL.to_vec(),
        Phase::Document => DOCUMENT.to_vec(),
        Phase::Implement | Phase::Finish => Vec::new(),
        Phase::Design | Phase::CreatePlan | Phase::CreateTasks => [domain(phase), handoff(phase)].concat(),
    }
}

/// The check of this name, whatever the phase.
pub(super) fn named(name: &str) -> Option<Check> {
    ALL.into_iter().chain(later::every()).find(|check| check.name() == name)
}

/// The parts of a description in backticks: what a finding is about, whatever else is reworded.
pub(super) fn marks(description: &str) -> impl Iterator<Item = &str> {
    description.split('`').skip(1).step_by(2)
}

/// A text as a mark: one short line without backticks.
pub(super) fn mark(text: &str) -> String {
    redraft_core::text::one_line(&text.replace(['`', '*'], ""), 120)
}

/// A section's name in a sentence.
fn section_name(title: &str) -> String {
    if title.is_empty() {
        "the text before the first heading".to_owned()
    } else {
        format!("section “{}”", mark(title))
    }
}

/// The words of a line as a quote: exact, trimmed and not endless.
pub(super) fn quote(raw: &str) -> String {
    raw.trim().chars().take(200).collect::<String>().trim_end().to_owned()
}
