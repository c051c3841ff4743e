//! What can be typed, and what `--help` says about it.

mod help;

use super::show::documents::{ContextArgs, SectionArgs, TasksArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use help::{
    ADOPT_HELP, AFTER_HELP, CONTEXT_HELP, COST_HELP, DECIDE_HELP, DEMO_HELP, FINDINGS_HELP, INIT_HELP,
    LINT_HELP, LOG_HELP, NEW_HELP, PHASE_HELP, PROJECT_HELP, PROMPT_HELP, REVIEW_HELP, RUN_HELP,
    SECTION_HELP, SHOW_HELP, STATUS_HELP, TASKS_HELP, TRUST_HELP,
};
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
    /// Review one document of this repository, without a feature; again after an edit, and only what changed is sent
    #[command(after_help = REVIEW_HELP)]
    Review(ReviewArgs),
    /// Answer what a run is waiting for
    #[command(after_help = DECIDE_HELP)]
    Decide(DecideArgs),
    /// Leave a phase out, or go back to one
    #[command(subcommand, after_help = PHASE_HELP)]
    Phase(PhaseCommand),
    /// Take over features that people or other tools have begun; reports only, until told to do it
    #[command(after_help = ADOPT_HELP)]
    Adopt(AdoptArgs),
    /// List the projects with their milestones and features, or begin one
    #[command(after_help = PROJECT_HELP)]
    Project(ProjectArgs),
    /// Show where each feature stands and the next command to type
    #[command(after_help = STATUS_HELP)]
    Status(StatusArgs),
    /// Show what a feature cost, by phase, role and round, and what else it might have cost
    #[command(after_help = COST_HELP)]
    Cost(CostArgs),
    /// Show what happened, event by event
    #[command(after_help = LOG_HELP)]
    Log(LogArgs),
    /// Check documents for what needs no judgement: cut off, ids twice, circles, placeholders and the like
    #[command(after_help = LINT_HELP)]
    Lint(LintArgs),
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
    /// How much ceremony it gets: express, standard or deep [default: by what the idea names]
    #[arg(long, value_name = "LANE")]
    pub(crate) lane: Option<String>,
    /// The last phase it is to pass through [default: the lane's last]
    #[arg(long, value_name = "PHASE")]
    pub(crate) until: Option<String>,
    /// The project it belongs to, as P001
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// A feature that comes before it, by number or folder name; repeat it for several
    #[arg(long, value_name = "FEATURE")]
    pub(crate) depends_on: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AdoptArgs {
    /// Folders of features, or single ones [default: docs/features, spec-kit's specs and OpenSpec's changes]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only report, also on a terminal
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Do it without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Take no document on your word: a run reviews each
    #[arg(long)]
    pub(crate) review: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ProjectArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProjectCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Begin a project: a folder with a PRD and a roadmap
    New(ProjectNewArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ProjectNewArgs {
    /// What it is called
    pub(crate) name: String,
    /// Copy this file in as the project's PRD
    #[arg(long, value_name = "FILE")]
    pub(crate) prd: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PhaseCommand {
    /// Leave out the phase that is next or under way
    Skip(PhaseArgs),
    /// Go back to a phase that is over, and through all after it again
    Back(PhaseArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PhaseArgs {
    /// [FEATURE] PHASE: the feature's number may be left out where only one can be meant
    #[arg(required = true, num_args = 1..=2, value_name = "[FEATURE] PHASE")]
    pub(crate) words: Vec<String>,
    /// The reason, kept with it
    #[arg(long)]
    pub(crate) why: String,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The feature's number; not needed inside its worktree or when only one is active
    pub(crate) feature: Option<String>,
    /// What to do when a stage has used up its review rounds [default: ask on a terminal, else stop]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) on_cap: Option<OnCap>,
    /// Ask nothing: money is spent within the budget, an author's questions are answered by what it would assume, and
    /// nothing is ever accepted in a person's name
    #[arg(long)]
    pub(crate) yes: bool,
    /// Rest after this phase: specify, design, create-plan or create-tasks. One beyond the feature's end moves the end
    #[arg(long, value_name = "PHASE")]
    pub(crate) until: Option<String>,
    /// Take this lane from here on: express, standard or deep
    #[arg(long, value_name = "LANE")]
    pub(crate) lane: Option<String>,
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

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// The document
    pub(crate) file: PathBuf,
    /// Let an author revise it until it is approved
    #[arg(long)]
    pub(crate) fix: bool,
    /// Judge it as this kind of document [default: by its name, else document]
    #[arg(long = "as", value_enum, value_name = "KIND")]
    pub(crate) kind: Option<DocumentKind>,
    /// Begin anew, with a reviewer that knows nothing of the earlier rounds
    #[arg(long)]
    pub(crate) again: bool,
    /// Ask nothing before money is spent
    #[arg(long)]
    pub(crate) yes: bool,
    /// The most this review may cost in all, in dollars; kept for later calls [default: budget of redraft.toml, else 5]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) budget: Option<String>,
    /// Let this agent of redraft.toml play every role, for this call
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// How dispatches are sent: cost, guarded, seed, fresh, resume, inline or digest
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentKind {
    Spec,
    Design,
    Plan,
    Tasks,
    Document,
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
    /// accept, rerun, retry, answer, assume or abandon, as far as the question allows it; without one the question is
    /// shown
    pub(crate) choice: Option<String>,
    /// What an author asked for, once for each of its questions, in their order; "" leaves one to its assumption
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: Vec<String>,
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
pub(crate) struct LintArgs {
    /// Files, folders, or numbers of features; without one, every feature there is
    #[arg(value_name = "PATH|FEATURE")]
    pub(crate) targets: Vec<PathBuf>,
    /// Print SARIF 2.1.0, which code scanning reads
    #[arg(long, conflicts_with_all = ["json", "github"])]
    pub(crate) sarif: bool,
    /// Print annotations for a workflow of GitHub Actions
    #[arg(long, conflicts_with = "json")]
    pub(crate) github: bool,
    /// List all rules with their level here and what they look for, and check nothing
    #[arg(long, conflicts_with_all = ["sarif", "github", "targets"])]
    pub(crate) rules: bool,
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
    /// List the tasks of a tasks.md as they are understood; any file will do
    #[command(after_help = TASKS_HELP)]
    Tasks(TasksArgs),
    /// Find where a document defines an id
    #[command(after_help = SECTION_HELP)]
    Section(SectionArgs),
    /// Tell which parts of the documents in a folder go into the prompt for a task, and why
    #[command(after_help = CONTEXT_HELP)]
    Context(ContextArgs),
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
    /// The last prompt sent with this strategy: inline, lazy, digest or resume
    #[arg(long)]
    pub(crate) strategy: Option<String>,
    /// Show what the role would be sent in a small made-up feature, with your own text for it if there is one
    #[arg(long, requires = "role", conflicts_with_all = ["ticket", "verify", "feature"])]
    pub(crate) example: bool,
    /// The phase of the example, for the role that takes part in several: specify, design, create-plan or create-tasks
    #[arg(long, requires = "example")]
    pub(crate) phase: Option<String>,
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
    /// Let policy cost learn the pace of rounds from the loops before, for files of one repository in the order of time
    #[arg(long)]
    pub(crate) learn: bool,
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
