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
use std::path::{Path, PathBuf};

const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");
const KEY: &str = "sk-ant-test-0000000000000000";
const SPEC: &str = "docs/features/001-a-feature/spec.md";
const DRAFT: &str = "001/specify.1/draft/spec-author/1.1";

/// One of the real programs: how it is configured, and how its model is made to act.
struct Client {
    key: &'static str,
    /// Its configuration, with the address of the provider and more arguments.
    agent: fn(&str, &[&str]) -> String,
    /// Writes a text to a path.
    write: fn(&str, &str) -> Reply,
    open: fn(&str) -> Reply,
    shell: fn(&str) -> Reply,
}

const CLAUDE: Client = Client {
    key: "ANTHROPIC_API_KEY",
    agent: |_, args| {
        let program = std::env::var("REDRAFT_CLAUDE").unwrap();
        format!("kind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"{program}\"\nargs = {args:?}")
    },
    write: |path, text| Reply::tool("Write", json!({"file_path": path, "content": text})),
    open: |path| Reply::tool("Read", json!({"file_path": path})),
    shell: |command| Reply::tool("Bash", json!({"command": command, "description": "does it"})),
};

const CODEX: Client = Client {
    key: "OPENAI_TEST_KEY",
    agent: |url, args| {
        let program = std::env::var("REDRAFT_CODEX").unwrap();
        let provider = format!(
            "model_providers.fake={{name=\"fake\",base_url=\"{url}/v1\",env_key=\"OPENAI_TEST_KEY\",\
             wire_api=\"responses\",request_max_retries=0,stream_max_retries=0}}"
        );
        let all = [&["-c", "model_provider=fake", "-c", &provider], args].concat();
        format!(
            "kind = \"codex\"\nmodel = \"gpt-5.1\"\nprice = \"unknown\"\nprogram = \"{program}\"\n\
             pass = [\"OPENAI_TEST_KEY\"]\nargs = {all:?}"
        )
    },
    write: |path, text| {
        let quoted = text.replace('\n', "\\n");
        command(&format!("mkdir -p \"$(dirname '{path}')\" && printf '{quoted}' > '{path}'"))
    },
    open: |path| command(&format!("cat '{path}'")),
    shell: command,
};

fn command(command: &str) -> Reply {
    Reply::tool("exec_command", json!({"cmd": command}))
}

