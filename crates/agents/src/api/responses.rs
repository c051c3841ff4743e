//! OpenAI's responses protocol, used without state on the server: the whole conversation is sent each time.

use super::chat::{FORM_NAME, bearer, function};
use super::raw::{self, Members, quoted};
use super::settings::AnswerForm;
use super::wire::{
    Ask, Call, Counted, End, Fault, Length, Listener, OpenAiCounts, Opening, Said, Wire, joined, parsed,
    reported, scrubbed_input, texts,
};
use crate::billing::count;
use crate::http::sse::Event;
use crate::tools::{Tool, ToolResult};
use redraft_engine::ports::Cache;
use redraft_facts::choice::{Lifetime, Marks};
use redraft_facts::fragment::Prompt;
use serde_json::Value;

#[derive(Debug, Clone, Copy)]
pub(super) struct Responses {
    pub(super) form: AnswerForm,
    /// Whether to ask for encrypted reasoning, without which a model that thinks cannot go on where it was.
    pub(super) reasoning: bool,
}

impl Wire for Responses {
    fn signature(&self) -> String {
        format!("openai responses {:?} {}", self.form, self.reasoning)
    }

    fn path(&self) -> &'static str {
        "/responses"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn tools(&self, tools: &[Tool]) -> String {
        let tool = |tool: &Tool| {
            let described = function(tool).with("strict", "false").json();
            format!(r#"{{"type":"function",{}"#, described.trim_start_matches('{'))
        };
        raw::list(&tools.iter().map(tool).collect::<Vec<String>>())
    }

    fn open(&self, prompt: &Prompt) -> Opening {
        let system = joined(&prompt.constant).map(|text| quoted(&text)).unwrap_or_default();
        let rest = prompt.feature.iter().chain(&prompt.role).chain(&prompt.turn);
        Opening { system, message: self.say(&joined(rest).unwrap_or_default()) }
    }

    fn say(&self, text: &str) -> String {
        format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{}}}]}}"#,
            quoted(text)
        )
    }

    fn results(&self, results: &[(Call, ToolResult)]) -> Vec<String> {
        let result = |(call, result): &(Call, ToolResult)| {
            let (id, text) = (quoted(&call.id), quoted(&result.text));
            format!(r#"{{"type":"function_call_output","call_id":{id},"output":{text}}}"#)
        };
        results.iter().map(result).collect()
    }

    fn body(&self, ask: &Ask<'_>) -> String {
        let mut body = Members::default()
            .with("model", quoted(ask.model))
            .with("max_output_tokens", ask.max_tokens.to_string())
            .with("stream", "true")
            .with("store", "false");
        if self.reasoning {
            body.set("include", r#"["reasoning.encrypted_content"]"#.to_owned());
        }
        if ask.tools != "[]" {
            body.set("tools", ask.tools.to_owned());
        }
        match self.form {
            AnswerForm::JsonSchema if !ask.schema.is_empty() => {
                let schema = ask.schema;
                let form = format!(
                    r#"{{"type":"json_schema","name":"{FORM_NAME}","strict":true,"schema":{schema}}}"#
                );
                body.set("text", format!(r#"{{"format":{form}}}"#));
            }
            AnswerForm::JsonObject => body.set("text", r#"{"format":{"type":"json_object"}}"#.to_owned()),
            AnswerForm::JsonSchema | AnswerForm::None => {}
        }
        if !ask.system.is_empty() {
            body.set("instructions", ask.system.to_owned());
        }
        body.with("input", raw::list(ask.messages)).json()
    }

    fn listen(&self) -> Box<dyn Listener> {
        Box::new(Stream::default())
    }

    fn cache(&self) -> Cache {
        Cache::AnyPrefix
    }

    fn sold(&self) -> &'static [Lifetime] {
        &[]
    }

    fn lifetimes(&self, _asked: &Marks) -> Option<(Lifetime, Option<Lifetime>)> {
        None
    }
}

/// An answer as it arrives. Its items go back as they came.
#[derive(Default)]
struct Stream {
    items: Vec<String>,
    counted: Counted,
    length: Length,
    begun: bool,
    end: Option<End>,
}

impl Listener for Stream {
    fn hear(&mut self, event: &Event) -> Result<bool, Fault> {
        let data = parsed(event)?;
        let kind = data["type"].as_str().unwrap_or_default();
        self.begun |= kind.starts_with("response.output_item.") || kind.ends_with(".delta");
        match kind {
            "response.output_item.done" => {
                let item = Members::parse(&event.data).and_then(|event| event.get("item").map(str::to_owned));
                self.items.extend(item);
            }
            "response.completed" | "response.incomplete" => {
                self.count(&data["response"]["usage"]);
                self.end = Some(end(&data["response"]));
                return Ok(true);
            }
            "response.failed" => {
                self.count(&data["response"]["usage"]);
                return Err(reported(&data["response"]["error"]));
            }
            // Either the error itself or an object around it.
            "error" if data["error"].is_object() => return Err(reported(&data["error"])),
            "error" => return Err(reported(&data)),
            _ if kind.ends_with(".delta") => self.length += texts(&data["delta"]),
            _ => {}
        }
        Ok(false)
    }

    fn counted(&self) -> Counted {
        self.counted.clone()
    }

    fn is_whole(&self) -> bool {
        self.end.is_some()
    }

    fn has_begun(&self) -> bool {
        self.begun
    }

    fn length(&self) -> Length {
        self.length
    }

    fn said(self: Box<Self>, scrub: &dyn Fn(&str) -> String) -> Result<Said, Fault> {
        let Some(end) = self.end else { return Err(Fault::Cut) };
        let (mut messages, mut text, mut calls, mut refused) = (Vec::new(), String::new(), Vec::new(), false);
        for item in self.items {
            let value: Value = serde_json::from_str(&item).unwrap_or_default();
            let word = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
            match value["type"].as_str() {
                Some("function_call") => {
                    let input = serde_json::from_str(&word("arguments")).ok();
                    calls.push(Call { id: word("call_id"), name: word("name"), input });
                }
                Some("message") => {
                    for part in value["content"].as_array().into_iter().flatten() {
                        text.push_str(part["text"].as_str().unwrap_or_default());
                        refused |= part["type"] == "refusal";
                    }
                }
                _ => {}
            }
            messages.push(scrubbed(item, &value, scrub));
        }
        let end = match end {
            End::Answered if refused => End::Refused,
            End::Answered if !calls.is_empty() => End::Tools,
            other => other,
        };
        Ok(Said { messages, text: scrub(&text), calls, end })
    }
}

impl Stream {
    fn count(&mut self, usage: &Value) {
        let details = &usage["input_tokens_details"];
        self.counted.take(OpenAiCounts {
            input: count(&usage["input_tokens"]),
            read: count(&details["cached_tokens"]),
            kept: count(&details["cache_write_tokens"]),
            output: count(&usage["output_tokens"]),
            reasoning: count(&usage["output_tokens_details"]["reasoning_tokens"]),
            total: count(&usage["total_tokens"]),
        });
    }
}

fn end(response: &Value) -> End {
    match (response["status"].as_str(), response["incomplete_details"]["reason"].as_str()) {
        (Some("incomplete"), Some("content_filter")) => End::Refused,
        (Some("incomplete"), _) => End::Truncated,
        _ => End::Answered,
    }
}

/// A message or a call without a secret stays as it came, byte for byte; everything else always does.
fn scrubbed(item: String, value: &Value, scrub: &dyn Fn(&str) -> String) -> String {
    let parts = value["content"].as_array().map_or(&[][..], Vec::as_slice);
    let mut clean = value.clone();
    let mut found = false;
    for (at, part) in parts.iter().enumerate() {
        for name in ["text", "refusal"] {
            let Some(text) = part[name].as_str().filter(|_| value["type"] == "message") else { continue };
            let without = scrub(text);
            found |= without != text;
            clean["content"][at][name] = Value::from(without);
        }
    }
    if let Some(arguments) = value["arguments"].as_str() {
        let without = scrubbed_input(arguments, scrub);
        found |= without != arguments;
        clean["arguments"] = Value::from(without);
    }
    if found { clean.to_string() } else { item }
}
