//! OpenAI's chat completions, as OpenAI, llama.cpp, vLLM, Ollama and many others speak them.

use super::raw::{self, Members, quoted};
use super::settings::{AnswerForm, LengthField};
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
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy)]
pub(super) struct Chat {
    pub(super) form: AnswerForm,
    pub(super) length: LengthField,
}

impl Wire for Chat {
    fn signature(&self) -> String {
        format!("openai chat {:?}", self.form)
    }

    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn tools(&self, tools: &[Tool]) -> String {
        let tools: Vec<String> = tools
            .iter()
            .map(|tool| format!(r#"{{"type":"function","function":{}}}"#, function(tool).json()))
            .collect();
        raw::list(&tools)
    }

    /// One message of plain text: the templates of some servers accept neither parts nor two messages of one side.
    fn open(&self, prompt: &Prompt) -> Opening {
        let system = joined(&prompt.constant).map(|text| message("system", &text)).unwrap_or_default();
        let rest = prompt.feature.iter().chain(&prompt.role).chain(&prompt.turn);
        Opening { system, message: self.say(&joined(rest).unwrap_or_default()) }
    }

    fn say(&self, text: &str) -> String {
        message("user", text)
    }

    fn results(&self, results: &[(Call, ToolResult)]) -> Vec<String> {
        let result = |(call, result): &(Call, ToolResult)| {
            let (id, text) = (quoted(&call.id), quoted(&result.text));
            format!(r#"{{"role":"tool","tool_call_id":{id},"content":{text}}}"#)
        };
        results.iter().map(result).collect()
    }

    fn body(&self, ask: &Ask<'_>) -> String {
        let length = match self.length {
            LengthField::MaxTokens => "max_tokens",
            LengthField::MaxCompletionTokens => "max_completion_tokens",
        };
        let system = Some(ask.system).filter(|system| !system.is_empty());
        let messages: Vec<&str> = system.into_iter().chain(ask.messages.iter().copied()).collect();
        let mut body = Members::default()
            .with("model", quoted(ask.model))
            .with(length, ask.max_tokens.to_string())
            .with("stream", "true")
            .with("stream_options", r#"{"include_usage":true}"#);
        if ask.tools != "[]" {
            body.set("tools", ask.tools.to_owned());
        }
        match self.form {
            AnswerForm::JsonSchema if !ask.schema.is_empty() => {
                let schema = ask.schema;
                let form = format!(r#"{{"name":"{FORM_NAME}","strict":true,"schema":{schema}}}"#);
                body.set("response_format", format!(r#"{{"type":"json_schema","json_schema":{form}}}"#));
            }
            AnswerForm::JsonObject => body.set("response_format", r#"{"type":"json_object"}"#.to_owned()),
            AnswerForm::JsonSchema | AnswerForm::None => {}
        }
        body.with("messages", raw::list(&messages)).json()
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

/// What the form of the answer is called where it needs a name.
pub(super) const FORM_NAME: &str = "answer";

pub(super) fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
}

/// A tool as both of OpenAI's protocols describe it.
pub(super) fn function(tool: &Tool) -> Members {
    let Tool { name, description, schema } = tool;
    Members::default()
        .with("name", quoted(name))
        .with("description", quoted(description))
        .with("parameters", schema.as_ref())
}

fn message(role: &str, text: &str) -> String {
    format!(r#"{{"role":{},"content":{}}}"#, quoted(role), quoted(text))
}

/// An answer as it arrives.
#[derive(Default)]
struct Stream {
    text: String,
    calls: BTreeMap<u64, Calling>,
    counted: Counted,
    length: Length,
    begun: bool,
    refused: bool,
    finish: Option<String>,
}

#[derive(Default)]
struct Calling {
    id: String,
    name: String,
    arguments: String,
}

impl Listener for Stream {
    fn hear(&mut self, event: &Event) -> Result<bool, Fault> {
        let data = parsed(event)?;
        self.count(&data);
        if !data["error"].is_null() {
            return Err(reported(&data["error"]));
        }
        let choice = &data["choices"][0];
        self.measure(&choice["delta"]);
        if let Some(piece) = choice["delta"]["content"].as_str() {
            self.text.push_str(piece);
        }
        // What a model says instead of an answer.
        self.refused |= choice["delta"]["refusal"].as_str().is_some_and(|piece| !piece.is_empty());
        for (at, call) in choice["delta"]["tool_calls"].as_array().into_iter().flatten().enumerate() {
            self.call(at as u64, call);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            (self.finish, self.begun) = (Some(reason.to_owned()), true);
        }
        Ok(false)
    }

    fn counted(&self) -> Counted {
        self.counted.clone()
    }

    fn is_whole(&self) -> bool {
        self.finish.is_some()
    }

    fn has_begun(&self) -> bool {
        self.begun
    }

    fn length(&self) -> Length {
        self.length
    }

    fn said(self: Box<Self>, scrub: &dyn Fn(&str) -> String) -> Result<Said, Fault> {
        let text = scrub(&self.text);
        let (mut calls, mut echoed) = (Vec::new(), Vec::new());
        for Calling { id, name, arguments } in self.calls.into_values() {
            let arguments = if arguments.trim().is_empty() { "{}".to_owned() } else { arguments };
            let arguments = scrubbed_input(&arguments, scrub);
            echoed.push(
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
                    .to_string(),
            );
            calls.push(Call { id, name, input: serde_json::from_str(&arguments).ok() });
        }
        let end = match self.finish.as_deref() {
            None => return Err(Fault::Cut),
            Some(_) if self.refused => End::Refused,
            Some("length") => End::Truncated,
            Some("content_filter") => End::Refused,
            // Some servers say `stop` although the model calls tools.
            Some(_) if !calls.is_empty() => End::Tools,
            Some(_) => End::Answered,
        };
        let content = if text.is_empty() { "null".to_owned() } else { quoted(&text) };
        let mut message = Members::default().with("role", quoted("assistant")).with("content", content);
        if !echoed.is_empty() {
            message.set("tool_calls", raw::list(&echoed));
        }
        let is_empty = text.is_empty() && calls.is_empty();
        Ok(Said { messages: if is_empty { Vec::new() } else { vec![message.json()] }, text, calls, end })
    }
}

impl Stream {
    /// Adds a piece of a call. Servers that send calls whole may leave out their index.
    fn call(&mut self, at: u64, piece: &Value) {
        let calling = self.calls.entry(piece["index"].as_u64().unwrap_or(at)).or_default();
        let extend = |text: &mut String, value: &Value| text.push_str(value.as_str().unwrap_or_default());
        if calling.id.is_empty() {
            extend(&mut calling.id, &piece["id"]);
        }
        if calling.name.is_empty() {
            extend(&mut calling.name, &piece["function"]["name"]);
        }
        extend(&mut calling.arguments, &piece["function"]["arguments"]);
    }

    /// Everything a model writes is paid for like words. Thoughts are no part of the answer and are not sent back;
    /// servers differ in what they call them, and some send them twice.
    fn measure(&mut self, delta: &Value) {
        let thoughts = ["reasoning_content", "reasoning", "reasoning_details"];
        let thought = thoughts.map(|name| texts(&delta[name])).into_iter().max_by_key(|length| length.chars);
        let said = ["content", "refusal"].map(|name| texts(&delta[name]));
        let calls = delta["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        let called = calls.iter().map(|call| texts(&call["function"]["arguments"]));
        let before = self.length;
        said.into_iter().chain(thought).chain(called).for_each(|length| self.length += length);
        self.begun |= self.length != before || !calls.is_empty();
    }

    fn count(&mut self, data: &Value) {
        let (usage, timings) = (&data["usage"], &data["timings"]);
        // llama.cpp reports in its timings what it took from its cache and what it had to read.
        let (cache_n, prompt_n) = (count(&timings["cache_n"]), count(&timings["prompt_n"]));
        let timed = prompt_n.map(|prompt| prompt.saturating_add(cache_n.unwrap_or_default()));
        let details = &usage["prompt_tokens_details"];
        self.counted.take(OpenAiCounts {
            input: count(&usage["prompt_tokens"]).or(timed),
            read: count(&details["cached_tokens"]).or(cache_n),
            kept: count(&details["cache_write_tokens"]),
            output: count(&usage["completion_tokens"]).or_else(|| count(&timings["predicted_n"])),
            reasoning: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
            total: count(&usage["total_tokens"]),
        });
    }
}