/// The author writes a new version each time; the spec-reviewer rejects those before `good`; everybody else approves.
fn model(
    root: String,
    client: &'static Client,
    good: usize,
) -> impl FnMut(&Recorded, usize) -> Reply + Send + 'static {
    let mut written = 0;
    move |request: &Recorded, _index: usize| {
        let (all, last) = (all_text(request), last_user_text(request));
        let open: Vec<String> =
            (1..=9).map(|n| format!("S{n}")).filter(|id| last.contains(&format!("[{id}]"))).collect();
        if is_author(request) {
            // One version in each turn of the conversation.
            let turns = all.matches("## New Issues to Fix").count() + 1;
            if written < turns {
                written = turns;
                return (client.write)(
                    &format!("{root}/{SPEC}"),
                    &format!("# Spec\n\n## Requirements\n\n- R1: version {turns}\n"),
                );
            }
            return Reply::Json(verdict(true, &open, vec![]));
        }
        let rejected = if written < good && is_spec_reviewer(request) {
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

fn is_author(request: &Recorded) -> bool {
    all_text(request).contains("# Write the Specification")
}

fn is_spec_reviewer(request: &Recorded) -> bool {
    all_text(request).contains("# Review the Specification")
}

fn verdict(approved: bool, open: &[String], issues: Vec<Value>) -> Value {
    let answers: Vec<Value> =
        open.iter().map(|id| json!({"id": id, "status": "fixed", "note": "seen"})).collect();
    json!({"approved": approved, "summary": "done", "answers": answers, "issues": issues,
        "checks": [], "verified": [], "files_read": []})
}

/// A feature whose roles are all played by a real program.
struct World {
    scratch: Scratch,
    provider: Provider,
    client: &'static Client,
}

impl World {
    /// `args` are a user's own for the program; `model` is made from the worktree's path and HOME.
    fn new<S>(client: &'static Client, args: &[&str], model: impl Fn(String, PathBuf) -> S) -> World
    where
        S: FnMut(&Recorded, usize) -> Reply + Send + 'static,
    {
        let scratch = Scratch::repository(PROGRAM);
        scratch.run(["new", "a feature"]).expect(0);
        let root = fs::canonicalize(scratch.worktree("001")).unwrap().display().to_string();
        let provider = Provider::start(model(root, scratch.outside().join("home")));
        let agent = (client.agent)(&provider.base_url(), args);
        scratch.write("redraft.toml", &format!("[agents.real]\n{agent}\n[roles]\ndefault = \"real\"\n"));
        scratch.run(["trust", "--yes"]).expect(0);
        World { scratch, provider, client }
    }

    /// Runs the feature to its end; neither a process nor the key may be left anywhere.
    fn run(&self) -> Ran {
        let mut command = self.scratch.redraft(["run", "001", "--yes", "--policy", "resume"]);
        let ran = finished(&self.scratch, &self.provider, self.client, &mut command);
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
        ran
    }

    fn history(&self) -> String {
        fs::read_to_string(self.scratch.artifacts("001").join(".review-history.md")).unwrap()
    }

    /// The only event of this kind about a dispatch.
    fn event(&self, kind: &str, ticket: &str) -> Value {
        let log = self.scratch.json(["log"]);
        let events = log["events"].as_array().unwrap().iter().filter(|event| event["kind"] == kind);
        let mut bodies = events.map(|event| &event["body"]).filter(|body| body["ticket"] == ticket);
        let found = bodies.next().cloned();
        assert!(found.is_some() && bodies.next().is_none(), "{kind} {ticket}: {log:#}");
        found.unwrap()
    }
}

fn finished(
    scratch: &Scratch,
    provider: &Provider,
    client: &Client,
    command: &mut std::process::Command,
) -> Ran {
    command.env(client.key, KEY).env("ANTHROPIC_BASE_URL", provider.base_url());
    command.env("CODEX_HOME", scratch.outside().join("home"));
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(scratch.processes(), [""; 0], "left behind");
    let found = scratch.command("grep").args(["-rlaF", KEY, "."]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "the key was written somewhere");
    ran
}

fn three_rounds(client: &'static Client) {
    let world = World::new(client, &[], |root, _| model(root, client, 3));
    let ran = world.run();
    let meta = fs::read_to_string(world.scratch.artifacts("001").join(".meta.json")).unwrap();
    assert!(meta.contains("\"spec-reviewer\": 3"), "{meta}");
    assert!(!world.history().contains("RESUME-FALLBACK"), "{}", world.history());
    let third = ran.stdout.lines().find(|line| line.contains("review/spec-reviewer/3.1")).unwrap();
    assert!(third.contains("resume") && third.ends_with("approved"), "{}", ran.stdout);
    let spec = fs::read_to_string(world.scratch.worktree("001").join(SPEC)).unwrap();
    assert!(spec.contains("version 3"), "{spec}");
}

/// Removes what a program has kept of the spec-reviewer's conversation, as soon as the author writes again.
fn forgetting(
    mut model: impl FnMut(&Recorded, usize) -> Reply + Send + 'static,
    home: PathBuf,
) -> impl FnMut(&Recorded, usize) -> Reply + Send + 'static {
    let mut reviewed = None;
    move |request: &Recorded, index: usize| {
        if is_spec_reviewer(request) {
            reviewed = Some(request.clone());
        } else if is_author(request)
            && let Some(review) = reviewed.take()
        {
            fs::remove_file(conversation_of(&review, &home).unwrap()).unwrap();
        }
        model(request, index)
    }
}

/// The file a program keeps the conversation of a request in. It is named after it, and so is the request.
fn conversation_of(request: &Recorded, home: &Path) -> Option<PathBuf> {
    const NAME_CHARS: usize = 36;
    let said = format!("{:?} {}", request.headers, request.json);
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
                continue;
            }
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let name = stem.len().checked_sub(NAME_CHARS).and_then(|at| stem.get(at..));
            if path.extension().is_some_and(|ending| ending == "jsonl")
                && name.is_some_and(|name| said.contains(name))
            {
                return Some(path);
            }
        }
    }
    None
}

fn goes_on_without_a_lost_conversation(client: &'static Client, said: &str) {
    let world = World::new(client, &[], |root, home| forgetting(model(root, client, 2), home));
    world.run();
    let (lost, fresh) = ("001/specify.1/review/spec-reviewer/2.1", "001/specify.1/review/spec-reviewer/2.2");
    let failed = world.event("failed", lost);
    assert_eq!(failed["now"], "fresh_session", "{failed}");
    assert!(failed["detail"].as_str().unwrap().contains(said), "{failed}");
    assert_eq!(failed["usage"]["cost"], 0, "nothing was sent: {failed}");
    let history = world.history();
    assert!(history.contains("RESUME-FALLBACK: spec-reviewer iteration 2 — "), "{history}");
    assert_eq!(world.event("started", lost)["choice"]["strategy"], "resume");
    let started = world.event("started", fresh);
    assert_eq!(started["choice"]["strategy"], "lazy", "{started}");
    assert_ne!(world.event("answered", fresh)["session"], world.event("started", lost)["session"]);
    assert_eq!(world.event("judged", fresh)["judgement"], "approved");
    // The whole task once more, and nothing that was said before.
    let requests = world.provider.requests();
    let mut last = requests.iter().rev().filter(|request| is_spec_reviewer(request));
    let last = last.next().unwrap();
    assert!(
        all_text(last).contains("version 2") && !last.json.to_string().contains("\"assistant\""),
        "{last:?}"
    );
}

