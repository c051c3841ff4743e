//! The sections of a Markdown document: a heading up to the next one of the same or a higher level.
//!
//! It sees lines and headings and knows nothing about tasks, findings or prompts. Start at [`Outline::parse`]; to show
//! only what changed, use [`Outline::touched`].
//!
//! [`crate::page`] decides what is a heading and what is code.

#[cfg(test)]
mod tests;

pub mod block;

pub use crate::page::Block;
use crate::page::{Heading, Page};
use core::ops::{Range, RangeInclusive};
use redraft_facts::prelude::*;

/// A section is shown with all its subsections if it has at most this many characters and is at most half of the
/// document; otherwise a change under the first heading would bring the whole. Three or four screens: a trade between
/// what a reader has at hand and what it costs.
pub const SECTION_CHARS_MAX: usize = 8_000;

/// A document's lines and the sections that cover them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'a> {
    page: Page<'a>,
    /// With their breaks.
    lines: Vec<&'a str>,
    sections: Vec<Section<'a>>,
}

/// One section. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// 1 to 6; 0 for what stands before the first heading.
    pub level: u8,
    /// The heading without its marks; empty before the first heading.
    pub title: &'a str,
    /// The heading and everything to the next heading of the same or a higher level.
    pub lines: Range<usize>,
    /// The heading and what follows it up to the next heading of any level. These parts cover the document, each
    /// line once.
    pub own: Range<usize>,
}

impl<'a> Outline<'a> {
    pub fn parse(text: &'a str) -> Outline<'a> {
        let page = Page::read(text);
        let lines: Vec<&str> = page.lines.iter().map(|line| line.whole).collect();
        let sections = sections(&lines, &page.headings);
        Outline { page, lines, sections }
    }

    /// In the order they begin. The first has level 0 if the document does not begin with a heading.
    pub fn sections(&self) -> &[Section<'a>] {
        &self.sections
    }

    pub fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// In order. A block inside another one is part of that.
    pub fn blocks(&self) -> &[Block<'a>] {
        &self.page.blocks
    }

    /// Whether a line is code between fences or a fence around it.
    pub fn is_fenced(&self, line: usize) -> bool {
        let after = self.page.blocks.partition_point(|block| block.lines.start <= line);
        after.checked_sub(1).is_some_and(|at| self.page.blocks[at].lines.contains(&line))
    }

    /// Whether a line is text: neither code nor a comment nor a setting.
    pub fn is_text(&self, line: usize) -> bool {
        self.page.is_text(line)
    }

    /// Whether a line is code, between fences or indented.
    pub fn is_code(&self, line: usize) -> bool {
        self.page.is_code(line)
    }

    /// The innermost section a line stands in.
    pub fn at(&self, line: usize) -> Option<&Section<'a>> {
        let after = self.sections.partition_point(|section| section.own.start <= line);
        self.sections.get(after.checked_sub(1)?).filter(|section| section.own.contains(&line))
    }

    /// The text of some lines; what lies beyond the end is left out.
    pub fn text(&self, lines: Range<usize>) -> String {
        let end = lines.end.min(self.lines.len());
        self.lines.get(lines.start.min(end)..end).unwrap_or_default().concat()
    }

    /// The lines to show to somebody who must judge these changed lines (counted from 1, as a delta does): every section
    /// that holds one of them outside of its subsections. It comes whole, with its subsections, unless that is too much
    /// ([`SECTION_CHARS_MAX`]); then without them. In order, without overlap; neighbours are joined.
    pub fn touched(&self, changed: &[RangeInclusive<u32>]) -> Vec<Range<usize>> {
        let sizes = self.chars_before();
        let mut parts: BTreeSet<(usize, usize)> = BTreeSet::new();
        for range in changed {
            let first = (*range.start() as usize).saturating_sub(1);
            let last = (*range.end() as usize).saturating_sub(1).min(self.lines.len().saturating_sub(1));
            let begin = self.sections.partition_point(|section| section.own.end <= first);
            let hit = self.sections.iter().skip(begin).take_while(|section| section.own.start <= last);
            parts.extend(hit.map(|section| shown(section, &sizes)).map(|lines| (lines.start, lines.end)));
        }
        let mut joined: Vec<Range<usize>> = Vec::new();
        for (start, end) in parts {
            match joined.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => joined.push(start..end),
            }
        }
        joined
    }

    /// For every line, and for the end, the characters of all before it.
    fn chars_before(&self) -> Vec<usize> {
        let mut sum = 0;
        let mut sizes = vec![0];
        sizes.extend(self.lines.iter().map(|line| {
            sum += line.chars().count();
            sum
        }));
        sizes
    }
}

/// What is shown of a section that is touched.
fn shown(section: &Section<'_>, chars_before: &[usize]) -> Range<usize> {
    let chars = chars_before[section.lines.end] - chars_before[section.lines.start];
    let document = chars_before[chars_before.len() - 1];
    let whole = chars <= SECTION_CHARS_MAX && chars * 2 <= document;
    if whole { section.lines.clone() } else { section.own.clone() }
}

fn sections<'a>(lines: &[&'a str], headings: &[Heading<'a>]) -> Vec<Section<'a>> {
    let mut sections = Vec::with_capacity(headings.len() + 1);
    let first = headings.first().map_or(lines.len(), |heading| heading.line);
    if first > 0 {
        sections.push(Section { level: 0, title: "", lines: 0..first, own: 0..first });
    }
    // The sections a heading may still belong to, innermost last.
    let mut ends = vec![lines.len(); headings.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        while let Some(last) = open.pop_if(|last| headings[*last].level >= heading.level) {
            ends[last] = heading.line;
        }
        open.push(at);
    }
    for (at, heading) in headings.iter().enumerate() {
        let next = headings.get(at + 1).map_or(lines.len(), |next| next.line);
        let (level, title) = (heading.level, heading.title);
        sections.push(Section { level, title, lines: heading.line..ends[at], own: heading.line..next });
    }
    sections
}
