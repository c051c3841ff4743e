//! The arguments of `redraft bank`.

use clap::{Args, Subcommand, ValueEnum};
use redraft_documents::bank::BankFile;
use redraft_facts::redact::Typed;

pub(super) const BANK_HELP: &str = "\
Examples:
  redraft bank                           every entry: whether it is stale, how often and when it was observed
  redraft bank --stale --json            only entries that have not been observed for a long time
  redraft bank show \"Relative Paths in Hooks\"
  redraft bank keep \"Relative Paths in Hooks\"
  redraft bank update \"Relative Paths in Hooks\" --text \"Resolve paths from the script's own folder.\"
  redraft bank retire \"Relative Paths in Hooks\" --why \"there are no hooks any more\"
  redraft bank backfill                  what would be filled in; --write does it

The files are docs/knowledge-bank/anti-patterns.md, heuristics.md and patterns.md of the checkout you are in. They \
can have many forms, and only what must change is changed: docs/knowledge-bank.md. Commit the changes yourself.

Exit codes: 0 shown or done, 1 something could not be filled in, 2 no such entry or usage, 3 a file cannot be read or \
written, 7 another process is using the repository";

pub(super) const BANK_SHOW_HELP: &str = "\
Examples:
  redraft bank show \"Relative Paths in Hooks\"
  redraft bank show relative             part of the name is enough if it fits only one entry

Exit codes: 0 shown, 2 no such entry";

pub(super) const BANK_KEEP_HELP: &str = "\
Examples:
  redraft bank keep \"Relative Paths in Hooks\"
  redraft bank keep \"Relative Paths in Hooks\" --feature 031

Sets `Last observed:` to the feature, leaves the count as it is, and removes the mark for a stale entry.
Exit codes: 0 kept, 2 no such entry or feature, 3 the file cannot be written";

pub(super) const BANK_UPDATE_HELP: &str = "\
Examples:
  redraft bank update \"Relative Paths in Hooks\" --text \"Resolve paths from the script's own folder.\"

Replaces the text, sets `Last observed:` to the feature and the count to 1. Other fields stay.
Exit codes: 0 updated, 2 no such entry or feature, 3 the file cannot be written";

pub(super) const BANK_RETIRE_HELP: &str = "\
Examples:
  redraft bank retire \"Relative Paths in Hooks\" --why \"there are no hooks any more\"

Deletes the entry and notes `Retired: name — reason` in the retro.md of the feature (--feature, or the one of this \
worktree) if it has one, otherwise in docs/knowledge-bank/retired.md.
Exit codes: 0 retired, 2 no such entry or feature, 3 a file cannot be written";

pub(super) const BANK_BACKFILL_HELP: &str = "\
Examples:
  redraft bank backfill                  what would be filled in, changing nothing
  redraft bank backfill --write          do it

Adds `Last observed:` and `Observation count:` where they are missing. An entry that names no feature gets the \
feature that was active when the entry was committed, marked as approximate. Patterns are not changed.
Exit codes: 0 shown or filled in, 1 no feature is known for some entries, 3 a file cannot be read or written";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BankArgs {
    #[command(subcommand)]
    pub command: Option<BankCommand>,
    /// Only stale entries
    #[arg(long)]
    pub stale: bool,
    /// Only entries of this kind
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Option<BankKind>,
}

#[derive(Debug, Subcommand)]
pub enum BankCommand {
    /// Show one entry with everything that is known about it
    #[command(after_help = BANK_SHOW_HELP)]
    Show(NameArgs),
    /// Confirm that an entry still holds
    #[command(after_help = BANK_KEEP_HELP)]
    Keep(EntryArgs),
    /// Give an entry a new text
    #[command(after_help = BANK_UPDATE_HELP)]
    Update(UpdateArgs),
    /// Delete an entry, with a reason
    #[command(after_help = BANK_RETIRE_HELP)]
    Retire(RetireArgs),
    /// Fill in when entries were last observed; only shows what it would do, unless --write is given
    #[command(after_help = BANK_BACKFILL_HELP)]
    Backfill(BackfillArgs),
}

#[derive(Debug, Args)]
pub struct NameArgs {
    /// The name of the entry
    pub name: String,
    /// The kind, if several entries have this name
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Option<BankKind>,
}

#[derive(Debug, Args)]
pub struct EntryArgs {
    #[command(flatten)]
    pub named: NameArgs,
    /// The feature in which it was observed [default: the feature of this worktree, else the last one created]
    #[arg(long, value_name = "FEATURE")]
    pub feature: Option<String>,
}

#[derive(Debug, Args)]
pub struct UpdateArgs {
    #[command(flatten)]
    pub entry: EntryArgs,
    /// Its new text
    #[arg(long)]
    pub text: Typed,
}

#[derive(Debug, Args)]
pub struct RetireArgs {
    #[command(flatten)]
    pub entry: EntryArgs,
    /// The reason; it is stored with the name
    #[arg(long)]
    pub why: Typed,
}

#[derive(Debug, Args)]
pub struct BackfillArgs {
    /// Write the changes to the files
    #[arg(long)]
    pub write: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BankKind {
    AntiPattern,
    Heuristic,
    Pattern,
}

impl BankKind {
    pub fn kind(self) -> BankFile {
        match self {
            BankKind::AntiPattern => BankFile::AntiPattern,
            BankKind::Heuristic => BankFile::Heuristic,
            BankKind::Pattern => BankFile::Pattern,
        }
    }
}
