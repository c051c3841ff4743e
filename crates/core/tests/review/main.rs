//! Properties on generated event sequences, and named scenarios.

mod closing;
mod draws;
mod edits;
mod finishing;
mod hands;
mod looking_back;
mod making;
mod phases;
mod properties;
mod scenarios;
mod sending;
mod world;
