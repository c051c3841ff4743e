//! A change that is reviewed by itself: the commits it lies between, what they say and hold, and a worktree on one of
//! them without a branch.
//!
//! Nothing here touches the checkout we are in, its index or a branch: what is not committed yet is read as
//! [`super::worktree_state`] reads it, and becomes a commit that no branch leads to.

use super::error::GitError;
use super::repository::Repository;
use super::run::Call;
use super::workspace::GitWorkspace;
use super::worktree_state;
use redraft_facts::ids::Revision;
use std::collections::BTreeSet;
use std::path::Path;

/// Shorter words are just words; from this many digits on, a word may be a copied id.
const SHORT_ID_MIN: usize = 7;
/// More objects whose ids begin alike need not be named.
const SHORT_IDS_MAX: usize = 4;

/// What a word that should name a commit stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitLookup {
    None,
    /// The whole name of the branch or tag, or the word itself where it is an id or an expression.
    One {
        name: String,
        commit: String,
    },
    /// Different commits, each by its whole name.
    Several(Vec<(String, String)>),
}

impl Repository {
    /// The commit a name stands for: a branch, a tag, an id, `origin/main`. None when it stands for none.
    pub fn commit_named(&self, name: &str) -> Result<Option<String>, GitError> {
        let ask = self.call(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let done = ask.arg(format!("{name}^{{commit}}")).end()?;
        let text = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        Ok(Some(text).filter(|text| done.code == Some(0) && !text.is_empty()))
    }

    /// The commit that a typed word means, or everything it could mean where that is not one commit. Git itself prefers
    /// a tag to a branch, no matter who made it; what begins with the word is looked at for the same reason.
    pub fn commit_meant(&self, word: &str) -> Result<CommitLookup, GitError> {
        let taken = self.commit_named(word)?;
        let end = ["^", "~", ":", "@{"].iter().filter_map(|mark| word.find(mark)).min();
        let (name, rest) = word.split_at(end.unwrap_or(word.len()));
        let mut all: Vec<(String, String)> = Vec::new();
        for kind in ["refs/heads/", "refs/remotes/", "refs/tags/"] {
            let full = format!("{kind}{name}");
            let commit = self.commit_named(&format!("{full}{rest}"))?.filter(|_| !name.is_empty());
            all.extend(commit.map(|commit| (full, commit)));
        }
        if !all.is_empty() && name.len() >= SHORT_ID_MIN && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            let listed = self.call(["rev-parse"]).arg(format!("--disambiguate={name}")).end()?;
            for id in String::from_utf8_lossy(&listed.stdout).lines().take(SHORT_IDS_MAX) {
                all.extend(self.commit_named(&format!("{id}{rest}"))?.map(|commit| (id.to_owned(), commit)));
            }
        }
        let known = |commit: &String| all.iter().any(|(_, other)| other == commit);
        if let Some(taken) = taken.as_ref().filter(|taken| !known(taken)) {
            all.push((name.to_owned(), taken.clone()));
        }
        match (taken, all.as_slice()) {
            (Some(commit), [(_, first), rest @ ..]) if rest.iter().all(|(_, other)| other == first) => {
                let (name, _) = all.swap_remove(0);
                Ok(CommitLookup::One { name, commit })
            }
            (_, []) => Ok(CommitLookup::None),
            _ => Ok(CommitLookup::Several(all)),
        }
    }

