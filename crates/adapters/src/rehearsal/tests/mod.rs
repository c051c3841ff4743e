//! The agent as the engine uses it: requests in, answers out.

mod diff;
mod loops;
mod misbehaviour;
mod policies;
mod size;
mod stage;
mod styles;
mod unreadable;
