//! Merges of the fake repository. A file that both branches changed in different ways is a conflict here, whichever lines of
//! it they changed; git looks closer.

use super::repository::{FakeRepository, HEADS, ROOT, State, full_message, trailer};
use super::tree::{Tree, differing};
use super::worktree::Head;
use redraft_engine::ports::{
    Commit, CommitRefused, Merge, MergeError, MergeOutcome, MergePreview, Merging, Trailers, WorkspaceError,
};
use redraft_facts::event::MergeHistory;
use redraft_facts::ids::Revision;
use std::sync::Arc;

/// The feature's branch, seen from the branch it goes back to.
#[derive(Debug)]
pub struct FakeMerging {
    repository: Arc<FakeRepository>,
}

impl FakeMerging {
    pub fn new(repository: &Arc<FakeRepository>) -> FakeMerging {
        FakeMerging { repository: Arc::clone(repository) }
    }
}

impl Merging for FakeMerging {
    fn preview(&self, into: &str, except: &[String]) -> Result<MergePreview, MergeError> {
        let mut state = self.repository.asked("preview")?;
        let tip = |name: &str| {
            let found = state.refs.get(&format!("{HEADS}{name}")).cloned();
            found.ok_or_else(|| MergeError::NoBranch(name.to_owned()))
        };
        let (head, into) = (tip(&self.repository.branch)?, tip(into)?);
        let outcome = match state.merge_of(&into, &head) {
            Ok(tree) => {
                let mut checked = tree.clone();
                checked.retain(|path, _| !except.contains(path));
                let tree = Revision::new(state.store_tree(&tree));
                MergeOutcome::Clean { tree, checked: Revision::new(state.store_tree(&checked)) }
            }
            Err(files) => MergeOutcome::Conflicts(files),
        };
        Ok(MergePreview { into, head, outcome })
    }

    fn common(&self, into: &str) -> Result<Option<Revision>, MergeError> {
        let state = self.repository.asked("common")?;
        let tip = |name: &str| state.refs.get(&format!("{HEADS}{name}")).cloned().unwrap_or_default();
        let head = tip(&self.repository.branch);
        let base = state.merge_base(&tip(into), &head).filter(|base| *base != head);
        let tree = base.and_then(|base| Some(state.commits.get(&base)?.tree.clone()));
        Ok(tree.map(Revision::new))
    }

    fn sketch(&self, preview: &MergePreview) -> Result<Commit, MergeError> {
        let mut state = self.repository.asked("sketch")?;
        let MergeOutcome::Clean { tree, .. } = &preview.outcome else {
            return Ok(Commit(preview.head.clone()));
        };
        let tree = state.tree(tree)?.clone();
        let parents = [preview.into.clone(), preview.head.clone()];
        Ok(Commit(state.store_commit(&tree, &parents, "what would be merged\n")))
    }

    fn merge(&self, preview: &MergePreview, merge: &Merge<'_>) -> Result<Commit, MergeError> {
        let mut state = self.repository.asked("merge")?;
        let moved = || MergeError::Moved(merge.into.to_owned());
        let MergeOutcome::Clean { tree, .. } = &preview.outcome else { return Err(moved()) };
        let full = format!("{HEADS}{}", merge.into);
        let here = state.main.head == Head::Branch(full.clone());
        if here {
            require_clean(&state, merge.into)?;
        }
        let tree = state.tree(tree)?.clone();
        if state.nobody {
            return Err(WorkspaceError::Commit(CommitRefused::NoIdentity).into());
        }
        if state.refs.get(&full) != Some(&preview.into) {
            return Err(moved());
        }
        if here && let Some(path) = in_the_way(&state, &tree) {
            let (into, folder) = (merge.into.to_owned(), ROOT.to_owned());
            return Err(MergeError::Refused { into, folder, detail: format!("{path} is in the way") });
        }
        let mut parents = vec![preview.into.clone()];
        parents.extend((merge.history == MergeHistory::Keep).then(|| preview.head.clone()));
        let commit = state.store_commit(&tree, &parents, &full_message(merge.message, merge.trailers));
        state.refs.insert(full, commit.clone());
        if here {
            let main = &mut state.main;
            let tracked = std::mem::replace(&mut main.index, tree.clone());
            main.files.retain(|path, _| !tracked.contains_key(path));
            main.files.extend(tree);
        }
        drop(state);
        self.repository.crash.changed("the branch is merged");
        Ok(Commit(commit))
    }

