//! The lines of a file and what each is: text, code, or part of a comment.
//!
//! A fence or a comment that is never closed is taken as an ordinary line: a slip must not hide every entry after it.

use crate::page::{self, LinePlace, Page};
use redraft_facts::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Text,
    Code,
    /// Settings at the beginning of the file as well: no entry stands in them.
    Comment,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// With its line break.
    pub(super) whole: &'a str,
    pub(super) what: What,
}

impl<'a> Line<'a> {
    fn new(line: &page::Line<'a>) -> Line<'a> {
        let what = match line.place {
            LinePlace::Text => What::Text,
            LinePlace::Code | LinePlace::Fence => What::Code,
            LinePlace::Comment | LinePlace::Settings => What::Comment,
        };
        Line { whole: line.whole, what }
    }

    /// Without its line break.
    pub(super) fn bare(&self) -> &'a str {
        self.whole.trim_end_matches(['\n', '\r'])
    }

    pub(super) fn is_blank(&self) -> bool {
        self.whole.trim().is_empty()
    }

    /// `---` and its like, which stand between entries.
    pub(super) fn is_rule(&self) -> bool {
        self.what == What::Text && page::line::is_rule(self.whole)
    }
}

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    Page::read_past_open_fences(text).lines.iter().map(Line::new).collect()
}
