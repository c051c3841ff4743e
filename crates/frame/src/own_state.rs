//! Checks that Redraft's state in a repository is the user's own: a state folder that came with an archive or a copy
//! cannot cause anything to be written, started or settled before a person has accepted it.
//!
//! Looking is always possible. Whatever takes a lock, opens the ledger to write, or works below the state folder in any
//! other way asks here first; see [docs/trust.md](../../../../docs/trust.md).

use crate::errors::{CliError, ErrorCode};
use crate::repository_context::RepositoryContext;
use std::path::Path;

/// What to type to see and accept it.
pub const ACCEPT: &str = "look at it and accept it: redraft trust";

impl RepositoryContext {
    /// Stops with code 6 where somebody else made the state folder, and refuses links through which something outside
    /// would be written. A missing folder is made, and is the user's from then on.
    pub fn require_own_state(&self) -> Result<(), CliError> {
        if self.state_checked.get().is_some() {
            return Ok(());
        }
        self.repository.refuse_links_out()?;
        let trust = self.repository.trust();
        if !self.is_own && !trust.owns_state(self.repository.known_as(), &self.state)? {
            return Err(foreign(&self.state));
        }
        // Another thread may have set it first.
        let _ = self.state_checked.set(());
        Ok(())
    }

    /// The same for a command that may turn out to have nothing to do: a missing folder is not made.
    pub fn refuse_foreign_state(&self) -> Result<(), CliError> {
        self.repository.refuse_links_out()?;
        if self.has_foreign_state() { Err(foreign(&self.state)) } else { Ok(()) }
    }

    /// Whether there is a state folder that was not accepted. An unusable file of acceptances accepts nothing; the
    /// command that then misses an acceptance says why.
    pub fn has_foreign_state(&self) -> bool {
        let trust = self.repository.trust();
        !self.is_own && trust.has_foreign_state(self.repository.known_as(), &self.state).unwrap_or(true)
    }

    /// Stores that a person has accepted it.
    pub fn accept_state(&self) -> Result<(), CliError> {
        self.repository.refuse_links_out()?;
        Ok(self.repository.trust().accept_state(self.repository.known_as(), &self.state)?)
    }
}

/// The description of it for a person, in one line.
pub fn described(state: &Path) -> String {
    format!(
        "the state folder {} was not made by you in this place: it came with an archive, a copy or a moved \
            repository",
        state.display()
    )
}

fn foreign(state: &Path) -> CliError {
    CliError::new(ErrorCode::Waiting, format!("{}; it is not used until you accept it", described(state)))
        .hint(ACCEPT)
        .hint("then run the same command again; if you do not know who made it, clone the repository instead: a \
            clone contains no state")
}
