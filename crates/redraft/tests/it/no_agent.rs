//! Tests a machine without a named agent: nothing approves by itself, and the program says what makes it work.

use crate::typed::command_on_a_terminal;
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables that would let an agent be found, wherever the tests run.
const TELLING: [&str; 6] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OLLAMA_HOST",
    "OPENAI_MODEL",
];

/// A Python project with a branch `bad` that no reviewer may pass; no agent was named.
fn python() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.configure("");
    scratch.write("app.py", "print(\"hi\")\n");
    scratch.write("docs/design.md", "# Design\n\nWe use `eval`.\n");
    scratch.git(["add", "app.py", "docs"]);
    scratch.git(["commit", "-q", "-m", "a program"]);
    scratch.git(["switch", "-q", "-c", "bad"]);
    let bad = "import os\ndef login(request):\n    os.system(\"echo \" + request.args[\"u\"])\n    return eval(request.args[\"next\"])\n";
    scratch.write("app.py", bad);
    scratch.git(["commit", "-q", "-a", "-m", "Add login"]);
    scratch
}

/// `redraft` with the programs of this folder and git, and no key.
fn command(scratch: &Scratch, programs: &Path, words: &[&str]) -> Command {
    let mut command = scratch.redraft(words);
    for name in TELLING {
        command.env_remove(name);
    }
    command.env("PATH", path(programs));
    command
}

fn run_with(scratch: &Scratch, programs: &Path, words: &[&str]) -> Ran {
    Ran::new(command(scratch, programs, words).output().unwrap())
}

/// A PATH with these programs and what git and checks need, but none of this machine's agents.
fn path(programs: &Path) -> String {
    let tools = programs.join("tools");
    if !tools.exists() {
        fs::create_dir_all(&tools).unwrap();
        for tool in ["git", "sh", "cat", "printf", "echo", "sed", "grep"] {
            let places = ["/usr/local/bin", "/usr/bin", "/bin"].map(|place| Path::new(place).join(tool));
            if let Some(found) = places.iter().find(|place| place.exists()) {
                std::os::unix::fs::symlink(found, tools.join(tool)).unwrap();
            }
        }
    }
    format!("{}:{}", programs.display(), tools.display())
}

