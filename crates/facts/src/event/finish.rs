//! Facts about how a feature ends: what was learnt, what earlier lessons are worth, that its branch was merged.
//!
//! What these facts change is in `core::review` and `core::pipeline`.

use crate::ids::{BlobId, FindingId};
use crate::phase::Phase;
use crate::prelude::*;
use crate::ticket::Ticket;
use serde::{Deserialize, Deserializer, Serialize};

/// An entry of the knowledge bank, by its kind and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonName {
    /// `anti-pattern`, `heuristic` or `pattern`.
    pub kind: String,
    pub name: String,
}

/// The retrospective was written and committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetroWritten {
    /// Whose words it holds; none where it holds figures and facts alone.
    pub ticket: Option<Ticket>,
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    /// Why it holds figures and facts alone.
    pub plain: Option<String>,
    /// What was added to the knowledge bank.
    pub added: Vec<LessonName>,
    /// Older entries that are relevant to this feature, as far as that can be computed; these are judged.
    pub relevant: Vec<LessonName>,
    /// What the role that judges them is told.
    pub judge: Option<BlobId>,
    pub notes: Vec<String>,
}

/// Older entries of the knowledge bank were compared with this feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankJudged {
    /// The dispatch that judged; none if no judgement could be had, in which case nothing was changed.
    pub ticket: Option<Ticket>,
    /// Empty where no file was changed.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    pub confirmed: Vec<LessonName>,
    pub challenged: Vec<Challenged>,
    /// Whether this is only a proposal, as it is the first time in a repository.
    pub proposed: bool,
    pub notes: Vec<String>,
}

impl BankJudged {
    /// Whether it proposes something that a person may want carried out.
    pub fn proposes(&self) -> bool {
        self.proposed && !(self.confirmed.is_empty() && self.challenged.is_empty())
    }
}

/// A proposal was carried out, on a person's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankApplied {
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    pub notes: Vec<String>,
}

/// An entry that this feature contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Challenged {
    pub lesson: LessonName,
    /// What exactly contradicts it.
    pub text: String,
}

/// The feature's branch is part of the branch it began on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merged {
    #[serde(deserialize_with = "crate::ids::stored::branch")]
    pub into: String,
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    pub history: MergeHistory,
    pub by: String,
}

/// What becomes of a feature's commits when it is merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeHistory {
    /// They stay, behind a merge commit.
    #[default]
    Keep,
    /// One commit holds everything they did.
    Squash,
}

impl MergeHistory {
    pub const ALL: [MergeHistory; 2] = [MergeHistory::Keep, MergeHistory::Squash];

    pub fn name(self) -> &'static str {
        match self {
            MergeHistory::Keep => "keep",
            MergeHistory::Squash => "squash",
        }
    }
}

/// A blocker of a phase that was put off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PutOff {
    pub phase: Phase,
    pub id: FindingId,
}

/// A list that is left out where it is empty, and in everything that was stored before it existed.
pub(super) fn left_out<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PutOff>, D::Error> {
    Option::<Vec<PutOff>>::deserialize(from).map(Option::unwrap_or_default)
}
