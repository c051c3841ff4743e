//! Anthropic's cache rules: two requests, and what the second one is charged.

use super::super::{Provider, ProviderSettings, RecordedRequest, Reply};
use super::{Client, MESSAGES};
use serde_json::{Value, json};
use std::time::Duration;

/// Where a block stands, its name, its size in tokens, and the lifetime of its breakpoint or "".
type Spec<'a> = (char, &'a str, u64, &'a str);

/// Uncached, written for 5 minutes, written for an hour, read.
type Counters = [u64; 4];

struct Case<'a> {
    rule: &'a str,
    first: &'a [Spec<'a>],
    /// Seconds between the two.
    later: u64,
    second: &'a [Spec<'a>],
    charged: [Counters; 2],
}

const SYSTEM: Spec<'_> = ('S', "rules", 1_024, "5m");
const HOUR: Spec<'_> = ('S', "rules", 1_024, "1h");
const PLAIN: Spec<'_> = ('S', "rules", 1_024, "");
const QUESTION: Spec<'_> = ('U', "question", 20, "");
const OTHER: Spec<'_> = ('U', "other", 20, "");

const CASES: &[Case<'_>] = &[
    Case {
        rule: "what stands up to a breakpoint is written once and read again",
        first: &[SYSTEM, QUESTION],
        later: 0,
        second: &[SYSTEM, OTHER],
        charged: [[20, 1_024, 0, 0], [20, 0, 0, 1_024]],
    },
    Case {
        rule: "without a breakpoint nothing is cached",
        first: &[PLAIN, QUESTION],
        later: 0,
        second: &[PLAIN, QUESTION],
        charged: [[1_044, 0, 0, 0], [1_044, 0, 0, 0]],
    },
    Case {
        rule: "below the smallest size both counters are zero",
        first: &[('S', "rules", 1_023, "5m"), QUESTION],
        later: 0,
        second: &[('S', "rules", 1_023, "5m"), QUESTION],
        charged: [[1_043, 0, 0, 0], [1_043, 0, 0, 0]],
    },
    Case {
        rule: "tools stand before the system text and count for the smallest size",
        first: &[('S', "rules", 524, "5m"), ('T', "read", 500, ""), QUESTION],
        later: 0,
        second: &[('S', "rules", 524, "5m"), ('T', "read", 500, ""), QUESTION],
        charged: [[20, 1_024, 0, 0], [20, 0, 0, 1_024]],
    },
    Case {
        rule: "another tool invalidates everything",
        first: &[('T', "read", 50, ""), SYSTEM, QUESTION],
        later: 0,
        second: &[('T', "bash", 50, ""), SYSTEM, QUESTION],
        charged: [[20, 1_074, 0, 0], [20, 1_074, 0, 0]],
    },
    Case {
        rule: "a growing conversation reads all it wrote before and writes the rest",
        first: &[SYSTEM, ('U', "question", 20, "5m")],
        later: 0,
        second: &[SYSTEM, QUESTION, ('A', "answer", 30, ""), ('U', "more", 40, "5m")],
        charged: [[0, 1_044, 0, 0], [0, 70, 0, 1_044]],
    },
    Case {
        rule: "entries are written at breakpoints only",
        first: &[PLAIN, ('S', "role", 100, "5m"), QUESTION],
        later: 0,
        second: &[SYSTEM, ('S', "other", 100, ""), QUESTION],
        charged: [[20, 1_124, 0, 0], [120, 1_024, 0, 0]],
    },
    Case {
        rule: "the same text in another role is another prefix",
        first: &[('U', "text", 1_024, "5m"), QUESTION],
        later: 0,
        second: &[('A', "text", 1_024, "5m"), QUESTION],
        charged: [[20, 1_024, 0, 0], [20, 1_024, 0, 0]],
    },
    Case {
        rule: "an entry of five minutes lives one second less than that",
        first: &[SYSTEM, QUESTION],
        later: 299,
        second: &[SYSTEM, QUESTION],
        charged: [[20, 1_024, 0, 0], [20, 0, 0, 1_024]],
    },
    Case {
        rule: "after five minutes it is written again",
        first: &[SYSTEM, QUESTION],
        later: 300,
        second: &[SYSTEM, QUESTION],
        charged: [[20, 1_024, 0, 0], [20, 1_024, 0, 0]],
    },
    Case {
        rule: "an entry of an hour lives almost an hour",
        first: &[HOUR, QUESTION],
        later: 3_599,
        second: &[HOUR, QUESTION],
        charged: [[20, 0, 1_024, 0], [20, 0, 0, 1_024]],
    },
    Case {
        rule: "an entry of an hour ends after it",
        first: &[HOUR, QUESTION],
        later: 3_600,
        second: &[HOUR, QUESTION],
        charged: [[20, 0, 1_024, 0], [20, 0, 1_024, 0]],
    },
    Case {
        rule: "two lifetimes are charged and expire apart",
        first: &[HOUR, ('U', "question", 100, "5m")],
        later: 400,
        second: &[HOUR, ('U', "question", 100, "5m")],
        charged: [[0, 100, 1_024, 0], [0, 100, 0, 1_024]],
    },
    Case {
        rule: "a breakpoint of the other lifetime reads the same entry",
        first: &[HOUR, QUESTION],
        later: 0,
        second: &[SYSTEM, QUESTION],
        charged: [[20, 0, 1_024, 0], [20, 0, 0, 1_024]],
    },
];

