//! The code of the made-up feature: the change as it was first written and as it was mended, with what the three
//! reviewers found in between.
//!
//! The diffs are files in `data/example`. Every fault quotes code of the first version and is gone in the second.

use crate::prompt::code_brief::{CheckResult, ProjectCheck, TaskArtifact, TaskBrief};
use crate::prompt::example::feature::{DESIGN, PLAN, TASKS};
use redraft_documents::context::ContextMode;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::prelude::*;
use redraft_facts::verdict::{Claim, Severity};

const GATEWAY: &str = "src/gateway.rs";
const COUNTER: &str = "src/counter.rs";

pub(in crate::prompt) const CHECKS: [ProjectCheck<'static>; 1] =
    [ProjectCheck { name: "tests", command: "cargo test" }];
pub(in crate::prompt) const PASSED: [CheckResult<'static>; 1] =
    [CheckResult { check: CHECKS[0], passed: true, output: OUTPUT }];
const OUTPUT: &str = "running 7 tests\ntest result: ok. 7 passed; 0 failed; 1 ignored";

pub(in crate::prompt) const FAILED: &str = "`cargo test` ended with code 101\n\
    test counter::the_101st_request_is_refused ... FAILED\n\
    assertion failed: !counter.admit(&key)";

pub(in crate::prompt) const WANTED: &str = include_str!("../../../data/example/goals.md");

pub(in crate::prompt) const CONSTRAINTS: &str = "- Build and test: `cargo test`\n";

/// The text of the change's commits, where it is reviewed by itself.
pub(in crate::prompt) const INTENT: &str = "\
Commit 5f1c2ab:

limit requests by key

A key that makes more than 100 requests within a minute is answered 429 until the minute is over.
";

pub(in crate::prompt) const INTENT_OF_MORE: &str = "\
Commit 90be771:

count the hundredth request, and refuse revoked keys
";

pub(in crate::prompt) const OUTLINE: &str = include_str!("../../../data/example/outline.md");

pub(in crate::prompt) const TEST_FILES: &str = "tests/limits.rs";

/// The change as it was first reviewed.
pub(in crate::prompt) const FIRST: &str = include_str!("../../../data/example/change.diff");

/// The change once its faults were mended.
pub(in crate::prompt) const MENDED: &str = include_str!("../../../data/example/change-mended.diff");

/// What was mended between the two.
pub(in crate::prompt) const FIXES: &str = include_str!("../../../data/example/change-fixes.diff");

struct Fault {
    role: &'static str,
    letter: char,
    category: &'static str,
    file: &'static str,
    line: u32,
    section: &'static str,
    quote: &'static str,
    description: &'static str,
    suggestion: &'static str,
    fixed: &'static str,
}

static FAULTS: [Fault; 3] = [
    Fault {
        role: "implementation-reviewer",
        letter: 'I',
        category: "misunderstood",
        file: COUNTER,
        line: 18,
        section: "Counter::admit",
        quote: "*count <= LIMIT + 1",
        description: "Spec R1 refuses the request after the 100th; for the 101st `count` is 101, which is not above \
                      LIMIT + 1, so it is admitted, and the test asks for the first 100 only [traced]",
        suggestion: "Compare with LIMIT; the_101st_request_is_refused must assert that the 101st is refused.",
        fixed: "`admit` compares with LIMIT; the_101st_request_is_refused now asserts what its name says.",
    },
    Fault {
        role: "code-quality-reviewer",
        letter: 'Q',
        category: "flow",
        file: GATEWAY,
        line: 7,
        section: "handle",
        quote: "keys.find(name).unwrap_or_default()",
        description: "When the key store fails, every caller becomes the default key, shares its count and is forwarded, \
                      and nobody is told that the store is down [traced]",
        suggestion: "",
        fixed: "a failing key store gets status 503.",
    },
    Fault {
        role: "security-reviewer",
        letter: 'X',
        category: "exposure",
        file: GATEWAY,
        line: 9,
        section: "handle",
        quote: "log::info!(\"refused key {name}\");",
        description: "The key itself is written to the log whenever it is refused; whoever reads the log can use it a \
                      minute later [traced]",
        suggestion: "Leave the key out of the line.",
        fixed: "the log line no longer has the key.",
    },
];

/// The finding of a reviewer on the first version.
pub(in crate::prompt) fn finding(role: &str) -> Option<Finding> {
    let fault = FAULTS.iter().find(|fault| fault.role == role)?;
    Some(Finding {
        id: FindingId::new(format!("{}1", fault.letter)),
        role: Role::new(fault.role),
        round: 1,
        severity: Severity::Blocker,
        category: fault.category.to_owned(),
        claim: Claim::Present,
        file: fault.file.to_owned(),
        line: fault.line,
        section: fault.section.to_owned(),
        quote: fault.quote.to_owned(),
        description: fault.description.to_owned(),
        suggestion: fault.suggestion.to_owned(),
        status: Status::Open,
        late: false,
        unverified: None,
        note: String::new(),
        by: None,
    })
}

/// The findings of all three.
pub(in crate::prompt) fn findings() -> Vec<Finding> {
    FAULTS.iter().filter_map(|fault| finding(fault.role)).collect()
}

/// What the implementer says it did about the findings of these reviewers.
pub(in crate::prompt) fn summary(roles: &[&str]) -> String {
    let of = FAULTS.iter().filter(|fault| roles.contains(&fault.role));
    of.map(|fault| format!("{}1: {}", fault.letter, fault.fixed)).collect::<Vec<String>>().join("\n")
}

static SCOPED: [TaskArtifact<'static>; 2] = [
    TaskArtifact {
        name: "design.md",
        path: DESIGN.path,
        mode: ContextMode::Scoped,
        text: "### C1: Counter\n\nCounts the requests of a key in the current minute (Spec R1), reading and adding in \
               one atomic step. New, `src/counter.rs`.\n\n### I1: `Counter::admit`\n\n`admit(key: &KeyId) -> bool`: \
               whether this request is among the first 100 of its minute.\n",
        reason: "the task names Design C1 and Design I1",
    },
    TaskArtifact {
        name: "plan.md",
        path: PLAN.path,
        mode: ContextMode::Reference,
        text: "",
        reason: "no reference of the task names it",
    },
];

pub(in crate::prompt) static TASK: TaskBrief<'static> = TaskBrief {
    id: "1.1",
    title: "Count the requests of a key",
    file: TASKS.path,
    text: include_str!("../../../data/example/task.md"),
    says_when_done: true,
    artifacts: &SCOPED,
    depends: &[],
    begun: false,
    stopped: None,
    returned: None,
};
