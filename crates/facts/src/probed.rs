//! The stored result of an agent's probe, and the agents a feature has met.
//!
//! Only values: `prompts::probe` decides what a probe sends and judges its answers. Start at [`Probed`].

use crate::ids::AgentName;
use crate::prelude::*;
use crate::usage::Usd;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Whether an agent's conversations may be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resume {
    Yes,
    No,
    /// Not yet tried with this program and version; it may be used.
    Unproved,
}

impl Resume {
    pub fn name(self) -> &'static str {
        match self {
            Resume::Yes => "yes",
            Resume::No => "no",
            Resume::Unproved => "unproved",
        }
    }
}

/// What a probe looks at. Resuming depends on all of the first four and on nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckId {
    /// A session id comes back after a dispatch that read a file.
    #[serde(rename = "V1")]
    V1,
    /// The conversation can be continued.
    #[serde(rename = "V2")]
    V2,
    /// The first line of that file is remembered letter for letter.
    #[serde(rename = "V3")]
    V3,
    /// The number of findings is remembered.
    #[serde(rename = "V4")]
    V4,
    /// Every answer has the form that was asked for.
    Structured,
    /// The second turn reads the first from the cache.
    Cache,
    /// A commit between two turns loses neither the conversation nor its cache.
    Commit,
}

impl CheckId {
    pub const ALL: [CheckId; 7] = [
        CheckId::V1,
        CheckId::V2,
        CheckId::V3,
        CheckId::V4,
        CheckId::Structured,
        CheckId::Cache,
        CheckId::Commit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            CheckId::V1 => "V1",
            CheckId::V2 => "V2",
            CheckId::V3 => "V3",
            CheckId::V4 => "V4",
            CheckId::Structured => "structured",
            CheckId::Cache => "cache",
            CheckId::Commit => "commit",
        }
    }

    /// The same for people, who do not know our numbers.
    pub fn in_words(self) -> &'static str {
        match self {
            CheckId::V1 => "file read",
            CheckId::V2 => "continued",
            CheckId::V3 => "first line",
            CheckId::V4 => "findings",
            CheckId::Structured => "answer form",
            CheckId::Cache => "cache",
            CheckId::Commit => "commit",
        }
    }

    /// Whether resuming depends on it.
    pub fn decides(self) -> bool {
        matches!(self, CheckId::V1 | CheckId::V2 | CheckId::V3 | CheckId::V4)
    }
}

impl fmt::Display for CheckId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeResult {
    Passed,
    Failed,
    NotTried,
}

impl ProbeResult {
    pub fn name(self) -> &'static str {
        match self {
            ProbeResult::Passed => "passed",
            ProbeResult::Failed => "failed",
            ProbeResult::NotTried => "not tried",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeCheck {
    pub id: CheckId,
    pub result: ProbeResult,
    pub detail: String,
}

/// An agent was probed. Stored in the agent's own scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probed {
    pub agent: AgentName,
    /// Program or service, version and model; the results hold for nothing else.
    pub version: String,
    /// Counts the probes of this agent, as its tickets do.
    pub pass: u16,
    pub checks: Vec<ProbeCheck>,
    /// Percent of the second turn's input that was read from the cache; none where that is unknown.
    pub cache_share: Option<u8>,
    /// What the probe cost, its failed and lost dispatches included.
    pub cost: Usd,
}

/// What a dispatch has to do with the proof that its agent remembers a conversation it continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recall {
    /// Its prompt gives this code to be kept in mind.
    Gives(String),
    /// Its prompt asks for this code, and only an answer that has it counts.
    Asks(String),
}

/// The first four checks taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    Passed,
    /// The first of them that failed, as `V3: why`.
    Failed(String),
    /// None failed, but not all were tried: nothing is known.
    Open,
}

impl Probed {
    pub fn proof(&self) -> Proof {
        let deciding = || self.checks.iter().filter(|check| check.id.decides());
        match deciding().find(|check| check.result == ProbeResult::Failed) {
            Some(ProbeCheck { id, detail, .. }) => Proof::Failed(format!("{id}: {detail}")),
            None if deciding().filter(|check| check.result == ProbeResult::Passed).count() == 4 => {
                Proof::Passed
            }
            None => Proof::Open,
        }
    }

    pub fn has_failed(&self) -> bool {
        self.checks.iter().any(|check| check.result == ProbeResult::Failed)
    }
}

/// The agents a feature works with, as they were when something was about to be sent. Stored in the feature's
/// scope, once and whenever it changes, so that its projections need no other scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentsMet {
    pub agents: Vec<MetAgent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetAgent {
    pub agent: AgentName,
    /// As in [`Probed::version`].
    pub version: String,
    pub resume: Resume,
    /// Why its conversations are not continued, as `V3: why`; empty where they may be.
    pub why: String,
}

impl MetAgent {
    /// The same for people.
    pub fn reason(&self) -> &str {
        without_check(&self.why)
    }
}

/// Why an agent is not resumed, without the check that it failed: people do not know the numbers of our checks.
pub fn without_check(why: &str) -> &str {
    match why.split_once(": ") {
        Some((check, rest)) if CheckId::ALL.iter().any(|id| id.name() == check) => rest,
        _ => why,
    }
}