    fn merged(&self, into: &str, trailers: &Trailers) -> Result<Option<Commit>, MergeError> {
        let state = self.repository.asked("merged")?;
        let Some(tip) = state.refs.get(&format!("{HEADS}{into}")) else { return Ok(None) };
        let (ticket, seq) = (Some(trailers.ticket.as_str()), trailers.seq.to_string());
        let Some(head) = state.refs.get(&format!("{HEADS}{}", self.repository.branch)) else {
            return Ok(None);
        };
        let own = |id: &String| {
            let Some(commit) = state.commits.get(id) else { return false };
            let says = |key: &str| trailer(&commit.message, key);
            let Some(into) = commit.parents.first() else { return false };
            // Such lines can be forged. It is the merge if it did what the merge does.
            says("Redraft-Ticket") == ticket
                && says("Redraft-Seq") == Some(&seq)
                && state.merge_of(into, head).ok().as_ref() == state.files_at(id)
        };
        Ok(state.history(tip).into_iter().find(own).map(Commit))
    }
}

impl State {
    /// The files that merging two commits gives, or those on which they disagree.
    pub(super) fn merge_of(&self, into: &str, head: &str) -> Result<Tree, Vec<String>> {
        let files = |commit: &str| self.files_at(commit).cloned().unwrap_or_default();
        let base = self.merge_base(into, head).map(|base| files(&base)).unwrap_or_default();
        merged(&base, &files(into), &files(head))
    }

    /// The newest commit that both have.
    fn merge_base(&self, one: &str, other: &str) -> Option<String> {
        let known = self.history(other);
        self.history(one).into_iter().find(|id| known.contains(id))
    }
}

/// What both did to a base, or the files on which they disagree.
fn merged(base: &Tree, one: &Tree, other: &Tree) -> Result<Tree, Vec<String>> {
    let (mut tree, mut conflicts) = (one.clone(), Vec::new());
    for path in differing(base, other) {
        let (before, ours, theirs) = (base.get(&path), one.get(&path), other.get(&path));
        match (ours == before || ours == theirs, theirs) {
            (false, _) => conflicts.push(path),
            (true, Some(node)) => drop(tree.insert(path, node.clone())),
            (true, None) => drop(tree.remove(&path)),
        }
    }
    if conflicts.is_empty() { Ok(tree) } else { Err(conflicts) }
}

/// Refuses to move a checkout that has something no commit holds.
fn require_clean(state: &State, into: &str) -> Result<(), MergeError> {
    let held = state.files_at(&state.commit_of(&state.main.head)).cloned().unwrap_or_default();
    let mut now = state.main.files.clone();
    now.retain(|path, _| held.contains_key(path) || state.main.index.contains_key(path));
    let names = differing(&held, &now);
    if names.is_empty() {
        return Ok(());
    }
    let is = if names.len() == 1 { "is" } else { "are" };
    let (into, folder, what) = (into.to_owned(), ROOT.to_owned(), format!("{} {is}", names.join(", ")));
    Err(MergeError::Dirty { into, folder, what })
}

/// An uncommitted file that the merge would replace.
fn in_the_way(state: &State, tree: &Tree) -> Option<String> {
    let new = tree.keys().filter(|path| !state.main.index.contains_key(*path));
    new.into_iter().find(|path| state.main.files.contains_key(*path)).cloned()
}
