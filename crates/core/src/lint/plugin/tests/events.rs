//! Hooks, their matchers and commands, and servers.

use super::*;

/// One group of an event on line 3.
fn hooks(event: &str, group: &str) -> String {
    format!("{{\"hooks\": {{\n\"{event}\": [\n{group}\n]}}}}")
}

#[track_caller]
fn check_hooks(event: &str, group: &str, expected: &[&str]) {
    check(&[("hooks/hooks.json", &hooks(event, group))], expected);
}

/// A matcher of an event whose command is fine.
#[track_caller]
fn check_matcher(event: &str, matcher: &str, expected: &[&str]) {
    let hook = "\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]";
    check_hooks(event, &format!("{{{matcher} {hook}}}"), expected);
}

#[track_caller]
fn check_command(command: &str, expected: &[&str]) {
    let hook = serde_json::json!({"type": "command", "command": command});
    check_hooks("Stop", &format!("{{\"hooks\": [{hook}]}}"), expected);
}

const HOOKS: &str = "hooks/hooks.json 3 plugin-hooks";

#[test]
fn hooks_have_the_form_that_is_read() {
    check(&[("hooks/hooks.json", "{\"hooks\": {\n,}}")], &["hooks/hooks.json 2 plugin-hooks"]);
    check(&[("hooks/hooks.json", "{\"Stop\": []}")], &["hooks/hooks.json 1 plugin-hooks"]);
    check(&[("hooks/hooks.json", "{\"hooks\": []}")], &["hooks/hooks.json 1 plugin-hooks"]);
    check(&[("hooks/hooks.json", "{\"hooks\": {\"Stop\": {}}}")], &["hooks/hooks.json 1 plugin-hooks"]);
    check(
        &[("hooks/hooks.json", "{\"hooks\": {\"Stop\": [],\n\"Stop\": []}}")],
        &["hooks/hooks.json 2 plugin-hooks"],
    );
    for group in [
        "{}",
        "{\"hooks\": {}}",
        "{\"hooks\": [{}]}",
        "{\"hooks\": [{\"type\": \"script\"}]}",
        "{\"hooks\": [{\"type\": \"command\"}]}",
        "{\"hooks\": [{\"type\": \"prompt\", \"command\": \"x\"}]}",
        "{\"hooks\": [{\"type\": \"http\"}]}",
        "{\"hooks\": [{\"type\": \"mcp_tool\", \"server\": \"a\"}]}",
        "{\"hooks\": [{\"type\": \"command\", \"command\": \"true\", \"timeout\": 0}]}",
        "{\"hooks\": [{\"type\": \"command\", \"command\": \"true\", \"timeout\": \"5\"}]}",
        "{\"matcher\": 3, \"hooks\": []}",
        "[]",
    ] {
        check_hooks("Stop", group, &[HOOKS]);
    }
    check_hooks("Stop", "{\"hooks\": [{\"type\": \"http\", \"url\": \"https://example.org\"}]}", &[]);
}

#[test]
fn an_event_that_does_not_exist_is_told_with_the_one_that_is_meant() {
    let text = hooks("SessionStrat", "{\"hooks\": []}");
    check(&[("hooks/hooks.json", &text)], &["hooks/hooks.json 2 plugin-hooks"]);
    let hint =
        super::super::check(&plugin(&[("hooks/hooks.json", &text)]), &Settings::default())[0].hint.clone();
    assert_eq!(hint, "`SessionStart` may be meant");
    for event in ["PostCompact", "UserPromptSubmit", "SubagentStop", "TaskCompleted"] {
        check_hooks(event, "{\"hooks\": []}", &[]);
    }
}

#[test]
fn hooks_in_the_manifest_and_in_skills_are_hooks_too() {
    let manifest =
        "{\"name\": \"tidy\", \"version\": \"1.0.0\", \"description\": \"d\",\n\"hooks\": {\"Stopp\": []}}";
    check(&[(MANIFEST, manifest)], &[".claude-plugin/plugin.json 2 plugin-hooks"]);
    let named =
        "{\"name\": \"tidy\", \"version\": \"1.0.0\", \"description\": \"d\", \"hooks\": \"./more.json\"}";
    check(&[(MANIFEST, named), ("more.json", "{\"hooks\": {\"Stopp\": []}}")], &["more.json 1 plugin-hooks"]);
    let skill = "---\nname: naming\ndescription: How things are named here, and when.\nhooks:\n  Stopp:\n    - hooks: []\n---\nx\n";
    check(&[("skills/naming/SKILL.md", skill)], &["skills/naming/SKILL.md 5 plugin-hooks"]);
}

#[test]
fn a_session_start_hook_does_not_run_after_compaction() {
    let fault = &["hooks/hooks.json 3 plugin-compact"];
    for matcher in [
        "\"matcher\": \"startup|resume|clear|compact\",",
        "\"matcher\": \"compact\",",
        "\"matcher\": \"startup, compact\",",
        "\"matcher\": \"\",",
        "\"matcher\": \"*\",",
        "\"matcher\": \".*\",",
        "\"matcher\": \"^(startup|com.*)$\",",
        "\"matcher\": \"[a-z]+\",",
        "",
    ] {
        check_matcher("SessionStart", matcher, fault);
    }
    for matcher in ["startup|resume|clear", "startup", "^(startup|resume|clear)$", "^(?!compact).*$"] {
        check_matcher("SessionStart", &format!("\"matcher\": \"{matcher}\","), &[]);
    }
    // Other events may run then: that is what they are for.
    check_matcher("PreCompact", "\"matcher\": \"*\",", &[]);
    check_matcher("PreCompact", "", &[]);
}

