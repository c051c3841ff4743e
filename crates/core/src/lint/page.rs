//! A document line by line: what is text, what is code, where the headings are.
//!
//! Read as people mean it: a labelled fence inside a fenced block opens another one where that comes out even, else
//! the first fence that can close a block closes it. Knows no rule. Start at [`Page::read`].

use crate::prelude::*;
use alloc::borrow::Cow;

/// A document that is being checked.
pub(super) struct Page<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) lines: Vec<Line<'a>>,
    pub(super) headings: Vec<Heading<'a>>,
    /// Whether some of its code is a document in the same form.
    pub(super) shows_documents: bool,
    /// The line of the fence that is never closed.
    pub(super) open_fence: Option<usize>,
}

/// One line, without its end.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// The same with every code span blanked out; nothing for code.
    pub(super) prose: Cow<'a, str>,
    pub(super) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Code,
    /// A fence that opens or closes code.
    Fence,
}

/// Lines are counted from 0 here; faults count from 1.
pub(super) struct Heading<'a> {
    pub(super) line: usize,
    pub(super) level: u8,
    pub(super) title: &'a str,
}

impl<'a> Page<'a> {
    pub(super) fn read(path: &'a str, text: &'a str) -> Page<'a> {
        let texts: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
        let (nested, left_open) = places(&texts, true);
        let (places, open_fence) = if left_open.is_none() { (nested, None) } else { places(&texts, false) };
        let line = |(text, place): (&&'a str, Place)| Line {
            text,
            prose: if place == Place::Text { without_code_spans(text) } else { Cow::Borrowed("") },
            place,
        };
        let lines: Vec<Line<'a>> = texts.iter().zip(places).map(line).collect();
        let headings = headings(&lines);
        let shows_documents = texts.iter().any(|line| {
            let (_, length, label) = marks(after_list_mark(unquoted(line)));
            length >= 3 && ["markdown", "md"].iter().any(|name| label.eq_ignore_ascii_case(name))
        });
        Page { path, text, lines, headings, shows_documents, open_fence }
    }

    /// The lines that are text, with their place in `lines`.
    pub(super) fn texts(&self) -> impl Iterator<Item = (usize, &Line<'a>)> {
        self.lines.iter().enumerate().filter(|(_, line)| line.place == Place::Text)
    }

    /// The name of the file without its folders.
    pub(super) fn name(&self) -> &'a str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(self.path)
    }
}

/// Where each line belongs, and the line of a fence that is still open at the end.
fn places(lines: &[&str], nested: bool) -> (Vec<Place>, Option<usize>) {
    let mut reader = Reader { nested, ..Reader::default() };
    let places = lines.iter().enumerate().map(|(at, line)| reader.read(line, at)).collect();
    (places, reader.open.first().map(|fence| fence.line))
}

/// Follows fences and indented code through a text.
#[derive(Default)]
struct Reader<'a> {
    nested: bool,
    /// Innermost last.
    open: Vec<Fence>,
    /// The last line that was not code; empty before the first.
    previous: &'a str,
    /// Whether the last line that is not indented began a list item: then deeper lines belong to it.
    in_list: bool,
    in_indented: bool,
}

#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    line: usize,
    quoted: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self, line: &'a str, at: usize) -> Place {
        let quoted = line.trim_start().starts_with('>');
        if self.open.last().is_some_and(|fence| fence.quoted && !quoted) {
            // A quotation ends what was opened in it.
            self.open.clear();
        }
        if let Some(fence) = self.open.last().copied() {
            return self.inside(fence, line, at, quoted);
        }
        if !quoted && self.is_indented_code(line) {
            return Place::Code;
        }
        if let Some(fence) = opening(after_list_mark(unquoted(line)), at, quoted) {
            self.open.push(fence);
            self.previous = "";
            return Place::Fence;
        }
        self.previous = line;
        Place::Text
    }

    fn inside(&mut self, fence: Fence, line: &str, at: usize, quoted: bool) -> Place {
        let (mark, length, rest) = marks(unquoted(line));
        if mark != fence.mark || length < fence.length {
            return Place::Code;
        }
        if rest.is_empty() {
            self.open.pop();
            return if self.open.is_empty() { Place::Fence } else { Place::Code };
        }
        if self.nested {
            self.open.extend(opening(unquoted(line), at, quoted));
        }
        Place::Code
    }

    fn is_indented_code(&mut self, line: &str) -> bool {
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if line.trim().is_empty() {
            self.previous = "";
            return self.in_indented;
        }
        // It cannot interrupt a paragraph, and inside a list item the indent belongs to the item.
        let after_gap = self.in_indented || self.previous.is_empty();
        self.in_indented = indented && after_gap && !self.in_list;
        if !line.starts_with([' ', '\t']) {
            self.in_list = after_list_mark(line) != line;
        }
        self.in_indented
    }
}

fn opening(line: &str, at: usize, quoted: bool) -> Option<Fence> {
    const LENGTH_MIN: usize = 3;
    let (mark, length, info) = marks(line);
    // An info string with a backtick makes it a code span that happens to begin the line.
    let opens = length >= LENGTH_MIN && (mark == '~' || !info.contains('`'));
    opens.then_some(Fence { mark, length, line: at, quoted })
}

