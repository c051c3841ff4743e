//! Reads `.claude-plugin/plugin.json`: the name of the plugin, and which of its parts are in unusual places.
//!
//! Start at [`Manifest::read`]. What hooks say is checked in `hooks`.

use super::tree::{self, Node, Value};
use super::{Found, MANIFEST, MARKETPLACE, Plugin};
use redraft_documents::lint::Rule;
use redraft_facts::prelude::*;

/// What other checks need to know about it.
#[derive(Default)]
pub(super) struct Manifest {
    /// The files and folders it names, in the form of the plugin's paths.
    pub(super) agents: Vec<String>,
    pub(super) commands: Vec<String>,
    pub(super) skills: Vec<String>,
    pub(super) hooks: Vec<String>,
    /// Hooks that stand in it.
    pub(super) own_hooks: Option<Node>,
}

impl Manifest {
    pub(super) fn read<'a>(plugin: &'a Plugin, found: &mut Found<'a>) -> Manifest {
        let mut add = |line: usize, message: &str, hint: &str| {
            found.add(MANIFEST, Rule::PluginManifest, line, message.to_owned(), hint)
        };
        let Some((_, text)) = plugin.text(MANIFEST) else {
            let is_there = |path: &str| plugin.files.contains_key(path);
            if is_there(MARKETPLACE) && !is_there(MANIFEST) {
                add(
                    0,
                    "this is a marketplace, not a plugin",
                    "name the folder of one of the plugins it lists",
                );
            } else if !is_there(MANIFEST) {
                add(
                    0,
                    "the manifest is missing",
                    "write { \"name\": \"…\", \"version\": \"…\", \"description\": \"…\" }",
                );
            }
            return Manifest::default();
        };
        let node = match tree::json(text) {
            Ok(node @ Node { value: Value::Map(_), .. }) => node,
            Ok(other) => {
                let message = format!("the manifest is {} in place of an object", other.kind());
                add(other.line, &message, "write { \"name\": \"…\" }");
                return Manifest::default();
            }
            Err(bad) => {
                let message = format!("the manifest is not JSON: {}", bad.what);
                add(bad.line, &message, "without it the plugin is not loaded");
                return Manifest::default();
            }
        };
        let name = node.get("name");
        let line = name.map_or(node.line, |entry| entry.line);
        match name.map(|entry| entry.node.text()) {
            None => add(line, "the manifest has no `name`", "add \"name\": \"my-plugin\""),
            Some(None) => add(line, "`name` has to be text", "write \"name\": \"my-plugin\""),
            Some(Some(name)) if !is_kebab(name) => {
                let message =
                    format!("the name `{name}` is not in kebab-case, and commands are called by it");
                add(line, &message, "use lower case letters, digits and single hyphens: my-plugin");
            }
            Some(Some(_)) => {}
        }
        let own_hooks = node.get("hooks").map(|entry| &entry.node);
        Manifest {
            agents: paths(&node, "agents"),
            commands: paths(&node, "commands"),
            skills: paths(&node, "skills"),
            hooks: paths(&node, "hooks"),
            own_hooks: own_hooks.filter(|node| matches!(node.value, Value::Map(_))).cloned(),
        }
    }
}

/// The files and folders that a field names, without `./` before and `/` behind them.
fn paths(manifest: &Node, field: &str) -> Vec<String> {
    let Some(entry) = manifest.get(field) else { return Vec::new() };
    let texts = core::iter::once(&entry.node).chain(entry.node.items()).filter_map(Node::text);
    texts.map(|path| path.trim_start_matches("./").trim_end_matches('/').to_owned()).collect()
}

/// Lower case letters and digits with single hyphens between.
fn is_kebab(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    name.split('-').all(is_part)
}
