//! Tests the faults on purpose, as a client sees them.

use super::super::{Charge, Provider, RecordedRequest, Reply};
use super::{ALL, CHAT, Client, MESSAGES, RESPONSES, answered, small};
use serde_json::json;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

#[test]
fn replies_are_given_in_order_and_the_last_one_repeats() {
    let provider = Provider::answering(vec![Reply::text("one"), Reply::text("two")]);
    let mut client = Client::connect(&provider);
    let mut ask = || answered(CHAT, false, &client.post(CHAT, &small(CHAT, false)));
    assert_eq!([ask(), ask(), ask()], ["one", "two", "two"]);
}

#[test]
fn a_status_keeps_its_code_headers_and_body_and_the_connection() {
    let limit = Reply::error(429, "rate_limit_error", "slow down").with_header("retry-after", "7");
    let provider = Provider::answering(vec![limit, Reply::text("fine")]);
    let mut client = Client::connect(&provider);
    let response = client.post(MESSAGES, &small(MESSAGES, true));
    assert_eq!((response.code, response.header("retry-after")), (429, Some("7")));
    assert_eq!(response.json()["error"]["type"], "rate_limit_error");
    assert_eq!(client.post(MESSAGES, &small(MESSAGES, false)).code, 200);
}

#[test]
fn a_stalled_request_gets_no_byte_until_the_provider_is_dropped() {
    let provider = Provider::answering(vec![Reply::Stall]);
    let mut client = Client::connect(&provider);
    client.send_post(MESSAGES, &small(MESSAGES, true));
    provider.wait_for_requests(1);
    let mut second = Client::connect(&provider);
    second.send_post(MESSAGES, &small(MESSAGES, true));
    assert_eq!(second.rest(), b"", "a client that leaves got nothing");
    drop(provider);
    assert!(client.is_closed());
}

#[test]
fn a_stall_after_some_bytes_sends_exactly_those() {
    for bytes in [0, 1, 100] {
        let provider =
            Provider::answering(vec![Reply::text("hello"), Reply::text("hello").stalled_after(bytes)]);
        let mut client = Client::connect(&provider);
        let normal = client.post(CHAT, &small(CHAT, false));
        client.send_post(CHAT, &small(CHAT, false));
        let (code, _) = client.head().unwrap();
        let mut body = vec![0; bytes as usize];
        client.reader.read_exact(&mut body).unwrap();
        assert_eq!(code, 200);
        // Only the id, which stands later, differs from answer to answer.
        assert_eq!(body, normal.body[..bytes as usize]);
        assert_eq!(client.rest(), b"", "nothing came after byte {bytes}");
    }
}

#[test]
fn a_stream_can_stall_in_the_middle_of_an_event() {
    let provider = Provider::answering(vec![Reply::text("hello").stalled_after(30)]);
    let mut client = Client::connect(&provider);
    client.send_post(MESSAGES, &small(MESSAGES, true));
    client.head().unwrap();
    let mut body = Vec::new();
    assert_eq!(client.chunk(&mut body), Some(30));
    assert!(body.starts_with(b"event: message_start\ndata: "));
    assert_eq!(client.rest(), b"");
}

#[test]
fn a_cut_stream_has_the_events_before_the_cut_and_no_end() {
    let provider = Provider::answering(vec![Reply::text("hello").cut_after(3)]);
    for path in ALL {
        let mut client = Client::connect(&provider);
        let response = client.post(path, &small(path, true));
        assert_eq!((response.code, response.whole), (200, false), "{path}");
        assert_eq!(response.events().len(), 3, "{path}");
        assert!(client.is_closed());
    }
    let mut client = Client::connect(&provider);
    assert!(client.post(CHAT, &small(CHAT, false)).whole, "a body that is not streamed is one event");
    let provider = Provider::answering(vec![Reply::text("hello").cut_after(1_000)]);
    let late = Client::connect(&provider).post(CHAT, &small(CHAT, true));
    assert_eq!((late.events().last().unwrap(), late.whole), (&json!("[DONE]"), false));
    let provider = Provider::answering(vec![Reply::text("hello").cut_after(0)]);
    let response = Client::connect(&provider).post(CHAT, &small(CHAT, false));
    assert_eq!((response.body.len(), response.whole), (0, false));
}

