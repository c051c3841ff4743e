//! Makes what Codex reads in a repository: agents, the skill, a section of `AGENTS.md`, and the MCP server in its
//! configuration.

use super::agents::{Agent, agents};
use super::block::{TOML, marked};
use super::words::{Names, quoted, toml_lines};
use super::{ExportFile, OurShare, SaysAlready, agents_md, claude};
use redraft_facts::ids::Role;
use redraft_facts::prelude::*;
use redraft_roles::profile::RoleText;

/// All names in a repository share one namespace, so ours begin with `redraft-`.
pub(super) const NAMES: Names = Names { skill: "redraft", agent: "redraft-", command: "/redraft-" };

const SERVER: &str = "[mcp_servers.redraft]\ncommand = \"redraft\"\nargs = [\"mcp\"]\n";

pub(super) fn files(own: &BTreeMap<Role, RoleText>) -> Vec<ExportFile> {
    let mut files = vec![
        agents_md(),
        shared_skill(),
        ExportFile {
            path: ".codex/config.toml".to_owned(),
            text: marked(SERVER, &TOML),
            // A second table of this name would spoil the file.
            form: OurShare::Block(&TOML, SaysAlready::Table("mcp_servers.redraft")),
        },
    ];
    files.extend(agents(own).iter().map(agent));
    files
}

/// Read by Codex, opencode and others; the same for all of them.
pub(super) fn shared_skill() -> ExportFile {
    ExportFile::whole(".agents/skills/redraft/SKILL.md", claude::skill(&NAMES))
}

/// A model that a repository's own text asks for is not one of Codex's, so the user's choice holds.
fn agent(agent: &Agent) -> ExportFile {
    let name = format!("{}{}", NAMES.agent, agent.name);
    let sandbox = if agent.writes() { "workspace-write" } else { "read-only" };
    let text = format!(
        "name = {}\ndescription = {}\nsandbox_mode = \"{sandbox}\"\ndeveloper_instructions = {}\n",
        quoted(&name),
        quoted(&agent.description),
        toml_lines(&format!("{}\n", agent.body.trim())),
    );
    ExportFile::whole(format!(".codex/agents/{name}.toml"), text)
}
