//! What becomes of Codex when its model, its service, its commands or its processes misbehave. Nothing of it may be
//! left running, whatever happened.

use super::{agent, reading, settings};
use crate::world::{StopAt, World, kill_program, kill_worker, named, steady, unwatched, verdict, within_ms};
use redraft_agents::codex::CodexAgent;
use redraft_engine::ports::{Agent, AgentError, Request};
use redraft_facts::event::AfterFailure;
use redraft_testkit::provider::{RecordedRequest, Reply, tool_results};
use serde_json::json;

/// Starts a command that goes on while the model is told so, and is then never answered.
fn starting() -> World {
    World::new(|request: &RecordedRequest, _: usize| match tool_results(request).is_empty() {
        true => Reply::tool("exec_command", json!({"cmd": "sleep 4432", "yield_time_ms": 300})),
        false => Reply::Stall,
    })
}

/// Runs a dispatch until the model was told that the command was started, then does something to it.
fn struck(world: &World, strike: impl FnOnce(&Request)) -> AgentError {
    let (agent, request, watch) = (agent(world), world.request("Start it.", 1), steady());
    std::thread::scope(|scope| {
        let running = scope.spawn(|| agent.run(&request, &watch));
        world.wait_for_sent(2);
        assert!(world.runs_a("sleep 4432"), "{:?}", world.scratch.processes());
        strike(&request);
        running.join().unwrap().unwrap_err()
    })
}

#[test]
fn a_reviewer_cannot_write_and_an_author_can() {
    for (may_write, written) in [(vec![], false), (vec!["made.txt".to_owned()], true)] {
        let world =
            World::new(|request: &RecordedRequest, _: usize| match tool_results(request).is_empty() {
                true => Reply::tool("exec_command", json!({"cmd": "echo x > made.txt"})),
                false => Reply::text("not in the schema"),
            });
        let request = Request { may_write, ..world.request("Try to write.", 1) };
        let outcome = agent(&world).run(&request, &steady()).unwrap();
        assert_eq!(outcome.text, "not in the schema");
        assert_eq!(world.scratch.root().join("made.txt").exists(), written);
        world.nothing_is_left();
    }
}

#[test]
fn errors_of_the_service_say_what_to_do_next() {
    for (reply, wanted, usage) in [
        (Reply::error(429, "rate_limit_exceeded", "Slow down"), "wait", AgentError::UNBILLED),
        // It reports high demand and no status.
        (Reply::error(500, "server_error", "oops"), "wait", AgentError::UNBILLED),
        (Reply::error(503, "server_error", "401 403 400"), "wait", AgentError::UNBILLED),
        (Reply::error(503, "server_is_overloaded", "busy"), "wait", AgentError::UNBILLED),
        (Reply::error(502, "server_error", "a gateway gave up"), "wait", None),
        (Reply::error(529, "overloaded_error", "Overloaded"), "wait", AgentError::UNBILLED),
        (Reply::text("half").cut_after(3), "wait", None),
        (Reply::error(401, "invalid_api_key", "bad key sk-test-0123456789"), "ask", AgentError::UNBILLED),
        (Reply::error(400, "invalid_request_error", "no such model"), "ask", AgentError::UNBILLED),
    ] {
        let told = format!("{reply:?}");
        let world = World::new(move |_: &RecordedRequest, _: usize| reply.clone());
        let error = agent(&world).run(&world.request("Judge it.", 1), &steady()).unwrap_err();
        let now = match error.now {
            AfterFailure::Wait(ms) if ms > 0 => "wait",
            AfterFailure::AskPerson => "ask",
            _ => "another",
        };
        assert_eq!((now, error.usage), (wanted, usage), "{told}: {error:?}");
        assert!(!error.detail.contains("sk-test-0123456789"), "{}", error.detail);
        assert_eq!(world.asked().len(), 1, "{told}: nothing is repeated");
        world.nothing_is_left();
    }
}

#[test]
fn a_service_that_cannot_be_reached_is_given_up_at_our_deadline_and_nothing_is_left() {
    let world = reading();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let request = Request { deadlines: within_ms(3_000), ..world.request("Judge it.", 1) };
    let error = CodexAgent::new(settings(&world, &url)).run(&request, &steady()).unwrap_err();
    assert!(error.detail.contains(" 3 s"), "{error:?}");
    assert_eq!((error.now, error.interrupted), (AfterFailure::GiveUp, false));
    world.nothing_is_left();
}

#[test]
fn an_answer_that_ignores_the_schema_is_kept_and_is_no_verdict_even_if_it_holds_one() {
    for said in ["I think it is fine.".to_owned(), format!("It is fine.\n\n{}", verdict())] {
        let text = said.clone();
        let world = World::new(move |_: &RecordedRequest, _: usize| Reply::text(text.clone()));
        let (agent, request) = (agent(&world), world.request("Judge it.", 1));
        let outcome = agent.run(&request, &steady()).unwrap();
        assert_eq!((&outcome.text, outcome.formless), (&said, true));
        assert!(outcome.session.is_some(), "so that it can be asked once more");
        assert_eq!(world.asked()[0]["text"]["format"]["type"], "json_schema", "it was asked for");
        let folder = world.runs().join(request.ticket.to_string());
        assert_eq!(agent.recovered(&folder), Some(unwatched(outcome)), "also after a crash");
        world.nothing_is_left();
    }
}

#[test]
fn a_service_that_hangs_is_given_up_at_the_deadline_and_nothing_is_left() {
    let world = World::new(|_: &RecordedRequest, _: usize| Reply::Stall);
    let request = Request { deadlines: within_ms(4_000), ..world.request("Judge it.", 1) };
    let error = agent(&world).run(&request, &steady()).unwrap_err();
    assert_eq!(
        (error.now, error.interrupted, error.usage),
        (AfterFailure::GiveUp, false, None),
        "{}",
        error.detail
    );
    assert!(error.detail.contains(" 4 s"), "{}", error.detail);
    assert_eq!(world.asked().len(), 1);
    world.nothing_is_left();
}

#[test]
fn stopping_a_run_ends_the_command_that_codex_runs() {
    let world = starting();
    let watch = StopAt { world: &world, word: "sleep 4432", clock: steady() };
    let error = agent(&world).run(&world.request("Wait.", 1), &watch).unwrap_err();
    assert!(error.interrupted, "{error:?}");
    world.nothing_is_left();
}

#[test]
fn nothing_of_codex_survives_when_its_keeper_is_killed() {
    let world = starting();
    let error = struck(&world, |request| kill_worker(&world, request));
    assert!(error.detail.contains("was ended from outside"), "{error}");
    assert_eq!((error.now, error.usage), (AfterFailure::GiveUp, None), "it may have been billed");
    world.nothing_is_left();
}

#[test]
fn nothing_of_codex_survives_when_it_is_killed_itself() {
    let world = starting();
    let error = struck(&world, |_| kill_program(&world, &named("REDRAFT_CODEX")));
    assert!(error.detail.starts_with("codex ended with signal 9 and no completed turn"), "{error}");
    assert_eq!((error.now, error.usage), (AfterFailure::GiveUp, None), "it may have been billed");
    world.nothing_is_left();
}
