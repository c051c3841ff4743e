//! The arguments of `redraft review`.

use clap::{Args, ValueEnum};
use redraft_facts::redact::Typed;
use std::path::PathBuf;

pub(super) const REVIEW_HELP: &str = "\
Examples:
  redraft review docs/proposal.md        findings, and what they cost; the file is not changed
  redraft review docs/proposal.md        after an edit: only what changed is sent
  redraft review docs/proposal.md --fix  let an author revise it until it is approved
  redraft review api.md --as design      judge it as a design
  redraft review --base main             what this branch changes, by three reviewers
  redraft review --base main             after the next commit: only what is new is sent
  redraft review --base origin/main --format sarif > review.sarif
  redraft review --base origin/main --name pull-7 --intent-file pull.txt --format github --yes

The work is done in a separate worktree; only --fix writes to your file, and never over your edits. With --base, \
the configuration is the one in REV, commands run only with --checks, and uncommitted changes are reviewed only \
with --uncommitted: docs/reviewing-changes.md.

Exit codes: 0 approved, 1 findings, 2 usage, 3 configuration, git or disk, 4 an agent failed, 5 a limit or the budget \
is reached, 6 waiting for a yes, 7 another process is reviewing it, 130 interrupted; the same command continues";

#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// The document to review; to review what a branch changes, use --base instead
    #[arg(conflicts_with = "base")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Let an author revise it until it is approved
    #[arg(long, conflicts_with = "base")]
    pub fix: bool,
    /// Judge it as this kind of document [default: by its name, else document]
    #[arg(long = "as", value_enum, value_name = "KIND", conflicts_with = "base")]
    pub kind: Option<DocumentKind>,
    /// Start over, with reviewers that know nothing about the earlier rounds
    #[arg(long)]
    pub again: bool,
    /// Take the review from a clone that is at work on it and is gone, such as a runner that was ended; what that one has
    /// not published is sent again
    #[arg(long)]
    pub take: bool,
    /// Ask nothing before money is spent
    #[arg(long)]
    pub yes: bool,
    /// The most this review may cost in total, in dollars; stored for later calls [default: budget in redraft.toml,
    /// else 5]
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget: Option<String>,
    /// Let this agent play every role, for this call: claude, codex, anthropic, openai, one you configured, or rehearsal
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// How dispatches are sent: cost, guarded, seed, fresh, resume, inline or digest
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// How findings are printed; progress then goes to stderr [default: table]
    #[arg(long, value_enum, value_name = "FORM")]
    pub format: Option<FindingsForm>,
    /// Print every event on stdout while it runs, one JSON object a line, and the result as the last one
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub events: bool,
}

/// What is asked of the review of a change.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Reviewing a change instead of a document")]
pub struct ChangeArgs {
    /// Review what the current branch has changed since it left this branch, tag or commit
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// Review this branch, tag or commit instead of the current branch
    #[arg(long, value_name = "REV", requires = "base")]
    pub head: Option<String>,
    /// Also review what is not committed yet
    #[arg(long, requires = "base", conflicts_with = "head")]
    pub uncommitted: bool,
    /// The name under which the next call continues this review [default: the branch]
    #[arg(long, value_name = "NAME", requires = "base")]
    pub name: Option<Typed>,
    /// What the change is for, e.g. the text of a pull request; implementation-reviewer gets it, and always the commit messages
    #[arg(long, value_name = "TEXT", requires = "base")]
    pub intent: Option<Typed>,
    /// The same, read from a file
    #[arg(long, value_name = "FILE", requires = "base", conflicts_with = "intent")]
    pub intent_file: Option<PathBuf>,
    /// Compare the change with the documents of this feature [default: on a branch feature/NNN-…, those of NNN]
    #[arg(long, value_name = "NNN", requires = "base")]
    pub feature: Option<String>,
    /// express: one reviewer, standard: three, deep: fresh eyes at the end as well [default: standard]
    #[arg(long, value_name = "LANE", requires = "base")]
    pub lane: Option<String>,
    /// Run the checks of the base's redraft.toml on the change first; this runs code of the change on this machine
    #[arg(long, requires = "base")]
    pub checks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FindingsForm {
    /// For people
    Table,
    /// The same as --json
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DocumentKind {
    Spec,
    Design,
    Plan,
    Tasks,
    Document,
}
