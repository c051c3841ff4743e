//! Tests how a well-behaved answer looks in each protocol.

use super::super::{Provider, ProviderSettings, Reply, ScriptedCall};
use super::{ALL, CHAT, Client, MESSAGES, RESPONSES, answered, small};
use serde_json::{Value, json};

#[test]
fn a_text_arrives_unchanged_in_every_protocol_streamed_or_not() {
    let text = "Grüße, \"quoted\" \\ and\nmore lines — with enough characters for several pieces 🦀";
    let provider = Provider::answering(vec![Reply::text(text)]);
    let mut client = Client::connect(&provider);
    for path in ALL {
        for stream in [false, true] {
            let response = client.post(path, &small(path, stream));
            assert_eq!((response.code, response.whole), (200, true), "{path} {stream}");
            let kind = if stream { "text/event-stream; charset=utf-8" } else { "application/json" };
            assert_eq!(response.header("content-type"), Some(kind));
            assert_eq!(answered(path, stream, &response), text, "{path} {stream}");
        }
    }
}

#[test]
fn an_anthropic_stream_has_the_vendors_events_in_order() {
    let calls = vec![ScriptedCall { name: "Read".to_owned(), input: json!({"file_path": "a.txt"}) }];
    let provider = Provider::answering(vec![Reply::text("hi"), Reply::Tools(calls)]);
    let mut client = Client::connect(&provider);
    let order = [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    let text = client.post("/v1/messages?beta=true", &small(MESSAGES, true));
    assert_eq!(text.event_names(), order);
    assert_eq!(text.events()[5]["delta"]["stop_reason"], "end_turn");
    let tool = client.post(MESSAGES, &small(MESSAGES, true));
    assert_eq!(tool.event_names(), order);
    let events = tool.events();
    assert_eq!(events[2]["content_block"]["type"], "tool_use");
    assert_eq!(events[2]["content_block"]["name"], "Read");
    assert_eq!(
        events[3]["delta"],
        json!({"type": "input_json_delta", "partial_json": "{\"file_path\":\"a.txt\"}"})
    );
    assert_eq!(events[5]["delta"]["stop_reason"], "tool_use");
    assert_ne!(text.events()[0]["message"]["id"], events[0]["message"]["id"], "ids are unique");
}

#[test]
fn a_responses_stream_has_the_events_codex_needs_numbered_in_order() {
    let provider = Provider::answering(vec![
        Reply::text("hi"),
        Reply::tool("shell", json!({"cmd": "ls"})),
        Reply::tool("docs/find", json!({})),
    ]);
    let mut client = Client::connect(&provider);
    let text = client.post(RESPONSES, &small(RESPONSES, true));
    assert_eq!(
        text.event_names(),
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let events = text.events();
    let numbers: Vec<u64> = events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..9).collect::<Vec<_>>());
    let completed = &events[8]["response"];
    assert_eq!((&completed["status"], &completed["output"][0]), (&json!("completed"), &events[7]["item"]));
    let mut called = || {
        let events = client.post(RESPONSES, &small(RESPONSES, true)).events();
        events.iter().find(|event| event["type"] == "response.output_item.done").unwrap()["item"].clone()
    };
    let item = called();
    assert_eq!((&item["type"], &item["name"]), (&json!("function_call"), &json!("shell")));
    assert_eq!((&item["arguments"], &item["namespace"]), (&json!("{\"cmd\":\"ls\"}"), &Value::Null));
    let nested = called();
    assert_eq!((&nested["namespace"], &nested["name"]), (&json!("docs"), &json!("find")));
}

#[test]
fn ids_differ_between_answers_and_between_providers_of_one_conversation() {
    let ids = |turns: &[&str]| {
        let provider = Provider::answering(vec![Reply::tool("Read", json!({}))]);
        let mut client = Client::connect(&provider);
        let ask = |text: &&str| {
            let mut request = small(MESSAGES, false);
            request["messages"][0]["content"] = json!(text);
            client.post(MESSAGES, &request).json()["content"][0]["id"].to_string()
        };
        turns.iter().map(ask).collect::<Vec<_>>()
    };
    let mut all = [ids(&["one", "one"]), ids(&["one, then two"])].concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 3);
    assert_eq!(ids(&["one"]), ids(&["one"]), "the same test sees the same ids again");
}

#[test]
fn a_tool_declared_as_plain_text_is_called_with_plain_text() {
    let provider = Provider::answering(vec![Reply::tool("apply_patch", json!("*** Begin"))]);
    let mut request = small(RESPONSES, false);
    request["tools"] = json!([{"type": "custom", "name": "apply_patch"}]);
    let item = &Client::connect(&provider).post(RESPONSES, &request).json()["output"][0];
    assert_eq!((&item["type"], &item["input"]), (&json!("custom_tool_call"), &json!("*** Begin")));
}

