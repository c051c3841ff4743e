//! Findings that a person has ruled on: a role bound by the ruling raises nothing new if it raises the finding again.
//!
//! A ruling holds in its phase. A ruling that accepts a finding binds the role that had found it; one that overrules a
//! finding binds every role. Neither covers anything graver. `documents::reconcile` says whether two texts say the same,
//! `core::pipeline` which rulings a feature has.

use super::{Finding, Status};
use crate::ids::Role;
use crate::phase::Phase;
use crate::prelude::*;
use crate::text::one_line;

/// A finding as it was when a person accepted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledFinding {
    pub finding: Finding,
    pub ruling: Ruling,
}

/// The person's answer that settled it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    pub phase: Phase,
    pub pass: u16,
    /// The number of the question in its loop.
    pub number: u32,
    pub by: String,
    pub why: String,
    /// Whether the person said that the finding does not hold; else that it is accepted.
    pub overruled: bool,
}

impl Ruling {
    /// What the person did with the finding.
    pub fn verb(&self) -> &'static str {
        if self.overruled { "overruled" } else { "accepted" }
    }

    /// What became of the finding, and of one that repeats it.
    pub fn status(&self) -> Status {
        if self.overruled { Status::Overruled } else { Status::Ruled }
    }
}

impl SettledFinding {
    /// Whether it is settled for a role in a phase. Elsewhere the same words may mean something else: what was accepted
    /// for a document is not accepted for the code.
    pub fn holds_for(&self, phase: Phase, role: &Role) -> bool {
        self.ruling.phase == phase && (self.ruling.overruled || self.finding.role == *role)
    }

    /// `S2 of specify, accepted by ann: known and small`.
    pub fn name(&self) -> String {
        const WHY_CHARS_MAX: usize = 300;
        const NAME_CHARS_MAX: usize = 80;
        let Ruling { phase, by, why, .. } = &self.ruling;
        let by = one_line(by, NAME_CHARS_MAX);
        let said = format!("{} of {phase}, {} by {by}", self.finding.id, self.ruling.verb());
        match why.trim() {
            "" => said,
            why => format!("{said}: {}", one_line(why, WHY_CHARS_MAX)),
        }
    }
}
