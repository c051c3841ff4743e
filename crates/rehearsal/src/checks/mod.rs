//! The checks that reviewers of documents run.
//!
//! Three checks are this agent's own, for the story of a demonstration: `criteria`, `numbers` and `spelling`. The
//! others turn what lower crates find into findings: `lint` the faults of `documents` (`remedy` mends them), `trace`
//! what `reports` finds about what is carried on from one document to the next. A check sees documents only, neither
//! the prompt nor earlier findings, and prefers silence to a wrong finding. Start at [`domain`] and [`handoff`].

mod criteria;
mod lint;
mod numbers;
mod remedy;
mod spelling;
#[cfg(test)]
mod tests;
mod trace;

use crate::edit::Edit;
use crate::pace::{Pace, Stopped};
use crate::parsed_document::{ParsedDocument, marks, quote};
use redraft_facts::phase::Phase;
use redraft_facts::verdict::{Claim, Severity};

/// How many findings of one kind a review lists. More would help nobody, and a verdict holds no more than 200. The rest
/// is one more finding, which stays open until there is none.
pub(crate) const DEFECTS_MAX: usize = 30;

/// What a reviewer has before it: the document under review and what it builds on.
pub(crate) struct CheckedDocuments<'a> {
    pub(crate) path: &'a str,
    pub(crate) parsed: ParsedDocument<'a>,
    /// Which phase writes the document under review.
    pub(crate) phase: Phase,
    pub(crate) before: Before<'a>,
    pub(crate) pace: &'a Pace<'a>,
}

/// The documents of earlier phases that are there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before<'a> {
    pub(crate) prd: Option<&'a str>,
    pub(crate) spec: Option<&'a str>,
    pub(crate) design: Option<&'a str>,
    pub(crate) plan: Option<&'a str>,
}

/// What one check found, and what it found to be in order.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    pub(crate) defects: Vec<Defect>,
    /// Things that are as they should be, by what a finding about them would name, and why.
    pub(crate) settled: Vec<(String, String)>,
    /// How much was compared.
    pub(crate) note: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Defect {
    pub(crate) severity: Severity,
    pub(crate) category: &'static str,
    pub(crate) claim: Claim,
    pub(crate) file: String,
    /// Counted from 0.
    pub(crate) line: usize,
    pub(crate) section: String,
    pub(crate) quote: String,
    /// Its parts in backticks name the defect in every later round, so they hold no line numbers.
    pub(crate) description: String,
    pub(crate) suggestion: String,
    /// The change that would mend it, where that takes no guessing.
    pub(crate) remedy: Option<Remedy>,
}

#[derive(Debug, Clone)]
pub(crate) struct Remedy {
    /// What was done, for the answer.
    pub(crate) note: String,
    pub(crate) edits: Vec<Edit>,
}

impl Remedy {
    fn new(note: String, edits: Vec<Edit>) -> Option<Remedy> {
        Some(Remedy { note, edits })
    }
}

/// What a check reports about a place; the rest of a [`Defect`] follows from it.
struct Found {
    severity: Severity,
    category: &'static str,
    claim: Claim,
    /// Counted from 0.
    line: usize,
    description: String,
    suggestion: String,
}

impl CheckedDocuments<'_> {
    fn defect(&self, found: Found, remedy: Option<Remedy>) -> Defect {
        let Found { severity, category, claim, line, description, suggestion } = found;
        Defect {
            severity,
            category,
            claim,
            file: self.path.to_owned(),
            line,
            section: self.parsed.section(line).to_owned(),
            quote: quote(self.parsed.line(line)),
            description,
            suggestion,
            remedy,
        }
    }
}

impl Defect {
    /// Whether these are the marks of its description.
    pub(crate) fn is_named_by(&self, names: &[String]) -> bool {
        marks(&self.description).eq(names.iter().map(String::as_str))
    }

    pub(crate) fn is_same(&self, other: &Defect) -> bool {
        self.category == other.category && marks(&self.description).eq(marks(&other.description))
    }
}

/// A kind of check over the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    Criteria,
    Numbers,
    Spelling,
    Trace,
    Tasks,
    Lint,
}

impl Check {
    const ALL: [Check; 6] =
        [Check::Criteria, Check::Trace, Check::Tasks, Check::Numbers, Check::Spelling, Check::Lint];

    /// What is in order when it finds nothing.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Check::Criteria => "every requirement has an acceptance criterion",
            Check::Numbers => "no two places give different numbers for one thing",
            Check::Spelling => "every term has one spelling",
            Check::Trace => "everything that is asked for is carried on",
            Check::Tasks => "lint finds nothing about steps and tasks",
            Check::Lint => "lint finds nothing",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Check> {
        Check::ALL.into_iter().find(|check| check.name() == name)
    }

    /// The check that finds defects with such a description: if it no longer finds one, that defect is fixed.
    pub(crate) fn behind(phase: Phase, description: &str) -> Option<Check> {
        const OWN: [(&str, Check); 3] = [
            ("no acceptance criterion mentions requirement `", Check::Criteria),
            ("two numbers for one thing: ", Check::Numbers),
            ("one term in two spellings: `", Check::Spelling),
        ];
        let own = OWN.iter().find(|(lead, _)| description.starts_with(lead)).map(|(_, check)| *check);
        own.or_else(|| trace::is_ours(description).then_some(Check::Trace))
            .or_else(|| lint::check_behind(phase, description))
    }

    pub(crate) fn look(self, checked: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
        checked.pace.look()?;
        match self {
            Check::Criteria => criteria::look(checked),
            Check::Numbers => numbers::look(checked),
            Check::Spelling => spelling::look(checked),
            Check::Trace => trace::look(checked),
            Check::Tasks => lint::tasks(checked),
            Check::Lint => lint::look(checked),
        }
    }
}

/// What the domain reviewer of a phase checks.
pub(crate) fn domain(phase: Phase) -> &'static [Check] {
    match phase {
        Phase::Specify => &[Check::Criteria, Check::Numbers, Check::Spelling],
        Phase::Document => &[Check::Numbers, Check::Spelling, Check::Lint],
        Phase::Design => &[Check::Trace, Check::Numbers],
        Phase::CreatePlan | Phase::CreateTasks => &[Check::Trace, Check::Tasks, Check::Numbers],
        // Code has its own rules.
        Phase::Implement | Phase::Finish => &[],
    }
}

/// What the phase reviewer checks when a phase ends: whether the next one can start from the document.
pub(crate) fn handoff() -> &'static [Check] {
    &[Check::Lint]
}

/// All of them, in the order in which findings are dealt with.
pub(crate) fn all(phase: Phase) -> Vec<Check> {
    let own = |check: &Check| domain(phase).contains(check) || handoff().contains(check);
    Check::ALL.into_iter().filter(own).collect()
}

/// The faults that a failed gate reports and a program can mend.
pub(crate) fn errors_of_the_gate(checked: &CheckedDocuments<'_>) -> Result<Vec<Defect>, Stopped> {
    lint::errors(checked)
}
