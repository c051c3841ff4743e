//! The arguments of the commands that drive a feature: `run` and `finish`.

use clap::{Args, ValueEnum};
use redraft_facts::redact::Typed;

pub(super) const RUN_HELP: &str = "\
Examples:
  redraft run                            the only feature that can continue, or the one of this worktree
  redraft run 002 --budget 8             it may cost 8 dollars in total, including later runs
  redraft run 002 --jobs 3               up to three tasks side by side, each in a worktree of its own
  redraft run 002 --until design         stop after that phase; a later one extends the feature
  redraft run 002 --lane deep            switch to another lane from here on; what exists is kept
  redraft run 002 --now                  try an agent again before its usage limit ends
  redraft run 002 --on-cap accept        accept what is still open after the last round
  redraft run 002 --merge --yes          to the end and into the branch it was begun on, without stopping
  redraft run 002 --yes --json           for scripts: asks nothing, prints one object
  redraft run --all                      every feature that can go on, four at a time
  redraft run --all --budget 20          all of them together may cost 20 dollars from now on

If you do something else meanwhile, you are told when it waits or ends: docs/configuration.md#notify.

Exit codes: 0 approved or accepted, 1 abandoned, 2 usage, 3 configuration, ledger, git or disk, 4 an agent \
failed, 5 a limit or the budget is reached, 6 waiting for a decision or a yes, 7 another process is working on it, \
130 interrupted; the same command continues. With --all the most urgent of all features: docs/running-all.md";

pub(super) const FINISH_HELP: &str = "\
Examples:
  redraft finish                         check what would be merged, look back, make the branch ready
  redraft finish 002 --merge             the same, and merged into the branch it was begun on
  redraft show pull-request 002          the text for a pull request

A feature that was begun to end earlier, such as with `--until specify`, has phases before this one: on a terminal you are \
asked whether to carry them out too, otherwise `redraft run NNN --until finish` does it.

Exit codes: 0 ready or merged, 1 a check fails on what would be merged now, 2 usage, 3 configuration, ledger, git or \
disk, 4 an agent failed, 5 the budget is reached, 6 a conflict, uncommitted changes in the checkout, or a failed check \
or a deferred blocker to decide about, 7 another process is working on it, 130 interrupted; the same command continues";

#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// The feature's number or slug; not needed inside its worktree or when only one is active
    pub feature: Option<String>,
    /// Drive every feature that can go on, several at a time, until each has come to rest; questions are listed at the
    /// end. `--budget` is then what all of them may spend together from now on, beside each feature's own budget
    #[arg(long, conflicts_with_all = ["feature", "lane", "unblock", "now"])]
    pub all: bool,
    /// How many tasks that do not overlap are carried out side by side, each in a worktree of its own [default: jobs in
    /// redraft.toml, else 1]. With --all: how many features are driven at the same time [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,
    /// What to do when a stage has used up its review rounds [default: ask on a terminal, else stop]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub on_cap: Option<OnCap>,
    /// What to do when an implementer gives up on a task; when checks keep failing, a person is always asked
    /// [default: ask on a terminal, else wait for `redraft decide`]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub on_failure: Option<OnFailure>,
    /// Ask nothing: money is spent within the budget, code is written, an author's questions are answered with its
    /// own assumptions, and nothing is ever accepted in a person's name
    #[arg(long)]
    pub yes: bool,
    /// Merge the feature when it is finished; asks first unless --yes is given
    #[arg(long)]
    pub merge: bool,
    /// Stop after this phase: specify, design, create-plan, create-tasks, implement or finish. A phase after the
    /// feature's last one becomes its last one
    #[arg(long, value_name = "PHASE")]
    pub until: Option<String>,
    /// Switch to this lane from here on: express, standard or deep
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// Continue although features it depends on are not completed; the reason is stored
    #[arg(long, value_name = "WHY")]
    pub unblock: Option<Typed>,
    /// Send work to a parked agent before its usage limit ends, and take back work that a host has; without this option, nothing
    /// is sent to a parked agent, and the host keeps its work
    #[arg(long)]
    pub now: bool,
    /// Take a shared feature from a clone that drives it and is gone; what that one has not published is lost to the
    /// feature
    #[arg(long, conflicts_with = "all")]
    pub take: bool,
    /// The most the feature may cost in total, in dollars; stored for later runs [default: the last value given,
    /// else budget in redraft.toml, else 5]; with --all see there
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget: Option<String>,
    /// Let this agent play every role, for this run: claude, codex, anthropic, openai, one you configured, or rehearsal
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// How dispatches are sent, for loops opened by this run: cost, guarded, seed, fresh, resume, inline or digest
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// What a returning reviewer must know, for loops opened by this run: full, or scoped (what changed and what
    /// that touches)
    #[arg(long, value_name = "WHAT")]
    pub knowledge: Option<String>,
    /// Who gives the last approval of a phase, for loops opened by this run: resume, fresh or off
    #[arg(long, value_name = "WHO")]
    pub certify: Option<String>,
    /// Print every event on stdout while it runs, one JSON object a line, and the result as the last one
    #[arg(long, conflicts_with = "json")]
    pub events: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnCap {
    /// Ask on the terminal; without one, wait for `redraft decide`
    Ask,
    /// Stop with exit code 5
    Stop,
    /// Accept what is open; the ruling is stored
    Accept,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnFailure {
    /// Ask on the terminal; without one, wait for `redraft decide`
    Ask,
    /// Try each such task once more, then ask
    Retry,
    /// Continue without it: the task is blocked, and what was built for it is removed
    Skip,
}

#[derive(Debug, Args)]
pub struct FinishArgs {
    /// The feature's number or slug; not needed inside its worktree or when only one is possible
    pub feature: Option<String>,
    /// Merge the feature into the branch it was begun on; without this option its branch is made ready for a pull
    /// request
    #[arg(long)]
    pub merge: bool,
    /// Ask nothing before money is spent
    #[arg(long)]
    pub yes: bool,
    /// The most the feature may cost in total, in dollars; stored for later runs
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget: Option<String>,
    /// Let this agent play every role, for this run: claude, codex, anthropic, openai, one you configured, or rehearsal
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Print every event on stdout while it runs, one JSON object a line, and the result as the last one
    #[arg(long, conflicts_with = "json")]
    pub events: bool,
}
