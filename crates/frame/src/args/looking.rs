//! The arguments of the commands that look at things and change nothing.

use super::help::{
    CONTEXT_HELP, CORRECT_HELP, FINDINGS_HELP, PROMPT_HELP, PULL_REQUEST_HELP, SCHEDULE_HELP, SECTION_HELP,
    TASKS_HELP, TRACE_HELP,
};
use clap::{Args, Subcommand, ValueEnum};
use redraft_facts::redact::Typed;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Only this feature, by its number or slug, or the review of this file
    pub feature: Option<String>,
    /// Fold all events again and rewrite the board, .meta.json and .review-history.md
    #[arg(long)]
    pub rebuild: bool,
    /// Check the whole ledger: every event, every blob, and the file itself
    #[arg(long)]
    pub verify: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CostArgs {
    #[command(subcommand)]
    pub command: Option<CostCommand>,
    /// The feature's number or slug, or a file that was reviewed by itself; without it, the only feature or the one of this
    /// worktree, else a line for each
    pub feature: Option<String>,
    /// Show every dispatch as well, what else was possible, and what resuming saved
    #[arg(long, conflicts_with = "why")]
    pub all: bool,
    /// Explain one dispatch in plain words: why it was sent in this way, and what came of it
    #[arg(long, value_name = "TICKET", conflicts_with = "svg")]
    pub why: Option<String>,
    /// Draw what each round cost, and what it might have cost, as an SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Replace a file even if this command did not write it
    #[arg(long, requires = "svg")]
    pub force: bool,
}

#[derive(Debug, Subcommand)]
pub enum CostCommand {
    /// Correct the recorded cost of a dispatch, with a reason; receipts show the correction
    #[command(after_help = CORRECT_HELP)]
    Correct(CorrectArgs),
}

#[derive(Debug, Args)]
pub struct CorrectArgs {
    /// The feature's number or slug, or a file that was reviewed by itself
    pub feature: String,
    /// The ticket of the dispatch, as receipts show it
    pub ticket: String,
    /// What it really cost, in dollars
    #[arg(long, value_name = "USD")]
    pub usd: String,
    /// How you know; this is stored with the correction
    #[arg(long, value_name = "TEXT")]
    pub why: Typed,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The feature's number or slug, or a file that was reviewed by itself; not needed inside a worktree or when only one is
    /// possible
    #[arg(conflicts_with = "all")]
    pub feature: Option<String>,
    /// List all features, with how rounds, costs and findings developed
    #[arg(long)]
    pub all: bool,
    /// Write the page to this file; with --all, a folder gets the index and a page for each feature, a file ending in
    /// .html only the index [default: print the page, unless that would be on a terminal]
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace a file even if this command did not write it
    #[arg(long, requires = "output")]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct UiArgs {
    /// Do not open the browser; only print the address
    #[arg(long)]
    pub no_open: bool,
    /// The port of 127.0.0.1 to serve on [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}

#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files, folders or feature numbers [default: every feature]
    #[arg(value_name = "PATH|FEATURE")]
    pub targets: Vec<PathBuf>,
    /// Print SARIF 2.1.0, for code scanning
    #[arg(long, conflicts_with_all = ["json", "github"])]
    pub sarif: bool,
    /// Print annotations for GitHub Actions
    #[arg(long, conflicts_with = "json")]
    pub github: bool,
    /// List all rules with their level here and what they look for, without checking anything
    #[arg(long, conflicts_with_all = ["sarif", "github", "targets"])]
    pub rules: bool,
    /// Check the trace instead: requirements that no task reaches, tasks that refer to nothing, files that belong to
    /// no task, tests that no check has run
    #[arg(long, conflicts_with = "rules")]
    pub trace: bool,
    /// Check a plugin for Claude Code instead: manifest, front matter, tools, hooks, servers, prompts
    #[arg(long, value_name = "DIR", conflicts_with_all = ["rules", "trace", "targets"])]
    pub plugin: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LogArgs {
    /// Only this feature, by its number or slug, or the review of this file
    pub feature: Option<String>,
    /// Show only the last N events
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// Print a page made from the events, whether or not the file is still there
    #[arg(long = "as", value_enum, value_name = "PAGE", conflicts_with_all = ["limit", "decisions"])]
    pub page: Option<PageCommand>,
    /// List the decisions, deviations and concerns of implementers, and what people settled
    #[arg(long, conflicts_with = "limit")]
    pub decisions: bool,
    /// Write a record NNNN-title.md for each one that has none yet, into a folder [default: docs/decisions]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, requires = "decisions")]
    pub export: Option<Option<PathBuf>>,
}

/// A page that is made from events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PageCommand {
    /// Every review, in order
    ReviewHistory,
    /// Which task built what
    ImplementationLog,
}

