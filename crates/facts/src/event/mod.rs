//! Every fact that can be stored, and the versions of their stored form.
//!
//! Events are the only truth: state, prompts and reports are folded from them. A stored event is never
//! rewritten, so its form is a promise. Changing one means raising its number in [`stored`], teaching
//! [`Event::decode`] to read the old form, and keeping a ledger of the old version as a fixture.
//!
//! Here are the facts of a loop and its dispatches. [`feature`] has those of a feature as a whole, [`question`] what a
//! person is asked and answers, [`comment`] what a person says unasked, [`implementing`] how code is built, [`finish`] how a feature ends,
//! [`host_conversation`] which of a host's conversations answered, [`agent_identity`] which agent was asked,
//! [`ledger_events`] what happened to the ledger itself. Nothing here knows what a fact changes: that is
//! `core::review`.

mod agent_identity;
mod comment;
mod feature;
mod file_dependencies;
mod finish;
mod host_conversation;
mod implementing;
mod ledger_events;
mod question;
mod stored;
mod texts;

use crate::choice::{Choice, Knowledge, Policy};
use crate::findings::{FindingChange, Threshold};
use crate::ids::{AgentName, BlobId, FindingId, Revision, Role, SessionId};
use crate::phase::Phase;
use crate::prelude::*;
use crate::probed::Recall;
use crate::text::one_line;
use crate::ticket::Ticket;
use crate::usage::{Payment, Usage, Usd};
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};

pub use agent_identity::{AgentIdentity, PlayerKind, REHEARSED};
pub use comment::Commented;
pub use feature::{
    Adopted, Brought, BudgetReached, BudgetSet, Cancelled, Compared, CostCorrected, FeatureCreated,
    FeatureLife, FoundBranch, LaneSet, PhaseSkipped, ReviewedChange, Unblocked, WentBack,
};
pub use finish::{
    BankApplied, BankJudged, Challenged, LessonName, MergeHistory, Merged, PutOff, RetroWritten,
};
pub use host_conversation::HostConversation;
pub use implementing::{Built, Extra, PlannedTask, Report, TakenOut};
pub use ledger_events::{Amended, Redacted, Unreadable};
pub use question::{About, Asked, AuthorQuestion, Decided, Decision, Question};
pub use stored::{DecodeError, Event};

/// An event as it stands in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub seq: u64,
    pub at_ms: i64,
    pub event: Event,
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
    /// Whether there was nothing in the loop before: the document was brought, not changed.
    pub first: bool,
    /// For a change that is reviewed by itself: what it is compared with, and what is said about it.
    pub compared: Option<Compared>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    pub pass: u16,
    pub revision: Revision,
    pub gate: String,
    pub passed: bool,
    pub evidence: String,
    /// The command that was run, where the gate is one.
    pub command: String,
    /// How it ended; none where a signal or its time limit ended it.
    pub code: Option<i32>,
    /// How long it took.
    pub wall_ms: u64,
    /// The end of its output if it passed; if it failed, `evidence` has that.
    pub output: String,
    /// The files a command was run on; none where the gate is no command.
    pub checkout: Option<Checkout>,
}

/// The files a check was run on: a checkout of one commit in which no agent has worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkout {
    #[serde(deserialize_with = "crate::ids::stored::object_id")]
    pub commit: String,
    /// All files of that commit.
    pub tree: Revision,
    /// Whether the checkout held nothing but the commit and what `[workspace]` prepares when the checks of this commit
    /// began. Otherwise it also held ignored files of earlier checks, such as what a build keeps.
    pub empty: bool,
    /// The hash of what prepared it: the setup command and the copied files.
    pub prepared: BlobId,
    /// The event whose result this is, where the same check of the same files was not run once more.
    pub same_as: Option<u64>,
    /// What was noticed, a line each: files that setup or the check changed.
    pub notes: Vec<String>,
    /// How far the command was held to its sandbox, and by what, as in `partial: limits (bubblewrap)`. Absent where it
    /// was in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
}

impl Checked {
    /// Whether its result is about the commit alone: it ran without any other files, or is not a command. A failure
    /// that a person went on with counts, too.
    pub fn is_of_the_commit_alone(&self) -> bool {
        let accepted = !self.command.is_empty() && self.code != Some(0);
        self.checkout.as_ref().is_none_or(|checkout| checkout.empty) || accepted
    }

    /// Its result in one line: for a command how it ended and, after a colon, what it printed.
    pub fn in_a_line(&self, chars_max: usize) -> String {
        let printed = |(_, printed): &(&str, &str)| !self.command.is_empty() && !printed.trim().is_empty();
        match self.evidence.split_once('\n').filter(printed) {
            Some((ended, printed)) => one_line(&format!("{ended}: {printed}"), chars_max),
            None => one_line(&self.evidence, chars_max),
        }
    }
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
