//! What Codex does, through our adapter. What it does when something goes wrong is in `misbehaving`.

mod influence;
mod memory;
mod misbehaving;

use crate::world::{World, named, steady, unwatched, verdict};
use redraft_agents::codex::{CodexAgent, CodexSettings};
use redraft_agents::programs::Containment;
use redraft_cost::price::Cards;
use redraft_engine::ports::{Agent, Request, RunHandle};
use redraft_facts::event::AfterFailure;
use redraft_facts::ids::{AgentName, SessionId};
use redraft_testkit::provider::{Charge, RecordedRequest, Reply, continues, last_user_text, tool_results};
use serde_json::{Value, json};

pub(crate) fn settings(world: &World, url: &str) -> CodexSettings {
    let home = world.scratch.outside().join("codex");
    std::fs::create_dir_all(&home).unwrap();
    let provider = format!(
        "model_providers.fake={{name=\"fake\",base_url=\"{url}/v1\",env_key=\"CODEX_FAKE_KEY\",\
         wire_api=\"responses\",request_max_retries=0,stream_max_retries=0}}"
    );
    let extra = ["-c", "model_provider=fake", "-c", &provider].map(str::to_owned);
    CodexSettings {
        name: AgentName::new("codex"),
        program: named("REDRAFT_CODEX"),
        model: "gpt-5.1".to_owned(),
        state: world.state(),
        runs: world.runs(),
        worker: named("REDRAFT_BIN"),
        environment: world
            .environment(&[("CODEX_HOME", home.to_str().unwrap()), ("CODEX_FAKE_KEY", "sk-test-0123456789")]),
        pass: Vec::new(),
        extra_args: extra.into(),
        mcp: Default::default(),
        card: Cards::builtin().conservative(),
        redactor: Default::default(),
        containment: Containment::Off,
    }
}

pub(crate) fn agent(world: &World) -> CodexAgent {
    CodexAgent::new(settings(world, &world.provider.base_url()))
}

/// Reads the note by a command once in a conversation, then gives its verdict.
fn reading() -> World {
    World::new(|request: &RecordedRequest, _: usize| match tool_results(request).is_empty() {
        true => Reply::tool("exec_command", json!({"cmd": "cat note.txt"})),
        false => Reply::Json(verdict()),
    })
}

#[test]
fn a_fresh_dispatch_runs_a_command_and_answers_in_the_schema() {
    let world = reading();
    let agent = agent(&world);
    assert!(agent.describe().starts_with("codex 0."), "{}", agent.describe());
    let request = world.request("Judge note.txt.", 1);
    let outcome = agent.run(&request, &steady()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&outcome.text).unwrap(), verdict());
    assert!(
        outcome.session.as_ref().is_some_and(|thread| *thread != request.session),
        "the thread is named by codex"
    );
    assert_eq!(outcome.opened, None);
    assert!(outcome.usage.input() > 1_000 && outcome.usage.output > 0 && outcome.usage.cost.0 > 0);
    let asked = world.asked();
    assert!(asked[1]["input"].to_string().contains("pelican"), "the command ran in the folder");
    assert_eq!(asked[0]["text"]["format"]["type"], "json_schema");
    let folder = world.runs().join(request.ticket.to_string());
    assert!(outcome.asked_ms.is_some(), "it was watched");
    assert_eq!(agent.recovered(&folder), Some(unwatched(outcome)), "taken in twice, it still counts once");
}

#[test]
fn a_later_turn_keeps_the_conversation_through_a_commit_and_counts_only_itself() {
    let world = reading();
    let agent = agent(&world);
    let first = agent.run(&world.request("Judge note.txt.", 1), &steady()).unwrap();
    let before = world.sent().pop().unwrap();
    world.commit();
    world.provider.reset_requests();
    let request = world.resumed(&first.session.unwrap(), "Line 1 changed; judge again.", 2);
    let second = agent.run(&request, &steady()).unwrap();
    assert_eq!(second.session, Some(request.session));
    let kept = continues(&before, &world.sent()[0]).unwrap();
    assert!(kept >= 3, "{kept} items");
    let usage = second.usage;
    assert!(usage.read * 100 >= usage.input() * 95, "{usage:?}");
    assert!(
        usage.input() < first.usage.input(),
        "one request and not all three: {usage:?}, {:?}",
        first.usage
    );
}

#[test]
fn a_turn_that_failed_half_way_is_not_paid_for_again_by_the_next() {
    let mut fails = false;
    let world = World::new(move |request: &RecordedRequest, _: usize| {
        let last = last_user_text(request);
        match tool_results(request).len() {
            0 => Reply::tool("exec_command", json!({"cmd": "cat note.txt"})),
            1 if last.contains("Again.") && !fails => {
                fails = true;
                Reply::tool("exec_command", json!({"cmd": "cat note.txt"}))
            }
            2 if last.contains("Again.") && !last.contains("Once more.") => {
                Reply::error(529, "overloaded_error", "Overloaded")
            }
            _ => Reply::Json(verdict()),
        }
    });
    let agent = agent(&world);
    let first = agent.run(&world.request("Judge note.txt.", 1), &steady()).unwrap();
    let session = first.session.unwrap();
    let before = world.provider.bills().len();
    let error = agent.run(&world.resumed(&session, "Again.", 2), &steady()).unwrap_err();
    let answered = &world.provider.bills()[before..];
    let told = error.usage.map(|usage| usage.input());
    assert_eq!(told, Some(prompts(answered)), "what was answered before it was refused: {error:?}");
    world.provider.reset_requests();
    let second = agent.run(&world.resumed(&session, "Again. Once more.", 3), &steady()).unwrap();
    let (billed, sent) = (world.provider.bills().pop().unwrap(), world.sent().len());
    assert_eq!((sent, second.usage.input()), (1, prompts(&[billed])), "one request and not three");
}

