//! Tests the hooks in a session of the real Claude Code: what it is told, what it is kept from, and that it always
//! ends.

use crate::world::{KEY, PROGRAM};
use redraft_testkit::provider::{Provider, RecordedRequest, Reply, all_text};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const META: &str = "docs/features/001-a-feature/.meta.json";

/// A repository with a feature under way, and the hooks as docs/hooks.md sets them up.
fn repository() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "design", "a feature"]).expect(0);
    scratch.run(["run", "--until", "specify"]).expect(0);
    let hook = |event: &str| json!([{"type": "command", "command": format!("'{PROGRAM}' hook {event}")}]);
    let settings = json!({"hooks": {
        "SessionStart": [{"matcher": "startup|resume|clear", "hooks": hook("session-start")}],
        "PreToolUse": [{"matcher": "Edit|Write|MultiEdit|NotebookEdit|Bash", "hooks": hook("pre-tool-use")}],
        "Stop": [{"hooks": hook("stop")}],
    }});
    scratch.write(".claude/settings.json", &settings.to_string());
    scratch
}

/// Claude Code as set up by a user of the scripted model.
fn claude(scratch: &Scratch, provider: &Provider) -> Command {
    let mut command = scratch.command(std::env::var("REDRAFT_CLAUDE").unwrap());
    command.env("ANTHROPIC_BASE_URL", provider.base_url()).env("ANTHROPIC_API_KEY", KEY);
    for name in ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER"] {
        command.env(name, "1");
    }
    command.env("TMPDIR", scratch.outside());
    command
}

/// A session with one order of a person; returns what Claude Code reports about it.
fn session(scratch: &Scratch, provider: &Provider, variables: &[(&str, &str)]) -> Value {
    let mut command = claude(scratch, provider);
    command.args(["-p", "do it", "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits"]);
    command.args(["--tools", "Read,Write,Edit,Bash,NotebookEdit", "--allowedTools", "Read"]);
    command.args(["--max-turns", "20", "--output-format", "json"]);
    let ran = Ran::new(command.envs(variables.iter().copied()).output().unwrap());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn asked(provider: &Provider) -> Vec<RecordedRequest> {
    provider.requests().into_iter().filter(|request| request.method == "POST").collect()
}

#[test]
fn a_session_begins_with_the_feature_and_ends_where_nobody_wants_a_reminder() {
    let scratch = repository();
    let provider = Provider::answering(vec![Reply::text("done")]);
    session(&scratch, &provider, &[]);
    let asked = asked(&provider);
    assert_eq!(asked.len(), 1);
    let text = all_text(&asked[0]);
    assert!(text.contains("Active feature: 001-a-feature, phase design"), "{text}");
    assert!(text.contains("Next step: `redraft run 001`"), "{text}");
    // A run's agent is told nothing, whatever the user has set up.
    let provider = Provider::answering(vec![Reply::text("done")]);
    session(&scratch, &provider, &[("REDRAFT_TICKET", "001/design.1/draft/design-author/1.1")]);
    assert!(!all_text(&self::asked(&provider)[0]).contains("Active feature"));
}

#[test]
fn a_model_that_tries_the_same_edit_for_ever_is_refused_and_then_stopped() {
    for tool in ["Write", "Edit", "Bash", "NotebookEdit"] {
        let scratch = repository();
        scratch.write(META, "{\"a\": 1}");
        let state = scratch.state().join("notes.ipynb");
        std::fs::write(&state, "{\"cells\":[],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}").unwrap();
        let (meta, notebook) = (scratch.root().join(META), state.clone());
        // It looks first, as it must before an edit, and then never does anything else again.
        let provider = Provider::start(move |_: &RecordedRequest, index: usize| match (index, tool) {
            (0, "NotebookEdit") => Reply::tool("Read", json!({"file_path": notebook})),
            (0, _) => Reply::tool("Read", json!({"file_path": meta})),
            (_, "Write") => Reply::tool("Write", json!({"file_path": meta, "content": "{}"})),
            (_, "Edit") => {
                Reply::tool("Edit", json!({"file_path": meta, "old_string": "1", "new_string": "2"}))
            }
            (_, "Bash") => Reply::tool("Bash", json!({"command": format!("rm {META}"), "description": "x"})),
            (_, _) => {
                let edit = json!({"notebook_path": notebook, "new_source": "x", "edit_mode": "insert", "cell_type": "code"});
                Reply::tool("NotebookEdit", edit)
            }
        });
        let before = std::fs::read(&state).unwrap();
        let ended = session(&scratch, &provider, &[("REDRAFT_AUTONOMOUS", "1")]);
        let asked = asked(&provider);
        assert!(asked.len() <= 5, "{tool}: one look, four tries and no more: {} {ended}", asked.len());
        assert_eq!(ended["terminal_reason"], "hook_stopped", "{tool}: {ended}");
        let told = all_text(&asked[2]);
        let instead = if tool == "NotebookEdit" { "`redraft log`" } else { "`redraft status 001`" };
        assert!(told.contains(instead), "{tool}: {told}");
        assert_eq!(std::fs::read_to_string(scratch.root().join(META)).unwrap(), "{\"a\": 1}", "{tool}");
        assert_eq!(std::fs::read(&state).unwrap(), before, "{tool}");
    }
}

#[test]
fn a_model_that_stops_is_reminded_once() {
    let scratch = repository();
    let provider = Provider::answering(vec![Reply::text("done")]);
    session(&scratch, &provider, &[("REDRAFT_AUTONOMOUS", "1")]);
    let asked = asked(&provider);
    assert_eq!(asked.len(), 2, "once more and then no more");
    assert!(!all_text(&asked[0]).contains("work is still owed"));
    assert!(all_text(&asked[1]).contains("work is still owed"), "{}", all_text(&asked[1]));
}

#[test]
fn after_a_compaction_a_session_is_not_told_again_though_the_hook_is_called() {
    let scratch = repository();
    let log = scratch.outside().join("sources");
    // Called for every source, also for the one that the documented matcher leaves out.
    let script = format!("tee -a '{}' | '{PROGRAM}' hook session-start", log.display());
    // What another hook says then does arrive.
    let other = json!({"type": "command", "command": "echo said by another hook"});
    let own = json!({"type": "command", "command": script});
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [own, other]}]}});
    scratch.write(".claude/settings.json", &settings.to_string());
    let provider = Provider::answering(vec![Reply::text("done")]);
    let line = |text: &str| {
        let message = json!({"role": "user", "content": [{"type": "text", "text": text}]});
        format!("{}\n", json!({"type": "user", "message": message}))
    };
    let mut command = claude(&scratch, &provider);
    command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
    command.args(["--model", "claude-sonnet-4-5"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // A shorter conversation is not condensed.
    let orders = ["begin", "more", "still more", "and more", "/compact", "go on after it"].map(line).concat();
    child.stdin.take().unwrap().write_all(orders.as_bytes()).unwrap();
    let said = Ran::new(child.wait_with_output().unwrap()).stdout;
    let sources = std::fs::read_to_string(&log).unwrap();
    assert!(sources.contains("\"startup\"") && sources.contains("\"compact\""), "{sources}\n{said}");
    let asked = asked(&provider);
    assert!(all_text(&asked[0]).contains("Active feature"), "told at the beginning");
    let last = all_text(asked.last().unwrap());
    assert!(last.contains("go on after it") && last.contains("said by another hook"), "{last}");
    assert!(!last.contains("Active feature"), "{last}");
}
