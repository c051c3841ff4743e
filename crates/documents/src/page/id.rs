//! Ids such as `FR-1`, `AC-10b-1`, `T2a.1` or `1.2a`, in any script: what one looks like, and where one is defined.
//!
//! Whole tokens only: `C1` is not in `C10`. What an id means is not known here. Start at [`definitions`].

use super::line::{self, after_list_mark};
use super::{LinePlace, Page};
use redraft_facts::prelude::*;

/// A place that says what an id stands for.
pub(crate) struct Definition<'a> {
    pub(crate) id: &'a str,
    /// How it is compared, see [`folded`].
    pub(crate) key: String,
    /// What follows it, without separators and marks.
    pub(crate) text: &'a str,
    /// In `Page::lines`.
    pub(crate) line: usize,
    pub(crate) form: Form,
}

/// How it is written. Two definitions of one form in one `group` clash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// `### FR-1: Title`, under the heading at this place.
    Heading { parent: Option<usize> },
    /// `- **FR-1:** text` in the list that begins at this line, indented this far.
    Item { list: usize, indent: usize },
    /// `| FR-1 | text |` in the table that begins at this line.
    Row { table: usize },
}

/// Every definition of an id that begins with letters, in order.
pub(crate) fn definitions<'a>(page: &Page<'a>) -> Vec<Definition<'a>> {
    let mut found = in_headings(page);
    let mut block = Block::default();
    let mut headings = page.headings.iter().peekable();
    let mut history = false;
    for (at, line) in page.lines.iter().enumerate() {
        if let Some(heading) = headings.next_if(|heading| heading.line == at) {
            history = tells_history(heading.title);
        }
        if line.place != LinePlace::Text || history {
            continue;
        }
        block.next(at, line.text);
        let text = line.text.trim_start();
        if let Some(cells) = text.strip_prefix('|') {
            let (cell, rest) = cells.split_once('|').unwrap_or((cells, ""));
            if let Some((id, after)) = lettered(cell)
                && after.trim_matches(['*', '_', '`', ']', ' ']).is_empty()
            {
                let text = rest.trim().trim_end_matches('|').trim();
                found.push(Definition {
                    id,
                    key: folded(id),
                    text,
                    line: at,
                    form: Form::Row { table: block.began },
                });
            }
            continue;
        }
        let indent = line.text.len() - text.len();
        let item = after_list_mark(text);
        if item.len() < text.len()
            && let Some((id, after)) = lettered(after_checkbox(item))
            && let Some(text) = separated(after)
            && (after.starts_with([':', '：', '.', ')']) || is_marked(after_checkbox(item)))
        {
            found.push(Definition {
                id,
                key: folded(id),
                text,
                line: at,
                form: Form::Item { list: block.list(indent), indent },
            });
        }
    }
    found.sort_by_key(|definition| definition.line);
    found
}

fn in_headings<'a>(page: &Page<'a>) -> Vec<Definition<'a>> {
    // The headings a further one may stand under, innermost last.
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for (at, heading) in page.headings.iter().enumerate() {
        while open.pop_if(|last| page.headings[*last].level >= heading.level).is_some() {}
        let parent = open.last().copied();
        open.push(at);
        if let Some((id, after)) = lettered(heading.title)
            && let Some(text) = separated(after)
        {
            found.push(Definition {
                id,
                key: folded(id),
                text,
                line: heading.line,
                form: Form::Heading { parent },
            });
        }
    }
    found
}

/// A chapter about the document's history names ids without defining them.
fn tells_history(title: &str) -> bool {
    const WORDS: [&str; 14] = [
        "history",
        "changelog",
        "change log",
        "revision",
        "review",
        "iteration",
        "amendment",
        "verlauf",
        "änderungen",
        "historial",
        "historique",
        "история",
        "变更",
        "修订",
    ];
    let title = title.to_lowercase();
    WORDS.iter().any(|word| title.contains(word))
}

/// Whether the text begins in bold or as code.
fn is_marked(text: &str) -> bool {
    text.trim_start().starts_with(['*', '_', '`', '['])
}

