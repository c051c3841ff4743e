//! Renders what people and programs are shown, folded from events: everything here can be deleted and comes back byte
//! for byte.
//!
//! [`standing`] says where a feature stands, [`view`] everything else that is shown of it; [`pages`] draws it,
//! [`narration`] tells a run as a story, [`question`] is what a person is asked. Then [`projections`] (the files next to
//! a feature's documents), [`matrix`] (the trace from requirement to test), [`decisions`], [`retro`] (looking back) and
//! [`estimate`] (what the rest is likely to cost), [`schedule`] (how long its tasks take side by side).
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod claims;
pub mod decisions;
pub mod estimate;
pub mod html;
pub mod matrix;
pub mod narration;
pub mod pages;
pub mod projections;
pub mod question;
pub mod retro;
pub mod schedule;
pub mod standing;
pub mod view;
