//! Finds faults of a Claude Code plugin that need no judgement: in the manifest, front matter, reviewers' tools, hooks
//! and the prompts that commands dispatch.
//!
//! It checks what Redraft's own export has to get right and what makes reviews more expensive or less thorough than
//! they have to be. It keeps no list of what a version of Claude Code knows: such a list is out of date with the next
//! release. It reads no file and starts no program: the caller says which files there are. Start at [`check`]; `tree`
//! and `component` read, the other files check.

mod artifact;
mod component;
mod dispatch;
mod hooks;
mod manifest;
mod order;
mod prompt_line;
mod reviewer;
#[cfg(test)]
mod tests;
mod tree;

use manifest::Manifest;
use redraft_documents::lint::{Fault, Faults, LintSettings, Rule};
use redraft_facts::prelude::*;

/// The files of a plugin, by their path in it with `/` between the parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plugin {
    pub files: BTreeMap<String, PluginFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginFile {
    Text(String),
    /// It exists, and no rule looks into it; see [`is_read`].
    NotRead,
    /// Why it could not be read: `it is not UTF-8 text`. Also a folder that a link puts outside of the plugin.
    Unreadable(String),
}

pub const MANIFEST: &str = ".claude-plugin/plugin.json";
/// Lists plugins, each in a folder of its own.
pub const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

/// Whether the text of a file is looked at. For all others it is enough that they exist.
pub fn is_read(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    [".md", ".json"].iter().any(|end| name.ends_with(end))
}

/// Every broken rule, file by file in the order of their paths, then in the order of the lines.
pub fn check(plugin: &Plugin, settings: &LintSettings) -> Vec<Fault> {
    let mut found = Found { settings, of: BTreeMap::new() };
    let manifest = Manifest::read(plugin, &mut found);
    for (path, content) in &plugin.files {
        if let PluginFile::Unreadable(why) = content
            && is_needed(path, &manifest)
        {
            let hint = "put an ordinary file of UTF-8 text there, of at most 1 MB";
            found.add(path, Rule::Unreadable, 0, why.clone(), hint);
        }
    }
    let components = component::all(plugin, &manifest, &mut found);
    for component in &components {
        component::check(component, &mut found);
        reviewer::check(component, &mut found);
    }
    hooks::check(plugin, &manifest, &mut found);
    let dispatches = dispatch::all(&components);
    order::check(&dispatches, &mut found);
    artifact::check(&dispatches, &mut found);
    found.done()
}

/// Whether a rule would look into it. Other texts are the plugin's own affair.
fn is_needed(path: &str, manifest: &Manifest) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    let is_folder = !is_read(path) && ["agents", "commands", "skills", "hooks"].contains(&first);
    let is_named = manifest.hooks.iter().any(|file| file == path);
    let is_usual = [MANIFEST, hooks::USUAL].contains(&path);
    is_folder || is_named || is_usual || component::kind_of(path, manifest).is_some()
}

impl Plugin {
    fn text(&self, path: &str) -> Option<(&str, &str)> {
        match self.files.get_key_value(path)? {
            (path, PluginFile::Text(text)) => Some((path, text)),
            (_, PluginFile::NotRead | PluginFile::Unreadable(_)) => None,
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
    settings: &'a LintSettings,
    of: BTreeMap<&'a str, Faults<'a>>,
}

impl<'a> Found<'a> {
    /// `line` counts from 0.
    fn add(&mut self, path: &'a str, rule: Rule, line: usize, message: String, hint: &str) {
        let settings = self.settings;
        self.of.entry(path).or_insert_with(|| Faults::new(path, settings)).add(rule, line, message, hint);
    }

    fn done(self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = self.of.into_values().flat_map(Faults::done).collect();
        faults.sort_by(|a, b| (&a.path, a.line, a.rule).cmp(&(&b.path, b.line, b.rule)));
        faults
    }
}
