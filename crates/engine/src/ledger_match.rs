//! Checks that a ledger and a feature's branch belong together: neither may be ahead of the other.
//!
//! Our commits say at which event they were made, and events name commits. So the commits reveal a ledger that is older
//! than the branch; the last commit that the ledger names reveals one that comes from another repository or is newer
//! than this branch.

use crate::ending::EngineError;
use crate::ports::{Workspace, WorkspaceError};
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_facts::ids::Revision;

/// Refuses a ledger that does not fit the branch of the worktree.
pub fn require_ledger_matches_branch(
    workspace: &dyn Workspace,
    created: &FeatureCreated,
    state: &Pipeline,
    entries: &[Entry],
) -> Result<(), EngineError> {
    // The commits of a change that is only reviewed are other people's, and their trailers refer to other things.
    if created.change.is_some() {
        return Ok(());
    }
    let (scope, branch) = (created.scope(), created.branch.clone());
    let found = entries.iter().find_map(|entry| match &entry.event {
        Event::Adopted(fact) => fact.branch.as_ref(),
        _ => None,
    });
    // Events of several clones have other numbers in each, and a log of each clone says what belongs together.
    if entries.iter().any(|entry| matches!(entry.event, Event::DriverChanged(_))) {
        return match missing(workspace, entries, u64::MAX)? {
            None => Ok(()),
            Some((seq, commit)) => Err(EngineError::LedgerElsewhere { scope, branch, seq, commit }),
        };
    }
    let seen = workspace.newest_seq(found.map_or(&created.base_commit, |found| &found.tip))?;
    // In a rebased branch the commits of the other ledger come after its tip, too.
    let elsewhere = found.is_some_and(|found| found.seq == seen);
    if seen > state.seq && !elsewhere {
        return Err(EngineError::LedgerBehind { scope, branch, last: state.seq, seen });
    }
    if created.is_review() || state.merged.is_some() || state.cancelled {
        return Ok(());
    }
    match missing(workspace, entries, seen)? {
        None => Ok(()),
        Some((seq, commit)) => Err(EngineError::LedgerElsewhere { scope, branch, seq, commit }),
    }
}

/// The last commit that an event names, if it is not in this repository and nothing of ours has taken its place.
fn missing(
    workspace: &dyn Workspace,
    entries: &[Entry],
    seen: u64,
) -> Result<Option<(u64, String)>, WorkspaceError> {
    let mut named = entries.iter().rev().filter_map(|entry| Some((entry.seq, named(&entry.event)?)));
    let Some((seq, (commit, revision))) = named.next() else { return Ok(None) };
    if !workspace.is_missing(commit)? {
        return Ok(None);
    }
    // In a rebased branch the commit has another id, but its trailer still says that it was made after what the event
    // before names.
    let before = named.find(|(_, (earlier, _))| *earlier != commit).map_or(1, |(seq, _)| seq);
    let content = match revision {
        Some(revision) => !workspace.is_missing(revision.as_str())?,
        None => true,
    };
    Ok((seen < before || !content).then(|| (seq, commit.to_owned())))
}

/// The last commit of ours that the events name.
pub fn last_commit(entries: &[Entry]) -> Option<&str> {
    entries.iter().rev().find_map(|entry| named(&entry.event)).map(|(commit, _)| commit)
}

/// The commit on the feature's branch that an event names, with what it holds.
fn named(event: &Event) -> Option<(&str, Option<&Revision>)> {
    let (commit, revision) = match event {
        Event::Drafted(fact) => (&fact.commit, fact.revision.as_ref()),
        Event::Built(fact) => (&fact.commit, Some(&fact.revision)),
        Event::TakenOut(fact) => (&fact.commit, Some(&fact.revision)),
        Event::RetroWritten(fact) => (&fact.commit, None),
        Event::BankJudged(fact) => (&fact.commit, None),
        Event::BankApplied(fact) => (&fact.commit, None),
        // An edit or a merge may name a commit of the base.
        _ => return None,
    };
    (!commit.is_empty()).then_some((commit.as_str(), revision))
}
