//! Properties on generated event sequences, and named scenarios.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod beside;
mod closing;
mod comments;
mod disputes;
mod draws;
mod edits;
mod finishing;
mod hands;
mod looking_back;
mod making;
mod phases;
mod properties;
mod scenarios;
mod second;
mod sending;
mod standings;
mod world;