/// The run of fence characters a line begins with, and what follows it.
fn marks(line: &str) -> (char, usize, &str) {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| ['`', '~'].contains(c)).unwrap_or(' ');
    let rest = line.trim_start_matches(mark);
    (mark, line.len() - rest.len(), rest.trim())
}

fn unquoted(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>'])
}

/// What follows `- `, `* `, `+ `, `1. ` or `1) `; the line itself when it begins with none.
pub(super) fn after_list_mark(line: &str) -> &str {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if digits.len() < line.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    rest.and_then(|rest| rest.strip_prefix([' ', '\t'])).map_or(line, str::trim_start)
}

fn headings<'a>(lines: &[Line<'a>]) -> Vec<Heading<'a>> {
    let mut found: Vec<Heading<'a>> = Vec::new();
    for at in front_matter(lines)..lines.len() {
        if lines[at].place != Place::Text {
            continue;
        }
        if let Some((level, title)) = hashed(lines[at].text) {
            found.push(Heading { line: at, level, title });
        } else if let Some(level) = underline(lines[at].text)
            && let Some(above) = at.checked_sub(1)
            && let Some(title) = underlined(&lines[above])
            && found.last().is_none_or(|last| last.line < above)
        {
            found.push(Heading { line: above, level, title });
        }
    }
    found
}

/// The lines of a block of settings between `---` at the very beginning.
fn front_matter(lines: &[Line<'_>]) -> usize {
    let is_rule = |line: &Line<'_>| line.text.trim_end() == "---";
    if !lines.first().is_some_and(is_rule) {
        return 0;
    }
    lines.iter().skip(1).position(is_rule).map_or(0, |end| end + 2)
}

/// `## Title ##` with at most three blanks before it.
fn hashed(line: &str) -> Option<(u8, &str)> {
    let rest = at_the_margin(line)?;
    let title = rest.trim_start_matches('#');
    let hashes = rest.len() - title.len();
    let named = title.starts_with([' ', '\t']) && !title.trim().is_empty();
    let level = u8::try_from(hashes).ok().filter(|level| (1..=6).contains(level) && named)?;
    let bare = title.trim().trim_end_matches('#');
    Some((level, if bare.ends_with([' ', '\t']) { bare.trim() } else { title.trim() }))
}

fn underline(line: &str) -> Option<u8> {
    let text = at_the_margin(line)?;
    let all = |mark: char| !text.is_empty() && text.chars().all(|c| c == mark);
    if all('=') { Some(1) } else { all('-').then_some(2) }
}

/// The text above an underline, unless it is a table, a list or a quotation, which end in such lines too.
fn underlined<'a>(line: &Line<'a>) -> Option<&'a str> {
    let title = at_the_margin(line.text)?;
    let other = title.is_empty()
        || line.place != Place::Text
        || title.starts_with(['|', '>', '<', '#', '='])
        || after_list_mark(title) != title
        || underline(title).is_some();
    (!other).then_some(title)
}

fn at_the_margin(line: &str) -> Option<&str> {
    const INDENT_MAX: usize = 3;
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= INDENT_MAX).then(|| text.trim_end())
}

/// As much of a text as an address, an id or a title can be long. Whoever looks for the end of one in the rest of a line
/// would read a line of a million beginnings a million times.
pub(super) fn beginning(text: &str) -> &str {
    const BYTES_MAX: usize = 400;
    match text.char_indices().map(|(at, _)| at).take_while(|at| *at <= BYTES_MAX).last() {
        Some(end) if text.len() > BYTES_MAX => &text[..end],
        _ => text,
    }
}

/// In a longer line nothing is a code span: looking for partners takes the square of the length of one that was made
/// for it.
const SPANS_BYTES_MAX: usize = 64 * 1024;

/// The line with every code span blanked out. A run of backticks without a partner is text.
pub(super) fn without_code_spans(line: &str) -> Cow<'_, str> {
    if !line.contains('`') || line.len() > SPANS_BYTES_MAX {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (before, ticks) = rest.split_at(at);
        out.push_str(before);
        let length = ticks.len() - ticks.trim_start_matches('`').len();
        let (run, after) = ticks.split_at(length);
        match closing(after, length) {
            Some(end) => {
                out.push(CODE);
                rest = &after[end..];
            }
            None => {
                out.push_str(run);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Stands where a code span was: something is there, and it is no word.
pub(super) const CODE: char = '\u{fffc}';

/// The contents of the code spans of a line.
pub(super) fn code_spans(line: &str) -> Vec<&str> {
    let mut spans = Vec::new();
    let mut rest = if line.len() > SPANS_BYTES_MAX { "" } else { line };
    while let Some(at) = rest.find('`') {
        let ticks = &rest[at..];
        let length = ticks.len() - ticks.trim_start_matches('`').len();
        let after = &ticks[length..];
        rest = match closing(after, length) {
            Some(end) => {
                spans.push(&after[..end - length]);
                &after[end..]
            }
            None => after,
        };
    }
    spans
}

/// Where a run of exactly `length` backticks ends in `text`.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + run;
        if run == length {
            return Some(at);
        }
    }
    None
}
