//! Tests the engine in one process: what it promises its users, and what its ports promise it.
//!
//! - [`promises`]: what every implementation of a port keeps. One list, played on the fakes of the testkit and on the real
//!   git, SQLite and files, so that the fakes stay as unkind as the real things.
//! - [`stage`] plays scenarios: a feature, agents with a script, people and accidents. [`script`] is the language they are
//!   written in, the tables are in `tables`. Each scenario is played undisturbed, then with crashes, then
//!   once on the real adapters.
//! - [`crashes`], [`beside`], [`accidents`], [`schedules`] and [`conflicts`]: those that no table can hold. [`coverage`]:
//!   nothing is left out. [`questions`]: what is asked outside of any feature.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and the suite says how long it takes"
)]

mod accidents;
mod beside;
mod conflicts;
mod coverage;
mod crashes;
mod documents;
mod left;
mod lists;
mod promises;
mod questions;
mod real;
mod schedules;
mod script;
mod stage;
mod tables;
mod world;
