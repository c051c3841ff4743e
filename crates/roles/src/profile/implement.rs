//! The roles of the phase `implement`: those that work on code, and the three that review it.
//!
//! Two roles have a second text. The implementer carries out tasks and mends what reviewers found; the test-deepener
//! thinks of tests without the code and then writes them. Both are asked for one or the other, never for both in one
//! conversation. A feature of lane express has one reviewer for all of it ([`ALONE`]). Which text a dispatch is made
//! with is decided in [`super::of_dispatch`].

use super::{BUILDING, CHECKING, Profile, ProfileKind};

/// Answers findings and failed checks.
pub(super) static IMPLEMENTER: Profile = Profile {
    role: "implementer",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Mend what reviewers or checks found in the code",
    artifacts: &["prd.md", "spec.md", "design.md", "plan.md", "tasks.md"],
    at_hand: &["prd.md", "spec.md", "design.md", "plan.md", "tasks.md"],
    tools: BUILDING,
    rubric: include_str!("../../texts/implementer-fix.md"),
    coda: "What you leave is checked by the engine and read again by whoever found the fault.",
    checklist: include_str!("../../texts/implementer-fix-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

/// The same role with one task. The parts of design and plan that concern the task are given with it.
pub(super) static TASK: Profile = Profile {
    title: "Carry out one task",
    artifacts: &["prd.md", "spec.md"],
    at_hand: &[],
    rubric: include_str!("../../texts/implementer-task.md"),
    coda: "What you say about files and tests is compared with what git and the project's checks say.",
    checklist: include_str!("../../texts/implementer-task-checks.md"),
    ..IMPLEMENTER
};

pub(super) static SIMPLIFIER: Profile = Profile {
    role: "code-simplifier",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Make the code simpler, and nothing else",
    artifacts: &["design.md"],
    at_hand: &["design.md"],
    tools: BUILDING,
    rubric: include_str!("../../texts/code-simplifier.md"),
    coda: "An edit whose effect is in doubt is not made: nobody waits for it.",
    checklist: include_str!("../../texts/code-simplifier-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

/// Writes the tests.
pub(super) static DEEPENER: Profile = Profile {
    role: "test-deepener",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Write the tests that the documents ask for",
    artifacts: &["spec.md", "design.md", "tasks.md", "prd.md"],
    at_hand: &["spec.md", "design.md", "tasks.md", "prd.md"],
    tools: BUILDING,
    rubric: include_str!("../../texts/test-deepener.md"),
    coda: "A test made to pass on code that is wrong hides the fault from everybody after you.",
    checklist: include_str!("../../texts/test-deepener-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

/// Thinks of them first. It can open the documents and search nowhere, so that it meets no code.
pub(super) static OUTLINE: Profile = Profile {
    title: "Think of tests, without the code",
    at_hand: &[],
    tools: &["Read"],
    rubric: include_str!("../../texts/test-outline.md"),
    coda: "What you do not think of is tested by nobody.",
    checklist: include_str!("../../texts/test-outline-checks.md"),
    ..DEEPENER
};

/// All three have one set of tools, because tools stand before everything else in a prompt that is to be shared.
pub(super) static IMPLEMENTATION: Profile = Profile {
    role: "implementation-reviewer",
    letter: 'I',
    kind: ProfileKind::Domain,
    title: "Validate that the code is what the documents ask for",
    artifacts: &["prd.md", "spec.md", "design.md", "plan.md", "tasks.md"],
    at_hand: &["plan.md"],
    tools: CHECKING,
    rubric: include_str!("../../texts/implementation-reviewer.md"),
    coda: "What passes here is taken to be done. Nobody after you compares it with what was asked for.",
    checklist: include_str!("../../texts/implementation-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &["missing", "extra", "misunderstood", "incomplete"],
};

pub(super) static QUALITY: Profile = Profile {
    role: "code-quality-reviewer",
    letter: 'Q',
    kind: ProfileKind::Domain,
    title: "Validate that the code can be changed again",
    artifacts: &["design.md", "spec.md"],
    at_hand: &[],
    tools: CHECKING,
    rubric: include_str!("../../texts/code-quality-reviewer.md"),
    coda: "What passes here is what the next change is built on.",
    checklist: include_str!("../../texts/code-quality-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &["readability", "kiss", "yagni", "formatting", "flow"],
};

pub(super) static SECURITY: Profile = Profile {
    role: "security-reviewer",
    letter: 'X',
    kind: ProfileKind::Domain,
    title: "Validate that the change lets nobody do harm",
    artifacts: &["design.md", "spec.md"],
    at_hand: &[],
    tools: CHECKING,
    rubric: include_str!("../../texts/security-reviewer.md"),
    coda: "What passes here is open to whoever looks for a way in.",
    checklist: include_str!("../../texts/security-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &["injection", "auth", "crypto", "exposure", "config"],
};

/// The one reviewer of lane express: its own text and those of the two that are not asked there, one after the other.
pub(super) static ALONE: Profile = Profile {
    title: "Validate the code in every respect",
    rubric: concat!(
        include_str!("../../texts/three-in-one.md"),
        "\n",
        include_str!("../../texts/implementation-reviewer.md"),
        "\n",
        include_str!("../../texts/code-quality-reviewer.md"),
        "\n",
        include_str!("../../texts/security-reviewer.md"),
    ),
    coda: "What passes here is merged. Nobody after you looks at it.",
    checklist: concat!(
        "### What Was Built\n\n",
        include_str!("../../texts/implementation-checks.md"),
        "\n### How It Is Written\n\n",
        include_str!("../../texts/code-quality-checks.md"),
        "\n### What It Exposes\n\n",
        include_str!("../../texts/security-checks.md"),
    ),
    categories: &[
        "missing",
        "extra",
        "misunderstood",
        "incomplete",
        "readability",
        "kiss",
        "yagni",
        "formatting",
        "flow",
        "injection",
        "auth",
        "crypto",
        "exposure",
        "config",
    ],
    ..IMPLEMENTATION
};
