//! How a review loop begins, with the rules that hold in it.

use super::finish::{self, PutOff};
use super::implementing::{Extra, PlannedTask};
use super::{is_not, not_or_null};
use crate::choice::{Knowledge, Policy};
use crate::findings::Threshold;
use crate::ids::{BlobId, Revision, Role};
use crate::phase::Phase;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// A review loop begins: one phase, one pass. Its rules are stored, so a later change of the configuration
/// never re-judges what happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopOpened {
    pub phase: Phase,
    pub pass: u16,
    pub author: Role,
    pub panels: Vec<Panel>,
    /// The named paths whose tree is the revision; the first is the artifact under review.
    pub paths: Vec<String>,
    pub gates: Vec<String>,
    pub limits: Limits,
    pub rule: Threshold,
    pub certify: Certify,
    pub policy: Policy,
    /// What a reviewer must know when it looks again.
    pub knowledge: Knowledge,
    /// Hash of the configuration it was opened under.
    pub config: BlobId,
    /// What the phase builds on, as it stood when the loop was opened.
    pub base: Option<Revision>,
    /// The roles whose texts a file of the repository replaces, with that file.
    pub profiles: BTreeMap<Role, BlobId>,
    /// What its roles are told about the project the feature belongs to.
    pub project: Option<BlobId>,
    /// The tasks in the order they are carried out; only where code is built.
    pub tasks: Vec<PlannedTask>,
    /// What is done between the last task and the first review, and by whom.
    pub extras: BTreeMap<Extra, Role>,
    /// The commands of the project's own checks by their names: of those that are gates and, where work is planned, of
    /// all that will be.
    pub checks: BTreeMap<String, String>,
    /// Whether a person is asked before code is written.
    pub asks_first: bool,
    /// What the role that looks back on the feature is told.
    pub bundle: Option<BlobId>,
    /// The knowledge bank of the worktree as it stood when the loop was opened, where it had any entries.
    pub bank: Option<BlobId>,
    /// Whether a host's conversation may also review the text it wrote; never as a certificate.
    pub same_hand: bool,
    /// Blockers that were put off in earlier loops and are taken up now: in a new pass of their phase they are open again;
    /// where the feature ends, a person rules on them. Left out where there are none.
    #[serde(default, deserialize_with = "finish::left_out", skip_serializing_if = "Vec::is_empty")]
    pub put_off: Vec<PutOff>,
    /// What the repository says about how work is done in it, where it says anything. Left out otherwise, as it is in
    /// events from before it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conventions: Option<BlobId>,
    /// Whether a person is asked to approve what the phase made before it closes; left out where not.
    #[serde(default, skip_serializing_if = "is_not", deserialize_with = "not_or_null")]
    pub asks_after: bool,
}

impl LoopOpened {
    /// Whether the loop is about code, not about a document.
    pub fn is_code(&self) -> bool {
        self.phase == Phase::Implement
    }

    /// Whether a returning reviewer may be shown only what changed and what that touches.
    pub fn may_digest(&self) -> bool {
        self.knowledge == Knowledge::Scoped || self.policy == Policy::Digest
    }
}

/// The reviewers of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    pub roles: Vec<PanelRole>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelRole {
    pub role: Role,
    /// Begins the ids of this role's findings.
    pub letter: char,
}

/// The limits of a loop. Nothing in the machine runs past one of these without a person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Review rounds per stage.
    pub rounds: u16,
    /// Sends of one dispatch before a person is asked; lost ones are not counted.
    pub attempts: u16,
    /// Repair turns per attempt.
    pub repairs: u16,
    /// Failed gates in a row before a person is asked.
    pub gates: u16,
    /// Rounds of a loop in which a blocker outside the delta is admitted.
    pub late_rounds: u16,
    /// How often a certificate may reopen the phase.
    pub reopenings: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { rounds: 5, attempts: 3, repairs: 1, gates: 3, late_rounds: 1, reopenings: 1 }
    }
}

/// Who signs a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certify {
    /// Older approvals are validated, in the role's own conversation where it lasts.
    Resume,
    /// Also one approval of the closing revision by a conversation that saw no earlier one.
    Fresh,
    /// Older approvals are not validated.
    Off,
}

impl Certify {
    pub const ALL: [Certify; 3] = [Certify::Resume, Certify::Fresh, Certify::Off];

    pub fn name(self) -> &'static str {
        match self {
            Certify::Resume => "resume",
            Certify::Fresh => "fresh",
            Certify::Off => "off",
        }
    }
}
