//! What can be typed, and what `--help` says about it.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Takes a feature from an idea to merged code with AI agents: drafted, reviewed and redrafted until approved.
#[derive(Debug, Parser)]
#[command(name = "redraft", version, max_term_width = 100, after_help = AFTER_HELP, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print one JSON object on stdout and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Work as if started in this folder
    #[arg(short = 'C', long = "dir", global = true, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
First steps:
  redraft demo            play a whole feature offline in a throw-away repository
  redraft new \"an idea\"   begin a feature in this repository
  redraft run             drive it on; run again after any interruption

Each command has examples: redraft help COMMAND

Exit codes:
  0  done                      5    limit or budget reached
  1  not approved, or findings 6    waiting for a decision
  2  usage                     7    held by another process
  3  configuration, ledger,    70   a bug in redraft
     repository or disk        130  interrupted; the same command
  4  agent failure                  continues";

const DEMO_HELP: &str = "\
Examples:
  redraft demo                           the built-in idea; nothing is left behind
  redraft demo \"Show the weather\"       an idea of your own
  redraft demo --keep ./shop             keep the repository, to look around in it

Exit codes: 0 approved, 2 the folder is not empty; the others as in `redraft help`";

const INIT_HELP: &str = "\
Examples:
  redraft init                           a file that is there already is checked and left as it is

Exit codes: 0 written or left, 2 not a repository, 3 the file that is there has a mistake";

const NEW_HELP: &str = "\
Examples:
  redraft new \"Let people export their orders as CSV\"
  redraft new \"Export orders\" --prd notes/export.md

Your own checkout is not touched: the feature gets a branch and a folder below .redraft/worktrees/. \
If something is amiss after the feature was begun, the error says how to go on or to give it up.

Exit codes: 0 begun, 2 usage, 3 configuration, git or disk, 6 a command of redraft.toml must be accepted \
first (redraft trust), 7 another process is making a worktree, 130 interrupted";

const RUN_HELP: &str = "\
Examples:
  redraft run                            the only feature that can go on, or that of this worktree
  redraft run 002 --budget 8             it may cost 8 dollars in all, now and in later runs
  redraft run 002 --now                  try an agent again before its usage limit is over
  redraft run 002 --on-cap accept        accept what is still open after the last round
  redraft run 002 --yes --json           for scripts: asks nothing, prints one object

Exit codes: 0 approved or accepted, 1 given up, 2 usage, 3 configuration, ledger, git or disk, 4 an agent \
failed, 5 a limit or the budget is reached, 6 waiting for a decision or a yes, 7 another process drives it, \
130 interrupted; the same command continues";

const DECIDE_HELP: &str = "\
Examples:
  redraft decide                         show what is asked
  redraft decide 002 accept --why \"good enough for a first version\"
  redraft decide 002 rerun               a new pass with new conversations
  redraft decide 002 abandon             give the feature up, at any time before it is approved

Exit codes: 0 decided or nothing asked, 2 not a choice here, 6 the question was shown, 7 the feature is \
being driven";

const STATUS_HELP: &str = "\
Examples:
  redraft status
  redraft status 002 --json
  redraft status --rebuild               bring deleted .meta.json and .review-history.md back
  redraft status --verify                after a crash of the disk, or when in doubt

Exit codes: 0 shown, 2 no such feature, 3 the ledger is damaged";

const COST_HELP: &str = "\
Examples:
  redraft cost                           the only feature, or that of this worktree; else a line for each
  redraft cost 002 --json
  redraft cost --why 002/specify.1/review/spec-reviewer/2.1
  redraft cost 002 --svg cost.svg        bars are bills, marks are estimates

What every column means: docs/receipts.md. An --svg file is written whole or not at all. It replaces an older \
drawing of this command; any other file only with --force.

Exit codes: 0 shown, 2 no such feature or dispatch, or the file is not ours to replace, 3 the ledger is damaged or \
the file cannot be written";

const LOG_HELP: &str = "\
Examples:
  redraft log                            everything, oldest first
  redraft log 002 -n 20                  the last 20 events of one feature
  redraft log --json                     with the body of every event

Exit codes: 0 shown, 2 no such feature, 3 the ledger is damaged";

const SHOW_HELP: &str = "\
Examples:
  redraft show findings 002
  redraft show prompt 002 --role spec-reviewer";

