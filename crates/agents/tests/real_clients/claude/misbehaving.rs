//! What becomes of Claude Code when its model, its service, its tools or its processes misbehave. Nothing of it may be
//! left running, whatever happened.

use super::{MODEL, agent, settings};
use crate::world::{
    SCHEMA, StopAfter, StopAt, World, kill_program, kill_worker, named, steady, unwatched, verdict, within_ms,
};
use redraft_agents::claude::{ClaudeAgent, ClaudeSettings};
use redraft_engine::ports::{Agent, AgentError, Request};
use redraft_facts::event::AfterFailure;
use redraft_testkit::provider::{RecordedRequest, Reply, was_tool_used};
use serde_json::{Value, json};
use std::process::Stdio;

/// An agent that may use the shell, and a request that offers it.
fn with_shell(world: &World, turn: &str) -> (ClaudeAgent, Request) {
    let allowed = ["--allowedTools", "Bash"].map(str::to_owned).into();
    let agent = ClaudeAgent::new(ClaudeSettings { extra_args: allowed, ..settings(world) });
    (agent, Request { tools: vec!["Bash".to_owned()], ..world.request(turn, 1) })
}

/// Starts a process that outlives its command, in a session of its own, and is then never answered.
fn starting() -> World {
    World::new(|request: &RecordedRequest, _: usize| match was_tool_used(request, "Bash") {
        true => Reply::Stall,
        false => Reply::tool(
            "Bash",
            json!({"command": "setsid sleep 4332 & echo started", "description": "starts"}),
        ),
    })
}

/// Runs a dispatch until the model was told that the process was started, then does something to it.
fn struck(world: &World, strike: impl FnOnce(&Request)) -> AgentError {
    let (agent, request) = with_shell(world, "Start it.");
    let watch = steady();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| agent.run(&request, &watch));
        world.wait_for_sent(2);
        assert!(world.runs_a("sleep 4332"), "{:?}", world.scratch.processes());
        strike(&request);
        running.join().unwrap().unwrap_err()
    })
}

#[test]
fn a_tool_that_the_role_may_not_use_is_denied_and_told() {
    let world = World::new(|request: &RecordedRequest, _: usize| match was_tool_used(request, "Write") {
        true => Reply::Json(verdict()),
        false => Reply::tool("Write", json!({"file_path": "sneaky.txt", "content": "x"})),
    });
    let mut request = world.request("Judge it.", 1);
    request.tools.push("Write".to_owned());
    let outcome = agent(&world).run(&request, &steady()).unwrap();
    assert_eq!(outcome.denials.len(), 1, "{:?}", outcome.denials);
    assert!(outcome.denials[0].starts_with("Write ") && outcome.denials[0].ends_with("sneaky.txt"));
    assert!(!world.scratch.root().join("sneaky.txt").exists());
    let author = Request { may_write: vec!["sneaky.txt".to_owned()], ..world.request("Write it.", 2) };
    let session = redraft_facts::ids::SessionId::new("22222222-2222-4222-8222-222222222222");
    let author = Request { session, tools: request.tools.clone(), ..author };
    let outcome = agent(&world).run(&author, &steady()).unwrap();
    assert!(outcome.denials.is_empty() && world.scratch.root().join("sneaky.txt").exists(), "{outcome:?}");
    world.nothing_is_left();
}

#[test]
fn an_answer_that_ignores_the_schema_is_kept_and_is_no_verdict_even_if_it_looks_like_one() {
    let said = verdict().to_string();
    let world = World::new(move |_: &RecordedRequest, _: usize| Reply::text(said.clone()));
    let (agent, request) = (agent(&world), world.request("Judge it.", 1));
    let outcome = agent.run(&request, &steady()).unwrap();
    assert_eq!((outcome.text.as_str(), outcome.formless), (verdict().to_string().as_str(), true));
    assert_eq!(outcome.session, Some(request.session.clone()), "so that it can be asked once more");
    assert_eq!(world.asked().len(), 2, "the program reminds it once");
    let folder = world.runs().join(request.ticket.to_string());
    assert_eq!(agent.recovered(&folder), Some(unwatched(outcome)), "also after a crash");
    world.nothing_is_left();
    let tools = world.asked()[0]["tools"].to_string();
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert!(
        tools.contains("StructuredOutput") && tools.contains(&schema["properties"].to_string()),
        "{tools}"
    );
}

