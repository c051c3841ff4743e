//! `.claude-plugin/plugin.json`: who the plugin is, and which of its parts stand in unusual places.
//!
//! Start at [`Manifest::read`]. What hooks and servers say is checked where those are.

use super::known::{self, MANIFEST_FIELDS};
use super::path;
use super::tree::{self, Entry, Node, Value};
use super::{Found, MANIFEST, MARKETPLACE, Plugin};
use crate::lint::Rule;
use crate::prelude::*;

/// What other checks need to know of it.
#[derive(Default)]
pub(super) struct Manifest {
    pub(super) name: Option<String>,
    /// Files and folders it names, as the plugin's files are.
    pub(super) agents: Vec<String>,
    pub(super) commands: Vec<String>,
    pub(super) skills: Vec<String>,
    /// Whether there is a folder for skills, so that a SKILL.md at the top is none.
    pub(super) has_skills: bool,
    /// Files with hooks and with servers.
    pub(super) hooks: Vec<String>,
    pub(super) servers: Vec<String>,
    /// Hooks and servers that stand in it.
    pub(super) own_hooks: Vec<Node>,
    pub(super) own_servers: Vec<Node>,
}

impl Manifest {
    pub(super) fn read<'a>(plugin: &'a Plugin, found: &mut Found<'a>) -> Manifest {
        let mut manifest = Manifest { has_skills: plugin.is_folder("skills"), ..Manifest::default() };
        let Some((_, text)) = plugin.text(MANIFEST) else {
            if !plugin.files.contains_key(MANIFEST) {
                missing(plugin, found);
            }
            return manifest;
        };
        let node = match tree::json(text) {
            Ok(node) => node,
            Err(bad) => {
                let message = format!("the manifest is no JSON: {}", bad.what);
                found.add(
                    MANIFEST,
                    Rule::PluginManifest,
                    bad.line,
                    message,
                    "without it the plugin is not loaded",
                );
                return manifest;
            }
        };
        if !matches!(node.value, Value::Map(_)) {
            let message = format!("the manifest is {} in place of an object", node.kind());
            found.add(MANIFEST, Rule::PluginManifest, node.line, message, "write { \"name\": \"…\" }");
            return manifest;
        }
        check_fields(&node, found);
        manifest.name = name(&node, found);
        for (field, taken) in [
            ("agents", &mut manifest.agents),
            ("commands", &mut manifest.commands),
            ("skills", &mut manifest.skills),
        ] {
            if let Some(entry) = node.get(field) {
                let folders = field != "agents";
                *taken = paths(entry, folders, plugin, found);
            }
        }
        for (field, files, own) in [
            ("hooks", &mut manifest.hooks, &mut manifest.own_hooks),
            ("mcpServers", &mut manifest.servers, &mut manifest.own_servers),
        ] {
            if let Some(entry) = node.get(field) {
                *files = paths(entry, false, plugin, found);
                *own = inline(&entry.node);
            }
        }
        manifest
    }
}

fn missing(plugin: &Plugin, found: &mut Found<'_>) {
    let (message, hint) = if plugin.files.contains_key(MARKETPLACE) {
        ("this is a marketplace, not a plugin", "name the folder of one of the plugins it lists")
    } else if plugin.files.contains_key("plugin.json") {
        ("the manifest is missing", "move plugin.json into the folder .claude-plugin")
    } else {
        ("the manifest is missing", "write { \"name\": \"…\", \"version\": \"…\", \"description\": \"…\" }")
    };
    found.add(MANIFEST, Rule::PluginManifest, 0, message.to_owned(), hint);
}

fn name(node: &Node, found: &mut Found<'_>) -> Option<String> {
    let Some(entry) = node.get("name") else {
        let message = "the manifest has no `name`".to_owned();
        found.add(MANIFEST, Rule::PluginManifest, node.line, message, "add \"name\": \"my-plugin\"");
        return None;
    };
    // What is no text was told with the other fields.
    let name = entry.node.text()?;
    if !known::is_kebab(name) {
        let message = format!("the name `{name}` is not in kebab-case, and commands are called by it");
        let hint = "use lower case letters, digits and single hyphens: my-plugin";
        found.add(MANIFEST, Rule::PluginManifest, entry.line, message, hint);
    }
    Some(name.to_owned())
}

