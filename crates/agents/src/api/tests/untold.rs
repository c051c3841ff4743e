//! Bills that are incomplete, come twice, or count something outside of the numbers meant for it.

use super::*;

fn stream(events: &[Value]) -> Reply {
    let data = events.iter().map(|event| format!("data: {event}\n\n"));
    Reply::Garbage(data.collect::<String>().into_bytes())
}

/// An answer over Anthropic's protocol, with what is reported at its beginning and at its end.
fn messages(start: Value, end: Value) -> Vec<Value> {
    let text = "word ".repeat(800);
    vec![
        json!({"type": "message_start", "message": {"role": "assistant", "content": [], "usage": start}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end}),
        json!({"type": "message_stop"}),
    ]
}

fn chat(usage: Value) -> Vec<Value> {
    vec![
        json!({"choices": [{"index": 0, "delta": {"content": "fine"}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": usage}),
    ]
}

#[test]
fn an_answer_whose_length_is_not_told_counts_as_the_longest_there_can_be() {
    let start = json!({"input_tokens": 1000, "output_tokens": 1});
    let told = json!({"output_tokens": 900});
    for (end, expected) in [
        (told.clone(), Some(900)),
        (json!({"output_tokens": 900.0}), Some(900)),
        (json!({"output_tokens": "900"}), Some(900)),
        (json!({}), None),
        (json!({"output_tokens": null}), None),
        (json!({"output_tokens": -5}), None),
        (json!({"output_tokens": 1e20}), None),
        (json!({"output_tokens": u64::MAX}), None),
        (json!({"output_tokens": 0}), None),
    ] {
        let world = World::answering(vec![stream(&messages(start.clone(), end.clone()))]);
        let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
        match expected {
            Some(output) => assert_eq!((outcome.usage.output, outcome.unknown), (output, Usd(0)), "{end}"),
            None => assert!(outcome.unknown > Usd(0) && outcome.notes.len() == 1, "{end}: {outcome:?}"),
        }
    }
    // What was reported once is not taken back, and a sum holds whatever its parts say.
    let mut twice = messages(start, told);
    let less = json!({"input_tokens": 0, "output_tokens": 3});
    twice.insert(4, json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": less}));
    let zeros = json!({"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0});
    let parts = json!({"input_tokens": 3, "cache_creation_input_tokens": 7000, "cache_creation": zeros});
    let parts = messages(parts, json!({"output_tokens": 900}));
    for (events, input) in [(twice, 1_000), (parts, 7_003)] {
        let world = World::answering(vec![stream(&events)]);
        let usage = world.run(&world.anthropic(), &world.fresh()).unwrap().usage;
        assert_eq!((usage.input(), usage.output), (input, 900));
    }
}

#[test]
fn thoughts_that_are_counted_beside_the_answer_are_paid_like_it() {
    let thoughts = |tokens: u64| json!({"reasoning_tokens": tokens});
    for (usage, input, output) in [
        (json!({"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}), 1_000, 20),
        (json!({"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1920}), 1_000, 920),
        (
            json!({"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020,
                "completion_tokens_details": thoughts(15)}),
            1_000,
            20,
        ),
        (
            json!({"prompt_tokens": 1000, "completion_tokens": 20, "completion_tokens_details": thoughts(900)}),
            1_000,
            920,
        ),
        (
            json!({"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1520,
                "prompt_tokens_details": {"cached_tokens": 500}}),
            1_500,
            20,
        ),
    ] {
        let world = World::answering(vec![stream(&chat(usage.clone()))]);
        let agent = world.openai(OpenAiWire::Chat, AnswerForm::None);
        let told = world.run(&agent, &world.fresh()).unwrap().usage;
        assert_eq!((told.input(), told.output), (input, output), "{usage}");
    }
    let item = json!({"type": "message", "content": [{"type": "output_text", "text": "fine"}]});
    let usage = json!({"input_tokens": 1000, "output_tokens": 20, "total_tokens": 1920});
    let end = json!({"type": "response.completed", "response": {"status": "completed", "usage": usage}});
    let world =
        World::answering(vec![stream(&[json!({"type": "response.output_item.done", "item": item}), end])]);
    let agent = world.openai(OpenAiWire::Responses { reasoning: false }, AnswerForm::None);
    assert_eq!(world.run(&agent, &world.fresh()).unwrap().usage.output, 920);
}

#[test]
fn an_error_after_work_of_any_kind_is_not_free_and_one_before_it_is() {
    let error = json!({"code": "invalid_request_error", "type": "invalid_request_error", "message": "m"});
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let call = json!({"index": 0, "id": "x", "function": {"name": "Glob", "arguments": ""}});
    let thinking = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]);
    for (work, is_free) in [
        (delta(json!({"role": "assistant", "content": ""})), true),
        (delta(json!({"reasoning": "hm"})), false),
        (delta(json!({"content": thinking})), false),
        (delta(json!({"tool_calls": [call]})), false),
        (json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}), false),
    ] {
        let world = World::answering(vec![stream(&[work.clone(), json!({"error": error})])]);
        let agent = world.openai(OpenAiWire::Chat, AnswerForm::None);
        let usage = world.run(&agent, &world.fresh()).unwrap_err().usage;
        assert_eq!(usage.is_some(), is_free, "{work}: {usage:?}");
    }
    let item = json!({"type": "reasoning", "encrypted_content": "Q"});
    for (work, is_free) in [
        (json!({"type": "response.created"}), true),
        (json!({"type": "response.output_item.added", "item": item}), false),
    ] {
        let failed = json!({"type": "response.failed", "response": {"error": error}});
        let world = World::answering(vec![stream(&[work.clone(), failed])]);
        let agent = world.openai(OpenAiWire::Responses { reasoning: true }, AnswerForm::None);
        let usage = world.run(&agent, &world.fresh()).unwrap_err().usage;
        assert_eq!(usage.is_some(), is_free, "{work}: {usage:?}");
    }
    let begun = json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "redacted_thinking", "data": "Q"}});
    let failed = json!({"type": "error", "error": error});
    for (events, is_free) in [(vec![failed.clone()], true), (vec![begun, failed], false)] {
        let world = World::answering(vec![stream(&events)]);
        assert_eq!(world.error().usage.is_some(), is_free, "{events:?}");
    }
}

#[test]
fn a_success_of_any_number_is_an_answer_and_a_gateway_that_gave_up_is_not_free() {
    let start = json!({"input_tokens": 1000, "output_tokens": 1});
    let events = messages(start, json!({"output_tokens": 900}));
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    for code in [201, 206] {
        let world = World::answering(vec![Reply::Status { code, headers: Vec::new(), body: body.clone() }]);
        let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
        assert_eq!((outcome.usage.output, outcome.unknown), (900, Usd(0)), "{code}");
    }
    for (code, is_free) in [(529, true), (524, false), (520, false)] {
        let gone = Reply::Status { code, headers: Vec::new(), body: "gone".to_owned() };
        let usage = World::answering(vec![gone]).error().usage;
        assert_eq!(usage.is_some(), is_free, "{code}: {usage:?}");
    }
}

#[test]
fn what_a_model_writes_is_measured_by_its_script_and_thoughts_that_are_said_twice_once() {
    use super::super::wire::Length;
    assert_eq!(Length::from_text(&"word".repeat(100)).tokens(), 100);
    assert_eq!(Length::from_text(&"語".repeat(100)).tokens(), 100);
    let longest = "語".repeat(5_000);
    let piece =
        json!({"choices": [{"index": 0, "delta": {"reasoning": longest, "reasoning_content": longest}}]});
    let world = World::answering(vec![stream(&[piece])]);
    let agent = world.openai(OpenAiWire::Chat, AnswerForm::None);
    world.watch.budget.store(60_000, Ordering::SeqCst);
    let error = world.run(&agent, &world.fresh()).unwrap_err();
    let asked = world.watch.afforded.lock().unwrap().clone();
    assert!(matches!(error.now, redraft_facts::event::AfterFailure::OverBudget(_)), "{error} {asked:?}");
    // Five thousand tokens at ten dollars a million, and room for four thousand more.
    assert!(asked.last().is_some_and(|total| *total < Usd(110_000)), "{asked:?}");
}