#[test]
fn an_error_arrives_inside_a_stream_that_began_well() {
    let overloaded = Reply::ErrorInStream { kind: "overloaded_error".to_owned(), message: "busy".to_owned() };
    let provider = Provider::answering(vec![overloaded]);
    let mut client = Client::connect(&provider);
    let anthropic = client.post(MESSAGES, &small(MESSAGES, true));
    assert_eq!((anthropic.code, anthropic.whole), (200, true));
    assert_eq!(anthropic.event_names(), ["message_start", "error"]);
    assert_eq!(anthropic.events()[1]["error"], json!({"type": "overloaded_error", "message": "busy"}));
    let chat = client.post(CHAT, &small(CHAT, true)).events();
    assert_eq!(chat.last().unwrap()["error"]["message"], "busy");
    let responses = client.post(RESPONSES, &small(RESPONSES, true)).events();
    let last = responses.last().unwrap();
    assert_eq!(last["type"], "response.failed");
    assert_eq!(last["response"]["error"], json!({"code": "overloaded_error", "message": "busy"}));
}

#[test]
fn without_a_stream_the_same_error_has_the_vendors_status() {
    let overloaded = Reply::ErrorInStream { kind: "overloaded_error".to_owned(), message: "busy".to_owned() };
    let provider = Provider::answering(vec![overloaded]);
    let mut client = Client::connect(&provider);
    let anthropic = client.post(MESSAGES, &small(MESSAGES, false));
    assert_eq!((anthropic.code, &anthropic.json()["error"]["message"]), (529, &json!("busy")));
    let responses = client.post(RESPONSES, &small(RESPONSES, false));
    assert_eq!((responses.code, &responses.json()["status"]), (200, &json!("failed")));
}

#[test]
fn a_refusal_is_said_where_each_protocol_says_it_and_is_no_text_of_an_answer() {
    let provider = Provider::answering(vec![Reply::Refusal("I will not".to_owned())]);
    let mut client = Client::connect(&provider);
    let whole = client.post(MESSAGES, &small(MESSAGES, false)).json();
    assert_eq!(
        (&whole["stop_reason"], &whole["content"][0]["text"]),
        (&json!("refusal"), &json!("I will not"))
    );
    let whole = client.post(CHAT, &small(CHAT, false)).json();
    let choice = &whole["choices"][0];
    assert_eq!(choice["message"], json!({"role": "assistant", "content": null, "refusal": "I will not"}));
    assert_eq!(choice["finish_reason"], "stop");
    let whole = client.post(RESPONSES, &small(RESPONSES, false)).json();
    assert_eq!(whole["output"][0]["content"], json!([{"type": "refusal", "refusal": "I will not"}]));
    let messages = client.post(MESSAGES, &small(MESSAGES, true)).events();
    assert_eq!(messages[messages.len() - 2]["delta"]["stop_reason"], "refusal");
    let chat = client.post(CHAT, &small(CHAT, true)).events();
    assert!(chat.iter().any(|event| event["choices"][0]["delta"]["refusal"] == "I will not"), "{chat:?}");
    let responses = client.post(RESPONSES, &small(RESPONSES, true));
    let names = responses.event_names();
    assert!(names.contains(&"response.refusal.delta".to_owned()), "{names:?}");
    assert!(names.iter().all(|name| !name.contains("output_text")), "{names:?}");
}

#[test]
fn an_answer_that_states_its_bill_is_billed_that() {
    let bill = Charge { uncached: 7, written_5m: 6, written_1h: 5, read: 4, ..Charge::default() };
    let provider = Provider::answering(vec![Reply::text("hello").billed(bill, 300)]);
    let usage = Client::connect(&provider).post(MESSAGES, &small(MESSAGES, false)).json()["usage"].clone();
    let told = |field: &str| usage[field].as_u64().unwrap();
    assert_eq!((told("input_tokens"), told("cache_creation_input_tokens")), (7, 11));
    assert_eq!((told("cache_read_input_tokens"), told("output_tokens")), (4, 300));
    assert_eq!(provider.bills(), [bill]);
}

#[test]
fn garbage_is_delivered_as_it_is() {
    let bytes = b"data: {\"half\xff\x00".to_vec();
    let provider = Provider::answering(vec![Reply::Garbage(bytes.clone())]);
    let response = Client::connect(&provider).post(MESSAGES, &small(MESSAGES, true));
    assert_eq!((response.code, response.body), (200, bytes));
}

