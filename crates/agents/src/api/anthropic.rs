//! Anthropic's Messages protocol: where the cache boundaries are, and how a streamed answer is put together.
//!
//! Where boundaries may be after the constant, feature and role fragments is part of the stored bytes; the one on the
//! newest message moves. A boundary is no part of the cached prefix, so moving it, giving it another lifetime or
//! leaving it out costs nothing: each request asks for what it wants.

mod stream;

use super::raw::{self, Members, quoted};
use super::spend::sold;
use super::wire::{Ask, Call, Listener, Opening, Wire, joined};
use crate::tools::{Tool, ToolResult};
use redraft_engine::ports::Cache;
use redraft_facts::choice::{Lifetime, Marks};
use redraft_facts::fragment::{Fragment, Prompt};
use stream::Stream;

const VERSION: &str = "2023-06-01";

/// The most the vendor accepts in one request.
const BOUNDARIES_MAX: u8 = 4;
const SOLD: [Lifetime; 2] = [Lifetime::Hour, Lifetime::FiveMinutes];

#[derive(Debug, Clone, Copy)]
pub(super) struct Messages;

/// The fragments of one stability as blocks, the last of them with a boundary.
fn blocks(fragments: &[Fragment]) -> Vec<String> {
    let texts = fragments.iter().filter_map(|fragment| joined([fragment]));
    let mut blocks: Vec<String> = texts.map(|text| block(&text).json()).collect();
    if let Some(last) = blocks.last_mut() {
        *last = with_boundary(last, Lifetime::FiveMinutes);
    }
    blocks
}

/// What to keep for how long, in an order the vendor accepts: it refuses a longer lifetime after a shorter one, and
/// whatever a part builds on has to last at least as long as the part itself. So a part without a mark is kept with the
/// next one that has one. The parts are the constant fragments, then the feature and role fragments, then the newest
/// message.
fn descending(asked: &Marks) -> [Option<Lifetime>; 3] {
    let [system, stable, tail] = [asked.system, asked.stable, asked.tail].map(|mark| mark.map(sold));
    let stable = stable.max(tail);
    [system.max(stable), stable, tail]
}

impl Wire for Messages {
    fn signature(&self) -> String {
        format!("anthropic messages {VERSION}")
    }

    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let key = key.map(|key| ("x-api-key", key.to_owned()));
        [("anthropic-version", VERSION.to_owned())].into_iter().chain(key).collect()
    }

    fn tools(&self, tools: &[Tool]) -> String {
        let tools: Vec<String> = tools
            .iter()
            .map(|tool| {
                let Tool { name, description, schema } = tool;
                format!(
                    r#"{{"name":{},"description":{},"input_schema":{schema}}}"#,
                    quoted(name),
                    quoted(description)
                )
            })
            .collect();
        raw::list(&tools)
    }

    fn open(&self, prompt: &Prompt) -> Opening {
        let system = blocks(&prompt.constant);
        let mut first = blocks(&prompt.feature);
        first.extend(blocks(&prompt.role));
        first.extend(joined(&prompt.turn).map(|text| block(&text).json()));
        let system = if system.is_empty() { String::new() } else { raw::list(&system) };
        Opening { system, message: message("user", &first) }
    }

    fn say(&self, text: &str) -> String {
        message("user", &[block(text).json()])
    }

    fn results(&self, results: &[(Call, ToolResult)]) -> Vec<String> {
        let blocks: Vec<String> = results
            .iter()
            .map(|(call, result)| {
                let mut block = Members::default()
                    .with("type", quoted("tool_result"))
                    .with("tool_use_id", quoted(&call.id))
                    .with("content", quoted(&result.text));
                if result.is_error {
                    block.set("is_error", "true".to_owned());
                }
                block.json()
            })
            .collect();
        vec![message("user", &blocks)]
    }

    fn body(&self, ask: &Ask<'_>) -> String {
        let [constant, stable, tail] = descending(ask.marks);
        let mut messages: Vec<String> = ask.messages.iter().map(|message| (*message).to_owned()).collect();
        if let Some(first) = messages.first_mut() {
            *first = with_lifetimes(first, stable);
        }
        if let Some(last) = messages.last_mut() {
            // Results of tools are followed by more requests within seconds, each of which sends all of this again.
            let tail = tail.or_else(|| holds_results(last).then_some(Lifetime::FiveMinutes));
            if let Some(tail) = tail {
                *last = with_boundary_at_end(last, tail);
            }
        }
        let mut body = Members::default()
            .with("model", quoted(ask.model))
            .with("max_tokens", ask.max_tokens.to_string())
            .with("stream", "true");
        // The vendor reads them in this order, whatever the order here.
        if ask.tools != "[]" {
            body.set("tools", ask.tools.to_owned());
        }
        if !ask.system.is_empty() {
            body.set("system", lasting(ask.system, constant));
        }
        body.set("messages", raw::list(&messages));
        if !ask.schema.is_empty() {
            let schema = ask.schema;
            body.set("output_config", format!(r#"{{"format":{{"type":"json_schema","schema":{schema}}}}}"#));
        }
        body.json()
    }

    fn listen(&self) -> Box<dyn Listener> {
        Box::new(Stream::default())
    }

    fn cache(&self) -> Cache {
        Cache::Boundaries(BOUNDARIES_MAX)
    }

    fn sold(&self) -> &'static [Lifetime] {
        &SOLD
    }

    fn lifetimes(&self, asked: &Marks) -> Option<(Lifetime, Option<Lifetime>)> {
        let [longest, .., newest] = descending(asked);
        Some((longest.unwrap_or(Lifetime::FiveMinutes), newest))
    }
}

