//! What Claude Code sends outside of the conversation, and that it is counted.

use super::agent;
use crate::world::{World, steady, verdict};
use redraft_engine::ports::{Agent, Request};
use redraft_facts::event::AfterFailure;
use redraft_facts::usage::Usd;
use redraft_testkit::provider::{Charge, RecordedRequest, Reply, was_tool_used};
use serde_json::{Value, json};

/// The bill of one request.
pub(crate) fn bill(uncached: u64) -> Charge {
    Charge { uncached, ..Charge::default() }
}

/// Whether a request is a web search and no part of the conversation.
pub(crate) fn is_search(request: &RecordedRequest) -> bool {
    request.json["tools"].to_string().contains("web_search_2")
}

/// The answer to a search, as Anthropic streams it, with its bill.
pub(crate) fn found(uncached: u64, output: u64, searches: u64) -> Reply {
    let usage = |output: u64| json!({"input_tokens": uncached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": output});
    let mut last = usage(output);
    last["server_tool_use"] = json!({"web_search_requests": searches});
    let message = json!({"id": format!("msg_search_{uncached}_{output}"), "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(1)});
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It was found."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": last}),
        json!({"type": "message_stop"}),
    ];
    let line = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    Reply::Garbage(events.iter().map(line).collect::<String>().into_bytes())
}

#[test]
fn searches_of_the_web_are_counted_with_the_requests_they_are() {
    let world = World::new(|request: &RecordedRequest, _: usize| match () {
        () if is_search(request) => found(7_000, 400, 3),
        () if was_tool_used(request, "WebSearch") => Reply::Json(verdict()).billed(bill(2_000), 30),
        () => Reply::tool("WebSearch", json!({"query": "hello"})).billed(bill(1_000), 50),
    });
    let tools = ["Read", "WebSearch"].map(str::to_owned).to_vec();
    let agent = agent(&world);
    let outcome =
        agent.run(&Request { tools: tools.clone(), ..world.request("Judge it.", 1) }, &steady()).unwrap();
    assert_eq!((outcome.usage.input(), outcome.usage.output), (10_000, 480));
    let tokens = Usd(10_000 * 3 + 480 * 15);
    assert_eq!((outcome.usage.cost, outcome.unknown), (tokens + Usd(30_000), Usd(0)));
    // A later turn counts itself and no other.
    let again = Request { tools, ..world.resumed(&outcome.session.unwrap(), "Again.", 2) };
    let second = agent.run(&again, &steady()).unwrap();
    assert_eq!((second.usage.input(), second.usage.cost), (2_000, Usd(2_000 * 3 + 30 * 15)));
}

#[test]
fn the_last_request_before_its_own_limit_is_counted() {
    let mut world = World::new(|_: &RecordedRequest, _: usize| Reply::Close);
    let file = world.note();
    let read = move |_: &RecordedRequest, index: usize| {
        Reply::tool("Read", json!({"file_path": file, "offset": 1 + index, "limit": 1}))
            .billed(bill(9_000), 12_000)
    };
    world.provider = redraft_testkit::provider::Provider::start(read);
    let agent = agent(&world);
    let request = world.request("Judge it.", 1);
    let request = Request { max_usd: Some(agent.highest_cost(&request)), ..request };
    let error = agent.run(&request, &steady()).unwrap_err();
    assert!(matches!(error.now, AfterFailure::OverBudget(_)), "{error:?}");
    let sent = world.sent().len() as u64;
    assert_eq!(error.usage.map(|usage| (usage.input(), usage.output)), Some((sent * 9_000, sent * 12_000)));
    assert!(
        error.usage.unwrap().cost <= request.max_usd.unwrap(),
        "the last one is paid for, too: {error:?}"
    );
}

#[test]
fn an_answer_that_broke_off_counts_as_what_was_told_of_it_and_its_rest_as_unknown() {
    // Before anything of it was read, after its beginning, and close to its end.
    broke_off(|_| Reply::Close);
    broke_off(|whole| whole.cut_after(1));
    broke_off(|whole| whole.cut_after(3));
}

/// The oldest supported version does not report this: it silently asks again.
mod newest {
    use super::*;

    #[test]
    fn an_answer_that_broke_off_before_its_first_event_counts_as_unknown() {
        broke_off(|whole| whole.cut_after(0));
    }
}

/// Plays a request whose first answer breaks off, and looks at what is counted.
fn broke_off(breaks: fn(Reply) -> Reply) {
    let mut cut = false;
    let world = World::new(move |_: &RecordedRequest, _: usize| {
        let first = !std::mem::replace(&mut cut, true);
        let whole = Reply::Json(verdict()).billed(bill(3_000), 60);
        if first { breaks(whole) } else { whole }
    });
    let outcome = agent(&world).run(&world.request("Judge it.", 1), &steady()).unwrap();
    assert_eq!(world.sent().len(), 2);
    let most = Usd(2 * 3_000 * 3 + (60 + 16_000) * 15);
    assert!(outcome.usage.cost >= most, "{outcome:?}");
    let known = outcome.usage.cost - outcome.unknown;
    let (one, two) = (Usd(3_000 * 3 + 60 * 15), Usd(2 * 3_000 * 3 + 70 * 15));
    assert!(known >= one && known <= two, "{outcome:?}");
    assert!(outcome.unknown >= Usd(15_990 * 15), "as long as it can have become: {outcome:?}");
}
