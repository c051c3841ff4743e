//! The roles that take part in a phase: each one's texts, tools and files.
//!
//! Data that holds for every feature and every round. The texts are Markdown in `texts/`; `redraft_prompts` makes
//! prompts of them. Start at [`profile::find`].
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod profile;
