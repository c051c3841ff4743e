use super::*;
use redraft_facts::event::AfterFailure;
use redraft_testkit::provider::{tool_names, tool_results};

const WIRES: [OpenAiWire; 2] = [OpenAiWire::Chat, OpenAiWire::Responses { reasoning: true }];

#[test]
fn a_fresh_dispatch_reads_a_file_and_answers_in_the_form() {
    for wire in WIRES {
        let world = World::answering(vec![read_spec(), Reply::Json(verdict())]);
        let agent = world.openai(wire, AnswerForm::JsonSchema);
        let outcome = world.run(&agent, &world.fresh()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&outcome.text).unwrap(), verdict());
        assert_eq!(outcome.opened, Some(vec!["docs/spec.md".to_owned()]));
        let requests = world.provider.requests();
        let [first, second] = requests.as_slice() else { panic!("{}", requests.len()) };
        assert_eq!(first.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
        assert_eq!(tool_names(first), ["Read", "List", "Glob", "Grep"]);
        assert_eq!(tool_results(second), ["    1\t# Spec\n    2\tThe limit is three.\n"]);
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let (sent, length) = match wire {
            OpenAiWire::Chat => ("/response_format/json_schema/schema", "/max_completion_tokens"),
            OpenAiWire::Responses { .. } => ("/text/format/schema", "/max_output_tokens"),
        };
        assert_eq!(first.json.pointer(sent), Some(&schema));
        assert_eq!(first.json.pointer(length), Some(&json!(4_000)));
        let usage = outcome.usage;
        assert!(
            usage.read > 0 && usage.cost.0 > 0 && usage.cost < agent.highest_cost(&world.fresh()),
            "{usage:?}"
        );
    }
}

#[test]
fn a_resumed_dispatch_sends_the_same_bytes_again_and_reads_them_from_the_cache() {
    for wire in WIRES {
        let world = World::answering(vec![read_spec(), Reply::Json(verdict()), Reply::Json(verdict())]);
        world.run(&world.openai(wire, AnswerForm::JsonSchema), &world.fresh()).unwrap();
        let outcome = world.run(&world.openai(wire, AnswerForm::JsonSchema), &world.resumed()).unwrap();
        let from = if wire == OpenAiWire::Chat { r#""messages":["# } else { r#""input":["# };
        let sent = |body: &str| messages(body, from, "]}");
        let bodies = world.bodies();
        assert!(sent(&bodies[1]).starts_with(&sent(&bodies[0])), "{wire:?}");
        assert!(sent(&bodies[2]).starts_with(&sent(&bodies[1])), "{wire:?}");
        let usage = outcome.usage;
        assert!(usage.read * 100 >= usage.input() * 95, "{wire:?} {usage:?}");
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
    }
}

#[test]
fn what_a_newer_model_writes_to_its_cache_is_billed_at_the_write_price_of_its_card() {
    for wire in WIRES {
        let world = World::answering(vec![Reply::Json(verdict())]);
        let usage = world.run(&world.openai(wire, AnswerForm::JsonSchema), &world.fresh()).unwrap().usage;
        let bill = world.provider.bills()[0];
        assert!(bill.written_30m > 1_024, "{bill:?}");
        assert_eq!((usage.uncached, usage.written, usage.read), (0, bill.written_30m, 0), "{wire:?}");
        // Two and a half dollars a million to write, ten for the answer.
        assert_eq!(usage.cost, Usd((usage.written * 25 + usage.output * 100).div_ceil(10)), "{wire:?}");
    }
}

#[test]
fn writes_and_reads_are_parts_of_the_prompt_and_never_more_than_it() {
    for (cached, written, expected) in
        [(90, 8, (2, 8, 90)), (0, 100, (0, 100, 0)), (90, 50, (0, 10, 90)), (200, 50, (0, 0, 100))]
    {
        let details = json!({"cached_tokens": cached, "cache_write_tokens": written});
        let chat = json!({"choices": [{"index": 0, "delta": {"content": "fine"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 2, "prompt_tokens_details": details}});
        let item = json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "fine"}]});
        let item = json!({"type": "response.output_item.done", "item": item});
        let usage = json!({"input_tokens": 100, "output_tokens": 2, "input_tokens_details": details});
        let end = json!({"type": "response.completed", "response": {"status": "completed", "usage": usage}});
        let streams =
            [format!("data: {chat}\n\ndata: [DONE]\n\n"), format!("data: {item}\n\ndata: {end}\n\n")];
        for (wire, stream) in WIRES.into_iter().zip(streams) {
            let world = World::answering(vec![Reply::Garbage(stream.into_bytes())]);
            let usage = world.run(&world.openai(wire, AnswerForm::None), &world.fresh()).unwrap().usage;
            assert_eq!((usage.uncached, usage.written, usage.read), expected, "{wire:?} {cached} {written}");
        }
    }
}

