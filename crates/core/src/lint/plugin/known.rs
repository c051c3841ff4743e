//! What Claude Code knows: tools, models, events, fields. As of version 2.1.
//!
//! Tables and nothing else; which rule uses them is decided elsewhere. Names that left Claude Code are still here where
//! it goes on to accept them, because plugins have to work with older versions too.

use crate::prelude::*;

/// Built-in tools, and names they once had.
const TOOLS: [&str; 66] = [
    "Agent",
    "AgentOutput",
    "AgentOutputTool",
    "Artifact",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "BashOutputTool",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillBash",
    "KillShell",
    "LS",
    "LSP",
    "ListAgents",
    "ListMcpResources",
    "ListMcpResourcesTool",
    "ListPeers",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "PushNotification",
    "REPL",
    "Read",
    "ReadMcpResource",
    "ReadMcpResourceDir",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "SendUserFile",
    "SendUserMessage",
    "ShareOnboardingGuide",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TeamCreate",
    "TeamDelete",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WaitForMcpServers",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// What changes a file.
pub(super) const WRITING: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Agents that are always there.
const AGENTS: [&str; 9] = [
    "general-purpose",
    "Explore",
    "explore",
    "Plan",
    "plan",
    "Bash",
    "claude-code-guide",
    "statusline-setup",
    "output-style-setup",
];

const MODELS: [&str; 8] = ["inherit", "default", "sonnet", "opus", "haiku", "fable", "best", "opusplan"];

/// An event of a session that hooks can wait for.
pub(super) struct HookEvent {
    pub(super) name: &'static str,
    pub(super) matches: Matches,
}

/// What a matcher of an event is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matches {
    Nothing,
    Tool,
    /// One of these words.
    Words(&'static [&'static str]),
    /// Words that are not all known.
    Other,
}

const EVENTS: [HookEvent; 30] = [
    event("PreToolUse", Matches::Tool),
    event("PostToolUse", Matches::Tool),
    event("PostToolUseFailure", Matches::Tool),
    event("PostToolBatch", Matches::Nothing),
    event("PermissionRequest", Matches::Tool),
    event("PermissionDenied", Matches::Tool),
    event("Notification", Matches::Other),
    event("UserPromptSubmit", Matches::Nothing),
    event("UserPromptExpansion", Matches::Other),
    event(SESSION_START, Matches::Words(&["startup", "resume", "clear", COMPACT])),
    event("SessionEnd", Matches::Other),
    event("Stop", Matches::Nothing),
    event("StopFailure", Matches::Other),
    event("SubagentStart", Matches::Other),
    event("SubagentStop", Matches::Other),
    event("PreCompact", Matches::Words(&["manual", "auto"])),
    event("PostCompact", Matches::Words(&["manual", "auto"])),
    event("Setup", Matches::Words(&["init", "maintenance"])),
    event("TeammateIdle", Matches::Nothing),
    event("TaskCreated", Matches::Nothing),
    event("TaskCompleted", Matches::Nothing),
    event("Elicitation", Matches::Other),
    event("ElicitationResult", Matches::Other),
    event("ConfigChange", Matches::Other),
    event("WorktreeCreate", Matches::Nothing),
    event("WorktreeRemove", Matches::Nothing),
    event("InstructionsLoaded", Matches::Other),
    event("CwdChanged", Matches::Nothing),
    event("FileChanged", Matches::Other),
    event("MessageDisplay", Matches::Nothing),
];

pub(super) const SESSION_START: &str = "SessionStart";
pub(super) const COMPACT: &str = "compact";

const fn event(name: &'static str, matches: Matches) -> HookEvent {
    HookEvent { name, matches }
}

pub(super) const AGENT_FIELDS: [&str; 16] = [
    "name",
    "description",
    "model",
    "tools",
    "disallowedTools",
    "color",
    "effort",
    "permissionMode",
    "mcpServers",
    "hooks",
    "maxTurns",
    "skills",
    "initialPrompt",
    "memory",
    "background",
    "isolation",
];

/// Read for agents of a user or a project; of a plugin's they are not, because whoever installs it has not seen them.
pub(super) const AGENT_FIELDS_IGNORED: [&str; 3] = ["hooks", "mcpServers", "permissionMode"];

