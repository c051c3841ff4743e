//! Tests what scripts can read from a conversation, in each protocol.

use super::super::{RecordedRequest, all_text, last_user_text, tool_names, tool_results, was_tool_used};
use serde_json::{Value, json};

#[test]
fn a_script_reads_the_same_conversation_out_of_every_protocol() {
    for (protocol, body) in [("messages", anthropic()), ("chat", chat()), ("responses", responses())] {
        let request = recorded(body);
        assert_eq!(last_user_text(&request), "read it\nagain", "{protocol}");
        assert_eq!(tool_results(&request), ["the heron", "the pelican"], "{protocol}");
        assert_eq!(tool_names(&request), ["Read", "Bash"], "{protocol}");
        assert!(was_tool_used(&request, "Read"), "{protocol}");
        assert!(!was_tool_used(&request, "Bash"), "an offered tool is not a used one: {protocol}");
        let said = [
            "be brief",
            "first question",
            "Read {\"path\":\"a.txt\"}",
            "the heron",
            "Read {\"path\":\"b.txt\"}",
            "the pelican",
            "done",
            "read it\nagain",
        ];
        assert_eq!(all_text(&request), said.join("\n"), "{protocol}");
    }
}

#[test]
fn a_tool_in_a_namespace_has_both_names() {
    let tools =
        json!([{"type": "namespace", "name": "docs", "tools": [{"type": "function", "name": "find"}]}]);
    let call = json!({"type": "function_call", "namespace": "docs", "name": "find", "arguments": "{}"});
    let request = recorded(json!({"tools": tools, "input": [call]}));
    assert_eq!(tool_names(&request), ["docs/find"]);
    assert!(was_tool_used(&request, "docs/find"));
}

#[test]
fn an_input_that_is_a_string_is_the_users_text() {
    let request = recorded(json!({"model": "m", "instructions": "be brief", "input": "hello"}));
    assert_eq!(last_user_text(&request), "hello");
    assert_eq!(all_text(&request), "be brief\nhello");
}

#[test]
fn a_request_without_a_conversation_says_nothing() {
    let request = recorded(Value::Null);
    assert_eq!((last_user_text(&request), all_text(&request)), (String::new(), String::new()));
    assert!(tool_results(&request).is_empty() && tool_names(&request).is_empty());
}

fn recorded(json: Value) -> RecordedRequest {
    RecordedRequest {
        order: 0,
        method: "POST".to_owned(),
        path: "/".to_owned(),
        query: None,
        headers: Vec::new(),
        body: json.to_string().into_bytes(),
        json,
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn anthropic() -> Value {
    let result =
        |id: &str, content: Value| json!({"type": "tool_result", "tool_use_id": id, "content": content});
    let call =
        |id: &str, path: &str| json!({"type": "tool_use", "id": id, "name": "Read", "input": {"path": path}});
    json!({
        "system": [{"type": "text", "text": "be brief"}],
        "tools": [{"name": "Read", "input_schema": {}}, {"name": "Bash", "input_schema": {}}],
        "messages": [
            {"role": "user", "content": "first question"},
            {"role": "assistant", "content": [call("1", "a.txt")]},
            {"role": "user", "content": [result("1", json!("the heron"))]},
            {"role": "assistant", "content": [call("2", "b.txt")]},
            {"role": "user", "content": [result("2", json!([{"type": "text", "text": "the pelican"}]))]},
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": [text("read it"), text("again")]},
        ],
    })
}

fn chat() -> Value {
    let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
    let call = |id: &str, path: &str| {
        let function = json!({"name": "Read", "arguments": json!({"path": path}).to_string()});
        json!({"role": "assistant", "content": null,
               "tool_calls": [{"id": id, "type": "function", "function": function}]})
    };
    json!({
        "tools": [tool("Read"), tool("Bash")],
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "first question"},
            call("1", "a.txt"),
            {"role": "tool", "tool_call_id": "1", "content": "the heron"},
            call("2", "b.txt"),
            {"role": "tool", "tool_call_id": "2", "content": [{"type": "text", "text": "the pelican"}]},
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": [text("read it"), text("again")]},
        ],
    })
}

fn responses() -> Value {
    let tool = |name: &str| json!({"type": "function", "name": name});
    let message = |role: &str, texts: &[&str]| {
        let parts: Vec<Value> =
            texts.iter().map(|text| json!({"type": "input_text", "text": text})).collect();
        json!({"type": "message", "role": role, "content": parts})
    };
    json!({
        "instructions": "be brief",
        "tools": [tool("Read"), tool("Bash")],
        "input": [
            message("user", &["first question"]),
            {"type": "function_call", "call_id": "1", "name": "Read", "arguments": "{\"path\":\"a.txt\"}"},
            {"type": "function_call_output", "call_id": "1", "output": "the heron"},
            {"type": "custom_tool_call", "call_id": "2", "name": "Read", "input": "{\"path\":\"b.txt\"}"},
            {"type": "custom_tool_call_output", "call_id": "2", "output": "the pelican"},
            message("assistant", &["done"]),
            message("user", &["read it", "again"]),
        ],
    })
}
