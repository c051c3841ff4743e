//! Programs of agents, and accepted commands: started so that none of their processes outlives us, and read so that
//! nothing they print can hurt us.
//!
//! A program is not started directly but through [`worker`], a hidden verb of our own binary. The worker adopts every
//! process the program leaves behind, keeps what it prints without secrets, and ends them all when its pipe to us
//! closes, however we died; `orphans` is for a worker that is itself killed. Nothing here knows a vendor, a prompt or
//! what a line means.
//!
//! Start at `Launch::run` (our side) and [`worker::work`] (the other side). [`ShellCommand`] runs an accepted command
//! the same way.

mod environment;
mod lines;
mod listener;
mod orphans;
mod redacting_writer;
mod run;
mod script;
pub mod worker;
mod worker_folder;

#[cfg(test)]
mod tests;

pub use environment::{Environment, SLOT, TICKET};
pub use lines::StreamLine;
pub use listener::{OutputListener, skipped};
pub use orphans::{settle, was_abandoned};
pub use run::{Finished, Launch, ReadEnd};
pub use script::{ScriptEnd, ScriptRun, ShellCommand};
pub use worker_folder::Exit;
pub(crate) use worker_folder::STDOUT;
