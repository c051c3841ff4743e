use super::*;
use redraft_engine::ports::{Cache, Naming};
use redraft_facts::event::AfterFailure;
use redraft_facts::usage::Usd;
use redraft_testkit::provider::{ScriptedCall, tool_names, tool_results};
use std::time::Duration;

#[test]
fn a_fresh_dispatch_reads_a_file_and_answers_in_the_form() {
    let world = World::answering(vec![read_spec(), Reply::Json(verdict())]);
    let agent = world.anthropic();
    let outcome = world.run(&agent, &world.fresh()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&outcome.text).unwrap(), verdict());
    assert_eq!(outcome.opened, Some(vec!["docs/spec.md".to_owned()]));
    assert_eq!(outcome.session, Some(SessionId::new("11111111-2222")));
    assert!(outcome.notes.is_empty() && outcome.denials.is_empty());

    let requests = world.provider.requests();
    let [first, second] = requests.as_slice() else { panic!("{}", requests.len()) };
    assert_eq!(first.header("x-api-key"), Some(CANARY));
    assert_eq!(first.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(
        first.json["output_config"]["format"]["schema"],
        serde_json::from_str::<Value>(SCHEMA).unwrap()
    );
    assert_eq!((&first.json["max_tokens"], &first.json["stream"]), (&json!(4_000), &json!(true)));
    assert_eq!(tool_names(first), ["Read", "List", "Glob", "Grep"]);
    assert_eq!(tool_results(second), ["    1\t# Spec\n    2\tThe limit is three.\n"]);

    let usage = outcome.usage;
    assert!(usage.written > 0 && usage.read * 100 >= usage.written * 95, "{usage:?}");
    assert!(usage.cost > Usd(0) && usage.cost < agent.highest_cost(&world.fresh()), "{usage:?}");
}

