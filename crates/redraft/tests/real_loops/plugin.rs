//! Tests what `redraft plugin export` writes with the programs it is written for.

use crate::plugin_session::listening;
use crate::world::{CLAUDE, CODEX, KEY, PROGRAM, World, finished, model};
use redraft_testkit::provider::{Provider, RecordedRequest, Reply, all_text, was_tool_used};
use redraft_testkit::{Ran, Scratch};
use serde_json::json;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMMANDS: [&str; 11] = [
    "continue",
    "create-plan",
    "create-tasks",
    "design",
    "finish",
    "implement",
    "new",
    "next",
    "review",
    "specify",
    "status",
];

fn exported(scratch: &Scratch, target: &str, folder: &Path) {
    let folder = folder.to_str().unwrap();
    scratch.run(["plugin", "export", folder, "--target", target]).expect(0);
}

/// Claude Code as a person starts it, with the throw-away HOME.
pub(crate) fn claude(scratch: &Scratch, words: &[&str]) -> Command {
    let mut command = scratch.command(std::env::var("REDRAFT_CLAUDE").unwrap());
    command.args(words);
    for name in ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER"] {
        command.env(name, "1");
    }
    command
}

/// The first request of a session that a person begins.
fn session(scratch: &Scratch, path: &OsStr, words: &[&str]) -> RecordedRequest {
    let provider = Provider::answering(vec![Reply::text("hello")]);
    let words = [&["-p", "hello", "--model", "claude-sonnet-4-5"], words].concat();
    let mut command = claude(scratch, &words);
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", provider.base_url()).env("PATH", path);
    Ran::new(command.output().unwrap()).expect(0);
    provider.requests().into_iter().find(|request| request.method == "POST").unwrap()
}

/// The agents of the export, by name.
fn agents(folder: &Path, end: &str) -> Vec<String> {
    let listed = fs::read_dir(folder).unwrap().flatten();
    let names = listed.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(end)?.to_owned()));
    let names: Vec<String> = names.collect();
    assert!(names.len() >= 18, "{names:?}");
    names
}

pub(crate) fn plugin_of(scratch: &Scratch) -> PathBuf {
    let folder = scratch.outside().join("plugin");
    exported(scratch, "claude", &folder);
    folder
}

/// A `PATH` on which `redraft` is this script.
pub(crate) fn path_with(scratch: &Scratch, script: &str) -> OsString {
    let programs = scratch.outside().join("programs");
    fs::create_dir_all(&programs).unwrap();
    let program = programs.join("redraft");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    std::env::join_paths([programs].into_iter().chain(std::env::split_paths(&path))).unwrap()
}

#[test]
fn claude_code_accepts_the_plugin_without_a_warning() {
    let scratch = Scratch::repository(PROGRAM);
    let plugin = plugin_of(&scratch);
    // The folder is both: it can be added as a marketplace, and it contains the plugin.
    for (path, what) in [("", "marketplace"), (".claude-plugin/plugin.json", "plugin")] {
        let path = plugin.join(path);
        let words = ["plugin", "validate", "--strict", path.to_str().unwrap()];
        let ran = Ran::new(claude(&scratch, &words).output().unwrap()).expect(0);
        assert!(ran.stdout.contains(&format!("Validating {what} manifest")), "{}", ran.stdout);
    }
}

#[test]
fn a_session_of_claude_code_with_the_plugin_has_its_agents_commands_and_skill() {
    let scratch = Scratch::repository(PROGRAM);
    let plugin = plugin_of(&scratch);
    let path = std::env::var_os("PATH").unwrap();
    let text = all_text(&session(&scratch, &path, &["--plugin-dir", plugin.to_str().unwrap()]));
    for agent in agents(&plugin.join("agents"), ".md") {
        assert!(text.contains(&format!("- redraft:{agent}: ")), "{agent}: {text}");
    }
    for name in COMMANDS {
        assert!(text.contains(&format!("- redraft:{name}: ")), "{name}: {text}");
    }
    assert!(text.contains("- redraft:redraft: Take a feature from an idea"), "{text}");
    let tools =
        "(Tools: Read, Glob, Grep, WebSearch, mcp__context7__resolve-library-id, mcp__context7__query-docs)";
    let line = text.lines().find(|line| line.starts_with("- redraft:security-reviewer: ")).unwrap();
    assert!(line.ends_with(tools), "{line}");
    let outline = text.lines().find(|line| line.starts_with("- redraft:test-deepener-outline: ")).unwrap();
    assert!(outline.ends_with("(Tools: Read)"), "{outline}");
}

