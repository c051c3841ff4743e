//! Whole specify loops with the installed Claude Code and Codex, against a scripted model on this machine.
//! `.ci/clients` installs the programs, sets `REDRAFT_CLAUDE` and `REDRAFT_CODEX`, and runs this.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; the programs are named from outside"
)]

use redraft_testkit::provider::{Provider, Recorded, Reply, all_text, last_user_text};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;

const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");
const KEY: &str = "sk-ant-test-0000000000000000";
const SPEC: &str = "docs/features/001-a-feature/spec.md";

/// What the scripted model does to the spec: with which tool, from which round's text to which.
type Write = fn(&str, &str) -> Reply;

/// The author writes a new version each time; the spec-reviewer rejects versions 1 and 2; everybody else approves.
fn model(root: String, write: Write) -> impl FnMut(&Recorded, usize) -> Reply + Send + 'static {
    let mut written = 0;
    move |request: &Recorded, _index: usize| {
        let (all, last) = (all_text(request), last_user_text(request));
        let open: Vec<String> =
            (1..=9).map(|n| format!("S{n}")).filter(|id| last.contains(&format!("[{id}]"))).collect();
        if all.contains("# Write the Specification") {
            // One version in each turn of the conversation.
            let turns = all.matches("## New Issues to Fix").count() + 1;
            if written < turns {
                written = turns;
                return write(
                    &format!("{root}/{SPEC}"),
                    &format!("# Spec\n\n## Requirements\n\n- R1: version {turns}\n"),
                );
            }
            return Reply::Json(verdict(true, &open, vec![]));
        }
        let rejected = if written < 3 && all.contains("# Review the Specification") {
            vec![
                json!({"severity": "blocker", "category": "clarity", "claim": "present", "file": SPEC, "line": 5,
                "section": "Requirements", "quote": format!("- R1: version {written}"), "same_as": "", "suggestion": "",
                "description": format!("defect alpha{written} beta{written} gamma{written} of version {written}")}),
            ]
        } else {
            vec![]
        };
        Reply::Json(verdict(rejected.is_empty(), &open, rejected))
    }
}

fn verdict(approved: bool, open: &[String], issues: Vec<Value>) -> Value {
    let answers: Vec<Value> =
        open.iter().map(|id| json!({"id": id, "status": "fixed", "note": "seen"})).collect();
    json!({"approved": approved, "summary": "done", "answers": answers, "issues": issues,
        "checks": [], "verified": [], "files_read": []})
}

fn three_rounds(write: Write, agent: impl Fn(&str) -> String, key: &str) {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "a feature"]).expect(0);
    let root = fs::canonicalize(scratch.worktree("001")).unwrap().display().to_string();
    let provider = Provider::start(model(root, write));
    scratch.write(
        "redraft.toml",
        &format!("[agents.real]\n{}\n[roles]\ndefault = \"real\"\n", agent(&provider.base_url())),
    );
    let run = || {
        let mut command = scratch.redraft(["run", "001", "--yes", "--policy", "resume"]);
        command.env(key, KEY).env("ANTHROPIC_BASE_URL", provider.base_url());
        command.env("CODEX_HOME", scratch.outside().join("home"));
        Ran::of(command.output().unwrap())
    };
    let ran = run();
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let meta = fs::read_to_string(scratch.artifacts("001").join(".meta.json")).unwrap();
    assert!(meta.contains("\"spec-reviewer\": 3"), "{meta}");
    let history = fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    assert!(!history.contains("RESUME-FALLBACK"), "{history}");
    let third = ran.stdout.lines().find(|line| line.contains("review/spec-reviewer/3.1")).unwrap();
    assert!(third.contains("resume") && third.ends_with("approved"), "{}", ran.stdout);
    let spec = fs::read_to_string(scratch.worktree("001").join(SPEC)).unwrap();
    assert!(spec.contains("version 3"), "{spec}");
    let found = scratch.command("grep").args(["-rlaF", KEY, "."]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "the key was written somewhere");
}

#[test]
fn claude_code_goes_through_three_rounds() {
    let program = std::env::var("REDRAFT_CLAUDE").unwrap();
    let write: Write = |path, text| Reply::tool("Write", json!({"file_path": path, "content": text}));
    let agent =
        |_: &str| format!("kind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"{program}\"");
    three_rounds(write, agent, "ANTHROPIC_API_KEY");
}

#[test]
fn codex_goes_through_three_rounds() {
    let program = std::env::var("REDRAFT_CODEX").unwrap();
    let write: Write = |path, text| {
        let quoted = text.replace('\n', "\\n");
        Reply::tool(
            "exec_command",
            json!({"cmd": format!("mkdir -p \"$(dirname '{path}')\" && printf '{quoted}' > '{path}'")}),
        )
    };
    let agent = |url: &str| {
        format!(
            "kind = \"codex\"\nmodel = \"gpt-5.1\"\nprice = \"unknown\"\nprogram = \"{program}\"\npass = [\"OPENAI_TEST_KEY\"]\n\
             args = [\"-c\", \"model_provider=fake\", \"-c\", 'model_providers.fake={{name=\"fake\",base_url=\"{url}/v1\",\
             env_key=\"OPENAI_TEST_KEY\",wire_api=\"responses\",request_max_retries=0,stream_max_retries=0}}']\nbudget"
        )
        .replace("\nbudget", "")
    };
    three_rounds(write, agent, "OPENAI_TEST_KEY");
}
