//! Properties on generated event sequences, and named scenarios.

mod edits;
mod properties;
mod scenarios;
mod world;
