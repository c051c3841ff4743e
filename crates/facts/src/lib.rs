//! The facts that are stored, and the vocabulary of all other crates.
//!
//! Values and how they are written and read; nothing here decides what follows from a fact. Start reading at [`event`],
//! which lists every fact that can be stored; [`choice`], [`findings`], [`forecast`], [`probed`] and [`verdict`] are
//! what facts consist of. [`redact`] and [`removal`] keep secrets out of them, [`harmless`] makes them safe to look at.
//!
//! This crate depends on no other crate of the workspace.
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod choice;
pub mod citation;
pub mod event;
pub mod findings;
pub mod forecast;
pub mod fragment;
pub mod harmless;
pub mod ids;
pub mod phase;
pub mod prelude;
pub mod probed;
pub mod redact;
pub mod removal;
pub mod text;
pub mod ticket;
pub mod usage;
pub mod verdict;
pub mod visible;
