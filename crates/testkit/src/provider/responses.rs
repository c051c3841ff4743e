//! Shapes an answer in OpenAI's responses protocol. Sending it is not its task.

use super::answer::{Part, Text, ToolCall, Turn, pieces};
use super::chat::cached;
use serde_json::{Value, json};

pub(super) fn whole(turn: &Turn) -> Value {
    let items: Vec<Value> =
        turn.parts.iter().enumerate().map(|(at, part)| item(turn, at, part, Progress::Done)).collect();
    let mut response = response(turn, if turn.truncated { "incomplete" } else { "completed" });
    if turn.truncated {
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    response["output"] = json!(items);
    response["usage"] = usage(turn);
    response
}

pub(super) fn opening(turn: &Turn) -> Vec<Value> {
    let response = response(turn, "in_progress");
    vec![
        json!({"type": "response.created", "response": response}),
        json!({"type": "response.in_progress", "response": response}),
    ]
}

pub(super) fn events(turn: &Turn) -> impl Iterator<Item = Value> + '_ {
    let items = turn.parts.iter().enumerate().flat_map(|(at, part)| part_events(turn, at, part));
    let end = if turn.truncated { "response.incomplete" } else { "response.completed" };
    opening(turn).into_iter().chain(items).chain([json!({"type": end, "response": whole(turn)})])
}

/// The event that ends a stream in failure.
pub(super) fn failure(turn: &Turn, kind: &str, message: &str) -> Value {
    json!({"type": "response.failed", "response": failed(turn, kind, message)})
}

/// A response that failed; without a stream, this protocol reports it inside a 200.
pub(super) fn failed(turn: &Turn, kind: &str, message: &str) -> Value {
    let mut response = response(turn, "failed");
    response["error"] = json!({"code": kind, "message": message});
    response
}

#[derive(Clone, Copy)]
enum Progress {
    Begun,
    Done,
}

fn part_events<'a>(turn: &'a Turn, at: usize, part: &'a Part) -> impl Iterator<Item = Value> + 'a {
    let added = json!({"type": "response.output_item.added", "output_index": at,
                       "item": item(turn, at, part, Progress::Begun)});
    let done = json!({"type": "response.output_item.done", "output_index": at,
                      "item": item(turn, at, part, Progress::Done)});
    let inside: Box<dyn Iterator<Item = Value>> = match part {
        Part::Text(text) => Box::new(text_events(turn, at, text)),
        Part::Call(call) => Box::new(call_events(at, call).into_iter()),
    };
    [added].into_iter().chain(inside).chain([done])
}

fn text_events<'a>(turn: &'a Turn, at: usize, text: &'a Text) -> impl Iterator<Item = Value> + 'a {
    let id = message_id(turn, at);
    let (delta, done, field) = match turn.refused {
        true => ("response.refusal.delta", "response.refusal.done", "refusal"),
        false => ("response.output_text.delta", "response.output_text.done", "text"),
    };
    let event = move |kind: &str, field: &str, value: Value| {
        let mut event = json!({"type": kind, "item_id": id, "output_index": at, "content_index": 0});
        event[field] = value;
        event
    };
    let begin = event("response.content_part.added", "part", said(turn, ""));
    let end = [
        event(done, field, json!(text.value())),
        event("response.content_part.done", "part", said(turn, text.value())),
    ];
    let deltas = text.pieces().map(move |piece| event(delta, "delta", json!(piece)));
    [begin].into_iter().chain(deltas).chain(end)
}

fn call_events(at: usize, call: &ToolCall) -> Vec<Value> {
    let (kind, field) = if call.freeform {
        ("response.custom_tool_call_input", "input")
    } else {
        ("response.function_call_arguments", "arguments")
    };
    let event = |suffix: &str, field: &str, value: String| {
        let mut event =
            json!({"type": format!("{kind}.{suffix}"), "item_id": item_id(call), "output_index": at});
        event[field] = json!(value);
        event
    };
    let arguments = call.arguments();
    let deltas = pieces(&arguments).map(|piece| event("delta", "delta", piece));
    deltas.chain([event("done", field, arguments.clone())]).collect()
}

fn item(turn: &Turn, at: usize, part: &Part, progress: Progress) -> Value {
    let (status, is_done) = match progress {
        Progress::Begun => ("in_progress", false),
        Progress::Done => ("completed", true),
    };
    match part {
        Part::Text(text) => {
            let content = if is_done { vec![said(turn, text.value())] } else { Vec::new() };
            json!({"id": message_id(turn, at), "type": "message", "role": "assistant", "status": status,
                   "content": content})
        }
        Part::Call(call) => {
            let (kind, field) =
                if call.freeform { ("custom_tool_call", "input") } else { ("function_call", "arguments") };
            let mut item = json!({"id": item_id(call), "type": kind, "status": status, "name": call.name,
                                  "call_id": format!("call_{}", call.id)});
            if let Some((namespace, name)) = call.name.split_once('/') {
                (item["namespace"], item["name"]) = (json!(namespace), json!(name));
            }
            item[field] = json!(if is_done { call.arguments() } else { String::new() });
            item
        }
    }
}

/// A part of a message: words of an answer, or why there is none.
fn said(turn: &Turn, text: &str) -> Value {
    match turn.refused {
        true => json!({"type": "refusal", "refusal": text}),
        false => json!({"type": "output_text", "text": text, "annotations": []}),
    }
}

fn response(turn: &Turn, status: &str) -> Value {
    json!({
        "id": format!("resp_{}", turn.id),
        "object": "response",
        "created_at": turn.created,
        "status": status,
        "model": turn.model,
        "error": null,
        "incomplete_details": null,
        "output": [],
        "usage": null,
    })
}

fn usage(turn: &Turn) -> Value {
    let (input, output) = (turn.bill.input(), turn.output_tokens());
    json!({
        "input_tokens": input,
        "input_tokens_details": cached(turn),
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + output,
    })
}

fn message_id(turn: &Turn, at: usize) -> String {
    format!("msg_{}{at:02}", turn.id)
}

fn item_id(call: &ToolCall) -> String {
    let kind = if call.freeform { "ctc" } else { "fc" };
    format!("{kind}_{}", call.id)
}
