//! Puts a streamed answer of Anthropic's together.

use super::super::raw::{self, Members, quoted};
use super::super::wire::{
    Call, Counted, End, Fault, Length, Listener, Said, parsed, reported, scrubbed_input, texts,
};
use super::message;
use crate::billing;
use crate::http::sse::Event;
use redraft_facts::choice::Lifetime;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An answer as it arrives.
#[derive(Default)]
pub(super) struct Stream {
    blocks: BTreeMap<u64, Building>,
    counted: Counted,
    length: Length,
    stop: Option<String>,
}

/// A block and what its deltas add to it.
#[derive(Default)]
struct Building {
    begun: Members,
    /// By the name of the field they extend.
    texts: BTreeMap<&'static str, String>,
    input: String,
    citations: Vec<String>,
}

impl Listener for Stream {
    fn hear(&mut self, event: &Event) -> Result<bool, Fault> {
        let data = parsed(event)?;
        match data["type"].as_str().unwrap_or_default() {
            "message_start" => self.count(&data["message"]["usage"]),
            "content_block_start" => {
                let begun =
                    Members::parse(&event.data).and_then(|event| Members::parse(event.get("content_block")?));
                let begun = begun.ok_or_else(|| Fault::Garbage("a block that is no object".to_owned()))?;
                self.length += texts(&data["content_block"]["text"]);
                self.blocks.insert(place(&data), Building { begun, ..Building::default() });
            }
            "content_block_delta" => self.extend(&data, &event.data),
            "message_delta" => {
                self.count(&data["usage"]);
                // The number at the beginning is not yet the length of the answer.
                self.counted.output_told |= billing::count(&data["usage"]["output_tokens"]).is_some();
                self.stop = data["delta"]["stop_reason"].as_str().map(str::to_owned);
            }
            "message_stop" => return Ok(true),
            "error" => {
                self.count(&data["usage"]);
                return Err(reported(&data["error"]));
            }
            // Pings, and kinds of a later version.
            _ => {}
        }
        Ok(false)
    }

    fn counted(&self) -> Counted {
        self.counted.clone()
    }

    fn is_whole(&self) -> bool {
        self.stop.is_some()
    }

    fn has_begun(&self) -> bool {
        !self.blocks.is_empty() || self.stop.is_some()
    }

    fn length(&self) -> Length {
        self.length
    }

    fn said(self: Box<Self>, scrub: &dyn Fn(&str) -> String) -> Result<Said, Fault> {
        let (mut blocks, mut text, mut calls) = (Vec::new(), String::new(), Vec::new());
        for building in self.blocks.into_values() {
            let (block, call) = building.finished(scrub);
            match block.text("type").as_deref() {
                Some("text") => {
                    let said = block.text("text").unwrap_or_default();
                    // The vendor sends empty texts but refuses them when they are sent back.
                    if said.is_empty() {
                        continue;
                    }
                    text.push_str(&said);
                }
                Some("tool_use") => calls.push(call),
                _ => {}
            }
            blocks.push(block.json());
        }
        let end = match self.stop.as_deref() {
            None => return Err(Fault::Cut),
            Some("tool_use") if !calls.is_empty() => End::Tools,
            Some("pause_turn") => End::Paused,
            Some("max_tokens") => End::Truncated,
            Some("refusal") => End::Refused,
            Some("model_context_window_exceeded") => End::Full,
            Some(_) => End::Answered,
        };
        let messages = if blocks.is_empty() { Vec::new() } else { vec![message("assistant", &blocks)] };
        Ok(Said { messages, text, calls, end })
    }
}

impl Stream {
    fn extend(&mut self, data: &Value, raw: &str) {
        let Some(building) = self.blocks.get_mut(&place(data)) else { return };
        let delta = &data["delta"];
        for field in ["text", "thinking", "signature"] {
            if let Some(piece) = delta[field].as_str() {
                self.length += Length::from_text(piece);
                building.texts.entry(field).or_default().push_str(piece);
            }
        }
        if let Some(piece) = delta["partial_json"].as_str() {
            self.length += Length::from_text(piece);
            building.input.push_str(piece);
        }
        let citation =
            || Members::parse(Members::parse(raw)?.get("delta")?)?.get("citation").map(str::to_owned);
        building.citations.extend(citation());
    }

    /// Later counts replace earlier ones unless they are lower; what an event does not mention stays.
    fn count(&mut self, usage: &Value) {
        let number = |field: &str| billing::count(&usage[field]);
        let before = &self.counted;
        let mut now = before.clone();
        now.input_told |= number("input_tokens").is_some();
        now.uncached = number("input_tokens").unwrap_or(now.uncached);
        now.read = number("cache_read_input_tokens").unwrap_or(now.read);
        now.output = now.output.max(number("output_tokens").unwrap_or_default());
        let by_lifetime = |field: &str| billing::count(&usage["cache_creation"][field]);
        let (minutes, hour) =
            (by_lifetime("ephemeral_5m_input_tokens"), by_lifetime("ephemeral_1h_input_tokens"));
        let all = number("cache_creation_input_tokens");
        if minutes.or(hour).or(all).is_some() {
            let (minutes, hour) = (minutes.unwrap_or_default(), hour.unwrap_or_default());
            // Where only the sum is given, or it is more, the dearer lifetime is the safe assumption.
            let hour = hour.max(all.unwrap_or_default().saturating_sub(minutes));
            now.written = vec![(Lifetime::FiveMinutes, minutes), (Lifetime::Hour, hour)];
        }
        if now.input() < before.input() {
            let Counted { output, input_told, .. } = now;
            now = Counted { output, input_told, ..before.clone() };
        }
        self.counted = now;
    }
}

impl Building {
    /// The block as it is sent back to the vendor, and the call if it is one.
    fn finished(self, scrub: &dyn Fn(&str) -> String) -> (Members, Call) {
        let Building { begun: mut block, texts, input, citations } = self;
        for (field, added) in texts {
            let text = block.text(field).unwrap_or_default() + &added;
            // A signature vouches for the thinking next to it, so neither may be changed.
            let text = if field == "text" { scrub(&text) } else { text };
            block.set(field, quoted(&text));
        }
        if !citations.is_empty() {
            block.set("citations", raw::list(&citations));
        }
        let input = scrubbed_input(&input, scrub);
        let parsed: Option<Value> = if input.trim().is_empty() {
            let given = block.get("input").map(|input| scrubbed_input(input, scrub));
            if let Some(given) = &given {
                block.set("input", given.clone());
            }
            given.and_then(|input| serde_json::from_str(&input).ok())
        } else {
            serde_json::from_str(&input).ok()
        };
        if !input.trim().is_empty() {
            block.set("input", if parsed.is_some() { input } else { json!({}).to_string() });
        }
        let word = |name: &str| block.text(name).unwrap_or_default();
        let call = Call { id: word("id"), name: word("name"), input: parsed };
        (block, call)
    }
}

fn place(data: &Value) -> u64 {
    data["index"].as_u64().unwrap_or_default()
}
