//! The two roles of a document that belongs to no phase: a guide, a proposal, a decision record.

use super::{CHECKING, Profile, ProfileKind, WRITING};

pub(super) static AUTHOR: Profile = Profile {
    role: "document-author",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Revise the document",
    artifacts: &[],
    at_hand: &[],
    tools: WRITING,
    rubric: include_str!("../../texts/document-author.md"),
    coda: "Before you answer, put the checks below to your own text, as a reviewer would, and mend what fails.",
    checklist: include_str!("../../texts/document-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

pub(super) static REVIEWER: Profile = Profile {
    role: "document-reviewer",
    letter: 'O',
    kind: ProfileKind::Domain,
    title: "Validate that nobody goes wrong by following the document",
    artifacts: &[],
    at_hand: &[],
    tools: CHECKING,
    rubric: include_str!("../../texts/document-reviewer.md"),
    coda: "What passes here is believed by readers who cannot ask anybody.",
    checklist: include_str!("../../texts/document-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &["accuracy", "consistency", "completeness", "clarity", "actionability"],
};
