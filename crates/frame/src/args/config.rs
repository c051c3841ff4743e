//! The arguments of `redraft config`.

use super::help::{CONFIG_SET_HELP, CONFIG_UNSET_HELP};
use clap::{Args, Subcommand};

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
