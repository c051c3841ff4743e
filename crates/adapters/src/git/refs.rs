//! What became of branches and tags while an agent worked, other than the branch it was put on.
//!
//! Refs belong to the whole repository: the person at work in the main checkout, other features' runs and the agent
//! share them, and git records nowhere who changed one. So only what is certainly the agent's is undone, and the rest
//! is named and left:
//!
//! - A branch that is new, that HEAD of *this* worktree has been on since the mark, that still points to a commit HEAD
//!   of this worktree has been at, and that no other worktree has checked out, was made here. Only the agent works here
//!   meanwhile, so it is deleted and its commit kept. HEAD's own log shows this; it belongs to the worktree. In the
//!   main checkout (`in-place`) it would show the person's work as well, so nothing is deleted there.
//! - Any other branch or tag that is new, moved or gone may be the agent's or somebody else's. Deleting or moving it
//!   could destroy a person's work, leaving it destroys nothing: it is named with the command that puts it back, and
//!   the commit it pointed to before is kept. Not named is what others do as a matter of course: the branch of another
//!   feature's worktree, and a branch that moves in the worktree that has it checked out.
//!
//! The marked refs are kept in memory only. After a crash it is unknown how long ago the agent stopped, and what
//! changed since is far more likely a person's, so nothing is compared then. They are read from git's files, because
//! starting git for what is almost always unchanged would double what a dispatch costs; git is asked once they differ,
//! and always in a repository that keeps its refs in another form.

use super::error::GitError;
use super::files::is_absent;
use super::last_mark::MarkedRefs;
use super::lost::{commit_of, lost_commit, lost_ref};
use super::object_id::is_id;
use super::objects;
use super::workspace::GitWorkspace;
use crate::shell_word::{quoted, quoted_path};
use redraft_engine::ports::WorkspaceError;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// At most this many refs are named one by one; the rest is counted.
const NAMED_REFS: usize = 10;

const HEADS: &str = "refs/heads/";
const TAGS: &str = "refs/tags/";

#[derive(Debug, Clone, PartialEq, Eq)]
struct Ref {
    id: String,
    /// The worktree that has it checked out; empty for none.
    worktree: String,
}

pub(super) fn mark(workspace: &GitWorkspace) -> Result<MarkedRefs, GitError> {
    Ok(MarkedRefs {
        refs: read(workspace)?,
        log_bytes: head_log(workspace).len(),
        main: main_branch(workspace),
    })
}

/// Deletes the branches that were made in this worktree since the mark. Returns a line for each.
pub(super) fn undo(workspace: &GitWorkspace, name: &str) -> Result<Vec<String>, WorkspaceError> {
    let Some(marked) = workspace.marked_refs().filter(|_| workspace.link.is_some()) else {
        return Ok(Vec::new());
    };
    let used = Used::since(&head_log(workspace), marked.log_bytes);
    if used.branches.is_empty() {
        return Ok(Vec::new());
    }
    let root = workspace.root().display().to_string();
    let made = |(name, now): &(String, Ref)| {
        let branch = name.strip_prefix(HEADS).is_some_and(|short| used.branches.contains(short));
        let here = now.worktree.is_empty() || now.worktree == root;
        branch && here && used.commits.contains(&now.id) && !marked.refs.contains_key(name)
    };
    let made: Vec<(String, Ref)> = list(workspace)?.into_iter().filter(made).collect();
    keep(workspace, name, made.iter().map(|(_, now)| now.id.as_str()))?;
    let mut lines = Vec::new();
    for (name, now) in made {
        workspace.call(["update-ref", "-d"]).arg(&name).arg(&now.id).succeed()?;
        lines.push(format!("deleted the agent's branch {}", short(&name)));
    }
    Ok(lines)
}

