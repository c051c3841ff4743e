//! A change that is reviewed by itself: the commits it lies between, what they say and hold, and a worktree that stands
//! on one of them without a branch.
//!
//! Nothing here touches the checkout we are in, its index or a branch: what is not committed yet is looked at as
//! [`super::standing`] looks, and becomes a commit that no branch leads to.

use super::error::GitError;
use super::repository::Repository;
use super::run::Call;
use super::standing;
use super::workspace::GitWorkspace;
use redraft_core::ids::Revision;
use std::path::Path;

impl Repository {
    /// The commit a name stands for: a branch, a tag, an id, `origin/main`. None when it stands for none.
    pub fn commit_named(&self, name: &str) -> Result<Option<String>, GitError> {
        let ask = self.call(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let done = ask.arg(format!("{name}^{{commit}}")).end()?;
        let text = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        Ok(Some(text).filter(|text| done.code == Some(0) && !text.is_empty()))
    }

    /// Where two commits went apart; none when their histories have nothing in common, or not as far as they are here.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let done = self.call(["merge-base", one, other]).end()?;
        match (done.code, done.failure()) {
            (Some(0), _) => Ok(Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())),
            (Some(1), _) | (_, None) => Ok(None),
            (_, Some(error)) => Err(error),
        }
    }

    /// Whether older commits were left out when this clone was made.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(self.call(["rev-parse", "--is-shallow-repository"]).text()? == "true")
    }

    /// All files of a commit.
    pub fn tree_of(&self, commit: &str) -> Result<Revision, GitError> {
        let tree = self.call(["rev-parse", "--verify", "--end-of-options"]).arg(format!("{commit}^{{tree}}"));
        Ok(Revision::new(tree.text()?))
    }

    /// Gets what a partial clone has left out of the files that differ between two commits: everything later is compared
    /// without asking a server.
    pub fn fetch_left_out(&self, one: &Revision, other: &Revision) -> Result<(), GitError> {
        let partial = self.call(["config", "--get-regexp", "^remote\\..*\\.promisor$"]).end()?;
        if partial.code != Some(0) {
            return Ok(());
        }
        let call =
            self.call(["diff-tree", "-r", "--patch", "--no-ext-diff", "--no-textconv", "--no-renames"]);
        call.arg(one.as_str()).arg(other.as_str()).succeed().map(drop)
    }

    /// The bytes a file has in a commit, none where it is not there or no file; at most so many bytes are read.
    pub fn file_at(&self, commit: &str, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, GitError> {
        let name = format!("{commit}:{path}");
        let kind = self.call(["cat-file", "-t"]).arg(&name).end()?;
        if kind.code != Some(0) || kind.stdout.trim_ascii() != b"blob" {
            return Ok(None);
        }
        let size = self.call(["cat-file", "-s"]).arg(&name).text()?;
        if size.parse::<u64>().is_ok_and(|size| size > bytes_max) {
            let detail =
                format!("it has {size} bytes in commit {commit}, more than the {bytes_max} it may have");
            return Err(GitError::File { path: path.into(), detail });
        }
        Ok(Some(self.call(["cat-file", "blob"]).arg(&name).succeed()?.stdout))
    }

    /// The names of what is in a folder of a commit.
    pub fn names_at(&self, commit: &str, folder: &str) -> Result<Vec<String>, GitError> {
        let done = self.call(["ls-tree", "-z", "--name-only"]).arg(format!("{commit}:{folder}")).end()?;
        // A folder that is not there holds nothing.
        let listed = done.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = listed.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Ok(if done.code == Some(0) { names } else { Vec::new() })
    }

    /// What the commits after `from` up to `to` say, the oldest first, each with its short id; at most so many.
    pub fn messages(&self, from: &str, to: &str, most: usize) -> Result<Vec<(String, String)>, GitError> {
        let call =
            self.call(["log", "-z", "--no-show-signature", "--no-color", "--no-notes", "--encoding=UTF-8"]);
        let call = call.arg("--no-merges").arg(format!("--max-count={most}")).arg("--format=%h%n%B");
        let mut said: Vec<(String, String)> = Vec::new();
        for one in call.arg("--end-of-options").arg(format!("{from}..{to}")).arg("--").list()? {
            let text = String::from_utf8_lossy(&one).into_owned();
            let (id, message) = text.split_once('\n').unwrap_or((&text, ""));
            said.push((id.to_owned(), message.trim().to_owned()));
        }
        said.reverse();
        Ok(said)
    }

    /// A commit of the checkout we are in as it is now, with what no commit holds yet; none where that is nothing. No
    /// branch leads to it.
    pub fn commit_of_checkout(&self, head: &str) -> Result<Option<String>, GitError> {
        let place = GitWorkspace::open(self, self.here(), "checkout")?;
        let now = standing::look(&place, &[])?;
        let tree = standing::work_tree(&place, &now)?;
        if self.tree_of(head)?.as_str() == tree {
            return Ok(None);
        }
        let call = self.call(["commit-tree", &tree, "-p", head, "-m", "what is not committed yet"]);
        nobodys(call).text().map(Some)
    }

    /// Creates a worktree that stands on a commit and no branch; one that is there stays as it is.
    pub fn ensure_detached(&self, commit: &str, worktree: &Path) -> Result<(), GitError> {
        if !self.makes_room_for(worktree)? {
            return Ok(());
        }
        let add = self.call(["worktree", "add", "--quiet", "--detach"]);
        self.make_worktree(worktree, add.arg(worktree).arg(commit))
    }
}

/// A commit that is for our own eyes: the same files on the same commit are the same commit, whenever they are looked at.
pub(super) fn nobodys(mut call: Call) -> Call {
    for who in ["AUTHOR", "COMMITTER"] {
        call = call.env(&format!("GIT_{who}_NAME"), "Redraft");
        call = call.env(&format!("GIT_{who}_EMAIL"), "redraft@localhost");
        call = call.env(&format!("GIT_{who}_DATE"), "1700000000 +0000");
    }
    call
}

/// Puts the worktree on a commit, with exactly its files; ignored ones stay.
pub(super) fn check_out(place: &GitWorkspace, commit: &str) -> Result<(), GitError> {
    let (head, branch) = standing::head_and_branch(place)?;
    let status =
        place.call(["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"]);
    if head == commit && branch.is_empty() && status.succeed()?.stdout.is_empty() {
        return Ok(());
    }
    place.writing(["checkout", "--quiet", "--force", "--detach", commit]).succeed()?;
    place.writing(["clean", "--quiet", "--force", "-d"]).succeed().map(drop)
}

#[cfg(test)]
mod tests;
