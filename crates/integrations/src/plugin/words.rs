//! Fills names into texts, and writes values as JSON, TOML and front matter.

use redraft_facts::prelude::*;

/// The names of an export's parts in a tool: some tools have a namespace for each plugin, some have one for all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    /// How the skill is asked for.
    pub(super) skill: &'static str,
    /// Stands before the name of a role.
    pub(super) agent: &'static str,
    /// Stands before the name of a command.
    pub(super) command: &'static str,
}

impl Names {
    /// The text with `{{skill}}`, `{{agent}}` and `{{command}}` filled in.
    pub(super) fn fill(&self, text: &str) -> String {
        fill(text, &[("skill", self.skill), ("agent", self.agent), ("command", self.command)])
    }
}

/// The text with each `{{name}}` replaced.
pub(super) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value))
}

/// A value in quotes, which JSON, TOML and YAML read alike.
pub(super) fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            letter if letter.is_control() => text.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => text.push(letter),
        }
    }
    text.push('"');
    text
}

/// Several lines as TOML writes them, readable wherever that is possible.
pub(super) fn toml_lines(text: &str) -> String {
    let plain = |letter: char| !letter.is_control() || letter == '\n' || letter == '\t';
    if !text.contains("'''") && !text.ends_with('\'') && text.chars().all(plain) {
        return format!("'''\n{text}'''");
    }
    quoted(text)
}

/// A file that begins with front matter.
pub(super) fn with_front_matter(fields: &[(&str, String)], body: &str) -> String {
    let line = |(key, value): &(&str, String)| match value.starts_with('\n') {
        true => format!("{key}:{value}\n"),
        false => format!("{key}: {value}\n"),
    };
    let lines: String = fields.iter().map(line).collect();
    format!("---\n{lines}---\n\n{}\n", body.trim())
}
