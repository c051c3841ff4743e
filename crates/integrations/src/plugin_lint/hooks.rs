//! Checks hooks, in files and in the manifest: whether they can be read, and whether one runs after every compaction.
//!
//! Which events and kinds of hooks there are is not known here. Start at [`check`].

use super::tree::{self, Node, Value};
use super::{Found, MANIFEST, Manifest, Plugin};
use redraft_documents::lint::Rule;
use redraft_facts::prelude::*;

pub(super) const USUAL: &str = "hooks/hooks.json";

pub(super) fn check<'a>(plugin: &'a Plugin, manifest: &Manifest, found: &mut Found<'a>) {
    let mut files: BTreeSet<&str> = manifest.hooks.iter().map(String::as_str).collect();
    files.insert(USUAL);
    for (path, text) in files.into_iter().filter_map(|file| plugin.text(file)) {
        match tree::json(text) {
            Ok(node) => match node.get("hooks") {
                Some(entry) => check_events(path, &entry.node, found),
                None => {
                    let message = "there is no object `hooks` in this file".to_owned();
                    let hint = "write { \"hooks\": { \"SessionStart\": […] } }";
                    found.add(path, Rule::PluginHooks, node.line, message, hint);
                }
            },
            Err(bad) => {
                let message = format!("the hooks are not JSON: {}", bad.what);
                found.add(
                    path,
                    Rule::PluginHooks,
                    bad.line,
                    message,
                    "no hook of the plugin runs until they are",
                );
            }
        }
    }
    if let Some(node) = &manifest.own_hooks {
        check_events(MANIFEST, node.get("hooks").map_or(node, |entry| &entry.node), found);
    }
}

fn check_events<'a>(path: &'a str, events: &Node, found: &mut Found<'a>) {
    if !matches!(events.value, Value::Map(_)) {
        let message =
            format!("`hooks` is {}, and has to be an object with an event for each key", events.kind());
        found.add(path, Rule::PluginHooks, events.line, message, "write { \"SessionStart\": […] }");
    }
    for entry in events.entries() {
        let event = &entry.key;
        if !matches!(entry.node.value, Value::List(_)) {
            let message = format!("`{event}` is {}, and has to be a list", entry.node.kind());
            let hint = "write [ { \"matcher\": \"…\", \"hooks\": […] } ]";
            found.add(path, Rule::PluginHooks, entry.line, message, hint);
        }
        for group in entry.node.items() {
            if !group.get("hooks").is_some_and(|entry| matches!(entry.node.value, Value::List(_))) {
                let message = format!("a group of {event} has no list `hooks`");
                let hint = "write { \"matcher\": \"…\", \"hooks\": [ { \"type\": \"command\", \"command\": \"…\" } ] }";
                found.add(path, Rule::PluginHooks, group.line, message, hint);
            } else if event == "SessionStart" {
                check_compact(path, group, found);
            }
        }
    }
}

/// A session goes on after compaction, and its summary has what hooks added; adding it a second time only costs.
fn check_compact<'a>(path: &'a str, group: &Node, found: &mut Found<'a>) {
    let entry = group.get("matcher");
    let written = entry.and_then(|entry| entry.node.text());
    let how = match written {
        None if entry.is_some() => return,
        None => "has no matcher".to_owned(),
        Some("") => "has an empty matcher".to_owned(),
        Some("*") => "has the matcher `*`".to_owned(),
        Some(words) if names(words, "compact") => format!("names `compact` in `{words}`"),
        Some(_) => return,
    };
    let message = format!(
        "this SessionStart hook {how}, so it also runs after compaction: the summary keeps what it added at the \
         start, and adding it again costs context"
    );
    let line = entry.map_or(group.line, |entry| entry.line);
    found.add(path, Rule::PluginCompact, line, message, "write \"startup|resume|clear\"");
}

/// Whether a matcher is a list of plain words that has this one. Anything else is a pattern, and patterns are not
/// reported.
fn names(matcher: &str, word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_|, -".contains(c);
    matcher.chars().all(is_plain) && matcher.split(['|', ',']).any(|one| one.trim() == word)
}
