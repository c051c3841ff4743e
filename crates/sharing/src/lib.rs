//! One feature in many clones, shared through the refs of a git remote.
//!
//! Every clone that writes about a feature has a log of its own there, and nobody writes another's, so that no push can
//! conflict. One clone at a time drives: it holds the lease ([`Lease`]), and what it publishes is the feature's history.
//! What the others say are proposals, which it takes in. [`Pack`] is what a clone publishes at once, [`History`] what
//! all logs and leases make together, [`Remote`] where they are. Nothing but `remote`, `reading`,
//! `editions` and `commits` touches git, and nothing here knows what an event means. Start at [`History::from_logs`].

mod commits;
mod editions;
mod feature;
mod history;
mod lease;
mod log;
mod pack;
mod point;
mod proposal;
mod reading;
mod refs;
mod remote;

pub use commits::Anchors;
pub use feature::{Feature, LogWriter, PackContent};
pub use history::{Altered, History, WrittenEntry};
pub use lease::Lease;
pub use log::Log;
pub use pack::Pack;
pub use point::{CloneId, Point, SharedEntry};
pub use proposal::{Placed, Proposal, Said, SaidComment, SaidDecision};
pub use remote::{Remote, RemoteError, SharedFeature, Taken};
