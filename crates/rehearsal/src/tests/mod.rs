//! The agent as the engine uses it: requests in, answers out.

mod back;
mod course;
mod diff;
mod hosts;
mod loops;
mod misbehaviour;
mod phases;
mod policies;
mod size;
mod stage;
mod styles;
mod unreadable;

use std::path::Path;

/// For agents whose scenario never commits.
fn commits_nothing(_: &Path, _: &str) -> Result<(), String> {
    Err("nothing is to be committed".to_owned())
}