#[test]
fn a_matcher_matches_something_and_stands_where_it_is_looked_at() {
    let fault = &["hooks/hooks.json 3 plugin-matcher"];
    for (event, matcher) in [
        ("SessionStart", "startup|init"),
        ("PreCompact", "automatic"),
        ("Stop", "Bash"),
        ("UserPromptSubmit", ".+"),
        ("PreToolUse", "Write|Edti"),
        ("PreToolUse", "mcp__github"),
        ("PostToolUse", "(Write"),
    ] {
        check_matcher(event, &format!("\"matcher\": \"{matcher}\","), fault);
    }
    check_matcher("PreToolUse", "", fault);
    for (event, matcher) in [
        ("PreToolUse", "Write|Edit|MultiEdit"),
        ("PreToolUse", "*"),
        ("PostToolUse", "mcp__github__.*"),
        ("PreToolUse", "mcp__github__create_issue"),
        ("PreToolUse", "^Notebook"),
        ("Notification", "idle_prompt"),
        ("SubagentStop", "tidy:writer"),
        ("Stop", "*"),
    ] {
        check_matcher(event, &format!("\"matcher\": \"{matcher}\","), &[]);
    }
    check_matcher("SubagentStop", "", &[]);
}

#[test]
fn files_that_commands_name_are_there_and_can_be_started() {
    let fault = &["hooks/hooks.json 3 plugin-missing-file"];
    check_command("${CLAUDE_PLUGIN_ROOT}/scripts/none.sh", fault);
    check_command("bash -c '\"$CLAUDE_PLUGIN_ROOT\"/scripts/none.sh'", fault);
    // The page can be read and not be started.
    check_command("${CLAUDE_PLUGIN_ROOT}/skills/naming/references/more.md", fault);
    check_command("A=1 && ${CLAUDE_PLUGIN_ROOT}/skills/naming/references/more.md", fault);
    for fine in [
        "cat \"${CLAUDE_PLUGIN_ROOT}/skills/naming/references/more.md\"",
        "[ -f ${CLAUDE_PLUGIN_ROOT}/none.sh ] && ${CLAUDE_PLUGIN_ROOT}/none.sh",
        "node \"${CLAUDE_PLUGIN_ROOT}\"/scripts/run.sh \"${CLAUDE_PLUGIN_ROOT}/scripts\"",
        "${CLAUDE_PLUGIN_ROOT}/$NAME.sh",
    ] {
        check_command(fine, &[]);
    }
    let told = "{\"hooks\": [{\"type\": \"command\", \"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/none.js\"]}]}";
    check_hooks("Stop", told, fault);
}

#[test]
fn paths_that_lead_out_of_the_plugin_are_told() {
    let fault = &["hooks/hooks.json 3 plugin-outside"];
    for out in [
        "/home/jo/hook.sh",
        "python3 ~/hooks/a.py",
        "./scripts/run.sh",
        "bash scripts/run.sh",
        "node ../other/x.js",
        "${CLAUDE_PLUGIN_ROOT}/../other/x.sh",
    ] {
        check_command(out, fault);
    }
    for fine in [
        "/usr/bin/env node -e 'x'",
        "echo a > /dev/null",
        "${CLAUDE_PROJECT_DIR}/check.sh",
        "git log --format=%h -- src/main.rs",
        "node -e 'run()' scripts/run.sh",
        "sed -e s/a/b/ x",
    ] {
        check_command(fine, &[]);
    }
}

#[test]
fn servers_have_a_program_or_an_address() {
    let servers = |server: &str| format!("{{\"mcpServers\": {{\n\"docs\": {server}}}}}");
    for server in [
        "\"node\"",
        "{}",
        "{\"command\": \"\"}",
        "{\"url\": \"https://example.org\"}",
        "{\"type\": \"http\"}",
        "{\"type\": \"carrier-pigeon\", \"url\": \"x\"}",
        "{\"command\": \"node\", \"args\": \"x\"}",
        "{\"command\": \"node\", \"args\": [1]}",
        "{\"command\": \"node\", \"env\": {\"PORT\": 1}}",
    ] {
        check(&[(".mcp.json", &servers(server))], &[".mcp.json 2 plugin-server"]);
    }
    check(&[(".mcp.json", "{\"mcpServers\": []}")], &[".mcp.json 1 plugin-server"]);
    check(&[(".mcp.json", "{")], &[".mcp.json 1 plugin-server"]);
    check(
        &[(".mcp.json", &servers("{\"command\": \"${CLAUDE_PLUGIN_ROOT}/none\"}"))],
        &[".mcp.json 2 plugin-missing-file"],
    );
    check(
        &[(".mcp.json", &servers("{\"command\": \"node\", \"args\": [\"./scripts/run.sh\"]}"))],
        &[".mcp.json 2 plugin-outside"],
    );
    // Without the object around them.
    check(
        &[(
            ".mcp.json",
            "{\"docs\": {\"command\": \"redraft\", \"args\": [\"mcp\"], \"env\": {\"A\": \"1\"}}}",
        )],
        &[],
    );
}