#[test]
fn failures_mean_the_same_as_elsewhere() {
    for wire in WIRES {
        let error = |replies: Vec<Reply>| {
            let world = World::answering(replies);
            let author = Request { may_write: vec!["docs/spec.md".to_owned()], ..world.fresh() };
            (world.run(&world.openai(wire, AnswerForm::None), &author), world.provider.requests().len())
        };
        let kind = |kind: &str| Reply::ErrorInStream { kind: kind.to_owned(), message: "sorry".to_owned() };
        let ask = error(vec![Reply::error(401, "invalid_api_key", "no such key")]);
        assert!(matches!(ask, (Err(AgentError { now: AfterFailure::AskPerson, .. }), 1)), "{wire:?} {ask:?}");
        let quota = error(vec![kind("insufficient_quota")]);
        assert!(
            matches!(quota, (Err(AgentError { now: AfterFailure::AskPerson, .. }), 1)),
            "{wire:?} {quota:?}"
        );
        for passing in
            [kind("server_error"), Reply::Json(verdict()).cut_after(3), Reply::error(503, "", "busy")]
        {
            let again = error(vec![passing, Reply::Json(verdict())]);
            assert!(matches!(again, (Ok(_), 2)), "{wire:?} {again:?}");
        }
        let cut = error(vec![Reply::Truncated("half".to_owned())]);
        assert!(matches!(&cut.0, Err(error) if error.detail.contains("4,000 tokens")), "{wire:?} {cut:?}");
        let garbage = error(vec![Reply::Garbage(b"{\"choices\":[]}".to_vec())]);
        assert!(
            matches!(garbage, (Err(AgentError { now: AfterFailure::GiveUp, .. }), 1)),
            "{wire:?} {garbage:?}"
        );
    }
}

#[test]
fn a_local_server_needs_no_key_and_says_in_its_timings_what_it_had_cached() {
    let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"fi\"}}]}\n\n\
                  data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ne\"},\"finish_reason\":\"stop\"}],\
                  \"timings\":{\"cache_n\":90,\"prompt_n\":10,\"predicted_n\":2}}\n\n";
    let world = World::answering(vec![Reply::Garbage(stream.as_bytes().to_vec())]);
    let settings = OpenAiSettings {
        name: AgentName::new("local"),
        model: "qwen".to_owned(),
        base_url: format!("{}/v1", world.provider.base_url()),
        key: None,
        wire: OpenAiWire::Chat,
        form: AnswerForm::JsonObject,
        length: LengthField::MaxTokens,
        bounds: Bounds::default(),
        state: world.state(),
        card: Cards::builtin().conservative(),
        redactor: Redactor::default(),
        proxy: None,
        commands: None,
    };
    let outcome = world.run(&ApiAgent::openai(settings).unwrap(), &world.fresh()).unwrap();
    let usage = outcome.usage;
    assert_eq!((outcome.text.as_str(), usage.read, usage.uncached, usage.output), ("fine", 90, 10, 2));
    let request = &world.provider.requests()[0];
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.json["response_format"], json!({"type": "json_object"}));
    assert_eq!(request.json["max_tokens"], json!(16_000));
}
