//! What the reviewers look for, one file for each kind of defect.
//!
//! A check is a function from the papers to what it found; it never sees the prompt, the session or earlier
//! findings. Each compares two places and speaks only when it is sure: a finding that is wrong costs a round.
//! Start at [`domain`] and [`handoff`], the two lists of checks.

mod criteria;
mod failures;
mod goals;
pub(super) use goals::goals;
mod numbers;
mod questions;
mod references;
pub(super) mod spelling;

#[cfg(test)]
mod plants;
#[cfg(test)]
mod tests;

use super::spec::Spec;
use redraft_core::verdict::{Claim, Severity};
use std::ops::Range;

/// What a reviewer has before it: the document under review and what it builds on.
pub(super) struct Papers<'a> {
    pub(super) path: &'a str,
    pub(super) spec: Spec<'a>,
    pub(super) prd: Option<(&'a str, Spec<'a>)>,
}

impl<'a> Papers<'a> {
    pub(super) fn new(path: &'a str, spec: &'a str, prd: Option<(&'a str, &'a str)>) -> Self {
        let prd = prd.map(|(path, text)| (path, Spec::read(text)));
        Papers { path, spec: Spec::read(spec), prd }
    }
}

/// What one check found, and what it found to be in order.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) name: &'static str,
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
}

impl Defect {
    pub(super) fn marks(&self) -> Vec<String> {
        marks(&self.description)
    }
}

/// What the spec-reviewer checks.
pub(super) fn domain(papers: &Papers<'_>) -> Vec<Looked> {
    vec![
        criteria::look(papers),
        goals::look(papers),
        numbers::look(papers),
        failures::look(papers),
        spelling::look(papers),
    ]
}

/// What the phase-reviewer checks: whether the next phase can start from the document alone.
pub(super) fn handoff(papers: &Papers<'_>) -> Vec<Looked> {
    vec![questions::look(papers), references::look(papers)]
}

/// The parts of a description in backticks: what a finding is about, whatever else is reworded.
pub(super) fn marks(description: &str) -> Vec<String> {
    description.split('`').skip(1).step_by(2).map(str::to_owned).collect()
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
fn quote(raw: &str) -> String {
    raw.trim().chars().take(200).collect::<String>().trim_end().to_owned()
}
