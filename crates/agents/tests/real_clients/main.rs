//! The installed Claude Code and Codex against a fake provider: what our adapters rely on is shown by the programs
//! themselves. `.ci/clients` installs the programs and runs this.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod budget;
mod claude;
mod codex;
mod trial;
mod world;
