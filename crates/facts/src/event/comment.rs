//! What a person says about a phase's document or code, unasked. It becomes a finding of theirs.

use crate::findings::{Finding, Status};
use crate::ids::{CommentId, FindingId, Role};
use crate::phase::Phase;
use crate::prelude::*;
use crate::verdict::{Claim, Severity};
use serde::{Deserialize, Serialize};

/// A person commented on a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commented {
    /// Given where it was typed, so that it is stored once however often it is delivered.
    pub id: CommentId,
    pub phase: Phase,
    /// The finding that it becomes, or opens again.
    pub finding: FindingId,
    /// Whether that finding is there already.
    pub reopens: bool,
    /// A blocker must be met; a warning may be left.
    pub severity: Severity,
    /// Where it is about, as far as that was said; the line is 0 otherwise.
    pub file: String,
    pub line: u32,
    pub text: String,
    pub by: String,
}

impl Commented {
    /// Begins the ids of people's findings.
    pub const LETTER: char = 'U';

    /// More characters of a person are not taken: as much as a prompt shows of a finding. Longer texts belong into a
    /// document.
    pub const TEXT_CHARS_MAX: usize = 4_000;

    /// Opens a finding again. The reason is kept as what the person suggests, because a reviewer that looks at it next
    /// puts its own note in the place of this one.
    pub fn open_again(&self, known: &mut Finding) {
        known.status = Status::Open;
        known.severity = self.severity;
        known.note = format!("opened again by {}: {}", self.by, self.text);
        known.suggestion.clone_from(&self.text);
    }

    /// The finding that it becomes; `judge` says whether it is met.
    pub fn finding(&self, judge: Role) -> Finding {
        Finding {
            id: self.finding.clone(),
            role: judge,
            round: 0,
            severity: self.severity,
            category: "comment".to_owned(),
            claim: Claim::Absent,
            file: self.file.clone(),
            line: self.line,
            section: String::new(),
            quote: String::new(),
            description: self.text.clone(),
            suggestion: String::new(),
            status: Status::Open,
            late: false,
            unverified: None,
            note: String::new(),
            by: Some(self.by.clone()),
        }
    }
}
