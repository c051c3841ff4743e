//! Reads YAML or JSON into values, each with its line.
//!
//! It reads what is written, not what it should be. Numbers, booleans and what nobody uses in front matter (aliases,
//! merged keys) are [`Value::Other`], which no rule looks into. Start at [`yaml`] and [`json`].

use redraft_facts::prelude::*;
use saphyr_parser::{Event, Parser, ScalarStyle};

/// Deeper than anything written by hand.
const DEPTH_MAX: usize = 64;

/// Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Null,
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) line: usize,
    pub(super) node: Node,
}

/// Why a text is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) line: usize,
    pub(super) what: String,
}

impl Node {
    /// The last one of that name, which is the one that counts.
    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// The entries of a map; none for anything else.
    pub(super) fn entries(&self) -> &[Entry] {
        if let Value::Map(entries) = &self.value { entries } else { &[] }
    }

    /// The items of a list; none for anything else.
    pub(super) fn items(&self) -> &[Node] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "empty",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
            Value::Other => "a number or the like",
        }
    }
}

/// What is being read: a list or an object that is not closed yet.
enum Open {
    List(usize, Vec<Node>),
    /// With the key whose value comes next.
    Map(usize, Vec<Entry>, Option<(String, usize)>),
}

/// Reads YAML whose first line is line `first` of its file. Nothing at all is [`Value::Null`].
pub(super) fn yaml(text: &str, first: usize) -> Result<Node, Bad> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Bad {
            line: first + error.marker().line().saturating_sub(1),
            what: error.info().to_owned(),
        })?;
        let line = first + span.start.line().saturating_sub(1);
        let node = match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => continue,
            // What follows is another document, and Claude Code reads one.
            Event::DocumentEnd => break,
            Event::Alias(_) => Node { line, value: Value::Other },
            Event::Scalar(text, style, ..) => Node { line, value: scalar(&text, style) },
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= DEPTH_MAX {
                    return Err(Bad { line, what: "it is nested too deeply".to_owned() });
                }
                open.push(match event {
                    Event::SequenceStart(..) => Open::List(line, Vec::new()),
                    _ => Open::Map(line, Vec::new(), None),
                });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(line, items)) => Node { line, value: Value::List(items) },
                Some(Open::Map(line, entries, _)) => Node { line, value: Value::Map(entries) },
                None => continue,
            },
        };
        put(&mut open, &mut root, node);
    }
    Ok(root.unwrap_or(Node { line: first, value: Value::Null }))
}

/// Puts a value where it belongs: into what is open, as a key or as a value.
fn put(open: &mut [Open], root: &mut Option<Node>, node: Node) {
    match open.last_mut() {
        None => {
            root.get_or_insert(node);
        }
        Some(Open::List(_, items)) => items.push(node),
        Some(Open::Map(_, entries, key)) => match key.take() {
            Some((key, line)) => entries.push(Entry { key, line, node }),
            // No rule looks for a key that is not text.
            None => *key = Some((node.text().unwrap_or_default().to_owned(), node.line)),
        },
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    match (style, text) {
        (ScalarStyle::Plain, "" | "~" | "null" | "Null" | "NULL") => Value::Null,
        (ScalarStyle::Plain, "true" | "True" | "TRUE" | "false" | "False" | "FALSE") => Value::Other,
        (ScalarStyle::Plain, number) if is_number(number) => Value::Other,
        (_, other) => Value::Text(other.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || ['-', '+', '.'].contains(&c))
        && text.parse::<f64>().is_ok()
}

/// Reads JSON. Whether it is valid is decided by the library that reads ours; it is YAML as well, and that reader knows
/// the lines.
pub(super) fn json(text: &str) -> Result<Node, Bad> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = serde_json::from_str::<serde_json::Value>(bare)
        .map_err(|error| Bad { line: error.line().saturating_sub(1), what: error.to_string() })?;
    // Some escapes of JSON are not valid in YAML. Without lines is better than not at all.
    Ok(yaml(bare, 0).unwrap_or_else(|_| without_lines(value)))
}

fn without_lines(value: serde_json::Value) -> Node {
    use serde_json::Value as Json;
    let entry = |(key, value)| Entry { key, line: 0, node: without_lines(value) };
    let value = match value {
        Json::Null => Value::Null,
        Json::Bool(_) | Json::Number(_) => Value::Other,
        Json::String(text) => Value::Text(text),
        Json::Array(items) => Value::List(items.into_iter().map(without_lines).collect()),
        Json::Object(entries) => Value::Map(entries.into_iter().map(entry).collect()),
    };
    Node { line: 0, value }
}
