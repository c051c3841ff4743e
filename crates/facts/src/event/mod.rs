//! Every fact that can be stored, and the versions of their stored form.
//!
//! Events are the only truth: state, prompts and reports are folded from them. A stored event is never
//! rewritten, so its form is a promise. Changing one means raising its number in [`stored`], teaching
//! [`Event::decode`] to read the old form, and keeping a ledger of the old version as a fixture.
//!
//! Here are the facts of a loop under way: what was drafted, judged, edited and closed. [`loop_opened`] has its rules,
//! [`dispatch`] the facts of its dispatches, [`checked`] those of its gates. [`feature`] has the facts of a feature as a
//! whole, [`question`] what a person is asked and answers, [`comment`] what a person says unasked, [`implementing`] how
//! code is built, [`finish`] how a feature ends, [`host_conversation`] which of a host's conversations answered,
//! [`agent_identity`] which agent was asked, [`sharing`] which clone drives, [`ledger_events`] what happened to the ledger
//! itself. Nothing here knows what a fact changes: that is `core::review`.

mod agent_identity;
mod checked;
mod comment;
mod dispatch;
mod feature;
mod file_dependencies;
mod finish;
mod host_conversation;
mod implementing;
mod ledger_events;
mod loop_opened;
mod question;
mod sharing;
mod stored;
mod texts;

use crate::findings::FindingChange;
use crate::ids::{FindingId, Revision, Role};
use crate::phase::Phase;
use crate::prelude::*;
use crate::ticket::Ticket;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};

pub use agent_identity::{AgentIdentity, PlayerKind, REHEARSED};
pub use checked::{Checked, Checkout};
pub use comment::Commented;
pub use dispatch::{AfterFailure, Answered, Failed, Lost, Raised, RanCheck, Started, TreeMark};
pub use feature::{
    Adopted, Brought, BudgetReached, BudgetSet, Cancelled, Compared, CostCorrected, FeatureCreated,
    FeatureLife, FoundBranch, LaneSet, PhaseSkipped, ReviewedChange, Unblocked, WentBack,
};
pub use finish::{
    BankApplied, BankJudged, Challenged, LessonName, MergeHistory, Merged, PutOff, RetroWritten,
};
pub use host_conversation::HostConversation;
pub use implementing::{
    Built, Combined, CombinedStep, Conflict, Enqueued, Extra, JobsSet, PlannedTask, Report, Slot, TakenOut,
};
pub use ledger_events::{Amended, Redacted, SigningBegan, Unreadable};
pub use loop_opened::{Certify, Limits, LoopOpened, Panel, PanelRole};
pub use question::{About, Asked, AuthorQuestion, Decided, Decision, Question};
pub use sharing::{Against, DriverChanged, ProposalSettled};
pub use stored::{DecodeError, Event};

/// An event as it stands in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub seq: u64,
    pub at_ms: i64,
    pub event: Event,
}

/// The beginning of a draft's note that says what was found in place of the document.
pub const LEFT_INSTEAD: &str = "in its place was ";

/// An author's answer as a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drafted {
    pub ticket: Ticket,
    /// None: there is no artifact, so the attempt does not count as a draft.
    pub revision: Option<Revision>,
    /// The commit that holds it; empty when nothing changed.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    /// The author's fix summary, sent to the reviewers.
    pub summary: String,
    pub notes: Vec<String>,
    /// What it asks instead of drafting.
    pub questions: Vec<AuthorQuestion>,
    /// The findings it declines, each with its reason; absent where it declines none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "list_or_null")]
    pub declined: Vec<Declined>,
}

/// A finding that an author leaves as it is, because it holds it to be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declined {
    pub id: FindingId,
    pub why: String,
}

/// What is left out where it is not so.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_not(value: &bool) -> bool {
    !value
}

fn not_or_null<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

/// A list that is left out where it is empty.
fn list_or_null<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(from).map(Option::unwrap_or_default)
}

/// A reviewer's answer as a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    pub ticket: Ticket,
    pub judgement: Judgement,
    pub verdict: Verdict,
    pub changes: Vec<FindingChange>,
    /// Whether a late blocker was admitted, which uses up one late round.
    pub late: bool,
    pub notes: Vec<String>,
    /// Whether it rejects only for reasons that do not count: a person has ruled on them, they were put off, or what they
    /// cite was not found.
    pub settled: bool,
}

impl Judged {
    /// Whether the approval is the program's conclusion: the role said no, and all it said it for is put aside.
    pub fn is_computed(&self) -> bool {
        self.judgement == Judgement::Approved && !self.verdict.approved
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Judgement {
    Approved,
    Rejected,
    /// The answer could not be used; ask once more in the same conversation.
    Repair {
        why: String,
    },
    /// The answer could not be used and a repair turn is not left or did not help.
    NoVerdict {
        why: String,
    },
}

/// A person changed the named paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edited {
    pub revision: Revision,
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    pub by: String,
    /// Whether there was nothing in the loop before, or nothing but what an adopted feature began with: it was brought, not
    /// changed.
    pub first: bool,
    /// For a change that is reviewed by itself: what it is compared with, and what is said about it.
    pub compared: Option<Compared>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageClosed {
    pub pass: u16,
    pub stage: u16,
    pub outcome: StageOutcome,
    /// The stage's review round at which it ended.
    pub round: u16,
    pub revision: Revision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageOutcome {
    Approved,
    /// A person accepted what was open at the cap.
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseClosed {
    pub phase: Phase,
    pub pass: u16,
    pub revision: Revision,
    pub approvals: Vec<Approval>,
    /// Findings put off, and findings settled by a person: what the close leaves behind.
    pub deferred: Vec<FindingId>,
    pub ruled: Vec<FindingId>,
    /// Findings that a person overruled; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "list_or_null")]
    pub overruled: Vec<FindingId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    pub role: Role,
    pub revision: Revision,
    pub ticket: Ticket,
    /// Whether the conversation that wrote the text gave it.
    pub same_hand: bool,
}