#[test]
fn boundaries_stand_after_each_stability_and_on_the_newest_message_the_longer_before_the_shorter() {
    let world = World::answering(vec![read_spec(), Reply::Json(verdict())]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    let controls = |request: &RecordedRequest| {
        let system = request.json["system"].as_array().unwrap().iter();
        let messages = request.json["messages"].as_array().unwrap().iter();
        let blocks = system.chain(messages.flat_map(|message| message["content"].as_array().unwrap()));
        blocks.map(|block| block["cache_control"].clone()).collect::<Vec<Value>>()
    };
    let (hour, minutes) = (json!({"type": "ephemeral", "ttl": "1h"}), json!({"type": "ephemeral"}));
    let requests = world.provider.requests();
    assert_eq!(controls(&requests[0]), [hour.clone(), hour.clone(), hour.clone(), minutes.clone()]);
    // The tool call and its result follow; the boundary has moved to the result.
    let none = Value::Null;
    assert_eq!(controls(&requests[1]), [hour.clone(), hour.clone(), hour, none.clone(), none, minutes]);
}

#[test]
fn a_shorter_lifetime_is_raised_to_what_stands_behind_it() {
    let world = World::answering(vec![Reply::Json(verdict())]);
    let hours = |system: Lifetime, stable: Lifetime, tail: Lifetime| {
        world.provider.reset_requests();
        let agent = world.anthropic();
        let request = Request { marks: marks(Some(system), Some(stable), Some(tail)), ..world.fresh() };
        world.run(&agent, &request).unwrap();
        (world.bodies()[0].matches(r#""ttl":"1h""#).count(), agent.highest_cost(&request))
    };
    use Lifetime::{FiveMinutes, HalfHour, Hour};
    let (all, dear) = hours(FiveMinutes, FiveMinutes, Hour);
    assert_eq!(all, 4, "the conversation and all before it");
    assert_eq!(hours(FiveMinutes, HalfHour, FiveMinutes).0, 3, "half an hour is not sold, an hour is");
    let (none, cheap) = hours(FiveMinutes, FiveMinutes, FiveMinutes);
    assert_eq!(none, 0);
    assert!(cheap < dear, "a longer lifetime costs more to write: {cheap}, {dear}");
}

#[test]
fn a_later_turn_may_ask_for_other_lifetimes_and_still_reads_the_cache() {
    let world = World::answering(vec![Reply::Json(verdict()), Reply::Json(verdict())]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    let hour = Some(Lifetime::Hour);
    let longer = Request { marks: marks(hour, hour, hour), ..world.resumed() };
    let outcome = world.run(&world.anthropic(), &longer).unwrap();
    assert_eq!(world.bodies()[1].matches(r#""ttl":"1h""#).count(), 4, "all four boundaries");
    assert!(outcome.usage.read * 100 >= outcome.usage.input() * 95, "{:?}", outcome.usage);
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
}

#[test]
fn what_need_not_be_kept_has_no_boundary_until_tools_are_called() {
    let hour = Some(Lifetime::Hour);
    let count = |request: &RecordedRequest| text_of(request).matches("cache_control").count();
    let world = World::answering(vec![read_spec(), Reply::Json(verdict()), Reply::Json(verdict())]);
    let request = Request { marks: marks(hour, hour, None), ..world.fresh() };
    world.run(&world.anthropic(), &request).unwrap();
    let counts: Vec<usize> = world.provider.requests().iter().map(count).collect();
    assert_eq!(counts, [3, 4], "the rest is sent again at once when a tool was called, so it is kept then");

    let world = World::answering(vec![Reply::Json(verdict()), Reply::Json(verdict())]);
    for (marks, boundaries) in [(marks(hour, None, None), 1), (Marks::default(), 0)] {
        world.provider.reset_requests();
        let outcome = world.run(&world.anthropic(), &Request { marks, ..world.fresh() }).unwrap();
        assert_eq!(count(&world.provider.requests()[0]), boundaries);
        assert!(outcome.usage.uncached > 0, "{:?}", outcome.usage);
    }
    // Nothing of the conversation was kept, so nothing is missed when it is continued.
    let outcome = world.run(&world.anthropic(), &world.resumed()).unwrap();
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
}

#[test]
fn its_abilities_are_those_of_the_protocol() {
    let world = World::answering(vec![Reply::Json(verdict())]);
    let abilities = world.anthropic().abilities();
    assert_eq!((abilities.cache, abilities.session_id), (Cache::Boundaries(4), Naming::Ours));
    assert_eq!(abilities.lifetimes, [Lifetime::Hour, Lifetime::FiveMinutes]);
    let mut agent = world.openai(OpenAiWire::Chat, AnswerForm::JsonSchema);
    let abilities = agent.abilities();
    assert_eq!((abilities.cache, abilities.pull), (Cache::Conversation, false), "keeping is charged for");
    assert_eq!(abilities.lifetimes, [Lifetime::HalfHour], "what the vendor gives, from the card");
    agent.card = Cards::builtin().find("grok-4.7").unwrap().clone();
    assert_eq!(agent.abilities().cache, Cache::AnyPrefix);
}

#[test]
fn a_resumed_dispatch_sends_the_same_bytes_again_and_reads_them_from_the_cache() {
    let world = World::answering(vec![read_spec(), Reply::Json(verdict()), Reply::Json(verdict())]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    // Another process continues it.
    let outcome = world.run(&world.anthropic(), &world.resumed()).unwrap();
    let bodies = world.bodies();
    let sent = |body: &str| messages(body, r#""messages":["#, r#"],"output_config""#);
    assert!(sent(&bodies[1]).starts_with(&sent(&bodies[0])));
    assert!(sent(&bodies[2]).starts_with(&sent(&bodies[1])));
    assert!(sent(&bodies[2]).ends_with(r#"{"type":"text","text":"The limit is four now."}]}"#));
    let head = |body: &str| body.split_once(r#""messages""#).unwrap().0.to_owned();
    assert_eq!(head(&bodies[0]), head(&bodies[2]));
    let usage = outcome.usage;
    assert!(usage.read * 100 >= usage.input() * 95, "{usage:?}");
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
}

#[test]
fn blocks_of_unknown_kinds_go_back_exactly_as_they_came() {
    let block = r#"{"type":"future_thing","zeta":1.50,"alpha":{"b": 2, "a":[]}}"#;
    let thinking = r#"{"type":"thinking","thinking":"","signature":""}"#;
    let stream = format!(
        "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"usage\":{{\"input_tokens\":9}}}}}}\n\n\
         data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{thinking}}}\n\n\
         data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}}}\n\n\
         data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"signature_delta\",\"signature\":\"c2ln\"}}}}\n\n\
         data: {{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{block}}}\n\n\
         data: {{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\n\
         data: {{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{{\"type\":\"text_delta\",\"text\":\"done\"}}}}\n\n\
         data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}},\"usage\":{{\"output_tokens\":3}}}}\n\n\
         data: {{\"type\":\"message_stop\"}}\n\n"
    );
    let world = World::answering(vec![Reply::Garbage(stream.into_bytes()), Reply::Json(verdict())]);
    let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
    assert_eq!((outcome.text.as_str(), outcome.usage.input(), outcome.usage.output), ("done", 9, 3));
    world.run(&world.anthropic(), &world.resumed()).unwrap();
    let thinking = r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#;
    let echoed =
        format!(r#"{{"role":"assistant","content":[{thinking},{block},{{"type":"text","text":"done"}}]}}"#);
    assert!(world.bodies()[1].contains(&echoed), "{}", world.bodies()[1]);
}

#[test]
fn a_conversation_that_is_unknown_or_was_held_otherwise_is_begun_anew() {
    let world = World::answering(vec![Reply::Json(verdict())]);
    let fresh_session = |agent: &ApiAgent, request: &Request| {
        let error = world.run(agent, request).unwrap_err();
        assert_eq!((error.now, error.usage), (AfterFailure::FreshSession, AgentError::UNBILLED), "{error}");
        error.detail
    };
    assert!(fresh_session(&world.anthropic(), &world.resumed()).contains("no conversation 11111111-2222"));
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    let other_model = AnthropicSettings { model: "claude-opus-5".to_owned(), ..world.anthropic_settings() };
    fresh_session(&ApiAgent::anthropic(other_model).unwrap(), &world.resumed());
    fresh_session(&world.anthropic(), &Request { tools: vec!["Read".to_owned()], ..world.resumed() });
    fresh_session(&world.anthropic(), &Request { schema: "{}", ..world.resumed() });
    // The same dispatch again, after its only turn was lost: nothing is left to continue.
    let again =
        Request { ticket: "031/specify.1/review/spec-reviewer/1.2".parse().unwrap(), ..world.resumed() };
    fresh_session(&world.anthropic(), &again);
    assert_eq!(world.provider.requests().len(), 1, "nothing was sent for any of them");
}

#[test]
fn a_failed_turn_leaves_the_conversation_as_it_was() {
    let refused = Reply::error(400, "invalid_request_error", "no");
    let world = World::answering(vec![Reply::Json(verdict()), read_spec(), refused, Reply::Json(verdict())]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    assert_eq!(world.run(&world.anthropic(), &world.resumed()).unwrap_err().now, AfterFailure::GiveUp);
    let again =
        Request { ticket: "031/specify.1/review/spec-reviewer/2.2".parse().unwrap(), ..world.resumed() };
    world.run(&world.anthropic(), &again).unwrap();
    let bodies = world.bodies();
    assert_eq!(bodies[1], bodies[3]);
}

#[test]
fn a_missed_cache_is_explained() {
    let world = World::answering(vec![read_spec(), Reply::Json(verdict())]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    world.provider.advance(Duration::from_secs(7_200));
    let outcome = world.run(&world.anthropic(), &world.resumed()).unwrap();
    assert!(outcome.notes[0].starts_with("only 0 of"), "{:?}", outcome.notes);
    assert!(outcome.notes[0].contains("unchanged, so the provider dropped them"), "{:?}", outcome.notes);

    let file = world.state().join("sessions/11111111-2222.jsonl");
    let changed = fs::read_to_string(&file).unwrap().replace("what a reviewer does", "what a reviewer did");
    fs::write(&file, changed).unwrap();
    let third =
        Request { ticket: "031/specify.1/review/spec-reviewer/3.1".parse().unwrap(), ..world.resumed() };
    let outcome = world.run(&world.anthropic(), &third).unwrap();
    assert!(outcome.notes[0].contains("message 1 differs"), "{:?}", outcome.notes);

    // By our own clock the entries are gone as well, so there is nothing to explain.
    world.watch.now_ms.fetch_add(7_200_000, Ordering::SeqCst);
    world.provider.advance(Duration::from_secs(7_200));
    let fourth =
        Request { ticket: "031/specify.1/review/spec-reviewer/4.1".parse().unwrap(), ..world.resumed() };
    assert!(world.run(&world.anthropic(), &fourth).unwrap().notes.is_empty());
}

#[test]
fn refused_tool_calls_are_told_to_the_model_and_reported() {
    let calls =
        [("Write", json!({"path": "docs/spec.md", "content": "x"})), ("Read", json!({"path": "../secret"}))];
    let calls = calls.map(|(name, input)| ScriptedCall { name: name.to_owned(), input });
    let world = World::answering(vec![Reply::Tools(calls.to_vec()), Reply::Json(verdict())]);
    let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
    assert_eq!(outcome.denials.len(), 2);
    assert!(outcome.denials[0].starts_with("Write: there is no tool `Write` here"), "{:?}", outcome.denials);
    assert!(outcome.denials[1].contains("`../secret`"));
    let second = &world.provider.requests()[1].json["messages"][2]["content"];
    assert_eq!((&second[0]["is_error"], &second[1]["is_error"]), (&json!(true), &json!(true)));
    assert_eq!(outcome.opened, Some(Vec::new()));
}

#[test]
fn an_author_changes_its_file() {
    let write = Reply::tool("Write", json!({"path": "docs/spec.md", "content": "# New\n"}));
    let world = World::answering(vec![write, Reply::text("written")]);
    let tools = ["Read", "Write", "Edit"].map(str::to_owned).to_vec();
    let request = Request { tools, may_write: vec!["docs/spec.md".to_owned()], schema: "", ..world.fresh() };
    assert_eq!(world.run(&world.anthropic(), &request).unwrap().text, "written");
    assert_eq!(fs::read_to_string(world.folder.path().join("work/docs/spec.md")).unwrap(), "# New\n");
    assert!(world.provider.requests()[0].json.get("output_config").is_none());
}

#[test]
fn a_model_that_never_stops_calling_tools_is_stopped() {
    let world = World::answering(vec![read_spec()]);
    let error = world.error();
    assert_eq!(error.now, AfterFailure::GiveUp);
    assert!(error.detail.contains("no answer after 6 requests"), "{error}");
    assert_eq!(world.provider.requests().len(), 6);
    assert!(error.usage.unwrap().cost > Usd(0));
}
