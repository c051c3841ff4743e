//! Tests `redraft hook` as a host calls it: an event on stdin, an answer on stdout, and silence wherever something is
//! wrong.

mod turns;

use crate::world::{PROGRAM, feature};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use turns::tool_answer;

const IDEA: &str = "Export the monthly report as CSV";

/// Starts a hook and hands it these bytes.
fn fed(mut command: Command, bytes: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A hook that has heard enough may be gone already.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    Ran::new(child.wait_with_output().unwrap())
}

/// What a hook answers; null for silence. It must end with code 0 and print nothing else.
fn answer(scratch: &Scratch, event: &str, input: &Value, variables: &[(&str, &str)]) -> Value {
    let mut command = scratch.redraft(["hook", event]);
    command.env_remove("REDRAFT_TICKET").env_remove("REDRAFT_AUTONOMOUS").envs(variables.iter().copied());
    let ran = fed(command, input.to_string().as_bytes()).expect(0);
    assert_eq!(ran.stderr, "");
    if ran.stdout.is_empty() { Value::Null } else { serde_json::from_str(&ran.stdout).unwrap() }
}

fn started(folder: &Path) -> Value {
    json!({"session_id": "s", "cwd": folder, "hook_event_name": "SessionStart", "source": "startup"})
}

fn greeting(scratch: &Scratch, folder: &Path) -> String {
    let answer = answer(scratch, "session-start", &started(folder), &[]);
    let output = &answer["hookSpecificOutput"];
    if !answer.is_null() {
        assert_eq!(output["hookEventName"], "SessionStart");
    }
    output["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn tool(scratch: &Scratch, session: &str, name: &str, input: Value) -> Value {
    let event = json!({
        "session_id": session, "cwd": scratch.root(), "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input,
    });
    answer(scratch, "pre-tool-use", &event, &[])
}

/// The reason why a tool is refused, if it is.
fn refused(scratch: &Scratch, session: &str, name: &str, input: Value) -> Option<String> {
    let answer = tool(scratch, session, name, input);
    let output = &answer["hookSpecificOutput"];
    let reason = output["permissionDecisionReason"].as_str()?.to_owned();
    assert_eq!(
        (&output["hookEventName"], &output["permissionDecision"]),
        (&json!("PreToolUse"), &json!("deny"))
    );
    Some(reason)
}

fn stopped(scratch: &Scratch, session: &str, active: bool) -> Value {
    json!({"session_id": session, "cwd": scratch.root(), "hook_event_name": "Stop", "stop_hook_active": active})
}

/// A feature whose specification is done and whose next phase has not begun.
fn under_way() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", IDEA]).expect(0);
    scratch.run(["run", "--until", "specify"]).expect(0);
    scratch
}

#[test]
fn a_session_is_told_feature_phase_and_next_step_from_wherever_it_stands() {
    let scratch = feature(IDEA);
    fs::create_dir_all(scratch.worktree("001").join("src/deep")).unwrap();
    for folder in [scratch.root(), scratch.worktree("001"), scratch.worktree("001").join("src/deep")] {
        let text = greeting(&scratch, &folder);
        let expected = "Active feature: 001-export-the-monthly-report-as-csv, phase specify.";
        assert!(text.contains(expected) && text.contains("Next step: `redraft run 001`"), "{text}");
        assert!(text.contains(IDEA), "{text}");
    }
    // The folder that the event names counts, not the one where the hook was started; -C overrides both.
    let mut elsewhere = scratch.redraft(["hook", "session-start"]);
    elsewhere.current_dir(scratch.outside());
    let ran = fed(elsewhere, started(&scratch.root()).to_string().as_bytes()).expect(0);
    assert!(ran.stdout.contains("Active feature"), "{ran:?}");
    let mut named = scratch.redraft(["hook", "session-start", "-C"]);
    named.arg(scratch.root()).current_dir(scratch.outside());
    assert!(fed(named, b"{}").expect(0).stdout.contains("Active feature"));
}

#[test]
fn a_hook_starts_no_program() {
    let scratch = feature(IDEA);
    let ran = |event: &str, input: Value| {
        let mut command = scratch.redraft(["hook", event]);
        command.env("PATH", scratch.outside().join("nothing")).env("REDRAFT_AUTONOMOUS", "1");
        fed(command, input.to_string().as_bytes()).expect(0).stdout
    };
    assert!(ran("session-start", started(&scratch.worktree("001"))).contains("Active feature"));
    let mut stop = stopped(&scratch, "s", false);
    stop["cwd"] = json!(scratch.worktree("001"));
    assert!(ran("stop", stop).contains("block"));
    let write = json!({"session_id": "s", "cwd": scratch.root(), "tool_name": "Write", "tool_input": {"file_path": ".git/redraft/x"}});
    assert!(ran("pre-tool-use", write).contains("deny"));
}