const PROMPT_HELP: &str = "\
Examples:
  redraft show prompt                    the last one that was sent
  redraft show prompt 002 --role spec-reviewer
  redraft show prompt --ticket 002/specify.1/review/spec-reviewer/2.1 --json
  redraft show prompt 002 --verify

Exit codes: 0 shown or identical, 1 a rebuilt prompt differs, 2 nothing like that was sent";

const FINDINGS_HELP: &str = "\
Examples:
  redraft show findings                  of the only feature, or that of this worktree
  redraft show findings 002 --json

Exit codes: 0 shown, 2 no such feature";

const TRUST_HELP: &str = "\
Examples:
  redraft trust                          look at the commands, then answer
  redraft trust --yes                    accept them without being asked

They are accepted by hash: a command that changes must be accepted again.

Exit codes: 0 accepted or none there, 3 configuration, 6 not accepted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a whole feature offline in a throw-away repository, with the built-in rehearsal agent
    #[command(after_help = DEMO_HELP)]
    Demo(DemoArgs),
    /// Write redraft.toml with every default as a comment, and tell which agents are installed
    #[command(after_help = INIT_HELP)]
    Init,
    /// Begin a feature on a branch and worktree of its own
    #[command(after_help = NEW_HELP)]
    New(NewArgs),
    /// Drive a feature on from wherever it stands; run again to continue after any interruption
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Answer what a run is waiting for
    #[command(after_help = DECIDE_HELP)]
    Decide(DecideArgs),
    /// Show where each feature stands and the next command to type
    #[command(after_help = STATUS_HELP)]
    Status(StatusArgs),
    /// Show what a feature cost, by phase, role and round, and what else it might have cost
    #[command(after_help = COST_HELP)]
    Cost(CostArgs),
    /// Show what happened, event by event
    #[command(after_help = LOG_HELP)]
    Log(LogArgs),
    /// Look inside: prompts that were sent, findings that were raised
    #[command(subcommand, after_help = SHOW_HELP)]
    Show(ShowCommand),
    /// Check this machine and its agents, and whether an agent's conversations can be continued
    Doctor(DoctorArgs),
    /// Show the commands redraft.toml would run, and accept them
    #[command(after_help = TRUST_HELP)]
    Trust(TrustArgs),
    /// Cost recorded review loops again under every policy
    Replay(ReplayArgs),
    /// Run an agent's program and end everything it started when standard input closes
    #[command(hide = true)]
    Worker(WorkerArgs),
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// The folder that keeps what the program prints
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// What the feature is about
    pub(crate) idea: Option<String>,
    /// Keep the repository in this new or empty folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The idea, in a sentence or more
    pub(crate) idea: String,
    /// Copy this file in as the feature's PRD (product requirements document)
    #[arg(long, value_name = "FILE")]
    pub(crate) prd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The feature's number; not needed inside its worktree or when only one is active
    pub(crate) feature: Option<String>,
    /// What to do when a stage has used up its review rounds [default: ask on a terminal, else stop]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) on_cap: Option<OnCap>,
    /// Do not ask before money is spent
    #[arg(long)]
    pub(crate) yes: bool,
    /// Send also to an agent whose usage limit is said to last; without it nothing is sent to a parked one
    #[arg(long)]
    pub(crate) now: bool,
    /// The most the feature may cost in all, in dollars; kept for later runs [default: what was given before,
    /// else budget of redraft.toml, else 5]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) budget: Option<String>,
    /// Let this agent of redraft.toml play every role, for this run
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// How dispatches are sent, for loops opened by this run: cost, guarded, seed, fresh, resume, inline or digest
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: Option<String>,
    /// What a returning reviewer must know, for loops opened by this run: full, or scoped (what changed and what
    /// that touches)
    #[arg(long, value_name = "WHAT")]
    pub(crate) knowledge: Option<String>,
    /// Who signs a phase, for loops opened by this run: resume, fresh or off
    #[arg(long, value_name = "WHO")]
    pub(crate) certify: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnCap {
    /// Ask on the terminal; without one, wait for `redraft decide`
    Ask,
    /// Stop with exit code 5
    Stop,
    /// Accept what is open, by a stored ruling
    Accept,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The feature's number; not needed inside its worktree or when only one is active
    pub(crate) feature: Option<String>,
    /// accept, rerun, retry or abandon, as far as the question allows it; without one the question is shown
    pub(crate) choice: Option<String>,
    /// The reason, kept with the decision
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) why: String,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Only the feature with this number
    pub(crate) feature: Option<String>,
    /// Fold all events again and rewrite the board, .meta.json and .review-history.md
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Check the whole ledger: every event, every blob, and the file itself
    #[arg(long)]
    pub(crate) verify: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    /// The feature's number; without it the only one there is, or that of this worktree, else a line for each
    pub(crate) feature: Option<String>,
    /// Explain one dispatch in plain words: why it was sent as it was, and what came of it
    #[arg(long, value_name = "TICKET", conflicts_with_all = ["feature", "svg"])]
    pub(crate) why: Option<String>,
    /// Draw what each round cost, and what it might have cost, into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Replace a file that is no drawing of this command
    #[arg(long, requires = "svg")]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Only the feature with this number
    pub(crate) feature: Option<String>,
    /// At most this many events, the latest ones
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShowCommand {
    /// Show a prompt as it was sent, fragment by fragment
    #[command(after_help = PROMPT_HELP)]
    Prompt(PromptArgs),
    /// List the findings of a feature with their status
    #[command(after_help = FINDINGS_HELP)]
    Findings(FindingsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    /// The feature's number; not needed inside its worktree or when only one can be meant
    pub(crate) feature: Option<String>,
    /// Exactly this dispatch, e.g. 031/specify.1/review/spec-reviewer/2.1
    #[arg(long)]
    pub(crate) ticket: Option<String>,
    /// The last prompt of this role
    #[arg(long)]
    pub(crate) role: Option<String>,
    /// The last prompt sent with this strategy (lazy or resume)
    #[arg(long)]
    pub(crate) strategy: Option<String>,
    /// Build every prompt of the feature again from the ledger and compare it with the stored one
    #[arg(long, conflicts_with_all = ["ticket", "role", "strategy"])]
    pub(crate) verify: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FindingsArgs {
    /// The feature's number; not needed inside its worktree or when only one can be meant
    pub(crate) feature: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Only this agent of redraft.toml
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Probe agents that cost money without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// What each probe may cost, in dollars [default: budget of redraft.toml, else 5]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) budget: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Accept without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Recorded loops: one JSON object a line, plain or compressed with gzip
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The model whose prices hold, with those of redraft.toml; repeat it to compare several [default: claude-opus-5.5]
    #[arg(long, value_name = "MODEL")]
    pub(crate) prices: Vec<String>,
    /// The longest cache lifetime that may be used, one the model has: 5m, 30m, 1h or 12h [default: its longest]
    #[arg(long, value_name = "LIFETIME")]
    pub(crate) ttl: Option<String>,
    /// How often the cache answers within a lifetime, from 0 to 1
    #[arg(long, value_name = "P", default_value = "1", value_parser = probability)]
    pub(crate) hit_rate: f64,
    /// Tokens of an answer [default: 1500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=TOKENS_MAX))]
    pub(crate) output_tokens: Option<u64>,
    /// Tokens of tools and system text [default: 3500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=TOKENS_MAX))]
    pub(crate) overhead_tokens: Option<u64>,
    /// Whose reviews are played: one that is given the document, or one that reads it by path [default: domain; from the
    /// ledger, whose they were]
    #[arg(long, value_enum)]
    pub(crate) role: Option<ReplayRole>,
    /// What a reviewer must know in a re-review
    #[arg(long, value_enum, default_value = "full")]
    pub(crate) knowledge: Knowledge,
    /// Also the loops of this repository's own ledger: of one feature, or of all
    #[arg(long, value_name = "FEATURE", num_args = 0..=1)]
    pub(crate) ledger: Option<Option<String>>,
}

/// No prompt or answer is larger; sums of a million loops stay exact.
const TOKENS_MAX: u64 = 10_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayRole {
    Domain,
    Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Knowledge {
    /// Everything, in the prompt or in the conversation
    Full,
    /// What changed and the sections around it
    Scoped,
}

fn probability(word: &str) -> Result<f64, String> {
    let number = word.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is wanted".to_owned())
}
