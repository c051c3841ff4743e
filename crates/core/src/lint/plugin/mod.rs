//! Faults of a Claude Code plugin that need no judgement: manifest, agents, commands, skills, hooks, servers and the
//! prompts its commands dispatch.
//!
//! What is checked is what Claude Code drops, ignores or refuses without a word, and what makes reviews dearer or
//! worse than they have to be. It reads no file and starts no program: whoever calls says which files there are. Start
//! at [`check`]; `known` has what Claude Code knows, `tree` and `component` read, the other files check.

mod artifact;
mod command;
mod component;
mod dispatch;
mod fields;
mod hooks;
mod known;
mod manifest;
mod matcher;
mod order;
mod path;
mod pattern;
mod reference;
mod servers;
#[cfg(test)]
mod tests;
mod tools;
mod tree;

use super::{Fault, Faults, Rule, Settings};
use crate::prelude::*;
use manifest::Manifest;

/// The files of a plugin, by their path in it with `/` between the parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plugin {
    pub files: BTreeMap<String, File>,
    /// Folders that were not looked into: what is in them is not known.
    pub unread: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub content: Held,
    /// None where the system does not tell.
    pub executable: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    Text(String),
    /// It is there; see [`is_read`].
    NotRead,
    /// Why it is no text, to follow the file's name: `it is not UTF-8 text`.
    Unreadable(String),
    /// A link to something that is not in the plugin.
    Outside,
}

pub const MANIFEST: &str = ".claude-plugin/plugin.json";
/// Lists plugins, each in a folder of its own.
pub const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

/// Whether the text of a file is looked at. Of all others it is enough that they are there.
pub fn is_read(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    [".md", ".json"].iter().any(|end| name.ends_with(end))
}

/// Every broken rule, file by file in the order of their paths, then in the order of the lines.
pub fn check(plugin: &Plugin, settings: &Settings) -> Vec<Fault> {
    let mut found = Found { settings, of: BTreeMap::new() };
    let manifest = Manifest::read(plugin, &mut found);
    for (path, file) in &plugin.files {
        check_file(path, &file.content, &manifest, &mut found);
    }
    let components = component::all(plugin, &manifest, &mut found);
    for component in &components {
        fields::check(component, &mut found);
        tools::check(component, &mut found);
        hooks::check_component(component, plugin, &mut found);
    }
    fields::check_names(&components, &mut found);
    hooks::check_files(plugin, &manifest, &mut found);
    servers::check(plugin, &manifest, &mut found);
    reference::check(plugin, &manifest, &components, &mut found);
    let dispatches = dispatch::all(&components);
    tools::check_dispatches(&dispatches, &mut found);
    order::check(&dispatches, &mut found);
    artifact::check(&dispatches, &mut found);
    found.done()
}

fn check_file<'a>(path: &'a str, content: &Held, manifest: &Manifest, found: &mut Found<'a>) {
    let name = path.rsplit('/').next().unwrap_or(path);
    match content {
        Held::Unreadable(why) if is_needed(path, manifest) => {
            let hint = "save it as an ordinary file of UTF-8 text, of at most 1 MB";
            found.add(path, Rule::Unreadable, 0, why.clone(), hint);
        }
        Held::Outside => {
            let message = "this link leads out of the plugin and was not followed".to_owned();
            let hint = "put the file itself into the plugin: whoever installs it may not have the other one";
            found.add(path, Rule::PluginOutside, 0, message, hint);
        }
        Held::Text(_) | Held::NotRead | Held::Unreadable(_) => {}
    }
    let is_skill = path.starts_with("skills/") && path.matches('/').count() == 2;
    if is_skill && name != "SKILL.md" && name.eq_ignore_ascii_case("skill.md") {
        let message = format!("a skill is in a file called SKILL.md, and this one is called {name}");
        found.add(path, Rule::PluginName, 0, message, "rename it: some systems tell the two apart");
    }
}

/// Whether Claude Code reads it; what other text a plugin has is its own affair.
fn is_needed(path: &str, manifest: &Manifest) -> bool {
    let named = [&manifest.hooks, &manifest.servers].into_iter().flatten().any(|file| file == path);
    let usual = [MANIFEST, hooks::USUAL, servers::USUAL].contains(&path);
    named || usual || component::kind_of(path, manifest).is_some()
}

impl Plugin {
    /// Whether there is such a file or folder; none where nobody looked.
    fn has(&self, path: &str) -> Option<bool> {
        if path.is_empty() || self.files.contains_key(path) || self.is_folder(path) {
            return Some(true);
        }
        let below = |folder: &String| {
            path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        (!self.unread.iter().any(below)).then_some(false)
    }

    fn is_folder(&self, path: &str) -> bool {
        let prefix = format!("{path}/");
        self.files.range(prefix.clone()..).next().is_some_and(|(name, _)| name.starts_with(&prefix))
    }

    fn text(&self, path: &str) -> Option<(&str, &str)> {
        let (path, file) = self.files.get_key_value(path)?;
        match &file.content {
            Held::Text(text) => Some((path, text)),
            Held::NotRead | Held::Unreadable(_) | Held::Outside => None,
        }
    }
}

/// Whether an agent of that name judges what others have written.
fn is_reviewer(name: &str) -> bool {
    let name = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    name.split(['-', '_', ' ']).any(|part| part == "reviewer")
}

/// The faults of all files.
struct Found<'a> {
    settings: &'a Settings,
    of: BTreeMap<&'a str, Faults<'a>>,
}

impl<'a> Found<'a> {
    /// `line` counts from 0.
    fn add(&mut self, path: &'a str, rule: Rule, line: usize, message: String, hint: &str) {
        let settings = self.settings;
        self.of.entry(path).or_insert_with(|| Faults::of(path, settings)).add(rule, line, message, hint);
    }

    fn done(self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = self.of.into_values().flat_map(Faults::done).collect();
        faults.sort_by(|a, b| (&a.path, a.line, a.rule).cmp(&(&b.path, b.line, b.rule)));
        faults
    }
}
