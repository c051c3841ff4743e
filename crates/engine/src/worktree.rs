//! The worktree of a feature, as the rest of the engine uses it: which of its files are ours, what it holds now, and
//! commits that hold no secret. It stores nothing.

use crate::boundary::Boundaries;
use crate::ending::EngineError;
use crate::ports::{Commit, Trailers, Workspace, WorkspaceError};
use redraft_core::pipeline::Pipeline;
use redraft_core::review::Loop;
use redraft_documents::bank::{BankFile, RETIRED_FILE};
use redraft_facts::event::{FeatureCreated, LoopOpened};
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::redact::Redactor;
use redraft_reports::projections;

/// A feature's worktree.
#[derive(Clone, Copy)]
pub(crate) struct Worktree<'r> {
    pub(crate) workspace: &'r dyn Workspace,
    pub(crate) redactor: &'r Redactor,
    pub(crate) boundaries: &'r Boundaries,
    pub(crate) created: &'r FeatureCreated,
}

/// The subject of a loop, as it is in the worktree now; none where there is nothing.
pub fn standing(
    workspace: &dyn Workspace,
    created: &FeatureCreated,
    opened: &LoopOpened,
) -> Result<Option<Revision>, WorkspaceError> {
    match opened.is_code() {
        true => workspace.tree(&projections(created)).map(Some),
        false => workspace.revision(&opened.paths),
    }
}

fn projections(created: &FeatureCreated) -> Vec<String> {
    projections::FILES.iter().map(|name| created.path_of(name)).collect()
}

