//! The port that reports what happens while it happens.

use crate::undone::Undone;
use redraft_core::pipeline::Pipeline;
use redraft_cost::price::OverBudget;
use redraft_facts::event::Entry;
use redraft_facts::ticket::Ticket;

/// Receives everything that happens, in order.
pub trait Progress: Send + Sync {
    /// A fact was stored.
    fn stored(&self, entry: &Entry, state: &Pipeline);

    /// What an agent at work does now, without secrets. Not stored.
    fn doing(&self, _ticket: &Ticket, _doing: &str) {}

    /// Nothing is sent for now, because the money that is left was promised to other features.
    fn waits_for_money(&self, _over: &OverBudget) {}

    /// Something in the worktree was undone, and this is how to get it back. Implementations that do not show it at
    /// once find it in [`Run::undone`](crate::Run::undone).
    fn undone(&self, _undone: &Undone) {}
}
