mod deciding;

use super::agents::agents;
use super::*;
use redraft_facts::phase::Phase;
use redraft_roles::profile;

fn built_in(target: PluginTarget) -> Vec<ExportFile> {
    files(target, &BTreeMap::new())
}

fn text(target: PluginTarget, path: &str) -> String {
    let files = built_in(target);
    let found = files.iter().find(|file| file.path == path);
    found.unwrap_or_else(|| panic!("no {path} among {:?}", paths(&files))).text.clone()
}

fn paths(files: &[ExportFile]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

/// The value of a field in the front matter.
fn field(text: &str, key: &str) -> String {
    let matter = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
    let line = matter.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
    line.unwrap_or_else(|| panic!("no {key} in {matter}")).to_owned()
}

#[test]
fn the_same_files_are_made_every_time_in_order_of_their_paths() {
    for target in PluginTarget::ALL {
        let files = built_in(target);
        assert_eq!(files, built_in(target));
        assert!(files.windows(2).all(|pair| pair[0].path < pair[1].path), "{:?}", paths(&files));
    }
}

#[test]
fn nothing_is_left_to_be_filled_in_and_nothing_of_an_example_or_a_machine_gets_in() {
    for file in PluginTarget::ALL.into_iter().flat_map(built_in) {
        for word in ["{{", "}}", "/home/", "/tmp/", "/Users/", "031", "rate limit", "Rate Limit", "2026"] {
            assert!(!file.text.contains(word), "{} has {word}", file.path);
        }
        assert!(file.text.ends_with('\n') && !file.text.ends_with("\n\n"), "{}", file.path);
    }
}

#[test]
fn every_role_has_a_file_in_every_tool_that_has_agents() {
    for role in profile::roles() {
        for (target, path) in [
            (PluginTarget::Claude, format!("agents/{role}.md")),
            (PluginTarget::Codex, format!(".codex/agents/redraft-{role}.toml")),
            (PluginTarget::Opencode, format!(".opencode/agents/redraft-{role}.md")),
        ] {
            let text = text(target, &path);
            assert!(text.contains(&format!("You are the role `{role}` of Redraft.")), "{path}");
        }
    }
}

#[test]
fn an_agent_is_told_only_what_its_prompts_do_not_tell_it() {
    for agent in agents(&BTreeMap::new()) {
        assert!(agent.body.len() < 2_000, "{}: {} bytes", agent.name, agent.body.len());
        for profile in profile::all().filter(|profile| agent.name.starts_with(profile.role)) {
            let heading = profile.rubric.lines().next().unwrap();
            for part in [heading, profile.checklist.trim(), profile.coda] {
                assert!(!agent.body.contains(part), "{} repeats {part}", agent.name);
            }
        }
        let looks_outside = agent.has("WebSearch");
        assert_eq!(agent.body.contains("## Tool Fallback"), looks_outside, "{}", agent.name);
        let unable = agent.body.contains("Unable to verify — external tools unavailable");
        assert_eq!(unable, looks_outside && !agent.writes(), "{}", agent.name);
        let assumes = agent.body.contains("stands in your document as an assumption");
        assert_eq!(assumes, looks_outside && agent.writes(), "{}", agent.name);
    }
}

#[test]
fn who_thinks_of_tests_can_only_open_what_it_is_told_to() {
    let outline = text(PluginTarget::Claude, "agents/test-deepener-outline.md");
    assert_eq!(field(&outline, "tools"), "Read");
    let opencode = text(PluginTarget::Opencode, ".opencode/agents/redraft-test-deepener-outline.md");
    for tool in ["edit", "bash", "glob", "grep", "list", "webfetch"] {
        assert!(opencode.contains(&format!("\n  {tool}: deny\n")), "{opencode}");
    }
    let skill = text(PluginTarget::Claude, "skills/redraft/SKILL.md");
    assert!(skill.contains("`redraft:test-deepener-outline`"));
}

#[test]
fn tools_are_those_of_the_profiles_in_the_words_of_the_tool() {
    const LOOKING_UP: &str =
        "Read, Glob, Grep, WebSearch, mcp__context7__resolve-library-id, mcp__context7__query-docs";
    for (role, tools) in [
        ("security-reviewer", LOOKING_UP),
        ("implementation-reviewer", LOOKING_UP),
        ("spec-reviewer", LOOKING_UP),
        ("phase-reviewer", "Read, Glob, Grep"),
        ("plan-author", "Read, Glob, Grep, Write, Edit"),
        (
            "spec-author",
            "Read, Glob, Grep, Write, Edit, WebSearch, mcp__context7__resolve-library-id, mcp__context7__query-docs",
        ),
        ("implementer", "Read, Glob, Grep, Write, Edit, Bash"),
    ] {
        let text = text(PluginTarget::Claude, &format!("agents/{role}.md"));
        assert_eq!(field(&text, "tools"), tools, "{role}");
        assert_eq!((field(&text, "name").as_str(), field(&text, "model").as_str()), (role, "inherit"));
    }
    for agent in agents(&BTreeMap::new()) {
        assert_eq!(
            agent.writes(),
            !agent.name.ends_with("-reviewer") && !READERS.contains(&agent.name.as_str())
        );
        let codex = text(PluginTarget::Codex, &format!(".codex/agents/redraft-{}.toml", agent.name));
        let sandbox = if agent.writes() { "workspace-write" } else { "read-only" };
        assert!(codex.contains(&format!("\nsandbox_mode = \"{sandbox}\"\n")), "{}", agent.name);
    }
}

/// Roles that neither judge nor write.
const READERS: [&str; 2] = ["retro-facilitator", "test-deepener-outline"];

#[test]
fn a_session_is_told_where_things_stand_but_never_after_a_compaction() {
    let hooks: serde_json::Value =
        serde_json::from_str(&text(PluginTarget::Claude, "hooks/hooks.json")).unwrap();
    let hooks = hooks["hooks"].as_object().unwrap();
    assert_eq!(hooks.keys().collect::<Vec<_>>(), ["PreToolUse", "SessionStart", "Stop"]);
    assert_eq!(hooks["SessionStart"][0]["matcher"], "startup|resume|clear");
    assert_eq!(hooks["PreToolUse"][0]["matcher"], "Edit|Write|MultiEdit|NotebookEdit|Bash");
    let run = |event: &str| hooks[event][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    assert_eq!(run("SessionStart"), "redraft hook session-start || true");
    assert_eq!(run("PreToolUse"), "redraft hook pre-tool-use || true");
    assert_eq!(run("Stop"), "redraft hook stop || true");
    for file in built_in(PluginTarget::Claude).iter().filter(|file| file.path.ends_with(".json")) {
        assert!(!file.text.contains("compact"), "{}", file.path);
    }
}

#[test]
fn the_plugin_has_the_programs_version_and_its_server() {
    let read = |path: &str| -> serde_json::Value {
        serde_json::from_str(&text(PluginTarget::Claude, path)).unwrap()
    };
    let manifest = read(".claude-plugin/plugin.json");
    assert_eq!((manifest["name"].as_str(), manifest["version"].as_str()), (Some("redraft"), Some(VERSION)));
    assert_eq!(read(".claude-plugin/marketplace.json")["plugins"][0]["name"], manifest["name"]);
    let server = serde_json::json!({"command": "redraft", "args": ["mcp"]});
    assert_eq!(read(".mcp.json")["mcpServers"]["redraft"], server);
}

#[test]
fn there_is_a_command_for_every_phase_and_none_may_decide_without_asking() {
    let files = built_in(PluginTarget::Claude);
    let commands: Vec<&str> =
        paths(&files).iter().filter_map(|path| path.strip_prefix("commands/")?.strip_suffix(".md")).collect();
    for phase in Phase::ALL {
        assert!(commands.contains(&phase.name()), "{commands:?}");
    }
    assert_eq!(commands.len(), Phase::ALL.len() + 5);
    for name in commands {
        let text = text(PluginTarget::Claude, &format!("commands/{name}.md"));
        let allowed = field(&text, "allowed-tools");
        assert!(allowed.contains("mcp__plugin_redraft_redraft__status"), "{name}: {allowed}");
        assert!(!allowed.contains("decide") && !allowed.contains("trust"), "{name}: {allowed}");
        assert!(!allowed.contains("Bash(redraft:*)") && !allowed.contains("Bash,"), "{name}: {allowed}");
        assert!(!field(&text, "argument-hint").is_empty() && !field(&text, "description").is_empty());
        assert!(text.lines().count() < 40 && text.contains("$ARGUMENTS"), "{name}");
        assert!(
            self::text(PluginTarget::Opencode, &format!(".opencode/commands/redraft-{name}.md"))
                .contains("$ARGUMENTS")
        );
    }
}

/// The name of the agent, command or skill that a file is.
fn part(path: &str) -> Option<&str> {
    let path = path.strip_suffix(".md")?;
    let name = path.strip_prefix("agents/").or_else(|| path.strip_prefix("commands/"));
    name.or_else(|| path.strip_prefix("skills/")?.strip_suffix("/SKILL"))
}

#[test]
fn what_the_plugin_calls_by_its_own_name_is_in_it() {
    let files = built_in(PluginTarget::Claude);
    let parts: BTreeSet<&str> = paths(&files).into_iter().filter_map(part).collect();
    let mut called = BTreeSet::new();
    for file in &files {
        for (at, mark) in file.text.match_indices("redraft:") {
            let rest = &file.text[at + mark.len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
            // `redraft:ROLE` stands for any of them.
            called.extend(Some(&rest[..end]).filter(|name| !name.is_empty() && *name != "ROLE"));
        }
    }
    assert_eq!(called.difference(&parts).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(called.len() > 5, "{called:?}");
    for file in files.iter().filter(|file| file.path.starts_with("agents/")) {
        assert_eq!(format!("agents/{}.md", field(&file.text, "name")), file.path);
    }
}

#[test]
fn the_skill_is_short_and_says_what_every_state_and_refusal_means() {
    for (target, path, agent) in [
        (PluginTarget::Claude, "skills/redraft/SKILL.md", "`redraft:ROLE`"),
        (PluginTarget::Codex, ".agents/skills/redraft/SKILL.md", "`redraft-ROLE`"),
    ] {
        let skill = text(target, path);
        assert!(skill.lines().count() < 120, "{} lines", skill.lines().count());
        assert!(skill.contains(agent), "{path}");
        assert!(skill.contains("`kept` with every `next`"), "a conversation that goes on is sent less");
        for state in ["work", "decide", "wait", "held", "done", "stopped"] {
            assert!(skill.contains(&format!("\n| `{state}` | ")), "{state}");
        }
        for refusal in ["stale", "repeated", "unknown", "expired", "same_hand"] {
            assert!(skill.contains(&format!("`{refusal}`")), "{refusal}");
        }
        for file in redraft_reports::projections::FILES {
            assert!(skill.contains(file), "{file}");
        }
        for tool in ["status", "next", "submit", "decide", "findings", "context", "cost", "lint"] {
            assert!(skill.contains(&format!("`{tool}`")), "{tool}");
        }
    }
    let section = text(PluginTarget::AgentsMd, "AGENTS.md");
    assert!(
        section.lines().count() < 25 && section.contains("No conversation reviews what it wrote"),
        "{section}"
    );
}

#[test]
fn tools_that_share_a_repository_share_files_of_the_same_bytes() {
    let (codex, opencode) = (built_in(PluginTarget::Codex), built_in(PluginTarget::Opencode));
    let shared: Vec<&ExportFile> =
        codex.iter().filter(|file| paths(&opencode).contains(&file.path.as_str())).collect();
    assert_eq!(
        shared.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        [".agents/skills/redraft/SKILL.md", "AGENTS.md"]
    );
    for file in shared {
        assert_eq!(file.text, text(PluginTarget::Opencode, &file.path), "{}", file.path);
    }
    assert_eq!(text(PluginTarget::AgentsMd, "AGENTS.md"), text(PluginTarget::Codex, "AGENTS.md"));
}

#[test]
fn a_repositorys_own_text_takes_the_place_of_the_built_in_one() {
    let role = Role::new("implementer");
    let text = "---\ndescription: Does it our way.\ntools: Read, Edit, Bash\nmodel: opus\n---\n# Our Way\n\nDo it.\n'''\n";
    let own = BTreeMap::from([(role.clone(), RoleText::parse(text, &role).unwrap())]);
    let files = files(PluginTarget::Claude, &own);
    let agent = &files.iter().find(|file| file.path == "agents/implementer.md").unwrap().text;
    assert_eq!(field(agent, "tools"), "Read, Edit, Bash");
    assert_eq!(field(agent, "model"), "opus");
    assert!(field(agent, "description").starts_with("\"Does it our way. Only for work"), "{agent}");
    assert!(!agent.contains("# Our Way"), "it is in the prompts");
    let others = files.iter().filter(|file| !file.path.ends_with("/implementer.md"));
    assert!(
        others
            .eq(built_in(PluginTarget::Claude).iter().filter(|file| !file.path.ends_with("/implementer.md")))
    );
    let codex = super::files(PluginTarget::Codex, &own);
    let agent = codex.iter().find(|file| file.path.ends_with("redraft-implementer.toml")).unwrap();
    assert!(agent.text.contains("developer_instructions = ") && !agent.text.contains("model ="));
}
