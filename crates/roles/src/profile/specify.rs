//! The three roles of the phase `specify`.

use super::{CHECKING, Profile, ProfileKind, RESEARCHING, hand_off};

pub(super) static AUTHOR: Profile = Profile {
    role: "spec-author",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Write the specification",
    artifacts: &["prd.md"],
    at_hand: &[],
    tools: RESEARCHING,
    rubric: include_str!("../../texts/spec-author.md"),
    coda: "Before you answer, put the checks below to your own text, as a reviewer would, and mend what fails.",
    checklist: include_str!("../../texts/spec-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

pub(super) static REVIEWER: Profile = Profile {
    role: "spec-reviewer",
    letter: 'S',
    kind: ProfileKind::Domain,
    title: "Validate that the specification can be built in one way only",
    artifacts: &["prd.md"],
    at_hand: &[],
    tools: CHECKING,
    rubric: include_str!("../../texts/spec-reviewer.md"),
    coda: "What passes here is built as it is written, by somebody who cannot ask.",
    checklist: include_str!("../../texts/spec-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &["testability", "assumptions", "scope", "traceability", "clarity"],
};

pub(super) static HANDOFF: Profile = hand_off(
    "Validate that design can start from the specification",
    &["prd.md", "spec.md"],
    &[],
    include_str!("../../texts/next-phase-design.md"),
);
