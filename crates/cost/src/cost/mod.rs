//! The cost of a review by each strategy and cache lifetime, and the choice between them.
//!
//! Everything is a function of sizes, prices and time; nothing here knows a text, a clock, a provider or the ledger.
//! Start at [`decide`], policy `cost`: it tries every [`Way`] ([`options`]), lets [`send`] say what each is billed for
//! and what it leaves in the cache (`Cached`), and adds what the rounds to come are expected to cost. [`replay`]
//! plays recorded loops under it and under other policies, [`hindsight`] and [`bound`] among them, which need to know
//! the end. For a live dispatch [`Prompts`] has the sizes, [`Measures`] what bills say and [`Paces`] how rounds follow each
//! other. docs/cost-model.md has the formulas and every assumption.

mod bound;
mod decide;
mod hindsight;
mod measures;
mod pace;
mod plan;
mod prior;
mod recorded;
pub mod replay;
mod send;
mod shape;
mod terms;
#[cfg(test)]
mod tests;

pub use bound::bound;
pub use decide::{Ahead, Alternative, DecisionFacts, StrategyDecision, decide, weigh};
pub use hindsight::{Coming, Sequence, hindsight};
pub use measures::{KnownAgent, LOOKED_AT, Measures};
pub use pace::{Pace, Paces};
pub use plan::{ExpectedRounds, Likely, PlanFacts, options};
pub use send::{Exploring, ReviewBill, Round, Sent, Sizes, Way, send};
pub use shape::{Prompts, Reader, prompt_chars};
pub use terms::{Amount, BOUNDARIES_MAX, CERTAIN, Marking, Terms, lifetimes};
