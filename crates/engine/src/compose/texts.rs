//! What an order's role is shown of the revisions: documents, the PRD wherever it is, and the changes between two.
//!
//! Everything is read from revisions and kept for one order, so that the prompts made for it are made of the same bytes.
//! Start at [`Texts`].

use crate::ports::{Workspace, WorkspaceError};
use redraft_core::event::FeatureCreated;
use redraft_core::ids::Revision;
use redraft_core::profile;
use redraft_core::review::{Loop, Order};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A file of a revision, if it has it.
type Bytes = Option<Vec<u8>>;

/// Revisions as they are read for one order: every file and every delta once, however many prompts are made of them.
pub struct Texts<'a> {
    workspace: &'a dyn Workspace,
    files: RefCell<BTreeMap<(Revision, String), Bytes>>,
    deltas: RefCell<BTreeMap<(Revision, Revision), String>>,
}

/// Characters of what a role works with.
pub(crate) struct Given {
    /// Of the upstream artifacts its profile names, and how many there are.
    pub(crate) upstream: u64,
    pub(crate) files: u32,
    pub(crate) artifact: u64,
}

impl<'a> Texts<'a> {
    pub fn new(workspace: &'a dyn Workspace) -> Self {
        Texts { workspace, files: RefCell::default(), deltas: RefCell::default() }
    }

    pub(super) fn read_at(&self, revision: &Revision, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let key = (revision.clone(), path.to_owned());
        if let Some(bytes) = self.files.borrow().get(&key) {
            return Ok(bytes.clone());
        }
        let bytes = self.workspace.read_at(revision, path)?;
        self.files.borrow_mut().insert(key, bytes.clone());
        Ok(bytes)
    }

    /// A file as the order's role is shown it. Before the first draft there is no revision but what the loop was opened
    /// on; without one the PRD is what the feature was created with.
    pub(super) fn shown(
        &self,
        created: &FeatureCreated,
        state: &Loop,
        order: &Order,
        path: &str,
    ) -> Result<Option<Vec<u8>>, WorkspaceError> {
        match order.sees.as_ref().or(state.opened.base.as_ref()) {
            Some(revision) => self.read_at(revision, path),
            None if created.prd.is_some() && path == prd_path(created) => self.workspace.read(path),
            None => Ok(None),
        }
    }

    /// The PRD and where it is (I8): `prd.md` beside the other artifacts, else the file that the feature came from. None
    /// that can be read is none.
    pub(super) fn prd(
        &self,
        created: &FeatureCreated,
        state: &Loop,
        order: &Order,
    ) -> Result<(String, Option<Vec<u8>>), WorkspaceError> {
        let own = prd_path(created);
        let found = self.shown(created, state, order, &own)?;
        let source = source(created).filter(|_| found.is_none());
        if let Some(source) = source
            && let Some(bytes) = self.shown(created, state, order, source)?
        {
            return Ok((source.to_owned(), Some(bytes)));
        }
        Ok((own, found))
    }

    pub(super) fn delta(&self, from: &Revision, to: &Revision) -> Result<String, WorkspaceError> {
        let key = (from.clone(), to.clone());
        if let Some(delta) = self.deltas.borrow().get(&key) {
            return Ok(delta.clone());
        }
        let delta = self.workspace.delta(from, to)?;
        self.deltas.borrow_mut().insert(key, delta.clone());
        Ok(delta)
    }

    pub(crate) fn given(
        &self,
        created: &FeatureCreated,
        state: &Loop,
        order: &Order,
    ) -> Result<Given, WorkspaceError> {
        let profile = profile::of(order.ticket.phase, &order.ticket.role);
        let names = profile.map(|profile| profile.artifacts).unwrap_or_default();
        let mut given = Given { upstream: 0, files: 0, artifact: 0 };
        for name in names.iter().filter(|name| **name != state.opened.phase.artifact()) {
            let bytes = match *name {
                "prd.md" => self.prd(created, state, order)?.1,
                name => self.shown(created, state, order, &created.path_of(name))?,
            };
            if let Some(bytes) = bytes {
                given.upstream += chars(&bytes);
                given.files += 1;
            }
        }
        given.artifact =
            self.shown(created, state, order, state.artifact())?.map_or(0, |bytes| chars(&bytes));
        Ok(given)
    }
}

fn prd_path(created: &FeatureCreated) -> String {
    created.path_of("prd.md")
}

/// The file a feature's PRD came from, where that can be a file of the working folder.
pub fn source(created: &FeatureCreated) -> Option<&str> {
    let inside = |path: &&str| {
        let parts = path.split('/');
        !path.contains('\\')
            && parts.clone().all(|part| !part.is_empty() && !matches!(part, "." | ".." | ".git"))
    };
    created.brainstorm_source.as_deref().filter(inside)
}

pub(super) fn chars(bytes: &[u8]) -> u64 {
    String::from_utf8_lossy(bytes).chars().count() as u64
}
