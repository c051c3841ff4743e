//! Shapes an answer in Anthropic's Messages protocol. Sending it is not its task.

use super::answer::{Part, ToolCall, Turn, pieces};
use serde_json::{Value, json};

pub(super) fn whole(turn: &Turn) -> Value {
    let content: Vec<Value> = turn.parts.iter().map(block).collect();
    let mut message = message(turn, turn.output_tokens());
    message["content"] = json!(content);
    message["stop_reason"] = json!(stop_reason(turn));
    message
}

pub(super) fn opening(turn: &Turn) -> Vec<Value> {
    // The vendor's first event carries a small output count that the last one corrects.
    vec![json!({"type": "message_start", "message": message(turn, 1)})]
}

pub(super) fn events(turn: &Turn) -> impl Iterator<Item = Value> + '_ {
    let blocks = turn.parts.iter().enumerate().flat_map(|(index, part)| part_events(index, part));
    let end = [
        json!({"type": "message_delta", "delta": {"stop_reason": stop_reason(turn), "stop_sequence": null},
               "usage": usage(turn, turn.output_tokens())}),
        json!({"type": "message_stop"}),
    ];
    opening(turn).into_iter().chain([json!({"type": "ping"})]).chain(blocks).chain(end)
}

fn part_events(index: usize, part: &Part) -> impl Iterator<Item = Value> + '_ {
    let (start, deltas): (Value, Box<dyn Iterator<Item = Value>>) = match part {
        Part::Text(text) => {
            let delta = |piece| json!({"type": "text_delta", "text": piece});
            (json!({"type": "text", "text": ""}), Box::new(text.pieces().map(delta)))
        }
        Part::Call(call) => {
            let delta = |piece| json!({"type": "input_json_delta", "partial_json": piece});
            let all: Vec<Value> = pieces(&call.arguments()).map(delta).collect();
            (tool_use(call, json!({})), Box::new(all.into_iter()))
        }
    };
    let start = json!({"type": "content_block_start", "index": index, "content_block": start});
    let deltas =
        deltas.map(move |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
    let stop = json!({"type": "content_block_stop", "index": index});
    [start].into_iter().chain(deltas).chain([stop])
}

fn block(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text.value()}),
        Part::Call(call) => tool_use(call, call.input.clone()),
    }
}

fn tool_use(call: &ToolCall, input: Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": input})
}

fn message(turn: &Turn, output: u64) -> Value {
    json!({
        "id": format!("msg_{}", turn.id),
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": usage(turn, output),
    })
}

fn usage(turn: &Turn, output: u64) -> Value {
    let bill = &turn.bill;
    json!({
        "input_tokens": bill.uncached,
        "cache_creation_input_tokens": bill.written_5m + bill.written_1h,
        "cache_read_input_tokens": bill.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": bill.written_5m,
            "ephemeral_1h_input_tokens": bill.written_1h,
        },
        "output_tokens": output,
        "service_tier": "standard",
    })
}

fn stop_reason(turn: &Turn) -> &'static str {
    if turn.refused {
        return "refusal";
    }
    match (turn.truncated, turn.has_calls()) {
        (true, _) => "max_tokens",
        (false, true) => "tool_use",
        (false, false) => "end_turn",
    }
}
