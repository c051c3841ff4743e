//! A throw-away HOME, a repository to work in, a fake provider, and requests to send.

use redraft_adapters::child::Environment;
use redraft_adapters::clock::SystemClock;
use redraft_agents::mcp::{McpServer, McpServers};
use redraft_engine::ports::{Deadlines, Outcome, Request, RunHandle};
use redraft_facts::choice::Marks;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::SessionId;
use redraft_testkit::Scratch;
use redraft_testkit::provider::{Provider, RecordedRequest, Script};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) const SCHEMA: &str = r#"{"type":"object","properties":{"approved":{"type":"boolean"},"summary":{"type":"string"}},"required":["approved","summary"],"additionalProperties":false}"#;

pub(crate) struct World {
    pub(crate) scratch: Scratch,
    pub(crate) provider: Provider,
}

impl World {
    pub(crate) fn new(script: impl Script + 'static) -> World {
        let scratch = Scratch::repository(named("REDRAFT_BIN"));
        scratch.write("note.txt", "the password is pelican\n");
        World { scratch, provider: Provider::start(script) }
    }

    pub(crate) fn note(&self) -> PathBuf {
        self.scratch.root().join("note.txt")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.scratch.outside().join("state")
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.scratch.outside().join("runs")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.scratch.outside().join("home")
    }

    pub(crate) fn environment(&self, more: &[(&str, &str)]) -> Environment {
        let mut all: BTreeMap<OsString, OsString> = BTreeMap::new();
        all.insert("PATH".into(), std::env::var_os("PATH").unwrap());
        all.insert("HOME".into(), self.home().into());
        all.insert("UNRELATED_SECRET".into(), "must-not-be-passed-on".into());
        all.extend(more.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        Environment(all)
    }

    /// A fresh request; the first `attempt` of a reviewer.
    pub(crate) fn request(&self, turn: &str, round: u16) -> Request {
        let long =
            |name: &str| Fragment::new(name, format!("{name}: {}", "words that stay the same. ".repeat(160)));
        let prompt = Prompt {
            constant: vec![long("constant")],
            feature: vec![long("feature")],
            role: vec![long("role")],
            turn: vec![Fragment::new("turn", turn)],
        };
        Request {
            slot: None,
            ticket: format!("031/specify.1/review/spec-reviewer/{round}.1").parse().unwrap(),
            prompt,
            marks: Marks::default(),
            tools: ["Read", "Glob", "Grep"].map(str::to_owned).into(),
            schema: SCHEMA,
            session: SessionId::new(format!("11111111-1111-4111-8111-{:012}", std::process::id())),
            resume: false,
            folder: self.scratch.root(),
            may_write: Vec::new(),
            deadlines: within_ms(120_000),
            shares: false,
            max_usd: None,
        }
    }

    /// The next turn of a conversation.
    pub(crate) fn resumed(&self, session: &SessionId, turn: &str, round: u16) -> Request {
        let prompt = Prompt { turn: vec![Fragment::new("turn", turn)], ..Prompt::default() };
        Request { prompt, session: session.clone(), resume: true, ..self.request("", round) }
    }

    /// A server of tools that works, or one that does not start. It is to be given `DOCS_NAME`.
    pub(crate) fn servers(&self, works: bool) -> McpServers {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_clients/mcp-server.mjs");
        let server = McpServer {
            command: if works { "node" } else { "no-such-server" }.to_owned(),
            args: vec![script.display().to_string()],
            env: vec!["DOCS_NAME".to_owned()],
        };
        [("context7".to_owned(), server)].into()
    }

    /// What an author does between two reviews.
    pub(crate) fn commit(&self) {
        self.scratch.write("other.txt", "something new\n");
        self.scratch.git(["add", "other.txt"]);
        self.scratch.git(["commit", "-q", "-m", "second"]);
        self.scratch.write("untracked.txt", "not yet added\n");
    }

    /// Whether a process of this world has this word in its command line.
    pub(crate) fn runs_a(&self, word: &str) -> bool {
        self.scratch.processes().iter().any(|command| command.contains(word))
    }

    /// Checks that nothing that was started here still runs.
    #[track_caller]
    pub(crate) fn nothing_is_left(&self) {
        assert_eq!(self.scratch.processes(), [""; 0], "left behind");
    }

    /// The model requests among everything that arrived.
    pub(crate) fn sent(&self) -> Vec<RecordedRequest> {
        self.provider.requests().into_iter().filter(|request| request.method == "POST").collect()
    }

    /// Waits until this many of them have come. Some versions first ask whether the service is there, which does not
    /// count.
    pub(crate) fn wait_for_sent(&self, count: usize) {
        let mut all = count;
        while self.sent().len() < count {
            self.provider.wait_for_requests(all);
            all += 1;
        }
    }

    /// What they said.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.sent().into_iter().map(|request| request.json).collect()
    }
}

