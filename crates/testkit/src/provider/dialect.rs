//! The three protocols behind one interface: which one a path speaks, and how an answer or an error looks in it.

use super::answer::{Frame, Turn};
use super::{RecordedRequest, chat, messages, prompt, responses};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Anthropic, `/v1/messages`.
    Messages,
    /// OpenAI, `/v1/chat/completions`.
    Chat,
    /// OpenAI, `/v1/responses`.
    Responses,
}

/// What the caches compare.
pub(super) enum Prompt {
    Blocks(prompt::Blocks),
    Items(Vec<String>),
}

/// The events of one stream, each ready to be sent.
pub(super) type Frames<'a> = Box<dyn Iterator<Item = Frame> + 'a>;

impl Dialect {
    pub(super) fn detect(method: &str, path: &str) -> Option<Dialect> {
        match (method, path) {
            ("POST", "/v1/messages") => Some(Dialect::Messages),
            ("POST", "/v1/chat/completions") => Some(Dialect::Chat),
            ("POST", "/v1/responses") => Some(Dialect::Responses),
            _ => None,
        }
    }

    /// Checks what every request must have. The error is the message of a 400.
    pub(super) fn prompt(self, request: &RecordedRequest) -> Result<Prompt, String> {
        let conversation = if self == Dialect::Responses { "input" } else { "messages" };
        if !request.json.is_object() {
            return Err("the body is not a JSON object".to_owned());
        }
        if !request.json["model"].is_string() {
            return Err("model: field required".to_owned());
        }
        if self == Dialect::Messages && !request.json["max_tokens"].is_u64() {
            return Err("max_tokens: field required".to_owned());
        }
        match &request.json[conversation] {
            Value::Array(items) if !items.is_empty() => {}
            Value::String(text) if self == Dialect::Responses && !text.is_empty() => {}
            _ => return Err(format!("{conversation}: at least one entry is required")),
        }
        match self {
            Dialect::Messages => prompt::anthropic(&request.body).map(Prompt::Blocks),
            Dialect::Chat | Dialect::Responses => prompt::openai(&request.body).map(Prompt::Items),
        }
    }

    /// The answer as one JSON body.
    pub(super) fn whole(self, turn: &Turn) -> Frame {
        let body = match self {
            Dialect::Messages => messages::whole(turn),
            Dialect::Chat => chat::whole(turn),
            Dialect::Responses => responses::whole(turn),
        };
        Frame::new(body.to_string(), turn.generated())
    }

    /// The answer as a stream.
    pub(super) fn stream(self, turn: &Turn) -> Frames<'_> {
        let generated = turn.generated();
        let events: Box<dyn Iterator<Item = String>> = match self {
            Dialect::Messages => Box::new(messages::events(turn).map(named)),
            Dialect::Chat => Box::new(chat::events(turn).map(unnamed).chain([DONE.to_owned()])),
            Dialect::Responses => Box::new(numbered(responses::events(turn)).map(named)),
        };
        Box::new(events.map(move |event| Frame::new(event, generated)))
    }

    /// A stream that begins well and then fails.
    pub(super) fn failing_stream(self, turn: &Turn, kind: &str, message: &str) -> Frames<'static> {
        let events: Vec<String> = match self {
            Dialect::Messages => {
                messages::opening(turn).into_iter().chain([self.error(kind, message)]).map(named).collect()
            }
            Dialect::Chat => {
                chat::opening(turn).into_iter().chain([self.error(kind, message)]).map(unnamed).collect()
            }
            Dialect::Responses => {
                let failure = responses::failure(turn, kind, message);
                numbered(responses::opening(turn).into_iter().chain([failure])).map(named).collect()
            }
        };
        Box::new(events.into_iter().map(|event| Frame::new(event, None)))
    }

    /// The body of an error status.
    pub(super) fn error(self, kind: &str, message: &str) -> Value {
        match self {
            Dialect::Messages => json!({"type": "error", "error": {"type": kind, "message": message}}),
            Dialect::Chat | Dialect::Responses => {
                json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
            }
        }
    }
}

const DONE: &str = "data: [DONE]\n\n";

fn named(event: Value) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}

fn unnamed(event: Value) -> String {
    format!("data: {event}\n\n")
}

fn numbered<'a>(events: impl Iterator<Item = Value> + 'a) -> impl Iterator<Item = Value> + 'a {
    events.enumerate().map(|(at, mut event)| {
        event["sequence_number"] = json!(at);
        event
    })
}
