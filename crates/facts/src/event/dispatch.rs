//! How a dispatch goes: it starts, may cost more than was reserved, and is answered, fails or is lost.

use super::{AgentIdentity, HostConversation, Slot};
use crate::choice::Choice;
use crate::ids::{AgentName, BlobId, Revision, SessionId};
use crate::prelude::*;
use crate::probed::Recall;
use crate::ticket::Ticket;
use crate::usage::{Payment, Usage, Usd};
use serde::{Deserialize, Serialize};

/// An agent is about to be called. Written before the call, so that a crash cannot hide one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Started {
    pub ticket: Ticket,
    pub agent: AgentName,
    /// The revision this dispatch is about; none before the first draft.
    pub sees: Option<Revision>,
    /// The revision a delta in the prompt starts from.
    pub since: Option<Revision>,
    pub choice: Choice,
    pub prompt: BlobId,
    /// Characters of the prompt itself.
    pub prompt_chars: u64,
    /// Characters of the prompt and of every file it told the role to read.
    pub context_chars: u64,
    /// The session that is continued, or the one we chose for a new conversation.
    pub session: Option<SessionId>,
    pub tree: TreeMark,
    pub reserved: Usd,
    pub expires_ms: i64,
    /// What the history says about this dispatch, e.g. that the revision last shown is lost.
    pub markers: Vec<String>,
    /// Tools of the role that its agent could not offer; a fresh prompt names them.
    pub missing: Vec<String>,
    /// The entries of the knowledge bank that its prompt names, as `heuristic: Name`.
    pub told: Vec<String>,
    /// Whether it was handed out to a host that came for it, so that its end is not seen here until it is submitted or
    /// expires.
    pub pull: bool,
    /// What the agent was: program, version and model.
    pub player: AgentIdentity,
    /// The code that it gives or asks for; absent where nothing is to be proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<Recall>,
    /// How far the commands of this dispatch are held to a sandbox, and by what, as in `partial: limits (bubblewrap)`;
    /// absent where it is in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// The worktree of its own that it works in; absent where it works in the feature's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
}

/// A dispatch under way may cost more than was reserved for it. Written before it goes on, so that a crash cannot hide
/// what it may have cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raised {
    pub ticket: Ticket,
    /// What is reserved for it in all from now on.
    pub reserved: Usd,
}

/// The state of a worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeMark {
    /// The commit HEAD pointed to.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub head: String,
    /// The ref HEAD named, e.g. `refs/heads/feature/031-x`; empty when detached.
    #[serde(deserialize_with = "crate::ids::stored::branch")]
    pub branch: String,
    /// The tree the index would write.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub index: String,
    /// The tree of all files that are not ignored.
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub work: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    pub ticket: Ticket,
    pub answer: BlobId,
    pub usage: Usage,
    pub session: Option<SessionId>,
    /// Files the agent really opened; none where it cannot tell.
    pub opened: Option<Vec<String>>,
    /// What it did against its rules; undone, and kept under `refs/redraft/lost/`.
    pub undone: Vec<String>,
    pub wall_ms: u64,
    /// Tools it asked for and was denied, and what it refused to do.
    pub denials: Vec<String>,
    /// What a person should know about how it went, such as why the cache was missed.
    pub notes: Vec<String>,
    /// Whether it was made to answer in the verdict's form and did not; no verdict is then read from its text.
    pub formless: bool,
    /// When its last request was sent, in milliseconds since 1970: the cache was last used then. None where the agent
    /// cannot tell.
    pub asked_ms: Option<i64>,
    /// How many requests the bill is for; none where the agent cannot tell.
    pub requests: Option<u32>,
    /// The conversation it comes from, where a host submitted it.
    pub hand: Option<HostConversation>,
    /// Who pays for it.
    pub payment: Payment,
    /// How much of its cost no bill confirms: requests that broke off, or whose service reported nothing, count as the
    /// most they can have cost.
    pub unknown: Usd,
    /// The project's checks that it had run once more while it reviewed; absent where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<Vec<RanCheck>>,
}

/// A check of the project that a reviewer had run once more, in a throw-away copy of what it reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RanCheck {
    pub gate: String,
    /// What was run: the check's command, with the name of one test where one was asked for.
    pub command: String,
    /// None where a signal or a time limit ended it.
    pub code: Option<i32>,
    pub wall_ms: u64,
    /// The end of what it printed.
    pub output: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    pub ticket: Ticket,
    pub now: AfterFailure,
    pub detail: String,
    /// The known cost; an unknown one counts as what was reserved.
    pub usage: Option<Usage>,
    pub undone: Vec<String>,
    /// The answer of a continued conversation that did not have the code it was asked for; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgot: Option<BlobId>,
}

/// What an agent's error means for the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterFailure {
    /// Try again in the same conversation after this many milliseconds.
    Wait(u64),
    /// A usage limit is reached that ends at this time, in milliseconds since 1970; nothing is tried before.
    ParkUntil(i64),
    /// The conversation is gone or refused; start a new one.
    FreshSession,
    /// No retry can help; a person must decide.
    AskPerson,
    /// It was stopped because it could cost this much in all, and the budget does not have that left.
    OverBudget(Usd),
    /// This attempt is over; another may work.
    GiveUp,
}

/// A started dispatch whose end was not seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lost {
    pub ticket: Ticket,
    /// What it cost, where an interrupted agent knows that; otherwise what had been reserved, because it may have cost
    /// that much. The budget counts it.
    pub cost: Usd,
    pub undone: Vec<String>,
}
