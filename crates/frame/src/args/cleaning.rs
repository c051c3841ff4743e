//! The arguments of commands that take something away: `clean` and `uninstall`.

use clap::Args;

pub(super) const CLEAN_HELP: &str = "\
Examples:
  redraft clean                 list what merged and abandoned features left, then ask
  redraft clean 003 --yes       feature 003 alone, without a question
  redraft clean --lost          also work that is merged nowhere, and what was undone and kept
The ledger keeps the history: status, log, report and cost still show a feature afterwards. Work that is merged \
nowhere stays unless --lost is given: commits of a branch, uncommitted files of a worktree, and what is kept under \
refs/redraft/lost/. Without a terminal nothing is removed unless --yes is given.

Exit codes: 0 done, or nothing to do; 2 there is no such feature, or it is not over; 3 git could not do it; 7 a run is \
under way";

pub(super) const UNINSTALL_HELP: &str = "\
Examples:
  redraft uninstall             list everything, then ask
  redraft uninstall --yes       without a question
  redraft uninstall --lost      also work that is merged nowhere
It removes worktrees, refs under refs/redraft/, the ledger and everything else in .git/redraft, its line in \
.git/info/exclude, what you accepted for this repository, and branches of features that are merged. Documents, \
redraft.toml and files of your own stay. Work that is merged nowhere stays as well unless --lost is given.

Exit codes: 0 done, or nothing to do; 3 git could not do it; 7 a run is under way";

#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Features by number or slug [default: all that are merged or abandoned]
    #[arg(value_name = "FEATURE")]
    pub feature: Vec<String>,
    /// Only list and ask nothing, even on a terminal
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Remove it without asking
    #[arg(long)]
    pub yes: bool,
    /// Also remove work that is merged nowhere, and what was undone and kept
    #[arg(long)]
    pub lost: bool,
}

#[derive(Debug, Args)]
pub struct UninstallArgs {
    /// Only list and ask nothing, even on a terminal
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Remove it without asking
    #[arg(long)]
    pub yes: bool,
    /// Also remove work that is merged nowhere, and what was undone and kept
    #[arg(long)]
    pub lost: bool,
}
