//! The tools and models that agents, commands, skills and dispatches ask for.
//!
//! Start at [`check`]. Which names exist is in `known`.

use super::Found;
use super::component::Component;
use super::dispatch::Dispatch;
use super::known::{self, WRITING};
use super::tree::{Entry, Node};
use crate::lint::Rule;
use crate::prelude::*;

pub(super) fn check<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    for field in ["tools", "disallowedTools", "allowed-tools", "disallowed-tools"] {
        if let Some(entry) = component.field(field) {
            check_list(component, entry, found);
        }
    }
    if component.is_reviewer() {
        check_reviewer(component, found);
    }
    if let Some(entry) = component.field("model")
        && let Some(model) = entry.node.text()
    {
        check_model(component.path, entry.line, model, found);
    }
}

/// Models that dispatches name.
pub(super) fn check_dispatches<'a>(dispatches: &[Dispatch<'a>], found: &mut Found<'a>) {
    for dispatch in dispatches {
        if let Some((model, line)) = dispatch.model {
            check_model(dispatch.path, line, model, found);
        }
    }
}

fn check_model<'a>(path: &'a str, line: usize, model: &str, found: &mut Found<'a>) {
    let is_filled_in = model.contains(['{', '$', '<']) || model.trim().is_empty();
    if !is_filled_in && !known::is_model(model) {
        let message = format!("`{model}` is no model of Claude Code");
        let hint = format!("use one of {}, or an id that begins with claude-", known::models());
        found.add(path, Rule::PluginModel, line, message, &hint);
    }
}

fn check_list<'a>(component: &Component<'a>, entry: &Entry, found: &mut Found<'a>) {
    let mut seen = BTreeSet::new();
    for (tool, line) in listed(&entry.node) {
        let name = bare(&tool);
        if !seen.insert(tool.clone()) {
            let message = format!("`{tool}` is named twice in `{}`", entry.key);
            found.add(component.path, Rule::PluginTool, line, message, "name it once");
        } else if name != "*" && !known::is_tool(name) && !name.contains(['{', '$']) {
            let message =
                format!("Claude Code has no tool `{name}`, so naming it in `{}` gives nothing", entry.key);
            let hint = match known::nearest_tool(name) {
                Some(near) => format!("`{near}` may be meant"),
                None => "name a built-in tool, or one of a server as mcp__SERVER__TOOL".to_owned(),
            };
            found.add(component.path, Rule::PluginTool, line, message, &hint);
        }
    }
}

fn check_reviewer<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    let names = |field: &str| -> Option<Vec<(String, usize)>> { Some(listed(&component.field(field)?.node)) };
    let denied: Vec<(String, usize)> = names("disallowedTools").unwrap_or_default();
    let is_denied = |tool: &str| denied.iter().any(|(one, _)| bare(one) == tool);
    let tools = names("tools").filter(|tools| !tools.is_empty());
    let everything = tools.as_ref().is_none_or(|tools| tools.iter().any(|(tool, _)| tool == "*"));
    if everything {
        // Two of them are names of the past.
        if is_denied("Write") && is_denied("Edit") {
            return;
        }
        let line = component.field("tools").map_or(0, |entry| entry.line);
        let message = "this reviewer has every tool, also those that change what it reviews".to_owned();
        found.add(
            component.path,
            Rule::PluginReviewerTools,
            line,
            message,
            "add `tools: Read, Glob, Grep` and what else it needs",
        );
        return;
    }
    let tools = tools.unwrap_or_default();
    for (tool, line) in &tools {
        let name = bare(tool);
        if WRITING.contains(&name) && !is_denied(name) {
            let message = format!("a reviewer may not have `{name}`: it must not change what it reviews");
            found.add(
                component.path,
                Rule::PluginReviewerWrites,
                *line,
                message,
                "take it out, and let the author mend what is found",
            );
        }
    }
    if !tools.iter().any(|(tool, _)| bare(tool) == "Read") {
        let line = component.field("tools").map_or(0, |entry| entry.line);
        let message = "this reviewer has no `Read`, so it cannot read what it is to review".to_owned();
        found.add(component.path, Rule::PluginReviewerTools, line, message, "add Read to `tools`");
    }
}

/// The name before what a tool is limited to: `Bash` of `Bash(git add:*)`.
fn bare(tool: &str) -> &str {
    tool.split('(').next().unwrap_or(tool).trim()
}

/// The tools of a list, or of a text with commas or blanks between them, each with its line.
fn listed(node: &Node) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for one in core::iter::once(node).chain(node.items()) {
        found.extend(one.text().into_iter().flat_map(split).map(|tool| (tool, one.line)));
    }
    found
}

/// At commas and blanks that are not in brackets.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    let mut parts = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = depth == 0 && (c == ',' || c.is_whitespace());
        match parts.last_mut() {
            Some(part) if !ends => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    if depth > 0 {
        // A bracket that is never closed hides no tool.
        parts = text.split(|c: char| c == ',' || c.is_whitespace()).map(str::to_owned).collect();
    }
    let unquoted = |part: String| part.trim_matches(['"', '\'', '[', ']']).to_owned();
    parts.into_iter().map(unquoted).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_that_is_never_closed_hides_no_tool() {
        assert_eq!(
            split("Read, Bash(git add:*, git rm:*) Grep"),
            ["Read", "Bash(git add:*, git rm:*)", "Grep"]
        );
        assert_eq!(split("Read, Bash(git, Fly"), ["Read", "Bash(git", "Fly"]);
    }
}
