//! Makes a plugin of Claude Code: manifest, marketplace of one, agents, commands, skill, hooks and the MCP server.

use super::agents::{Agent, agents};
use super::commands::{Command, commands};
use super::words::{Names, quoted, with_front_matter};
use super::{ExportFile, NAME, VERSION};
use redraft_facts::ids::Role;
use redraft_facts::prelude::*;
use redraft_roles::profile::RoleText;
use serde_json::{Value, json};

const SKILL: &str = include_str!("../../texts/plugin/skill.md");
const README: &str = include_str!("../../texts/plugin/readme.md");
pub(super) const SKILL_IS_FOR: &str = "Take a feature from an idea to reviewed code with Redraft: get the next piece of \
     work, do it in a fresh subagent, hand its answer in. Use when Redraft, a feature of it or one of its phases is \
     mentioned.";
const ABOUT: &str =
    "Takes a feature from an idea to reviewed code: drafted, reviewed and redrafted until approved";

/// Names of a plugin's parts begin with its own.
const NAMES: Names = Names { skill: "redraft:redraft", agent: "redraft:", command: "/redraft:" };

/// How Claude Code calls the tools of a plugin's MCP server.
const TOOLS: &str = "mcp__plugin_redraft_redraft__";

/// Seconds a hook may take. Ours need a few milliseconds; even a machine under load must not hold up a session for
/// long.
const HOOK_SECONDS: u64 = 10;

pub(super) fn files(own: &BTreeMap<Role, RoleText>) -> Vec<ExportFile> {
    let mut files = vec![
        ExportFile::whole(".claude-plugin/plugin.json", pretty(&manifest())),
        ExportFile::whole(".claude-plugin/marketplace.json", pretty(&marketplace())),
        ExportFile::whole(".mcp.json", pretty(&server())),
        ExportFile::whole("hooks/hooks.json", pretty(&hooks())),
        ExportFile::whole("README.md", NAMES.fill(README)),
        ExportFile::whole("skills/redraft/SKILL.md", skill(&NAMES)),
    ];
    files.extend(agents(own).iter().map(agent));
    files.extend(commands(&NAMES).iter().map(command));
    files
}

/// The skill, with agents and commands as a tool calls them.
pub(super) fn skill(names: &Names) -> String {
    let fields = [("name", NAME.to_owned()), ("description", quoted(SKILL_IS_FOR))];
    with_front_matter(&fields, &names.fill(SKILL))
}

pub(super) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

fn manifest() -> Value {
    json!({
        "name": NAME,
        "version": VERSION,
        "description": ABOUT,
        "author": {"name": "Redraft"},
        "license": "MIT OR Apache-2.0",
        "keywords": ["specification", "design", "review", "workflow"],
    })
}

/// A folder with this file can be added as a marketplace, which is how a plugin is installed permanently.
fn marketplace() -> Value {
    json!({
        "name": NAME,
        "owner": {"name": "Redraft"},
        "metadata": {"description": ABOUT},
        "plugins": [{"name": NAME, "source": "./", "description": ABOUT}],
    })
}

fn server() -> Value {
    json!({"mcpServers": {NAME: {"command": "redraft", "args": ["mcp"]}}})
}

fn hooks() -> Value {
    // Our hooks answer on stdout, with code 0. Claude Code takes code 2 for a refusal, and a program that does not know
    // the word ends with that code: one older than the plugin would refuse every edit and let no session stop.
    let run = |what: &str| {
        let command = format!("redraft hook {what} || true");
        json!([{"type": "command", "command": command, "timeout": HOOK_SECONDS}])
    };
    json!({
        "description": "Says where a feature stands when a session begins, keeps hands off Redraft's own files, reminds of owed work",
        "hooks": {
            // Never after a compaction: the summary already has it, and repeating it would undo what was saved.
            "SessionStart": [{"matcher": "startup|resume|clear", "hooks": run("session-start")}],
            "PreToolUse": [{"matcher": "Edit|Write|MultiEdit|NotebookEdit|Bash", "hooks": run("pre-tool-use")}],
            "Stop": [{"hooks": run("stop")}],
        },
    })
}

fn agent(agent: &Agent) -> ExportFile {
    let tools: Vec<&str> = agent.tools.iter().map(|tool| called(tool)).collect();
    let fields = [
        ("name", agent.name.clone()),
        ("description", quoted(&agent.description)),
        ("tools", tools.join(", ")),
        ("model", agent.model.clone().unwrap_or_else(|| "inherit".to_owned())),
    ];
    ExportFile::whole(format!("agents/{}.md", agent.name), with_front_matter(&fields, &agent.body))
}

/// What Claude Code calls a tool of a profile.
fn called(tool: &str) -> &str {
    match tool {
        "Run" => "Bash",
        tool => tool,
    }
}

fn command(command: &Command) -> ExportFile {
    let tools = command.tools.iter().map(|tool| format!("{TOOLS}{tool}"));
    let runs = command.runs.map(|runs| format!("Bash({runs}:*)"));
    let allowed: Vec<String> = tools.chain(runs).collect();
    let fields = [
        ("description", quoted(&command.description)),
        ("argument-hint", quoted(command.arguments)),
        ("allowed-tools", allowed.join(", ")),
    ];
    ExportFile::whole(format!("commands/{}.md", command.name), with_front_matter(&fields, &command.body))
}
