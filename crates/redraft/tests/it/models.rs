//! Tests whole loops with agents that have a model behind them; the model is a script on this machine.

use crate::world::{PROGRAM, bodies, entries, events, executable, left};
use redraft_facts::event::Event;
use redraft_testkit::provider::{
    Provider, RecordedRequest, Reply, Script, all_text, last_user_text, was_tool_used,
};
use redraft_testkit::{Scratch, remembering};
use serde_json::json;

pub(crate) const KEY: &str = "sk-ant-test-0000000000000000";
const SPEC: &str = "docs/features/001-a-feature/spec.md";

/// Plays all roles by what it is asked: the author writes a file and says so; the first review of each reviewer
/// rejects, every later one approves.
pub(crate) fn model(request: &RecordedRequest, _index: usize) -> Reply {
    let (all, last) = (all_text(request), last_user_text(request));
    if all.contains("# Write the Specification") {
        let revising = last.contains("New Issues to Fix") || last.contains("## Task\n\nRevise ");
        if !revising && !was_tool_used(request, "Write") {
            return Reply::tool(
                "Write",
                json!({"path": SPEC, "content": "# Spec\n\n## Requirements\n\n- R1: first\n"}),
            );
        }
        if revising && !was_tool_used(request, "Edit") {
            let edit = json!({"path": SPEC, "old_text": "- R1: first", "new_text": "- R1: second"});
            return Reply::tool("Edit", edit);
        }
        return Reply::Json(
            json!({"approved": true, "summary": "written", "answers": answers(&last), "issues": [],
            "checks": [], "verified": [], "files_read": []}),
        );
    }
    let first = !last.contains("[S1]") && !last.contains("[P1]") && !last.contains("final validation");
    let issue = json!({"severity": "blocker", "category": "clarity", "claim": "present", "file": SPEC, "line": 5,
        "section": "Requirements", "quote": "- R1: first", "description": "nobody can tell what first means",
        "suggestion": "", "same_as": ""});
    let rejecting = first && all.contains("# Review the Specification");
    let issues = if rejecting { vec![issue] } else { vec![] };
    Reply::Json(
        json!({"approved": issues.is_empty(), "summary": "read", "answers": answers(&last), "issues": issues,
        "checks": [], "verified": [], "files_read": []}),
    )
}

fn answers(text: &str) -> serde_json::Value {
    match text.contains("[S1]") {
        true => json!([{"id": "S1", "status": "fixed", "note": "it says second now"}]),
        false => json!([]),
    }
}

pub(crate) const ANTHROPIC: &str =
    "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"URL\"\nkey_env = \"TEST_MODEL_KEY\"";

pub(crate) fn with_agent(agent: &str) -> (Scratch, Provider) {
    with_model(agent, model)
}

pub(crate) fn with_model(agent: &str, model: impl Script + 'static) -> (Scratch, Provider) {
    let provider = Provider::start(remembering(model));
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    let agent = agent.replace("URL", &provider.base_url());
    scratch.write("redraft.toml", &format!("[agents.model]\n{agent}\n[roles]\ndefault = \"model\"\n"));
    (scratch, provider)
}

pub(crate) fn run(scratch: &Scratch, words: &[&str]) -> redraft_testkit::Ran {
    let mut command = scratch.redraft(words);
    command.env("TEST_MODEL_KEY", KEY);
    redraft_testkit::Ran::new(command.output().unwrap())
}

