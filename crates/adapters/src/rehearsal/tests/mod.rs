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