#[test]
fn a_session_is_told_nothing_where_there_is_nothing_to_tell() {
    let scratch = feature(IDEA);
    let mut event = started(&scratch.root());
    event["source"] = json!("compact");
    assert_eq!(answer(&scratch, "session-start", &event, &[]), Value::Null, "after a compaction");
    let ticket = [("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1")];
    assert_eq!(
        answer(&scratch, "session-start", &started(&scratch.root()), &ticket),
        Value::Null,
        "an agent of ours"
    );
    for folder in [scratch.outside().to_owned(), scratch.outside().join("gone")] {
        assert_eq!(greeting(&scratch, &folder), "", "{folder:?}");
    }
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(greeting(&scratch, &scratch.root()), "", "nothing is open");
    let without = Scratch::repository(PROGRAM);
    assert_eq!(greeting(&without, &without.root()), "", "no ledger");
    assert!(!without.state().exists(), "and none was made");
}

#[test]
fn a_ledger_that_cannot_be_read_makes_hooks_silent() {
    let scratch = feature(IDEA);
    let file = scratch.state().join("ledger.db");
    let whole = fs::read(&file).unwrap();
    for bytes in [&b""[..], b"not a ledger", &whole[..whole.len() / 2]] {
        fs::write(&file, bytes).unwrap();
        assert_eq!(greeting(&scratch, &scratch.root()), "", "{} bytes", bytes.len());
        let stop = answer(&scratch, "stop", &stopped(&scratch, "s", false), &[("REDRAFT_AUTONOMOUS", "1")]);
        assert_eq!(stop, Value::Null);
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(greeting(&scratch, &scratch.root()), "");
}

#[test]
fn whatever_comes_in_a_hook_ends_well_and_says_nothing() {
    let scratch = feature(IDEA);
    let deep = "[".repeat(100_000);
    let huge = format!("{{\"cwd\":\"{}", "x".repeat(40 * 1024 * 1024));
    let inputs: [&[u8]; 11] = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b"\xff\xfe",
        b"{\"cwd\": 7}",
        b"{\"hook_event_name\": \"PostToolUse\"}",
        b"{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": [\"rm\"]}}",
        deep.as_bytes(),
        huge.as_bytes(),
    ];
    for event in ["session-start", "pre-tool-use", "stop"] {
        for input in inputs {
            let shown = String::from_utf8_lossy(&input[..input.len().min(60)]).into_owned();
            let mut command = scratch.redraft(["hook", event]);
            command.env("REDRAFT_AUTONOMOUS", "1");
            // A session without a folder is taken to be in this one.
            if event == "session-start" {
                command.current_dir(scratch.outside());
            }
            let ran = fed(command, input).expect(0);
            assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""), "{event} {shown}");
        }
        // Nothing on stdin, and a folder that no longer exists.
        assert_eq!(scratch.run(["hook", event]).expect(0).stdout, "");
        let gone = scratch.outside().join("gone");
        fs::create_dir_all(&gone).unwrap();
        let script = format!("cd '{}' && rmdir ../gone && echo '{{}}' | \"$0\" hook {event}", gone.display());
        let ran =
            Ran::new(scratch.command("bash").args(["-c", &script, PROGRAM]).output().unwrap()).expect(0);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""), "{event}");
    }
}

#[test]
fn a_mistake_in_the_command_never_blocks_a_session() {
    let scratch = Scratch::empty(PROGRAM);
    for words in [
        &["hook"][..],
        &["hook", "post-tool-use"],
        &["-C", "x", "hook", "stop", "--bogus"],
        &["--json", "hook", "no"],
    ] {
        let ran = scratch.run(words).expect(1);
        assert!(ran.stderr.contains("hook"), "{words:?}: {}", ran.stderr);
    }
    scratch.run(["hok"]).expect(2);
    scratch.run(["status", "hook", "x"]).expect(2);
}