#[test]
fn a_huge_text_has_its_size_in_every_protocol_streamed_or_not() {
    let bytes = 3_000_001;
    let provider = Provider::answering(vec![Reply::Huge { bytes }]);
    let mut client = Client::connect(&provider);
    for path in ALL {
        for stream in [false, true] {
            let response = client.post(path, &small(path, stream));
            assert!(response.whole);
            let text = answered(path, stream, &response);
            assert_eq!(text.len() as u64, bytes, "{path} {stream}");
            assert!(text.starts_with("generated words generated words g"));
        }
    }
    let completed = client.post(RESPONSES, &small(RESPONSES, true)).events().pop().unwrap();
    assert_eq!(
        completed["response"]["output"][0]["content"][0]["text"].as_str().unwrap().len() as u64,
        bytes
    );
    assert_eq!(completed["response"]["usage"]["output_tokens"], bytes / 4);
}

#[test]
fn a_client_may_leave_in_the_middle_of_a_huge_text() {
    // So large that it could neither be held nor sent; the test ends only because the client leaves.
    let provider = Provider::answering(vec![Reply::Huge { bytes: 1 << 50 }, Reply::text("next")]);
    let mut client = Client::connect(&provider);
    client.send_post(CHAT, &small(CHAT, true));
    client.head().unwrap();
    let mut body = Vec::new();
    while body.len() < 1_000_000 {
        client.chunk(&mut body).unwrap();
    }
    client.leave();
    let mut second = Client::connect(&provider);
    assert_eq!(answered(CHAT, false, &second.post(CHAT, &small(CHAT, false))), "next");
}

#[test]
fn a_closed_request_sees_the_connection_end_without_a_head() {
    let provider = Provider::answering(vec![Reply::Close, Reply::text("again")]);
    let mut client = Client::connect(&provider);
    client.send_post(MESSAGES, &small(MESSAGES, true));
    assert!(client.response().is_none());
    assert_eq!(Client::connect(&provider).post(MESSAGES, &small(MESSAGES, false)).code, 200);
}

#[test]
fn a_slow_stream_is_the_same_stream() {
    let provider = Provider::answering(vec![Reply::text("hello").slowly(Duration::from_millis(1))]);
    let mut client = Client::connect(&provider);
    for path in ALL {
        assert_eq!(answered(path, true, &client.post(path, &small(path, true))), "hello");
    }
}

#[test]
fn a_pause_of_an_hour_ends_when_the_provider_is_dropped() {
    let provider = Provider::answering(vec![Reply::text("hello").slowly(Duration::from_secs(3_600))]);
    let mut client = Client::connect(&provider);
    client.send_post(MESSAGES, &small(MESSAGES, true));
    assert_eq!(client.head().unwrap().0, 200);
    drop(provider);
    assert!(client.is_closed());
}

#[test]
fn a_held_reply_waits_for_its_release_while_others_are_served() {
    let provider =
        Provider::start(|request: &RecordedRequest, _: usize| match request.json["model"].as_str() {
            Some("held") => Reply::text("late").held(),
            _ => Reply::text("early"),
        });
    let (mut first, mut second) = (Client::connect(&provider), Client::connect(&provider));
    let mut held = small(CHAT, false);
    held["model"] = json!("held");
    first.send_post(CHAT, &held);
    provider.wait_for_requests(1);
    assert_eq!(answered(CHAT, false, &second.post(CHAT, &small(CHAT, false))), "early");
    provider.release();
    assert_eq!(answered(CHAT, false, &first.response().unwrap()), "late");
}

#[test]
fn dropping_the_provider_ends_every_kind_of_wait() {
    let replies = [
        Reply::Stall,
        Reply::text("x").stalled_after(3),
        Reply::text("x").held(),
        Reply::Huge { bytes: 1 << 50 },
    ];
    for reply in replies {
        let provider = Provider::answering(vec![reply.clone()]);
        let mut idle = Client::connect(&provider);
        let mut waiting = Client::connect(&provider);
        waiting.send_post(MESSAGES, &small(MESSAGES, true));
        provider.wait_for_requests(1);
        let (done, ended) = mpsc::channel();
        let dropping = std::thread::spawn(move || {
            drop(provider);
            done.send(()).unwrap();
        });
        ended.recv_timeout(Duration::from_secs(30)).unwrap_or_else(|_| panic!("still waiting for {reply:?}"));
        dropping.join().unwrap();
        assert!(idle.is_closed());
    }
}

#[test]
fn an_assertion_in_a_script_fails_the_test_that_owns_the_provider() {
    let provider = Provider::start(|request: &RecordedRequest, _: usize| {
        assert_eq!(request.json["model"], "another", "the model of the test");
        Reply::text("never")
    });
    let mut client = Client::connect(&provider);
    client.send_post(MESSAGES, &small(MESSAGES, true));
    assert!(client.response().is_none(), "the client sees a closed connection");
    let panic = catch_unwind(AssertUnwindSafe(|| drop(provider))).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("the model of the test"));
}
