//! Tests the agent as the engine uses it: requests in, answers out.

pub(crate) mod calm;
mod course;
mod diff;
mod loops;
mod many;
mod misbehaviour;
mod phases;
mod policies;
mod retro;
mod stage;
mod unreadable;

use redraft_adapters::git;
use std::path::Path;

/// Commits as the program does for the agent.
fn commit(folder: &Path, message: &str) -> Result<(), String> {
    git::commit_all(folder, "Rehearsal", message).map_err(|error| error.to_string())
}
