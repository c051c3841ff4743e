//! Facts about how code is built: which tasks there are, what became of each, what was done after the last.
//!
//! A review of code is stored like any other; see [`super`]. What these facts change is in `core::review`.

use crate::ids::{BlobId, Revision, TaskId};
use crate::prelude::*;
use crate::ticket::Ticket;
use serde::{Deserialize, Serialize};

/// A task as the loop was opened with it. Its text is in the task list, which the loop's base keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTask {
    pub id: TaskId,
    pub title: String,
    /// The hash of its text: a task with another text is another task.
    pub text: BlobId,
    /// Whether its boxes are ticked in a list that was adopted unchanged: others did it before, and it is not carried
    /// out here.
    pub ticked: bool,
    /// The tasks it needs, by their ids here; a word that is no task makes it wait for all before it. Absent where it
    /// needs none, or the loop was opened before this was stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "super::list_or_null")]
    pub needs: Vec<String>,
    /// The files, folders and patterns it says it writes; absent where it declares none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "super::list_or_null")]
    pub files: Vec<String>,
}

/// A person set how many tasks may be carried out at once. Holds for the open loop until somebody changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobsSet {
    pub jobs: u16,
    pub by: String,
}

/// The worktree of its own that a task is carried out in, beside others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// From 1; no two that are under way have the same.
    pub number: u16,
    /// The commit of the feature's branch that it began from.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub base: String,
}

/// A task was carried out in a worktree of its own and waits for its turn to become part of the feature. That has
/// happened when [`Built`] is stored for the same ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enqueued {
    /// The commit that the work is a change of.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub base: String,
    /// Its revision and commit are those in its own worktree; no branch leads to that commit.
    pub work: Built,
}

/// Tasks that wait were put on top of the feature, one after the other in this order, in no checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Combined {
    /// What the feature was.
    pub onto: Revision,
    /// What it would be after each.
    pub steps: Vec<CombinedStep>,
    /// The task behind the last step, where it cannot be put on top of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CombinedStep {
    pub task: TaskId,
    pub revision: Revision,
    /// A commit that holds it; no branch leads to it.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
}

impl Combined {
    /// All that were to be put together, as far as it came.
    pub fn tasks(&self) -> impl Iterator<Item = &TaskId> {
        self.steps.iter().map(|step| &step.task).chain(self.conflict.iter().map(|conflict| &conflict.task))
    }
}

/// Two sides have changed the same lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conflict {
    pub task: TaskId,
    pub files: Vec<String>,
}

/// Work on the code between the last task and the first review. It helps where it succeeds; where it does not, nothing
/// waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extra {
    /// The code is made simpler.
    Simplify,
    /// Tests are devised from the documents alone, then written.
    Deepen,
}

impl Extra {
    pub const ALL: [Extra; 2] = [Extra::Simplify, Extra::Deepen];
}

/// An agent has worked on code, whether or not it changed anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Built {
    pub ticket: Ticket,
    pub revision: Revision,
    /// The commit that holds it; empty when nothing changed.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    pub report: Report,
    /// The files that changed, according to git.
    pub files: Vec<String>,
    /// Whether it says that there was nothing left to do.
    pub already: bool,
    pub notes: Vec<String>,
    /// Why it says that its task is not done; absent where it says no such thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
}

/// An agent's report on what it built, under the headings it was asked for. A part it left out is `none`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub implemented: String,
    pub tested: String,
    pub files_changed: String,
    pub decisions: String,
    pub deviations: String,
    pub self_review: String,
    pub concerns: String,
}

/// Written work was taken out again because a person went on without it: a task that could not be carried out, or tests
/// that disagree with the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakenOut {
    pub revision: Revision,
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    pub files: Vec<String>,
}
