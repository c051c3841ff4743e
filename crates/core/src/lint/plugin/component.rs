//! The agents, commands and skills of a plugin: which files they are, and their front matter.
//!
//! Front matter is cut out as Claude Code does it: from three dashes at the very beginning to the next three dashes,
//! wherever those stand. What its fields mean is in `fields`. Start at [`all`].

use super::path;
use super::tree::{self, Node, Value};
use super::{Found, Held, Manifest, Plugin};
use crate::lint::Rule;
use crate::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Agent,
    Command,
    Skill,
}

pub(super) struct Component<'a> {
    pub(super) kind: Kind,
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    /// The name of its file or, for a skill, of its folder.
    pub(super) stem: &'a str,
    /// An object, where there is front matter that can be read.
    pub(super) fields: Option<Node>,
    /// Whether that is all there is to say about missing fields.
    pub(super) has_front_matter: bool,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Agent => "agent",
            Kind::Command => "command",
            Kind::Skill => "skill",
        }
    }

    pub(super) fn plural(self) -> &'static str {
        match self {
            Kind::Agent => "agents",
            Kind::Command => "commands",
            Kind::Skill => "skills",
        }
    }
}

impl<'a> Component<'a> {
    pub(super) fn field(&self, key: &str) -> Option<&tree::Entry> {
        self.fields.as_ref()?.get(key)
    }

    /// The name it is called by.
    pub(super) fn name(&self) -> &str {
        let declared = self.field("name").and_then(|entry| entry.node.text()).filter(|name| !name.is_empty());
        declared.unwrap_or(self.stem)
    }

    /// Whether it judges what others have written.
    pub(super) fn is_reviewer(&self) -> bool {
        self.kind == Kind::Agent && super::is_reviewer(self.name())
    }
}

/// Every component, with what is wrong with their front matter.
pub(super) fn all<'a>(plugin: &'a Plugin, manifest: &Manifest, found: &mut Found<'a>) -> Vec<Component<'a>> {
    let mut components = Vec::new();
    for (path, file) in &plugin.files {
        let Some(kind) = kind_of(path, manifest) else { continue };
        let Held::Text(text) = &file.content else { continue };
        let stem = match kind {
            Kind::Agent | Kind::Command => path::stem(path),
            Kind::Skill => path::folder(path).rsplit('/').next().unwrap_or_default(),
        };
        if kind != Kind::Skill && matches!(stem.to_ascii_lowercase().as_str(), "readme" | "claude" | "agents")
        {
            let message = format!("this file is taken for {} {}", article(kind), kind.name());
            found.add(
                path,
                Rule::PluginName,
                0,
                message,
                "move it out of the folder, or give it another place",
            );
            continue;
        }
        let mut component = Component { kind, path, text, stem, fields: None, has_front_matter: false };
        read_front_matter(&mut component, found);
        components.push(component);
    }
    components
}

fn article(kind: Kind) -> &'static str {
    if kind == Kind::Agent { "an" } else { "a" }
}

pub(super) fn kind_of(path: &str, manifest: &Manifest) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_text = name.to_ascii_lowercase().ends_with(".md");
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if name == "SKILL.md" && !path.contains("/node_modules/") {
        let declared = manifest.skills.iter().any(|folder| below(folder));
        let whole = path == "SKILL.md" && !manifest.has_skills;
        return (below("skills") || declared || whole).then_some(Kind::Skill);
    }
    if !is_text || below("skills") {
        return None;
    }
    let named = |declared: &[String]| declared.iter().any(|one| one == path || below(one));
    if below("agents") || named(&manifest.agents) {
        return Some(Kind::Agent);
    }
    (below("commands") || named(&manifest.commands)).then_some(Kind::Command)
}

const OPEN_HINT: &str =
    "begin the file with three dashes, then `name: …` and `description: …`, then three dashes";

fn read_front_matter<'a>(component: &mut Component<'a>, found: &mut Found<'a>) {
    let (path, kind) = (component.path, component.kind);
    let lines: Vec<&str> = component.text.lines().collect();
    let first = lines.first().copied().unwrap_or_default();
    if first.trim_start_matches('\u{feff}').trim_end() != "---" {
        if kind != Kind::Command {
            let message = format!("this {} has no front matter", kind.name());
            found.add(path, Rule::PluginFrontMatter, 0, message, OPEN_HINT);
        }
        return;
    }
    component.has_front_matter = true;
    if first.starts_with('\u{feff}') {
        let message = "a byte order mark stands before the front matter, which is not seen then".to_owned();
        found.add(path, Rule::PluginFrontMatter, 0, message, "save the file as UTF-8 without the mark");
    }
    let rest = lines.iter().enumerate().skip(1);
    let Some((end, _)) = rest.clone().find(|(_, line)| line.trim_end() == "---") else {
        let message = "the front matter is never closed".to_owned();
        found.add(path, Rule::PluginFrontMatter, 0, message, "end it with a line of three dashes");
        return;
    };
    if let Some((at, _)) = rest.clone().take_while(|(at, _)| *at < end).find(|(_, line)| line.contains("---"))
    {
        let message = "three dashes end the front matter here: what follows is not read".to_owned();
        found.add(path, Rule::PluginFrontMatter, at, message, "write fewer dashes, or a real dash");
    }
    match tree::yaml(&lines[1..end].join("\n"), 1) {
        Err(bad) => {
            let message = format!("the front matter is no YAML, so all of its fields are lost: {}", bad.what);
            let hint = "put a value that has a colon and a blank, or begins with a mark, into quotes";
            found.add(path, Rule::PluginFrontMatter, bad.line, message, hint);
        }
        Ok(Node { value: Value::Null, .. }) => {
            let message = "the front matter is empty".to_owned();
            found.add(
                path,
                Rule::PluginFrontMatter,
                0,
                message,
                "write `description: …` into it, or take it out",
            );
        }
        Ok(fields @ Node { value: Value::Map(_), .. }) => {
            for entry in fields.repeated() {
                let message = format!("`{}` stands twice in the front matter", entry.key);
                found.add(path, Rule::PluginFrontMatter, entry.line, message, "leave one of them");
            }
            component.fields = Some(fields);
        }
        Ok(other) => {
            let message = format!("the front matter is {} in place of fields", other.kind());
            found.add(path, Rule::PluginFrontMatter, other.line, message, "write `key: value` on each line");
        }
    }
}