/// All deadlines at once.
pub(crate) fn within_ms(ms: u64) -> Deadlines {
    Deadlines { connect_ms: ms, first_byte_ms: ms, idle_ms: ms, total_ms: ms }
}

pub(crate) fn verdict() -> Value {
    json!({"approved": true, "summary": "fine"})
}

/// A variable that `.ci/clients` sets.
pub(crate) fn named(name: &str) -> PathBuf {
    match std::env::var_os(name) {
        Some(value) => value.into(),
        None => panic!("{name} must name a program; run .ci/clients, which installs it"),
    }
}

/// What is known of an answer that was not watched: that it was one request shows in what was printed; how many others
/// there were is noted only while it is watched.
pub(crate) fn unwatched(outcome: Outcome) -> Outcome {
    Outcome { asked_ms: None, requests: outcome.requests.filter(|count| *count == 1), ..outcome }
}

/// A run that nobody stops.
pub(crate) fn steady() -> SystemClock {
    SystemClock::new(std::sync::Arc::default())
}

/// A run that is stopped as soon as a process of this world has this word in its command line.
pub(crate) struct StopAt<'a> {
    pub(crate) world: &'a World,
    pub(crate) word: &'a str,
    pub(crate) clock: SystemClock,
}

impl RunHandle for StopAt<'_> {
    fn stopped(&self) -> bool {
        self.world.runs_a(self.word)
    }

    fn wait_ms(&self, ms: u64) -> bool {
        self.clock.wait_ms(ms)
    }

    fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    fn moment(&self) -> redraft_engine::ports::Moment {
        self.clock.moment()
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, _total: redraft_facts::usage::Usd) -> bool {
        true
    }
}

/// A run that is stopped as soon as so many model requests have come.
pub(crate) struct StopAfter<'a> {
    pub(crate) world: &'a World,
    pub(crate) sent: usize,
    pub(crate) clock: SystemClock,
}

impl RunHandle for StopAfter<'_> {
    fn stopped(&self) -> bool {
        self.world.sent().len() >= self.sent
    }

    fn wait_ms(&self, ms: u64) -> bool {
        self.clock.wait_ms(ms)
    }

    fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    fn moment(&self) -> redraft_engine::ports::Moment {
        RunHandle::moment(&self.clock)
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, _total: redraft_facts::usage::Usd) -> bool {
        true
    }
}

/// Kills the worker of a dispatch, the process between the test and the agent's program.
pub(crate) fn kill_worker(world: &World, request: &Request) {
    let out = world.runs().join(request.ticket.to_string()).display().to_string();
    kill(world, |command| command.contains(&["worker", "--out", &out].join("\0")));
}

/// Kills the agent's program itself; its worker lives on.
pub(crate) fn kill_program(world: &World, program: &Path) {
    let begins = format!("{}\0", program.display());
    kill(world, |command| command.starts_with(&begins));
}

/// Kills the only process of a world whose command line is as wanted.
fn kill(world: &World, wanted: impl Fn(&str) -> bool) {
    let folder = world.scratch.outside().display().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let read = |name: &str| {
            let bytes = std::fs::read(entry.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        if wanted(&read("cmdline")) && read("environ").contains(&folder) {
            found.push(entry.file_name().into_string().unwrap());
        }
    }
    assert_eq!(found.len(), 1, "{:?}", world.scratch.processes());
    assert!(world.scratch.command("kill").args(["-9", &found[0]]).status().unwrap().success());
}
