//! A worktree as the engine's `Workspace` port sees it: each question is handed to the module that answers it.

use super::isolated_copy::IsolatedCopy;
use super::workspace::GitWorkspace;
use super::{
    change, commit, guard, hidden, lost, objects, put_on, refs, repair, restore, revision, worktree_state,
};
use redraft_engine::ports::{Commit, PutOn, Trailers, Workspace, WorkspaceError};
use redraft_facts::event::TreeMark;
use redraft_facts::ids::Revision;
use std::collections::BTreeSet;
use std::path::PathBuf;

impl Workspace for GitWorkspace {
    fn folder(&self) -> PathBuf {
        self.root().to_owned()
    }

    fn isolated_copy(&self, files: &[String]) -> Result<PathBuf, WorkspaceError> {
        let apart = IsolatedCopy::new()?;
        for path in files {
            if let Some(bytes) = self.files.read(path)? {
                apart.put(path, &bytes)?;
            }
        }
        let folder = apart.folder().to_owned();
        self.keep_copy(apart);
        Ok(folder)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.files.read(path)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.files.write(path, bytes)
    }

    fn remove(&self, path: &str) -> Result<(), WorkspaceError> {
        self.files.remove(path)
    }

    fn revision(&self, paths: &[String]) -> Result<Option<Revision>, WorkspaceError> {
        let found = revision::found(self, paths)?;
        if let Some(revision) = self.recent(|recent| recent.taken(&found)) {
            return Ok(revision);
        }
        let revision = revision::take(self, paths)?;
        // Only if nothing changed while the tree was taken is it the tree of what was found.
        if revision::found(self, paths)? == found {
            self.recent(|recent| recent.take(found, revision.clone()));
        }
        Ok(revision)
    }

    fn tree(&self, ours: &[String]) -> Result<Revision, WorkspaceError> {
        Ok(Revision::new(worktree_state::tree_without(self, ours)?))
    }

    fn changed(&self, from: &Revision, to: &Revision) -> Result<Vec<String>, WorkspaceError> {
        restore::changed(self, from, to)
    }

    fn all_changed(&self, from: &Revision, to: &Revision) -> Result<Vec<String>, WorkspaceError> {
        restore::all_changed(self, from, to)
    }

    fn over(&self, under: &Revision, from: &Revision, paths: &[String]) -> Result<Revision, WorkspaceError> {
        revision::require(self, &[under, from])?;
        Ok(Revision::new(worktree_state::over(self, under.as_str(), from.as_str(), paths)?))
    }

    fn differing(&self, from: &Revision, to: &Revision) -> Result<Vec<u8>, WorkspaceError> {
        revision::differing(self, from, to)
    }

    fn check_out(&self, commit: &str) -> Result<(), WorkspaceError> {
        Ok(change::check_out(self, commit)?)
    }

    fn put_back(&self, revision: &Revision, files: &[String]) -> Result<(), WorkspaceError> {
        restore::put_back(self, revision, files)
    }

    fn nothing(&self) -> Result<Revision, WorkspaceError> {
        revision::nothing(self)
    }

    fn read_at(&self, revision: &Revision, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        if let Some(bytes) = self.recent(|recent| recent.file(revision, path)) {
            return Ok(bytes);
        }
        let bytes = revision::read_at(self, revision, path)?;
        self.recent(|recent| recent.read(revision, path, bytes.clone()));
        Ok(bytes)
    }

    fn delta(&self, from: &Revision, to: &Revision) -> Result<String, WorkspaceError> {
        if let Some(delta) = self.recent(|recent| recent.delta(from, to)) {
            return Ok(delta);
        }
        let delta = revision::delta(self, from, to)?;
        self.recent(|recent| recent.compared(from, to, delta.clone()));
        Ok(delta)
    }

    fn keep(&self, name: &str, revision: &Revision) -> Result<(), WorkspaceError> {
        revision::keep(self, name, revision)
    }

    fn mark(&self, ours: &[String]) -> Result<TreeMark, WorkspaceError> {
        let mark = worktree_state::mark(self, ours)?;
        self.mark_refs(refs::mark(self)?);
        self.note_git()?;
        self.note_hidden(hidden::look(self)?);
        Ok(mark)
    }

    fn tree_of(&self, commit: &str) -> Result<Revision, WorkspaceError> {
        let name = format!("{commit}^{{tree}}");
        match objects::info(self, &name)? {
            Some(tree) => Ok(Revision::new(tree.id)),
            None => Err(WorkspaceError::AnchorLost(Revision::new(commit))),
        }
    }

    fn unseen(&self) -> Result<BTreeSet<String>, WorkspaceError> {
        Ok(worktree_state::unseen(self)?)
    }

    fn note_git(&self) -> Result<(), WorkspaceError> {
        self.note_git_setup(guard::look(self)?);
        Ok(())
    }

    fn put_git_back(&self, name: &str) -> Result<Vec<String>, WorkspaceError> {
        Ok(guard::put_back(self, name)?.lines)
    }

    fn restore(
        &self,
        mark: &TreeMark,
        allowed: &[String],
        name: &str,
    ) -> Result<Vec<String>, WorkspaceError> {
        restore::restore(self, mark, allowed, name)
    }

    fn left_refs(&self, name: &str) -> Result<Vec<String>, WorkspaceError> {
        refs::left(self, name)
    }

    fn lost_ref(&self, name: &str) -> String {
        lost::lost_ref(name)
    }

    fn may_commit(&self, path: &str) -> Result<(), WorkspaceError> {
        commit::may_commit(self, path)
    }

    fn commit(
        &self,
        paths: &[String],
        message: &str,
        trailers: &Trailers,
    ) -> Result<Option<Commit>, WorkspaceError> {
        commit::commit(self, paths, message, trailers)
    }

    fn loose_commit(
        &self,
        name: &str,
        tree: &Revision,
        parent: &str,
        message: &str,
    ) -> Result<Commit, WorkspaceError> {
        put_on::loose_commit(self, name, tree.as_str(), parent, message)
    }

    fn put_on(&self, name: &str, onto: &str, commit: &str) -> Result<PutOn, WorkspaceError> {
        put_on::put_on(self, name, onto, commit)
    }

    fn newest_seq(&self, base: &str) -> Result<u64, WorkspaceError> {
        commit::newest_seq(self, base)
    }

    fn is_missing(&self, id: &str) -> Result<bool, WorkspaceError> {
        let done_without = repair::done_without(id);
        Ok(objects::info(self, id)?.is_none() && objects::info(self, &done_without)?.is_none())
    }

    fn require_readable(&self, base: &str) -> Result<(), WorkspaceError> {
        repair::require_readable(self, base)
    }

    fn uncommitted(&self) -> Result<Vec<String>, WorkspaceError> {
        Ok(self.uncommitted_files()?)
    }

    fn head(&self) -> Result<(Commit, Trailers), WorkspaceError> {
        commit::head(self)
    }
}
