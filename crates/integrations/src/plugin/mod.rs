//! Makes the files that `redraft plugin export` writes, so that Redraft can be used inside the tools in which people
//! work.
//!
//! [`files`] makes paths and texts from the role profiles and the texts below `texts/plugin`, the same bytes every
//! time; [`plan`] compares these with what an earlier export recorded and with what is on disk, and decides what is to
//! be done. Nothing here knows a machine, a user or a date, or touches a file. What roles are told is not written here:
//! it comes from [`redraft_prompts::prompt::lasting`], so a file and a prompt cannot say different things.

mod agents;
mod block;
mod claude;
mod codex;
mod commands;
mod inventory;
mod opencode;
mod plan;
#[cfg(test)]
mod tests;
mod words;

pub use block::{BadBlock, Edges};
pub use inventory::{BadInventory, INVENTORY, Inventory};
pub use opencode::{CONFIG as OPENCODE_CONFIG, SERVER as OPENCODE_SERVER};
pub use plan::{ExportRefused, ExportRefusedWhy, ExportStep, ExportStepKind, Kept, Plan, plan};

use redraft_facts::ids::Role;
use redraft_facts::prelude::*;
use redraft_roles::profile::RoleText;

/// The version of the program, which is that of what it exports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the MCP server, the plugin and the skill are called.
const NAME: &str = "redraft";

const AGENTS_MD: &str = include_str!("../../texts/plugin/agents-md.md");

/// The tool that files are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginTarget {
    /// A plugin of Claude Code, in a folder of its own.
    Claude,
    /// What Codex reads in a repository.
    Codex,
    /// What opencode reads in a repository.
    Opencode,
    /// A section of `AGENTS.md`, which many tools read.
    AgentsMd,
}

impl PluginTarget {
    pub const ALL: [PluginTarget; 4] =
        [PluginTarget::Claude, PluginTarget::Codex, PluginTarget::Opencode, PluginTarget::AgentsMd];

    pub fn name(self) -> &'static str {
        match self {
            PluginTarget::Claude => "claude",
            PluginTarget::Codex => "codex",
            PluginTarget::Opencode => "opencode",
            PluginTarget::AgentsMd => "agents-md",
        }
    }
}

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Below the folder, with slashes.
    pub path: String,
    pub text: String,
    pub form: OurShare,
}

/// How much of a file is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OurShare {
    /// All of it.
    Whole,
    /// All of it, unless somebody's own file says the same already.
    Unless(SaysAlready),
    /// What stands between two edges; the rest is somebody else's. Nothing is added where they say the same already.
    Block(&'static Edges, SaysAlready),
}

/// How to see that somebody's own file already says what ours would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaysAlready {
    Nothing,
    /// A table of TOML, `mcp_servers.redraft`, or one below it.
    Table(&'static str),
    /// A place in JSON, `/mcp/redraft`.
    Place(&'static str),
}

impl SaysAlready {
    fn is_said(self, text: &str) -> bool {
        match self {
            SaysAlready::Nothing => false,
            SaysAlready::Table(name) => text.lines().any(|line| {
                let plain: String =
                    line.chars().filter(|letter| !letter.is_whitespace() && *letter != '"').collect();
                let inside = plain.strip_prefix('[').and_then(|rest| rest.strip_prefix(name));
                inside.is_some_and(|rest| rest.starts_with(['.', ']']))
            }),
            SaysAlready::Place(place) => {
                let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
                value.is_some_and(|value| value.pointer(place).is_some())
            }
        }
    }
}

impl ExportFile {
    fn whole(path: impl Into<String>, text: impl Into<String>) -> ExportFile {
        ExportFile { path: path.into(), text: text.into(), form: OurShare::Whole }
    }
}

/// Every file of an export, ordered by path. `own` are texts of a repository that take the place of built-in ones.
pub fn files(target: PluginTarget, own: &BTreeMap<Role, RoleText>) -> Vec<ExportFile> {
    let mut files = match target {
        PluginTarget::Claude => claude::files(own),
        PluginTarget::Codex => codex::files(own),
        PluginTarget::Opencode => opencode::files(own),
        PluginTarget::AgentsMd => vec![agents_md()],
    };
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// The section for readers of `AGENTS.md`. It is the same for every target, so that several can share a repository.
fn agents_md() -> ExportFile {
    ExportFile {
        path: "AGENTS.md".to_owned(),
        text: block::marked(AGENTS_MD, &block::MARKDOWN),
        form: OurShare::Block(&block::MARKDOWN, SaysAlready::Nothing),
    }
}
