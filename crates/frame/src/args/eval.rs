//! The arguments of `redraft eval`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub(super) const EVAL_HELP: &str = "\
Examples:
  redraft eval plant cases docs/features/*/spec.md     documents that were approved, with defects put in
  redraft eval plant cases --base main                 the same for a change that was approved
  redraft eval run cases --agent claude --arm ours --arm plain   ask an agent for the reviews
  redraft eval judge cases --agent claude              have findings that no defect explains classed
  redraft eval score cases                             count what the answers found
  redraft eval export cases out --arm ours             write the prompts instead, for a model of your own

Compares ways of asking for a review on defects that are known. Needs no repository; only `run` and `judge` ask an agent.
Exit codes: 0 done, 1 some answers are missing, 2 usage, 3 a file cannot be read or written";

const PLANT_HELP: &str = "\
Examples:
  redraft eval plant cases docs/features/031-links/spec.md
  redraft eval plant cases docs/features/*/design.md --cases 3 --plants 4 --seed 7
  redraft eval plant cases --base main --head feature/031-links

Each document gives a clean case and cases with defects. What it builds on is taken from its folder: prd.md for spec.md, \
both for design.md and so on. The same seed plants the same defects. A defect that `redraft lint` reports is not used. With --base, defects are put into \
lines of Rust, Python, JavaScript, TypeScript, Go or shell that a change adds; it needs a repository.
Exit codes: 0 written, 2 usage, 3 a file cannot be read or written";

const EXPORT_HELP: &str = "\
Examples:
  redraft eval export cases out --arm ours --arm plain
  redraft eval export cases out --arm my-reviewer.md+lazy --arm ours+resume+2

An arm is TEXT+STRATEGY+ROUND. TEXT is `ours`, `plain` (two sentences) or a role text of your own; STRATEGY is inline \
(if you name none), lazy, digest or resume; ROUND is 1 (if you name none) or 2, the review of a revision that fixed some \
defects, left one and has a new one. For each case and arm, OUT gets CASE.ARM.prompt.md. Put the answer into \
CASE.ARM.answer.json or CASE.ARM.answer.txt. A conversation that is continued has its earlier turns in \
CASE.ARM.before.1.md and CASE.ARM.before.2.md.
Exit codes: 0 written, 2 usage, 3 a file cannot be read or written";

const RUN_HELP: &str = "\
Examples:
  redraft eval run cases --agent claude --arm ours --arm plain
  redraft eval run cases out --agent sonnet --arm ours+lazy --arm ours+resume+2 --budget 20 --yes

Asks the prompts that `redraft eval export` writes, for each case and arm, and puts each answer beside its prompt, with what \
it cost in CASE.ARM.asked.json. The agent works in a folder that holds only the files of the case. What has an answer is \
not asked again, so the same command continues. The budget is for all answers in OUT, also earlier ones; no request is sent \
that could exceed it. `resume` asks the first review in the same conversation before; with an agent that keeps none it is \
refused.
Exit codes: 0 all are answered, 1 some are not, 2 usage, 3 a file or a setting needs attention, 4 the agent fails, 5 the \
budget or a usage limit was reached, 6 nobody has agreed to what it may cost, 130 interrupted";

const JUDGE_HELP: &str = "\
Examples:
  redraft eval judge cases --agent claude           ask an agent
  redraft eval judge cases                          write the prompts, and take in answers that are there

The judge sees the clean document and the findings of all arms, without arm and severity. Prompts and answers are in \
DIR/judged, as DOCUMENT.judge.N.prompt.md and DOCUMENT.judge.N.answer.json. What is classed stays in DIR/judged/union.json \
and is not asked again; `redraft eval score` counts by it. DIR/judged/found.json says which arm found which material defect.
Exit codes: 0 everything is classed, 1 something is not, 2 usage, 3 a file or a setting needs attention, 4 the agent fails, \
5 the budget or a usage limit was reached, 6 nobody has agreed to what it may cost, 130 interrupted";

