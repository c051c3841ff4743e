//! The code of the made-up feature: as it was before, as it was first written, and as it was mended, with what the three
//! reviewers found between the two.
//!
//! Data only. Every fault quotes code of the first version and is gone in the second.

use super::super::code::{CheckResult, Dependency, LeftOut, ProjectCheck, TaskArtifact, TaskPapers};
use super::feature::{DESIGN, PLAN, PRD, PRD_TEXT, TASKS};
use crate::context::Mode;
use crate::delta::Comparison;
use crate::findings::{Finding, Status};
use crate::ids::{FindingId, Role};
use crate::prelude::*;
use crate::verdict::{Claim, Severity};

const GATEWAY: &str = "src/gateway.rs";
const COUNTER: &str = "src/counter.rs";

pub(super) const CHECKS: [ProjectCheck<'static>; 1] = [ProjectCheck { name: "tests", command: "cargo test" }];
pub(super) const PASSED: [CheckResult<'static>; 1] = [CheckResult { check: CHECKS[0], passed: true }];

pub(super) const FAILED: &str = "`cargo test` ended with code 101\n\
    test counter::the_101st_request_is_refused ... FAILED\n\
    assertion failed: !counter.admit(&key)";

pub(super) const WANTED: &str = "\
## Goals

- One customer cannot slow down the others.
- A leaked key stops working at once.
";

pub(super) const CONSTRAINTS: &str = "- Build and test: `cargo test`\n";

/// What the commits of the change say, where it is reviewed by itself.
pub(super) const INTENT: &str = "\
Commit 5f1c2ab:

limit requests by key

A key that makes more than 100 requests within a minute is answered 429 until the minute is over.
";

pub(super) const INTENT_OF_MORE: &str = "\
Commit 90be771:

count the hundredth request, and refuse revoked keys
";

pub(super) const OUTLINE: &str = "\
1. the-hundredth-request-passes: AC1 (R1). Given 99 requests of one key within a minute, when it makes one more, then it is forwarded. Catches a limit that is one too low.
2. a-revoked-key-is-refused-after-5-seconds: AC2 (R2). Given a key that was revoked 5 seconds ago, when it makes a request, then the status is 401. Catches a key that is remembered for longer.
";

pub(super) const TEST_FILES: &str = "tests/limits.rs";

pub(super) const DONE_BEFORE: (&str, &str) = ("1.0", "Give every key an id");

pub(super) const LEFT_OUT: LeftOut<'static> =
    LeftOut { id: "1.2", title: "Refuse revoked keys", why: "the store of keys is replaced next week" };

const GATEWAY_BEFORE: &str = "\
use crate::keys::KeyStore;
use crate::wire::{Request, Response, forward};

pub fn handle(request: Request, keys: &KeyStore) -> Response {
    let key = keys.find(request.header(\"X-Key\"));
    forward(request, key)
}
";

const GATEWAY_FIRST: &str = "\
use crate::counter::Counter;
use crate::keys::KeyStore;
use crate::wire::{Request, Response, forward};

pub fn handle(request: Request, keys: &KeyStore, counter: &Counter) -> Response {
    let name = request.header(\"X-Key\");
    let key = keys.find(name).unwrap_or_default();
    if !counter.admit(&key.id) {
        log::info!(\"refused key {name}\");
        return Response::status(429);
    }
    forward(request, key)
}
";

const GATEWAY_MENDED: &str = "\
use crate::counter::Counter;
use crate::keys::KeyStore;
use crate::wire::{Request, Response, forward};

pub fn handle(request: Request, keys: &KeyStore, counter: &Counter) -> Response {
    let name = request.header(\"X-Key\");
    let Ok(key) = keys.find(name) else { return Response::status(503) };
    if !counter.admit(&key.id) {
        log::info!(\"refused a key that is over its limit\");
        return Response::status(429);
    }
    forward(request, key)
}
";

const COUNTER_FIRST: &str = "\
use crate::keys::KeyId;
use std::collections::HashMap;
use std::sync::Mutex;

const LIMIT: u32 = 100;

#[derive(Default)]
pub struct Counter {
    counts: Mutex<HashMap<(KeyId, u64), u32>>,
}

impl Counter {
    /// Whether this request is among the first 100 of its minute.
    pub fn admit(&self, key: &KeyId) -> bool {
        let mut counts = self.counts.lock().expect(\"no holder panics\");
        let count = counts.entry((key.clone(), minute())).or_insert(0);
        *count += 1;
        *count <= LIMIT + 1
    }
}

#[test]
fn the_101st_request_is_refused() {
    let (counter, key) = (Counter::default(), KeyId::new(\"a\"));
    for _ in 0..100 {
        assert!(counter.admit(&key));
    }
}
";

const COUNTER_MENDED: &str = "\
use crate::keys::KeyId;
use std::collections::HashMap;
use std::sync::Mutex;

const LIMIT: u32 = 100;

#[derive(Default)]
pub struct Counter {
    counts: Mutex<HashMap<(KeyId, u64), u32>>,
}

impl Counter {
    /// Whether this request is among the first 100 of its minute.
    pub fn admit(&self, key: &KeyId) -> bool {
        let mut counts = self.counts.lock().expect(\"no holder panics\");
        let count = counts.entry((key.clone(), minute())).or_insert(0);
        *count += 1;
        *count <= LIMIT
    }
}

#[test]
fn the_101st_request_is_refused() {
    let (counter, key) = (Counter::default(), KeyId::new(\"a\"));
    for _ in 0..100 {
        assert!(counter.admit(&key));
    }
    assert!(!counter.admit(&key));
}
";

/// The change as it was first reviewed.
pub(super) fn first() -> String {
    let gateway = Comparison::of(GATEWAY_BEFORE, GATEWAY_FIRST).unified(GATEWAY);
    format!("{}{gateway}", created(COUNTER, COUNTER_FIRST))
}

/// The change once its faults were mended.
pub(super) fn mended() -> String {
    let gateway = Comparison::of(GATEWAY_BEFORE, GATEWAY_MENDED).unified(GATEWAY);
    format!("{}{gateway}", created(COUNTER, COUNTER_MENDED))
}

/// What was mended between the two.
pub(super) fn delta() -> String {
    let parts = [(COUNTER, COUNTER_FIRST, COUNTER_MENDED), (GATEWAY, GATEWAY_FIRST, GATEWAY_MENDED)];
    parts.map(|(path, before, after)| Comparison::of(before, after).unified(path)).concat()
}

/// A new file, as git prints it.
fn created(path: &str, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n{lines}",
        text.lines().count()
    )
}

struct Fault {
    role: &'static str,
    letter: char,
    category: &'static str,
    file: &'static str,
    text: &'static str,
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
        text: COUNTER_FIRST,
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
        text: GATEWAY_FIRST,
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
        text: GATEWAY_FIRST,
        section: "handle",
        quote: "log::info!(\"refused key {name}\");",
        description: "The key itself is written to the log whenever it is refused; whoever reads the log can use it a \
                      minute later [traced]",
        suggestion: "Leave the key out of the line.",
        fixed: "the log line no longer has the key.",
    },
];

/// The finding that a reviewer left on the first version.
pub(super) fn finding(role: &str) -> Option<Finding> {
    let fault = FAULTS.iter().find(|fault| fault.role == role)?;
    let line = fault.text.lines().position(|line| line.contains(fault.quote)).map_or(0, |at| at + 1);
    Some(Finding {
        id: FindingId::new(format!("{}1", fault.letter)),
        role: Role::new(fault.role),
        round: 1,
        severity: Severity::Blocker,
        category: fault.category.to_owned(),
        claim: Claim::Present,
        file: fault.file.to_owned(),
        line: u32::try_from(line).unwrap_or(0),
        section: fault.section.to_owned(),
        quote: fault.quote.to_owned(),
        description: fault.description.to_owned(),
        suggestion: fault.suggestion.to_owned(),
        status: Status::Open,
        late: false,
        unverified: None,
        note: String::new(),
    })
}

/// What all three left.
pub(super) fn findings() -> Vec<Finding> {
    FAULTS.iter().filter_map(|fault| finding(fault.role)).collect()
}

/// What the implementer says it did about the findings of these reviewers.
pub(super) fn summary(roles: &[&str]) -> String {
    let of = FAULTS.iter().filter(|fault| roles.contains(&fault.role));
    of.map(|fault| format!("{}1: {}", fault.letter, fault.fixed)).collect::<Vec<String>>().join("\n")
}

static SCOPED: [TaskArtifact<'static>; 2] = [
    TaskArtifact {
        name: "design.md",
        path: DESIGN.path,
        mode: Mode::Scoped,
        text: "### C1: Counter\n\nCounts the requests of a key in the current minute (Spec R1), reading and adding in \
               one atomic step. New, `src/counter.rs`.\n\n### I1: `Counter::admit`\n\n`admit(key: &KeyId) -> bool`: \
               whether this request is among the first 100 of its minute.\n",
        reason: "the task names Design C1 and Design I1",
    },
    TaskArtifact {
        name: "plan.md",
        path: PLAN.path,
        mode: Mode::Reference,
        text: "",
        reason: "no reference of the task names it",
    },
];

static IN_FULL: [TaskArtifact<'static>; 3] = [
    TaskArtifact {
        name: "design.md",
        path: DESIGN.path,
        mode: Mode::Full,
        text: DESIGN.mended,
        reason: UNUSABLE,
    },
    TaskArtifact { name: "plan.md", path: PLAN.path, mode: Mode::Full, text: PLAN.mended, reason: UNUSABLE },
    TaskArtifact { name: "prd.md", path: PRD, mode: Mode::Full, text: PRD_TEXT, reason: UNUSABLE },
];

const UNUSABLE: &str = "no reference of the task can be followed";

static DEPENDS: [Dependency<'static>; 2] = [
    Dependency { id: "1.0", title: "Give every key an id", left_out: None },
    Dependency { id: "0.9", title: "Measure the load", left_out: Some("not needed for now") },
];

pub(super) static TASK: TaskPapers<'static> = TaskPapers {
    id: "1.1",
    title: "Count the requests of a key",
    file: TASKS.path,
    text: "\
### Task 1.1: Count the requests of a key

**Implements:** Design C1, Design I1
**Files:** `src/counter.rs` (new)
**Depends on:** none

**Do:**
1. Write the test `the_101st_request_is_refused`. See it fail.
2. Write `Counter::admit`.

**Done when:**
- `the_101st_request_is_refused` passes; without step 2 it fails.
",
    done: Some("- `the_101st_request_is_refused` passes; without step 2 it fails."),
    artifacts: &SCOPED,
    depends: &[],
    begun: false,
};

/// The same where its references lead nowhere.
pub(super) static UNTRACED: TaskPapers<'static> =
    TaskPapers { artifacts: &IN_FULL, done: None, depends: &DEPENDS, text: UNTRACED_TEXT, ..TASK };

const UNTRACED_TEXT: &str = "\
### Task 1.1: Count the requests of a key

Count the requests of a key in `src/counter.rs`.

**Depends on:** 1.0, 0.9
";
