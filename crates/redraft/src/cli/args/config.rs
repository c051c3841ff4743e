//! What `redraft config` can be asked for.

use super::help::{CONFIG_SET_HELP, CONFIG_UNSET_HELP};
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Write a setting into your own file, which holds in all repositories
    #[command(after_help = CONFIG_SET_HELP)]
    Set(SetArgs),
    /// Take a setting out again
    #[command(after_help = CONFIG_UNSET_HELP)]
    Unset(UnsetArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    /// The setting, as in roles.default or agents.claude.model
    pub(crate) key: String,
    /// Its value
    #[arg(allow_negative_numbers = true)]
    pub(crate) value: String,
    /// Write it into this repository's redraft.toml, for everybody who works on it
    #[arg(long)]
    pub(crate) repo: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UnsetArgs {
    /// The setting, as in roles.default
    pub(crate) key: String,
    /// Take it out of this repository's redraft.toml
    #[arg(long)]
    pub(crate) repo: bool,
}
