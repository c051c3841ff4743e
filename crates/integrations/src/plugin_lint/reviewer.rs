//! Checks the tools of agents that review: they read, and they do not change what they review.
//!
//! Start at [`check`].

use super::Found;
use super::component::Component;
use super::tree::Node;
use redraft_documents::lint::Rule;
use redraft_facts::prelude::*;

/// Tools that change a file.
const WRITING: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

pub(super) fn check<'a>(component: &Component<'a>, found: &mut Found<'a>) {
    if !component.is_reviewer() || component.fields.is_none() {
        return;
    }
    let names = |field: &str| component.field(field).map(|entry| listed(&entry.node)).unwrap_or_default();
    let (tools, denied) = (names("tools"), names("disallowedTools"));
    let is_denied = |tool: &str| denied.iter().any(|(one, _)| one == tool);
    let line = component.field("tools").map_or(0, |entry| entry.line);
    let mut add = |rule: Rule, line: usize, message: String, hint: &str| {
        found.add(component.path, rule, line, message, hint);
    };
    if tools.is_empty() || tools.iter().any(|(tool, _)| tool == "*") {
        // The other two tools that write are old names.
        if !(is_denied("Write") && is_denied("Edit")) {
            let message = "this reviewer has every tool, also those that change what it reviews".to_owned();
            let hint = "add `tools: Read, Glob, Grep` and what else it needs";
            add(Rule::PluginReviewerTools, line, message, hint);
        }
        return;
    }
    for (tool, line) in tools.iter().filter(|(tool, _)| WRITING.contains(&tool.as_str()) && !is_denied(tool))
    {
        let message = format!("a reviewer may not have `{tool}`: it must not change what it reviews");
        add(Rule::PluginReviewerWrites, *line, message, "take it out, and let the author fix what is found");
    }
    if !tools.iter().any(|(tool, _)| tool == "Read") {
        let message = "this reviewer has no `Read`, so it cannot read what it is to review".to_owned();
        add(Rule::PluginReviewerTools, line, message, "add Read to `tools`");
    }
}

/// The tools of a list, or of a text with commas or blanks between them, each with its line. Of `Bash(git add:*)` it is
/// `Bash`.
fn listed(node: &Node) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for one in core::iter::once(node).chain(node.items()) {
        found.extend(one.text().into_iter().flat_map(split).map(|tool| (tool, one.line)));
    }
    found
}

fn split(text: &str) -> Vec<String> {
    let mut tools = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '*' || c == '_') {
        rest = &rest[start..];
        let end = rest.find(|c: char| c == ',' || c == '(' || c.is_whitespace()).unwrap_or(rest.len());
        tools.push(rest[..end].trim_matches(['"', '\'', '[', ']']).to_owned());
        // What a tool is limited to is not a tool; a bracket that is never closed hides none.
        let limit = rest[end..].starts_with('(').then(|| rest[end..].find(')')).flatten();
        rest = &rest[limit.map_or(end, |limit| end + limit)..];
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_split_at_commas_and_blanks_without_what_they_are_limited_to() {
        assert_eq!(split("Read, Bash(git add:*, Edit) Grep"), ["Read", "Bash", "Grep"]);
        assert_eq!(split("Read, Bash(git, Edit"), ["Read", "Bash", "git", "Edit"]);
        assert_eq!(split("[\"Read\", '*'] mcp__a__b-c"), ["Read", "*", "mcp__a__b-c"]);
        assert!(split(" ,() ").is_empty());
    }
}
