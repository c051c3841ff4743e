//! What a clone that does not drive wants to become part of the history.
//!
//! The driver takes proposals in, in one order for everybody: whoever had seen another's speaks after it, and of two
//! that knew nothing of each other the smaller checksum comes first.

use crate::point::{CloneId, Point, checksum};
use redraft_facts::event::{About, Decision};
use redraft_facts::ids::{CommentId, FindingId, Revision};
use redraft_facts::phase::Phase;
use redraft_facts::verdict::Severity;
use serde::{Deserialize, Serialize};

/// Something said where nobody drives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Random. That of a comment is the comment's.
    pub id: CommentId,
    /// What its writer had seen of the history.
    pub seen: Point,
    pub at_ms: i64,
    pub by: String,
    pub said: Said,
}

/// What is proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    Comment(SaidComment),
    Decision(SaidDecision),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidComment {
    pub phase: Phase,
    /// The finding that it opens again.
    pub reopens: Option<FindingId>,
    pub severity: Severity,
    pub file: String,
    pub line: u32,
    pub text: String,
}

/// An answer to the question that was open where it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidDecision {
    pub phase: Phase,
    pub pass: u16,
    pub number: u32,
    /// What was asked: another question may have taken its number.
    pub about: About,
    pub choice: Decision,
    pub why: String,
    pub answers: Vec<String>,
    /// The revision that was looked at.
    pub revision: Option<Revision>,
}

impl SaidDecision {
    /// Whether both answer one question.
    pub fn answers_the_same(&self, other: &SaidDecision) -> bool {
        (self.phase, self.pass, self.number, &self.about)
            == (other.phase, other.pass, other.number, &other.about)
    }

    /// Whether both say the same, in whatever words.
    pub fn agrees_with(&self, other: &SaidDecision) -> bool {
        self.choice == other.choice && self.answers == other.answers
    }
}

/// A proposal with what decides its place among others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub clock: u64,
    pub clone: CloneId,
    /// Where its writer works, as its log says.
    pub place: String,
    pub proposal: Proposal,
}

/// All proposals in the order in which a driver takes them in.
pub(crate) fn in_order(mut all: Vec<Placed>) -> Vec<Placed> {
    let place = |placed: &Placed| {
        let text = serde_json::to_string(&placed.proposal).expect("a proposal holds only texts and numbers");
        (placed.clock, checksum(&[placed.clone.as_str().as_bytes(), text.as_bytes()]))
    };
    all.sort_by_cached_key(place);
    all
}
