//! What Redraft knows, as values and functions.
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the
//! time or draw a random number. Everything it decides follows from its arguments, so the same events give
//! the same state, the same prompts and the same reports on every machine.
//!
//! Start reading at [`review`] (the loop) and [`pipeline`] (the phases around it); [`event`] lists every fact
//! that can be stored, [`prompt`] builds what an agent is sent, [`verdict`] and [`findings`] read what it says;
//! [`probe`] tells whether an agent's conversations can be continued at all.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod adopt;
pub mod answer;
pub mod bank;
pub mod bills;
pub mod choice;
pub mod context;
pub mod cost;
pub mod decisions;
pub mod delta;
pub mod dependency;
pub mod estimate;
pub mod event;
pub mod evidence;
pub mod findings;
pub mod forecast;
pub mod fragment;
pub mod hook;
pub mod ids;
pub mod judge;
pub mod lint;
pub mod matrix;
pub mod page;
pub mod phase;
pub mod pipeline;
mod place;
pub mod players;
pub mod plugin;
pub mod plugin_lint;
pub mod policy;
pub mod prd;
mod prelude;
pub mod price;
pub mod probe;
pub mod probed;
pub mod profile;
pub mod project;
pub mod project_context;
pub mod prompt;
pub mod reconcile;
pub mod redact;
pub mod removal;
pub mod report;
pub mod retro;
pub mod review;
pub mod sections;
pub mod shown;
pub mod tally;
pub mod task_id;
pub mod tasks;
pub mod text;
pub mod ticket;
pub mod tokens;
pub mod trace;
pub mod usage;
pub mod verdict;