#[test]
fn edits_of_state_and_projections_are_refused_with_the_command_to_use() {
    let scratch = feature(IDEA);
    let name = "001-export-the-monthly-report-as-csv";
    let (root, worktree) = (scratch.root(), scratch.worktree("001"));
    scratch.write(&format!("docs/features/{name}/notes.md"), "x");
    symlink(scratch.state(), root.join("innocent")).unwrap();
    symlink(root.join(format!("docs/features/{name}/.meta.json")), root.join("later.json")).unwrap();
    let in_worktree = |file: &str| worktree.join(format!("docs/features/{name}/{file}"));
    let file = |path: &Path| json!({"file_path": path});
    let (log, meta) = ("`redraft log`", "`redraft status 001`");
    for (tool, input, expected) in [
        ("Edit", file(&scratch.state().join("ledger.db")), log),
        ("Write", file(Path::new(".git/redraft/new/file")), log),
        ("Write", file(Path::new("src/../.git/./redraft/x")), log),
        ("Write", file(Path::new("innocent/runs/x")), log),
        ("NotebookEdit", json!({"notebook_path": ".git/redraft/x.ipynb"}), log),
        ("Edit", file(&in_worktree(".meta.json")), meta),
        ("MultiEdit", file(&in_worktree(".review-history.md")), "`redraft log 001 --as review-history`"),
        ("Write", file(&in_worktree("implementation-log.md")), "`redraft log 001 --as implementation-log`"),
        ("Write", file(&root.join(format!("docs/features/{name}/.meta.json"))), meta),
        ("Write", file(Path::new("later.json")), meta),
        ("Bash", json!({"command": "rm -rf .git/redraft"}), log),
        ("Bash", json!({"command": "rm -rf .git/redraft/*"}), log),
        ("Bash", json!({"command": "cd .git && echo x > redraft/ledger.db"}), log),
        ("Bash", json!({"command": format!("cd docs/features/{name} && sed -i 's/a/b/' .meta.json")}), meta),
        ("Bash", json!({"command": "cat > .git/redraft/x <<'EOF'\ntext\nEOF"}), log),
        ("Bash", json!({"command": format!("git checkout HEAD -- docs/features/{name}/.meta.json")}), meta),
    ] {
        // Each in a session of its own: how often it was refused before is tested elsewhere.
        let reason = refused(&scratch, &input.to_string(), tool, input.clone());
        let reason = reason.unwrap_or_else(|| panic!("{tool} {input} was not refused"));
        assert!(reason.contains(expected), "{tool} {input}: {reason}");
    }
    // In a folder that is not a repository at all, by a full path.
    let event = json!({
        "session_id": "t", "cwd": scratch.outside(), "tool_name": "Write", "tool_input": {"file_path": in_worktree(".meta.json")},
    });
    assert!(!answer(&scratch, "pre-tool-use", &event, &[]).is_null());
    let ticket = [("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1")];
    assert_eq!(
        answer(&scratch, "pre-tool-use", &event, &ticket),
        Value::Null,
        "an agent of ours has its own orders"
    );
}

#[test]
fn nothing_else_is_refused() {
    let scratch = feature(IDEA);
    let name = "001-export-the-monthly-report-as-csv";
    scratch.write("docs/features/900-of-another-tool/.meta.json", "{}");
    let file = |path: String| json!({"file_path": path});
    let in_worktree =
        |file: &str| format!("{}/docs/features/{name}/{file}", scratch.worktree("001").display());
    for (tool, input) in [
        ("Read", file(in_worktree(".meta.json"))),
        ("Read", file(".git/redraft/ledger.db".into())),
        ("Write", file(in_worktree("spec.md"))),
        ("Write", file("redraft.toml".into())),
        ("Write", file(".git/config".into())),
        ("Write", file("redraft/x".into())),
        ("Edit", file("docs/features/900-of-another-tool/.meta.json".into())),
        ("Write", file(".meta.json".into())),
        ("Write", file("/".into())),
        ("Write", file(String::new())),
        ("Bash", json!({"command": "cat .git/redraft/ledger.db | head > /dev/null"})),
        ("Bash", json!({"command": format!("cat docs/features/{name}/.meta.json > /tmp/x.json")})),
        ("Bash", json!({"command": "cp .git/redraft/ledger.db /tmp/backup.db"})),
        ("Bash", json!({"command": "git commit -m 'rm .git/redraft/ledger.db > .git/redraft/x'"})),
        ("Bash", json!({"command": "sqlite3 .git/redraft/ledger.db 'select count(*) from events'"})),
        ("Bash", json!({"command": format!("git restore --staged docs/features/{name}/.meta.json")})),
        ("Bash", json!({"command": "redraft run 001"})),
    ] {
        assert_eq!(tool_answer(&scratch, tool, &input), Value::Null, "{tool} {input}");
    }
    assert!(!scratch.state().join("hooks").exists(), "nothing was refused, so nothing is kept");
}

#[test]
fn gits_own_folder_is_not_removed_with_the_state_in_it_and_the_rest_of_it_is_nobodys_business() {
    let scratch = feature(IDEA);
    for command in ["rm -rf .git", "mv .git elsewhere", "rm -r ./.git/"] {
        let answer = tool(&scratch, command, "Bash", json!({ "command": command }));
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{command}: {answer}");
    }
    for command in ["rm .git/index.lock", "rm -rf build", "cp hook.sh .git/hooks/pre-commit"] {
        assert_eq!(tool(&scratch, command, "Bash", json!({ "command": command })), Value::Null, "{command}");
    }
}
