//! The machine: it decides what follows from the facts.
//!
//! Start reading at [`review`] (the loop) and [`pipeline`] (the phases around it). [`judge`] decides what an answer counts
//! for. [`bills`], [`attribution`] and [`tally`] are folded with the state.
//!
//! It knows no prompt, no price and no page for people.
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod attribution;
pub mod bills;
pub mod judge;
pub mod pipeline;
pub mod review;
pub mod tally;