fn check_fields(node: &Node, found: &mut Found<'_>) {
    for entry in node.repeated() {
        let message = format!("`{}` stands twice in the manifest", entry.key);
        found.add(MANIFEST, Rule::PluginManifest, entry.line, message, "leave one of them");
    }
    for entry in node.entries() {
        let (fits, wanted) = match (entry.key.as_str(), &entry.node.value) {
            (
                "name" | "displayName" | "version" | "description" | "homepage" | "repository" | "license",
                value,
            ) => (matches!(value, Value::Text(_)), "text"),
            ("author", value) => (matches!(value, Value::Map(_)), "an object with `name`"),
            ("keywords" | "dependencies", value) => (matches!(value, Value::List(_)), "a list"),
            ("userConfig", value) => (matches!(value, Value::Map(_)), "an object"),
            ("defaultEnabled", value) => (matches!(value, Value::Bool(_)), "true or false"),
            _ => (true, ""),
        };
        if !fits {
            let message = format!("`{}` is {}, and has to be {wanted}", entry.key, entry.node.kind());
            found.add(
                MANIFEST,
                Rule::PluginManifest,
                entry.line,
                message,
                "Claude Code does not load the plugin otherwise",
            );
        }
        if !MANIFEST_FIELDS.contains(&entry.key.as_str()) {
            let message = format!("there is no field `{}` in a manifest, so it does nothing", entry.key);
            let hint = super::fields::meant(&entry.key, &MANIFEST_FIELDS);
            found.add(MANIFEST, Rule::PluginMetadata, entry.line, message, &hint);
        }
    }
    match node.get("version") {
        None => {
            let message =
                "the manifest has no `version`, so nobody can tell whether theirs is old".to_owned();
            found.add(MANIFEST, Rule::PluginMetadata, node.line, message, "add \"version\": \"1.0.0\"");
        }
        Some(Entry { line, node, .. }) => {
            if let Some(version) = node.text().filter(|version| !is_version(version)) {
                let message = format!("`{version}` is no version");
                let hint = "write three numbers: \"1.0.0\", or \"1.1.0-dev\" before a release";
                found.add(MANIFEST, Rule::PluginMetadata, *line, message, hint);
            }
        }
    }
    if node.get("description").is_none() {
        let message = "the manifest has no `description`".to_owned();
        found.add(
            MANIFEST,
            Rule::PluginMetadata,
            node.line,
            message,
            "say in a sentence what the plugin is for",
        );
    }
}

/// Three numbers, perhaps with what stands behind a hyphen or a plus.
fn is_version(text: &str) -> bool {
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    numbers.split('.').count() == 3 && numbers.split('.').all(is_number) && !text.ends_with(['-', '+'])
}

/// Files and folders that a field names, each as the plugin's files are; what is wrong with them is told.
fn paths<'a>(entry: &Entry, folders: bool, plugin: &'a Plugin, found: &mut Found<'a>) -> Vec<String> {
    let one = core::slice::from_ref(&entry.node);
    let listed = entry.node.items();
    let mapped: Vec<&Node> = match entry.key.as_str() {
        // Commands may be told one by one: by name, with a source.
        "commands" => {
            entry.node.entries().iter().filter_map(|one| Some(&one.node.get("source")?.node)).collect()
        }
        _ => Vec::new(),
    };
    let named = if listed.is_empty() { one.iter().collect() } else { listed.iter().collect::<Vec<&Node>>() };
    let mut taken = Vec::new();
    for node in named.into_iter().chain(mapped) {
        let Some(written) = node.text() else { continue };
        if written.contains("://") || written.ends_with(".mcpb") || written.ends_with(".dxt") {
            continue;
        }
        let Some(path) = path::resolve("", written).filter(|_| !written.starts_with('/')) else {
            let message = format!("`{written}` leads out of the plugin");
            found.add(
                MANIFEST,
                Rule::PluginOutside,
                node.line,
                message,
                "name something below the manifest's plugin",
            );
            continue;
        };
        if !written.starts_with("./") {
            let message = format!("`{written}` does not begin with `./`");
            found.add(MANIFEST, Rule::PluginManifest, node.line, message, &format!("write \"./{path}\""));
        } else if !folders && plugin.is_folder(&path) {
            let message = format!("`{written}` is a folder, and `{}` names files", entry.key);
            found.add(MANIFEST, Rule::PluginManifest, node.line, message, "name each file");
        } else if plugin.has(&path) == Some(false) {
            let message = format!("`{written}` is named in the manifest and is not there");
            found.add(
                MANIFEST,
                Rule::PluginMissingFile,
                node.line,
                message,
                "write it, or take the line out",
            );
        }
        taken.push(path);
    }
    taken
}

/// Objects that stand in the manifest itself.
fn inline(node: &Node) -> Vec<Node> {
    let is_map = |node: &&Node| matches!(node.value, Value::Map(_));
    core::iter::once(node).chain(node.items()).filter(is_map).cloned().collect()
}
