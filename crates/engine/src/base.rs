//! Finds what the code of a feature is compared with, and what the feature changes.

use crate::ending::EngineError;
use crate::ports::Merging;
use crate::worktree::Worktree;
use redraft_documents::delta::Delta;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::Revision;
use redraft_reports::projections;
use redraft_reports::retro::FeatureChange;

/// Compares the code of a feature with what it began from.
#[derive(Clone, Copy)]
pub(crate) struct Base<'r> {
    pub(crate) worktree: Worktree<'r>,
    pub(crate) merging: &'r dyn Merging,
}

impl Base<'_> {
    /// The revision that code is compared with: the files where the feature's branch left its base, with the feature's
    /// documents as they are. Everything else that differs is what a merge would bring, no matter who wrote it and
    /// when.
    pub(crate) fn of_code(&self) -> Result<Revision, EngineError> {
        let Worktree { workspace, created, .. } = self.worktree;
        let under = match self.common()? {
            Some(common) => common,
            None => workspace.tree_of(&created.base_commit)?,
        };
        Ok(workspace.over(&under, &self.worktree.tree()?, &projections::not_code(created))?)
    }

    /// Everything that was done to the code, without the feature's documents and what the last phase writes. What came
    /// from the branch it goes back to is not its own.
    pub(crate) fn change_of_feature(&self, entries: &[Entry]) -> Result<FeatureChange, EngineError> {
        let Worktree { workspace, created, .. } = self.worktree;
        let Some(base) = self.common()?.or_else(|| first(entries)) else {
            return Ok(FeatureChange::default());
        };
        let folder = format!("{}/", created.folder());
        let ours = self.worktree.written_at_the_end();
        let diff = workspace.delta(&base, &workspace.tree(&ours)?)?;
        let own = |path: &String| ours.contains(path) || path.starts_with(&folder);
        let files = Delta::parse(&diff).files.into_iter().filter(|file| !own(&file.path));
        let counted = files.map(|file| {
            let (added, removed) = (file.added().count() as u64, file.removed().count() as u64);
            (file.path, added, removed)
        });
        Ok(FeatureChange { files: counted.collect() })
    }

    /// The files at the last point where the feature's branch and the branch it goes back to were the same.
    fn common(&self) -> Result<Option<Revision>, EngineError> {
        match self.worktree.created.base_branch.as_str() {
            "" => Ok(None),
            into => Ok(self.merging.common(into)?),
        }
    }
}

/// The revision that the first loop about this feature's code was opened on.
fn first(entries: &[Entry]) -> Option<Revision> {
    entries.iter().find_map(|entry| match &entry.event {
        Event::LoopOpened(opened) if opened.is_code() => opened.base.clone(),
        _ => None,
    })
}
