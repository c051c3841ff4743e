//! What workflows, activities and commands hand to each other. All of it is stored in Temporal's histories, so a field
//! may be added with a default and none may change its meaning.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// The queue that every worker serves with workflows.
pub const QUEUE: &str = "redraft-fleet";
/// The workflow that knows the workers, the money and the accounts.
pub const OFFICE: &str = "redraft-office";

/// The workflow of a feature, by the id under which the feature is shared.
pub fn workflow_id(feature: &str) -> String {
    format!("redraft-feature-{feature}")
}

/// The queue that one worker serves, so that what it began is found again.
pub fn queue_of(worker: &str) -> String {
    format!("redraft-worker-{worker}")
}

/// A feature that the fleet keeps going until it has ended.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FeatureOrder {
    pub v: u32,
    /// The id under which it is shared.
    pub feature: String,
    /// What people call it, as `003-export-orders`.
    pub called: String,
    /// The address of the remote through which it is shared.
    pub repository: String,
    pub needs: Needs,
    /// The agent account that its dispatches use.
    pub account: String,
    /// What it may cost in all.
    pub budget_micro_usd: u64,
    /// What is asked for before a drive.
    pub portion_micro_usd: u64,
    /// What it had cost before the fleet took it up.
    pub before_micro_usd: u64,
    /// Whether a finished feature is merged.
    pub merge: bool,
    pub timing: Timing,
    #[serde(default)]
    pub past: Option<crate::past::Past>,
}

/// What a worker must have to drive a feature.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Needs {
    pub agents: BTreeSet<String>,
    pub sandbox: Option<String>,
}

/// How long the fleet waits for what.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Timing {
    /// Silence after which an activity counts as lost.
    pub heartbeat_ms: u64,
    /// How long a worker may take to begin what is in its queue, before it counts as gone.
    pub pickup_ms: u64,
    /// The pause before something that failed is tried again; doubled each time.
    pub retry_ms: u64,
}

impl Timing {
    /// A worker without the server for so long stops what it drives: soon after, another one may go on with it.
    pub fn alone(&self) -> Duration {
        Duration::from_millis(self.heartbeat_ms + self.pickup_ms / 2)
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self { heartbeat_ms: 30_000, pickup_ms: 60_000, retry_ms: 5_000 }
    }
}

/// One drive of a feature by a worker.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct DriveOrder {
    pub feature: String,
    pub repository: String,
    /// How much this drive may cost.
    pub portion_micro_usd: u64,
    /// What the feature may cost in all.
    pub budget_micro_usd: u64,
    /// Whether it may be taken from a clone that has not given it up.
    pub take: bool,
    pub merge: bool,
}

/// What `redraft` should do for a feature besides driving it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ErrandOrder {
    pub feature: String,
    pub repository: String,
    pub errand: Errand,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Errand {
    /// Bring it to rest here, and say what it has cost.
    Look,
    Decide(Decision),
    Comment(Comment),
}

/// An answer to the question that a feature waits with.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Decision {
    pub choice: String,
    pub answers: Vec<String>,
    pub why: Option<String>,
    pub revision: Option<String>,
    /// The event in which the question was asked, as the person saw it.
    pub seen: Option<u64>,
    /// Who answers.
    pub by: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Comment {
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub phase: Option<String>,
    pub note: bool,
    /// Open a closed phase again.
    pub yes: bool,
    pub by: String,
}

/// What became of an errand.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Said {
    pub exit: i32,
    pub text: String,
    pub hints: Vec<String>,
    /// What the feature has cost in all, where it could be read.
    pub total_micro_usd: Option<u64>,
    /// Whether another clone drives it and has not given it up.
    pub elsewhere: bool,
}

/// How a drive ended.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Report {
    /// None where a signal ended the program.
    pub exit: Option<i32>,
    pub outcome: String,
    pub error: Option<String>,
    pub question: Option<Question>,
    pub parked_until_ms: Option<i64>,
    /// What the next dispatch could cost, where it did not fit.
    pub needed_micro_usd: Option<u64>,
    pub total_micro_usd: Option<u64>,
    /// Whether another clone drives it and has not given it up.
    pub elsewhere: bool,
    /// Whether the worker ended it because it was told to leave, or was alone for too long.
    pub leaving: bool,
    /// Whether the fleet asked for it to be stopped.
    pub stopped: bool,
}

/// What a feature waits for a person with.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Question {
    pub text: String,
    pub choices: Vec<String>,
    pub asked_at: Option<u64>,
}

/// What a heartbeat says.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Beat {
    pub at: String,
    pub events: u64,
    pub process: u32,
}
