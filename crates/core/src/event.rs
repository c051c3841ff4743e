//! Every fact that can be stored, and the versions of their stored form.
//!
//! Events are the only truth: state, prompts and reports are folded from them. A stored event is never
//! rewritten, so its form is a promise. Changing one means raising its number in [`Event::version`], teaching
//! [`Event::decode`] to read the old form, and keeping a ledger of the old version as a fixture.

use crate::findings::{FindingChange, Threshold};
use crate::ids::{AgentName, BlobId, FeatureId, FindingId, Revision, Role, SessionId};
use crate::phase::{Lane, Phase};
use crate::policy::{Choice, Policy};
use crate::prelude::*;
use crate::ticket::Ticket;
use crate::usage::{Usage, Usd};
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// An event as it stands in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub seq: u64,
    pub at_ms: i64,
    pub event: Event,
}

/// A feature begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureCreated {
    pub id: FeatureId,
    pub slug: String,
    pub idea: String,
    pub lane: Lane,
    /// The branch the user was on; empty when HEAD was detached.
    pub base_branch: String,
    pub base_commit: String,
    pub branch: String,
    /// The PRD that was put into the feature's folder.
    pub prd: Option<BlobId>,
}

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
    /// Hash of the configuration it was opened under.
    pub config: BlobId,
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

/// What bounds a loop. Nothing in the machine runs past one of these without a person's decision.
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
}

/// Where a worktree stood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeMark {
    /// The commit HEAD pointed to.
    pub head: String,
    /// The ref HEAD named, e.g. `refs/heads/feature/031-x`; empty when detached.
    pub branch: String,
    /// The tree the index would write.
    pub index: String,
    /// The tree of all files that are not ignored.
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
    /// What it did that it must not do; undone, and kept under `refs/redraft/lost/`.
    pub undone: Vec<String>,
    pub wall_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    pub ticket: Ticket,
    pub now: Now,
    pub detail: String,
    /// What is known of the cost; unknown counts as what was reserved.
    pub usage: Option<Usage>,
    pub undone: Vec<String>,
}

/// What an agent's error means for the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Now {
    /// Try again in the same conversation after this many milliseconds.
    Wait(u64),
    /// A usage limit is reached that ends at this time, in milliseconds since 1970; nothing is tried before.
    ParkUntil(i64),
    /// The conversation is gone or refused; start a new one.
    FreshSession,
    /// No retry can help; a person must decide.
    AskPerson,
    /// This attempt is over; another may work.
    GiveUp,
}

/// A started dispatch whose end nobody saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lost {
    pub ticket: Ticket,
    /// What had been reserved; counts as spent, because it may have been.
    pub cost: Usd,
    pub undone: Vec<String>,
}

/// An author's answer as a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drafted {
    pub ticket: Ticket,
    /// None: there is no artifact, so the attempt does not count as a draft.
    pub revision: Option<Revision>,
    /// The commit that holds it; empty when nothing changed.
    pub commit: String,
    /// The author's fix summary, sent to the reviewers.
    pub summary: String,
    pub notes: Vec<String>,
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
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    pub commit: String,
    pub by: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    pub pass: u16,
    pub revision: Revision,
    pub gate: String,
    pub passed: bool,
    pub evidence: String,
}

/// Something only a person can decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub pass: u16,
    /// Counts the questions of a loop, so that an answer cannot be taken for another one's.
    pub number: u32,
    pub about: About,
    pub text: String,
    pub choices: Vec<Decision>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// A stage used up its rounds.
    Cap { stage: u16 },
    /// A role could not be made to answer.
    Agent { role: Role },
    /// Gates failed too often in a row.
    Gate,
    /// The author changed nothing, twice.
    Unchanged,
    /// Fresh eyes found blockers again after the phase had been reopened.
    Certificate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Go on as it is; what is open is settled by this ruling.
    Accept,
    /// The person has fixed it: a new pass, with new conversations.
    Rerun,
    /// Try the same again.
    Retry,
    /// Give the feature up.
    Abandon,
}

impl Decision {
    pub const ALL: [Decision; 4] = [Decision::Accept, Decision::Rerun, Decision::Retry, Decision::Abandon];

    pub fn name(self) -> &'static str {
        match self {
            Decision::Accept => "accept",
            Decision::Rerun => "rerun",
            Decision::Retry => "retry",
            Decision::Abandon => "abandon",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pub question: Question,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    pub pass: u16,
    pub number: u32,
    pub about: About,
    pub choice: Decision,
    pub by: String,
    pub why: String,
    /// The findings this settles.
    pub ruled: Vec<FindingId>,
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
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    pub role: Role,
    pub revision: Revision,
    pub ticket: Ticket,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancelled {
    pub by: String,
    pub why: String,
}

/// A person accepted the commands of `redraft.toml`, by hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trusted {
    pub commands: BlobId,
    pub by: String,
}

/// Why a stored event could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error(
        "event kind `{kind}` version {version} was written by a newer redraft; this one reads up to version {known}"
    )]
    Newer { kind: String, version: u16, known: u16 },
    #[error("event kind `{kind}` is not known to this redraft")]
    UnknownKind { kind: String },
    #[error("a stored `{kind}` event does not have the form of its version: {detail}")]
    Malformed { kind: String, detail: String },
}

macro_rules! events {
    ($($kind:literal $version:literal $name:ident),+ $(,)?) => {
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Event {
            $($name($name),)+
        }

        impl Event {
            /// The stored name of the kind.
            pub fn kind(&self) -> &'static str {
                match self { $(Event::$name(_) => $kind,)+ }
            }

            /// The version this program writes.
            pub fn version(&self) -> u16 {
                match self { $(Event::$name(_) => $version,)+ }
            }

            /// The stored form.
            pub fn encode(&self) -> String {
                let json = match self { $(Event::$name(body) => serde_json::to_string(body),)+ };
                json.expect("events hold only strings, numbers, lists and text-keyed structs")
            }

            /// Reads a stored form, upgrading older versions.
            pub fn decode(kind: &str, version: u16, body: &str) -> Result<Event, DecodeError> {
                match kind {
                    $($kind => {
                        if version > $version {
                            return Err(DecodeError::Newer { kind: kind.to_owned(), version, known: $version });
                        }
                        serde_json::from_str(body).map(Event::$name).map_err(|error| DecodeError::Malformed {
                            kind: kind.to_owned(),
                            detail: error.to_string(),
                        })
                    })+
                    _ => Err(DecodeError::UnknownKind { kind: kind.to_owned() }),
                }
            }
        }

        $(impl From<$name> for Event {
            fn from(body: $name) -> Event {
                Event::$name(body)
            }
        })+
    };
}

events! {
    "feature-created" 1 FeatureCreated,
    "loop-opened" 1 LoopOpened,
    "started" 1 Started,
    "answered" 1 Answered,
    "failed" 1 Failed,
    "lost" 1 Lost,
    "drafted" 1 Drafted,
    "judged" 1 Judged,
    "edited" 1 Edited,
    "checked" 1 Checked,
    "asked" 1 Asked,
    "decided" 1 Decided,
    "stage-closed" 1 StageClosed,
    "phase-closed" 1 PhaseClosed,
    "cancelled" 1 Cancelled,
    "trusted" 1 Trusted,
}
