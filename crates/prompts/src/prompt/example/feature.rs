//! The documents of the made-up feature: each as it was first written and as it was mended, with what its reviewers
//! found in between.
//!
//! The texts are files in `data/example`, also the changes from one version to the next. Every fault quotes words of the
//! first version and is gone in the second, so that a reader of an example can follow it; the tests compare them.

use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::verdict::{Claim, Severity};
use redraft_roles::profile::{self, Profile, ProfileKind};

pub(in crate::prompt) const FOLDER: &str = "docs/features/031-key-limits";
pub(in crate::prompt) const ARTIFACT: &str = "docs/features/031-key-limits/spec.md";
pub(in crate::prompt) const PRD: &str = "docs/features/031-key-limits/prd.md";

/// What a phase writes, twice, and what was found in the first version.
pub(in crate::prompt) struct Document {
    pub(in crate::prompt) path: &'static str,
    pub(in crate::prompt) first: &'static str,
    pub(in crate::prompt) mended: &'static str,
    /// The unified diff from the first version to the mended one.
    pub(in crate::prompt) diff: &'static str,
    domain: Fault,
    /// None where nothing is handed over.
    handoff: Option<Fault>,
}

struct Fault {
    category: &'static str,
    section: &'static str,
    quote: &'static str,
    description: &'static str,
    suggestion: &'static str,
    /// What the author says it did about it.
    fixed: &'static str,
}

impl Document {
    /// The finding a reviewer left on the first version; for the author, what the domain reviewer left.
    pub(in crate::prompt) fn finding(&self, phase: Phase, profile: &Profile) -> Finding {
        let raised = self.raised_by(phase, profile);
        let fault = self.fault(raised.kind);
        let line = self.first.lines().position(|line| line.contains(fault.quote)).map_or(0, |at| at + 1);
        Finding {
            id: FindingId::new(format!("{}1", raised.letter)),
            role: Role::new(raised.role),
            round: 1,
            severity: Severity::Blocker,
            category: fault.category.to_owned(),
            claim: Claim::Present,
            file: self.path.to_owned(),
            line: u32::try_from(line).unwrap_or(0),
            section: fault.section.to_owned(),
            quote: fault.quote.to_owned(),
            description: fault.description.to_owned(),
            suggestion: fault.suggestion.to_owned(),
            status: Status::Open,
            late: false,
            unverified: None,
            note: String::new(),
            by: None,
        }
    }

    /// `S1: what the author says it did about it`
    pub(in crate::prompt) fn summary(&self, phase: Phase, profile: &Profile) -> String {
        let raised = self.raised_by(phase, profile);
        format!("{}1: {}", raised.letter, self.fault(raised.kind).fixed)
    }

    fn fault(&self, kind: ProfileKind) -> &Fault {
        self.handoff.as_ref().filter(|_| kind == ProfileKind::Phase).unwrap_or(&self.domain)
    }

    /// The reviewer itself; what an author is told comes from the domain reviewer.
    fn raised_by<'a>(&self, phase: Phase, profile: &'a Profile) -> &'a Profile {
        let domain =
            || profile::participants(phase).iter().copied().find(|one| one.kind == ProfileKind::Domain);
        if profile.kind == ProfileKind::Author { domain().unwrap_or(profile) } else { profile }
    }
}

pub(in crate::prompt) fn document(phase: Phase) -> &'static Document {
    match phase {
        Phase::Specify => &SPECIFICATION,
        Phase::Design => &DESIGN,
        Phase::CreatePlan => &PLAN,
        Phase::CreateTasks | Phase::Implement | Phase::Finish => &TASKS,
        Phase::Document => &GUIDE,
    }
}

pub(in crate::prompt) const PRD_TEXT: &str = include_str!("../../../data/example/prd.md");

pub(in crate::prompt) static SPECIFICATION: Document = Document {
    path: ARTIFACT,
    first: include_str!("../../../data/example/spec.md"),
    mended: include_str!("../../../data/example/spec-mended.md"),
    diff: include_str!("../../../data/example/spec.diff"),
    domain: Fault {
        category: "testability",
        section: "Requirements",
        quote: "the gateway shall refuse it quickly",
        description: "R2 has no acceptance criterion and no time within which it must hold, so every result passes it [read]",
        suggestion: "State the time and the status.",
        fixed: "R2 now names 5 seconds and status 401; added AC2.",
    },
    handoff: Some(Fault {
        category: "ambiguity",
        section: "Requirements",
        quote: "the gateway shall refuse it quickly",
        description: "Design has to choose between refusing a revoked key by a status and by closing the connection, \
                      and a caller sees which; searched Requirements and Acceptance Criteria [read]",
        suggestion: "State what the caller gets.",
        fixed: "R2 now names status 401.",
    }),
};