#[test]
fn the_second_of_two_requests_is_charged_by_the_rules_of_anthropic() {
    for case in CASES {
        let provider = Provider::answering(vec![Reply::text("ok")]);
        let mut client = Client::connect(&provider);
        let first = charge(&mut client, &request(case.first));
        provider.advance(Duration::from_secs(case.later));
        let second = charge(&mut client, &request(case.second));
        assert_eq!([first, second], case.charged, "{}", case.rule);
    }
}

#[test]
fn a_breakpoint_looks_at_twenty_places_its_own_included() {
    for (blocks, read) in [(19, 1_024), (20, 0)] {
        let provider = Provider::answering(vec![Reply::text("ok")]);
        let mut client = Client::connect(&provider);
        charge(&mut client, &request(&[SYSTEM, QUESTION]));
        let names: Vec<String> = (0..blocks).map(|at| format!("m{at}")).collect();
        let mut second = vec![PLAIN];
        second.extend(names.iter().map(|name| ('U', name.as_str(), 20, "")));
        second.last_mut().unwrap().3 = "5m";
        assert_eq!(charge(&mut client, &request(&second))[3], read, "{blocks} blocks later");
    }
}

#[test]
fn a_run_of_tool_results_is_one_place_of_the_lookback() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    charge(&mut client, &request(&[SYSTEM, QUESTION]));
    let part = |kind: &str, at: usize| json!({"type": kind, "id": at});
    let calls: Vec<Value> = (0..25).map(|at| part("tool_use", at)).collect();
    let results: Vec<Value> = (0..25).map(|at| part("tool_result", at)).collect();
    let mut second = request(&[PLAIN, QUESTION]);
    let messages = second["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": calls}));
    messages.push(json!({"role": "user", "content": results}));
    messages[2]["content"][24]["cache_control"] = json!({"type": "ephemeral"});
    assert_eq!(charge(&mut client, &second)[3], 1_024);
}

#[test]
fn every_hit_refreshes_an_entry() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let body = request(&[SYSTEM, QUESTION]);
    let mut read = Vec::new();
    for later in [0, 200, 200, 200, 301] {
        provider.advance(Duration::from_secs(later));
        read.push(charge(&mut client, &body)[3]);
    }
    assert_eq!(read, [0, 1_024, 1_024, 1_024, 0]);
}

