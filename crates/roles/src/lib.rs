//! Who takes part in a phase: each role's texts, tools and files.
//!
//! Data that holds for every feature and every round. The texts are Markdown in `texts/`. How a role's text becomes a prompt
//! is the business of `redraft_prompts`. Start at [`profile::of`].
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod profile;