#[test]
fn errors_of_the_service_say_what_to_do_next() {
    for (reply, wanted) in [
        (Reply::error(529, "overloaded_error", "Overloaded"), "wait"),
        (Reply::error(403, "permission_error", "sk-ant-test-0123456789 is not allowed"), "ask"),
        (Reply::error(400, "invalid_request_error", "Your credit balance is too low"), "ask"),
        (
            Reply::error(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
            "ask",
        ),
    ] {
        let told = format!("{reply:?}");
        let world = World::new(move |_: &RecordedRequest, _: usize| reply.clone());
        let error = agent(&world).run(&world.request("Judge it.", 1), &steady()).unwrap_err();
        let now = match error.now {
            AfterFailure::Wait(ms) if ms > 0 => "wait",
            AfterFailure::AskPerson => "ask",
            _ => "another",
        };
        assert_eq!(now, wanted, "{told}: {error:?}");
        assert!(!error.detail.contains("sk-ant-test"), "{}", error.detail);
        assert!(!error.interrupted && error.usage == AgentError::UNBILLED, "{error:?}");
        let again = if wanted == "wait" { 1 } else { 0 };
        assert_eq!(world.asked().len(), 1 + again, "{told}: repeated as often as the environment says");
        world.nothing_is_left();
    }
}

#[test]
fn a_key_that_is_refused_ends_the_program_before_it_tries_again() {
    let world = World::new(|_: &RecordedRequest, _: usize| {
        Reply::error(401, "authentication_error", "invalid x-api-key sk-ant-test-0123456789")
    });
    let mut settings = settings(&world);
    settings.environment.0.insert("CLAUDE_CODE_MAX_RETRIES".into(), "10".into());
    let error = ClaudeAgent::new(settings).run(&world.request("Judge it.", 1), &steady()).unwrap_err();
    assert_eq!((error.now, error.interrupted), (AfterFailure::AskPerson, false), "{error:?}");
    assert!(error.detail.contains("401") && !error.detail.contains("sk-ant-test"), "{}", error.detail);
    assert_eq!((world.asked().len(), error.usage), (1, AgentError::UNBILLED), "{error:?}");
    world.nothing_is_left();
}

#[test]
fn what_was_counted_before_a_deadline_is_what_it_cost() {
    let world = World::new(|_: &RecordedRequest, _: usize| {
        // Newer versions do not run a command that does nothing but sleep.
        Reply::tool("Bash", json!({"command": "echo waits | tail -f - ; sleep 4333", "description": "waits"}))
    });
    let (agent, request) = with_shell(&world, "Wait.");
    let request = Request { deadlines: within_ms(6_000), ..request };
    let error = agent.run(&request, &steady()).unwrap_err();
    assert_eq!((error.now, world.asked().len()), (AfterFailure::GiveUp, 1), "{error:?}");
    let billed = world.provider.bills().pop().unwrap();
    let usage = error.usage.unwrap();
    assert_eq!((usage.written, usage.uncached), (billed.written_5m, billed.uncached), "{usage:?}");
    assert!(usage.output > 0 && usage.cost.0 > 0 && usage.cost < agent.highest_cost(&request), "{usage:?}");
    world.nothing_is_left();
}

#[test]
fn a_reminder_that_is_not_answered_may_have_been_billed() {
    let world = World::new(|request: &RecordedRequest, _: usize| {
        match request.json["messages"].to_string().contains("I think it is fine.") {
            true => Reply::Stall,
            false => Reply::text("I think it is fine."),
        }
    });
    // Stopped when the reminder is out, however long that takes.
    let watch = StopAfter { world: &world, sent: 2, clock: steady() };
    let error = agent(&world).run(&world.request("Judge it.", 1), &watch).unwrap_err();
    assert_eq!((world.asked().len(), error.now, error.usage), (2, AfterFailure::GiveUp, None), "{error:?}");
}

#[test]
fn a_stream_that_was_cut_still_costs_something() {
    let world = World::new(|request: &RecordedRequest, _: usize| match request.json["stream"] == true {
        true => Reply::Json(verdict()).cut_after(3),
        false => Reply::Json(verdict()),
    });
    let agent = agent(&world);
    let request = world.request("Judge it.", 1);
    let outcome = agent.run(&request, &steady()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&outcome.text).unwrap(), verdict());
    assert!(outcome.usage.cost.0 > 0, "{:?}", outcome.usage);
    world.nothing_is_left();
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
    world.nothing_is_left();
}