impl Worktree<'_> {
    /// The same feature in another worktree, if there is one.
    pub(crate) fn in_slot<'o>(&'o self, own: Option<&'o (dyn Workspace + 'static)>) -> Worktree<'o> {
        Worktree { workspace: own.map_or(self.workspace, |own| own), ..*self }
    }

    /// Our files next to the artifacts, which are not part of any revision.
    pub(crate) fn projections(&self) -> Vec<String> {
        projections(self.created)
    }

    /// What the last phase writes, and projections: not part of what is checked.
    pub(crate) fn written_at_the_end(&self) -> Vec<String> {
        let mut paths = self.projections();
        paths.push(self.created.path_of(Phase::Finish.artifact()));
        paths.extend(BankFile::ALL.iter().map(|kind| kind.path().to_owned()));
        paths.push(RETIRED_FILE.to_owned());
        paths
    }

    /// All files, without our own.
    pub(crate) fn tree(&self) -> Result<Revision, WorkspaceError> {
        self.workspace.tree(&self.projections())
    }

    /// The commit it is at.
    pub(crate) fn head(&self) -> Result<String, WorkspaceError> {
        Ok(self.workspace.head()?.0.0)
    }

    /// The subject of a loop, as it is now; none where there is nothing.
    pub(crate) fn standing(&self, opened: &LoopOpened) -> Result<Option<Revision>, WorkspaceError> {
        standing(self.workspace, self.created, opened)
    }

    /// The files to commit for a new revision of the open loop.
    pub(crate) fn paths_of_change(&self, open: &Loop, to: &Revision) -> Result<Vec<String>, EngineError> {
        match (open.opened.is_code(), &open.revision) {
            (true, Some(from)) => match self.workspace.changed(from, to) {
                // The revision it is compared with is lost; the branch has what is left of it.
                Err(WorkspaceError::AnchorLost(_)) => self.uncommitted(),
                changed => Ok(changed?),
            },
            _ => Ok(open.opened.paths.clone()),
        }
    }

    /// Files that no commit holds, without our own.
    fn uncommitted(&self) -> Result<Vec<String>, EngineError> {
        let (mut files, ours) = (self.workspace.uncommitted()?, self.projections());
        files.retain(|file| !ours.contains(file));
        Ok(files)
    }

    /// Commits named paths, unless one of them holds a secret. None where nothing is new.
    pub(crate) fn commit(
        &self,
        paths: &[String],
        message: &str,
        trailers: &Trailers,
    ) -> Result<Option<Commit>, EngineError> {
        for path in paths {
            let Some(bytes) = self.workspace.read(path)? else { continue };
            self.refuse_secret(path, &bytes)?;
        }
        Ok(self.workspace.commit(paths, message, trailers)?)
    }

    /// The same, and the commit that holds them: where nothing is new, a run that died before it could report it
    /// committed them.
    pub(crate) fn commit_or_head(
        &self,
        paths: &[String],
        message: &str,
        trailers: &Trailers,
    ) -> Result<String, EngineError> {
        match self.commit(paths, message, trailers)? {
            Some(commit) => Ok(commit.0),
            None => Ok(self.head()?),
        }
    }

    /// The commit that holds a revision of the code: what is reviewed, checked and merged is one and the same. Files that no
    /// commit holds yet, because a person left them so, are committed first where that is allowed.
    pub(crate) fn committed(&self, revision: &Revision, seq: Option<u64>) -> Result<String, EngineError> {
        let stray = |commit: &str| -> Result<Vec<String>, EngineError> {
            let held = self.workspace.tree_of(commit)?;
            let mut changed = self.workspace.changed(&held, revision)?;
            let ours = self.projections();
            changed.retain(|path| !ours.contains(path));
            Ok(changed)
        };
        let mut commit = self.head()?;
        let mut missing = stray(&commit)?;
        if let Some(seq) = seq.filter(|_| !missing.is_empty()) {
            let trailers = Trailers { seq, ..Trailers::default() };
            self.boundaries.pass("before an edit is committed");
            self.commit(&missing, "redraft: files that were not committed yet", &trailers)?;
            commit = self.head()?;
            missing = stray(&commit)?;
        }
        match missing.is_empty() {
            true => Ok(commit),
            false => Err(EngineError::Uncommitted { commit, files: missing }),
        }
    }

    /// Refuses these files before git stores anything of them, if one has a secret that no known revision has.
    /// Unreadable files are left to the commit.
    pub(crate) fn refuse_new_secrets(&self, open: &Loop, paths: &[String]) -> Result<(), EngineError> {
        let known: Vec<&Revision> = open.revision.iter().chain(&open.opened.base).collect();
        for path in paths {
            let Ok(Some(bytes)) = self.workspace.read(path) else { continue };
            let is_there = |revision: &&Revision| matches!(self.workspace.read_at(revision, path), Ok(Some(then)) if then == bytes);
            if !known.iter().any(is_there) {
                self.refuse_secret(path, &bytes)?;
            }
        }
        Ok(())
    }

    /// The same for whatever no commit holds yet.
    pub(crate) fn refuse_secrets_in_code(&self, open: &Loop) -> Result<(), EngineError> {
        self.refuse_new_secrets(open, &self.uncommitted()?)
    }

    fn refuse_secret(&self, path: &str, bytes: &[u8]) -> Result<(), EngineError> {
        match self.redactor.find(&String::from_utf8_lossy(bytes)).first() {
            None => Ok(()),
            Some(found) => {
                let (path, line, kind) = (path.to_owned(), found.line, found.kind.name());
                Err(WorkspaceError::Secret { path, line, kind }.into())
            }
        }
    }

    /// Requires that what a phase builds on is there, or was left out by a person's decision, and is what was approved:
    /// nobody has reviewed an edit since then.
    pub(crate) fn require_upstream(&self, state: &Pipeline, phase: Phase) -> Result<(), EngineError> {
        if self.created.is_review() {
            return Ok(());
        }
        let feature = self.created.id;
        for earlier in Phase::DOCUMENTS.into_iter().filter(|earlier| *earlier < phase) {
            let path = self.created.path_of(earlier.artifact());
            if state.left_out(earlier).is_none() && self.workspace.read(&path)?.is_none() {
                return Err(EngineError::Prerequisite { feature, phase, earlier, path });
            }
            let Some(closed) = state.closed(earlier) else { continue };
            let revision = closed.revision.clone();
            if self.workspace.read_at(&revision, &path)? != self.workspace.read(&path)? {
                return Err(EngineError::Changed { feature, phase, earlier, path, revision });
            }
        }
        Ok(())
    }

    /// Keeps git from collecting a revision of the open loop that later deltas start from.
    pub(crate) fn keep_anchor(
        &self,
        open: &Loop,
        name: &str,
        revision: &Revision,
    ) -> Result<(), EngineError> {
        let name = self.anchor(open.opened.phase, open.opened.pass, name);
        Ok(self.workspace.keep(&name, revision)?)
    }

    /// The full name of an anchor.
    pub(crate) fn anchor(&self, phase: Phase, pass: u16, name: &str) -> String {
        format!("{}/{phase}.{pass}/{name}", self.created.scope())
    }
}
