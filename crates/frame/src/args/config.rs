//! The arguments of `redraft config`.

use clap::{Args, Subcommand};

pub(super) const CONFIG_HELP: &str = "\
Examples:
  redraft config                         every setting, its value and where it comes from
  redraft config set roles.default claude     Claude Code plays every role, in all your repositories
  redraft config set budget 10 --repo    in this repository's redraft.toml
  redraft config set agents.mine.kind claude, then redraft config set agents.mine.model opus
  redraft config unset roles.default

Your own file is config.toml in $XDG_CONFIG_HOME/redraft, or in ~/.config/redraft. It holds agents, prices, roles, \
budget, colour and notify for all your repositories. A repository's redraft.toml wins over it, but of two budgets \
the lower one counts until you accept the higher one with `redraft trust`.

Exit codes: 0 shown, written or nothing to change, 2 no such key or not a repository, 3 the value is refused or a \
file has a mistake";

pub(super) const CONFIG_SET_HELP: &str = "\
Examples:
  redraft config set roles.default codex
  redraft config set roles.security-reviewer claude
  redraft config set agents.mine '{ kind = \"openai\", model = \"tiny\", base_url = \"http://127.0.0.1:8080/v1\", price = \"local\" }'
  redraft config set review.policy inline --repo

A value that is not a TOML number, list or word is taken as text, so you never need quotes inside quotes. The \
changed file is checked before it is written; if it could not be used, nothing is written.

Exit codes: 0 written or nothing to change, 2 no such key or not a repository, 3 the value is refused or a file has a \
mistake";

pub(super) const CONFIG_UNSET_HELP: &str = "\
Examples:
  redraft config unset roles.default
  redraft config unset budget --repo

Exit codes: 0 removed or not there, 2 not a key or not a repository, 3 a file has a mistake";

#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Write a setting to your own configuration, which applies to all repositories
    #[command(after_help = CONFIG_SET_HELP)]
    Set(SetArgs),
    /// Remove a setting
    #[command(after_help = CONFIG_UNSET_HELP)]
    Unset(UnsetArgs),
}

#[derive(Debug, Args)]
pub struct SetArgs {
    /// The setting, such as roles.default or agents.claude.model
    pub key: String,
    /// Its value
    #[arg(allow_negative_numbers = true)]
    pub value: String,
    /// Write it to this repository's redraft.toml, for everyone who works on it
    #[arg(long)]
    pub repo: bool,
}

#[derive(Debug, Args)]
pub struct UnsetArgs {
    /// The setting, such as roles.default
    pub key: String,
    /// Remove it from this repository's redraft.toml
    #[arg(long)]
    pub repo: bool,
}
