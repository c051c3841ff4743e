//! Hooks: in `hooks/hooks.json`, in files and objects of the manifest, and in the front matter of skills.
//!
//! Their form and their events; when they run is in `matcher`, which files their commands name is in `command`. Start at
//! [`check_files`].

use super::component::{Component, Kind};
use super::tree::{self, Entry, Node, Value};
use super::{Found, MANIFEST, Manifest, Plugin, command, known, matcher};
use crate::lint::Rule;
use crate::prelude::*;

pub(super) const USUAL: &str = "hooks/hooks.json";

/// Files with hooks, and hooks in the manifest itself.
pub(super) fn check_files<'a>(plugin: &'a Plugin, manifest: &Manifest, found: &mut Found<'a>) {
    let mut files: BTreeSet<&str> = manifest.hooks.iter().map(String::as_str).collect();
    files.insert(USUAL);
    for (path, text) in files.into_iter().filter_map(|file| plugin.text(file)) {
        match tree::json(text) {
            Err(bad) => {
                let message = format!("the hooks are no JSON: {}", bad.what);
                found.add(
                    path,
                    Rule::PluginHooks,
                    bad.line,
                    message,
                    "no hook of the plugin runs until it is",
                );
            }
            Ok(node) => match node.get("hooks") {
                Some(entry) => check_events(path, &entry.node, plugin, found),
                None => {
                    let message = "there is no object `hooks` in this file".to_owned();
                    let hint = "write { \"hooks\": { \"SessionStart\": […] } }";
                    found.add(path, Rule::PluginHooks, node.line, message, hint);
                }
            },
        }
    }
    for node in &manifest.own_hooks {
        let inner = node.get("hooks").map_or(node, |entry| &entry.node);
        check_events(MANIFEST, inner, plugin, found);
    }
}

/// Hooks in front matter. Those of agents are not read, which `fields` tells.
pub(super) fn check_component<'a>(component: &Component<'a>, plugin: &'a Plugin, found: &mut Found<'a>) {
    if component.kind == Kind::Skill
        && let Some(entry) = component.field("hooks")
        && !matches!(entry.node.value, Value::Null | Value::Unknown)
    {
        check_events(component.path, &entry.node, plugin, found);
    }
}

fn check_events<'a>(path: &'a str, events: &Node, plugin: &'a Plugin, found: &mut Found<'a>) {
    if !matches!(events.value, Value::Map(_)) {
        let message =
            format!("`hooks` is {}, and has to be an object with an event for each key", events.kind());
        found.add(path, Rule::PluginHooks, events.line, message, "write { \"SessionStart\": […] }");
        return;
    }
    for entry in events.repeated() {
        let message = format!("`{}` stands twice, and the first is lost", entry.key);
        found.add(path, Rule::PluginHooks, entry.line, message, "put all groups of an event into one list");
    }
    for entry in events.entries() {
        let Some(event) = known::hook_event(&entry.key) else {
            let message = format!(
                "there is no event `{}`, and one that is unknown keeps all hooks from loading",
                entry.key
            );
            let hint = match known::nearest_event(&entry.key) {
                Some(near) => format!("`{near}` may be meant"),
                None => "take it out".to_owned(),
            };
            found.add(path, Rule::PluginHooks, entry.line, message, &hint);
            continue;
        };
        if !matches!(entry.node.value, Value::List(_)) {
            let message = format!("`{}` is {}, and has to be a list", entry.key, entry.node.kind());
            let hint = "write [ { \"matcher\": \"…\", \"hooks\": […] } ]";
            found.add(path, Rule::PluginHooks, entry.line, message, hint);
        }
        for group in entry.node.items() {
            check_group(path, &entry.key, group, plugin, found);
            if let Value::Map(_) = group.value {
                matcher::check(path, event, group, found);
            }
        }
    }
}

fn check_group<'a>(path: &'a str, event: &str, group: &Node, plugin: &'a Plugin, found: &mut Found<'a>) {
    if let Some(entry) = group.get("matcher").filter(|entry| entry.node.text().is_none()) {
        let message = format!("the matcher is {}, and has to be text", entry.node.kind());
        found.add(path, Rule::PluginHooks, entry.line, message, "write \"Write|Edit\"");
    }
    let Some(entry) = group.get("hooks").filter(|entry| matches!(entry.node.value, Value::List(_))) else {
        let message = format!("a group of {event} has no list `hooks`");
        let hint =
            "write { \"matcher\": \"…\", \"hooks\": [ { \"type\": \"command\", \"command\": \"…\" } ] }";
        found.add(path, Rule::PluginHooks, group.line, message, hint);
        return;
    };
    for hook in entry.node.items() {
        check_hook(path, hook, plugin, found);
    }
}

fn check_hook<'a>(path: &'a str, hook: &Node, plugin: &'a Plugin, found: &mut Found<'a>) {
    let kind = hook.get("type").and_then(|entry| entry.node.text());
    let needed: &[&str] = match kind {
        Some("command") => &["command"],
        Some("prompt" | "agent") => &["prompt"],
        Some("http") => &["url"],
        Some("mcp_tool") => &["server", "tool"],
        Some(other) => {
            let message = format!("there is no hook of type `{other}`");
            let line = hook.get("type").map_or(hook.line, |entry| entry.line);
            found.add(path, Rule::PluginHooks, line, message, "use command, prompt, agent, http or mcp_tool");
            return;
        }
        None => {
            let message = "a hook has no `type`".to_owned();
            found.add(path, Rule::PluginHooks, hook.line, message, "add \"type\": \"command\"");
            return;
        }
    };
    for field in needed {
        let written = hook.get(field).and_then(|entry| entry.node.text());
        if written.is_none_or(|text| text.trim().is_empty()) {
            let message = format!("a hook of type `{}` has no `{field}`", kind.unwrap_or_default());
            found.add(path, Rule::PluginHooks, hook.line, message, &format!("add \"{field}\": \"…\""));
        }
    }
    if let Some(entry) = hook.get("timeout").filter(|entry| !is_positive(entry)) {
        let message = "`timeout` has to be a number of seconds above 0".to_owned();
        found.add(path, Rule::PluginHooks, entry.line, message, "write \"timeout\": 30");
    }
    if let Some(entry) = hook.get("command")
        && kind == Some("command")
        && let Some(written) = entry.node.text()
    {
        let args = hook.get("args").map(|entry| entry.node.items());
        command::check(path, entry.line, written, args, plugin, found);
    }
}

fn is_positive(entry: &Entry) -> bool {
    match &entry.node.value {
        Value::Number(number) => number.parse::<f64>().is_ok_and(|number| number > 0.0),
        Value::Unknown => true,
        Value::Null | Value::Bool(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => false,
    }
}
