//! One answer of the model, before any protocol shapes it, and the pieces that are sent.
//!
//! A text may be generated while it is sent, so that an answer of any size needs no memory. In JSON such a
//! text is a placeholder, which [`Frame`] replaces at the last moment.

use super::RecordedRequest;
use super::cache::Charge;
use super::conversation::tool_names;
use super::prompt::tokens;
use super::script::Reply;
use serde_json::Value;
use std::hash::{DefaultHasher, Hasher};

/// One answer and everything a protocol says around it.
#[derive(Debug)]
pub(super) struct Turn {
    /// What its ids are made from.
    pub(super) id: String,
    pub(super) model: String,
    /// Seconds of the provider's clock.
    pub(super) created: u64,
    pub(super) parts: Vec<Part>,
    pub(super) truncated: bool,
    /// Whether its text says why there is no answer.
    pub(super) refused: bool,
    pub(super) bill: Charge,
    /// The number of tokens it claims to have; none for the real number.
    pub(super) output: Option<u64>,
    /// Whether a chat stream ends with its usage.
    pub(super) include_usage: bool,
}

#[derive(Debug)]
pub(super) enum Part {
    Text(Text),
    Call(ToolCall),
}

#[derive(Debug)]
pub(super) enum Text {
    Held(String),
    /// This many bytes.
    Generated(u64),
}

#[derive(Debug)]
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
    /// Whether the request declared the tool as one that takes plain text.
    pub(super) freeform: bool,
}

/// One event of a stream, or a whole body, as bytes to send.
#[derive(Debug)]
pub(super) struct Frame(pub(super) Vec<Piece>);

#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Bytes(Vec<u8>),
    Generated(u64),
}

/// Stands for a generated text inside JSON; private-use characters that no fixed text around it contains.
const PLACEHOLDER: &str = "\u{E0F0}generated\u{E0F1}";
/// What generated text repeats; it needs no escape in JSON.
const PATTERN: &[u8; 16] = b"generated words ";
const GENERATED_PIECE: u64 = 16 * 1024;
const HELD_PIECE_CHARS: usize = 48;

/// The parts of a reply that is an answer; anything else has none.
pub(super) fn parts(reply: &Reply, request: &RecordedRequest, id: &str) -> Vec<Part> {
    let call = |at: usize, name: &str, input: &Value| {
        Part::Call(ToolCall {
            id: format!("{id}{at:02}"),
            name: name.to_owned(),
            input: input.clone(),
            freeform: is_freeform(request, name),
        })
    };
    match reply {
        Reply::Text(text) | Reply::Truncated(text) | Reply::Refusal(text) => {
            vec![Part::Text(Text::Held(text.clone()))]
        }
        Reply::Tool { name, input } => vec![call(0, name, input)],
        Reply::Tools(calls) => {
            calls.iter().enumerate().map(|(at, each)| call(at, &each.name, &each.input)).collect()
        }
        Reply::Json(value) if tool_names(request).iter().any(|name| name == STRUCTURED) => {
            vec![call(0, STRUCTURED, value)]
        }
        Reply::Json(value) => vec![Part::Text(Text::Held(value.to_string()))],
        Reply::Huge { bytes } => vec![Part::Text(Text::Generated(*bytes))],
        _ => Vec::new(),
    }
}

/// Differs from answer to answer, even where a conversation goes on with another provider: clients take an id they have
/// seen before for the same message.
pub(super) fn id(request: &RecordedRequest, number: usize) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(&request.body);
    format!("{:016x}{number:06}", hasher.finish())
}

/// The tool through which Claude Code asks for structured output.
const STRUCTURED: &str = "StructuredOutput";

impl Turn {
    pub(super) fn output_tokens(&self) -> u64 {
        let chars = self.parts.iter().map(|part| match part {
            Part::Text(Text::Held(text)) => text.chars().count() as u64,
            Part::Text(Text::Generated(bytes)) => *bytes,
            Part::Call(call) => call.arguments().chars().count() as u64,
        });
        self.output.unwrap_or_else(|| tokens(chars.sum()).max(1))
    }

    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call(_)))
    }

    /// The length of its generated text, if it has one.
    pub(super) fn generated(&self) -> Option<u64> {
        self.parts.iter().find_map(|part| match part {
            Part::Text(Text::Generated(bytes)) => Some(*bytes),
            _ => None,
        })
    }
}

impl Text {
    /// The whole text as it stands in JSON.
    pub(super) fn value(&self) -> &str {
        match self {
            Text::Held(text) => text,
            Text::Generated(_) => PLACEHOLDER,
        }
    }

    /// The text in the pieces a stream sends.
    pub(super) fn pieces(&self) -> Box<dyn Iterator<Item = String> + '_> {
        match self {
            Text::Held(text) => Box::new(pieces(text)),
            Text::Generated(bytes) => Box::new(
                generated(*bytes).map(|piece| String::from_utf8(piece).expect("the pattern is ASCII")),
            ),
        }
    }
}

impl ToolCall {
    /// The input as the text a protocol carries.
    pub(super) fn arguments(&self) -> String {
        match &self.input {
            Value::String(text) if self.freeform => text.clone(),
            other => other.to_string(),
        }
    }
}

/// A text in pieces of a few dozen characters; none for the empty text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut chars = text.chars();
    std::iter::from_fn(move || {
        let piece: String = chars.by_ref().take(HELD_PIECE_CHARS).collect();
        (!piece.is_empty()).then_some(piece)
    })
}

/// So many bytes of generated text, in pieces of bounded size.
pub(super) fn generated(bytes: u64) -> impl Iterator<Item = Vec<u8>> {
    let mut left = bytes;
    std::iter::from_fn(move || {
        let size = left.min(GENERATED_PIECE);
        left -= size;
        let pattern = PATTERN.iter().copied().cycle();
        (size > 0).then(|| pattern.take(size as usize).collect())
    })
}

impl Frame {
    /// Prepared bytes; the placeholder becomes generated text where the answer has one.
    pub(super) fn new(text: String, generated: Option<u64>) -> Frame {
        let Some(length) = generated else { return Frame(vec![Piece::Bytes(text.into_bytes())]) };
        let mut frame = Vec::new();
        for (at, fixed) in text.split(PLACEHOLDER).enumerate() {
            if at > 0 {
                frame.push(Piece::Generated(length));
            }
            frame.push(Piece::Bytes(fixed.as_bytes().to_owned()));
        }
        Frame(frame)
    }

    /// Its size once everything is generated.
    pub(super) fn len(&self) -> u64 {
        let sizes = self.0.iter().map(|piece| match piece {
            Piece::Bytes(bytes) => bytes.len() as u64,
            Piece::Generated(length) => *length,
        });
        sizes.sum()
    }
}

fn is_freeform(request: &RecordedRequest, name: &str) -> bool {
    let tools = request.json["tools"].as_array().map_or(&[][..], Vec::as_slice);
    tools
        .iter()
        .any(|tool| tool["type"] == "custom" && tool["name"] == name && tool.get("input_schema").is_none())
}
