//! Reads a request's prompt into what the caches compare: its exact bytes, in the vendor's order.
//!
//! It works on raw JSON, because a parsed value would hide that a client wrote its keys in another order.
//! It refuses what the vendors refuse, and knows neither what is cached nor what is answered.

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::time::Duration;

/// A prompt as Anthropic caches it: tools, then system, then messages.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    /// How many blocks stand before the first message.
    pub(super) before_messages: usize,
    /// Settings whose change makes cached messages unusable, but not tools and system.
    pub(super) message_settings: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    /// The block without its `cache_control`, preceded by its position.
    pub(super) bytes: String,
    /// The characters that count as tokens.
    pub(super) chars: u64,
    pub(super) breakpoint: Option<Lifetime>,
    /// A run of tool calls or of tool results counts as one place of the lookback.
    pub(super) run: Run,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    None,
    Calls,
    Results,
}

/// How long an entry of the Anthropic cache lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lifetime {
    Minutes5,
    Hour1,
}

impl Lifetime {
    pub(super) fn duration(self) -> Duration {
        match self {
            Lifetime::Minutes5 => Duration::from_secs(300),
            Lifetime::Hour1 => Duration::from_secs(3_600),
        }
    }
}

const MOST_BREAKPOINTS: usize = 4;

/// Reads a body of `/v1/messages`. The error is the message of a 400.
pub(super) fn anthropic(body: &[u8]) -> Result<Blocks, String> {
    let text = std::str::from_utf8(body).map_err(|_| "the body is not UTF-8".to_owned())?;
    let request = members(text).map_err(|_| "the body is not a JSON object".to_owned())?;
    let mut blocks = Vec::new();
    for (at, tool) in list(&request, "tools")?.iter().enumerate() {
        blocks.push(block("tool", tool.get(), &format!("tools.{at}"))?);
    }
    if let Some(system) = find(&request, "system") {
        content(&mut blocks, "system", system.get(), "system")?;
    }
    let before_messages = blocks.len();
    for (at, message) in list(&request, "messages")?.iter().enumerate() {
        let place = format!("messages.{at}");
        let message = members(message.get()).map_err(|_| format!("{place}: expected an object"))?;
        let role = find(&message, "role").ok_or_else(|| format!("{place}.role: field required"))?;
        let inside = find(&message, "content").ok_or_else(|| format!("{place}.content: field required"))?;
        content(&mut blocks, role.get(), inside.get(), &format!("{place}.content"))?;
    }
    if let (Some(control), Some(last)) = (find(&request, "cache_control"), blocks.last_mut()) {
        last.breakpoint = Some(lifetime(control.get(), "cache_control")?);
    }
    check_breakpoints(&blocks)?;
    let settings = ["tool_choice", "thinking", "output_config"];
    let settings = settings.map(|name| find(&request, name).map_or("", RawValue::get));
    Ok(Blocks { blocks, before_messages, message_settings: settings.join("\n") })
}

/// Reads a body of the OpenAI protocols as the items whose beginning is cached: tools, schema, instructions, then
/// those of the conversation. The ids of its items serve the protocol; no model sees them.
pub(super) fn openai(body: &[u8]) -> Result<Vec<String>, String> {
    let text = std::str::from_utf8(body).map_err(|_| "the body is not UTF-8".to_owned())?;
    let request = members(text).map_err(|_| "the body is not a JSON object".to_owned())?;
    let before = ["tools", "response_format", "text", "instructions"];
    let mut found: Vec<String> =
        before.iter().filter_map(|name| Some(find(&request, name)?.get().to_owned())).collect();
    for name in ["messages", "input"] {
        match find(&request, name).map(RawValue::get) {
            Some(text) if text.starts_with('"') => found.push(text.to_owned()),
            _ => found.extend(list(&request, name)?.iter().map(|item| without(item.get(), "id"))),
        }
    }
    Ok(found)
}

/// Both vendors' tokens are a quarter of the characters here.
pub(super) fn tokens(chars: u64) -> u64 {
    chars / 4
}

