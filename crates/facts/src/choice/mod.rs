//! The stored choice of how a dispatch is sent: by which strategy, under which policy, and what it was expected to
//! cost.
//!
//! Only values. `cost::policy` decides which strategy a policy picks, `cost::cost` what each way costs. Start at
//! [`Choice`].

mod cached;
mod content;
mod lifetime;
mod prediction;

use crate::ids::BadId;
use crate::prelude::*;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

pub use cached::{Cached, CachedConversation, CachedPrefix, Marks};
pub use content::Content;
pub use lifetime::Lifetime;
pub use prediction::{Predicted, Prediction};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// A fresh conversation; upstream artifacts in the prompt, behind cache boundaries.
    Inline,
    /// A fresh conversation; upstream artifacts as paths the agent must read.
    Lazy,
    /// A fresh conversation; only what changed, what is open, and the sections these touch.
    Digest,
    /// The same conversation; only what changed.
    Resume,
}

impl Strategy {
    pub const ALL: [Strategy; 4] = [Strategy::Inline, Strategy::Lazy, Strategy::Digest, Strategy::Resume];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Inline => "inline",
            Strategy::Lazy => "lazy",
            Strategy::Digest => "digest",
            Strategy::Resume => "resume",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The rule of the original design: resume while the resumed prompt has at most half the characters of the
    /// role's first prompt.
    Seed,
    /// The same rule against the effective context: the first prompt and every file it told the role to read.
    Guarded,
    /// Always a fresh conversation.
    Fresh,
    /// Fresh first, then always resumed.
    Resume,
    /// Always a fresh conversation that is sent the upstream artifacts.
    Inline,
    /// A fresh conversation each time. Reviewers whose role has seen the whole document are shown only changes and what
    /// they touch.
    Digest,
    /// Whatever is expected to cost least, this dispatch and the rounds after it together.
    Cost,
}

impl Policy {
    pub const ALL: [Policy; 7] = [
        Policy::Cost,
        Policy::Seed,
        Policy::Guarded,
        Policy::Fresh,
        Policy::Resume,
        Policy::Inline,
        Policy::Digest,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Policy::Seed => "seed",
            Policy::Guarded => "guarded",
            Policy::Fresh => "fresh",
            Policy::Resume => "resume",
            Policy::Inline => "inline",
            Policy::Digest => "digest",
            Policy::Cost => "cost",
        }
    }
}

impl FromStr for Policy {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        Policy::ALL
            .into_iter()
            .find(|policy| policy.name() == word)
            .ok_or_else(|| BadId::new(word, "a policy (cost, seed, guarded, fresh, resume, inline, digest)"))
    }
}

/// What a reviewer must know when it looks again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knowledge {
    /// Everything, in the prompt or in its conversation.
    #[default]
    Full,
    /// Between the first review and the certificate, what changed and its surroundings are enough.
    Scoped,
}

impl Knowledge {
    pub const ALL: [Knowledge; 2] = [Knowledge::Full, Knowledge::Scoped];

    pub fn name(self) -> &'static str {
        match self {
            Knowledge::Full => "full",
            Knowledge::Scoped => "scoped",
        }
    }
}

impl FromStr for Knowledge {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        Knowledge::ALL
            .into_iter()
            .find(|knowledge| knowledge.name() == word)
            .ok_or_else(|| BadId::new(word, "what a reviewer must know (full, scoped)"))
    }
}

/// The stored choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    pub strategy: Strategy,
    pub why: String,
    /// What it was expected to cost; none where the agent's prices are not known at all.
    pub prediction: Option<Prediction>,
}

impl Choice {
    /// A choice without a predicted cost.
    pub fn new(strategy: Strategy, why: impl Into<String>) -> Choice {
        Choice { strategy, why: why.into(), prediction: None }
    }
}
