//! What the front matter of agents, commands and skills says: required and unknown fields, names, descriptions, and
//! how long a skill may be.
//!
//! Tools and models are in `tools`, hooks in `hooks`. Start at [`check`].

use super::component::{Component, Kind};
use super::known::{self, AGENT_FIELDS, AGENT_FIELDS_IGNORED, SKILL_FIELDS};
use super::tree::{Entry, Node, Value};
use super::{Found, path};
use crate::lint::Rule;
use crate::prelude::*;

/// A skill is read whole as soon as it is used; what is not always needed belongs into files beside it.
const SKILL_LINES_MAX: usize = 500;
/// Fewer cannot say both what a thing does and when to use it.
const DESCRIPTION_CHARS_MIN: usize = 20;
/// What a skill's description may have by the form that all agents share.
const SKILL_CHARS_MAX: usize = 1_024;
/// Every conversation carries the descriptions of all agents.
const AGENT_CHARS_MAX: usize = 4_000;

pub(super) fn check<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    check_length(component, found);
    let Some(fields) = &component.fields else {
        // Of front matter that cannot be read it is told that it cannot.
        if component.kind == Kind::Command && !component.has_front_matter {
            let message = "this command has no description, so a menu can only show how it begins".to_owned();
            let hint = "begin the file with three dashes, `description: …`, three dashes";
            found.add(component.path, Rule::PluginDescription, 0, message, hint);
        }
        return;
    };
    for entry in fields.entries() {
        check_kind(component, entry, found);
        check_known(component, entry, found);
    }
    check_name(component, found);
    check_description(component, found);
}

fn check_length<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    let lines = component.text.lines().count();
    if component.kind == Kind::Skill && lines > SKILL_LINES_MAX {
        let message = format!(
            "this skill has {lines} lines; {SKILL_LINES_MAX} are the budget, because all are read at once"
        );
        let hint = "move what is not always needed into files under references/, and name them";
        found.add(component.path, Rule::PluginLineBudget, SKILL_LINES_MAX, message, hint);
    }
}

/// Whether a value is of a kind that is read.
fn check_kind<'a>(component: &Component<'a>, entry: &Entry, found: &mut Found<'a>) {
    let is_text = |node: &Node| matches!(node.value, Value::Text(_) | Value::Unknown);
    let plain =
        |node: &Node| is_text(node) || matches!(node.value, Value::Number(_) | Value::Bool(_) | Value::Null);
    let node = &entry.node;
    let (fits, wanted) = match entry.key.as_str() {
        "name" | "model" => (is_text(node) || node.value == Value::Null, "text"),
        "description" | "argument-hint" => (plain(node) || is_hint(entry), "text"),
        "tools" | "disallowedTools" | "allowed-tools" | "disallowed-tools" | "skills" => {
            let listed = matches!(node.value, Value::List(_)) && node.items().iter().all(is_text);
            (is_text(node) || listed || node.value == Value::Null, "text or a list of names")
        }
        "disable-model-invocation" | "user-invocable" | "background" => {
            let said = node.text().is_some_and(|text| matches!(text.trim(), "true" | "false"));
            (said || matches!(node.value, Value::Bool(_) | Value::Null | Value::Unknown), "true or false")
        }
        "shell" => {
            let known =
                |text: &str| matches!(text.trim().to_ascii_lowercase().as_str(), "bash" | "powershell");
            (node.text().is_some_and(known) || node.value == Value::Null, "`bash` or `powershell`")
        }
        _ => (true, ""),
    };
    if !fits {
        let message = format!("`{}` is {}, and has to be {wanted}", entry.key, node.kind());
        found.add(
            component.path,
            Rule::PluginFrontMatter,
            entry.line,
            message,
            "what does not fit is dropped without a word",
        );
    }
}

/// `argument-hint: [file]` is a list to YAML, and everybody writes it so.
fn is_hint(entry: &Entry) -> bool {
    entry.key == "argument-hint" && matches!(entry.node.value, Value::List(_))
}

fn check_known<'a>(component: &Component<'a>, entry: &Entry, found: &mut Found<'a>) {
    let known: &[&str] = match component.kind {
        Kind::Agent => &AGENT_FIELDS,
        Kind::Command | Kind::Skill => &SKILL_FIELDS,
    };
    let key = entry.key.as_str();
    if !known.contains(&key) {
        let message = format!("`{key}` is no field of {}, so it does nothing", component.kind.plural());
        found.add(component.path, Rule::PluginField, entry.line, message, &meant(key, known));
    } else if key == "context" && !matches!(entry.node.text(), None | Some("inline" | "fork")) {
        let message = "`context` is neither `inline` nor `fork`, so it does nothing".to_owned();
        found.add(
            component.path,
            Rule::PluginField,
            entry.line,
            message,
            "write `context: fork`, or take it out",
        );
    } else if component.kind == Kind::Agent && AGENT_FIELDS_IGNORED.contains(&key) {
        let message = format!("`{key}` is not read for agents of a plugin");
        let hint = "take it out; hooks belong into hooks/hooks.json, servers into .mcp.json";
        found.add(component.path, Rule::PluginField, entry.line, message, hint);
    }
}

