//! Counts the characters of a text by kind of content.
//!
//! A cheap reading, line by line, good enough to keep kinds apart that tokenizers treat differently:
//!
//! - A fenced block is what its label says: `diff`, JSON, plain `text` (prose), or a Markdown document that is read like
//!   this one; anything else is code.
//! - Outside of fences a line without any mark of Markdown is prose, and every other one is Markdown.
//!
//! Start at [`kinds`]. Nothing here knows a prompt's words or fragments.

use super::Chars;
use crate::sections::{Block, Outline};
use redraft_facts::choice::Content;

/// How deep documents in documents in a prompt are distinguished.
const DEPTH_MAX: u8 = 3;

/// The characters of a text by kind, in the order of [`Content::ALL`].
pub fn kinds(text: &str) -> Chars {
    let mut sum = Chars::default();
    add(text, DEPTH_MAX, &mut sum);
    sum
}

fn add(text: &str, depth: u8, sum: &mut Chars) {
    let outline = Outline::parse(text);
    let mut at = 0;
    for block in outline.blocks() {
        unfenced(&outline.lines()[at..block.lines.start], sum);
        fenced(&outline, block, depth, sum);
        at = block.lines.end;
    }
    unfenced(&outline.lines()[at..], sum);
}

fn fenced(outline: &Outline<'_>, block: &Block<'_>, depth: u8, sum: &mut Chars) {
    let lines = &block.lines;
    let last = lines.end - usize::from(block.closed);
    // The fences belong to the document around them.
    for fence in [lines.start..lines.start + 1, last..lines.end] {
        count(&outline.text(fence), Content::Markdown, sum);
    }
    let body = outline.text(lines.start + 1..last);
    match labelled(block.label) {
        Content::Markdown if depth > 0 => add(&body, depth - 1, sum),
        content => count(&body, content, sum),
    }
}

/// The kind of a block by the first word after its fence.
fn labelled(label: &str) -> Content {
    let word = label.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    match word {
        _ if is(&["markdown", "md"]) => Content::Markdown,
        _ if is(&["text", "txt"]) => Content::Prose,
        _ if is(&["diff", "patch"]) => Content::Diff,
        _ if is(&["json", "jsonc", "jsonl"]) => Content::Json,
        _ => Content::Code,
    }
}

fn unfenced(lines: &[&str], sum: &mut Chars) {
    for line in lines {
        count(line, if is_marked(line) { Content::Markdown } else { Content::Prose }, sum);
    }
}

/// Whether a line has a mark of Markdown: at its beginning (headings, lists, quotes, rules, indentation), or anywhere
/// in it (code, emphasis, links, tables). Empty lines belong to the layout.
fn is_marked(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = number.len() < line.len() && number.starts_with(['.', ')']);
    line.trim().is_empty()
        || line.starts_with(['#', '-', '+', '>', '=', ' ', '\t'])
        || item
        || line.contains(['`', '*', '_', '[', '|', '<'])
}

fn count(text: &str, content: Content, sum: &mut Chars) {
    sum[content as usize] += text.chars().count() as u64;
}
