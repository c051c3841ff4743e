//! Commits named paths, with the trailers that tie the commits to the ledger.
//!
//! Only `git commit` itself signs the way the user configured, so it is used as it is; what other people staged stays
//! staged and uncommitted.

use super::error::GitError;
use super::files::Kind;
use super::holder::holder;
use super::repository::Repository;
use super::run::Call;
use super::workspace::GitWorkspace;
use super::worktree_state::head_and_branch;
use super::{index_form, objects};
use redraft_engine::ports::{Commit, CommitRefused, Trailers, WorkspaceError};
use redraft_facts::event::FoundBranch;
use redraft_facts::text::one_line;
use std::path::Path;

const TICKET: &str = "Redraft-Ticket";
const SEQ: &str = "Redraft-Seq";
const AGENT: &str = "Redraft-Agent";
const APPROVED: &str = "Redraft-Approved";

/// Commits exactly these paths; none when they are as in HEAD.
pub(super) fn commit(
    workspace: &GitWorkspace,
    paths: &[String],
    message: &str,
    trailers: &Trailers,
) -> Result<Option<Commit>, WorkspaceError> {
    require_branch(workspace)?;
    let mut named = Vec::new();
    let mut unknown = Vec::new();
    for path in paths {
        let gone = workspace.files.kind(path)? == Kind::Absent;
        match (gone, is_in_head(workspace, path)?) {
            (true, false) => continue,
            (false, false) => unknown.push(path.as_str()),
            // `git commit` takes what it knows by name, changed or gone.
            (_, true) => {}
        }
        named.push(path.as_str());
    }
    if named.is_empty() {
        return Ok(None);
    }
    workspace.refresh_listing()?;
    stage(workspace, &unknown)?;
    workspace.sync_to_disk()?;
    let call = workspace
        .writing(["commit", "--quiet", "--only", "--no-verify", "--cleanup=verbatim", "--untracked-files=no"])
        // A guessed address would stay in the history forever.
        .setting("user.useConfigOnly=true")
        .arg("-m")
        .arg(full_message(message, trailers));
    let done =
        call.arg("--pathspec-from-file=-").arg("--pathspec-file-nul").input_list(bytes(&named)).end()?;
    match done.failure() {
        None => {
            workspace.note_committed(&named)?;
            Ok(Some(Commit(head_and_branch(workspace)?.0)))
        }
        // Git ends the same way when there is nothing to commit.
        Some(_) if done.code == Some(1) && is_as_in_head(workspace, &named)? => Ok(None),
        Some(error) => Err(refusal(error)),
    }
}

/// HEAD's commit and its trailers.
pub(super) fn head(workspace: &GitWorkspace) -> Result<(Commit, Trailers), WorkspaceError> {
    let value = |key: &str| format!("%(trailers:key={key},valueonly,separator=%x0A)");
    let format = format!("--format=%H%x00{}%x00{}", value(TICKET), value(SEQ));
    let call = workspace.call(["rev-list", "-1", "--no-commit-header"]).setting("trailer.separators=:");
    let text = match call.arg(format).arg("HEAD").text() {
        Err(error) if error.stderr().contains("unknown revision") => {
            // A feature begins on a commit, so one that is not there was lost.
            let detail = "it leads to no commit that can be read".to_owned();
            return Err(WorkspaceError::Damaged { what: format!("branch {}", workspace.branch), detail });
        }
        text => text?,
    };
    let mut fields = text.split('\0');
    let id = fields.next().unwrap_or_default().to_owned();
    // A commit that was squashed may have several; the last was written last.
    let mut last =
        || fields.next().and_then(|values| values.lines().last()).unwrap_or_default().trim().to_owned();
    let (ticket, seq) = (last(), last());
    Ok((Commit(id), Trailers { ticket, seq: seq.parse().unwrap_or(0), ..Trailers::default() }))
}

pub(super) fn newest_seq(workspace: &GitWorkspace, base: &str) -> Result<u64, WorkspaceError> {
    // Nothing was committed yet. Whatever is wrong with HEAD is told below.
    if head_and_branch(workspace).is_ok_and(|(head, _)| head == base) {
        return Ok(0);
    }
    let seq = highest_seq(workspace.call(["rev-list", "--no-commit-header"]), &format!("{base}..HEAD"));
    // Where the base was rewritten and collected, HEAD alone must suffice.
    seq.or_else(|_| Ok(head(workspace)?.1.seq))
}

fn highest_seq(rev_list: Call, range: &str) -> Result<u64, GitError> {
    let format = format!("--format=%(trailers:key={SEQ},valueonly,separator=%x0A)");
    let text =
        rev_list.setting("trailer.separators=:").arg(format).arg("--end-of-options").arg(range).text()?;
    Ok(text.lines().filter_map(|line| line.trim().parse().ok()).max().unwrap_or(0))
}

impl Repository {
    /// How far a ledger that is not this one has written on a branch, since it left `base`.
    pub fn written_elsewhere(&self, branch: &str, base: &str) -> Result<Option<FoundBranch>, GitError> {
        let Some(tip) = self.commit_named(&format!("refs/heads/{branch}"))? else { return Ok(None) };
        let seq = highest_seq(self.call(["rev-list", "--no-commit-header"]), &format!("{base}..{tip}"))?;
        Ok((seq > 0).then_some(FoundBranch { tip, seq }))
    }
}