fn content(blocks: &mut Vec<Block>, place: &str, raw: &str, path: &str) -> Result<(), String> {
    if raw.starts_with('"') {
        // A bare string is short for one text block and is cached like it.
        let written = format!("{{\"type\":\"text\",\"text\":{raw}}}");
        blocks.push(block(place, &written, path)?);
        return Ok(());
    }
    let parts: Vec<&RawValue> =
        serde_json::from_str(raw).map_err(|_| format!("{path}: expected a string or a list"))?;
    for (at, part) in parts.iter().enumerate() {
        blocks.push(block(place, part.get(), &format!("{path}.{at}"))?);
    }
    Ok(())
}

fn block(place: &str, raw: &str, path: &str) -> Result<Block, String> {
    let members = members(raw).map_err(|_| format!("{path}: expected an object"))?;
    let control = find(&members, "cache_control").filter(|control| control.get() != "null");
    let breakpoint =
        control.map(|control| lifetime(control.get(), &format!("{path}.cache_control"))).transpose()?;
    let empty_text = find(&members, "text").is_some_and(|text| text.get() == "\"\"");
    if breakpoint.is_some() && empty_text {
        return Err(format!("{path}.cache_control: cannot be set on an empty text block"));
    }
    let written = without(raw, "cache_control");
    let run = match find(&members, "type").map(RawValue::get) {
        Some("\"tool_use\"") => Run::Calls,
        Some("\"tool_result\"") => Run::Results,
        _ => Run::None,
    };
    let chars = written.chars().count() as u64;
    Ok(Block { bytes: format!("{place} {written}"), chars, breakpoint, run })
}

fn lifetime(control: &str, path: &str) -> Result<Lifetime, String> {
    let control = members(control).map_err(|_| format!("{path}: expected an object"))?;
    if find(&control, "type").map(RawValue::get) != Some("\"ephemeral\"") {
        return Err(format!("{path}.type: expected 'ephemeral'"));
    }
    match find(&control, "ttl").map(RawValue::get) {
        None | Some("\"5m\"") => Ok(Lifetime::Minutes5),
        Some("\"1h\"") => Ok(Lifetime::Hour1),
        Some(other) => Err(format!("{path}.ttl: expected '5m' or '1h', got {other}")),
    }
}

fn check_breakpoints(blocks: &[Block]) -> Result<(), String> {
    let lifetimes: Vec<Lifetime> = blocks.iter().filter_map(|block| block.breakpoint).collect();
    if lifetimes.len() > MOST_BREAKPOINTS {
        let found = lifetimes.len();
        return Err(format!("at most {MOST_BREAKPOINTS} blocks may carry cache_control, found {found}"));
    }
    if lifetimes.windows(2).any(|pair| pair[0] < pair[1]) {
        return Err("a cache_control of ttl '1h' may not follow one of ttl '5m'; \
                    blocks count in the order tools, system, messages"
            .to_owned());
    }
    Ok(())
}

type Members<'a> = Vec<(String, &'a RawValue)>;

fn find<'a>(members: &Members<'a>, name: &str) -> Option<&'a RawValue> {
    members.iter().find(|(each, _)| each == name).map(|(_, value)| *value)
}

/// An object without one of its members, the others in their exact bytes; anything else stays as it is.
fn without(raw: &str, name: &str) -> String {
    let Ok(members) = members(raw) else { return raw.to_owned() };
    let kept = members.iter().filter(|(each, _)| each != name);
    let kept: Vec<String> =
        kept.map(|(each, value)| format!("{}:{}", Value::from(each.as_str()), value.get())).collect();
    format!("{{{}}}", kept.join(","))
}

fn list<'a>(members: &Members<'a>, name: &str) -> Result<Vec<&'a RawValue>, String> {
    match find(members, name) {
        None => Ok(Vec::new()),
        Some(raw) => serde_json::from_str(raw.get()).map_err(|_| format!("{name}: expected a list")),
    }
}

/// The members of an object in the order they were written, each value in its exact bytes.
fn members(text: &str) -> Result<Members<'_>, serde_json::Error> {
    struct InOrder;

    impl<'de> Visitor<'de> for InOrder {
        type Value = Members<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry::<String, &RawValue>()? {
                members.push(member);
            }
            Ok(members)
        }
    }

    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader.deserialize_map(InOrder)?;
    reader.end()?;
    Ok(members)
}
