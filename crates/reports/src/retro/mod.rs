//! The retrospective of a feature: the figures of the ledger, what an agent says about them, and which lessons are kept
//! or doubted.
//!
//! Every number in a `retro.md` is a figure of the ledger ([`Figures`]). An agent names figures in braces and the
//! program puts them in; what an agent writes with a number of its own is left out ([`numeral`]). Start at
//! [`Figures::from_entries`] and [`bundle()`], which makes what the agent is sent; [`RetroAnswer::read`] and
//! [`markdown`] make the page from its answer, [`judge_bundle`] and [`Judgements::read`] ask about lessons of earlier
//! features.
//!
//! Nothing here reads or writes a file, knows how a bank of lessons is kept, or decides when any of this happens.

mod answer;
mod bundle;
mod figures;
mod judging;
pub mod numeral;
mod page;
#[cfg(test)]
mod tests;

pub use answer::{Confidence, LessonKind, NewLesson, Observation, Recommendation, RetroAnswer, new_entries};
pub use bundle::bundle;
pub use figures::{Counts, Figure, Figures, FindingCounts, PhaseFigures, Unfilled};
pub use judging::{JUDGE_TOKENS_MAX, Judgements, Judging, LessonStance, Older, judge_bundle};
pub use page::{judged, markdown};

use redraft_facts::prelude::*;

/// What a feature changed in the repository, as git counts it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureChange {
    /// Each file with the lines added and removed; a file that git does not read as text has none.
    pub files: Vec<(String, u64, u64)>,
}

impl FeatureChange {
    pub fn added(&self) -> u64 {
        self.files.iter().map(|(_, added, _)| added).sum()
    }

    pub fn removed(&self) -> u64 {
        self.files.iter().map(|(_, _, removed)| removed).sum()
    }
}
