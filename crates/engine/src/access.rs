//! Decides what a dispatch may touch, and in which folder it works.

use crate::compose::source;
use crate::ending::EngineError;
use crate::ports::ALL_FILES;
use crate::worktree::Worktree;
use redraft_core::review::Loop;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_roles::profile;
use std::path::PathBuf;

/// What no agent that writes code may touch: the rules it has to keep to.
const HELD_TO: [&str; 2] = ["redraft.toml", ".redraft"];

impl Worktree<'_> {
    /// The artifact for an author, code for a role that builds, nothing for a reviewer.
    pub(crate) fn may_write(&self, open: &Loop, ticket: &Ticket) -> Vec<String> {
        match ticket.purpose {
            purpose if purpose.judges() => Vec::new(),
            // This role designs tests before anybody looks at code.
            Purpose::Outline | Purpose::Probe => Vec::new(),
            // The page is made from its answer, so that every number on it comes from the ledger.
            Purpose::Retro | Purpose::Judge => Vec::new(),
            _ if open.opened.is_code() => self.may_build(),
            _ => vec![open.artifact().to_owned()],
        }
    }

    /// Everything except the feature's documents and the rules that the agent has to keep to.
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

    /// The folder a dispatch works in: the worktree. Only the role that designs tests before it looks at code gets a
    /// folder with the documents alone, because some agents can read everything in the folder they are started in.
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
