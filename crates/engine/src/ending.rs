//! The ways a run ends: the reasons it comes to rest ([`Stop`]), and its errors ([`EngineError`]). Nothing here drives
//! anything; the callers choose words and exit codes.

use crate::ports::{CommitRefused, MergeError, StoreError, WorkspaceError};
use redraft_core::review::{DispatchOrder, Rejected};
use redraft_cost::price::OverBudget;
use redraft_facts::event::{Commented, Decision, Question};
use redraft_facts::ids::{FeatureId, Revision};
use redraft_facts::phase::Phase;
use redraft_facts::text;
use redraft_facts::ticket::{Scope, Ticket};
use std::path::PathBuf;

/// Why a run came to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is left to do.
    Done,
    /// A revision is due, and it is left to a person.
    Findings,
    /// A person must decide.
    Asking(Question),
    /// The next dispatch could cost more than is left.
    OverBudget { ticket: Ticket, over: OverBudget },
    /// The same for what it may spend together with other features: its own budget would do.
    OverShared { ticket: Ticket, over: OverBudget },
    /// An agent's usage limit is reached until this time, in milliseconds since 1970; the same command continues.
    Parked(i64),
    /// Work is out with hosts, or is pending and not this run's to send.
    Host(UnsentWork),
    /// The user asked it to stop; the same command continues.
    Interrupted,
}

/// Work that a run waits for and does not send itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnsentWork {
    /// Handed out to hosts and not expired, each with its expiry in milliseconds since 1970.
    pub out: Vec<(Ticket, i64)>,
    /// Not handed out yet: the orders for hosts, and the others.
    pub hosts: Vec<DispatchOrder>,
    pub others: Vec<DispatchOrder>,
}

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error("event {seq} does not follow from the ones before it: {rejected}")]
    History { seq: u64, rejected: Rejected },
    #[error("the ledger of {scope} ends at event {last}, but branch {branch} was written at event {seen}")]
    LedgerBehind { scope: Scope, branch: String, last: u64, seen: u64 },
    #[error("the ledger of {scope} does not belong to branch {branch}: event {seq} names commit {}, which is not in this repository", &commit[..commit.len().min(10)])]
    LedgerElsewhere { scope: Scope, branch: String, seq: u64, commit: String },
    #[error("{0} is not in this ledger")]
    Unknown(Scope),
    #[error("{0}")]
    Agent(String),
    #[error("{ticket}: the answer cannot be stored: {detail}")]
    Inbox { ticket: Ticket, detail: String },
    #[error("{phase} of feature {feature} cannot begin: {path}, written in {earlier}, is missing")]
    Prerequisite { feature: FeatureId, phase: Phase, earlier: Phase, path: String },
    #[error(
        "{phase} of feature {feature} cannot go on: {path} was edited after {earlier} closed, and nobody has \
            reviewed the edit"
    )]
    Changed { feature: FeatureId, phase: Phase, earlier: Phase, path: String, revision: Revision },
    #[error(
        "feature {feature} cannot be merged: its branch changes {path}, and no reviewer has read its code"
    )]
    Unreviewed { feature: FeatureId, path: String },
    #[error(
        "feature {feature} cannot be merged: {into} was merged into its branch after its code was approved, and nobody has \
         reviewed what that means for {path}"
    )]
    BaseMerged { feature: FeatureId, into: String, path: String },
    #[error("feature {feature} was closed with the check `{gate}`, which is no longer configured")]
    CheckGone { feature: FeatureId, gate: String },
    #[error("implement of feature {feature} cannot begin: {path}: {detail}")]
    Tasks { feature: FeatureId, path: String, detail: String },
    #[error("the phase was begun with the check `{gate}`, which is no longer configured")]
    NoSuchCheck { gate: String },
    #[error("commit {} does not hold the version of {} that is to be \
        reviewed", &commit[..commit.len().min(10)], files.join(", "))]
    Uncommitted { commit: String, files: Vec<String> },
    #[error("the check `{name}` could not be run: {detail}")]
    Check { name: String, detail: String },
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error("feature {feature} was not begun on a branch, so there is no branch to merge it into")]
    NoBase { feature: FeatureId, branch: String },
    #[error("feature {feature} cannot be merged into {into}: both have changed {}", files.join(", "))]
    Conflict { feature: FeatureId, branch: String, into: String, files: Vec<String>, folder: PathBuf },
    #[error("feature {feature} is not finished yet, so it is not merged")]
    Unfinished { feature: FeatureId },
    #[error(
        "the base of feature {feature} has moved on, and the check `{name}` fails on what would be merged now: {detail}"
    )]
    FailsMerged { feature: FeatureId, name: String, detail: String },
    #[error("the comments that wait for {scope} cannot be read: {detail}")]
    CommentBox { scope: Scope, detail: String },
    #[error("there is no open question")]
    NothingAsked,
    #[error("`{}` is not a choice for: {}", choice.name(), question.text)]
    NotAChoice { choice: Decision, question: Question },
    #[error("{0}")]
    NoReason(&'static str),
    #[error("what you say has {chars} characters; at most {} are allowed", Commented::TEXT_CHARS_MAX)]
    TooLong { chars: usize },
    #[error("{} for {}", text::count(*given, "answer"), text::count(*asked, "question"))]
    Answers { given: usize, asked: usize },
    #[error("there is no way to send {0}")]
    Unsendable(Ticket),
    #[error("the engine stored a fact the machine does not accept: {0}")]
    Bug(Rejected),
}

impl EngineError {
    pub(crate) fn no_open_loop() -> EngineError {
        EngineError::Bug(Rejected { what: "an effect without an open loop".to_owned() })
    }
}

/// Whether an error can come from Ctrl-C, which also reaches git and the program that signs for it; the next run does
/// again what it interrupted. Every other error is reported, whether or not the user wanted to stop.
pub(crate) fn of_a_signal(error: &EngineError) -> bool {
    use WorkspaceError::{Commit, Interrupted};
    matches!(error, EngineError::Workspace(Interrupted { .. } | Commit(CommitRefused::Signing(_))))
}

pub(crate) fn crashed() -> EngineError {
    EngineError::Agent("an agent's thread ended in a panic; this is a bug in redraft".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_git_and_what_signs_for_it_can_fail_of_a_signal() {
        let command = "git add".to_owned();
        let signing = WorkspaceError::Commit(CommitRefused::Signing("cancelled".to_owned()));
        for error in [WorkspaceError::Interrupted { command: command.clone() }, signing] {
            assert!(of_a_signal(&error.into()));
        }
        let detail = "x".to_owned();
        let damaged = StoreError::Damaged { path: "ledger.db".to_owned(), detail: detail.clone() };
        let others = [
            EngineError::from(damaged),
            WorkspaceError::Git { command, detail: detail.clone() }.into(),
            WorkspaceError::Full(detail.clone()).into(),
            WorkspaceError::Commit(CommitRefused::NoIdentity).into(),
            EngineError::Agent(detail),
        ];
        assert!(!others.iter().any(of_a_signal));
    }
}
