//! What the kinds look for in a document: items, chapters, ids and telling words.

use core::ops::Range;
use redraft_documents::page::line::{after_list_mark, indent};
use redraft_documents::page::{LinePlace, Page};
use redraft_facts::prelude::*;

/// A document by its lines.
pub(super) struct Shape<'a> {
    pub(super) page: Page<'a>,
}

/// An item of a list with the lines that continue it.
pub(super) struct Item<'a> {
    pub(super) lines: Range<usize>,
    /// Its first line, without its mark.
    pub(super) text: &'a str,
    /// The title above it, in small letters.
    pub(super) chapter: String,
}

impl<'a> Shape<'a> {
    pub(super) fn read(text: &'a str) -> Shape<'a> {
        Shape { page: Page::read(text) }
    }

    /// Lines of prose with their number.
    pub(super) fn prose(&self) -> impl Iterator<Item = (usize, &'a str)> + '_ {
        let lines = self.page.lines.iter().enumerate();
        lines.filter(|(_, line)| line.place == LinePlace::Text).map(|(at, line)| (at, line.text))
    }

    pub(super) fn line(&self, at: usize) -> &'a str {
        self.page.lines.get(at).map_or("", |line| line.text)
    }

    /// The title of the chapter a line is in, in small letters.
    pub(super) fn chapter(&self, at: usize) -> String {
        let above = self.page.headings.partition_point(|heading| heading.line <= at);
        let heading = above.checked_sub(1).map(|last| &self.page.headings[last]);
        heading.map(|heading| heading.title.to_lowercase()).unwrap_or_default()
    }

    pub(super) fn is_heading(&self, at: usize) -> bool {
        self.page.headings.binary_search_by_key(&at, |heading| heading.line).is_ok()
    }

    /// Items that hold no further items.
    pub(super) fn items(&self) -> Vec<Item<'a>> {
        let mut found = Vec::new();
        for (at, line) in self.prose() {
            let text = line.trim_start();
            let item = after_list_mark(text);
            if item.len() == text.len() || self.is_heading(at) {
                continue;
            }
            let deep = indent(line);
            let mut end = at + 1;
            while self.page.is_text(end) && !self.line(end).trim().is_empty() && indent(self.line(end)) > deep
            {
                end += 1;
            }
            let is_item = |at: usize| {
                let text = self.line(at).trim_start();
                after_list_mark(text).len() < text.len()
            };
            // Code that belongs to an item would be left alone.
            if !(at + 1..end).any(is_item) && !self.page.is_code(end) {
                found.push(Item { lines: at..end, text: item, chapter: self.chapter(at) });
            }
        }
        found
    }
}

/// Ids such as `R6`, `FR-2` and `AC-4.1`, in order.
pub(super) fn ids(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let words = text.split(|c: char| !word(c)).map(|found| found.trim_matches(['-', '.']));
    words.filter(|found| is_id(found)).collect()
}

/// What looks like an id and is the name of a standard.
const STANDARDS: [&str; 8] = ["ISO", "RFC", "UTF", "SHA", "MD", "HTTP", "ES", "PEP"];

/// Capital letters, at most four, then a number.
fn is_id(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    if STANDARDS.contains(&&word[..letters]) {
        return false;
    }
    let rest = word.get(letters..).unwrap_or_default();
    let number = rest.strip_prefix('-').unwrap_or(rest);
    let parts = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    (1..=4).contains(&letters)
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(parts)
}

/// The letters of an id.
pub(super) fn letters(id: &str) -> &str {
    &id[..id.bytes().take_while(u8::is_ascii_uppercase).count()]
}

/// Words that tell what a line is about: the longest ones, in small letters.
pub(super) fn telling(text: &str) -> Vec<String> {
    const COMMON: [&str; 32] = [
        "about", "other", "still", "answer", "request", "never", "again", "being", "after", "before",
        "because", "between", "cannot", "could", "every", "first", "given", "their", "there", "these",
        "thing", "those", "under", "until", "where", "which", "while", "would", "should", "shall", "without",
        "within",
    ];
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(|c: char| !word(c)).map(str::to_lowercase);
    let mut words: Vec<String> =
        words.filter(|word| word.chars().count() >= 5 && !COMMON.contains(&word.as_str())).collect();
    words.sort_by(|a, b| b.chars().count().cmp(&a.chars().count()).then_with(|| a.cmp(b)));
    words.dedup();
    words.truncate(6);
    words
}

/// Whether a text has one of these words whole.
pub(super) fn has_word(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

/// Whether a text has one of these, also within a word.
pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase();
    words.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_capital_letters_and_a_number() {
        assert_eq!(
            ids("AC-4.1 (R2): as FR-10 says, ISO-8601 is not one, nor v2."),
            ["AC-4.1", "R2", "FR-10"]
        );
        assert_eq!(letters("AC-4.1"), "AC");
    }

    #[test]
    fn an_item_has_its_further_lines_and_knows_its_chapter() {
        let text = "## Failures\n\n- one\n  goes on\n- two\n  - inner\n\n```\n- code\n```\n";
        let shape = Shape::read(text);
        let items = shape.items();
        let items: Vec<_> =
            items.iter().map(|item| (item.lines.clone(), item.text, item.chapter.as_str())).collect();
        assert_eq!(items, [(2..4, "one", "failures"), (5..6, "inner", "failures")]);
    }
}