/// What to do about a name that nobody knows.
pub(super) fn meant(key: &str, known: &[&str]) -> String {
    match known::nearest(key, known) {
        Some(near) => format!("`{near}` may be meant"),
        None => "take it out, or say it in the text".to_owned(),
    }
}

fn check_name<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    let entry = component.field("name");
    let line = entry.map_or(0, |entry| entry.line);
    let declared = entry.and_then(|entry| entry.node.text()).map(str::trim).filter(|name| !name.is_empty());
    let Some(name) = declared else {
        if component.kind == Kind::Agent {
            let message = "this agent has no `name`, so it cannot be called".to_owned();
            let hint = format!("add `name: {}`", component.stem);
            found.add(component.path, Rule::PluginFrontMatter, line, message, &hint);
        }
        return;
    };
    if !known::is_kebab(name) && component.kind != Kind::Command {
        let message = format!("the name `{name}` is not in kebab-case");
        found.add(
            component.path,
            Rule::PluginName,
            line,
            message,
            "use lower case letters, digits and single hyphens",
        );
    } else if name.rsplit(':').next() != Some(component.stem) && component.path != "SKILL.md" {
        let place = if component.kind == Kind::Skill { "folder" } else { "file" };
        let message = format!("the name is `{name}`, the {place} is called `{}`", component.stem);
        found.add(
            component.path,
            Rule::PluginName,
            line,
            message,
            "give both the same name, or nobody finds the one by the other",
        );
    }
}

fn check_description<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    let (path, kind) = (component.path, component.kind);
    let entry = component.field("description");
    let line = entry.map_or(0, |entry| entry.line);
    let is_there = entry.is_some_and(|entry| match &entry.node.value {
        Value::Text(text) => !text.trim().is_empty(),
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) | Value::List(_) | Value::Map(_) | Value::Unknown => true,
    });
    if !is_there {
        let message = format!("this {} has no description", kind.name());
        let hint = "say what it does and when to use it";
        let by_hand = component
            .field("disable-model-invocation")
            .is_some_and(|entry| entry.node.value == Value::Bool(true));
        let rule = match kind {
            Kind::Agent => Rule::PluginFrontMatter,
            Kind::Skill if !by_hand => Rule::PluginFrontMatter,
            Kind::Skill | Kind::Command => Rule::PluginDescription,
        };
        found.add(path, rule, line, message, hint);
        return;
    }
    let Some(text) = entry.and_then(|entry| entry.node.text()) else { return };
    let chars = text.trim().chars().count();
    let most = if kind == Kind::Agent { AGENT_CHARS_MAX } else { SKILL_CHARS_MAX };
    if chars > most {
        let message = format!(
            "the description has {chars} characters; {most} are enough, and every session carries it"
        );
        found.add(
            path,
            Rule::PluginDescription,
            line,
            message,
            "keep when to use it, and move the rest into the text",
        );
    } else if chars < DESCRIPTION_CHARS_MIN && kind != Kind::Command {
        let message = format!(
            "the description has {chars} characters, which cannot tell when to use this {}",
            kind.name()
        );
        found.add(path, Rule::PluginDescription, line, message, "say what it does and when to use it");
    }
}

/// Names that two things have.
pub(super) fn check_names<'a>(components: &[Component<'a>], found: &mut Found<'a>) {
    let mut first: BTreeMap<(Kind, String), &str> = BTreeMap::new();
    for component in components {
        // A command is called by its file and the folders above it, whatever it calls itself.
        let name = match component.kind {
            Kind::Agent => component.name().to_owned(),
            Kind::Skill => component.stem.to_owned(),
            Kind::Command => {
                let below = component.path.strip_prefix("commands/").unwrap_or(component.path);
                let folder = path::folder(below);
                if folder.is_empty() {
                    component.stem.to_owned()
                } else {
                    format!("{folder}/{}", component.stem)
                }
            }
        };
        if name.is_empty() || component.path == "SKILL.md" {
            continue;
        }
        let line = component.field("name").map_or(0, |entry| entry.line);
        if let Some(other) = first.get(&(component.kind, name.clone())) {
            let message = format!("`{name}` is also the name of {other}, so one of the two cannot be called");
            found.add(component.path, Rule::PluginDuplicate, line, message, "give one of them another name");
        } else if let Some(other) =
            first.get(&(Kind::Command, name.clone())).filter(|_| component.kind == Kind::Skill)
        {
            let message = format!("{other} has the same name, and the skill is what is called");
            found.add(component.path, Rule::PluginName, line, message, "leave one of the two");
        }
        first.entry((component.kind, name)).or_insert(component.path);
    }
}