/// Of skills, and of commands, which are read the same way.
pub(super) const SKILL_FIELDS: [&str; 26] = [
    "name",
    "description",
    "model",
    "allowed-tools",
    "disallowed-tools",
    "disallowedTools",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "effort",
    "shell",
    "version",
    "when_to_use",
    "paths",
    "hooks",
    "context",
    "agent",
    "license",
    "compatibility",
    "metadata",
    "author",
    "homepage",
    "repository",
    "keywords",
    "hide-from-slash-command-tool",
];

pub(super) const MANIFEST_FIELDS: [&str; 27] = [
    "$schema",
    "name",
    "displayName",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "defaultEnabled",
    "dependencies",
    "commands",
    "agents",
    "skills",
    "hooks",
    "mcpServers",
    "lspServers",
    "outputStyles",
    "themes",
    "workflows",
    "monitors",
    "channels",
    "settings",
    "userConfig",
    "experimental",
    "evals",
];

pub(super) fn is_tool(name: &str) -> bool {
    TOOLS.contains(&name) || name.starts_with("mcp__")
}

pub(super) fn nearest_tool(name: &str) -> Option<&'static str> {
    nearest(name, &TOOLS)
}

pub(super) fn is_agent(name: &str) -> bool {
    AGENTS.contains(&name)
}

/// An alias, or the id of a Claude model, which may have the name of a provider before it.
pub(super) fn is_model(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let bare = name.strip_suffix("[1m]").unwrap_or(&name);
    MODELS.contains(&bare) || bare.contains("claude-")
}

pub(super) fn models() -> String {
    MODELS.join(", ")
}

pub(super) fn hook_event(name: &str) -> Option<&'static HookEvent> {
    static ALL: [HookEvent; 30] = EVENTS;
    ALL.iter().find(|event| event.name == name)
}

pub(super) fn nearest_event(name: &str) -> Option<&'static str> {
    nearest(name, &EVENTS.map(|event| event.name))
}

/// What somebody probably meant: the same letters written another way, or one or two letters off.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    const LETTERS_OFF_MAX: usize = 2;
    let bare = |word: &str| word.replace(['-', '_'], "").to_lowercase();
    let wanted = bare(word);
    // What is much longer or shorter is something else, and not worth comparing.
    let similar = known.iter().filter(|one| one.len().abs_diff(word.len()) <= 2 * LETTERS_OFF_MAX);
    let best = similar.map(|one| (apart(&wanted, &bare(one)), *one)).min_by_key(|(off, _)| *off)?;
    let enough = best.0 <= LETTERS_OFF_MAX && best.0 * 2 <= wanted.chars().count();
    enough.then_some(best.1)
}

/// How many letters have to be changed, added or taken away.
fn apart(a: &str, b: &str) -> usize {
    const CHARS_MAX: usize = 60;
    let b: Vec<char> = b.chars().take(CHARS_MAX).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().take(CHARS_MAX).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let changed = diagonal + usize::from(c != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Lower case letters and digits with single hyphens between.
pub(super) fn is_kebab(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    name.split('-').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_found_by_its_letters() {
        assert_eq!(nearest_tool("Raed"), Some("Read"));
        assert_eq!(nearest_tool("read"), Some("Read"));
        assert_eq!(nearest_tool("Frobnicate"), None);
        assert_eq!(nearest_event("SessionStrat"), Some("SessionStart"));
        assert_eq!(nearest("allowedTools", &SKILL_FIELDS), Some("allowed-tools"));
        assert_eq!(nearest("x", &["y"]), None, "another letter is another word");
    }

    #[test]
    fn models_are_aliases_or_ids_of_claude() {
        for model in [
            "opus",
            "Sonnet",
            "opus[1m]",
            "inherit",
            "claude-sonnet-5-5",
            "us.anthropic.claude-opus-4-8-v1:0",
        ] {
            assert!(is_model(model), "{model}");
        }
        for model in ["gpt-7", "sonet", "", "claude"] {
            assert!(!is_model(model), "{model}");
        }
    }

    #[test]
    fn kebab_case_has_single_hyphens_between_lower_case_words() {
        assert!(["a", "a-b2", "3d"].iter().all(|name| is_kebab(name)));
        assert!(["", "-a", "a--b", "A", "a_b", "a b", "ä"].iter().all(|name| !is_kebab(name)));
    }
}
