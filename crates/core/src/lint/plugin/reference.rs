//! What components say of others: agents, commands and skills by name, files by path.
//!
//! By the plugin's own name a thing exists or it does not; without one it may be somebody else's, which is a warning.
//! Start at [`check`].

use super::component::{Component, Kind};
use super::dispatch::{after_key, word};
use super::{Found, Manifest, Plugin, known, path};
use crate::lint::Rule;
use crate::lint::page::{Page, code_spans};
use crate::prelude::*;

/// The names of everything that can be called.
struct Names<'a> {
    plugin: Option<&'a str>,
    agents: BTreeSet<&'a str>,
    /// Commands and skills.
    others: BTreeSet<&'a str>,
}

pub(super) fn check<'a>(
    plugin: &Plugin,
    manifest: &Manifest,
    components: &[Component<'a>],
    found: &mut Found<'a>,
) {
    let of = |is_agent: bool| {
        let some = components.iter().filter(move |component| (component.kind == Kind::Agent) == is_agent);
        some.flat_map(|component| [component.name(), component.stem]).collect()
    };
    let names = Names { plugin: manifest.name.as_deref(), agents: of(true), others: of(false) };
    for component in components {
        check_fields(component, &names, found);
        let page = Page::read(component.path, component.text);
        for (at, line) in page.lines.iter().enumerate() {
            check_agent(component, at, line.text, &names, found);
            check_calls(component, at, line.text, &names, found);
            if line.is_text() {
                // Agents and commands show links that others are to write.
                if component.kind == Kind::Skill {
                    check_links(component, at, &line.prose, plugin, found);
                }
                for span in code_spans(line.text) {
                    check_span(component, at, span, plugin, found);
                }
            }
        }
    }
}

/// Skills that an agent begins with, and the agent that a skill runs in.
fn check_fields<'a>(component: &Component<'a>, names: &Names<'_>, found: &mut Found<'a>) {
    let field = |key: &str| component.field(key).map(|entry| (&entry.node, entry.line));
    if let Some((node, line)) = field("skills").filter(|_| component.kind == Kind::Agent) {
        let texts = core::iter::once(node).chain(node.items()).filter_map(|node| node.text());
        for skill in texts.flat_map(|text| text.split(',')).map(str::trim).filter(|skill| !skill.is_empty()) {
            if own(skill, names.plugin).is_some_and(|name| !names.others.contains(name)) {
                let message = format!("there is no skill `{skill}` in this plugin");
                found.add(
                    component.path,
                    Rule::PluginLink,
                    line,
                    message,
                    "write it, or name the plugin it is of",
                );
            }
        }
    }
    if let Some((node, line)) = field("agent").filter(|_| component.kind != Kind::Agent)
        && let Some(agent) = node.text()
        && own(agent, names.plugin).is_some_and(|name| !names.agents.contains(name) && !known::is_agent(name))
    {
        let message = format!("there is no agent `{agent}` in this plugin");
        found.add(component.path, Rule::PluginLink, line, message, "write it, or name the plugin it is of");
    }
}

/// A name without a plugin's, or with this one's; none where it is another's.
fn own<'n>(name: &'n str, plugin: Option<&str>) -> Option<&'n str> {
    match name.split_once(':') {
        None => Some(name),
        Some((of, name)) => (Some(of) == plugin).then_some(name),
    }
}

/// `subagent_type: NAME`, in whatever form.
fn check_agent<'a>(
    component: &Component<'a>,
    at: usize,
    line: &str,
    names: &Names<'_>,
    found: &mut Found<'a>,
) {
    let Some(value) = after_key(line, "subagent_type") else { return };
    let agent = word(value);
    let last = agent.rsplit(':').next().unwrap_or(agent);
    if last.is_empty() || names.agents.contains(last) || known::is_agent(agent) {
        return;
    }
    // `pd:{role}` is filled in later.
    let is_cut = value
        .trim_start_matches(['"', '\'', '`', ' '])
        .get(agent.len()..)
        .is_some_and(|rest| rest.starts_with(['{', '$', '<', ':']));
    match own(agent, names.plugin) {
        Some(name) if !is_cut && agent.contains(':') => {
            let message = format!("the agent `{agent}` does not exist in this plugin");
            found.add(component.path, Rule::PluginReference, at, message, &similar(name, &names.agents));
        }
        Some(name) if !is_cut => {
            let message = format!("there is no agent `{agent}`, neither in this plugin nor built in");
            found.add(component.path, Rule::PluginLink, at, message, &similar(name, &names.agents));
        }
        Some(_) | None => {}
    }
}

