//! A git repository as maps: trees and commits by their names, refs, the main checkout and the worktrees of one feature.
//!
//! [`FakeRepository`] is what is on the disk: it outlives every process. What a process knows of it is in
//! [`FakeWorkspace`](super::FakeWorkspace). What people do to it is [`Outside`](super::Outside), in `acts`.

mod acts;
mod here;

use super::check_place::CheckPlace;
use super::tree::{Node, Tree, id_of, short};
use super::worktree::{Head, Worktree};
use super::{Crash, locked};
pub(super) use here::{Here, folder_of};
use redraft_engine::ports::{CommitRefused, Trailers, WorkspaceError};
use redraft_facts::ids::Revision;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

pub(super) const HEADS: &str = "refs/heads/";
pub(super) const TAGS: &str = "refs/tags/";
/// The folders that this repository says it is in. Nothing is there.
pub(super) const ROOT: &str = "/fake/repo";
pub(super) const WORKTREE: &str = "/fake/repo/.redraft/worktrees/001-feature";

/// What is on the disk.
#[derive(Debug)]
pub struct FakeRepository {
    state: Mutex<State>,
    pub(super) crash: Arc<Crash>,
    /// The feature's branch, without `refs/heads/`.
    pub(super) branch: String,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) trees: BTreeMap<String, Tree>,
    pub(super) commits: BTreeMap<String, CommitObject>,
    /// Ids of commits, and of trees for anchors, by full name.
    pub(super) refs: BTreeMap<String, String>,
    pub(super) main: Worktree,
    /// The feature's own worktree; through [`Here`], the one that is asked about.
    pub(super) feature: Worktree,
    /// Those of tasks that are carried out side by side, by their numbers.
    pub(super) slots: BTreeMap<u16, Worktree>,
    /// One that a person has made in addition, on the feature's branch.
    pub(super) elsewhere: Option<Worktree>,
    /// Files of git's own by their path below `.git`.
    pub(super) setup: BTreeMap<String, String>,
    pub(super) nobody: bool,
    pub(super) check: Option<CheckPlace>,
    /// Folders that hold copies, with what is in them.
    pub(super) apart: BTreeMap<PathBuf, Tree>,
    faults: Vec<Fault>,
    /// How often each operation was asked for.
    calls: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitObject {
    pub(super) tree: String,
    pub(super) parents: Vec<String>,
    pub(super) message: String,
}

#[derive(Debug)]
struct Fault {
    operation: String,
    /// Calls that still succeed.
    left: u64,
    trouble: GitTrouble,
}

/// The trouble git can meet, whatever it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitTrouble {
    Signing,
    Locked,
    Full,
    Disk,
    ReadOnly,
    Slow,
    Git,
    Damaged,
    Interrupted,
}

impl GitTrouble {
    pub const ALL: [GitTrouble; 9] = [
        GitTrouble::Signing,
        GitTrouble::Locked,
        GitTrouble::Full,
        GitTrouble::Disk,
        GitTrouble::ReadOnly,
        GitTrouble::Slow,
        GitTrouble::Git,
        GitTrouble::Damaged,
        GitTrouble::Interrupted,
    ];

    fn error(self, operation: &str) -> WorkspaceError {
        let (command, detail) = (format!("git {operation}"), "the scenario says so".to_owned());
        match self {
            GitTrouble::Signing => WorkspaceError::Commit(CommitRefused::Signing(detail)),
            GitTrouble::Locked => {
                let lock = format!("{ROOT}/.git/index.lock");
                WorkspaceError::Commit(CommitRefused::Locked { lock, by: None })
            }
            GitTrouble::Full => WorkspaceError::Full(detail),
            GitTrouble::Disk => WorkspaceError::Disk(detail),
            GitTrouble::ReadOnly => WorkspaceError::ReadOnly(detail),
            GitTrouble::Slow => {
                WorkspaceError::Slow { command, limit: "10 minutes".to_owned(), waited_for: None }
            }
            GitTrouble::Git => WorkspaceError::Git { command, detail },
            GitTrouble::Damaged => WorkspaceError::Damaged { what: "the repository".to_owned(), detail },
            GitTrouble::Interrupted => WorkspaceError::Interrupted { command },
        }
    }
}

impl FakeRepository {
    /// A repository with one commit of these files on `main`, and a worktree for this branch at that commit.
    pub fn new(crash: Arc<Crash>, branch: &str, files: &[(&str, &str)]) -> Arc<FakeRepository> {
        let tree: Tree = files.iter().map(|(path, text)| ((*path).to_owned(), Node::text(text))).collect();
        let mut state = State::default();
        let first = state.store_commit(&tree, &[], "first\n");
        let full = format!("{HEADS}{branch}");
        for name in ["refs/heads/main", &full] {
            state.refs.insert(name.to_owned(), first.clone());
        }
        // Git makes one for every new repository.
        state.setup.insert("info/exclude".to_owned(), "# nothing\n".to_owned());
        state.main = Worktree { index: tree.clone(), files: tree.clone(), ..Worktree::default() };
        state.feature =
            Worktree { head: Head::Branch(full), index: tree.clone(), files: tree, ..Worktree::default() };
        Arc::new(FakeRepository { state: Mutex::new(state), crash, branch: branch.to_owned() })
    }

    /// Lets this many calls of an operation of the workspace succeed and every later one fail, until it is mended.
    pub fn fail_after(&self, operation: &str, calls: u64, trouble: GitTrouble) {
        let fault = Fault { operation: operation.to_owned(), left: calls, trouble };
        locked(&self.state).faults.push(fault);
    }