const SCORE_HELP: &str = "\
Examples:
  redraft eval score cases
  redraft eval score cases out
  redraft eval score cases out --html report.html
  redraft eval score cases out --json

Findings that no defect explains are only counted, unless `redraft eval judge` had them classed.
Exit codes: 0 all answers are there, 1 some are missing, 2 usage, 3 a file cannot be read or written";

#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Put known defects into approved documents or an approved change
    #[command(after_help = PLANT_HELP)]
    Plant(PlantArgs),
    /// Write the prompts of each arm, to be answered by whatever model you have
    #[command(after_help = EXPORT_HELP)]
    Export(EvalExportArgs),
    /// Ask an agent for the reviews of each arm
    #[command(after_help = RUN_HELP)]
    Run(EvalRunArgs),
    /// Have findings that no defect explains classed: material, minor or wrong
    #[command(after_help = JUDGE_HELP)]
    Judge(EvalJudgeArgs),
    /// Count what the answers found
    #[command(after_help = SCORE_HELP)]
    Score(ScoreArgs),
}

#[derive(Debug, Args)]
pub struct PlantArgs {
    /// The folder for the cases; made if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Documents of features: spec.md, design.md, plan.md or tasks.md
    #[arg(value_name = "FILE", required_unless_present = "base")]
    pub files: Vec<PathBuf>,
    /// Put defects into what the current branch has changed since it left this branch, tag or commit
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// The same for this branch, tag or commit instead of the current branch
    #[arg(long, value_name = "REV", requires = "base")]
    pub head: Option<String>,
    /// How many cases with defects each document or change gives, beside the clean one
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub cases: u8,
    /// How many defects a case has at most
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub plants: u8,
    /// The same number plants the same defects
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct EvalExportArgs {
    /// The folder of the cases
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The folder for the prompts; made if it does not exist
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// A way of asking; repeat it to compare several
    #[arg(long = "arm", value_name = "TEXT+STRATEGY+ROUND", required = true)]
    pub arms: Vec<String>,
}

#[derive(Debug, Args)]
pub struct EvalRunArgs {
    /// The folder of the cases
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The folder for prompts and answers; made if it does not exist [default: DIR/answers/AGENT]
    #[arg(value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// The agent that is asked
    #[arg(long, value_name = "NAME")]
    pub agent: String,
    /// A way of asking; repeat it to compare several
    #[arg(long = "arm", value_name = "TEXT+STRATEGY+ROUND", required = true)]
    pub arms: Vec<String>,
    /// What all answers in OUT may cost, in dollars [default: budget of redraft.toml, else 5]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget: Option<String>,
    /// How many prompts are asked side by side
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub at_once: u8,
    /// Ask an agent that costs money without asking first
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct EvalJudgeArgs {
    /// The folder of the cases
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Folders of prompts and answers [default: all in DIR/answers]
    #[arg(value_name = "OUT")]
    pub outs: Vec<PathBuf>,
    /// The agent that is asked; without one, prompts are written and answers taken in
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// What all judgements may cost, in dollars [default: budget of redraft.toml, else 5]
    #[arg(long, value_name = "USD", allow_negative_numbers = true, requires = "agent")]
    pub budget: Option<String>,
    /// How many prompts are asked side by side
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub at_once: u8,
    /// Ask an agent that costs money without asking first
    #[arg(long, requires = "agent")]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// The folder of the cases
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Folders of prompts and answers; several are compared [default: all in DIR/answers]
    #[arg(value_name = "OUT")]
    pub outs: Vec<PathBuf>,
    /// Which findings count as blocking
    #[arg(long, value_name = "RULE", value_enum, default_value_t = Blocking::Blockers)]
    pub blocking: Blocking,
    /// Also write the report as a page of HTML
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Replace a file that is not a report of this command
    #[arg(long, requires = "html")]
    pub force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Blocking {
    /// Blockers alone
    Blockers,
    /// Blockers and warnings
    Strict,
}
