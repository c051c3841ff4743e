//! Whole specify loops, and probes, with the installed Claude Code and Codex, against a scripted model on this machine.
//! `.ci/clients` installs the programs, sets `REDRAFT_CLAUDE` and `REDRAFT_CODEX`, and runs this.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; the programs are named from outside"
)]

mod loops;
mod probes;
mod world;
