//! Tests whole loops with agents that have a model behind them; the model is a script on this machine.

mod accepted;

use crate::world::{PROGRAM, bodies, entries, events, left};
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
