//! The arguments of the commands that share features with other clones.

use clap::Args;

pub(super) const SHARE_HELP: &str = "\
Examples:
  redraft share                          what is shared, and with whom
  redraft share --remote origin          what would leave this machine; asks before anything does
  redraft share --remote origin --yes    the same without asking

Features go to refs/redraft/1/ of that remote, which no plain clone fetches: docs/sharing.md

Exit codes: 0 done, 2 usage, 3 the remote cannot be reached, or has been altered, 6 not agreed to yet, 130 interrupted";

pub(super) const SYNC_HELP: &str = "\
Examples:
  redraft sync                           fetch what others did, send what was done here
  redraft sync --json                    for scripts

run, decide and comment do the same for their feature by themselves: docs/sharing.md

Exit codes: 0 done, 1 something of others was refused, 2 usage, 3 the remote cannot be reached, 6 sharing was not \
accepted here yet, 130 interrupted";

#[derive(Debug, Args)]
pub struct ShareArgs {
    /// The git remote to share through; it is written into redraft.toml
    #[arg(long, value_name = "NAME")]
    pub remote: Option<String>,
    /// Agree to what is shown, without being asked
    #[arg(long)]
    pub yes: bool,
}
