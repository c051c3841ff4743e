//! What the engine asks of the feature's worktree: the port `Workspace`.

use super::ignore::Ignore;
use super::repository::{State, done_without, full_message, lost_ref, trailer};
use super::tree::{Node, Tree, change, differing, over};
use super::workspace::{FakeWorkspace, name_of};
use super::worktree::{Head, Kind, checked};
use super::{diff, put_on, refs, restore};
use redraft_engine::ports::{Commit, CommitRefused, PutOn, Trailers, Workspace, WorkspaceError};
use redraft_facts::event::TreeMark;
use redraft_facts::ids::Revision;
use std::collections::BTreeSet;
use std::path::PathBuf;

impl Workspace for FakeWorkspace {
    fn folder(&self) -> PathBuf {
        PathBuf::from(self.place())
    }

    fn isolated_copy(&self, files: &[String]) -> Result<PathBuf, WorkspaceError> {
        let mut state = self.asked("apart")?;
        let mut copies = Tree::new();
        for path in files {
            if let Some(bytes) = state.feature.read(path)? {
                copies.insert(path.clone(), Node::File { bytes, executable: false });
            }
        }
        let folder = PathBuf::from(format!("/fake/apart/{}", state.apart.len()));
        state.apart.insert(folder.clone(), copies);
        Ok(folder)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.asked("read")?.feature.read(path)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.asked("write")?.feature.write(path, bytes)?;
        self.changed_something("a file is written");
        Ok(())
    }

    fn remove(&self, path: &str) -> Result<(), WorkspaceError> {
        self.asked("remove")?.feature.remove(path)?;
        self.changed_something("a file is removed");
        Ok(())
    }

    fn revision(&self, paths: &[String]) -> Result<Option<Revision>, WorkspaceError> {
        let mut state = self.asked("revision")?;
        let mut tree = Tree::new();
        for path in paths {
            if let Kind::There(node) = state.feature.kind(path)? {
                tree.insert(path.clone(), node.clone());
            }
        }
        Ok((!tree.is_empty()).then(|| Revision::new(state.store_tree(&tree))))
    }

    fn tree(&self, ours: &[String]) -> Result<Revision, WorkspaceError> {
        let mut state = self.asked("tree")?;
        let mut tree = self.look(&state, ours);
        tree.retain(|path, _| !ours.contains(path));
        Ok(Revision::new(state.store_tree(&tree)))
    }

    fn tree_of(&self, commit: &str) -> Result<Revision, WorkspaceError> {
        let state = self.asked("tree_of")?;
        match state.commits.get(commit) {
            Some(object) => Ok(Revision::new(object.tree.clone())),
            None => Err(WorkspaceError::AnchorLost(Revision::new(commit))),
        }
    }

    fn unseen(&self) -> Result<BTreeSet<String>, WorkspaceError> {
        let state = self.asked("unseen")?;
        let ignored =
            state.feature.ignored(state.exclude()).into_iter().map(|path| format!("ignored {path}"));
        let memory = self.memory();
        let repositories = memory.repositories.iter().map(|path| format!("the repository {path}"));
        Ok(ignored.chain(repositories).collect())
    }

    fn note_git(&self) -> Result<(), WorkspaceError> {
        let setup = self.asked("note_git")?.setup.clone();
        self.memory().setup = Some(setup);
        Ok(())
    }

    fn put_git_back(&self, name: &str) -> Result<Vec<String>, WorkspaceError> {
        drop(self.asked("put_git_back")?);
        Ok(restore::put_git_back(self, name).lines)
    }

    fn changed(&self, from: &Revision, to: &Revision) -> Result<Vec<String>, WorkspaceError> {
        let state = self.asked("changed")?;
        let (from, to) = (state.tree(from)?, state.tree(to)?);
        let is_file =
            |path: &String| from.get(path).or(to.get(path)).is_some_and(|node| !node.is_repository());
        Ok(differing(from, to).into_iter().filter(is_file).collect())
    }

    fn all_changed(&self, from: &Revision, to: &Revision) -> Result<Vec<String>, WorkspaceError> {
        let state = self.asked("all_changed")?;
        Ok(differing(state.tree(from)?, state.tree(to)?))
    }

    fn over(&self, under: &Revision, from: &Revision, paths: &[String]) -> Result<Revision, WorkspaceError> {
        let mut state = self.asked("over")?;
        let tree = over(state.tree(under)?, state.tree(from)?, paths);
        Ok(Revision::new(state.store_tree(&tree)))
    }

    fn differing(&self, from: &Revision, to: &Revision) -> Result<Vec<u8>, WorkspaceError> {
        let state = self.asked("differing")?;
        Ok(change(state.tree(from)?, state.tree(to)?))
    }

