//! The three roles of the phase `create-tasks`.

use super::{Profile, ProfileKind, READING, WRITING, hand_off};

pub(super) static AUTHOR: Profile = Profile {
    role: "task-author",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Write the task list",
    artifacts: &["prd.md", "spec.md", "design.md", "plan.md"],
    at_hand: &["prd.md"],
    tools: WRITING,
    rubric: include_str!("../../texts/task-author.md"),
    coda: "Before you answer, put the checks below to your own text, as a reviewer would, and mend what fails.",
    checklist: include_str!("../../texts/task-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

pub(super) static REVIEWER: Profile = Profile {
    role: "task-reviewer",
    letter: 'T',
    kind: ProfileKind::Domain,
    title: "Validate that every task can be done and checked by itself",
    artifacts: &["prd.md", "spec.md", "design.md", "plan.md"],
    at_hand: &["prd.md"],
    tools: READING,
    rubric: include_str!("../../texts/task-reviewer.md"),
    coda: "What passes here is handed out one task at a time, to somebody who will do what it says.",
    checklist: include_str!("../../texts/task-checks.md"),
    next_phase: "",
    iteration_from: 2,
    categories: &["plan-fidelity", "executability", "size", "dependencies", "testability"],
};

pub(super) static HANDOFF: Profile = hand_off(
    "Validate that implementation can start from the task list",
    &["prd.md", "spec.md", "design.md", "plan.md", "tasks.md"],
    &["prd.md", "spec.md", "design.md"],
    include_str!("../../texts/next-phase-implement.md"),
);
