//! The three roles of the phase `create-plan`.

use super::{Profile, ProfileKind, READING, WRITING, hand_off};

pub(super) static AUTHOR: Profile = Profile {
    role: "plan-author",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Write the plan",
    artifacts: &["prd.md", "spec.md", "design.md"],
    at_hand: &["prd.md"],
    tools: WRITING,
    rubric: include_str!("../../texts/plan-author.md"),
    coda: "Before you answer, put the checks below to your own text, as a reviewer would, and mend what fails.",
    checklist: include_str!("../../texts/plan-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

pub(super) static REVIEWER: Profile = Profile {
    role: "plan-reviewer",
    letter: 'L',
    kind: ProfileKind::Domain,
    title: "Validate that the plan reaches the whole design in its order",
    artifacts: &["prd.md", "spec.md", "design.md"],
    at_hand: &["prd.md"],
    tools: READING,
    rubric: include_str!("../../texts/plan-reviewer.md"),
    coda: "What passes here is done in this order, and what no step does will not be missed until everything else is \
           finished.",
    checklist: include_str!("../../texts/plan-checks.md"),
    next_phase: "",
    iteration_from: 2,
    categories: &["failure-mode", "assumption", "dependency", "tdd-order", "feasibility"],
};

pub(super) static HANDOFF: Profile = hand_off(
    "Validate that the task list can start from the plan",
    &["prd.md", "spec.md", "design.md", "plan.md"],
    &["prd.md"],
    include_str!("../../texts/next-phase-tasks.md"),
);
