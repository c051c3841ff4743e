//! A feature in several clones: who drives it from here on, and what became of what others proposed.

use crate::event::Decision;
use crate::ids::CommentId;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// Another clone drives the feature from here on, and its agents have none of the conversations that were had before; or,
/// under the first lease, the clone that the feature began in shares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriverChanged {
    /// The id of the clone, and where it is as people call it.
    #[serde(deserialize_with = "crate::ids::stored::part_of_a_name")]
    pub clone: String,
    pub place: String,
    pub by: String,
    /// The number of the lease under which it drives.
    pub fence: u64,
    /// Whether it was taken from a clone that had not given it up.
    pub forced: bool,
}

/// What somebody proposed from another clone was taken in or refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProposalSettled {
    pub id: CommentId,
    /// The clone that it came from, and where that is.
    #[serde(deserialize_with = "crate::ids::stored::part_of_a_name")]
    pub clone: String,
    pub place: String,
    pub by: String,
    /// What it was: `comment`, or the decision's name.
    pub what: String,
    /// Why it was not taken in; none where it was.
    pub refused: Option<String>,
    /// The decision that had been stored and says otherwise, where nobody who made it knew of this one. A person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
}

/// A decision that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Against {
    pub by: String,
    pub choice: Decision,
}