pub(super) fn may_commit(workspace: &GitWorkspace, path: &str) -> Result<(), WorkspaceError> {
    require_branch(workspace)?;
    // A folder is not a document, and git would look into one that is a repository of its own.
    if workspace.root().join(path).is_dir() {
        return Ok(());
    }
    // One that git tracks already is added whatever `.gitignore` says.
    let index = workspace.index()?;
    if index.and_then(|index| index_form::tracked(index.bytes())?.remove(path.as_bytes())).is_some() {
        return Ok(());
    }
    // Nothing is added, and the file need not be there.
    let tried = workspace.call(["add", "--sparse", "--dry-run", "--ignore-missing", "--"]).arg(path).end()?;
    match ignored(&tried.stderr, &[path]) {
        Some(path) if tried.code != Some(0) => Err(WorkspaceError::Commit(CommitRefused::Ignored(path))),
        // Any other problem is reported when it matters, by the commit itself.
        _ => Ok(()),
    }
}

fn require_branch(workspace: &GitWorkspace) -> Result<(), WorkspaceError> {
    match head_and_branch(workspace)? {
        (head, name) if !head.is_empty() && name.strip_prefix("refs/heads/") == Some(&workspace.branch) => {
            Ok(())
        }
        _ => Err(WorkspaceError::Commit(CommitRefused::WrongBranch(workspace.branch.clone()))),
    }
}

fn is_in_head(workspace: &GitWorkspace, path: &str) -> Result<bool, GitError> {
    let found = objects::info(workspace, &format!("HEAD:{path}"))?;
    Ok(found.is_some_and(|found| found.kind == "blob"))
}

/// Makes new files known to git; they are given by name, so ignored ones are refused.
fn stage(workspace: &GitWorkspace, paths: &[&str]) -> Result<(), WorkspaceError> {
    if paths.is_empty() {
        return Ok(());
    }
    let call = workspace
        .writing(["add", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"])
        .input_list(bytes(paths));
    match call.succeed() {
        Ok(_) => Ok(()),
        Err(error) => match ignored(error.stderr(), paths) {
            Some(path) => Err(WorkspaceError::Commit(CommitRefused::Ignored(path))),
            None => Err(refusal(error)),
        },
    }
}

fn is_as_in_head(workspace: &GitWorkspace, paths: &[&str]) -> Result<bool, GitError> {
    let mut call = workspace.call([
        "diff",
        "--quiet",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "HEAD",
        "--",
    ]);
    for path in paths {
        call = call.arg(*path);
    }
    Ok(call.end()?.code == Some(0))
}

pub(super) fn full_message(message: &str, trailers: &Trailers) -> String {
    let Trailers { ticket, seq, agents, approved } = trailers;
    let line = |key: &str, value: &str| format!("{key}: {}\n", one_line(value, usize::MAX));
    let mut lines = String::new();
    if !ticket.is_empty() {
        lines.push_str(&line(TICKET, ticket));
    }
    agents.iter().for_each(|agent| lines.push_str(&line(AGENT, agent)));
    approved.iter().for_each(|approval| lines.push_str(&line(APPROVED, approval)));
    if *seq != 0 {
        lines.push_str(&line(SEQ, &seq.to_string()));
    }
    let message = message.trim_end();
    if lines.is_empty() { format!("{message}\n") } else { format!("{message}\n\n{lines}") }
}

/// The named path that git said is ignored; git may name a folder above it.
fn ignored(stderr: &str, paths: &[&str]) -> Option<String> {
    let (_, after) = stderr.split_once("ignored by one of your .gitignore files:\n")?;
    let named = after.lines().next()?;
    let below =
        |path: &&&str| path.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    Some(paths.iter().find(below).map_or(named, |path| *path).to_owned())
}

/// Sorts git's messages by what can be done about them.
pub(super) fn refusal(error: GitError) -> WorkspaceError {
    let stderr = error.stderr();
    let says = |any: &[&str]| any.iter().any(|text| stderr.contains(text));
    let identity = [
        "tell me who you are",
        "auto-detect email",
        "empty ident",
        "no email was given",
        "no name was given",
    ];
    let signing = ["failed to sign", "signing failed", "gpg.", "user.signingkey", "ssh-keygen", "Load key"];
    // Git ends with these words when signing failed for any reason, but also when the object could not be written,
    // about which it then says more.
    let unwritten =
        ["unable to write", "write error", "insufficient permission", "unable to create", "denied"];
    let unsigned = says(&["failed to write commit object"]) && !says(&unwritten);
    let refused = if let Some(lock) = error.lock() {
        CommitRefused::Locked { lock: lock.to_owned(), by: holder(Path::new(lock)) }
    } else if says(&identity) {
        CommitRefused::NoIdentity
    } else if says(&signing) || unsigned {
        CommitRefused::Signing(one_line(stderr, 400))
    } else {
        return error.into();
    };
    WorkspaceError::Commit(refused)
}

fn bytes<'a>(paths: &'a [&'a str]) -> impl Iterator<Item = &'a [u8]> {
    paths.iter().map(|path| path.as_bytes())
}

#[cfg(test)]
mod tests;
