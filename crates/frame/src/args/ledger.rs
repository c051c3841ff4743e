//! The arguments of `redraft ledger`.

use clap::{Args, Subcommand};
use redraft_facts::redact::Typed;
use std::path::PathBuf;

pub(super) const LEDGER_HELP: &str = "\
Examples:
  redraft ledger redact                  asks for the secret; what you type is not shown
  redraft ledger export ledger.jsonl     every event and blob as a line of text
  redraft ledger import ledger.jsonl     make a ledger from such lines

Exit codes: 0 done, 1 something is left over or lost, 3 the ledger or the disk needs attention; the others as in \
`redraft help`";

const REDACT_HELP: &str = "\
Examples:
  redraft ledger redact                  asks for the secret; what you type is not shown
  redraft ledger redact --yes < secret.txt
  redraft ledger redact --file docs/features/001-x/.review-history.md:10

The secret is replaced by `[redacted]` in the ledger, in Redraft's own files, in the worktrees of features, on their \
branches and under refs/redraft/. The removal is stored as an event. Copies in other branches, remotes and agents are \
listed, not changed. Revoke the secret in any case: anyone who has seen it still has it.

Exit codes: 0 done, 1 it is still in places that redraft does not change, 2 the text cannot be removed, 6 nothing \
was changed yet, 7 a run is under way";

const EXPORT_HELP: &str = "\
Examples:
  redraft ledger export ledger.jsonl
  redraft ledger export - | less         to the terminal

Use it to rescue a damaged ledger: what can be read is written, and what cannot be read is listed.

Exit codes: 0 written, 1 something was lost, 2 the file exists already, 3 nothing can be read";

const IMPORT_HELP: &str = "\
Examples:
  redraft ledger import ledger.jsonl
  redraft ledger import ledger.jsonl --move-aside

Makes a new ledger from exported lines and checks it. If events were lost, a feature continues from the last event \
before them.

Exit codes: 0 made, 1 made, but something was lost, 2 there is already a ledger, 3 the file cannot be used, 7 a run \
is under way";

#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Remove a secret from everywhere Redraft stores it
    #[command(after_help = REDACT_HELP)]
    Redact(RedactArgs),
    /// Write the ledger as lines of text, as much of it as can be read
    #[command(after_help = EXPORT_HELP)]
    Export(LedgerExportArgs),
    /// Make a ledger from exported lines
    #[command(after_help = IMPORT_HELP)]
    Import(LedgerImportArgs),
}

#[derive(Debug, Args)]
pub struct RedactArgs {
    /// Remove what looks like a secret from this event; N is its number in `redraft log`
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub event: Option<u64>,
    /// Remove what looks like a secret from this line of a file
    #[arg(long, value_name = "PATH:LINE")]
    pub file: Option<String>,
    /// Why, for the record; the secret is removed from this text too
    #[arg(long, value_name = "TEXT", default_value = "a secret was stored")]
    pub why: Typed,
    /// Do it without asking; without this option, if nobody can be asked, only what would be done is shown
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct LedgerExportArgs {
    /// The file to write, which must not exist; `-` for standard output
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct LedgerImportArgs {
    /// The exported file; `-` for standard input
    pub file: PathBuf,
    /// Rename the existing ledger first
    #[arg(long)]
    pub move_aside: bool,
}
