//! The arguments of `redraft plugin`.

use clap::{Args, Subcommand, ValueEnum};
use redraft_integrations::plugin;
use std::path::PathBuf;

pub(super) const PLUGIN_HELP: &str = "\
Examples:
  redraft plugin export ~/redraft-plugin          a plugin for Claude Code
  redraft plugin export . --target codex          what Codex reads in this repository

Exit codes: 0 written, 1 edited files were not replaced, 2 usage; more in `redraft help plugin export`";

pub(super) const PLUGIN_EXPORT_HELP: &str = "\
Examples:
  redraft plugin export ~/redraft-plugin          a plugin for Claude Code
  claude --plugin-dir ~/redraft-plugin            use it
  redraft plugin export . --target codex          agents, a skill and the MCP server, in this repository
  redraft plugin export . --target opencode       the same, with commands
  redraft plugin export . --target agents-md      a section of AGENTS.md
  redraft plugin export ~/redraft-plugin --replace --dry-run

Exporting again updates the files. A file that you edited is not replaced, and its name is shown; --replace \
replaces it and keeps yours as NAME.mine. Files that redraft did not export are replaced only with --replace. In \
AGENTS.md and .codex/config.toml, only the part between `redraft:begin` and `redraft:end` is changed. More: \
docs/plugin.md.

Exit codes: 0 exported, 1 edited files were not replaced, 2 something is in the way, 3 the folder cannot be read or \
written, 7 a file changed meanwhile";

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Write the files that let Claude Code, Codex, opencode or others work for Redraft
    #[command(after_help = PLUGIN_EXPORT_HELP)]
    Export(ExportArgs),
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Where to write them: a separate folder for claude, the top folder of a repository for the others
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The tool to export for
    #[arg(long, value_enum, value_name = "TOOL", default_value = "claude")]
    pub target: ExportTarget,
    /// Also replace files that were edited or not exported by redraft; the old ones are kept as NAME.mine
    #[arg(long)]
    pub replace: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Take descriptions, tools and models from the role texts of this repository (.redraft/agents)
    #[arg(long)]
    pub own_roles: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportTarget {
    /// A plugin for Claude Code
    Claude,
    /// Agents, skill, MCP server and AGENTS.md for Codex
    Codex,
    /// Agents, commands, skill, MCP server and AGENTS.md for opencode
    Opencode,
    /// A section of AGENTS.md and nothing else
    AgentsMd,
}

impl From<ExportTarget> for plugin::PluginTarget {
    fn from(target: ExportTarget) -> Self {
        match target {
            ExportTarget::Claude => plugin::PluginTarget::Claude,
            ExportTarget::Codex => plugin::PluginTarget::Codex,
            ExportTarget::Opencode => plugin::PluginTarget::Opencode,
            ExportTarget::AgentsMd => plugin::PluginTarget::AgentsMd,
        }
    }
}
