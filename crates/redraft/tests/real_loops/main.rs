//! Tests whole specify loops, the building of code, probes, hooks in a session, exported plugins and sessions with
//! them, with the installed Claude Code and Codex, against a scripted model on this machine. `.ci/clients` installs the
//! programs, sets `REDRAFT_CLAUDE` and `REDRAFT_CODEX`, and runs this.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; the programs are named from outside"
)]

#[path = "../it/builder.rs"]
mod builder;
mod building;
mod contained;
mod hooks;
mod loops;
mod plugin;
mod plugin_session;
mod probes;
mod world;
