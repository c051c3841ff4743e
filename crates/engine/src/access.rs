//! What a dispatch may touch, and where it works.

use crate::compose::source;
use crate::ending::EngineError;
use crate::ports::ALL_FILES;
use crate::worktree::Worktree;
use redraft_core::review::Loop;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_roles::profile;
use std::path::PathBuf;

/// What no agent that writes code may touch: what it is held to.
const HELD_TO: [&str; 2] = ["redraft.toml", ".redraft"];

impl Worktree<'_> {
    /// The artifact for an author, code for who builds, nothing for a reviewer.
    pub(crate) fn may_write(&self, open: &Loop, ticket: &Ticket) -> Vec<String> {
        match ticket.purpose {
            purpose if purpose.judges() => Vec::new(),
            // It thinks of tests before anybody looks at code.
            Purpose::Outline | Purpose::Probe => Vec::new(),
            // The page is made of its answer, so that every number on it is the ledger's.
            Purpose::Retro | Purpose::Judge => Vec::new(),
            _ if open.opened.is_code() => self.may_build(),
            _ => vec![open.artifact().to_owned()],
        }
    }

    /// Everything but the feature's documents and what it is held to.
    fn may_build(&self) -> Vec<String> {
        let held = HELD_TO.iter().map(|path| format!("!{path}"));
        let folder = format!("!{}", self.created.folder());
        [ALL_FILES.to_owned(), folder].into_iter().chain(held).collect()
    }

    /// What may differ after a dispatch without being undone: what the role may write, and our own projections.
    pub(crate) fn may_differ(&self, open: &Loop, ticket: &Ticket) -> Vec<String> {
        let mut paths = self.may_write(open, ticket);
        paths.extend(self.projections());
        paths
    }

    /// Where a dispatch works: in the worktree, but who thinks of tests before looking at code beside the documents alone,
    /// because some agents can read all that is in the folder they are started in.
    pub(crate) fn place_of(&self, open: &Loop, ticket: &Ticket) -> Result<PathBuf, EngineError> {
        if ticket.purpose != Purpose::Outline {
            return Ok(self.workspace.folder());
        }
        let panels = &open.opened.panels;
        let profile = profile::of_dispatch(ticket.phase, &ticket.role, ticket.purpose, panels);
        let names = profile.iter().flat_map(|profile| profile.artifacts);
        let mut files: Vec<String> = names.map(|name| self.created.path_of(name)).collect();
        files.extend(source(self.created).map(str::to_owned));
        Ok(self.workspace.isolated_copy(&files)?)
    }
}
