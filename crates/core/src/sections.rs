//! The sections of a Markdown document: a heading up to the next one of the same or a higher level.
//!
//! It sees lines and headings and knows nothing of tasks, findings or prompts. Start at [`Outline::of`]; whoever
//! wants to show only what changed asks [`Outline::touched`].
//!
//! Read as people mean it where CommonMark is stricter: a fence may stand at any indentation, because list items
//! hold code; and a fence with a language inside one of the same length is taken as nested, because people paste
//! documents that contain code. Where that reading does not come out even, CommonMark's holds.

mod fence;
#[cfg(test)]
mod tests;

use crate::prelude::*;
use core::ops::{Range, RangeInclusive};

/// What CommonMark knows as levels: `#` to `######`.
const LEVEL_MAX: usize = 6;
/// A section is shown with all its subsections up to so many characters, and only if it is at most half of the document;
/// otherwise a change under the first heading would bring the whole. Three or four screens: a trade between what a
/// reader has at hand and what it costs.
pub const SECTION_CHARS_MAX: usize = 8_000;

/// A document's lines and the sections that cover them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'a> {
    lines: Vec<&'a str>,
    sections: Vec<Section<'a>>,
    blocks: Vec<Block<'a>>,
}

/// Lines of code with the fences around them. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    pub lines: Range<usize>,
    /// What stands behind the opening fence, usually the name of a language.
    pub label: &'a str,
    /// Whether its last line is the fence that closes it.
    pub closed: bool,
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
    pub fn of(text: &'a str) -> Outline<'a> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let blocks = fence::blocks(&lines);
        let mut fenced = vec![false; lines.len()];
        for block in &blocks {
            fenced[block.lines.clone()].fill(true);
        }
        let sections = sections(&lines, &headings(&lines, &fenced));
        Outline { lines, sections, blocks }
    }

    /// In the order they begin. The first has level 0 if the document does not begin with a heading.
    pub fn sections(&self) -> &[Section<'a>] {
        &self.sections
    }

    pub fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// In order. One inside of another is part of that.
    pub fn blocks(&self) -> &[Block<'a>] {
        &self.blocks
    }

    /// Whether a line is code or the fence around it.
    pub fn is_fenced(&self, line: usize) -> bool {
        let after = self.blocks.partition_point(|block| block.lines.start <= line);
        after.checked_sub(1).is_some_and(|at| self.blocks[at].lines.contains(&line))
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

struct Heading<'a> {
    line: usize,
    level: u8,
    title: &'a str,
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

fn headings<'a>(lines: &[&'a str], fenced: &[bool]) -> Vec<Heading<'a>> {
    let mut found: Vec<Heading<'a>> = Vec::new();
    for at in front_matter(lines)..lines.len() {
        if fenced[at] {
            continue;
        }
        if let Some((level, title)) = atx(lines[at]) {
            found.push(Heading { line: at, level, title });
        } else if let Some(level) = underline(lines[at])
            && let Some(title) = paragraph_of_one_line(lines, fenced, at)
        {
            found.push(Heading { line: at - 1, level, title });
        }
    }
    found
}

/// The lines of a block of settings between `---` at the very beginning.
fn front_matter(lines: &[&str]) -> usize {
    if lines.first().is_none_or(|line| line.trim_end() != "---") {
        return 0;
    }
    let end = lines.iter().skip(1).position(|line| line.trim_end() == "---");
    end.map_or(0, |end| end + 2)
}

/// `## Title ##`, with at most three blanks before it.
pub(crate) fn atx(line: &str) -> Option<(u8, &str)> {
    let text = at_the_margin(line)?;
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = text.get(hashes..)?;
    if !(1..=LEVEL_MAX).contains(&hashes) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    let closed = bare.is_empty() || bare.ends_with([' ', '\t']);
    Some((u8::try_from(hashes).ok()?, if closed { bare.trim_end() } else { title }))
}

/// A line of `=` or `-` under a title.
fn underline(line: &str) -> Option<u8> {
    let text = at_the_margin(line)?;
    let all = |mark: char| !text.is_empty() && text.chars().all(|c| c == mark);
    if all('=') {
        Some(1)
    } else if all('-') {
        Some(2)
    } else {
        None
    }
}

/// The text above an underline, if it is a paragraph of one line: tables, lists and quotes end in such lines too.
fn paragraph_of_one_line<'a>(lines: &[&'a str], fenced: &[bool], underline: usize) -> Option<&'a str> {
    let above = underline.checked_sub(1)?;
    let title = at_the_margin(lines[above])?;
    let alone = match above.checked_sub(1) {
        None => true,
        Some(before) => fenced[before] || lines[before].trim().is_empty() || atx(lines[before]).is_some(),
    };
    let other = title.is_empty()
        || fenced[above]
        || title.starts_with(['|', '>', '-', '*', '+', '<', '#', '='])
        || title.contains(" | ")
        || begins_a_numbered_item(title);
    (alone && !other).then_some(title)
}

fn begins_a_numbered_item(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with([')', '.']) && rest[1..].starts_with([' ', '\t'])
}

/// The line without its blanks, unless it is indented so far that it is code or belongs to a list.
fn at_the_margin(line: &str) -> Option<&str> {
    const INDENT_MAX: usize = 3;
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= INDENT_MAX && !text.starts_with('\t')).then(|| text.trim_end())
}
