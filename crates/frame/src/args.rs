//! The arguments that can be typed, and what `--help` says about them.
//!
//! Here are the list of commands and the arguments of those that begin, take over and decide. The others are in
//! modules of their own: `running`, `review`, `looking` (commands that only look), `serving` (commands that other
//! programs start) and so on.

mod bank;
mod cleaning;
mod comment;
mod config;
mod eval;
mod help;
mod ledger;
mod looking;
mod plugin;
mod review;
mod running;
mod serving;
mod sharing;
mod shell;
mod watching;

use bank::BANK_HELP;
use clap::{Args, Parser, Subcommand, ValueEnum};
use cleaning::{CLEAN_HELP, UNINSTALL_HELP};
use comment::COMMENT_HELP;
use config::CONFIG_HELP;
use eval::EVAL_HELP;
use help::{
    ADOPT_HELP, AFTER_HELP, COST_HELP, DECIDE_HELP, DEMO_HELP, DOCTOR_HELP, INIT_HELP, LINT_HELP, LOG_HELP,
    MODELS_HELP, NEW_HELP, PHASE_BACK_HELP, PHASE_HELP, PHASE_SKIP_HELP, PROJECT_HELP, PROJECT_NEW_HELP,
    REPLAY_HELP, REPORT_HELP, SHOW_HELP, STATUS_HELP, TRUST_HELP, UI_HELP,
};
use ledger::LEDGER_HELP;
use plugin::PLUGIN_HELP;
use redraft_agents::config::Colour;
use redraft_facts::redact::Typed;
use review::REVIEW_HELP;
use running::{FINISH_HELP, RUN_HELP};
use serving::{MCP_HELP, REHEARSE_HELP};
use sharing::{SHARE_HELP, SYNC_HELP};
use shell::{COMPLETIONS_HELP, HOOK_HELP, MAN_HELP};
use std::path::PathBuf;
use watching::{STOP_HELP, WATCH_HELP};

pub use bank::{BackfillArgs, BankArgs, BankCommand, BankKind, EntryArgs, NameArgs, RetireArgs, UpdateArgs};
pub use cleaning::{CleanArgs, UninstallArgs};
pub use comment::CommentArgs;
pub use config::{ConfigArgs, ConfigCommand};
pub use eval::{Blocking, EvalCommand, EvalExportArgs, EvalJudgeArgs, EvalRunArgs, PlantArgs, ScoreArgs};
pub use ledger::{LedgerCommand, LedgerExportArgs, LedgerImportArgs, RedactArgs};
pub use looking::{
    ContextArgs, CorrectArgs, CostArgs, CostCommand, DoctorArgs, FindingsArgs, KnowledgeCommand, LintArgs,
    LogArgs, PageCommand, PromptArgs, PullRequestArgs, ReplayArgs, ReplayRole, ReportArgs, ScheduleArgs,
    SectionArgs, ShowCommand, StatusArgs, TasksArgs, TraceArgs, UiArgs,
};
pub use plugin::{ExportArgs, PluginCommand};
pub use review::{ChangeArgs, DocumentKind, FindingsForm, ReviewArgs};
pub use running::{FinishArgs, OnCap, OnFailure, RunArgs};
pub use serving::{CheckArgs, McpArgs, RehearseArgs, WorkerArgs};
pub use sharing::ShareArgs;
pub use shell::{CompletionsArgs, HookCommand, ManArgs, ShellName};
pub use watching::{StopArgs, WatchArgs};

/// Takes a feature from an idea to reviewed code with AI agents: drafted, reviewed and redrafted until approved.
#[derive(Debug, Parser)]
#[command(name = "redraft", version, max_term_width = 100, after_help = AFTER_HELP, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Print one JSON object on stdout and nothing else
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only errors and questions on stderr; data still goes to stdout
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,
    /// Show each event with its ticket while something runs
    #[arg(short = 'v', long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Colour words on a terminal: auto, always or never [default: colour in your own configuration, else auto]
    #[arg(long, global = true, value_name = "WHEN", value_enum, hide_possible_values = true)]
    pub color: Option<When>,
    /// Run as if started in this folder
    #[arg(short = 'C', long = "dir", global = true, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// When words are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

impl From<When> for Colour {
    fn from(when: When) -> Colour {
        match when {
            When::Auto => Colour::Auto,
            When::Always => Colour::Always,
            When::Never => Colour::Never,
        }
    }
}