/// Reports what else happened to branches and tags since the mark, each thing once.
pub(super) fn left(workspace: &GitWorkspace, name: &str) -> Result<Vec<String>, WorkspaceError> {
    let Some(marked) = workspace.marked_refs() else { return Ok(Vec::new()) };
    let (found, main) = (read(workspace)?, main_branch(workspace));
    let switched = switched(workspace, &marked.main, &main);
    if found == marked.refs {
        if switched.is_some() {
            workspace.mark_refs(MarkedRefs { main, ..marked });
        }
        return Ok(switched.into_iter().collect());
    }
    let worktrees: BTreeMap<String, String> =
        list(workspace)?.into_iter().map(|(name, now)| (name, now.worktree)).collect();
    let worktree = |name: &String| worktrees.get(name).map(String::as_str).unwrap_or_default();
    let own = format!("{HEADS}{}", workspace.branch());
    let names: BTreeSet<&String> =
        marked.refs.keys().chain(found.keys()).filter(|name| **name != own).collect();
    let (mut lines, mut before) = (Vec::new(), Vec::new());
    for each in names {
        match (marked.refs.get(each), found.get(each)) {
            (None, _) if is_of_another_feature(worktree(each)) => {}
            (None, _) => lines.push(told(each, "made", &removal(each))),
            (Some(old), Some(new)) if old == new || !worktree(each).is_empty() => {}
            (Some(old), new) => {
                before.push(old.as_str());
                let what = if new.is_some() { "moved" } else { "removed" };
                lines.push(told(each, what, &setting(each, old)));
            }
        }
    }
    keep(workspace, name, before.into_iter())?;
    if let Some(more) = lines.len().checked_sub(NAMED_REFS).filter(|more| *more > 0) {
        lines.truncate(NAMED_REFS);
        lines.push(format!("{more} more branches or tags were made, moved or removed meanwhile"));
    }
    lines.extend(switched);
    workspace.mark_refs(MarkedRefs { refs: found, main, ..marked });
    Ok(lines)
}

/// The branches HEAD of the worktree has been on and the commits it has been at, by the new lines of its log.
#[derive(Debug, Default, PartialEq, Eq)]
struct Used {
    branches: BTreeSet<String>,
    commits: BTreeSet<String>,
}

impl Used {
    /// A log that is shorter than it was has been rewritten, and then it shows nothing.
    fn since(log: &[u8], log_bytes: usize) -> Used {
        let mut used = Used::default();
        let gained = log.get(log_bytes..).unwrap_or_default();
        for line in String::from_utf8_lossy(gained).lines() {
            // `OLD NEW WHO <MAIL> TIME ZONE`, a tab, and what was done.
            let Some((fields, done)) = line.split_once('\t') else { continue };
            used.commits.extend(fields.split(' ').nth(1).map(str::to_owned));
            let to = done.strip_prefix("checkout: moving from ").and_then(|rest| rest.rsplit_once(" to "));
            used.branches.extend(to.map(|(_, to)| to.to_owned()));
        }
        used
    }
}

/// All branches and tags, without git where it keeps them in files.
fn read(workspace: &GitWorkspace) -> Result<BTreeMap<String, String>, GitError> {
    if workspace.common.join("reftable").is_dir() {
        return Ok(list(workspace)?.into_iter().map(|(name, now)| (name, now.id)).collect());
    }
    let mut refs = BTreeMap::new();
    let packed = workspace.common.join("packed-refs");
    for line in String::from_utf8_lossy(&bytes(&packed)?.unwrap_or_default()).lines() {
        // Comments, and what an annotated tag points to, have no name after a blank.
        let Some((id, name)) = line.split_once(' ').filter(|_| !line.starts_with(['#', '^'])) else {
            continue;
        };
        if name.starts_with(HEADS) || name.starts_with(TAGS) {
            refs.insert(name.to_owned(), id.to_owned());
        }
    }
    // What stands in a file of its own is newer.
    let mut folders = vec![HEADS.trim_end_matches('/').to_owned(), TAGS.trim_end_matches('/').to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(workspace.common.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(name);
            } else if !name.ends_with(".lock")
                && let Some(id) = bytes(&entry.path())?
            {
                refs.insert(name, String::from_utf8_lossy(&id).trim().to_owned());
            }
        }
    }
    Ok(refs)
}

/// What a file holds; none where it is gone.
fn bytes(path: &Path) -> Result<Option<Vec<u8>>, GitError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(GitError::file(path, &error)),
    }
}

fn list(workspace: &GitWorkspace) -> Result<BTreeMap<String, Ref>, GitError> {
    let form = "--format=%(objectname) %(refname) %(worktreepath)";
    let done = workspace.call(["for-each-ref", form, HEADS, TAGS]).succeed()?;
    let read = |line: &[u8]| {
        let line = String::from_utf8_lossy(line).into_owned();
        let mut words = line.splitn(3, ' ');
        let (id, name, worktree) = (words.next()?, words.next()?, words.next().unwrap_or_default());
        Some((name.to_owned(), Ref { id: id.to_owned(), worktree: worktree.to_owned() }))
    };
    Ok(done.lines().into_iter().filter_map(read).collect())
}

