//! Reads what a client said out of a recorded request, in any of the protocols, for scripts and assertions.
//!
//! A script sees the whole conversation each time, so it can check whether a client still remembers something.

use super::RecordedRequest;
use serde_json::Value;

/// The text of the last user message that has any, its blocks joined by a line break.
pub fn last_user_text(request: &RecordedRequest) -> String {
    let mut texts =
        turns(request).into_iter().rev().filter(|turn| turn.role == "user" && !turn.texts.is_empty());
    texts.next().map(|turn| turn.texts.join("\n")).unwrap_or_default()
}

/// Everything said so far, in order: system text, messages, tool calls (as JSON) and tool results. The
/// definitions of tools are not part of it.
pub fn all_text(request: &RecordedRequest) -> String {
    let mut all = Vec::new();
    for turn in turns(request) {
        all.extend(turn.texts);
        all.extend(turn.calls.into_iter().map(|(name, input)| format!("{name} {input}")));
        all.extend(turn.results);
    }
    all.join("\n")
}

/// The text of every tool result in the conversation, in order.
pub fn tool_results(request: &RecordedRequest) -> Vec<String> {
    // Newer versions of Claude Code add words of their own after a result.
    let bare = |result: String| match result.split_once("\n\n<system-reminder>") {
        Some((result, _)) => result.to_owned(),
        None => result,
    };
    turns(request).into_iter().flat_map(|turn| turn.results).map(bare).collect()
}

/// The names of the tools the request offers, in order; of those in a namespace, `NAMESPACE/NAME`. A reply calls them
/// by the same names.
pub fn tool_names(request: &RecordedRequest) -> Vec<String> {
    let named = |tool: &Value| {
        let name = tool.get("name").or_else(|| tool.pointer("/function/name"))?;
        Some(name.as_str()?.to_owned())
    };
    let offered = |tool: &Value| match tool["type"].as_str() {
        Some("namespace") => {
            let nested = list(&tool["tools"]).iter().filter_map(named);
            nested.map(|name| format!("{}/{name}", string(&tool["name"]))).collect()
        }
        _ => named(tool).into_iter().collect::<Vec<String>>(),
    };
    list(&request.json["tools"]).iter().flat_map(offered).collect()
}

/// Whether the model has called this tool earlier in the conversation.
pub fn was_tool_used(request: &RecordedRequest, name: &str) -> bool {
    turns(request).iter().flat_map(|turn| &turn.calls).any(|(used, _)| used == name)
}

#[derive(Default)]
struct Turn {
    role: String,
    texts: Vec<String>,
    /// Names and inputs.
    calls: Vec<(String, String)>,
    results: Vec<String>,
}

fn turns(request: &RecordedRequest) -> Vec<Turn> {
    let body = &request.json;
    let mut turns = Vec::new();
    for name in ["system", "instructions"] {
        turns.push(Turn { role: "system".to_owned(), texts: texts(&body[name]), ..Turn::default() });
    }
    turns.extend(list(&body["messages"]).iter().map(message));
    turns.extend(list(&body["input"]).iter().map(item));
    if let Some(text) = body["input"].as_str() {
        turns.push(Turn { role: "user".to_owned(), texts: vec![text.to_owned()], ..Turn::default() });
    }
    turns
}

/// A message of the Anthropic or of the chat protocol.
fn message(message: &Value) -> Turn {
    let mut turn = Turn { role: string(&message["role"]), ..Turn::default() };
    if turn.role == "tool" {
        turn.results.push(texts(&message["content"]).join("\n"));
        return turn;
    }
    turn.texts = texts(&message["content"]);
    for part in list(&message["content"]) {
        match part["type"].as_str() {
            Some("tool_use") => turn.calls.push((string(&part["name"]), part["input"].to_string())),
            Some("tool_result") => turn.results.push(texts(&part["content"]).join("\n")),
            _ => {}
        }
    }
    for call in list(&message["tool_calls"]) {
        turn.calls.push((string(&call["function"]["name"]), string(&call["function"]["arguments"])));
    }
    turn
}

/// An item of the responses protocol.
fn item(item: &Value) -> Turn {
    let mut turn = Turn { role: string(&item["role"]), ..Turn::default() };
    match item["type"].as_str() {
        Some("function_call") => {
            let name = string(&item["name"]);
            let name = item["namespace"].as_str().map_or(name.clone(), |of| format!("{of}/{name}"));
            turn.calls.push((name, string(&item["arguments"])));
        }
        Some("custom_tool_call") => turn.calls.push((string(&item["name"]), string(&item["input"]))),
        Some("function_call_output" | "custom_tool_call_output") => {
            turn.results.push(texts(&item["output"]).join("\n"));
        }
        _ => turn.texts = texts(&item["content"]),
    }
    turn
}

/// The texts of a content that is a string or a list of parts.
fn texts(content: &Value) -> Vec<String> {
    if let Some(text) = content.as_str() {
        return vec![text.to_owned()];
    }
    list(content).iter().filter_map(|part| Some(part["text"].as_str()?.to_owned())).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
