//! Prices, what a review costs by each strategy, and which strategy a policy picks.
//!
//! Functions of sizes, prices and time; docs/cost-model.md has the formulas. Start at [`policy::choose`]; [`price`]
//! says what models cost, [`cost`] what a way of sending a review costs.
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod cost;
pub mod policy;
pub mod price;