/// The branch that the main checkout is on, or the commit where it is on none; empty where that is unknown.
fn main_branch(workspace: &GitWorkspace) -> String {
    let head = fs::read_to_string(workspace.common.join("HEAD")).unwrap_or_default();
    let head = head.trim_end();
    let name = head.strip_prefix("ref: ").unwrap_or(head);
    if workspace.link.is_some() { short(name).to_owned() } else { String::new() }
}

/// Reports that the main checkout is on another branch. Commits made there on no branch do not matter.
fn switched(workspace: &GitWorkspace, then: &str, now: &str) -> Option<String> {
    let folder = workspace.common.parent().filter(|_| workspace.common.ends_with(".git"))?;
    let on_none = |name: &str| is_id(name);
    if then == now || then.is_empty() || now.is_empty() || on_none(then) && on_none(now) {
        return None;
    }
    let option = if on_none(then) { "--detach " } else { "" };
    let (was, is) = (then.get(..10).filter(|_| on_none(then)).unwrap_or(then), now);
    let is = is.get(..10).filter(|_| on_none(is)).unwrap_or(is);
    Some(format!(
        "the main checkout was switched from {was} to {is} meanwhile, by the agent or by somebody else, and is left so; to undo: \
         git -C {} switch {option}{}",
        quoted_path(folder),
        quoted(was)
    ))
}

/// HEAD's log; nothing where it cannot be read, and then nothing counts as the agent's.
fn head_log(workspace: &GitWorkspace) -> Vec<u8> {
    fs::read(workspace.git_dir.join("logs").join("HEAD")).unwrap_or_default()
}

/// Keeps commits under the ref of what was undone, without changing the files it shows.
fn keep<'a>(
    workspace: &GitWorkspace,
    name: &str,
    ids: impl Iterator<Item = &'a str>,
) -> Result<(), WorkspaceError> {
    let reference = lost_ref(name);
    let earlier = commit_of(workspace, &reference)?;
    let mut parents: Vec<String> = Vec::new();
    for id in ids.take(NAMED_REFS) {
        // A tag may name something else than a commit.
        let Some(commit) = commit_of(workspace, id)? else { continue };
        let kept = match &earlier {
            Some(earlier) => {
                workspace.call(["merge-base", "--is-ancestor", &commit, earlier]).end()?.code == Some(0)
            }
            None => false,
        };
        parents.extend(Some(commit).filter(|_| !kept));
    }
    let Some(first) = parents.first().cloned() else { return Ok(()) };
    let tree = format!("{}^{{tree}}", earlier.as_ref().unwrap_or(&first));
    let tree = workspace.call(["rev-parse", "--verify", "--quiet"]).arg(tree).text()?;
    let parents: Vec<&str> = earlier.iter().chain(&parents).map(String::as_str).collect();
    let commit = lost_commit(workspace, name, &tree, &parents, "branches as they were")?;
    Ok(objects::set_own_ref(workspace, &reference, &commit)?)
}

fn is_of_another_feature(worktree: &str) -> bool {
    let mut folders = Path::new(worktree).components().rev().skip(1);
    folders.next().is_some_and(|folder| folder.as_os_str() == "worktrees")
        && folders.next().is_some_and(|folder| folder.as_os_str() == ".redraft")
}

fn told(name: &str, what: &str, command: &str) -> String {
    let (kind, short) = (kind(name), short(name));
    format!(
        "{kind} {short} was {what} meanwhile, by the agent or by somebody else, and is left so; to undo: {command}"
    )
}

fn removal(name: &str) -> String {
    let option = if name.starts_with(TAGS) { "tag -d" } else { "branch -D" };
    format!("git {option} -- {}", quoted(short(name)))
}

fn setting(name: &str, id: &str) -> String {
    let command = if name.starts_with(TAGS) { "tag" } else { "branch" };
    format!("git {command} -f -- {} {}", quoted(short(name)), id.get(..10).unwrap_or(id))
}

fn kind(name: &str) -> &'static str {
    if name.starts_with(TAGS) { "tag" } else { "branch" }
}

fn short(name: &str) -> &str {
    name.strip_prefix(HEADS).or_else(|| name.strip_prefix(TAGS)).unwrap_or(name)
}

#[cfg(test)]
mod tests;