/// A folder for programs outside of the repository.
fn programs(scratch: &Scratch) -> PathBuf {
    let folder = scratch.outside().join("bin");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn program(folder: &Path, name: &str, script: &str) {
    let file = folder.join(name);
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Answers as Claude Code does, and notes that it was asked.
fn stub_claude(scratch: &Scratch) -> PathBuf {
    let folder = programs(scratch);
    let script = r#"#!/bin/sh
[ "$1" = --version ] && echo '2.1.325 (Claude Code)' && exit 0
while [ $# -gt 1 ]; do case "$1" in --session-id|--resume) id=$2;; esac; shift; done
cat > /dev/null
echo asked >> "$HOME/asked"
echo '{"type":"system","subtype":"init"}'
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.01,' "$id"
printf '%s\n' '"usage":{"input_tokens":10,"output_tokens":10},"result":"","structured_output":{"approved":true,"summary":"fine","answers":[],"issues":[],"checks":[],"verified":[],"files_read":[]}}'
"#;
    program(&folder, "claude", script);
    folder
}

/// Where it notes that: in the home that it has, wherever that is.
fn asked(scratch: &Scratch) -> Option<PathBuf> {
    let found = scratch.command("find").arg(scratch.outside()).args(["-name", "asked"]).output().unwrap();
    String::from_utf8(found.stdout).unwrap().lines().next().map(PathBuf::from)
}

/// What must stay the same where nothing was done.
fn traces(scratch: &Scratch) -> (String, String, bool) {
    let refs = scratch.git(["for-each-ref"]);
    let worktrees = scratch.git(["worktree", "list"]);
    (refs, worktrees, scratch.state().join("ledger.db").exists())
}

#[test]
fn without_an_agent_nothing_is_approved_and_the_way_out_is_said() {
    let scratch = python();
    let folder = programs(&scratch);
    let before = traces(&scratch);
    for words in [
        &["review", "--base", "main"][..],
        &["review", "--base", "main", "--yes"],
        &["review", "docs/design.md"],
        &["review", "docs/design.md", "--fix"],
    ] {
        let ran = run_with(&scratch, &folder, words).expect(3);
        assert!(
            ran.stderr.contains("error: there is no agent to play the roles, so nothing was sent"),
            "{ran:?}"
        );
        for way in [
            "npm install -g @anthropic-ai/claude-code",
            "ANTHROPIC_API_KEY",
            "OPENAI_BASE_URL",
            "redraft demo",
        ] {
            assert!(ran.stderr.contains(way), "{way}: {ran:?}");
        }
        assert!(!ran.stdout.contains("approved"), "{ran:?}");
        assert_eq!(traces(&scratch), before, "{words:?} left something behind");
    }
    let ran = run_with(&scratch, &folder, &["review", "--base", "main", "--json"]).expect(3);
    let object: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&object["v"], &object["exit"]), (&Value::from(1), &Value::from(3)));
    run_with(&scratch, &folder, &["new", "Export orders as CSV"]).expect(0);
    let before = events(&scratch).len();
    for words in [&["run"][..], &["run", "--yes"], &["run", "--until", "specify"]] {
        run_with(&scratch, &folder, words).expect(3);
    }
    assert_eq!(events(&scratch).len(), before, "nothing was stored");
}

#[test]
fn sarif_is_written_also_where_nobody_could_review() {
    let scratch = python();
    let folder = programs(&scratch);
    let ran = run_with(&scratch, &folder, &["review", "--base", "main", "--format", "sarif"]).expect(3);
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false, "{log}");
    let told = &invocation["toolExecutionNotifications"][0];
    assert_eq!(told["level"], "error");
    assert!(told["message"]["text"].as_str().unwrap().contains("there is no agent"), "{told}");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    // The same for anything else that keeps a review from beginning.
    let ran = run_with(&scratch, &folder, &["review", "--base", "mian", "--format", "sarif"]).expect(2);
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn an_agent_that_is_there_works_after_one_command_and_by_its_name_without_any() {
    let scratch = python();
    let folder = stub_claude(&scratch);
    let ran = run_with(&scratch, &folder, &["review", "--base", "main"]).expect(3);
    assert!(ran.stderr.contains("no agent was chosen to play the roles, so nothing was sent"), "{ran:?}");
    assert!(ran.stderr.contains("2.1.325"), "{ran:?}");
    assert!(ran.stderr.contains("your login): redraft config set roles.default claude"), "{ran:?}");
    assert!(ran.stderr.contains("redraft review --base main --agent claude"), "{ran:?}");
    assert!(asked(&scratch).is_none());
    run_with(&scratch, &folder, &["review", "--base", "main", "--agent", "claude", "--yes"]).expect(0);
    assert_eq!(fs::read_to_string(asked(&scratch).unwrap()).unwrap().lines().count(), 3);
    let started = events(&scratch);
    assert!(bodies(&started, "started").all(|body| body["agent"] == "claude"));
    // From a clone to the first real dispatch in two commands.
    run_with(&scratch, &folder, &["config", "set", "roles.default", "claude"]).expect(0);
    let ran = run_with(&scratch, &folder, &["review", "docs/design.md", "--yes"]).expect(0);
    assert!(ran.stdout.contains("is approved"), "{ran:?}");
}

#[test]
fn on_a_terminal_it_is_asked_once_which_agent_is_to_play() {
    let scratch = python();
    let folder = stub_claude(&scratch);
    let with_path = |words: &[&str], lines: &str, code: i32| {
        command_on_a_terminal(command(&scratch, &folder, words), lines, code)
    };
    let said = with_path(&["review", "docs/design.md"], "\n", 3);
    assert!(
        said.contains("2.1.325") && said.contains("your login)?") && said.contains("\nyes or NO? "),
        "{said}"
    );
    assert!(asked(&scratch).is_none());
    let said = with_path(&["review", "docs/design.md"], "yes\nyes\n", 0);
    assert!(said.contains("claude now plays every role, in every repository"), "{said}");
    let own = fs::read_to_string(scratch.own_config()).unwrap();
    assert_eq!(own, "[roles]\ndefault = \"claude\"\n");
    let said = with_path(&["review", "docs/design.md", "--again"], "yes\n", 0);
    assert!(!said.contains("your login)?"), "{said}");
}

#[test]
fn several_agents_are_listed_and_one_is_chosen_by_name() {
    let scratch = python();
    let folder = stub_claude(&scratch);
    program(&folder, "codex", "#!/bin/sh\necho 'codex-cli 0.166.0'\n");
    let said = command_on_a_terminal(command(&scratch, &folder, &["init"]), "codex\n", 0);
    assert!(
        said.contains("Which agent should play all roles?") && said.contains("claude, codex or NONE? "),
        "{said}"
    );
    assert_eq!(fs::read_to_string(scratch.own_config()).unwrap(), "[roles]\ndefault = \"codex\"\n");
    scratch.configure("");
    command_on_a_terminal(command(&scratch, &folder, &["init"]), "claude\n", 0);
    assert_eq!(fs::read_to_string(scratch.own_config()).unwrap(), "[roles]\ndefault = \"claude\"\n");
}

#[test]
fn the_demo_is_the_demo_whatever_the_user_configured() {
    let scratch = Scratch::empty(PROGRAM);
    scratch.configure("[roles]\ndefault = \"claude\"\n");
    let folder = stub_claude(&scratch);
    let ran = run_with(&scratch, &folder, &["demo"]).expect(0);
    assert!(ran.stdout.contains("approved"), "{ran:?}");
    assert!(asked(&scratch).is_none(), "a demo costs nothing");
}

#[test]
fn a_feature_that_is_over_needs_no_agent_to_be_merged() {
    let scratch = Scratch::empty(PROGRAM);
    let folder = programs(&scratch);
    let shop = scratch.outside().join("shop");
    let shop = shop.to_str().unwrap();
    run_with(&scratch, &folder, &["demo", "--keep", shop]).expect(0);
    let toml = Path::new(shop).join("redraft.toml");
    let kept = fs::read_to_string(&toml).unwrap();
    fs::write(&toml, kept.split("[roles]").next().unwrap()).unwrap();
    scratch.git_in(Path::new(shop), ["commit", "-q", "-a", "-m", "nobody plays"]);
    scratch.configure("");
    let ran = run_with(&scratch, &folder, &["-C", shop, "finish", "001", "--merge"]).expect(0);
    assert!(ran.stderr.contains("merged into main"), "{ran:?}");
}

/// Every command of the README in an empty environment: it works, or it stops before it does anything and says how to
/// go on; only `demo` approves anything.
#[test]
fn every_command_of_the_readme_is_honest_where_there_is_no_agent() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.configure("");
    let folder = programs(&scratch);
    let readme = include_str!("../../../../README.md");
    let commands: Vec<Vec<String>> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("$ redraft "))
        .map(|line| words(line.split(" #").next().unwrap_or(line)))
        .filter(|words| !["mcp"].contains(&words[0].as_str()))
        .collect();
    assert!(commands.len() >= 8, "{commands:?}");
    scratch.write("docs/proposal.md", "# Proposal\n\nWe use files.\n");
    for words in &commands {
        let typed: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = run_with(&scratch, &folder, &typed);
        let said = format!("{typed:?}: {ran:?}");
        assert!(matches!(ran.code, Some(0 | 1 | 2 | 3 | 6)), "{said}");
        assert!(ran.code == Some(0) || ran.stderr.contains("hint: "), "{said}");
        assert!(typed == ["demo"] || !ran.stdout.contains("is approved"), "{said}");
    }
    let told = events(&scratch);
    for kind in ["started", "judged", "phase-closed"] {
        assert_eq!(bodies(&told, kind).count(), 0, "{kind}");
    }
}

/// The words of a command as a shell reads them, for what the README has.
fn words(line: &str) -> Vec<String> {
    let line = line.split('>').next().unwrap_or(line);
    let mut words = Vec::new();
    for (at, part) in line.trim().split('"').enumerate() {
        match at % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}