fn similar(name: &str, known: &BTreeSet<&str>) -> String {
    let all: Vec<&str> = known.iter().copied().collect();
    match known::nearest(name, &all) {
        Some(near) => format!("`{near}` may be meant"),
        None => "write it, or take the reference out".to_owned(),
    }
}

/// `/plugin:command` with the plugin's own name.
fn check_calls<'a>(
    component: &Component<'a>,
    at: usize,
    line: &str,
    names: &Names<'_>,
    found: &mut Found<'a>,
) {
    let Some(plugin) = names.plugin.filter(|name| !name.is_empty()) else { return };
    let mark = format!("/{plugin}:");
    for (start, _) in line.match_indices(&mark) {
        let before = line[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || "/._-:~".contains(c)) {
            continue;
        }
        let rest = &line[start + mark.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"_-:".contains(c)).unwrap_or(rest.len());
        let called = rest[..end].trim_end_matches([':', '-']);
        let is_cut = rest[end..].starts_with(['{', '<', '$', '*', '…']) || rest[..end].len() != called.len();
        let last = called.rsplit(':').next().unwrap_or(called);
        if last.is_empty() || is_cut || names.others.contains(last) {
            continue;
        }
        let message = format!("there is no command or skill `/{plugin}:{called}`");
        found.add(component.path, Rule::PluginReference, at, message, &similar(last, &names.others));
    }
}

/// `[text](path)` to a file beside it.
fn check_links<'a>(
    component: &Component<'a>,
    at: usize,
    prose: &str,
    plugin: &Plugin,
    found: &mut Found<'a>,
) {
    for (start, _) in prose.match_indices("](") {
        let rest = &prose[start + 2..];
        let Some(end) = rest.find([')', ' ']) else { continue };
        let target = rest[..end].split('#').next().unwrap_or_default();
        let is_file =
            target.contains('.') && target.chars().all(|c| c.is_alphanumeric() || "_./-+".contains(c));
        if is_file && !target.starts_with('/') {
            missing(component, at, path::folder(component.path), target, plugin, found);
        }
    }
}

/// Code in a line of text: a file below the plugin's folder, or beside a skill in a folder that is there.
fn check_span<'a>(component: &Component<'a>, at: usize, span: &str, plugin: &Plugin, found: &mut Found<'a>) {
    let is_path = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_./-+".contains(c));
    for part in span.split_whitespace() {
        let part = part.trim_matches(['"', '\'', ',', ';']);
        let below =
            part.strip_prefix("${CLAUDE_PLUGIN_ROOT}/").or_else(|| part.strip_prefix("$CLAUDE_PLUGIN_ROOT/"));
        if let Some(named) = below.filter(|named| is_path(named)) {
            missing(component, at, "", named, plugin, found);
        }
    }
    if component.kind == Kind::Skill && is_path(span) && span.contains('/') && !span.starts_with(['/', '.']) {
        let folder = path::folder(component.path);
        let first = span.split('/').next().unwrap_or_default();
        let is_file =
            span.rsplit('/').next().is_some_and(|name| name.contains('.') && !name.starts_with('.'));
        let beside = format!("{folder}/{first}");
        // What is named may also be at the top of the plugin, or of the project.
        if is_file && plugin.is_folder(&beside) && plugin.has(span) != Some(true) {
            missing(component, at, folder, span, plugin, found);
        }
    }
}

fn missing<'a>(
    component: &Component<'a>,
    at: usize,
    folder: &str,
    named: &str,
    plugin: &Plugin,
    found: &mut Found<'a>,
) {
    let is_missing = match path::resolve(folder, named) {
        Some(path) => plugin.has(&path) == Some(false),
        // Outside the plugin nobody can tell, and whoever installs it has none of it.
        None => true,
    };
    if is_missing {
        let message = format!("`{named}` is named here and is not in the plugin");
        found.add(component.path, Rule::PluginLink, at, message, "write the file, or correct its name");
    }
}
