//! Properties on generated event sequences, and named scenarios.

mod properties;
mod scenarios;
mod world;
