//! Drives a feature: asks the machine what is pending, performs it through ports, stores what happened.
//!
//! The engine knows no vendor, prints nothing and reads no environment. A run proceeds like this:
//!
//! 1. fold the feature's events into a [`Pipeline`](redraft_core::pipeline::Pipeline);
//! 2. ask [`pending`](redraft_core::pipeline::pending) what is pending, and stop when nothing is;
//! 3. end what a crash left open (`recover`), then read answers that were not yet judged (`conclude`);
//! 4. take in what a person changed in the worktree (`edits`);
//! 5. choose how to send what is ordered (`choosing`), send it (`starting`, `sending`, `threads`, `spending`) or leave it to
//!    a host that comes for it (`serving`), run a gate (`gates` for documents, `checking` for code, `finishing` for what
//!    would be merged), close a stage or ask;
//! 6. store the facts in one transaction (`journal`), write the projections, and begin again at 2.
//!
//! Start reading at [`Run::drive`]. [`probe`] sends the few dispatches of a probe and [`questions`] those of a comparison of
//! reviews, outside of any feature.

mod access;
mod asking;
mod bank_files;
mod base;
pub mod boundary;
mod budget_pool;
mod building;
mod checking;
mod choosing;
mod closing;
mod comments;
pub mod compose;
mod conclude;
mod driver;
mod edits;
mod ending;
mod estimating;
mod experience;
mod finishing;
mod flights;
mod gates;
mod host;
mod journal;
mod landing;
mod learning;
mod ledger_match;
mod opening;
mod parked;
mod person;
pub mod ports;
mod previewing;
pub mod probe;
mod progress;
mod projections;
pub mod questions;
mod reads;
mod rechecking;
mod recover;
mod redacting;
mod returning;
mod sending;
mod serving;
mod spending;
mod starting;
mod task_plan;
mod threads;
mod trailers;
mod undone;
mod values;
mod worktree;

pub use budget_pool::BudgetPool;
pub use comments::Delivery;
pub use driver::Run;
pub use ending::{EngineError, Stop, UnsentWork};
pub use estimating::Estimating;
pub use host::{HostWork, Submission, SubmissionRefusal};
pub use journal::{Journal, Writer};
pub use ledger_match::{last_commit, require_ledger_matches_branch};
pub use parked::AgentLimits;
pub use person::require_short;
pub use progress::Progress;
pub use projections::write_projections;
pub use rechecking::{CheckGrant, Rechecking};
pub use undone::Undone;
pub use values::{ChangeUnderReview, DocsGate, Finish, Rules, RunPorts};
pub use worktree::standing;
