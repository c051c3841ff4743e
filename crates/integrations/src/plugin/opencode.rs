//! Makes what opencode reads in a repository: agents, commands, the skill, a section of `AGENTS.md`, and the MCP server
//! in the configuration of its own folder, so that a repository's `opencode.json` is left alone.

use super::agents::{Agent, agents};
use super::codex::{NAMES, shared_skill};
use super::commands::{Command, commands};
use super::words::{quoted, with_front_matter};
use super::{ExportFile, OurShare, SaysAlready, agents_md};
use redraft_facts::ids::Role;
use redraft_facts::prelude::*;
use redraft_roles::profile::RoleText;

/// Our own file, next to the one that people write.
pub const CONFIG: &str = ".opencode/opencode.json";
/// The server, as a line of somebody's own configuration.
pub const SERVER: &str = r#""redraft": {"type": "local", "command": ["redraft", "mcp"], "enabled": true}"#;

pub(super) fn files(own: &BTreeMap<Role, RoleText>) -> Vec<ExportFile> {
    let config = format!(
        "{{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {{\n    {SERVER}\n  }}\n}}\n"
    );
    let mut files = vec![
        agents_md(),
        shared_skill(),
        ExportFile {
            path: CONFIG.to_owned(),
            text: config,
            form: OurShare::Unless(SaysAlready::Place("/mcp/redraft")),
        },
    ];
    files.extend(agents(own).iter().map(agent));
    files.extend(commands(&NAMES).iter().map(command));
    files
}

/// Lists only what a role may not do: what it may do is up to the user's own settings.
fn agent(agent: &Agent) -> ExportFile {
    let denied = [
        ("edit", agent.writes()),
        ("bash", agent.has("Run")),
        ("glob", agent.has("Glob")),
        ("grep", agent.has("Grep")),
        ("list", agent.has("Glob")),
        ("webfetch", agent.has("WebSearch")),
        ("websearch", agent.has("WebSearch")),
        // The agent that started it submits its answer, and it starts no other agent.
        ("task", false),
        ("skill", false),
        ("\"redraft_*\"", false),
    ];
    let denied = denied.iter().filter(|(_, may)| !may).map(|(name, _)| format!("\n  {name}: deny"));
    let mut fields = vec![
        ("description", quoted(&agent.description)),
        ("mode", "subagent".to_owned()),
        ("permission", denied.collect::<String>()),
    ];
    if let Some(model) = agent.model.as_ref().filter(|model| model.contains('/')) {
        fields.push(("model", quoted(model)));
    }
    let path = format!(".opencode/agents/{}{}.md", NAMES.agent, agent.name);
    ExportFile::whole(path, with_front_matter(&fields, &agent.body))
}

fn command(command: &Command) -> ExportFile {
    let fields = [("description", quoted(&command.description))];
    let path = format!(".opencode/commands/redraft-{}.md", command.name);
    ExportFile::whole(path, with_front_matter(&fields, &command.body))
}