    fn check_out(&self, commit: &str) -> Result<(), WorkspaceError> {
        let mut state = self.asked("check_out")?;
        let Some(tree) = state.files_at(commit).cloned() else {
            let (command, detail) = ("git checkout".to_owned(), format!("unable to read tree {commit}"));
            return Err(WorkspaceError::Git { command, detail });
        };
        let seen = state.visible();
        let feature = &mut state.feature;
        feature.files.retain(|path, node| !seen.contains_key(path) && *node != Node::Pipe);
        feature.files.extend(tree.clone());
        feature.index = tree;
        feature.head = Head::Detached(commit.to_owned());
        drop(state);
        self.changed_something("a commit is checked out");
        Ok(())
    }

    fn put_back(&self, revision: &Revision, files: &[String]) -> Result<(), WorkspaceError> {
        let mut state = self.asked("put_back")?;
        let (then, now) = (state.tree(revision)?.clone(), state.visible());
        for path in differing(&then, &now).into_iter().filter(|path| files.contains(path)) {
            match then.get(&path) {
                Some(node) => drop(state.feature.files.insert(path, node.clone())),
                None => drop(state.feature.files.remove(&path)),
            }
        }
        drop(state);
        self.changed_something("files are put back");
        Ok(())
    }

    fn nothing(&self) -> Result<Revision, WorkspaceError> {
        Ok(Revision::new(self.asked("nothing")?.store_tree(&Tree::new())))
    }

    fn read_at(&self, revision: &Revision, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let state = self.asked("read_at")?;
        checked(path)?;
        Ok(state.tree(revision)?.get(path).map(|node| node.stored().to_vec()))
    }

    fn delta(&self, from: &Revision, to: &Revision) -> Result<String, WorkspaceError> {
        let state = self.asked("delta")?;
        Ok(diff::unified(state.tree(from)?, state.tree(to)?))
    }

    fn keep(&self, name: &str, revision: &Revision) -> Result<(), WorkspaceError> {
        let mut state = self.asked("keep")?;
        state.tree(revision)?;
        state.refs.insert(format!("refs/redraft/anchors/{name}"), revision.to_string());
        drop(state);
        self.changed_something("an anchor is kept");
        Ok(())
    }

    fn mark(&self, ours: &[String]) -> Result<TreeMark, WorkspaceError> {
        let mut state = self.asked("mark")?;
        let refuse = |detail: String| WorkspaceError::Git { command: "git status".to_owned(), detail };
        if let Some(operation) = state.feature.unfinished {
            return Err(refuse(format!(
                "a {operation} is in progress in {}; finish or abort it first",
                self.place()
            )));
        }
        let work = self.look(&state, ours);
        let (work, index) = (state.store_tree(&work), state.feature.index.clone());
        let mark = TreeMark {
            head: state.head(),
            branch: name_of(&state.feature.head),
            index: state.store_tree(&index),
            work,
        };
        if mark.head.is_empty() {
            return Err(refuse(format!("{} has no commits", self.place())));
        }
        let (marked, setup) = (refs::mark(&state), state.setup.clone());
        drop(state);
        let mut memory = self.memory();
        (memory.marked, memory.setup) = (Some(marked), Some(setup));
        Ok(mark)
    }

    fn restore(
        &self,
        mark: &TreeMark,
        allowed: &[String],
        name: &str,
    ) -> Result<Vec<String>, WorkspaceError> {
        drop(self.asked("restore")?);
        restore::restore(self, mark, allowed, name)
    }

    fn left_refs(&self, name: &str) -> Result<Vec<String>, WorkspaceError> {
        drop(self.asked("left_refs")?);
        Ok(refs::left(self, name))
    }

    fn lost_ref(&self, name: &str) -> String {
        lost_ref(name)
    }

    fn may_commit(&self, path: &str) -> Result<(), WorkspaceError> {
        let state = self.asked("may_commit")?;
        self.require_branch(&state)?;
        refuse_ignored(&state, path)
    }

