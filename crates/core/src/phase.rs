//! The phases a feature passes through and the lanes that choose among them.

use crate::ids::BadId;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    Specify,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Specify => "specify",
        }
    }

    /// The file this phase writes, beside the others in the feature's folder.
    pub fn artifact(self) -> &'static str {
        match self {
            Phase::Specify => "spec.md",
        }
    }

    /// The files this phase builds on, in reading order.
    pub fn upstream(self) -> &'static [&'static str] {
        match self {
            Phase::Specify => &["prd.md"],
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Phase {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        match word {
            "specify" => Ok(Phase::Specify),
            _ => Err(BadId::new(word, "a phase (specify)")),
        }
    }
}

/// How much ceremony a feature gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lane {
    Standard,
}

impl Lane {
    pub fn name(self) -> &'static str {
        match self {
            Lane::Standard => "standard",
        }
    }

    pub fn phases(self) -> &'static [Phase] {
        match self {
            Lane::Standard => &[Phase::Specify],
        }
    }
}
