//! The arguments of the commands by which a person follows a run and stops it: `watch` and `stop`.

use clap::Args;

pub(super) const WATCH_HELP: &str = "\
Examples:
  redraft watch                 every feature on a full screen, what waits for you first
  redraft watch 002             feature 002: phases, tasks, who works on what, findings, diff, log, costs
  redraft watch --json          what the screen would show now, as one object

Keys: up and down, Enter, Tab or 1 to 5, Esc; d decides what is asked, c comments, s stops the run; ? lists them all. \
`q` and Ctrl-C end the view and nothing else: a run does not notice who looks. docs/watching.md says more.

Exit codes: 0 ended by you, or shown; 2 no such feature, or no terminal; 3 the ledger is damaged; 130 the view was \
told to end";

pub(super) const STOP_HELP: &str = "\
Examples:
  redraft stop 002              ask the process that drives feature 002 to end, as Ctrl-C in its terminal does
  redraft stop 002 --json

What is stored stays, what agents are doing is cut off, and `redraft run` goes on from there. If the process \
has not ended after ten seconds, its number is shown; a second `redraft stop` ends it immediately.

Exit codes: 0 it has ended, or nobody drives the feature; 2 no such feature; 3 the process cannot be asked; 7 it was \
asked and has not ended yet";

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The feature's number or slug, or a file that was reviewed by itself; without it, all features
    pub feature: Option<String>,
}

#[derive(Debug, Args)]
pub struct StopArgs {
    /// The feature's number or slug, or a file that was reviewed by itself; not needed inside its worktree or when only
    /// one is active
    pub feature: Option<String>,
}