#[derive(Debug, Subcommand)]
pub enum ShowCommand {
    /// Show a prompt as it was sent, fragment by fragment
    #[command(after_help = PROMPT_HELP)]
    Prompt(PromptArgs),
    /// List the findings of a feature or a reviewed file with their status
    #[command(after_help = FINDINGS_HELP)]
    Findings(FindingsArgs),
    /// List the tasks of a tasks.md, or of any other file, as Redraft understands them
    #[command(after_help = TASKS_HELP)]
    Tasks(TasksArgs),
    /// Show which tasks may run side by side, what each waits for and why, and how long 1 to N jobs take
    #[command(after_help = SCHEDULE_HELP)]
    Schedule(ScheduleArgs),
    /// Find where a document defines an id
    #[command(after_help = SECTION_HELP)]
    Section(SectionArgs),
    /// Show which parts of the documents in a folder go into the prompt for a task, and why
    #[command(after_help = CONTEXT_HELP)]
    Context(ContextArgs),
    /// Follow every requirement through design, plan and task to commits, files, tests and their last run
    #[command(after_help = TRACE_HELP)]
    Trace(TraceArgs),
    /// The text for a pull request: trace, rulings, checks and receipt
    #[command(after_help = PULL_REQUEST_HELP)]
    PullRequest(PullRequestArgs),
}

#[derive(Debug, Args)]
pub struct PullRequestArgs {
    /// The feature's number or slug; not needed inside its worktree or when only one is possible
    pub feature: Option<String>,
}

#[derive(Debug, Args)]
pub struct PromptArgs {
    /// The feature's number or slug, or a file that was reviewed by itself; not needed inside its worktree or when only one
    /// is possible
    pub feature: Option<String>,
    /// Exactly this dispatch, e.g. 031/specify.1/review/spec-reviewer/2.1, or without the number as receipts show it
    #[arg(long)]
    pub ticket: Option<String>,
    /// The last prompt of this role
    #[arg(long)]
    pub role: Option<String>,
    /// The last prompt sent with this strategy: inline, lazy, digest or resume
    #[arg(long)]
    pub strategy: Option<String>,
    /// Show what a role would be sent in a small made-up feature, with your own text for the role if there is one;
    /// needs no
    /// repository
    #[arg(long, value_name = "ROLE", num_args = 0..=1, conflicts_with_all = ["ticket", "verify", "feature"])]
    pub example: Option<Option<String>>,
    /// Print only the built-in text of the role, as a file for .redraft/agents/ROLE.md to begin from
    #[arg(long, requires = "example", conflicts_with_all = ["purpose", "by_itself", "strategy"])]
    pub text: bool,
    /// What the example is for: draft, revise, review, validate, certify, repair, implement, simplify, outline, tests, retro or judge
    /// [default: the role's first turn]
    #[arg(long, requires = "example")]
    pub purpose: Option<String>,
    /// The phase of the example, for a role that takes part in several: specify, design, create-plan,
    /// create-tasks, implement or finish
    #[arg(long, requires = "example")]
    pub phase: Option<String>,
    /// Show the example of a change that is reviewed by itself, as with `redraft review --base`
    #[arg(long, requires = "example")]
    pub by_itself: bool,
    /// Build every prompt of the feature again from the ledger and compare it with the stored one
    #[arg(long, conflicts_with_all = ["ticket", "role", "strategy"])]
    pub verify: bool,
}

