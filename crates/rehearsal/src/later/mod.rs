//! The phases behind specify: designs, plans and task lists, read, judged and written by rule.
//!
//! `outline` reads a document's elements, steps or tasks, `refs` what it refers to; `design`, `plan` and `tasks` look for
//! defects, `order` and `values` for those that more than one of them has; `drafts` writes first versions. It judges
//! only what a document itself claims by its ids: where somebody maps nothing, nothing is missing. Start at [`Look`].

mod design;
pub(super) mod drafts;
mod fields;
mod handoff;
pub(super) mod jobs;
mod needs;
mod order;
mod outline;
mod plan;
mod refs;
pub(super) mod remedy;
mod signatures;
mod tasks;
mod values;

use super::ask::Open;
use super::checks::{Check, Looked, Papers};
use super::pace::Stopped;
use super::spec::Spec;
use redraft_core::phase::Phase;
use redraft_core::verdict::Severity;

/// The documents of earlier phases that a later one builds on; those that are there.
#[derive(Debug, Default)]
pub(super) struct Above<'a> {
    pub(super) spec: Option<Spec<'a>>,
    pub(super) design: Option<Spec<'a>>,
    pub(super) plan: Option<Spec<'a>>,
}

/// A way to look at a design, a plan or a task list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Every requirement is carried by the design.
    Carried,
    /// Every component serves a requirement.
    Serving,
    /// An interface says the same wherever it is stated.
    Signatures,
    /// Every part of the design and every requirement has a step.
    Covered,
    /// What is depended on exists, stands before, and leads into no circle.
    Order,
    /// What a step or task uses is among what it depends on.
    Needs,
    /// Every step has a check.
    Checked,
    /// Every step of the plan has a task.
    Tasked,
    /// Every task belongs to a step that exists.
    Traced,
    /// Every task says when it is done, in words that decide something.
    Done,
    /// Numbers are those of the requirement they carry out.
    Values,
    /// References to other documents and own ids lead somewhere.
    References,
    /// What the document before asks for was not dropped on the way.
    Parent,
}

use Look::{
    Carried, Checked, Covered, Done, Needs, Order, Parent, References, Serving, Signatures, Tasked, Traced,
    Values,
};

/// What the domain reviewer of a later phase checks.
pub(super) fn domain(phase: Phase) -> &'static [Check] {
    const DESIGN: [Check; 4] =
        [Check::Later(Carried), Check::Later(Serving), Check::Later(Signatures), Check::Later(Values)];
    const PLAN: [Check; 5] = [
        Check::Later(Covered),
        Check::Later(Order),
        Check::Later(Needs),
        Check::Later(Checked),
        Check::Later(Values),
    ];
    const TASKS: [Check; 6] = [
        Check::Later(Tasked),
        Check::Later(Traced),
        Check::Later(Order),
        Check::Later(Needs),
        Check::Later(Done),
        Check::Later(Values),
    ];
    match phase {
        Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => &[],
        Phase::Design => &DESIGN,
        Phase::CreatePlan => &PLAN,
        Phase::CreateTasks => &TASKS,
    }
}

/// What the phase reviewer of a later phase checks.
pub(super) const HANDOFF: [Check; 3] = [Check::Questions, Check::Later(References), Check::Later(Parent)];

/// What is mended when a gate failed: what a mechanical check can see.
pub(super) const GATE: [Check; 2] = [Check::Later(Order), Check::Later(References)];

impl Look {
    const ALL: [Look; 13] = [
        // What was dropped is said in the words of the others, so it is asked for first.
        Parent, Carried, Serving, Signatures, Covered, Order, Needs, Checked, Tasked, Traced, Done, Values,
        References,
    ];

    /// What is in order when it finds nothing.
    pub(super) fn name(self) -> &'static str {
        match self {
            Carried => "every requirement is carried by an element",
            Serving => "every component serves a requirement",
            Signatures => "every interface is stated in one way",
            Covered => "every requirement and element has a step",
            Order => "every dependency exists and stands before what needs it",
            Needs => "what is used is depended on",
            Checked => "every step has a check",
            Tasked => "every step of the plan has a task",
            Traced => "every task belongs to a step of the plan",
            Done => "every task has a done criterion that decides something",
            Values => "every number is that of its requirement",
            References => "every reference to another document leads somewhere",
            Parent => "nothing the parent asks for was dropped",
        }
    }

    /// The words by which a finding of this kind is known in a later round.
    fn phrases(self) -> &'static [&'static str] {
        match self {
            Carried => &["no element of the design carries requirement `"],
            Serving => &["serves no requirement"],
            Signatures => &["is stated in two ways: `"],
            Covered => &["no step of the plan carries out `"],
            Order => {
                &[", which does not exist", ", which stands after it", " depend on each other in a circle: `"]
            }
            Needs => &[" without depending on it", " and neither depends on the other"],
            Checked => &[" has no check that fails without it"],
            Tasked => &["no task does step `"],
            Traced => &["which the plan does not have"],
            Done => &["has no done criterion", "decides nothing"],
            Values => &["which its requirement does not say"],
            References => &[" refers to `"],
            Parent => &[DROPPED],
        }
    }

    pub(super) fn look(self, papers: &Papers<'_>) -> Result<Looked, Stopped> {
        match self {
            Carried => design::carried(papers),
            Serving => design::serving(papers),
            Signatures => signatures::look(papers),
            Covered => plan::covered(papers),
            Order => order::order(papers),
            Needs => needs::look(papers),
            Checked => plan::checked(papers),
            Tasked => tasks::tasked(papers),
            Traced => tasks::traced(papers),
            Done => tasks::done(papers),
            Values => values::look(papers),
            References => handoff::references(papers),
            Parent => handoff::parent(papers),
        }
    }
}

/// How the description of something that was dropped begins.
const DROPPED: &str = "dropped on the way: ";

/// The look that decides about a finding, if it is of a kind that one of them finds.
pub(super) fn look_for(open: &Open) -> Option<Check> {
    let fits = |look: &Look| look.phrases().iter().any(|phrase| open.description.contains(phrase));
    let categories = ["completeness", "consistency", "complexity", "feasibility", "dependency", "tdd-order"];
    let more = ["assumption", "plan-fidelity", "dependencies", "testability", "traceability"];
    let ours = categories.contains(&open.category.as_str()) || more.contains(&open.category.as_str());
    Look::ALL.into_iter().find(|look| ours && fits(look)).map(Check::Later)
}

/// Every check of this module.
pub(super) fn every() -> impl Iterator<Item = Check> {
    Look::ALL.into_iter().map(Check::Later)
}

/// Which category a phase's domain reviewer has for what concerns all of its documents.
#[derive(Debug, Clone, Copy)]
enum About {
    /// Dependencies between steps or tasks.
    Order,
    /// A number that differs from its source.
    Value,
}

fn category(phase: Phase, about: About) -> &'static str {
    match (phase, about) {
        (Phase::CreatePlan, About::Order) => "dependency",
        (Phase::CreatePlan, About::Value) => "assumption",
        (Phase::CreateTasks, About::Order) => "dependencies",
        (Phase::CreateTasks, About::Value) => "plan-fidelity",
        (Phase::Specify | Phase::Design | Phase::Implement | Phase::Finish | Phase::Document, _) => {
            "consistency"
        }
    }
}

/// What is known of a defect before its place is.
struct Found {
    severity: Severity,
    category: &'static str,
    line: usize,
    description: String,
    suggestion: String,
}
