//! The arguments of `redraft bank`.

use super::help::{BANK_BACKFILL_HELP, BANK_KEEP_HELP, BANK_RETIRE_HELP, BANK_SHOW_HELP, BANK_UPDATE_HELP};
use clap::{Args, Subcommand, ValueEnum};
use redraft_documents::bank::BankFile;
use redraft_facts::redact::Typed;

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
