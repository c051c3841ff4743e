//! A document as lint sees it: the lines of [`crate::page`] with their prose, and its path.
//!
//! Comments and settings count as text here: they may hold what is left to do. Start at [`Page::read`].

pub(super) use crate::page::line::after_list_mark;
pub(super) use crate::page::span::{CODE, contents as code_spans, without_code as without_code_spans};
pub(super) use crate::page::{Heading, LinePlace};
use alloc::borrow::Cow;
use redraft_facts::prelude::*;

/// A document that is being checked.
pub(super) struct Page<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) lines: Vec<Line<'a>>,
    /// Those that have a title.
    pub(super) headings: Vec<Heading<'a>>,
    /// Whether some of its code is a document in the same form.
    pub(super) shows_documents: bool,
    pub(super) page: crate::page::Page<'a>,
}

/// One line, without its end.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// The same with every code span blanked out; nothing for code.
    pub(super) prose: Cow<'a, str>,
    pub(super) place: LinePlace,
}

impl Line<'_> {
    pub(super) fn is_text(&self) -> bool {
        !self.place.is_code()
    }
}

impl<'a> Page<'a> {
    pub(super) fn read(path: &'a str, text: &'a str) -> Page<'a> {
        let page = crate::page::Page::read(text);
        let line = |line: &crate::page::Line<'a>| Line {
            text: line.text,
            prose: if line.place.is_code() { Cow::Borrowed("") } else { without_code_spans(line.text) },
            place: line.place,
        };
        let lines = page.lines.iter().map(line).collect();
        let headings = page.headings.iter().filter(|heading| !heading.title.is_empty()).copied().collect();
        let shows_documents = (page.blocks.iter())
            .any(|block| ["markdown", "md"].iter().any(|name| block.label.eq_ignore_ascii_case(name)));
        Page { path, text, lines, headings, shows_documents, page }
    }

    /// The lines that are text, with their place in `lines`.
    pub(super) fn texts(&self) -> impl Iterator<Item = (usize, &Line<'a>)> {
        self.lines.iter().enumerate().filter(|(_, line)| line.is_text())
    }

    /// The name of the file without its folders.
    pub(super) fn name(&self) -> &'a str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(self.path)
    }
}

/// As much of a text as an address, an id or a title can be long. Looking for the end of one in the whole rest of a
/// line would read a line of a million beginnings a million times.
pub(super) fn beginning(text: &str) -> &str {
    const BYTES_MAX: usize = 400;
    match text.char_indices().map(|(at, _)| at).take_while(|at| *at <= BYTES_MAX).last() {
        Some(end) if text.len() > BYTES_MAX => &text[..end],
        _ => text,
    }
}
