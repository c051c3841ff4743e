//! The three roles of the phase `design`.

use super::{CHECKING, Profile, ProfileKind, RESEARCHING, hand_off};

pub(super) static AUTHOR: Profile = Profile {
    role: "design-author",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Write the design",
    artifacts: &["prd.md", "spec.md", "research.md"],
    at_hand: &[],
    tools: RESEARCHING,
    rubric: include_str!("../../texts/design-author.md"),
    coda: "Before you answer, put the checks below to your own text, as a reviewer would, and mend what fails.",
    checklist: include_str!("../../texts/design-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

pub(super) static REVIEWER: Profile = Profile {
    role: "design-reviewer",
    letter: 'D',
    kind: ProfileKind::Domain,
    title: "Validate that the design meets the specification in this repository",
    artifacts: &["prd.md", "spec.md"],
    at_hand: &[],
    tools: CHECKING,
    rubric: include_str!("../../texts/design-reviewer.md"),
    coda: "What passes here is planned and built as it stands, and a part that cannot do its work is found when the rest \
           already rests on it.",
    checklist: include_str!("../../texts/design-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &["completeness", "consistency", "feasibility", "assumptions", "complexity"],
};

pub(super) static HANDOFF: Profile = hand_off(
    "Validate that the plan can start from the design",
    &["prd.md", "spec.md", "design.md"],
    &["prd.md"],
    include_str!("../../texts/next-phase-plan.md"),
);