/// An author that commits before it does its work.
fn committing(client: &'static Client, args: &[&str]) -> World {
    const COMMIT: &str = "git commit -q --allow-empty -m 'not asked for'";
    let world = World::new(client, args, |root, _| {
        let mut model = model(root, client, 1);
        move |request: &Recorded, index: usize| {
            let first = is_author(request) && tool_results(request).is_empty();
            if first { (client.shell)(COMMIT) } else { model(request, index) }
        }
    });
    world.run();
    let worktree = world.scratch.worktree("001");
    let log = world.scratch.git_in(&worktree, ["log", "--format=%s"]);
    assert!(!log.contains("not asked for") && log.contains("redraft: specify draft"), "{log}");
    let spec = fs::read_to_string(worktree.join(SPEC)).unwrap();
    assert!(spec.contains("version 1"), "what the author may write stays: {spec}");
    world
}

fn a_commit_is_undone(client: &'static Client, args: &[&str]) {
    let world = committing(client, args);
    let answered = world.event("answered", DRAFT);
    assert!(answered["undone"].to_string().contains("commit"), "{answered}");
    let kept = world.scratch.git(["log", "--format=%s", "--glob=refs/redraft/lost"]);
    assert!(kept.contains("not asked for"), "{kept}");
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

fn passes_a_probe(client: &'static Client) {
    let scratch = Scratch::repository(PROGRAM);
    let root = fs::canonicalize(scratch.root()).unwrap().display().to_string();
    let papers = format!("{root}/.git/redraft/probes/real/inventory.txt");
    let provider = Provider::start(prober((client.open)(&papers)));
    let agent = (client.agent)(&provider.base_url(), &[]);
    scratch.write("redraft.toml", &format!("[agents.real]\n{agent}\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    let mut command = scratch.redraft(["doctor", "--agent", "real", "--yes", "--json"]);
    let ran = finished(&scratch, &provider, client, &mut command);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, Some(0), "{report:#}\n{}", ran.stderr);
    let real = &report["agents"][0];
    let checks = real["checks"].as_array().unwrap();
    assert!(checks.len() == 7 && checks.iter().all(|check| check["passed"] == true), "{report:#}");
    assert_eq!(real["resume"], "yes");
    assert!(real["cache_share"].as_u64().unwrap() >= 90, "{report:#}");
    assert!(!scratch.state().join("probes/real").exists());
}

#[test]
fn claude_code_goes_through_three_rounds() {
    three_rounds(&CLAUDE);
}

#[test]
fn codex_goes_through_three_rounds() {
    three_rounds(&CODEX);
}

#[test]
fn claude_code_passes_a_probe() {
    passes_a_probe(&CLAUDE);
}

#[test]
fn codex_passes_a_probe() {
    passes_a_probe(&CODEX);
}

#[test]
fn a_review_goes_on_when_claude_code_has_lost_its_conversation() {
    goes_on_without_a_lost_conversation(&CLAUDE, "No conversation found");
}

#[test]
fn a_review_goes_on_when_codex_has_lost_its_conversation() {
    goes_on_without_a_lost_conversation(&CODEX, "no rollout found");
}

/// Our flags offer an author no shell; a user's own arguments can.
#[test]
fn a_commit_of_claude_code_is_undone() {
    a_commit_is_undone(&CLAUDE, &["--tools", "Bash", "--allowedTools", "Bash"]);
}

/// Our flags keep an author's commands away from git's own files; a user's own arguments can let them in.
#[test]
fn a_commit_of_codex_is_refused_by_its_sandbox_and_without_one_undone() {
    let world = committing(&CODEX, &[]);
    let results: Vec<String> = world.provider.requests().iter().flat_map(tool_results).collect();
    assert!(results[0].contains("Read-only file system"), "{results:?}");
    assert_eq!(world.event("answered", DRAFT)["undone"], json!([]));
    a_commit_is_undone(&CODEX, &["--dangerously-bypass-approvals-and-sandbox"]);
}