    fn commit(
        &self,
        paths: &[String],
        message: &str,
        trailers: &Trailers,
    ) -> Result<Option<Commit>, WorkspaceError> {
        let mut state = self.asked("commit")?;
        self.require_branch(&state)?;
        let head = state.head();
        let before = state.files_at(&head).cloned().unwrap_or_default();
        let mut named: Vec<(String, Option<Node>)> = Vec::new();
        for path in paths {
            let found = match state.feature.kind(path)? {
                Kind::Absent => None,
                Kind::There(node) => Some(node.clone()),
            };
            if found.is_some() && !before.contains_key(path) {
                refuse_ignored(&state, path)?;
            }
            if found.is_some() || before.contains_key(path) {
                named.push((path.clone(), found));
            }
        }
        // Git is told of new files first; a run that dies here leaves them staged.
        let new = named.iter().filter(|(path, _)| !before.contains_key(path));
        let new: Vec<(String, Node)> =
            new.filter_map(|(path, node)| Some((path.clone(), node.clone()?))).collect();
        if !new.is_empty() {
            state.feature.index.extend(new);
            drop(state);
            self.changed_something("new files are staged");
            state = self.state();
        }
        let mut after = before.clone();
        for (path, node) in &named {
            match node {
                Some(node) => drop(after.insert(path.clone(), node.clone())),
                None => drop(after.remove(path)),
            }
        }
        if after == before {
            return Ok(None);
        }
        if state.nobody {
            return Err(WorkspaceError::Commit(CommitRefused::NoIdentity));
        }
        let commit = state.store_commit(&after, &[head], &full_message(message, trailers));
        for (path, node) in named {
            match node {
                Some(node) => drop(state.feature.index.insert(path, node)),
                None => drop(state.feature.index.remove(&path)),
            }
        }
        state.feature.log.push((commit.clone(), None));
        let name = name_of(&state.feature.head);
        state.refs.insert(name, commit.clone());
        drop(state);
        self.changed_something("a commit is made");
        Ok(Some(Commit(commit)))
    }

    fn loose_commit(
        &self,
        name: &str,
        tree: &Revision,
        parent: &str,
        message: &str,
    ) -> Result<Commit, WorkspaceError> {
        let mut state = self.asked("loose_commit")?;
        let tree = state.tree(tree)?.clone();
        let commit = put_on::loose_commit(&mut state, name, &tree, parent, message)?;
        drop(state);
        self.changed_something("a loose commit is made");
        Ok(commit)
    }

    fn put_on(&self, name: &str, onto: &str, commit: &str) -> Result<PutOn, WorkspaceError> {
        let mut state = self.asked("put_on")?;
        let done = put_on::put_on(&mut state, name, onto, commit)?;
        drop(state);
        self.changed_something("a change is put on a commit");
        Ok(done)
    }

    fn newest_seq(&self, base: &str) -> Result<u64, WorkspaceError> {
        let state = self.asked("newest_seq")?;
        let seq = |id: &String| trailer(&state.commits.get(id)?.message, "Redraft-Seq")?.parse::<u64>().ok();
        let head = state.head();
        // A base that was rewritten and collected says nothing: HEAD alone has to be enough.
        let commits = if state.commits.contains_key(base) { state.since(base, &head) } else { vec![head] };
        Ok(commits.iter().filter_map(seq).max().unwrap_or(0))
    }

    fn is_missing(&self, id: &str) -> Result<bool, WorkspaceError> {
        let state = self.asked("is_missing")?;
        let is_there = state.commits.contains_key(id) || state.trees.contains_key(id);
        Ok(!is_there && !state.refs.contains_key(&done_without(id)))
    }

    fn require_readable(&self, base: &str) -> Result<(), WorkspaceError> {
        let state = self.asked("require_readable")?;
        for commit in state.since(base, &state.head()) {
            if state.files_at(&commit).is_none() {
                let what = format!("branch {}", self.branch());
                return Err(WorkspaceError::Damaged {
                    what,
                    detail: format!("the tree of {commit} is missing"),
                });
            }
        }
        Ok(())
    }

    fn uncommitted(&self) -> Result<Vec<String>, WorkspaceError> {
        let state = self.asked("uncommitted")?;
        let held = state.files_at(&state.head()).cloned().unwrap_or_default();
        Ok(differing(&held, &state.visible()))
    }

    fn head(&self) -> Result<(Commit, Trailers), WorkspaceError> {
        let state = self.asked("head")?;
        let id = state.head();
        let Some(object) = state.commits.get(&id) else {
            let detail = "it leads to no commit that can be read".to_owned();
            return Err(WorkspaceError::Damaged { what: format!("branch {}", self.branch()), detail });
        };
        let value = |key: &str| trailer(&object.message, key).unwrap_or_default().to_owned();
        let (ticket, seq) = (value("Redraft-Ticket"), value("Redraft-Seq").parse().unwrap_or(0));
        Ok((Commit(id), Trailers { ticket, seq, ..Trailers::default() }))
    }
}

/// A new file that is ignored is refused; one that git tracks is taken whatever the patterns say.
fn refuse_ignored(state: &State, path: &str) -> Result<(), WorkspaceError> {
    let ignored = Ignore::new(&state.feature.files, state.exclude()).of_path(path).is_some();
    match ignored && !state.feature.index.contains_key(path) {
        true => Err(WorkspaceError::Commit(CommitRefused::Ignored(path.to_owned()))),
        false => Ok(()),
    }
}
