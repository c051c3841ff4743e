//! Facts about a feature as a whole: that it begins, what it may cost, which phases it passes through, that it ends.

use crate::ids::{BlobId, FeatureId, FeatureUuid, ReviewId, Revision};
use crate::phase::{Lane, Phase};
use crate::prelude::*;
use crate::ticket::{Scope, Ticket};
use crate::usage::Usd;
use core::fmt;
use serde::{Deserialize, Serialize};

/// A feature begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureCreated {
    /// The number people know it by. Two clones may give the same one.
    pub id: FeatureId,
    /// Its identity in every clone: no two features or reviews share one.
    pub uuid: FeatureUuid,
    #[serde(deserialize_with = "crate::ids::stored::part_of_a_name")]
    pub slug: String,
    pub idea: String,
    pub lane: Lane,
    /// The branch the user was on; empty when HEAD was detached.
    #[serde(deserialize_with = "crate::ids::stored::branch")]
    pub base_branch: String,
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub base_commit: String,
    #[serde(deserialize_with = "crate::ids::stored::branch")]
    pub branch: String,
    /// The PRD that was put into the feature's folder.
    pub prd: Option<BlobId>,
    /// Whether it is worked on in the main checkout instead of a worktree of its own.
    pub in_place: bool,
    /// The last phase it is to pass through.
    pub until: Phase,
    /// Why it is in its lane.
    pub lane_reason: String,
    /// The project it belongs to, as `P001`.
    pub project: Option<String>,
    /// Features that come before it, as their folders are named.
    pub depends_on: Vec<String>,
    /// The document that is reviewed by itself, relative to the repository. This is then not a feature, and its number
    /// is that of a review.
    pub document: Option<String>,
    /// The file its PRD came from, relative to the repository.
    pub brainstorm_source: Option<String>,
    /// The change that is reviewed by itself. This is then not a feature, and its number is that of a review.
    pub change: Option<ReviewedChange>,
    /// The phases after which a person is asked to approve, whatever the configuration says; left out where there are
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "super::list_or_null")]
    pub ask_after: Vec<Phase>,
}

/// A change that is reviewed by itself: every difference between two states of the repository. Asking for the same two
/// again continues its review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewedChange {
    /// What is reviewed, by the name people know it under: mostly a branch.
    pub head: String,
    /// What it is compared with, by its name.
    pub base: String,
    /// The folder of the documents it is held to, if there is one.
    pub documents: Option<String>,
}

/// What else is known about a [`ReviewedChange`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// What it is compared with from now on: the base may move, too.
    pub base: Revision,
    /// Its purpose, as stated by its commits and by the request for the review; none if neither states one.
    pub intent: Option<BlobId>,
    /// What is said about the part that is new since the last time.
    pub said: String,
}

impl fmt::Display for ReviewedChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} since {}", self.head, self.base)
    }
}

impl FeatureCreated {
    /// Whose events these are.
    pub fn scope(&self) -> Scope {
        match self.is_review() {
            true => Scope::Review(ReviewId(self.id.0)),
            false => Scope::Feature(self.id),
        }
    }

    /// Whether this is no feature, but a document or a change that is reviewed by itself.
    pub fn is_review(&self) -> bool {
        self.document.is_some() || self.change.is_some()
    }

    /// Whether there is a folder of documents that code is held to.
    pub fn has_documents(&self) -> bool {
        self.change.as_ref().is_none_or(|change| change.documents.is_some())
    }

    /// The folder of the artifacts, relative to the worktree; empty where that is the worktree itself, or where there
    /// is none.
    pub fn folder(&self) -> String {
        match (&self.document, &self.change) {
            (Some(document), _) => {
                document.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default().to_owned()
            }
            (None, Some(change)) => change.documents.clone().unwrap_or_default(),
            // Whoever gave the number out had no letter, and the folder keeps the name it was given then.
            (None, None) => format!("docs/features/{:03}-{}", self.id.number(), self.slug),
        }
    }

    /// A file in that folder.
    pub fn path_of(&self, name: &str) -> String {
        match self.folder().as_str() {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        }
    }
}

/// A feature that was begun by people or with another tool is taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adopted {
    /// The folder it was found in, relative to the repository.
    pub from: String,
    /// The phases whose documents are taken as they are, on a person's word.
    pub accepted: Vec<Phase>,
    /// Where it stood.
    pub life: FeatureLife,
    pub by: String,
    /// Those of its documents that the base commit does not already hold under these names as they were found.
    pub files: Vec<Brought>,
    /// The branch it was found on, if another ledger wrote there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<FoundBranch>,
    /// Whether its own record says that the rehearsal agent, which judges nothing, wrote or judged any of it; absent where
    /// it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsed: Option<bool>,
}

/// How far another ledger has written on the branch of an adopted feature. Event numbers in those commits are not ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundBranch {
    pub tip: String,
    /// The highest event number that its commits name.
    pub seq: u64,
}

/// A document that is put on a feature's branch when its worktree is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brought {
    /// Relative to the repository.
    pub path: String,
    pub blob: BlobId,
}

/// Where a feature stands, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureLife {
    /// Nothing was done yet.
    Planned,
    Active,
    Completed,
    Abandoned,
}

impl FeatureLife {
    pub const ALL: [FeatureLife; 4] =
        [FeatureLife::Planned, FeatureLife::Active, FeatureLife::Completed, FeatureLife::Abandoned];

    /// The one with this name.
    pub fn named(word: &str) -> Option<FeatureLife> {
        FeatureLife::ALL.into_iter().find(|life| life.name() == word)
    }

    pub fn name(self) -> &'static str {
        match self {
            FeatureLife::Planned => "planned",
            FeatureLife::Active => "active",
            FeatureLife::Completed => "completed",
            FeatureLife::Abandoned => "abandoned",
        }
    }
}

/// A person chose another lane or another end for the feature. What exists is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneSet {
    pub lane: Lane,
    pub until: Phase,
    pub by: String,
    pub why: String,
}

/// A phase is left out, by a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSkipped {
    pub phase: Phase,
    pub by: String,
    pub why: String,
}

/// A person goes back to a phase that was over: it and all after it are passed through again, with what exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WentBack {
    pub phase: Phase,
    pub by: String,
    pub why: String,
}

/// A person goes on with a feature though others that come before it are not completed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unblocked {
    /// Those it no longer waits for, as their folders are named.
    pub dependencies: Vec<String>,
    pub by: String,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancelled {
    pub by: String,
    pub why: String,
}

/// A person set the feature's total budget. Holds until somebody changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetSet {
    pub limit: Usd,
    pub by: String,
}

/// A person corrected the recorded cost of a dispatch: its service reported nonsense, or the cost was unknown and the
/// vendor's own bill states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostCorrected {
    pub ticket: Ticket,
    /// What the budget counted for it, and what it counts from now on.
    pub was: Usd,
    pub cost: Usd,
    pub by: String,
    pub why: String,
}

/// A dispatch was not sent because its most expensive outcome exceeded what was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetReached {
    pub ticket: Ticket,
    /// What it could have cost, and what was left of the limit.
    pub needed: Usd,
    pub left: Usd,
    pub limit: Usd,
}
