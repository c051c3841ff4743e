//! Drives a feature: asks the machine what is owed, performs it through ports, stores what happened.
//!
//! The engine knows no vendor, prints nothing and reads no environment. A run proceeds like this:
//!
//! 1. fold the feature's events into a [`Pipeline`](redraft_core::pipeline::Pipeline);
//! 2. ask [`pending`](redraft_core::pipeline::pending) what is owed, and stop when nothing is;
//! 3. end what a crash left open (`recover`), then read answers that were not yet judged (`conclude`);
//! 4. take in what a person changed in the worktree;
//! 5. choose how to send what is ordered (`choosing`), send it (`dispatch`, `beside`, `purse`) or leave it to a host that
//!    comes for it (`host`), run a gate (`phases` for
//!    documents, `building` for code, `finishing` for what would be merged, both with `checking`), close a stage or ask;
//! 6. store the facts in one transaction, write the projections, and begin again at 2.
//!
//! Start reading at [`Run::drive`]. [`probe`] sends the few dispatches of a probe, outside of any feature.

mod asking;
mod beside;
pub mod boundary;
mod building;
mod checking;
mod choosing;
mod close;
pub mod compose;
mod conclude;
mod dispatch;
mod driver;
mod edits;
mod ending;
mod estimating;
mod experience;
mod finishing;
mod host;
mod journal;
mod learning;
mod parked;
mod person;
mod phases;
pub mod ports;
pub mod probe;
mod progress;
mod purse;
mod reads;
mod recover;
mod together;
mod trailers;
mod undone;

pub use building::standing;
pub use driver::{EngineError, Parts, Rules, Run, Stop};
pub use edits::Reviewed;
pub use ending::Owed;
pub use estimating::Estimating;
pub use finishing::{DocsGate, Finish};
pub use host::{Refusal, Submission, Work};
pub use journal::{Journal, Writer};
pub use progress::Progress;
pub use together::{last_commit, require_together};
pub use undone::Undone;
