//! Finds the prompts that commands and skills send to agents: blocks of code with `subagent_type` or `resume`, and
//! `prompt`.
//!
//! They are written for a model to follow, so they come as YAML, as a function call, or as something in between. Any
//! other block is not a dispatch. What a prompt should hold is not known here. Start at [`all`].

use super::component::Component;
use redraft_documents::page::{LinePlace, Page};
use redraft_facts::prelude::*;

/// Lines are counted from 0.
pub(super) struct Dispatch<'a> {
    pub(super) path: &'a str,
    /// The name of the file, which shows the phase in plugins that have one command for each.
    pub(super) stem: &'a str,
    /// Without the plugin's name; empty where it is filled in later.
    pub(super) agent: &'a str,
    /// Whether it goes on with a conversation.
    pub(super) resumed: bool,
    /// Where it begins.
    pub(super) line: usize,
    pub(super) prompt: Vec<(usize, &'a str)>,
}

impl Dispatch<'_> {
    pub(super) fn is_review(&self) -> bool {
        super::is_reviewer(self.agent)
    }
}

/// Every dispatch, in the order of files and lines.
pub(super) fn all<'a>(components: &[Component<'a>]) -> Vec<Dispatch<'a>> {
    let mut found = Vec::new();
    for component in components {
        let page = Page::read(component.text);
        let mut block: Vec<(usize, &'a str)> = Vec::new();
        for (at, line) in page.lines.iter().enumerate() {
            match line.place {
                LinePlace::Code => block.push((at, line.text)),
                LinePlace::Text | LinePlace::Fence | LinePlace::Comment | LinePlace::Settings => {
                    in_block(component, &core::mem::take(&mut block), &mut found);
                }
            }
        }
        in_block(component, &block, &mut found);
    }
    found
}

/// What is known of a call before its prompt comes.
#[derive(Default, Clone, Copy)]
struct Call<'a> {
    agent: Option<&'a str>,
    resumed: bool,
}

fn in_block<'a>(component: &Component<'a>, lines: &[(usize, &'a str)], found: &mut Vec<Dispatch<'a>>) {
    let mut call = Call::default();
    let mut at = 0;
    while let Some((line, text)) = lines.get(at).copied() {
        let agent = after_key(text, "subagent_type").map(word);
        let begins = ["Task tool", "Agent tool", "Task(", "Agent("].iter().any(|mark| text.contains(mark));
        if begins || (agent.is_some() && call.agent.is_some()) {
            call = Call::default();
        }
        call.agent = agent.or(call.agent);
        call.resumed = call.resumed || after_key(text, "resume").is_some();
        let Some(value) = after_key(text, "prompt") else {
            at += 1;
            continue;
        };
        let (prompt, next) = prompt(lines, at, value);
        at = next;
        if call.agent.is_some() || call.resumed {
            let agent = call.agent.unwrap_or_default();
            let agent = agent.rsplit(':').next().unwrap_or(agent);
            let resumed = call.resumed;
            let (path, stem) = (component.path, component.stem);
            found.push(Dispatch { path, stem, agent, resumed, line, prompt });
        }
        call = Call::default();
    }
}

/// What follows a key and its colon or equals sign.
fn after_key<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(found) = line[from..].find(key) {
        let (start, end) = (from + found, from + found + key.len());
        let before = line[..start].chars().next_back();
        let after = line[end..].trim_start_matches(['"', '\'', '`', '*', ' ']);
        if before.is_none_or(|c| !c.is_alphanumeric() && !"_-.[$".contains(c))
            && let Some(value) = after.strip_prefix([':', '='])
            && !value.starts_with(['=', ':'])
        {
            return Some(value.trim());
        }
        from = end;
    }
    None
}

/// The name a value begins with.
fn word(value: &str) -> &str {
    let value = value.trim_start_matches(['"', '\'', '`', ' ']);
    let end = value.find(|c: char| !c.is_alphanumeric() && !":_-.[]".contains(c)).unwrap_or(value.len());
    value[..end].trim_end_matches(['.', ':'])
}

/// The lines of a prompt whose key stands on line `at` of the block, and the first line after it.
fn prompt<'a>(lines: &[(usize, &'a str)], at: usize, value: &'a str) -> (Vec<(usize, &'a str)>, usize) {
    let (number, line) = lines[at];
    for mark in ["\"\"\"", "'''", "`", "\""] {
        let Some(first) = value.strip_prefix(mark) else { continue };
        if let Some((text, _)) = first.split_once(mark) {
            return (vec![(number, text)], at + 1);
        }
        let ends = |(_, line): &(usize, &str)| line.contains(mark);
        let end = lines.iter().skip(at + 1).position(ends).map_or(lines.len(), |offset| at + 1 + offset);
        let mut prompt = vec![(number, first)];
        prompt.extend_from_slice(&lines[at + 1..end]);
        return (prompt, (end + 1).min(lines.len()));
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let belongs = |(_, other): &&(usize, &str)| other.trim().is_empty() || indent(other) > indent(line);
    let count = lines.iter().skip(at + 1).take_while(belongs).count();
    let mut prompt = Vec::new();
    if !["", "|", "|-", "|+", ">", ">-"].contains(&value) {
        prompt.push((number, value));
    }
    prompt.extend_from_slice(&lines[at + 1..at + 1 + count]);
    (prompt, at + 1 + count)
}
