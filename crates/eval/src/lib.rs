//! Measures reviews: plants defects in documents and changes that were approved, composes the prompts that ask for them, and
//! counts what the answers found.
//!
//! Start at [`plant::plant`] for documents and [`code::plant`] for changes; [`ask`] composes a prompt, [`score`] reads an answer, [`tally`] adds them up and [`page`]
//! shows them. Whether a finding that no plant explains is right, a program cannot know; [`judge`] asks for it.
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments; what looks random follows from a seed.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod arm;
pub mod ask;
pub mod case;
pub mod code;
pub mod draw;
pub mod interval;
pub mod judge;
pub mod page;
pub mod plant;
pub mod record;
pub mod score;
pub mod tally;
