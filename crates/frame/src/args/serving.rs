//! The arguments of the commands that other programs start: hosts, agents at work, and a run itself.

use clap::Args;
use std::path::PathBuf;

pub(super) const MCP_HELP: &str = "\
Examples:
  redraft mcp                            hosts start this themselves, in the repository they work in
  redraft mcp --patience 0               never hold up a call of `next`

Register it once: claude mcp add redraft -- redraft mcp (or codex mcp add); `redraft plugin export` does that and \
more.

Nine tools: status, next, submit, check, decide, findings, context, cost, lint. A host repeats: `next`, do the work in a \
fresh conversation, `submit`. Redraft itself sends nothing and starts no agent, and it does not know what the host's work \
costs. The host plays the roles that redraft.toml gives to an agent of kind \"pull\", or all roles if it gives it none.

Exit codes: 0 the host closed standard input, 2 started by an agent at work, 130 interrupted";

pub(super) const REHEARSE_HELP: &str = "\
Examples:
  redraft rehearse 001/specify.1/draft/spec-author/1.1

It reads the prompt stored for the ticket, changes the files that its role may change, and prints the answer to \
submit.

Exit codes: 0 done, 2 this ticket is not out with a host, 4 the rehearsal agent could not do it";

#[derive(Debug, Args)]
pub struct McpArgs {
    /// How long a call of `next` may wait, for example for checks, before it answers `wait`
    #[arg(long = "patience", value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=600))]
    pub patience_s: u64,
}

#[derive(Debug, Args)]
pub struct RehearseArgs {
    /// The ticket as `next` gave it, e.g. 001/specify.1/draft/spec-author/1.1
    pub ticket: String,
    /// The folder as `next` gave it [default: the feature's worktree]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The name of the check, as in [checks]; not needed where there is only one
    pub name: Option<String>,
    /// The name of one test, where only that is to be run
    #[arg(long, value_name = "NAME")]
    pub test: Option<String>,
    /// Offer it as a tool on standard input and output, for the dispatch that this folder belongs to
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "test"])]
    pub serve: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// The folder that keeps what the program prints
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    pub command: Vec<std::ffi::OsString>,
}