#[test]
fn a_spec_is_written_rejected_mended_and_approved_over_every_protocol() {
    for agent in [
        "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"URL\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nwire = \"responses\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"a-model-of-mine\"\nprice = \"local\"\nbase_url = \"URL/v1\"\nschema = \"none\"",
    ] {
        let (scratch, provider) = with_agent(agent);
        let ran = run(&scratch, &["run", "001", "--yes", "--policy", "resume"]);
        assert_eq!(ran.code, Some(0), "{agent}\n{}\n{}", ran.stdout, ran.stderr);
        let left = left(&scratch);
        assert!(left.artifact.contains("- R1: second"), "{agent}: {}", left.artifact);
        assert_eq!(left.findings.len(), 1, "{agent}: {:?}", left.findings);
        let events = events(&scratch);
        let strategies: Vec<&str> =
            bodies(&events, "started").map(|body| body["choice"]["strategy"].as_str().unwrap()).collect();
        assert!(strategies.contains(&"resume"), "{agent}: {strategies:?}");
        assert!(provider.requests().len() >= 6, "{agent}");
        let found = scratch.command("grep").args(["-rlaF", KEY, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "", "{agent}: the key was written somewhere");
    }
}

#[test]
fn what_an_agent_does_is_shown_while_it_works() {
    let (scratch, _provider) = with_agent(ANTHROPIC);
    let ran = run(&scratch, &["run", "001", "--yes", "-v"]).expect(0);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let at = |words: &str| {
        lines.iter().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{lines:#?}"))
    };
    let wrote = at(&format!("    spec-author: Write {SPEC}"));
    assert!(
        at("draft/spec-author/1.1 sent to model") < wrote && wrote < at("draft/spec-author/1.1 answered")
    );
    assert!(lines.contains(&"    spec-reviewer: writes"), "{lines:#?}");
    let quiet = run(&scratch, &["run", "001", "--yes", "--json"]);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn what_the_cache_holds_is_as_old_as_the_last_request_and_not_as_the_dispatch() {
    // The author's first request takes a second, the one after it no time at all.
    let slow = |request: &RecordedRequest, index: usize| match index {
        0 => model(request, index).slowly(std::time::Duration::from_millis(400)),
        _ => model(request, index),
    };
    let (scratch, _provider) = with_model(ANTHROPIC, slow);
    run(&scratch, &["run", "001", "--yes"]).expect(0);
    let (mut started_ms, mut checked) = (0, 0);
    for entry in entries(&scratch) {
        match &entry.event {
            Event::Started(_) => started_ms = entry.at_ms,
            Event::Answered(fact) => {
                let asked_ms = fact.asked_ms.unwrap();
                assert!((started_ms..=entry.at_ms).contains(&asked_ms), "{}", fact.ticket);
                if checked == 0 {
                    assert!(asked_ms > started_ms + 400, "{asked_ms} {started_ms}");
                }
                checked += 1;
            }
            _ => {}
        }
    }
    assert!(checked > 3);
}

#[test]
fn money_is_agreed_to_once_before_the_first_paid_dispatch() {
    let (scratch, provider) = with_agent(ANTHROPIC);
    let ran = run(&scratch, &["run", "001", "-v"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("\n  model, claude-sonnet-4.5 at ") && ran.stderr.contains("--yes"),
        "{}",
        ran.stderr
    );
    let about = |line: &str| {
        let amount = line.split_once("about $").unwrap().1.split_once(' ').unwrap().0.to_owned();
        (amount.parse::<f64>().unwrap() * 10_000.0).round() as u64
    };
    let roles: Vec<u64> = ran
        .stderr
        .lines()
        .filter(|line| line.ends_with(" dispatches") && line.starts_with("    "))
        .map(about)
        .collect();
    assert_eq!(roles.len(), 3, "{}", ran.stderr);
    let sum = ran.stderr.lines().find(|line| line.contains(": 3 roles, about $")).map(about).unwrap();
    // Each is rounded where it is shown.
    assert!(sum.abs_diff(roles.iter().sum()) <= 2 && sum > 1_000, "{}", ran.stderr);
    let sum = format!("about ${}.{:04}", sum / 10_000, sum % 10_000);
    for words in [
        &format!("expected: {sum} for 8 dispatches\n"),
        "  an estimate from the sizes of the roles' texts and of the documents, with 3 review rounds a phase",
        "budget: at most $5.0000 for the whole feature",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("will stop before the end"), "{}", ran.stderr);
    let small = run(&scratch, &["run", "001", "--budget", "0.05"]);
    assert!(
        small.stderr.contains("the budget has $0.0500 left, which is less: the run will stop before the end"),
        "{}",
        small.stderr
    );
    let json = run(&scratch, &["run", "001", "--json"]);
    assert_eq!(json.code, Some(6));
    assert!(json.stdout.contains(&format!("{sum} is expected, at most $5.0000")), "{}", json.stdout);
    assert!(provider.requests().is_empty());
    let ran = run(&scratch, &["run", "001", "--yes", "--budget", "0.01"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(provider.requests().is_empty(), "the dearest outcome did not fit, so nothing was sent");
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(5), "a budget is kept across restarts: {}", ran.stderr);
    let ran = run(&scratch, &["run", "001", "--yes", "--budget", "5"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stdout.contains("cost: $0.0000 billed"), "{}", ran.stdout);
}

#[test]
fn what_is_missing_for_an_agent_is_told_before_anything_is_sent() {
    for (agent, words) in [
        ("kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"", "ANTHROPIC_API_KEY"),
        ("kind = \"openai\"\nmodel = \"gpt-6-sol\"\nkey_env = \"NO_SUCH\"", "NO_SUCH"),
        ("kind = \"openai\"\nmodel = \"gpt-6-soul\"\nbase_url = \"URL/v1\"", "gpt-6-sol"),
        (
            "kind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"no-such-claude\"",
            "npm install -g @anthropic-ai/claude-code",
        ),
        (
            "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"http://example.invalid\"\nkey_env = \"TEST_MODEL_KEY\"",
            "http",
        ),
    ] {
        let (scratch, provider) = with_agent(agent);
        scratch.run(["trust", "--yes"]).expect(0);
        let ran = run(&scratch, &["run", "001", "--yes"]);
        assert_eq!(ran.code, Some(3), "{agent}: {}", ran.stderr);
        assert!(ran.stderr.contains(words) && !ran.stderr.contains(KEY), "{agent}: {}", ran.stderr);
        assert!(provider.requests().is_empty(), "{agent}");
    }
}

#[test]
fn what_an_agent_was_denied_is_told_wherever_people_look() {
    let curious = |request: &RecordedRequest, index: usize| {
        let reviews = all_text(request).contains("# Review the Specification");
        match reviews && !was_tool_used(request, "Read") {
            true => Reply::tool("Read", json!({"path": format!("../{KEY}")})),
            false => model(request, index),
        }
    };
    let (scratch, _provider) = with_model(ANTHROPIC, curious);
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let ticket = "001/specify.1/review/spec-reviewer/1.1";
    let history = std::fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    assert!(history.contains(&format!("\nDENIED: {ticket} — Read: ")), "{history}");
    assert!(ran.stderr.contains("\n  spec-reviewer was denied: Read: "), "{}", ran.stderr);
    let cost = scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    assert!(cost.contains(&format!("\n{ticket}: denied: Read: ")), "{cost}");
    let shown = scratch.run(["show", "findings", "001"]).expect(0);
    assert!(shown.stdout.contains(&format!("\ndenied in {ticket}: Read: ")), "{}", shown.stdout);
    let denied = &scratch.json(["show", "findings", "001"])["denied"][0];
    assert_eq!(denied["ticket"], ticket);
    let events = events(&scratch);
    let answered = bodies(&events, "answered").find(|body| body["ticket"] == ticket).unwrap();
    assert_eq!(answered["denials"].as_array().unwrap().len(), 1, "{answered}");
    let line = scratch.run(["log", "001"]).expect(0).stdout;
    assert!(line.contains("; denied: Read: "), "{line}");
    for text in [&history, &ran.stdout, &ran.stderr, &cost, &shown.stdout, &line] {
        assert!(!text.contains(KEY), "the path held a secret: {text}");
    }
}

#[test]
fn a_price_of_the_configuration_is_what_is_estimated_and_billed() {
    let (scratch, _provider) = with_agent(&ANTHROPIC.replace("claude-sonnet-4.5", "my-own-model"));
    let ran = run(&scratch, &["run", "001"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("[prices.\"my-own-model\"]"), "{}", ran.stderr);
    let config = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}[prices.\"my-own-model\"]\ninput = 0\noutput = 1000\n"));
    let ran = run(&scratch, &["run", "001", "-v"]);
    // Three answers of 1,500 tokens, with 150 for each of seven requests, at a thousand dollars a million; what goes in is
    // free.
    assert!(ran.stderr.contains(": about $5.5500 for 3 dispatches"), "{}", ran.stderr);
    let ran = run(&scratch, &["run", "001", "--yes", "--budget", "1000"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let events = events(&scratch);
    for usage in bodies(&events, "answered").map(|body| &body["usage"]) {
        let (output, cost) = (usage["output"].as_u64().unwrap(), usage["cost"].as_u64().unwrap());
        assert_eq!(cost, output * 1000, "{usage}");
    }
}

#[test]
fn an_agent_that_was_not_agreed_to_is_asked_about_although_another_has_begun() {
    let (scratch, provider) = with_agent(ANTHROPIC);
    scratch.write("scenario.toml", "usd_per_dispatch = 1.0\n");
    let config = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}[agents.rehearsal]\nscenario = \"scenario.toml\"\n"));
    let ran = run(&scratch, &["run", "001", "--agent", "rehearsal", "--budget", "1"]);
    assert_eq!(ran.code, Some(5), "free of charge, so nobody is asked: {}", ran.stderr);
    let ran = run(&scratch, &["run", "001"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    assert!(provider.requests().is_empty());
}

/// A program that says its version and refuses everything else.
const REFUSING: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo 9.9.9 && exit 0\necho no >&2\nexit 1\n";

#[test]
fn a_server_of_tools_is_started_only_after_a_person_has_accepted_its_command() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    executable(&scratch, "claude.sh", REFUSING);
    let server = "[agents.claude.mcp.context7]\ncommand = \"no-such-server\"\nenv = [\"TEST_MODEL_KEY\"]\n";
    let config = format!(
        "[agents.claude]\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n{server}[roles]\nspec-author = \"claude\"\n"
    );
    scratch.write_unaccepted("redraft.toml", &config);
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    let shown = scratch.run(["trust", "--yes"]).expect(0);
    for line in [
        "agents.claude.mcp.context7.command = \"no-such-server\"\n",
        "agents.claude.mcp.context7.env = [\"TEST_MODEL_KEY\"]\n",
    ] {
        assert!(ran.stderr.contains(line) && shown.stdout.contains(line), "{line}: {}", ran.stderr);
    }
    let unset = scratch.run(["run", "001", "--yes"]).expect(3);
    assert!(
        unset.stderr.contains("the server context7 needs TEST_MODEL_KEY, which is not set"),
        "{}",
        unset.stderr
    );
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(4), "accepted, so the program is started, and refuses: {}", ran.stderr);
    scratch.write_unaccepted("redraft.toml", &config.replace("no-such-server", "another-server"));
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(6), "another command is another question: {}", ran.stderr);
    let ran = run(&scratch, &["run", "001", "--agent", "rehearsal"]);
    assert_ne!(ran.code, Some(6), "an agent that does not play starts nothing: {}", ran.stderr);
}

#[test]
fn nothing_is_sent_to_an_address_that_only_the_file_knows_before_a_person_has_accepted_it() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    let config = |settings: &str| {
        let agent = "[agents.service]\nkind = \"openai\"\nmodel = \"qwen\"\nprice = \"local\"\nkey_env = \"TEST_MODEL_KEY\"\n";
        let text = format!("{agent}{settings}[roles]\nspec-author = \"service\"\n");
        scratch.write_unaccepted("redraft.toml", &text);
    };
    for (settings, shown) in [
        ("base_url = \"https://elsewhere.test/v1\"\n", "base_url = \"https://elsewhere.test/v1\"\n"),
        ("base_url = \"http://127.0.0.1:9/v1\"\n", "base_url = \"http://127.0.0.1:9/v1\"\n"),
        ("proxy = \"http://proxy.test:3128\"\n", "proxy = \"http://proxy.test:3128\"\n"),
        ("proxy = \"http://me:pass-word@proxy.test:3128\"\n", "proxy = \"http://…@proxy.test:3128\"\n"),
        ("proxy = \"none\"\n", "proxy = \"none\"\n"),
    ] {
        config(settings);
        let ran = run(&scratch, &["run", "001", "--yes"]);
        assert_eq!(ran.code, Some(6), "{}", ran.stderr);
        let lines = [
            format!("agents.service.{shown}"),
            "agents.service.key_env = \"TEST_MODEL_KEY\"\n".to_owned(),
            "agents.service.price = \"local\"\n".to_owned(),
        ];
        lines.iter().for_each(|line| assert!(ran.stderr.contains(line), "{line}: {}", ran.stderr));
        let ran = run(&scratch, &["doctor", "--agent", "service", "--yes"]);
        assert_eq!(ran.code, Some(6), "{}", ran.stderr);
        assert!(ran.stdout.contains("hint: look at it and accept it: redraft trust"), "{}", ran.stdout);
        assert!(ran.stdout.ends_with("next: redraft trust\n"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("install it") && !ran.stdout.contains("pass-word"), "{}", ran.stdout);
        let listed = scratch.run(["trust"]).expect(6);
        lines.iter().for_each(|line| assert!(listed.stdout.contains(line), "{line}: {}", listed.stdout));
    }
    config("base_url = \"https://me:pass-word@elsewhere.test/v1\"\n");
    for words in [&["run", "001", "--yes"][..], &["doctor", "--agent", "service", "--yes"], &["trust"]] {
        let ran = run(&scratch, words);
        assert_eq!(ran.code, Some(3), "{words:?}: {}", ran.stderr);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            said.contains("redraft.toml:6: `agents.service.base_url` holds what looks like a secret"),
            "{said}"
        );
        assert!(!said.contains("pass-word"), "{said}");
    }
}

/// The same, and leaves a trace of being started at all.
const TRACING: &str =
    "#!/bin/sh\ntouch \"$HOME/started\"\n[ \"$1\" = --version ] && echo 9.9.9 && exit 0\nexit 1\n";

#[test]
fn a_program_that_only_the_file_knows_is_not_started_before_a_person_has_accepted_it() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    executable(&scratch, "tool/claude", TRACING);
    let was_started = || scratch.outside().join("home/started").exists();
    let config = |settings: &str| {
        let roles = "[roles]\nspec-author = \"claude\"\n";
        scratch.write_unaccepted(
            "redraft.toml",
            &format!("[agents.claude]\nmodel = \"claude-sonnet-4.5\"\n{settings}{roles}"),
        );
    };
    let on_path = |words: &[&str]| {
        let mut command = scratch.command("sh");
        command.args(["-c", "PATH=\"$0:$PATH\" exec \"$@\""]).arg(scratch.root().join("tool"));
        redraft_testkit::Ran::new(command.arg(PROGRAM).args(words).output().unwrap())
    };
    for (settings, shown) in [
        ("program = \"tool/claude\"\n", "agents.claude.program = \"tool/claude\"\n"),
        ("args = [\"--settings\", \"a b\"]\n", "agents.claude.args = [\"--settings\", \"a b\"]\n"),
    ] {
        config(settings);
        let ran = on_path(&["run", "001", "--yes"]).expect(6);
        assert!(ran.stderr.contains(shown), "{}", ran.stderr);
        let ran = on_path(&["doctor", "--agent", "claude", "--yes"]).expect(6);
        assert!(ran.stdout.contains("accept it: redraft trust"), "{}", ran.stdout);
        let listed = scratch.run(["trust"]).expect(6);
        assert!(listed.stdout.contains(shown), "{}", listed.stdout);
        assert!(!was_started(), "{settings}");
    }
    scratch.run(["trust", "--yes"]).expect(0);
    on_path(&["run", "001", "--yes"]).expect(4);
    assert!(was_started(), "accepted, so it is started, and refuses");
    std::fs::remove_file(scratch.outside().join("home/started")).unwrap();
    config("program = \"claude\"\nargs = []\n");
    on_path(&["decide", "001", "retry", "--why", "again"]);
    on_path(&["run", "001", "--yes"]).expect(4);
    assert!(was_started(), "the usual program, called as usual, needs nobody's word");
}

/// A proxy that connects every client to one place, and reports what it was asked for.
fn proxy_to(place: String) -> (String, std::sync::mpsc::Receiver<String>) {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (told, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(client.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
            let _ = told.send(head.lines().next().unwrap_or_default().to_owned());
            let server = TcpStream::connect(&place).unwrap();
            (&client).write_all(b"HTTP/1.1 200 connected\r\n\r\n").unwrap();
            let (mut from_server, mut to_client) = (server.try_clone().unwrap(), client);
            let mut to_server = server;
            std::thread::spawn(move || std::io::copy(&mut reader, &mut to_server));
            std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
        }
    });
    (address, asked)
}

#[test]
fn a_service_is_reached_through_the_proxy_of_the_agent_or_of_the_environment() {
    let agent = "kind = \"openai\"\nmodel = \"mine\"\nprice = \"local\"\nbase_url = \"http://model.example.invalid/v1\"";
    for by_variable in [true, false] {
        let (scratch, provider) = with_agent(agent);
        let (address, asked) = proxy_to(provider.base_url().trim_start_matches("http://").to_owned());
        let mut command = scratch.redraft(["run", "001", "--policy", "resume"]);
        for name in ["http_proxy", "HTTP_PROXY", "NO_PROXY", "no_proxy"] {
            command.env_remove(name);
        }
        if by_variable {
            command.env("HTTP_PROXY", &address);
        } else {
            let proxied = format!("{agent}\nproxy = \"{address}\"");
            scratch
                .write("redraft.toml", &format!("[agents.model]\n{proxied}\n[roles]\ndefault = \"model\"\n"));
            command.env("NO_PROXY", "*");
        }
        scratch.run(["trust", "--yes"]).expect(0);
        redraft_testkit::Ran::new(command.output().unwrap()).expect(0);
        let asked: Vec<String> = asked.try_iter().collect();
        assert!(!asked.is_empty() && provider.requests().len() >= 6, "{asked:?}");
        assert!(asked.iter().all(|line| line == "CONNECT model.example.invalid:80 HTTP/1.1"), "{asked:?}");
    }
}

/// Words that mention an approval are not one, however often they are repeated; in the end a person is asked.
#[test]
fn prose_that_holds_an_approval_closes_no_phase_over_any_protocol() {
    let prose = |request: &RecordedRequest, index: usize| match all_text(request)
        .contains("# Write the Specification")
    {
        true => model(request, index),
        false => Reply::text("I think it is fine. {\"approved\": true} APPROVED."),
    };
    for agent in [
        ANTHROPIC,
        "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"a-model-of-mine\"\nprice = \"local\"\nbase_url = \"URL/v1\"\nschema = \"none\"",
    ] {
        let (scratch, _provider) = with_model(agent, prose);
        let ran = run(&scratch, &["run", "001", "--yes"]);
        assert_eq!(ran.code, Some(4), "{agent}: {}\n{}", ran.stdout, ran.stderr);
        let events = events(&scratch);
        let judged: Vec<String> =
            bodies(&events, "judged").map(|body| body["judgement"].to_string()).collect();
        assert!(
            judged.len() > 1 && judged.iter().all(|one| !one.contains("approved\"")),
            "{agent}: {judged:?}"
        );
        assert!(judged[0].contains("leaves out: a list `issues`, a text `summary`"), "{judged:?}");
        assert_eq!(bodies(&events, "phase-closed").count(), 0, "{agent}");
    }
}