/// Claude Code takes the code of a usage error for a refusal.
#[test]
fn a_program_older_than_the_plugin_keeps_nobody_from_working_or_stopping() {
    let scratch = Scratch::repository(PROGRAM);
    let plugin = plugin_of(&scratch);
    let old = "#!/bin/sh\necho \"$@\" >> \"$HOME/asked\"\necho 'unrecognized subcommand' >&2\nexit 2\n";
    let path = path_with(&scratch, old);
    let written = fs::canonicalize(scratch.root()).unwrap().join("written.txt");
    let write = (CLAUDE.write)(written.to_str().unwrap(), "it was written\n");
    let provider = Provider::answering(vec![write, Reply::text("done"), Reply::text("still there")]);
    let words =
        ["-p", "write", "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits", "--plugin-dir"];
    let mut command = claude(&scratch, &words);
    command.arg(&plugin).env("PATH", path);
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", provider.base_url());
    let ran = Ran::new(command.output().unwrap()).expect(0);
    assert_eq!(ran.stdout.trim(), "done", "it was not kept from stopping");
    assert_eq!(fs::read_to_string(written).unwrap(), "it was written\n");
    let asked = fs::read_to_string(scratch.outside().join("home/asked")).unwrap();
    for hook in ["hook session-start", "hook pre-tool-use", "hook stop"] {
        assert!(asked.lines().any(|line| line == hook), "{asked}");
    }
}

#[test]
fn a_dispatch_of_ours_carries_nothing_of_an_installed_plugin() {
    let world = World::new(&CLAUDE, &[], |root, _| model(root, &CLAUDE, 1));
    let scratch = &world.scratch;
    let plugin = plugin_of(scratch);
    let path = path_with(scratch, &listening("cat"));
    let words: [&[&str]; 2] = [
        &["plugin", "marketplace", "add", plugin.to_str().unwrap()],
        &["plugin", "install", "redraft@redraft"],
    ];
    for words in words {
        Ran::new(claude(scratch, words).output().unwrap()).expect(0);
    }
    // It is completely installed: a person's session in the same HOME has each of these, and calls the program for
    // them.
    let signs = [
        "- redraft:spec-author: ",
        "- redraft:next: ",
        "- redraft:redraft: ",
        "mcp__plugin_redraft_redraft__next",
        "## plugin:redraft:redraft",
        "Active feature: 001-a-feature",
    ];
    let whole = |request: &RecordedRequest| format!("{}{}", all_text(request), request.json["tools"]);
    let theirs = whole(&session(scratch, &path, &[]));
    for sign in signs {
        assert!(theirs.contains(sign), "{sign} in {theirs}");
    }
    let log = scratch.outside().join("home/asked");
    let called = fs::read_to_string(&log).unwrap();
    for words in ["mcp", "hook session-start", "hook stop"] {
        assert!(called.lines().any(|line| line == words), "{called}");
    }

    let mut run = scratch.redraft(["run", "001", "--yes", "--policy", "resume"]);
    finished(scratch, &world.provider, &CLAUDE, run.env("PATH", path)).expect(0);
    let ours = world.billed();
    assert!(ours.len() >= 3, "{}", ours.len());
    for (request, _) in &ours {
        let text = whole(request);
        for sign in signs.into_iter().chain(["redraft:", "SessionStart", "mcp__plugin"]) {
            assert!(!text.contains(sign), "{sign} in {text}");
        }
    }
    // An author has written, so a hook on tools had its chance.
    assert!(ours.iter().any(|(request, _)| was_tool_used(request, "Write")));
    assert_eq!(fs::read_to_string(log).unwrap(), called, "neither a hook nor the server was started");
}

#[test]
fn a_session_of_codex_in_the_repository_has_its_agents_skill_and_section() {
    let scratch = Scratch::repository(PROGRAM);
    let root = fs::canonicalize(scratch.root()).unwrap();
    exported(&scratch, "codex", &root);
    let home = scratch.outside().join("home");
    // Codex reads the configuration of a project only once the user has allowed it.
    let trusted = format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", root.display().to_string());
    fs::write(home.join("config.toml"), trusted).unwrap();
    let provider = Provider::answering(vec![Reply::text("hello")]);
    let server = format!(
        "model_providers.fake={{name=\"fake\",base_url=\"{}/v1\",env_key=\"OPENAI_TEST_KEY\",wire_api=\"responses\",\
         request_max_retries=0,stream_max_retries=0}}",
        provider.base_url()
    );
    let mut command = scratch.command(std::env::var("REDRAFT_CODEX").unwrap());
    command.args(["exec", "--json", "-s", "workspace-write", "-m", "gpt-5.1"]);
    command.args(["-c", "model_provider=fake", "-c", &server, "hello"]);
    command.env("CODEX_HOME", &home).env(CODEX.key, KEY);
    Ran::new(command.output().unwrap()).expect(0);
    let request = provider.requests().into_iter().find(|request| request.method == "POST").unwrap();
    let tools = request.json["tools"].to_string();
    for agent in agents(&root.join(".codex/agents"), ".toml") {
        assert!(tools.contains(&format!("\\n{agent}: {{")), "{agent}: {tools}");
    }
    let text = all_text(&request);
    assert!(text.contains("- redraft: Take a feature from an idea"), "{text}");
    assert!(text.contains("Features of this repository are made with Redraft"), "{text}");
    assert_eq!(request.json["model"], json!("gpt-5.1"));
}