    pub fn mend(&self) {
        locked(&self.state).faults.clear();
    }

    /// How often each operation of the workspace, of merging and of the check folder was asked for.
    pub fn calls(&self) -> BTreeMap<String, u64> {
        locked(&self.state).calls.clone()
    }

    /// The commit that a branch is at.
    pub fn tip(&self, branch: &str) -> Option<String> {
        locked(&self.state).refs.get(&format!("{HEADS}{branch}")).cloned()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// The state for an operation of the workspace, or the trouble it meets instead.
    pub(super) fn asked(&self, operation: &str) -> Result<MutexGuard<'_, State>, WorkspaceError> {
        self.crash.alive();
        let mut state = locked(&self.state);
        *state.calls.entry(operation.to_owned()).or_default() += 1;
        for fault in state.faults.iter_mut().filter(|fault| fault.operation == operation) {
            match fault.left {
                0 => return Err(fault.trouble.error(operation)),
                _ => fault.left -= 1,
            }
        }
        Ok(state)
    }
}

impl State {
    pub(super) fn store_tree(&mut self, tree: &Tree) -> String {
        let id = id_of(tree);
        self.trees.entry(id.clone()).or_insert_with(|| tree.clone());
        id
    }

    pub(super) fn store_commit(&mut self, tree: &Tree, parents: &[String], message: &str) -> String {
        let tree = self.store_tree(tree);
        let (parents, message) = (parents.to_vec(), message.to_owned());
        let id = short(format!("commit {tree} {parents:?} {message}").as_bytes());
        self.commits.insert(id.clone(), CommitObject { tree, parents, message });
        id
    }

    /// A tree that must be there.
    pub(super) fn tree(&self, revision: &Revision) -> Result<&Tree, WorkspaceError> {
        self.trees.get(revision.as_str()).ok_or_else(|| WorkspaceError::AnchorLost(revision.clone()))
    }

    /// The files of a commit; none where it or its tree is gone.
    pub(super) fn files_at(&self, commit: &str) -> Option<&Tree> {
        self.trees.get(&self.commits.get(commit)?.tree)
    }

    pub(super) fn commit_of(&self, head: &Head) -> String {
        match head {
            Head::Branch(name) => self.refs.get(name).cloned().unwrap_or_default(),
            Head::Detached(commit) => commit.clone(),
        }
    }

    /// The commit of the feature's HEAD; empty where its branch is gone.
    pub(super) fn head(&self) -> String {
        self.commit_of(&self.feature.head)
    }

    /// A commit and all before it, the newest first.
    pub(super) fn history(&self, commit: &str) -> Vec<String> {
        let (mut found, mut left) = (Vec::new(), VecDeque::from([commit.to_owned()]));
        while let Some(id) = left.pop_front() {
            let Some(object) = self.commits.get(&id).filter(|_| !found.contains(&id)) else { continue };
            left.extend(object.parents.iter().cloned());
            found.push(id);
        }
        found
    }

    /// The commits that one has and another does not have.
    pub(super) fn since(&self, base: &str, head: &str) -> Vec<String> {
        let before: BTreeSet<String> = self.history(base).into_iter().collect();
        self.history(head).into_iter().filter(|id| !before.contains(id)).collect()
    }

    pub(super) fn exclude(&self) -> Option<&String> {
        self.setup.get("info/exclude")
    }

    /// The files of the feature's worktree that are tracked or not ignored.
    pub(super) fn visible(&self) -> Tree {
        self.feature.visible(self.exclude())
    }

    /// Branches and tags.
    pub(super) fn public_refs(&self) -> BTreeMap<String, String> {
        let public = |(name, _): &(&String, &String)| name.starts_with(HEADS) || name.starts_with(TAGS);
        self.refs.iter().filter(public).map(|(name, id)| (name.clone(), id.clone())).collect()
    }
}

/// The ref that says that a feature goes on without something that is lost.
pub(super) fn done_without(id: &str) -> String {
    format!("refs/redraft/repaired/{id}")
}

/// The ref that keeps what was undone.
pub(super) fn lost_ref(name: &str) -> String {
    format!("refs/redraft/lost/{name}")
}

/// A message with its trailers, as it is stored.
pub(super) fn full_message(message: &str, trailers: &Trailers) -> String {
    let Trailers { ticket, seq, agents, approved } = trailers;
    let mut lines = String::new();
    let mut line = |key: &str, value: &str| lines.push_str(&format!("{key}: {value}\n"));
    if !ticket.is_empty() {
        line("Redraft-Ticket", ticket);
    }
    agents.iter().for_each(|agent| line("Redraft-Agent", agent));
    approved.iter().for_each(|approval| line("Redraft-Approved", approval));
    if *seq != 0 {
        line("Redraft-Seq", &seq.to_string());
    }
    let message = message.trim_end();
    if lines.is_empty() { format!("{message}\n") } else { format!("{message}\n\n{lines}") }
}

/// The last value of a trailer.
pub(super) fn trailer<'a>(message: &'a str, key: &str) -> Option<&'a str> {
    let (_, last) = message.trim_end().rsplit_once("\n\n")?;
    let values = last.lines().filter_map(|line| line.split_once(": "));
    values.filter(|(found, _)| *found == key).map(|(_, value)| value.trim()).next_back()
}