fn block(text: &str) -> Members {
    Members::default().with("type", quoted("text")).with("text", quoted(text))
}

fn message(role: &str, blocks: &[String]) -> String {
    format!(r#"{{"role":{},"content":{}}}"#, quoted(role), raw::list(blocks))
}

fn with_boundary(block: &str, lifetime: Lifetime) -> String {
    let control = match lifetime {
        Lifetime::FiveMinutes => r#"{"type":"ephemeral"}"#,
        _ => r#"{"type":"ephemeral","ttl":"1h"}"#,
    };
    Members::parse(block)
        .map_or_else(|| block.to_owned(), |block| block.with("cache_control", control).json())
}

/// The first message with its boundaries, after the feature and after the role fragments, kept as long as wanted.
fn with_lifetimes(message: &str, lifetime: Option<Lifetime>) -> String {
    let Some(mut members) = Members::parse(message) else { return message.to_owned() };
    let Some(content) = members.get("content").map(|content| lasting(content, lifetime)) else {
        return message.to_owned();
    };
    members.set("content", content);
    members.json()
}

/// Blocks whose boundaries are kept this long, or left out. What has no boundary stays as it is.
fn lasting(blocks: &str, lifetime: Option<Lifetime>) -> String {
    let Some(mut blocks) = raw::elements(blocks) else { return blocks.to_owned() };
    for block in &mut blocks {
        let Some(mut members) = Members::parse(block) else { continue };
        if members.get("cache_control").is_none() {
            continue;
        }
        match lifetime {
            Some(lifetime) => *block = with_boundary(block, lifetime),
            None => {
                members.remove("cache_control");
                *block = members.json();
            }
        }
    }
    raw::list(&blocks)
}

/// Whether a message brings results of tools.
fn holds_results(message: &str) -> bool {
    let blocks = Members::parse(message).and_then(|members| raw::elements(members.get("content")?));
    let is_result = |block: &String| {
        Members::parse(block).and_then(|block| block.text("type")).as_deref() == Some("tool_result")
    };
    blocks.is_some_and(|blocks| blocks.iter().any(is_result))
}

/// A boundary on the last block that can carry one; a model's own thinking cannot.
fn with_boundary_at_end(message: &str, lifetime: Lifetime) -> String {
    let Some(mut members) = Members::parse(message) else { return message.to_owned() };
    let Some(mut blocks) = members.get("content").and_then(raw::elements) else { return message.to_owned() };
    let kind = |block: &str| Members::parse(block).and_then(|block| block.text("type")).unwrap_or_default();
    if let Some(last) = blocks.iter_mut().rev().find(|block| !kind(block).contains("thinking")) {
        *last = with_boundary(last, lifetime);
    }
    members.set("content", raw::list(&blocks));
    members.json()
}