/// Follows lists and tables: which one a line belongs to.
#[derive(Default)]
struct Block {
    /// The first line of the table or paragraph.
    began: usize,
    in_table: bool,
    /// The first lines of the lists that are open, with their indentation; innermost last.
    lists: Vec<(usize, usize)>,
}

impl Block {
    fn next(&mut self, at: usize, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let is_row = text.starts_with('|');
        if is_row && !self.in_table {
            self.began = at;
        }
        self.in_table = is_row;
        if text.is_empty() {
            return;
        }
        if after_list_mark(text).len() == text.len() {
            // A paragraph or heading at the margin ends all lists, a deeper one those that are deeper still.
            self.lists.retain(|(_, list)| *list < indent);
            return;
        }
        self.lists.retain(|(_, list)| *list <= indent);
        if self.lists.last().is_none_or(|(_, list)| *list < indent) {
            self.lists.push((at, indent));
        }
    }

    fn list(&self, indent: usize) -> usize {
        self.lists.iter().rev().find(|(_, list)| *list == indent).map_or(self.began, |(at, _)| *at)
    }
}

/// What follows `[ ]` or `[x]`; the item itself where it has no box.
pub(crate) fn after_checkbox(item: &str) -> &str {
    line::after_checkbox(item).unwrap_or(item)
}

/// An id with a prefix of letters at the beginning of a text, marks of emphasis left out, and what follows it.
pub(crate) fn lettered(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = token(text)?;
    is_lettered(id).then_some((id, rest))
}

/// `FR-1`, `AC12b`, `ПТ-3`, `要件1`: at most eight letters, capitals where the script has them, then a number.
pub(crate) fn is_lettered(id: &str) -> bool {
    const LETTERS_MAX: usize = 8;
    let letters = id.chars().take_while(|c| c.is_alphabetic()).count();
    let capitals = id.chars().take(letters).all(|c| !c.is_lowercase());
    let mut rest = id.chars().skip(letters);
    let number = match rest.next() {
        Some('-' | '_') => rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_ascii_digit(),
        None => false,
    };
    (1..=LETTERS_MAX).contains(&letters) && capitals && number
}

/// The token a text begins with, if it holds a digit, and the rest; marks of emphasis around it are left out.
pub(crate) fn token(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().trim_start_matches(['*', '_', '`', '[']);
    let end = text.find(|c: char| !is_inner(c)).unwrap_or(text.len());
    let id = text[..end].trim_end_matches(['.', '-', '_']);
    let has_digit = id.chars().any(|c| c.is_ascii_digit());
    (has_digit && id.starts_with(char::is_alphanumeric)).then(|| (id, &text[id.len()..]))
}

pub(crate) fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// The text that an id introduces: something must separate them, or the id is only the first word of a sentence.
pub(crate) fn separated(after: &str) -> Option<&str> {
    let marked = after.starts_with(['*', '_', '`', ']']);
    let after = after.trim_start_matches(['*', '_', '`', ']']);
    let text = after.trim_start();
    let gap = text.len() < after.len();
    let sign = text.chars().next();
    let set_off = match sign {
        None | Some(':' | '：' | '—' | '–') => true,
        Some('.' | ')' | '、' | '．') => !gap,
        Some('-' | '(' | '（' | '|') => gap,
        Some(_) => marked,
    };
    const SEPARATORS: [char; 16] =
        [':', '：', '—', '–', '-', '.', '．', '、', ')', '*', '_', ' ', '\t', '`', ']', '|'];
    set_off.then(|| text.trim_start_matches(SEPARATORS).trim_end())
}

/// How ids are compared: `ac-1`, `AC1` and `AC-01` are one.
pub fn folded(id: &str) -> String {
    let mut key = String::with_capacity(id.len());
    let mut before: Option<char> = None;
    let mut chars = id.trim().chars().peekable();
    while let Some(c) = chars.next() {
        let digit_next = chars.peek().is_some_and(char::is_ascii_digit);
        let joins = matches!(c, '-' | '_') && before.is_some_and(char::is_alphabetic) && digit_next;
        let zero = c == '0' && digit_next && !before.is_some_and(|c| c.is_ascii_digit());
        if !joins && !zero && !c.is_whitespace() {
            key.extend(c.to_lowercase());
            before = Some(c);
        }
    }
    key
}