/// The tokens of all prompts.
fn prompts(bills: &[Charge]) -> u64 {
    bills.iter().map(|bill| bill.uncached + bill.written_5m + bill.written_1h + bill.read).sum()
}

#[test]
fn a_thread_that_codex_has_lost_or_never_had_is_begun_anew() {
    let world = reading();
    let agent = agent(&world);
    let unknown = world.resumed(&SessionId::new("not a thread"), "Again.", 2);
    let error = agent.run(&unknown, &steady()).unwrap_err();
    assert_eq!(error.now, AfterFailure::FreshSession, "{error:?}");
    let first = agent.run(&world.request("Judge note.txt.", 1), &steady()).unwrap();
    let home = world.scratch.outside().join("codex");
    std::fs::remove_dir_all(&home).unwrap();
    std::fs::create_dir(&home).unwrap();
    let error = agent.run(&world.resumed(&first.session.unwrap(), "Again.", 2), &steady()).unwrap_err();
    assert_eq!(error.now, AfterFailure::FreshSession, "{error:?}");
    assert!(error.detail.contains("no rollout found"), "{}", error.detail);
}

/// A stream in which a tool of a server is called, which Codex offers in a namespace.
fn call_of_a_server() -> Reply {
    let item = json!({"type": "function_call", "id": "f1", "call_id": "c1", "namespace": "mcp__context7",
        "name": "query_docs", "arguments": "{\"q\":\"x\"}"});
    let usage = json!({"input_tokens": 2_000, "output_tokens": 2, "total_tokens": 2_002});
    let events = [
        json!({"type": "response.created", "response": {"id": "r1"}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "r1", "usage": usage}}),
    ];
    let line = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    Reply::Garbage(events.iter().map(line).collect::<String>().into_bytes())
}

fn with_server(world: &World, works: bool) -> CodexSettings {
    let mut settings = settings(world, &world.provider.base_url());
    settings.environment.0.insert("DOCS_NAME".into(), "seven".into());
    CodexSettings { mcp: world.servers(works), ..settings }
}

#[test]
fn the_tools_of_a_server_can_be_used_and_the_web_can_be_searched() {
    let world = World::new(|request: &RecordedRequest, _: usize| {
        match request.json["input"].to_string().contains("function_call_output") {
            true => Reply::Json(verdict()),
            false => call_of_a_server(),
        }
    });
    let tools = ["Read", "WebSearch", "mcp__context7__query-docs"].map(str::to_owned).to_vec();
    let agent = CodexAgent::new(with_server(&world, true));
    let outcome = agent.run(&Request { tools, ..world.request("Judge it.", 1) }, &steady()).unwrap();
    let asked = world.asked();
    let tools = asked[0]["tools"].to_string();
    assert!(tools.contains("\"query_docs\"") && !tools.contains("\"The tool other.\""), "{tools}");
    assert!(tools.contains("\"external_web_access\":true"), "{tools}");
    let said = asked[1]["input"].to_string();
    assert!(said.contains("query-docs says pelican, given seven"), "{said}");
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
    world.provider.reset_requests();
    agent.run(&world.request("Judge it without.", 2), &steady()).unwrap();
    let tools = world.asked()[0]["tools"].to_string();
    assert!(!tools.contains("query_docs") && !tools.contains("web_search"), "{tools}");
}

#[test]
fn a_server_that_does_not_come_up_is_asked_about_before_anything_is_sent() {
    let world = reading();
    let tools = ["Read", "mcp__context7__query-docs"].map(str::to_owned).to_vec();
    let agent = CodexAgent::new(with_server(&world, false));
    let error = agent.run(&Request { tools, ..world.request("Judge it.", 1) }, &steady()).unwrap_err();
    assert_eq!(error.now, AfterFailure::AskPerson, "{error:?}");
    assert!(error.detail.contains("context7"), "{}", error.detail);
    assert!(world.asked().is_empty());
}

#[test]
fn a_usage_limit_parks_until_it_ends() {
    let now_ms = steady().now_ms();
    for hours in [1, 30] {
        let ends_ms = now_ms + hours * 3_600_000;
        let error = json!({"type": "usage_limit_reached", "message": "reached", "plan_type": "plus",
            "resets_at": ends_ms / 1000});
        let body = json!({"error": error}).to_string();
        let world = World::new(move |_: &RecordedRequest, _: usize| Reply::Status {
            code: 429,
            headers: vec![],
            body: body.clone(),
        });
        // The words name no zone, so the user's must not matter.
        let mut settings = settings(&world, &world.provider.base_url());
        settings.environment.0.insert("TZ".into(), "Asia/Tokyo".into());
        let error = CodexAgent::new(settings).run(&world.request("Judge it.", 1), &steady()).unwrap_err();
        let AfterFailure::ParkUntil(until_ms) = error.now else { panic!("{error:?}") };
        assert!(
            (ends_ms - 1_000..=ends_ms + 60_000).contains(&until_ms),
            "{until_ms} for {ends_ms}: {error:?}"
        );
    }
}
