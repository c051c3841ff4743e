//! Whole specify loops, and probes, with the installed Claude Code and Codex, against a scripted model on this machine.
//! `.ci/clients` installs the programs, sets `REDRAFT_CLAUDE` and `REDRAFT_CODEX`, and runs this.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; the programs are named from outside"
)]

use redraft_testkit::provider::{Provider, Recorded, Reply, all_text, last_user_text, tool_results};
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
    scratch.run(["trust", "--yes"]).expect(0);
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

/// Plays a probe from what the program's requests hold and from nothing else.
fn prober(open: Reply) -> impl FnMut(&Recorded, usize) -> Reply + Send + 'static {
    move |request: &Recorded, _index: usize| {
        let last = last_user_text(request);
        let heading = "Inventory of the house";
        let read = tool_results(request).into_iter().find(|result| result.contains(heading));
        let Some(read) = read else { return open.clone() };
        // Some programs number the lines they give to the model.
        let from = |line: &str, words: &str| line.find(words).map(|at| line[at..].to_owned());
        let faulty: Vec<String> =
            read.lines().filter(|line| line.contains(": ? ")).filter_map(|line| from(line, "bin ")).collect();
        let first = read.lines().find_map(|line| from(line, heading)).unwrap();
        let mut answer = verdict(true, &[], vec![]);
        if last.contains("## Turn 3") {
            let entry =
                |claim: &str, result: String| json!({"claim": claim, "source": "memory", "result": result});
            answer["verified"] =
                json!([entry("first line", first), entry("findings", faulty.len().to_string())]);
        } else if !last.contains("## Turn 2") {
            let issue = |quote: &String| {
                json!({"severity": "warning", "category": "quantity", "claim": "present", "file": "inventory.txt",
                    "line": 0, "section": "", "quote": quote, "description": "no quantity", "suggestion": "", "same_as": ""})
            };
            answer["issues"] = faulty.iter().map(issue).collect();
        }
        Reply::Json(answer)
    }
}

fn passes_a_probe(open: impl Fn(&str) -> Reply, agent: impl Fn(&str) -> String, key: &str) {
    let scratch = Scratch::repository(PROGRAM);
    let root = fs::canonicalize(scratch.root()).unwrap().display().to_string();
    let provider = Provider::start(prober(open(&format!("{root}/.git/redraft/probes/real/inventory.txt"))));
    scratch.write("redraft.toml", &format!("[agents.real]\n{}\n", agent(&provider.base_url())));
    scratch.run(["trust", "--yes"]).expect(0);
    let mut command = scratch.redraft(["doctor", "--agent", "real", "--yes", "--json"]);
    command.env(key, KEY).env("ANTHROPIC_BASE_URL", provider.base_url());
    command.env("CODEX_HOME", scratch.outside().join("home"));
    let ran = Ran::of(command.output().unwrap());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, Some(0), "{report:#}\n{}", ran.stderr);
    let real = &report["agents"][0];
    let checks = real["checks"].as_array().unwrap();
    assert!(checks.len() == 7 && checks.iter().all(|check| check["passed"] == true), "{report:#}");
    assert_eq!(real["resume"], "yes");
    assert!(real["cache_share"].as_u64().unwrap() >= 90, "{report:#}");
    assert!(!scratch.state().join("probes/real").exists());
    let found = scratch.command("grep").args(["-rlaF", KEY, "."]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "the key was written somewhere");
}

fn claude() -> impl Fn(&str) -> String {
    let program = std::env::var("REDRAFT_CLAUDE").unwrap();
    move |_: &str| format!("kind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"{program}\"")
}

fn codex() -> impl Fn(&str) -> String {
    let program = std::env::var("REDRAFT_CODEX").unwrap();
    move |url: &str| {
        format!(
            "kind = \"codex\"\nmodel = \"gpt-5.1\"\nprice = \"unknown\"\nprogram = \"{program}\"\npass = [\"OPENAI_TEST_KEY\"]\n\
             args = [\"-c\", \"model_provider=fake\", \"-c\", 'model_providers.fake={{name=\"fake\",base_url=\"{url}/v1\",\
             env_key=\"OPENAI_TEST_KEY\",wire_api=\"responses\",request_max_retries=0,stream_max_retries=0}}']"
        )
    }
}

#[test]
fn claude_code_goes_through_three_rounds() {
    let write: Write = |path, text| Reply::tool("Write", json!({"file_path": path, "content": text}));
    three_rounds(write, claude(), "ANTHROPIC_API_KEY");
}

#[test]
fn codex_goes_through_three_rounds() {
    let write: Write = |path, text| {
        let quoted = text.replace('\n', "\\n");
        Reply::tool(
            "exec_command",
            json!({"cmd": format!("mkdir -p \"$(dirname '{path}')\" && printf '{quoted}' > '{path}'")}),
        )
    };
    three_rounds(write, codex(), "OPENAI_TEST_KEY");
}

#[test]
fn claude_code_passes_a_probe() {
    let open = |path: &str| Reply::tool("Read", json!({"file_path": path}));
    passes_a_probe(open, claude(), "ANTHROPIC_API_KEY");
}

#[test]
fn codex_passes_a_probe() {
    let open = |path: &str| Reply::tool("exec_command", json!({"cmd": format!("cat '{path}'")}));
    passes_a_probe(open, codex(), "OPENAI_TEST_KEY");
}
