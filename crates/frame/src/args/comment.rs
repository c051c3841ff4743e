//! The arguments of `comment`.

use clap::Args;
use redraft_facts::redact::Typed;

pub(super) const COMMENT_HELP: &str = "\
Examples:
  redraft comment 002 \"use Postgres, not files\"          its author must do it, its reviewer says whether it is done
  redraft comment 002 \"name the unit\" --file spec.md --line 12
  redraft comment 002 \"a table would read better\" --note   may be left
  redraft comment 002 \"use Postgres, not files\" --phase design
  redraft comment 002 --reopen U1 \"there are still files\"
  redraft comment 002 \"name the unit\" --seen 41            only if nothing was written since event 41
A comment becomes a finding of yours: U1, U2 and so on. It counts for the phase that --phase or --file names, else for the \
one under way. While a run is under way it is put into that run's inbox and stored between two steps. A comment on a phase \
that is closed opens it again: you are told what that means and asked first; a note opens nothing.

Exit codes: 0 stored, or left for the run that is under way; 2 cannot be said like this, or the phase or its revision has moved (--seen); 6 the phase is closed, and --yes \
was not given";

#[derive(Debug, Args)]
pub struct CommentArgs {
    /// [FEATURE] TEXT: the feature's number or slug can be left out if only one feature is possible
    #[arg(required = true, num_args = 1..=2, value_name = "[FEATURE] TEXT")]
    pub words: Vec<Typed>,
    /// The file it is about: spec.md, design.md, plan.md, tasks.md or a file of the code
    #[arg(long, value_name = "FILE")]
    pub file: Option<String>,
    /// The line of that file
    #[arg(long, value_name = "N", requires = "file", value_parser = clap::value_parser!(u32).range(1..))]
    pub line: Option<u32>,
    /// Only a note: the author sees it and may leave it
    #[arg(long)]
    pub note: bool,
    /// The phase it is about [default: that of the file, else the one under way]
    #[arg(long, value_name = "PHASE")]
    pub phase: Option<String>,
    /// Open a comment again that was settled, such as U1; the text says why
    #[arg(long, value_name = "ID", conflicts_with_all = ["file", "phase"])]
    pub reopen: Option<String>,
    /// Say it only if nothing has moved since this event: `moved_at` in report --json
    #[arg(long, value_name = "EVENT")]
    pub seen: Option<u64>,
    /// Open a closed phase again without asking
    #[arg(long)]
    pub yes: bool,
}
