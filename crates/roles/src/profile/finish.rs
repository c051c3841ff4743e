//! The role of the phase `finish`, which looks back on a feature.
//!
//! It has two texts, for what a feature teaches and for lessons of earlier ones, and is asked for each in a conversation of
//! its own. It writes no file: the page is made from its answer, so that every number on it is the ledger's
//! (`reports::retro`).

use super::{Profile, ProfileKind, READING};

pub(super) static FACILITATOR: Profile = Profile {
    role: "retro-facilitator",
    letter: 'A',
    kind: ProfileKind::Author,
    title: "Say what the feature teaches",
    artifacts: &[],
    at_hand: &[],
    tools: READING,
    rubric: include_str!("../../texts/retro-facilitator.md"),
    coda: "A lesson nobody can act on is read by everybody after you.",
    checklist: include_str!("../../texts/retro-facilitator-checks.md"),
    next_phase: "",
    iteration_from: 1,
    categories: &[],
};

/// The same role with what earlier features taught.
pub(super) static JUDGE: Profile = Profile {
    title: "Hold lessons of earlier features against this one",
    rubric: include_str!("../../texts/bank-judge.md"),
    coda: "What you confirm is believed by everybody after you, and what you challenge is doubted.",
    checklist: include_str!("../../texts/bank-judge-checks.md"),
    ..FACILITATOR
};