    /// The commit where two histories part; none when they have nothing in common, or nothing that this clone holds.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let done = self.call(["merge-base", one, other]).end()?;
        match (done.code, done.failure()) {
            (Some(0), _) => Ok(Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())),
            (Some(1), _) | (_, None) => Ok(None),
            (_, Some(error)) => Err(error),
        }
    }

    /// All commits where two histories part, none of which comes before another: usually one, several where each was
    /// merged into the other.
    pub fn merge_bases(&self, one: &str, other: &str) -> Result<Vec<String>, GitError> {
        let done = self.call(["merge-base", "--all", one, other]).end()?;
        match (done.code, done.failure()) {
            (Some(0), _) => {
                Ok(String::from_utf8_lossy(&done.stdout).split_whitespace().map(str::to_owned).collect())
            }
            (Some(1), _) | (_, None) => Ok(Vec::new()),
            (_, Some(error)) => Err(error),
        }
    }

    /// A commit of what merging `other` into `one` would give, which no branch leads to; the files in conflict where
    /// the merge would fail.
    pub fn commit_of_merge(&self, one: &str, other: &str) -> Result<Result<String, Vec<String>>, GitError> {
        let call =
            self.call(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", one, other]);
        let done = call.end()?;
        let mut parts = done.stdout.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        let mut part = || parts.next().map(|part| String::from_utf8_lossy(part).trim().to_owned());
        let tree = part().unwrap_or_default();
        match done.code {
            Some(0) if !tree.is_empty() => {
                let call =
                    self.call(["commit-tree", &tree, "-p", one, "-p", other, "-m", "what would be merged"]);
                with_fixed_identity(call).text().map(Ok)
            }
            Some(1) => Ok(Err(std::iter::from_fn(part).collect())),
            _ => Err(done.failure().unwrap_or_else(|| done.unexpected())),
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

    /// Fails early where a partial clone has left out files that differ between two commits: no call fetches them, and
    /// everything later compares them.
    pub fn require_files_to_compare(&self, one: &Revision, other: &Revision) -> Result<(), GitError> {
        let partial = self.call(["config", "--get-regexp", "^remote\\..*\\.promisor$"]).end()?;
        if partial.code != Some(0) {
            return Ok(());
        }
        let call =
            self.call(["diff-tree", "-r", "--patch", "--no-ext-diff", "--no-textconv", "--no-renames"]);
        call.arg(one.as_str()).arg(other.as_str()).succeed().map(drop)
    }

    /// The bytes of a file in a commit, at most this many; none where the path is not there or no file.
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

    /// The names of the entries of a folder in a commit.
    pub fn names_at(&self, commit: &str, folder: &str) -> Result<Vec<String>, GitError> {
        let done = self.call(["ls-tree", "-z", "--name-only"]).arg(format!("{commit}:{folder}")).end()?;
        // A folder that is not there holds nothing.
        let listed = done.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = listed.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Ok(if done.code == Some(0) { names } else { Vec::new() })
    }

    /// The messages of the commits after `from` up to `to`, oldest first, each with its short id; at most this many.
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

    /// A commit of the checkout we are in as it is now, including what is not committed yet; none where there is no
    /// such change. No branch leads to it.
    pub fn commit_of_checkout(&self, head: &str) -> Result<Option<String>, GitError> {
        let place = GitWorkspace::open(self, self.here(), "checkout")?;
        let now = worktree_state::look(&place, &[])?;
        let tree = worktree_state::work_tree(&place, &now)?;
        if self.tree_of(head)?.as_str() == tree {
            return Ok(None);
        }
        let call = self.call(["commit-tree", &tree, "-p", head, "-m", "what is not committed yet"]);
        with_fixed_identity(call).text().map(Some)
    }

    /// Files of the checkout we are in whose index entry differs from both the file and `head`, in order: the staged
    /// version would be committed, and it does not show in the files. Files that git is told not to look at are named
    /// as well.
    pub fn staged_differently(&self, head: &str) -> Result<Vec<String>, GitError> {
        let call = |args: &[&str]| self.git.call(self.here(), args.iter().copied());
        let plain = [
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
        ];
        let names = |first: &[&str], last: &[&str]| {
            let args: Vec<&str> = first.iter().chain(&plain).chain(last).copied().collect();
            call(&args).list().map(|list| list.into_iter().collect::<BTreeSet<Vec<u8>>>())
        };
        let staged = names(&["diff-index", "--cached"], &[head, "--"])?;
        let differs = names(&["diff"], &["--"])?;
        let listed = call(&["ls-files", "-v", "-z"]).list()?;
        // A lower-case letter marks a file that is assumed to be unchanged.
        let hidden = listed.iter().filter(|line| line.first().is_some_and(|mark| mark.is_ascii_lowercase()));
        let hidden = hidden.filter_map(|line| line.get(2..)).map(<[u8]>::to_vec);
        let apart: BTreeSet<Vec<u8>> = staged.intersection(&differs).cloned().chain(hidden).collect();
        Ok(apart.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// Creates a worktree on a commit and no branch; an existing one stays as it is.
    pub fn ensure_detached(&self, commit: &str, worktree: &Path) -> Result<(), GitError> {
        if !self.makes_room_for(worktree)? {
            return Ok(());
        }
        let add = self.call(["worktree", "add", "--quiet", "--detach"]);
        self.make_worktree(worktree, add.arg(worktree).arg(commit))
    }
}

/// Makes a commit that is only for our own use reproducible: the same files on the same commit always give the same
/// commit.
pub(super) fn with_fixed_identity(mut call: Call) -> Call {
    for who in ["AUTHOR", "COMMITTER"] {
        call = call.env(&format!("GIT_{who}_NAME"), "Redraft");
        call = call.env(&format!("GIT_{who}_EMAIL"), "redraft@localhost");
        call = call.env(&format!("GIT_{who}_DATE"), "1700000000 +0000");
    }
    call
}

/// Puts the worktree on a commit, with exactly its files; ignored ones stay.
pub(super) fn check_out(workspace: &GitWorkspace, commit: &str) -> Result<(), GitError> {
    let (head, branch) = worktree_state::head_and_branch(workspace)?;
    let status = workspace.call([
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
    ]);
    if head == commit && branch.is_empty() && status.succeed()?.stdout.is_empty() {
        return Ok(());
    }
    workspace.writing(["checkout", "--quiet", "--force", "--detach", commit]).succeed()?;
    workspace.writing(["clean", "--quiet", "--force", "-d"]).succeed().map(drop)
}

#[cfg(test)]
mod tests;