#[test]
fn several_tool_calls_keep_their_order_and_have_ids_of_their_own() {
    let call = |name: &str| ScriptedCall { name: name.to_owned(), input: json!({"of": name}) };
    let provider = Provider::answering(vec![Reply::Tools(vec![call("a"), call("b")])]);
    let mut client = Client::connect(&provider);
    let anthropic = client.post(MESSAGES, &small(MESSAGES, false)).json();
    assert_eq!(
        (&anthropic["content"][0]["name"], &anthropic["content"][1]["name"]),
        (&json!("a"), &json!("b"))
    );
    assert_eq!(anthropic["content"][1]["input"], json!({"of": "b"}));
    assert_ne!(anthropic["content"][0]["id"], anthropic["content"][1]["id"]);
    let chat = client.post(CHAT, &small(CHAT, false)).json();
    assert_eq!(chat["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(chat["choices"][0]["message"]["tool_calls"][1]["function"]["arguments"], "{\"of\":\"b\"}");
    let mut arguments = [String::new(), String::new()];
    for event in client.post(CHAT, &small(CHAT, true)).events() {
        let Some(call) = event["choices"][0]["delta"]["tool_calls"].get(0) else { continue };
        let at = call["index"].as_u64().unwrap() as usize;
        arguments[at].push_str(call["function"]["arguments"].as_str().unwrap());
    }
    assert_eq!(arguments, ["{\"of\":\"a\"}", "{\"of\":\"b\"}"]);
}

#[test]
fn a_chat_stream_reports_usage_only_when_asked_and_ends_with_done() {
    let provider = Provider::answering(vec![Reply::text("four fives of text..")]);
    let mut client = Client::connect(&provider);
    let plain = client.post(CHAT, &small(CHAT, true)).events();
    assert_eq!(plain.last().unwrap(), "[DONE]");
    assert!(plain.iter().all(|event| event.get("usage").is_none()));
    let mut request = small(CHAT, true);
    request["stream_options"] = json!({"include_usage": true});
    let asked = client.post(CHAT, &request).events();
    let usage = &asked[asked.len() - 2];
    assert_eq!(usage["choices"], json!([]));
    assert_eq!(usage["usage"]["completion_tokens"], 5);
}

#[test]
fn structured_output_takes_the_way_the_request_offers() {
    let verdict = json!({"approved": true});
    let provider = Provider::answering(vec![Reply::Json(verdict.clone())]);
    let mut client = Client::connect(&provider);
    let mut offered = small(MESSAGES, false);
    offered["tools"] = json!([{"name": "Read"}, {"name": "StructuredOutput", "input_schema": {}}]);
    let by_tool = client.post(MESSAGES, &offered).json();
    assert_eq!(by_tool["content"][0]["name"], "StructuredOutput");
    assert_eq!(by_tool["content"][0]["input"], verdict);
    for path in ALL {
        let mut request = small(path, false);
        let format = json!({"type": "json_schema", "schema": {"type": "object"}});
        match path {
            MESSAGES => request["output_config"] = json!({"format": format}),
            CHAT => request["response_format"] = format,
            _ => request["text"] = json!({"format": format}),
        }
        let response = client.post(path, &request);
        let text = answered(path, false, &response);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), verdict, "{path}");
    }
}

#[test]
fn a_truncated_text_says_so_in_every_protocol() {
    let provider = Provider::answering(vec![Reply::Truncated("half".to_owned())]);
    let mut client = Client::connect(&provider);
    assert_eq!(client.post(MESSAGES, &small(MESSAGES, false)).json()["stop_reason"], "max_tokens");
    assert_eq!(client.post(CHAT, &small(CHAT, false)).json()["choices"][0]["finish_reason"], "length");
    let events = client.post(RESPONSES, &small(RESPONSES, true)).events();
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.incomplete");
    assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
}

#[test]
fn the_paths_beside_the_model_answer_without_asking_the_script() {
    let settings =
        ProviderSettings { models: vec!["one".to_owned(), "two".to_owned()], ..ProviderSettings::default() };
    let provider = Provider::start_with(settings, |_: &_, index: usize| Reply::text(format!("{index}")));
    let mut client = Client::connect(&provider);
    client.send(b"HEAD / HTTP/1.1\r\n\r\n");
    let head = client.response().unwrap();
    assert_eq!((head.code, head.body.len()), (200, 0));
    client.send(b"GET /v1/models HTTP/1.1\r\n\r\n");
    assert_eq!(client.response().unwrap().json()["data"][1]["id"], "two");
    let counted = client.post("/v1/messages/count_tokens", &small(MESSAGES, false)).json();
    // {"type":"text","text":"hello"} has 30 characters.
    assert_eq!(counted, json!({"input_tokens": 7}));
    assert_eq!(client.post("/v1/unknown", &json!({})).code, 404);
    let first = client.post(MESSAGES, &small(MESSAGES, false));
    assert_eq!(answered(MESSAGES, false, &first), "0");
    let orders: Vec<usize> = provider.requests().iter().map(|request| request.order).collect();
    assert_eq!(orders, [0, 1, 2, 3, 4]);
}

#[test]
fn a_malformed_request_gets_a_400_in_the_protocols_own_shape_and_no_reply() {
    let provider = Provider::start(|_: &_, index: usize| Reply::text(format!("{index}")));
    let mut client = Client::connect(&provider);
    let broken = [
        (MESSAGES, json!({"model": "m", "messages": [{"role": "user", "content": "x"}]}), "max_tokens"),
        (MESSAGES, json!({"max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}), "model"),
        (MESSAGES, json!({"model": "m", "max_tokens": 1, "messages": []}), "messages"),
        (
            MESSAGES,
            json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user"}]}),
            "messages.0.content",
        ),
        (CHAT, json!({"model": "m"}), "messages"),
        (RESPONSES, json!({"model": "m", "input": []}), "input"),
        (RESPONSES, json!([1]), "JSON object"),
    ];
    for (path, body, named) in broken {
        let response = client.post(path, &body);
        let message = response.json()["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!(response.code, 400, "{body}");
        assert!(message.contains(named), "{message} names {named}");
        assert_eq!(response.json()["error"]["type"], "invalid_request_error");
    }
    assert_eq!(answered(CHAT, false, &client.post(CHAT, &small(CHAT, false))), "0");
}
