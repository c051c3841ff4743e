//! The arguments of `redraft ledger`.

use clap::{Args, Subcommand};
use redraft_facts::redact::Typed;
use std::path::PathBuf;

pub(super) const LEDGER_HELP: &str = "\
Examples:
  redraft ledger redact                  asks for the secret, without showing what is typed
  redraft ledger export ledger.jsonl     every event and blob as a line of text
  redraft ledger import ledger.jsonl     a ledger made of such lines

Exit codes: 0 done, 1 something is left or lost, 3 the ledger or the disk needs attention; the others as in `redraft help`";

const REDACT_HELP: &str = "\
Examples:
  redraft ledger redact                  asks for the secret, without showing what is typed
  redraft ledger redact --yes < secret.txt
  redraft ledger redact --file docs/features/001-x/.review-history.md:10

The secret is replaced by `[redacted]` in the ledger, in Redraft's own files, in the worktrees of features, on their branches
and under refs/redraft/. That this was done is stored as an event. What other branches, remotes and agents hold is named, not
changed. Revoke the secret all the same: whoever has seen it has it.

Exit codes: 0 done, 1 it is left where redraft changes nothing, 2 the text cannot be taken out, 6 nothing was changed yet,
7 a run is under way";

const EXPORT_HELP: &str = "\
Examples:
  redraft ledger export ledger.jsonl
  redraft ledger export - | less         to the terminal

The way out of a damaged ledger: what can be read is written, what cannot is named.

Exit codes: 0 written, 1 something was lost, 2 the file exists already, 3 nothing can be read";

const IMPORT_HELP: &str = "\
Examples:
  redraft ledger import ledger.jsonl
  redraft ledger import ledger.jsonl --move-aside

Makes a new ledger of exported lines and checks it. Where events were lost, a feature goes on from the last one before them.

Exit codes: 0 made, 1 made, and something was lost, 2 there is a ledger already, 3 the file cannot be used, 7 a run is under way";

#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Take a secret that has come in out again, wherever Redraft keeps it
    #[command(after_help = REDACT_HELP)]
    Redact(RedactArgs),
    /// Write the ledger as lines of text, as far as it can be read
    #[command(after_help = EXPORT_HELP)]
    Export(LedgerExportArgs),
    /// Make a ledger of exported lines
    #[command(after_help = IMPORT_HELP)]
    Import(LedgerImportArgs),
}

#[derive(Debug, Args)]
pub struct RedactArgs {
    /// Take out what looks like a secret in this event, by its number in `redraft log`
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub event: Option<u64>,
    /// Take out what looks like a secret on this line of a file
    #[arg(long, value_name = "PATH:LINE")]
    pub file: Option<String>,
    /// Why, for the record; the secret is kept out of it
    #[arg(long, value_name = "TEXT", default_value = "a secret had come in")]
    pub why: Typed,
    /// Do it without asking; else, where nobody can be asked, only what would be done is shown
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
    /// Give the ledger that is there another name first
    #[arg(long)]
    pub move_aside: bool,
}