#[derive(Debug, Args)]
pub struct FindingsArgs {
    /// The feature's number or slug, or a file that was reviewed by itself; not needed inside a worktree or when only one is
    /// possible
    pub feature: Option<String>,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Check only this agent
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Find out what git has lost of features, and let them continue from what is intact
    #[arg(long, conflicts_with_all = ["agent", "budget"])]
    pub repair: bool,
    /// Probe agents that cost money, or repair, without asking
    #[arg(long)]
    pub yes: bool,
    /// What each probe may cost, in dollars [default: budget of redraft.toml, else 5]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget: Option<String>,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Recorded loops: one JSON object a line, plain or compressed with gzip
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The model whose prices are used; prices in redraft.toml count; repeat the option to compare several [default:
    /// claude-opus-5.5]
    #[arg(long, value_name = "MODEL")]
    pub prices: Vec<String>,
    /// The longest cache lifetime to use; the model must offer it: 5m, 30m, 1h or 12h [default: its longest]
    #[arg(long, value_name = "LIFETIME")]
    pub ttl: Option<String>,
    /// How often the cache answers within a lifetime, from 0 to 1
    #[arg(long, value_name = "P", default_value = "1", value_parser = probability)]
    pub hit_rate: f64,
    /// Tokens of an answer [default: 1500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=TOKENS_MAX))]
    pub output_tokens: Option<u64>,
    /// Tokens of tools and system text [default: 3500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=TOKENS_MAX))]
    pub overhead_tokens: Option<u64>,
    /// Which reviewer to replay: domain is given the document, phase reads it by path [default: domain; for loops of
    /// the ledger, the recorded one]
    #[arg(long, value_enum)]
    pub role: Option<ReplayRole>,
    /// What a reviewer must know when it reviews again
    #[arg(long, value_enum, default_value = "full")]
    pub knowledge: KnowledgeCommand,
    /// Let policy cost learn the pace of rounds from earlier loops; for files of one repository, in chronological
    /// order
    #[arg(long)]
    pub learn: bool,
    /// Also replay the loops in this repository's ledger, of one feature or of all
    #[arg(long, value_name = "FEATURE", num_args = 0..=1)]
    pub ledger: Option<Option<String>>,
}

/// No prompt or answer is larger; sums of a million loops stay exact.
const TOKENS_MAX: u64 = 10_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReplayRole {
    Domain,
    Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KnowledgeCommand {
    /// Everything, in the prompt or in the conversation
    Full,
    /// What changed and the sections around it
    Scoped,
}

fn probability(word: &str) -> Result<f64, String> {
    let number = word.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

#[derive(Debug, Args)]
pub struct TasksArgs {
    /// A list of tasks, or a folder with a tasks.md
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct ScheduleArgs {
    /// The feature's number or slug, a list of tasks, or a folder with a tasks.md; without it, the only feature or the one
    /// of this worktree
    #[arg(value_name = "FEATURE|FILE")]
    pub what: Option<String>,
    /// At most so many tasks at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=JOBS_MAX))]
    pub jobs: u8,
}

/// No machine runs more agents and checks at once.
const JOBS_MAX: i64 = 64;

#[derive(Debug, Args)]
pub struct SectionArgs {
    /// A document
    pub file: PathBuf,
    /// What to find in it: 3.2, C9, "Component 2", "item 4", Auth-Module, "Success Criteria"
    pub id: String,
}

#[derive(Debug, Args)]
pub struct ContextArgs {
    /// A folder with a tasks.md and the documents it refers to
    pub folder: PathBuf,
    /// The id of the task, however it is spelled
    #[arg(long, value_name = "ID")]
    pub task: String,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    /// The feature's number or a folder of documents, then an id to follow; either may be left out
    #[arg(value_name = "FEATURE|DIR] [ID", num_args = 0..=2)]
    pub words: Vec<String>,
    /// Print one HTML page that needs no other files
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub html: bool,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Write the page to this file
    #[arg(long, short = 'o', value_name = "FILE", requires = "html")]
    pub output: Option<PathBuf>,
    /// Replace a file even if this command did not write it
    #[arg(long, requires = "output")]
    pub force: bool,
}
