//! MCP servers: in `.mcp.json`, and in files and objects of the manifest.
//!
//! Start at [`check`].

use super::tree::{self, Entry, Node, Value};
use super::{Found, MANIFEST, Manifest, Plugin, command};
use crate::lint::Rule;
use crate::prelude::*;

pub(super) const USUAL: &str = ".mcp.json";

pub(super) fn check<'a>(plugin: &'a Plugin, manifest: &Manifest, found: &mut Found<'a>) {
    let mut files: BTreeSet<&str> = manifest.servers.iter().map(String::as_str).collect();
    files.insert(USUAL);
    for (path, text) in files.into_iter().filter_map(|file| plugin.text(file)) {
        match tree::json(text) {
            Err(bad) => {
                let message = format!("the servers are no JSON: {}", bad.what);
                found.add(
                    path,
                    Rule::PluginServer,
                    bad.line,
                    message,
                    "no server of the plugin starts until it is",
                );
            }
            Ok(node) => check_all(path, &node, plugin, found),
        }
    }
    for node in &manifest.own_servers {
        check_all(MANIFEST, node, plugin, found);
    }
}

/// With or without an object `mcpServers` around them.
fn check_all<'a>(path: &'a str, node: &Node, plugin: &'a Plugin, found: &mut Found<'a>) {
    let servers = node.get("mcpServers").map_or(node, |entry| &entry.node);
    if !matches!(servers.value, Value::Map(_)) {
        let message = format!("the servers are {} in place of an object", servers.kind());
        let hint = "write { \"mcpServers\": { \"name\": { \"command\": \"…\" } } }";
        found.add(path, Rule::PluginServer, servers.line, message, hint);
        return;
    }
    for entry in servers.repeated() {
        let message = format!("the server `{}` stands twice, and the first is lost", entry.key);
        found.add(path, Rule::PluginServer, entry.line, message, "give one of them another name");
    }
    for entry in servers.entries() {
        check_server(path, entry, plugin, found);
    }
}

fn check_server<'a>(path: &'a str, entry: &Entry, plugin: &'a Plugin, found: &mut Found<'a>) {
    let (name, server) = (&entry.key, &entry.node);
    if !matches!(server.value, Value::Map(_)) {
        let message = format!("the server `{name}` is {} in place of an object", server.kind());
        found.add(
            path,
            Rule::PluginServer,
            entry.line,
            message,
            "write { \"command\": \"…\", \"args\": […] }",
        );
        return;
    }
    let text = |field: &str| server.get(field).and_then(|entry| entry.node.text());
    let needed = match text("type") {
        None | Some("stdio") => "command",
        Some("http" | "streamable-http" | "sse" | "ws") => "url",
        Some("sdk" | "claudeai-proxy" | "sse-ide" | "ws-ide") => return,
        Some(other) => {
            let message = format!("the server `{name}` has the type `{other}`, which does not exist");
            let line = server.get("type").map_or(entry.line, |entry| entry.line);
            found.add(path, Rule::PluginServer, line, message, "use stdio, http, sse or ws");
            return;
        }
    };
    if text(needed).is_none_or(|value| value.trim().is_empty()) {
        let message = match (needed, text("url")) {
            ("command", Some(_)) => {
                format!("the server `{name}` has an address and no `type`, so it is read as a program")
            }
            _ => format!("the server `{name}` has no `{needed}`"),
        };
        let hint = if needed == "command" {
            "add \"command\": \"…\", or \"type\": \"http\" with \"url\""
        } else {
            "add \"url\": \"https://…\""
        };
        found.add(path, Rule::PluginServer, entry.line, message, hint);
    }
    for (field, fits, wanted) in [
        ("args", server.get("args").is_none_or(|entry| is_list_of_text(&entry.node)), "a list of texts"),
        ("env", server.get("env").is_none_or(|entry| is_map_of_text(&entry.node)), "an object of texts"),
        (
            "headers",
            server.get("headers").is_none_or(|entry| is_map_of_text(&entry.node)),
            "an object of texts",
        ),
    ] {
        if !fits {
            let line = server.get(field).map_or(entry.line, |entry| entry.line);
            let message = format!("`{field}` of the server `{name}` has to be {wanted}");
            found.add(path, Rule::PluginServer, line, message, "write numbers in quotes");
        }
    }
    if let Some(program) = text("command") {
        let line = server.get("command").map_or(entry.line, |entry| entry.line);
        let args = server.get("args").map(|entry| entry.node.items()).unwrap_or_default();
        command::check(path, line, program, Some(args), plugin, found);
    }
}

fn is_list_of_text(node: &Node) -> bool {
    matches!(node.value, Value::List(_)) && node.items().iter().all(|item| item.text().is_some())
}

fn is_map_of_text(node: &Node) -> bool {
    matches!(node.value, Value::Map(_)) && node.entries().iter().all(|entry| entry.node.text().is_some())
}
