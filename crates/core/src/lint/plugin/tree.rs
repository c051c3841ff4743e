//! Values with the line each stands on, from YAML or JSON.
//!
//! Says what is written, not what it should be. What YAML allows and nobody writes in front matter (aliases, merged
//! keys, keys that are no text) becomes [`Value::Unknown`], which no rule says anything about. Start at [`yaml`] and
//! [`json`].

use crate::prelude::*;
use saphyr_parser::{Event, Parser, ScalarStyle};

/// Deeper than anything that is written by hand.
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
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// Something is there, and what it comes to is not told here.
    Unknown,
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

    /// Of anything but a map: none.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Unknown => &[],
        }
    }

    pub(super) fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Map(_)
            | Value::Unknown => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Unknown => None,
        }
    }

    /// What it is, as it is told.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
            Value::Unknown => "something else",
        }
    }

    /// Keys that stand twice in one object: of the first nothing is left.
    pub(super) fn repeated(&self) -> Vec<&Entry> {
        let mut seen = BTreeSet::new();
        self.entries().iter().filter(|entry| !seen.insert(entry.key.as_str())).collect()
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
        let value = match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => continue,
            // What follows is another document, and Claude Code reads one.
            Event::DocumentEnd => break,
            Event::Alias(_) => Value::Unknown,
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::SequenceStart(..) => {
                open.push(Open::List(line, Vec::new()));
                if open.len() > DEPTH_MAX {
                    return Err(Bad { line, what: "it is nested too deeply".to_owned() });
                }
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(line, Vec::new(), None));
                if open.len() > DEPTH_MAX {
                    return Err(Bad { line, what: "it is nested too deeply".to_owned() });
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(closed) = open.pop() else { continue };
                let (line, value) = match closed {
                    Open::List(line, items) => (line, Value::List(items)),
                    Open::Map(line, entries, _) => (line, Value::Map(entries)),
                };
                put(&mut open, &mut root, Node { line, value });
                continue;
            }
        };
        put(&mut open, &mut root, Node { line, value });
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
            None => {
                let line = node.line;
                *key = Some((written(node), line));
            }
        },
    }
}

/// A key as text; one that is none is not looked for by any rule.
fn written(node: Node) -> String {
    match node.value {
        Value::Text(text) | Value::Number(text) => text,
        Value::Bool(yes) => yes.to_string(),
        Value::Null | Value::List(_) | Value::Map(_) | Value::Unknown => String::new(),
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    match style {
        ScalarStyle::Plain => match text {
            "" | "~" | "null" | "Null" | "NULL" => Value::Null,
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            number if is_number(number) => Value::Number(number.to_owned()),
            other => Value::Text(other.to_owned()),
        },
        ScalarStyle::SingleQuoted
        | ScalarStyle::DoubleQuoted
        | ScalarStyle::Literal
        | ScalarStyle::Folded => Value::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || ['-', '+', '.'].contains(&c))
        && text.parse::<f64>().is_ok()
        && !text.contains(char::is_alphabetic)
}

/// Reads JSON. Whether it is any is decided by the library that reads ours; this only remembers the lines.
pub(super) fn json(text: &str) -> Result<Node, Bad> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<serde_json::Value>(bare)
        .map_err(|error| Bad { line: error.line().saturating_sub(1), what: error.to_string() })?;
    let mut reader = Json { rest: bare, line: 0 };
    Ok(reader.value())
}

/// Walks over text that is known to be JSON, at most as deep as the library allows.
struct Json<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Json<'a> {
    fn blank(&mut self) {
        let text = self.rest.trim_start_matches([' ', '\t', '\r', '\n', ',', ':']);
        let skipped = &self.rest[..self.rest.len() - text.len()];
        self.line += skipped.matches('\n').count();
        self.rest = text;
    }

    fn skip(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    fn value(&mut self) -> Node {
        self.blank();
        let line = self.line;
        let value = match self.rest.chars().next() {
            Some('{') => Value::Map(self.map()),
            Some('[') => Value::List(self.list()),
            Some('"') => Value::Text(self.string()),
            _ => {
                let end = self.rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                match word {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "null" | "" => Value::Null,
                    number => Value::Number(number.to_owned()),
                }
            }
        };
        Node { line, value }
    }

    fn map(&mut self) -> Vec<Entry> {
        self.skip();
        let mut entries = Vec::new();
        loop {
            self.blank();
            if !self.rest.starts_with('"') {
                self.skip();
                return entries;
            }
            let line = self.line;
            let key = self.string();
            let node = self.value();
            entries.push(Entry { key, line, node });
        }
    }

    fn list(&mut self) -> Vec<Node> {
        self.skip();
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.rest.is_empty() || self.rest.starts_with(']') {
                self.skip();
                return items;
            }
            items.push(self.value());
        }
    }

    /// From one quote to the other.
    fn string(&mut self) -> String {
        let mut escaped = false;
        let is_end = |(_, c): &(usize, char)| {
            let end = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            end
        };
        let end = self.rest.char_indices().skip(1).find(is_end).map_or(self.rest.len(), |(at, _)| at + 1);
        let (quoted, rest) = self.rest.split_at(end);
        self.rest = rest;
        serde_json::from_str(quoted).unwrap_or_default()
    }
}
