//! Finds the agents, commands and skills of a plugin, reads their front matter, and checks how long a skill may be.
//!
//! Front matter is cut out as Claude Code does it: from three dashes at the very beginning to the next three dashes,
//! wherever those stand. Start at [`all`].

use super::tree::{self, Entry, Node, Value};
use super::{Found, Manifest, Plugin, PluginFile};
use redraft_documents::lint::Rule;
use redraft_facts::prelude::*;

/// A skill is read whole as soon as it is used; what is not always needed belongs in files next to it.
const SKILL_LINES_MAX: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Agent => "agent",
            Kind::Command => "command",
            Kind::Skill => "skill",
        }
    }
}

impl Component<'_> {
    pub(super) fn field(&self, key: &str) -> Option<&Entry> {
        self.fields.as_ref()?.get(key)
    }

    /// Whether it judges what others have written.
    pub(super) fn is_reviewer(&self) -> bool {
        let name = self.field("name").and_then(|entry| entry.node.text()).filter(|name| !name.is_empty());
        self.kind == Kind::Agent && super::is_reviewer(name.unwrap_or(self.stem))
    }
}

/// Every component, with what is wrong with the form of its front matter.
pub(super) fn all<'a>(plugin: &'a Plugin, manifest: &Manifest, found: &mut Found<'a>) -> Vec<Component<'a>> {
    let mut components = Vec::new();
    for (path, content) in &plugin.files {
        let Some(kind) = kind_of(path, manifest) else { continue };
        let PluginFile::Text(text) = content else { continue };
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = match kind {
            Kind::Agent | Kind::Command => file.rsplit_once('.').map_or(file, |(stem, _)| stem),
            Kind::Skill => folder.rsplit('/').next().unwrap_or_default(),
        };
        let fields = front_matter(path, kind, text, found);
        components.push(Component { kind, path, text, stem, fields });
    }
    components
}

pub(super) fn kind_of(path: &str, manifest: &Manifest) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let named = |declared: &[String]| declared.iter().any(|one| one == path || below(one));
    if path == "SKILL.md" || path.ends_with("/SKILL.md") {
        return (path == "SKILL.md" || below("skills") || named(&manifest.skills)).then_some(Kind::Skill);
    }
    // These explain a folder to people and to agents that work on the plugin.
    let explains = ["readme.md", "claude.md", "agents.md"].contains(&name.as_str());
    if !name.ends_with(".md") || explains || below("skills") {
        return None;
    }
    if below("agents") || named(&manifest.agents) {
        return Some(Kind::Agent);
    }
    (below("commands") || named(&manifest.commands)).then_some(Kind::Command)
}

/// The fields of the front matter, where they can be read.
fn front_matter<'a>(path: &'a str, kind: Kind, text: &str, found: &mut Found<'a>) -> Option<Node> {
    let mut add = |line: usize, message: String, hint: &str| {
        found.add(path, Rule::PluginFrontMatter, line, message, hint)
    };
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.first().copied().unwrap_or_default();
    if first.trim_start_matches('\u{feff}').trim_end() != "---" {
        if kind != Kind::Command {
            let hint =
                "begin the file with three dashes, then `name: …` and `description: …`, then three dashes";
            add(0, format!("this {} has no front matter", kind.name()), hint);
        }
        return None;
    }
    if first.starts_with('\u{feff}') {
        let message = "a byte order mark stands before the front matter, which is not seen then".to_owned();
        add(0, message, "save the file as UTF-8 without the mark");
    }
    let Some(end) = lines.iter().skip(1).position(|line| line.trim_end() == "---").map(|at| at + 1) else {
        add(0, "the front matter is never closed".to_owned(), "end it with a line of three dashes");
        return None;
    };
    if let Some(at) = lines[1..end].iter().position(|line| line.contains("---")) {
        let message = "three dashes end the front matter here: what follows is not read".to_owned();
        add(at + 1, message, "write fewer dashes, or a real dash");
    }
    match tree::yaml(&lines[1..end].join("\n"), 1) {
        Ok(fields @ Node { value: Value::Map(_), .. }) => {
            let mut seen = BTreeSet::new();
            for entry in fields.entries().iter().filter(|entry| !seen.insert(entry.key.as_str())) {
                add(
                    entry.line,
                    format!("`{}` stands twice in the front matter", entry.key),
                    "leave one of them",
                );
            }
            return Some(fields);
        }
        Ok(Node { value: Value::Null, .. }) => {
            let hint = "write `description: …` into it, or take it out";
            add(0, "the front matter is empty".to_owned(), hint);
        }
        Ok(other) => {
            let message = format!("the front matter is {} in place of fields", other.kind());
            add(other.line, message, "write `key: value` on each line");
        }
        Err(bad) => {
            let message =
                format!("the front matter is not YAML, so all of its fields are lost: {}", bad.what);
            let hint = "put a value that has a colon and a blank, or begins with a mark, into quotes";
            add(bad.line, message, hint);
        }
    }
    None
}

/// Required fields, and the length of a skill.
pub(super) fn check<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    let (path, kind) = (component.path, component.kind);
    let lines = component.text.lines().count();
    if kind == Kind::Skill && lines > SKILL_LINES_MAX {
        let message = format!(
            "this skill has {lines} lines; {SKILL_LINES_MAX} are the budget, because all are read at once"
        );
        let hint = "move what is not always needed into files under references/, and name them";
        found.add(path, Rule::PluginLineBudget, SKILL_LINES_MAX, message, hint);
    }
    let required: &[&str] = match kind {
        Kind::Agent => &["name", "description"],
        // A skill that is only called by hand needs no description.
        Kind::Skill if component.field("disable-model-invocation").is_none() => &["description"],
        Kind::Skill | Kind::Command => &[],
    };
    for field in required.iter().filter(|_| component.fields.is_some()) {
        let entry = component.field(field);
        if entry.and_then(|entry| entry.node.text()).is_none_or(|text| text.trim().is_empty()) {
            let message =
                match entry.map(|entry| entry.node.kind()).filter(|kind| !["empty", "text"].contains(kind)) {
                    Some(other) => format!("`{field}` is {other}, and has to be text"),
                    None => format!("this {} has no `{field}`", kind.name()),
                };
            let hint = match *field {
                "name" => format!("add `name: {}`", component.stem),
                _ => "say what it does and when to use it".to_owned(),
            };
            found.add(path, Rule::PluginFrontMatter, entry.map_or(0, |entry| entry.line), message, &hint);
        }
    }
}
