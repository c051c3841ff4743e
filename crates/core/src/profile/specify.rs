//! The three roles of the phase `specify`.

use super::{Kind, Profile};

const READING: &[&str] = &["Read", "Glob", "Grep"];
/// A reviewer that judges claims about the world outside of the repository looks there, too.
const CHECKING: &[&str] =
    &["Read", "Glob", "Grep", "WebSearch", "mcp__context7__resolve-library-id", "mcp__context7__query-docs"];
const WRITING: &[&str] = &["Read", "Glob", "Grep", "Write", "Edit"];

pub(super) static AUTHOR: Profile = Profile {
    role: "spec-author",
    letter: 'A',
    kind: Kind::Author,
    title: "Write the specification",
    artifacts: &["prd.md"],
    tools: WRITING,
    rubric: include_str!("../../texts/spec-author.md"),
    coda: "Before you answer, put the checks below to your own text, as its reviewer will, and mend what fails.",
    checklist: include_str!("../../texts/spec-checks.md"),
    next_phase: "",
    categories: &[],
};

pub(super) static REVIEWER: Profile = Profile {
    role: "spec-reviewer",
    letter: 'S',
    kind: Kind::Domain,
    title: "Validate that the specification can be built in one way only",
    artifacts: &["prd.md"],
    tools: CHECKING,
    rubric: include_str!("../../texts/spec-reviewer.md"),
    coda: "What passes here is built as it is written. Nobody after you will ask what was meant.",
    checklist: include_str!("../../texts/spec-checks.md"),
    next_phase: "",
    categories: &["testability", "assumptions", "scope", "traceability", "clarity"],
};

pub(super) static HANDOFF: Profile = Profile {
    role: "phase-reviewer",
    letter: 'P',
    kind: Kind::Phase,
    title: "Validate that design can start from the specification",
    artifacts: &["prd.md", "spec.md"],
    tools: READING,
    rubric: include_str!("../../texts/phase-reviewer.md"),
    coda: "What is not settled here will be settled by whoever meets it first, and nobody will notice.",
    checklist: include_str!("../../texts/phase-checks.md"),
    next_phase: include_str!("../../texts/next-phase-design.md"),
    categories: &["completeness", "ambiguity", "traceability", "scope", "open-question"],
};
