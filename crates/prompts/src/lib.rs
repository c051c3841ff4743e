//! Builds the prompts that agents are sent.
//!
//! Start at [`prompt::build`]: a brief in, fragments out, the same bytes for the same brief. [`probe`] finds out
//! whether an agent's conversations can be continued at all.
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod probe;
pub mod prompt;