#[test]
fn an_entry_counts_from_the_start_of_its_request() {
    let provider = Provider::answering(vec![Reply::text("ok").held(), Reply::text("ok")]);
    let (mut slow, mut client) = (Client::connect(&provider), Client::connect(&provider));
    let body = request(&[SYSTEM, QUESTION]);
    slow.send_post(MESSAGES, &body);
    provider.wait_for_requests(1);
    provider.advance(Duration::from_secs(290));
    provider.release();
    assert_eq!(counters(&slow.response().unwrap().json()), [20, 1_024, 0, 0]);
    provider.advance(Duration::from_secs(10));
    assert_eq!(charge(&mut client, &body)[3], 0, "300 seconds after it was sent, 10 after its answer");
}

#[test]
fn an_entry_is_readable_only_once_the_answer_begins() {
    let provider = Provider::start(|request: &RecordedRequest, _: usize| match request.json["messages"][1] {
        Value::Null => Reply::text("ok").held(),
        _ => Reply::text("ok"),
    });
    let (mut slow, mut client) = (Client::connect(&provider), Client::connect(&provider));
    slow.send_post(MESSAGES, &request(&[SYSTEM, QUESTION]));
    provider.wait_for_requests(1);
    let meanwhile = request(&[SYSTEM, QUESTION, OTHER]);
    assert_eq!(charge(&mut client, &meanwhile), [40, 1_024, 0, 0], "written, although on its way already");
    provider.release();
    assert_eq!(counters(&slow.response().unwrap().json()), [20, 0, 0, 1_024]);
}

#[test]
fn a_request_that_fails_before_its_answer_writes_nothing() {
    let overloaded = Reply::error(529, "overloaded_error", "busy");
    let provider = Provider::answering(vec![overloaded, Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let body = request(&[SYSTEM, QUESTION]);
    assert_eq!(client.post(MESSAGES, &body).code, 529);
    assert_eq!(charge(&mut client, &body), [20, 1_024, 0, 0]);
}

#[test]
fn models_share_no_entries() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let mut body = request(&[SYSTEM, QUESTION]);
    charge(&mut client, &body);
    body["model"] = json!("another");
    assert_eq!(charge(&mut client, &body)[3], 0);
}

#[test]
fn another_tool_choice_thinking_or_format_loses_the_messages_only() {
    let changes = [("tool_choice", json!({"type": "any"})), ("thinking", json!({"type": "disabled"}))];
    for (name, value) in changes.into_iter().chain([("output_config", json!({"format": {}}))]) {
        let provider = Provider::answering(vec![Reply::text("ok")]);
        let mut client = Client::connect(&provider);
        let mut body = request(&[SYSTEM, ('U', "question", 100, "5m")]);
        charge(&mut client, &body);
        body[name] = value;
        assert_eq!(charge(&mut client, &body), [0, 100, 0, 1_024], "{name}");
    }
}

#[test]
fn a_breakpoint_for_the_whole_request_stands_on_its_last_block() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let mut body = request(&[PLAIN, QUESTION]);
    body["cache_control"] = json!({"type": "ephemeral", "ttl": "1h"});
    assert_eq!(charge(&mut client, &body), [0, 0, 1_044, 0]);
    assert_eq!(charge(&mut client, &body), [0, 0, 0, 1_044]);
}

