//! The answer of a role: one schema for all roles.
//!
//! Only values: an answer is read by `documents::answer`, and whether it can be used is decided in `core::judge`.

use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    pub approved: bool,
    pub summary: String,
    pub answers: Vec<FindingAnswer>,
    pub issues: Vec<Issue>,
    pub checks: Vec<CheckLine>,
    pub verified: Vec<Verified>,
    pub files_read: Vec<FileRead>,
}

/// What a role says about one finding that was open when it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingAnswer {
    pub id: String,
    pub status: AnswerStatus,
    pub note: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    Fixed,
    NotFixed,
    Withdrawn,
}

impl AnswerStatus {
    pub fn name(self) -> &'static str {
        match self {
            AnswerStatus::Fixed => "fixed",
            AnswerStatus::NotFixed => "not_fixed",
            AnswerStatus::Withdrawn => "withdrawn",
        }
    }
}

/// One thing a reviewer found. `line` is 0 and texts are empty where nothing is cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    pub severity: Severity,
    pub category: String,
    pub claim: Claim,
    pub file: String,
    pub line: u32,
    pub section: String,
    pub quote: String,
    pub description: String,
    pub suggestion: String,
    pub same_as: String,
}

/// Ordered: a blocker is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Suggestion,
    Warning,
    Blocker,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Suggestion => "suggestion",
            Severity::Warning => "warning",
            Severity::Blocker => "blocker",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether an issue points at text that is there or says that something is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    Present,
    Absent,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckLine {
    pub name: String,
    pub passed: bool,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verified {
    pub claim: String,
    pub source: String,
    pub result: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRead {
    pub file: String,
    pub lines: u64,
}
