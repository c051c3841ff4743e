//! Reads ids as lint does, for others: where a document defines one, and which ones some lines name.
//!
//! It checks nothing. The trace of a feature uses it, see `reports::matrix`. Start at [`defined`].

use super::trace;
use crate::page::id::{self, lettered, separated};
use crate::page::line::after_list_mark;
use crate::page::{LinePlace, Page};
use redraft_facts::prelude::*;

pub use super::trace::is_mentioned;
pub use crate::page::id::folded as key;

/// A place that says what an id stands for. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defined {
    pub id: String,
    pub key: String,
    pub text: String,
    pub line: usize,
}

impl Defined {
    /// The letters before its number: `FR` of `FR-1`.
    pub fn family(&self) -> String {
        self.id.chars().take_while(|c| c.is_alphabetic()).collect()
    }
}

/// Every id with letters that a document defines, in order: in headings, items, rows, and paragraphs that begin in bold.
pub fn defined(text: &str) -> Vec<Defined> {
    let page = Page::read(text);
    let own = |one: id::Definition<'_>| Defined {
        id: one.id.to_owned(),
        key: one.key,
        text: one.text.to_owned(),
        line: one.line,
    };
    let mut found: Vec<Defined> = id::definitions(&page).into_iter().map(own).collect();
    for (at, line) in page.lines.iter().enumerate() {
        let text = line.text.trim_start();
        let bold = line.place == LinePlace::Text && text.starts_with("**") && after_list_mark(text) == text;
        if bold
            && let Some((id, after)) = lettered(text)
            && let Some(text) = separated(after)
        {
            found.push(Defined { id: id.to_owned(), key: key(id), text: text.to_owned(), line: at });
        }
    }
    found.sort_by_key(|one| one.line);
    found.dedup_by_key(|one| one.line);
    found
}

/// Every id with letters that some lines name, in the form in which ids are compared.
pub fn mentioned<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    trace::mentions(lines)
}
