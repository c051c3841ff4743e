//! Tests the tool that runs accepted commands, given to an agent here; `hands` tests it with a whole phase.

use crate::world::PROGRAM;
use redraft_adapters::child::Environment;
use redraft_adapters::clock::SystemClock;
use redraft_agents::api::{AnthropicSettings, ApiAgent, Bounds, Commands, Key};
use redraft_cost::price::Cards;
use redraft_engine::ports::{Agent, Deadlines, Outcome, Request};
use redraft_facts::choice::Marks;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_prompts::prompt::SCHEMA;
use redraft_testkit::Scratch;
use redraft_testkit::provider::{Provider, Reply};
use serde_json::json;
use std::ffi::OsString;
use std::sync::Arc;

const KEY: &str = "canary-4f1d9c77e2b8a35d60";

/// Lets a model ask for one command; returns what it was told, and the outcome.
fn ask(scratch: &Scratch, accepted: &[&str], wanted: &str, limit_ms: u64) -> (String, Outcome) {
    let provider = Provider::answering(vec![
        Reply::tool("Run", json!({"command": wanted})),
        Reply::Json(json!({"approved": true})),
    ]);
    let variables = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", scratch.outside().to_str().unwrap()),
        ("MODEL_API_KEY", KEY),
        ("XDG_TOKEN", KEY),
        ("SSH_AUTH_SOCK", "/nowhere"),
        ("HTTPS_PROXY", "http://me:word@proxy:1"),
    ];
    let commands = Commands {
        accepted: accepted.iter().map(|command| (*command).to_owned()).collect(),
        worker: PROGRAM.into(),
        runs: scratch.outside().join("runs"),
        environment: Environment(variables.map(|(n, v)| (OsString::from(n), OsString::from(v))).into()),
        redactor: Redactor::default(),
        limit_ms,
        sandbox: None,
        reached: Default::default(),
    };
    let agent = ApiAgent::anthropic(AnthropicSettings {
        name: AgentName::new("model"),
        model: "claude-sonnet-5".to_owned(),
        base_url: provider.base_url(),
        key: Key::new(KEY),
        bounds: Bounds::default(),
        state: scratch.outside().join("state"),
        card: Cards::builtin().find("claude-sonnet-5").unwrap().clone(),
        redactor: Redactor::new(vec![KEY.to_owned()]),
        proxy: None,
        commands: Some(commands),
    });
    let agent = agent.unwrap();
    let tools = vec!["Run".to_owned()];
    assert_eq!(agent.missing(&tools), [""; 0]);
    let ms = 600_000;
    let request = Request {
        slot: None,
        ticket: "031/specify.1/review/spec-reviewer/1.1".parse().unwrap(),
        prompt: Prompt { turn: vec![Fragment::new("task", "Run the tests.")], ..Prompt::default() },
        marks: Marks::default(),
        tools,
        schema: SCHEMA,
        session: SessionId::new("s-1"),
        resume: false,
        folder: scratch.root(),
        may_write: Vec::new(),
        deadlines: Deadlines { connect_ms: ms, first_byte_ms: ms, idle_ms: ms, total_ms: ms },
        shares: false,
        max_usd: None,
    };
    let outcome = agent.run(&request, &SystemClock::new(Arc::default())).unwrap();
    let requests = provider.requests();
    let told = requests.last().unwrap().json["messages"].as_array().unwrap().last().unwrap().to_string();
    (told, outcome)
}

#[test]
fn an_accepted_command_runs_in_the_folder_and_no_other_command_runs_at_all() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("here.txt", "I am here\n");
    let accepted: &[&str] = &["cat here.txt no-such-file", "touch 'a file'", "cat here.txt && cat here.txt"];
    let (told, outcome) = ask(&scratch, accepted, "cat here.txt no-such-file", 60_000);
    for words in ["ended with code 1", "I am here", "No such file", "no-such-file"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(outcome.denials.is_empty());
    for wanted in
        ["cat here.txt", "touch a file", "cat here.txt no-such-file; touch x", "sh -c 'touch x'", ""]
    {
        let (told, outcome) = ask(&scratch, accepted, wanted, 60_000);
        assert!(
            told.contains("you may run `cat here.txt no-such-file`, `touch 'a file'`, `cat here.txt && "),
            "{told}"
        );
        assert_eq!(outcome.denials.len(), 1, "{wanted}");
    }
    assert!(!scratch.root().join("x").exists() && !scratch.root().join("a").exists());
    ask(&scratch, accepted, "touch 'a file'", 60_000);
    assert!(scratch.root().join("a file").exists());
    let (told, _) = ask(&scratch, &["no-such-program"], "no-such-program", 60_000);
    assert!(told.contains("ended with code 127"), "{told}");
    let (told, _) = ask(&scratch, accepted, "cat here.txt && cat here.txt", 60_000);
    assert!(told.contains("I am here\\nI am here"), "the shell runs it as the engine does: {told}");
}

#[test]
fn a_command_sees_no_key_and_what_was_asked_for_is_never_what_runs() {
    let scratch = Scratch::repository(PROGRAM);
    let (told, _) = ask(&scratch, &["env"], "env", 60_000);
    assert!(told.contains("PATH=") && told.contains("REDRAFT_TICKET="), "{told}");
    for hidden in [KEY, "redacted", "SSH_AUTH_SOCK", "word@", "XDG_TOKEN"] {
        assert!(!told.contains(hidden), "{hidden}: {told}");
    }
    for wanted in ["env; touch x", "env\ntouch x", "env $(touch x)", "$(touch x)", "ENV"] {
        let (told, outcome) = ask(&scratch, &["env"], wanted, 60_000);
        assert!(told.contains("is not a command you may run") && outcome.denials.len() == 1, "{told}");
    }
    assert!(!scratch.root().join("x").exists());
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_it_started_and_a_long_output_is_cut() {
    let scratch = Scratch::repository(PROGRAM);
    let family = "setsid sleep 5011 & echo begun; sleep 5012";
    let (told, _) = ask(&scratch, &[family], family, 700);
    assert!(told.contains("was ended after 700 ms") && told.contains("begun"), "{told}");
    let mark = format!("HOME={}", scratch.outside().display());
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        assert!(!environ.split(|byte| *byte == 0).any(|one| one == mark.as_bytes()), "{entry:?} is left");
    }
    let (told, _) = ask(&scratch, &["seq 100000"], "seq 100000", 60_000);
    assert!(
        told.len() < 60_000 && told.contains("bytes before this are left out") && told.contains("100000")
    );
}