impl Command {
    /// Whether stdout is for a stream of events.
    pub fn streams_events(&self) -> bool {
        match self {
            Command::Run(args) => args.events,
            Command::Finish(args) => args.events,
            Command::Review(args) => args.events,
            Command::Demo(args) => args.events,
            _ => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a whole feature offline in a throw-away repository, with the built-in rehearsal agent
    #[command(after_help = DEMO_HELP)]
    Demo(DemoArgs),
    /// Write redraft.toml with every default as a comment, and choose the agent that plays the roles
    #[command(after_help = INIT_HELP)]
    Init,
    /// Show the settings in effect here and where each one comes from, or change one
    #[command(after_help = CONFIG_HELP)]
    Config(ConfigArgs),
    /// Begin a feature on its own branch and in its own worktree
    #[command(after_help = NEW_HELP)]
    New(NewArgs),
    /// Continue a feature from where it stands; run it again after any interruption
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Check what would be merged, write down what was learned, and make the branch ready or merge it
    #[command(after_help = FINISH_HELP)]
    Finish(FinishArgs),
    /// Review one document, or what a branch changes; run it again after an edit, and only what changed is sent
    #[command(after_help = REVIEW_HELP)]
    Review(ReviewArgs),
    /// Answer the question that a run is waiting for
    #[command(after_help = DECIDE_HELP)]
    Decide(DecideArgs),
    /// Say what should be different: a finding of yours, which the author must meet
    #[command(after_help = COMMENT_HELP)]
    Comment(CommentArgs),
    /// Skip a phase, or go back to one
    #[command(subcommand, after_help = PHASE_HELP)]
    Phase(PhaseCommand),
    /// Take over features that people or other tools have begun; only reports until you tell it to go ahead
    #[command(after_help = ADOPT_HELP)]
    Adopt(AdoptArgs),
    /// List the projects with their milestones and features, or begin one
    #[command(after_help = PROJECT_HELP)]
    Project(ProjectArgs),
    /// Share features with other clones through a git remote, after showing what will leave this machine
    #[command(after_help = SHARE_HELP)]
    Share(ShareArgs),
    /// Bring here what other clones did with shared features, and send what this one did
    #[command(after_help = SYNC_HELP)]
    Sync,
    /// Show where each feature stands and the next command to type
    #[command(after_help = STATUS_HELP)]
    Status(StatusArgs),
    /// Follow all features, or one, on a full screen; decide, comment and stop from there
    #[command(after_help = WATCH_HELP)]
    Watch(WatchArgs),
    /// Ask the process that drives a feature to end, as Ctrl-C in its terminal does
    #[command(after_help = STOP_HELP)]
    Stop(StopArgs),
    /// Show what a feature cost, by phase, role and round, and what the alternatives might have cost
    #[command(after_help = COST_HELP)]
    Cost(CostArgs),
    /// Write a feature as one HTML page that can be handed on: what was asked, decided, found, built and paid
    #[command(after_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Show all of it as pages in the browser, live, where you can also decide and comment; on this machine only
    #[command(after_help = UI_HELP)]
    Ui(UiArgs),
    /// Show what happened, event by event
    #[command(after_help = LOG_HELP)]
    Log(LogArgs),
    /// Check documents for mechanical faults: text cut off, duplicate ids, circular dependencies, placeholders and
    /// so on
    #[command(after_help = LINT_HELP)]
    Lint(LintArgs),
    /// Look inside: prompts, findings, tasks, sections of documents, the context of a task, the trace of a feature
    #[command(subcommand, after_help = SHOW_HELP)]
    Show(ShowCommand),
    /// List the lessons of earlier features and say which are stale; keep, update or retire them
    #[command(after_help = BANK_HELP)]
    Bank(BankArgs),
    /// Check this machine and its agents, and whether an agent's conversations can be continued
    #[command(after_help = DOCTOR_HELP)]
    Doctor(DoctorArgs),
    /// Remove worktrees, branches and refs of features that are merged or abandoned, after listing them
    #[command(after_help = CLEAN_HELP)]
    Clean(CleanArgs),
    /// Take everything of Redraft out of this repository, after listing it
    #[command(after_help = UNINSTALL_HELP)]
    Uninstall(UninstallArgs),
    /// Remove a secret from everything Redraft stores; export the ledger as text, and import it
    #[command(subcommand, after_help = LEDGER_HELP)]
    Ledger(LedgerCommand),
    /// List the models with their prices, and which of them each agent uses
    #[command(after_help = MODELS_HELP)]
    Models,
    /// Show what redraft.toml and git's configuration want to run, send, read or spend here, and accept it
    #[command(after_help = TRUST_HELP)]
    Trust(TrustArgs),
    /// Show what recorded review loops would have cost under every policy
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    /// Measure reviews on documents with known defects: plant them, write the prompts, count what the answers found
    #[command(subcommand, after_help = EVAL_HELP)]
    Eval(EvalCommand),
    /// Serve hosts such as Claude Code over standard input and output: they do the work, redraft runs the process
    #[command(after_help = MCP_HELP)]
    Mcp(McpArgs),
    /// Do one piece of work that was handed out, with the built-in rehearsal agent, to try a host without a model
    #[command(after_help = REHEARSE_HELP)]
    Rehearse(RehearseArgs),
    /// Answer an event of an interactive agent's session (Claude Code calls this a hook)
    #[command(subcommand, after_help = HOOK_HELP)]
    Hook(HookCommand),
    /// Print the completion script for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands into a folder
    #[command(after_help = MAN_HELP)]
    Man(ManArgs),
    /// Work with Redraft inside Claude Code, Codex, opencode and others
    #[command(subcommand, after_help = PLUGIN_HELP)]
    Plugin(PluginCommand),
    /// Have one of the project's checks run once more, for an agent that reviews code in a run
    #[command(hide = true)]
    Check(CheckArgs),
    /// Run an agent's program and end everything it started when standard input closes
    #[command(hide = true)]
    Worker(WorkerArgs),
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// What the feature is about
    pub idea: Option<Typed>,
    /// Keep the repository in this new or empty folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Merge the feature at the end
    #[arg(long)]
    pub merge: bool,
    /// Print every event on stdout while it runs, one JSON object a line, and the result as the last one
    #[arg(long, conflicts_with = "json")]
    pub events: bool,
}

#[derive(Debug, Args)]
pub struct NewArgs {
    /// The idea, in a sentence or more
    pub idea: Typed,
    /// Copy this file in as the feature's PRD (product requirements document)
    #[arg(long, value_name = "FILE")]
    pub prd: Option<PathBuf>,
    /// How thoroughly it is worked on: express, standard or deep [default: depends on what the idea names]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// The last phase of the feature [default: the lane's last phase]
    #[arg(long, value_name = "PHASE")]
    pub until: Option<String>,
    /// The project it belongs to, such as P001
    #[arg(long, value_name = "PROJECT")]
    pub project: Option<String>,
    /// A feature that must be completed first, by number, slug or folder name; repeat the option for several
    #[arg(long, value_name = "FEATURE")]
    pub depends_on: Vec<String>,
    /// Wait for your approval after these phases, as in --ask specify,design; besides those of [ask] in redraft.toml
    #[arg(long, value_name = "PHASES", value_delimiter = ',')]
    pub ask: Vec<String>,
}

#[derive(Debug, Args)]
pub struct AdoptArgs {
    /// Feature folders, or folders of them [default: docs/features, spec-kit's specs and OpenSpec's changes]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only report and ask nothing, even on a terminal
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Do it without asking
    #[arg(long)]
    pub yes: bool,
    /// Do not take documents on your word: a run reviews each one
    #[arg(long)]
    pub review: bool,
}

#[derive(Debug, Args)]
pub struct ProjectArgs {
    #[command(subcommand)]
    pub command: Option<ProjectCommand>,
}

#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// Begin a project: a folder with a PRD and a roadmap
    #[command(after_help = PROJECT_NEW_HELP)]
    New(ProjectNewArgs),
}

#[derive(Debug, Args)]
pub struct ProjectNewArgs {
    /// Its name
    pub name: Typed,
    /// Copy this file in as the project's PRD
    #[arg(long, value_name = "FILE")]
    pub prd: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum PhaseCommand {
    /// Skip the next phase, or the one under way
    #[command(after_help = PHASE_SKIP_HELP)]
    Skip(PhaseArgs),
    /// Go back to a phase that is over, and repeat all phases after it
    #[command(after_help = PHASE_BACK_HELP)]
    Back(PhaseArgs),
}

#[derive(Debug, Args)]
pub struct PhaseArgs {
    /// [FEATURE] PHASE: the feature's number can be left out if only one feature is possible
    #[arg(required = true, num_args = 1..=2, value_name = "[FEATURE] PHASE")]
    pub words: Vec<String>,
    /// The reason; it is stored
    #[arg(long)]
    pub why: Typed,
}

#[derive(Debug, Args)]
pub struct DecideArgs {
    /// The feature's number or slug; not needed inside its worktree or when only one is active
    pub feature: Option<String>,
    /// accept, approve, comment, uphold, overrule, rerun, retry, skip, go, answer, assume or abandon, if the question
    /// allows it; without a choice the question is shown
    pub choice: Option<String>,
    /// The answer to an author's question; repeat the option for each question, in order; "" leaves a question to
    /// the author's assumption
    #[arg(long, value_name = "TEXT")]
    pub answer: Vec<Typed>,
    /// The reason; it is stored with the decision
    #[arg(long, default_value = "", hide_default_value = true)]
    pub why: Typed,
    /// The revision that you looked at, as the question shows it; approve needs it, and is refused if it has moved
    #[arg(long, value_name = "REVISION")]
    pub revision: Option<String>,
    /// Answer only the question as it stood in this event, `asked_at` in status --json; a comment since then is refused, too
    #[arg(long, value_name = "EVENT")]
    pub seen: Option<u64>,
    /// Whether a host passes on what a person said; nobody types that.
    #[arg(skip)]
    pub through_host: bool,
}

#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Read redraft.toml from this branch, tag or commit, as `review --base` does
    #[arg(long, value_name = "REV", conflicts_with_all = ["list", "forget"])]
    pub base: Option<String>,
    /// Show everything you have accepted, in all repositories
    #[arg(long, conflicts_with_all = ["yes", "forget"])]
    pub list: bool,
    /// Forget what you have accepted in this repository, or in the one in DIR
    #[arg(long, value_name = "DIR", num_args = 0..=1, conflicts_with = "yes")]
    pub forget: Option<Option<PathBuf>>,
    /// Show what in the ledger your key did not sign, and go on from there
    #[arg(long, conflicts_with_all = ["base", "list", "forget"])]
    pub ledger: bool,
    /// Accept without asking
    #[arg(long)]
    pub yes: bool,
}