pub(in crate::prompt) static DESIGN: Document = Document {
    path: "docs/features/031-key-limits/design.md",
    first: include_str!("../../../data/example/design.md"),
    mended: include_str!("../../../data/example/design-mended.md"),
    diff: include_str!("../../../data/example/design.diff"),
    domain: Fault {
        category: "completeness",
        section: "C1: Counter",
        quote: "Counts the requests of a key in the current minute",
        description: "Two requests of one key at once both read 99 and both pass, so Spec R1 is broken by the 101st \
                      request and nothing shows it [traced]",
        suggestion: "Read and add in one step; a test with two requests at once fails without it.",
        fixed: "C1 reads and adds in one atomic step.",
    },
    handoff: Some(Fault {
        category: "completeness",
        section: "C2: Filter",
        quote: "Asks C1 and the key store before it forwards a request",
        description: "The plan has to decide whether a request passes or is refused when the key store does not answer, \
                      and a caller sees which; searched Components, Interfaces and Decisions [read]",
        suggestion: "State the time limit and the status.",
        fixed: "C2 now refuses with status 503 after 1 second.",
    }),
};

pub(in crate::prompt) static PLAN: Document = Document {
    path: "docs/features/031-key-limits/plan.md",
    first: include_str!("../../../data/example/plan.md"),
    mended: include_str!("../../../data/example/plan-mended.md"),
    diff: include_str!("../../../data/example/plan.diff"),
    domain: Fault {
        category: "dependency",
        section: "Step 1.1: Put the filter before every route",
        quote: "**Depends on:** no other step",
        description: "Step 1.1 calls `Counter::admit`, which step 1.2 produces; whoever begins at the top builds the filter \
                      without the count, and its check passes all the same [traced]",
        suggestion: "Let step 1.1 depend on step 1.2.",
        fixed: "Step 1.1 depends on step 1.2.",
    },
    handoff: Some(Fault {
        category: "completeness",
        section: "Step 1.2: Count the requests of a key",
        quote: "**Produces:** `Counter::admit`",
        description: "Step 1.2 has no check, so its tasks would have to make up what shows that the count is right; \
                      searched all fields of both steps [read]",
        suggestion: "Name the test for the 101st request.",
        fixed: "Step 1.2 has a check.",
    }),
};

pub(in crate::prompt) static TASKS: Document = Document {
    path: "docs/features/031-key-limits/tasks.md",
    first: include_str!("../../../data/example/tasks.md"),
    mended: include_str!("../../../data/example/tasks-mended.md"),
    diff: include_str!("../../../data/example/tasks.diff"),
    domain: Fault {
        category: "testability",
        section: "Task 1.1: Count the requests of a key",
        quote: "the counter works",
        description: "A counter that never refuses a request is said to work as well, so the task counts as done and the \
                      limit is not there [read]",
        suggestion: "Name the test of step 1 and that it fails without step 2.",
        fixed: "Task 1.1 is done when its test passes, which fails without step 2.",
    },
    handoff: Some(Fault {
        category: "completeness",
        section: "Task 1.1: Count the requests of a key",
        quote: "**Files:** `src/counter.rs` (new)",
        description: "Task 1.1 does not say what it depends on, so whoever hands out the tasks has to guess whether it can \
                      be first; searched its fields and Constraints [read]",
        suggestion: "Add the field, if only with `none`.",
        fixed: "Task 1.1 names its dependencies.",
    }),
};

/// A document that belongs to no feature.
static GUIDE: Document = Document {
    path: "docs/limits.md",
    first: include_str!("../../../data/example/limits.md"),
    mended: include_str!("../../../data/example/limits-mended.md"),
    diff: include_str!("../../../data/example/limits.diff"),
    domain: Fault {
        category: "consistency",
        section: "When you are refused",
        quote: "your 60 requests of the minute",
        description: "The first paragraph allows 100 requests in one minute and this one 60, so a reader who slows down to \
                      60 gives away what was promised [read]",
        suggestion: "Name the limit in one place only.",
        fixed: "The number stands in the first paragraph only.",
    },
    handoff: None,
};
