//! Properties on generated event sequences, and named scenarios.

mod edits;
mod phases;
mod properties;
mod scenarios;
mod world;
