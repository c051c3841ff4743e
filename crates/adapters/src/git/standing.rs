//! Where a worktree stands: HEAD, branch, index and files.
//!
//! Looking never changes anything: the worktree's index is copied first, so no lock is taken and no staged
//! file is touched. Ignored files (also in folders that ignore themselves, as caches do) and repositories inside
//! the worktree are not part of its files; nor is a change to a file that was marked `assume-unchanged`.

use super::error::GitError;
use super::files::os_path;
use super::repository::head_call;
use super::temp_index::TempIndex;
use super::workspace::GitWorkspace;
use redraft_core::event::TreeMark;
use redraft_engine::ports::WorkspaceError;
use std::collections::BTreeSet;

/// Where a worktree stands, also where it could not be marked.
#[derive(Debug)]
pub(super) struct Standing {
    /// Empty on a branch without commits.
    pub(super) head: String,
    /// The ref HEAD names; empty when detached.
    pub(super) branch: String,
    /// None while conflicts are unresolved.
    pub(super) index: Option<String>,
    pub(super) work: String,
}

/// Where the worktree stands, if an agent may be let in: with a merge or rebase half done, nobody could tell
/// later whose it was.
pub(super) fn mark(place: &GitWorkspace) -> Result<TreeMark, WorkspaceError> {
    let refuse = |detail: String| WorkspaceError::Git { command: "git status".to_owned(), detail };
    let root = place.root().display();
    if let Some(operation) = operation(place) {
        return Err(refuse(format!("a {operation} is in progress in {root}; finish or abort it first")));
    }
    let Standing { head, branch, index, work } = look(place)?;
    if head.is_empty() {
        return Err(GitError::NoCommits(place.root().to_owned()).into());
    }
    let index =
        index.ok_or_else(|| refuse(format!("the index of {root} has conflicts; resolve them first")))?;
    Ok(TreeMark { head, branch, index, work })
}

/// What git was asked to do and has not finished.
pub(super) fn operation(place: &GitWorkspace) -> Option<&'static str> {
    let signs = [
        ("rebase-merge", "rebase"),
        ("rebase-apply/applying", "patch"),
        ("rebase-apply", "rebase"),
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("sequencer", "cherry-pick"),
    ];
    signs.into_iter().find(|(file, _)| place.git_dir.join(file).exists()).map(|(_, name)| name)
}

pub(super) fn look(place: &GitWorkspace) -> Result<Standing, GitError> {
    let (head, branch) = head_and_branch(place)?;
    let copy = TempIndex::copy_of(&place.git_dir.join("index"), &place.temp())?;
    let index = index_tree(place, &copy)?;
    let mut changed = changed_paths(place, &copy)?;
    if index.is_none() {
        changed.tracked.extend(conflicts(place, &copy)?);
    }
    let work = match index.clone() {
        Some(index) if changed.is_empty() => index,
        _ => work_tree(place, &copy, &changed)?,
    };
    Ok(Standing { head, branch, index, work })
}

fn head_and_branch(place: &GitWorkspace) -> Result<(String, String), GitError> {
    let failure = match head_call(place.call(["rev-parse"])).text() {
        Ok(text) => {
            let (head, name) = text.split_once('\n').unwrap_or((&text, "HEAD"));
            let branch = if name == "HEAD" { "" } else { name };
            return Ok((head.to_owned(), branch.to_owned()));
        }
        Err(failure) => failure,
    };
    // A branch without commits has a name and nothing else.
    match place.call(["symbolic-ref", "--quiet", "HEAD"]).text() {
        Ok(branch) => Ok((String::new(), branch)),
        Err(_) => Err(failure),
    }
}

/// None while conflicts are unresolved.
fn index_tree(place: &GitWorkspace, copy: &TempIndex) -> Result<Option<String>, GitError> {
    match copy.used_by(place.call(["write-tree"])).text() {
        Ok(tree) => Ok(Some(tree)),
        Err(error) if error.stderr().contains(": unmerged (") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Paths whose files differ from an index.
#[derive(Debug, Default)]
struct Changed {
    tracked: BTreeSet<Vec<u8>>,
    new: BTreeSet<Vec<u8>>,
}

impl Changed {
    fn is_empty(&self) -> bool {
        self.tracked.is_empty() && self.new.is_empty()
    }
}

fn changed_paths(place: &GitWorkspace, copy: &TempIndex) -> Result<Changed, GitError> {
    let call = place.call(["ls-files", "-t", "-z", "--modified", "--others", "--exclude-standard"]);
    let mut changed = Changed::default();
    for line in copy.used_by(call).list()? {
        match (line.first(), line.get(2..)) {
            // A repository inside the worktree ends in a slash; it is neither read nor undone.
            (Some(b'?'), Some(path)) if path.ends_with(b"/") => {}
            (Some(b'?'), Some(path)) => drop(changed.new.insert(path.to_vec())),
            (_, Some(path)) => drop(changed.tracked.insert(path.to_vec())),
            _ => {}
        }
    }
    // A file whose folder became a link is gone; naming the new link removes it, and git refuses it by name.
    changed.tracked.retain(|path| place.files.link_on_the_way(&os_path(path)).is_none());
    Ok(changed)
}

fn conflicts(place: &GitWorkspace, copy: &TempIndex) -> Result<BTreeSet<Vec<u8>>, GitError> {
    let lines = copy.used_by(place.call(["ls-files", "-z", "--unmerged"])).list()?;
    let path = |line: Vec<u8>| line.splitn(2, |byte| *byte == b'\t').nth(1).map(<[u8]>::to_vec);
    Ok(lines.into_iter().filter_map(path).collect())
}

/// Tracked paths go first: a file that became a folder must leave the index before what is in the folder comes.
fn work_tree(place: &GitWorkspace, copy: &TempIndex, changed: &Changed) -> Result<String, GitError> {
    let paths = changed.tracked.iter().chain(&changed.new).map(Vec::as_slice);
    let call = place.call(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]);
    copy.used_by(call.input_list(paths)).succeed()?;
    copy.used_by(place.call(["write-tree"])).text()
}

#[cfg(test)]
mod tests;
