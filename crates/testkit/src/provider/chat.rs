//! Shapes an answer in OpenAI's chat completions protocol. Sending it is not its task.

use super::answer::{Part, ToolCall, Turn, pieces};
use super::prefixes::bills_writes;
use serde_json::{Value, json};

pub(super) fn whole(turn: &Turn) -> Value {
    let mut message = json!({"role": "assistant", "content": null, "refusal": null});
    let mut calls = Vec::new();
    for part in &turn.parts {
        match part {
            Part::Text(text) => message[said_in(turn)] = json!(text.value()),
            Part::Call(call) => calls.push(json!({
                "id": call_id(call),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments()},
            })),
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let choice =
        json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(turn)});
    json!({
        "id": id(turn),
        "object": "chat.completion",
        "created": turn.created,
        "model": turn.model,
        "choices": [choice],
        "usage": usage(turn),
    })
}

pub(super) fn opening(turn: &Turn) -> Vec<Value> {
    vec![chunk(turn, json!({"role": "assistant", "content": ""}), None)]
}

/// The chunks before the final `[DONE]`.
pub(super) fn events(turn: &Turn) -> impl Iterator<Item = Value> + '_ {
    let mut calls = 0;
    let parts = turn.parts.iter().flat_map(move |part| {
        let index = calls;
        calls += usize::from(matches!(part, Part::Call(_)));
        part_events(turn, part, index)
    });
    let mut end = vec![chunk(turn, json!({}), Some(finish_reason(turn)))];
    if turn.include_usage {
        let mut last = chunk(turn, json!({}), None);
        last["choices"] = json!([]);
        last["usage"] = usage(turn);
        end.push(last);
    }
    opening(turn).into_iter().chain(parts).chain(end)
}

fn part_events<'a>(turn: &'a Turn, part: &'a Part, index: usize) -> Box<dyn Iterator<Item = Value> + 'a> {
    match part {
        Part::Text(text) => {
            Box::new(text.pieces().map(|piece| chunk(turn, json!({said_in(turn): piece}), None)))
        }
        Part::Call(call) => {
            let function = json!({"name": call.name, "arguments": ""});
            let first =
                json!({"index": index, "id": call_id(call), "type": "function", "function": function});
            let mut calls = vec![first];
            for piece in pieces(&call.arguments()) {
                calls.push(json!({"index": index, "function": {"arguments": piece}}));
            }
            Box::new(calls.into_iter().map(|call| chunk(turn, json!({"tool_calls": [call]}), None)))
        }
    }
}

fn chunk(turn: &Turn, delta: Value, finish_reason: Option<&str>) -> Value {
    let mut chunk = json!({
        "id": id(turn),
        "object": "chat.completion.chunk",
        "created": turn.created,
        "model": turn.model,
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason}],
    });
    if turn.include_usage {
        chunk["usage"] = Value::Null;
    }
    chunk
}

fn usage(turn: &Turn) -> Value {
    let (input, output) = (turn.bill.input(), turn.output_tokens());
    json!({
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": cached(turn),
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}

/// What both of the vendor's protocols report about the cache. Models that do not bill writes do not count them.
pub(super) fn cached(turn: &Turn) -> Value {
    let mut details = json!({"cached_tokens": turn.bill.read});
    if bills_writes(&turn.model) {
        details["cache_write_tokens"] = json!(turn.bill.written_30m);
    }
    details
}

/// The field that a text stands in; the vendor ends a refusal like an answer.
fn said_in(turn: &Turn) -> &'static str {
    if turn.refused { "refusal" } else { "content" }
}

fn finish_reason(turn: &Turn) -> &'static str {
    match (turn.truncated, turn.has_calls()) {
        (true, _) => "length",
        (false, true) => "tool_calls",
        (false, false) => "stop",
    }
}

fn id(turn: &Turn) -> String {
    format!("chatcmpl-{}", turn.id)
}

fn call_id(call: &ToolCall) -> String {
    format!("call_{}", call.id)
}
