//! Reads a Markdown document line by line: what is text, what is code, what is a comment, and where the headings are.
//!
//! The only reader of Markdown here: sections, tasks, references, lint, the knowledge bank and the built-in agent look at
//! a document through it, so that all of them give one answer to "is this line code?". It knows no rule, no task and no
//! prompt. Start at [`Page::read`]; `scan` follows lists, quotations and fences, `heading` finds headings, `line` takes a
//! single line apart, `span` finds code in it, `id` reads ids and where they are defined.
//!
//! Documents are read as people mean them where CommonMark is stricter: fences may stand at any indentation, code in a
//! list item may stand at the margin, and a fence with a language inside one of the same length is nested, because people
//! paste documents that hold code. Where that leaves a fence open, CommonMark's reading holds. Every difference is
//! listed, with its reason, in `docs/markdown.md`; a test and a fuzz target compare this reader with a parser of
//! CommonMark.

mod cursor;
mod fence;
mod heading;
pub mod id;
pub mod line;
mod scan;
pub mod span;
#[cfg(test)]
mod tests;

use core::ops::Range;
use redraft_facts::prelude::*;

/// A document, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<'a> {
    pub lines: Vec<Line<'a>>,
    pub headings: Vec<Heading<'a>>,
    /// In order. A block inside another one is part of that.
    pub blocks: Vec<Block<'a>>,
    /// The first fence that nothing closes, neither a fence nor the end of a quotation.
    pub open_fence: Option<usize>,
    /// The first comment that is never closed. It hides nothing here.
    pub open_comment: Option<usize>,
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// With its line break, and in the first line with a byte order mark.
    pub whole: &'a str,
    /// Without them.
    pub text: &'a str,
    pub place: LinePlace,
}

/// What a line is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinePlace {
    Text,
    /// Between fences, or indented so far that it is code.
    Code,
    /// A fence that opens or closes code.
    Fence,
    /// Nothing but an HTML comment or a part of one.
    Comment,
    /// Settings between `---` at the very beginning.
    Settings,
}

/// Lines are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading<'a> {
    pub line: usize,
    /// 1 to 6.
    pub level: u8,
    /// Without its marks; may be empty.
    pub title: &'a str,
}

/// Lines of code with the fences around them. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    pub lines: Range<usize>,
    /// The text after the opening fence, usually the name of a language.
    pub label: &'a str,
    /// Whether its last line is the fence that closes it.
    pub closed: bool,
}

impl LinePlace {
    pub fn is_code(self) -> bool {
        matches!(self, LinePlace::Code | LinePlace::Fence)
    }
}

impl<'a> Page<'a> {
    pub fn read(text: &'a str) -> Page<'a> {
        Page::scanned(text, scan::Unclosed::RunsOn)
    }

    /// The same, but a fence that is never closed is a line of text. For files where nobody is told about such a slip,
    /// which must not hide everything after it.
    pub fn read_past_open_fences(text: &'a str) -> Page<'a> {
        Page::scanned(text, scan::Unclosed::IsText)
    }

    /// The same with CommonMark's reading of lists and fences, whatever people mean. Used to compare the two.
    pub fn read_as_commonmark(text: &'a str) -> Page<'a> {
        Page::scanned(text, scan::Unclosed::Strict)
    }

    fn scanned(text: &'a str, unclosed: scan::Unclosed) -> Page<'a> {
        let whole: Vec<&'a str> = text.split_inclusive('\n').collect();
        let texts: Vec<&'a str> = whole.iter().map(|line| bare(line)).collect();
        let settings = heading::settings(&texts);
        let scan::Scan { places, blocks, open_fence, open_comment } = scan::scan(&texts, settings, unclosed);
        let headings = heading::headings(&texts, &places);
        let line = |((whole, text), place)| Line { whole, text, place };
        let lines = whole.into_iter().zip(texts).zip(places).map(line).collect();
        Page { lines, headings, blocks, open_fence, open_comment }
    }

    pub fn is_text(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| line.place == LinePlace::Text)
    }

    pub fn is_code(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| line.place.is_code())
    }
}

/// A line without its break and without a byte order mark before it.
fn bare(line: &str) -> &str {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
