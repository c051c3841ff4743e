//! Connects Redraft with other tools: the files of an export ([`plugin`]), the answers to a session's hooks ([`hook`]),
//! and the faults of plugins that others have written ([`plugin_lint`]).
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod hook;
pub mod plugin;
pub mod plugin_lint;
