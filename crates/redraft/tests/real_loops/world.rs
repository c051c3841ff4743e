//! A feature whose roles are all played by one of the real programs, and the scripted model behind it. Start at [`World`].

use redraft_testkit::provider::{Charge, Provider, RecordedRequest, Reply, all_text, last_user_text};
use redraft_testkit::{Ran, Scratch, remembering};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");
pub(crate) const KEY: &str = "sk-ant-test-0000000000000000";
pub(crate) const SPEC: &str = "docs/features/001-a-feature/spec.md";
pub(crate) const DRAFT: &str = "001/specify.1/draft/spec-author/1.1";

/// One of the real programs: how it is configured, and how its model is made to act.
pub(crate) struct Client {
    pub(crate) key: &'static str,
    /// Its configuration, with the address of the provider and more arguments.
    pub(crate) agent: fn(&str, &[&str]) -> String,
    /// Writes a text to a path.
    pub(crate) write: fn(&str, &str) -> Reply,
    pub(crate) open: fn(&str) -> Reply,
    pub(crate) shell: fn(&str) -> Reply,
}

pub(crate) const CLAUDE: Client = Client {
    key: "ANTHROPIC_API_KEY",
    agent: |_, args| {
        let program = std::env::var("REDRAFT_CLAUDE").unwrap();
        format!("kind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"{program}\"\nargs = {args:?}")
    },
    write: |path, text| Reply::tool("Write", json!({"file_path": path, "content": text})),
    open: |path| Reply::tool("Read", json!({"file_path": path})),
    shell: |command| Reply::tool("Bash", json!({"command": command, "description": "does it"})),
};

pub(crate) const CODEX: Client = Client {
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
pub(crate) fn model(
    root: String,
    client: &'static Client,
    good: usize,
) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send + 'static {
    let mut written = 0;
    move |request: &RecordedRequest, _index: usize| {
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

pub(crate) fn is_author(request: &RecordedRequest) -> bool {
    all_text(request).contains("# Write the Specification")
}

pub(crate) fn is_spec_reviewer(request: &RecordedRequest) -> bool {
    all_text(request).contains("# Review the Specification")
}

pub(crate) fn verdict(approved: bool, open: &[String], issues: Vec<Value>) -> Value {
    let answers: Vec<Value> =
        open.iter().map(|id| json!({"id": id, "status": "fixed", "note": "seen"})).collect();
    json!({"approved": approved, "summary": "done", "answers": answers, "issues": issues,
        "checks": [], "verified": [], "files_read": []})
}

/// A feature whose roles are all played by a real program.
pub(crate) struct World {
    pub(crate) scratch: Scratch,
    pub(crate) provider: Provider,
    pub(crate) client: &'static Client,
}

impl World {
    /// `args` are a user's own for the program; `model` is made from the worktree's path and the program's HOME.
    pub(crate) fn new<S>(
        client: &'static Client,
        args: &[&str],
        model: impl Fn(String, PathBuf) -> S,
    ) -> World
    where
        S: FnMut(&RecordedRequest, usize) -> Reply + Send + 'static,
    {
        World::configured(client, args, "", model)
    }

    /// The same with more in the configuration.
    pub(crate) fn configured<S>(
        client: &'static Client,
        args: &[&str],
        more: &str,
        model: impl Fn(String, PathBuf) -> S,
    ) -> World
    where
        S: FnMut(&RecordedRequest, usize) -> Reply + Send + 'static,
    {
        let scratch = Scratch::repository(PROGRAM);
        scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
        let root = fs::canonicalize(scratch.worktree("001")).unwrap().display().to_string();
        let provider = Provider::start(remembering(model(root, scratch.state().join("agents/real/home"))));
        let agent = (client.agent)(&provider.base_url(), args);
        scratch
            .write("redraft.toml", &format!("[agents.real]\n{agent}\n[roles]\ndefault = \"real\"\n{more}"));
        scratch.run(["trust", "--yes"]).expect(0);
        World { scratch, provider, client }
    }

    /// Runs the feature to its end; neither a process nor the key may be left anywhere.
    pub(crate) fn run(&self) -> Ran {
        let mut command = self.scratch.redraft(["run", "001", "--yes", "--policy", "resume"]);
        let ran = finished(&self.scratch, &self.provider, self.client, &mut command);
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
        ran
    }

    pub(crate) fn history(&self) -> String {
        fs::read_to_string(self.scratch.artifacts("001").join(".review-history.md")).unwrap()
    }

    /// The requests that were answered, each with what its prompt was billed as.
    pub(crate) fn billed(&self) -> Vec<(RecordedRequest, Charge)> {
        let asked = self.provider.requests().into_iter().filter(|request| request.method == "POST");
        let (asked, bills): (Vec<RecordedRequest>, _) = (asked.collect(), self.provider.bills());
        assert_eq!(asked.len(), bills.len(), "every request is answered");
        asked.into_iter().zip(bills).collect()
    }

    /// The only event of this kind about a dispatch.
    pub(crate) fn event(&self, kind: &str, ticket: &str) -> Value {
        let log = self.scratch.json(["log"]);
        let events = log["events"].as_array().unwrap().iter().filter(|event| event["kind"] == kind);
        let mut bodies = events.map(|event| &event["body"]).filter(|body| body["ticket"] == ticket);
        let found = bodies.next().cloned();
        assert!(found.is_some() && bodies.next().is_none(), "{kind} {ticket}: {log:#}");
        found.unwrap()
    }
}

pub(crate) fn finished(
    scratch: &Scratch,
    provider: &Provider,
    client: &Client,
    command: &mut std::process::Command,
) -> Ran {
    command.env(client.key, KEY).env("ANTHROPIC_BASE_URL", provider.base_url());
    command.env("CODEX_HOME", scratch.outside().join("home"));
    let ran = Ran::new(command.output().unwrap());
    assert_eq!(scratch.processes(), [""; 0], "left behind");
    let found = scratch.command("grep").args(["-rlaF", KEY, "."]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "the key was written somewhere");
    ran
}