#[test]
fn the_order_of_keys_counts_and_a_bare_string_is_one_text_block() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let text = "x".repeat(5_000);
    let mut read = |system: String, message: &str| {
        let control = ",\"cache_control\":{\"type\":\"ephemeral\"}";
        let body = format!(
            "{{\"model\":\"m\",\"max_tokens\":9,\"system\":{system},\"messages\":[{{\"role\":\"user\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{message}\"{control}}}]}}]}}"
        );
        let length = body.len();
        client.send(format!("POST {MESSAGES} HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes());
        counters(&client.response().unwrap().json())[3]
    };
    assert_eq!(read(format!("\"{text}\""), "hi"), 0);
    assert!(read(format!("[{{\"type\":\"text\",\"text\":\"{text}\"}}]"), "hi") > 0);
    assert_eq!(read(format!("[{{\"text\":\"{text}\",\"type\":\"text\"}}]"), "hi"), 0);
}

#[test]
fn the_smallest_size_can_be_set() {
    let settings = ProviderSettings { minimum_cacheable: 512, ..ProviderSettings::default() };
    let provider = Provider::start_with(settings, |_: &_, _: usize| Reply::text("ok"));
    let mut client = Client::connect(&provider);
    assert_eq!(charge(&mut client, &request(&[('S', "rules", 511, "5m"), QUESTION]))[1], 0);
    assert_eq!(charge(&mut client, &request(&[('S', "rules", 512, "5m"), QUESTION]))[1], 512);
}

#[test]
fn breakpoints_the_vendor_refuses_get_a_400() {
    let five: Vec<String> = (0..5).map(|at| format!("m{at}")).collect();
    let five: Vec<Spec<'_>> = five.iter().map(|name| ('U', name.as_str(), 20, "5m")).collect();
    let cases: [(&[Spec<'_>], &str); 4] = [
        (&five, "found 5"),
        (&[SYSTEM, ('U', "question", 20, "1h")], "'1h'"),
        (&[('S', "rules", 20, "1h"), ('T', "read", 20, "5m"), QUESTION], "tools, system, messages"),
        (&[('U', "question", 20, "2h")], "messages.0.content.0.cache_control.ttl"),
    ];
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    for (specs, named) in cases {
        let response = client.post(MESSAGES, &request(specs));
        let message = response.json()["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!(response.code, 400);
        assert!(message.contains(named), "{message}");
    }
    assert_eq!(client.post(MESSAGES, &request(&five[..4])).code, 200);
    let mut empty = request(&[QUESTION]);
    empty["system"] = json!([{"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]);
    assert_eq!(client.post(MESSAGES, &empty).code, 400);
}

#[test]
fn a_stream_reports_the_same_counters_at_its_start_and_its_end() {
    let provider = Provider::answering(vec![Reply::text("a text of some length")]);
    let mut client = Client::connect(&provider);
    let mut body = request(&[SYSTEM, QUESTION]);
    charge(&mut client, &body);
    body["stream"] = json!(true);
    let events = client.post(MESSAGES, &body).events();
    assert_eq!(counters(&events[0]["message"]), [20, 0, 0, 1_024]);
    let end = events.iter().find(|event| event["type"] == "message_delta").unwrap();
    assert_eq!(counters(end), [20, 0, 0, 1_024]);
    assert_eq!(end["usage"]["output_tokens"], 5);
}

fn charge(client: &mut Client, body: &Value) -> Counters {
    counters(&client.post(MESSAGES, body).json())
}

fn counters(message: &Value) -> Counters {
    let usage = &message["usage"];
    let number = |value: &Value| value.as_u64().unwrap();
    let created = &usage["cache_creation"];
    let (short, long) =
        (number(&created["ephemeral_5m_input_tokens"]), number(&created["ephemeral_1h_input_tokens"]));
    assert_eq!(number(&usage["cache_creation_input_tokens"]), short + long);
    [number(&usage["input_tokens"]), short, long, number(&usage["cache_read_input_tokens"])]
}

/// A request of these blocks; each user or assistant block is a message of its own.
fn request(specs: &[Spec<'_>]) -> Value {
    let (mut tools, mut system, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    for (place, name, tokens, lifetime) in specs {
        let field = if *place == 'T' { "description" } else { "text" };
        let mut block = match place {
            'T' => json!({"name": name, field: ""}),
            _ => json!({"type": "text", field: ""}),
        };
        let fixed = block.to_string().len();
        block[field] = json!(format!("{name:x<width$}", width = *tokens as usize * 4 - fixed));
        if !lifetime.is_empty() {
            block["cache_control"] = json!({"type": "ephemeral", "ttl": lifetime});
        }
        match place {
            'T' => tools.push(block),
            'S' => system.push(block),
            'A' => messages.push(json!({"role": "assistant", "content": [block]})),
            _ => messages.push(json!({"role": "user", "content": [block]})),
        }
    }
    json!({"model": "m", "max_tokens": 9, "tools": tools, "system": system, "messages": messages})
}