#[test]
fn stopping_a_run_ends_what_the_agent_started_in_sessions_of_its_own() {
    let world = World::new(|_: &RecordedRequest, _: usize| {
        Reply::tool("Bash", json!({"command": "setsid sleep 4321 & sleep 4322", "description": "waits"}))
    });
    let (agent, request) = with_shell(&world, "Wait.");
    let watch = StopAt { world: &world, word: "sleep 4322", clock: steady() };
    let error = agent.run(&request, &watch).unwrap_err();
    assert!(error.interrupted, "{error:?}");
    world.nothing_is_left();
}

#[test]
fn nothing_of_claude_survives_when_the_process_that_started_its_keeper_is_killed() {
    let world = starting();
    let out = world.runs();
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join("stdin"), "Start it.").unwrap();
    // Stands for a run: the only other end of the worker's pipe.
    let told_and_held = r#"echo '{"v":1,"secrets":[],"unkept":[]}'; exec sleep 4330"#;
    let mut run = world.scratch.command("sh");
    let mut run = run.args(["-c", told_and_held]).stdout(Stdio::piped()).spawn().unwrap();
    let mut keeper = world.scratch.redraft(["worker", "--out"]);
    keeper.arg(&out).arg("--").arg(named("REDRAFT_CLAUDE")).args([
        "-p",
        "--model",
        MODEL,
        "--allowedTools",
        "Bash",
    ]);
    keeper.env("REDRAFT_TICKET", "killed").env("ANTHROPIC_BASE_URL", world.provider.base_url());
    keeper
        .env("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    keeper.stdin(run.stdout.take().unwrap()).stdout(Stdio::null());
    let mut keeper = keeper.spawn().unwrap();
    // Asked for the second time, the model has seen that the command was started.
    world.wait_for_sent(2);
    assert!(world.runs_a("sleep 4332"), "{:?}", world.scratch.processes());
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(keeper.wait().unwrap().success());
    world.nothing_is_left();
}

#[test]
fn nothing_of_claude_survives_when_its_keeper_is_killed() {
    let world = starting();
    let error = struck(&world, |request| kill_worker(&world, request));
    assert!(error.detail.contains("was ended from outside"), "{error}");
    assert_eq!((error.now, error.usage), (AfterFailure::GiveUp, None), "it may have been billed");
    world.nothing_is_left();
}

#[test]
fn nothing_of_claude_survives_when_it_is_killed_itself() {
    let world = starting();
    let error = struck(&world, |_| kill_program(&world, &named("REDRAFT_CLAUDE")));
    assert!(error.detail.starts_with("claude ended with signal 9 and no result"), "{error}");
    assert_eq!((error.now, error.usage), (AfterFailure::GiveUp, None), "it may have been billed");
    world.nothing_is_left();
}

#[test]
fn an_agent_that_commits_is_not_stopped_here_and_its_answer_is_taken() {
    let world = World::new(|request: &RecordedRequest, _: usize| match was_tool_used(request, "Bash") {
        true => Reply::Json(verdict()),
        false => Reply::tool(
            "Bash",
            json!({"command": "git commit -q --allow-empty -m mine", "description": "commits"}),
        ),
    });
    let before = world.scratch.git(["rev-parse", "HEAD"]);
    let (agent, request) = with_shell(&world, "Commit.");
    let outcome = agent.run(&request, &steady()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&outcome.text).unwrap(), verdict());
    assert_ne!(world.scratch.git(["rev-parse", "HEAD"]), before, "undoing it is up to the engine");
    world.nothing_is_left();
}
