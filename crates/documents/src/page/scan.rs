//! Follows lists, quotations, fences and comments through a document and says what each line is part of.
//!
//! Up to three readings are tried, the most forgiving first; the first in which every fence is closed holds, and
//! otherwise the last, which is CommonMark's. Each is one pass. Start at [`scan`].

use super::cursor::Cursor;
use super::fence::{self, Mark};
use super::heading::underline;
use super::{Block, LinePlace, line};
use redraft_facts::prelude::*;

/// How to take a fence that nothing closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclosed {
    /// It opens code that goes on to the end of what contains it.
    RunsOn,
    IsText,
    /// The same as `RunsOn`, and nothing is forgiven: CommonMark's reading from the start.
    Strict,
}

pub(super) struct Scan<'a> {
    pub(super) places: Vec<LinePlace>,
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) open_fence: Option<usize>,
    pub(super) open_comment: Option<usize>,
}

/// How forgiving a pass is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    /// A labelled fence inside a block opens another one.
    nested: bool,
    /// Fences stand at any indentation, and code that begins in a list item goes on at the margin.
    loose: bool,
}

const READINGS: [Reading; 3] = [
    Reading { nested: true, loose: true },
    Reading { nested: false, loose: true },
    Reading { nested: false, loose: false },
];

/// `settings` are the lines before the document proper.
pub(super) fn scan<'a>(lines: &[&'a str], settings: usize, unclosed: Unclosed) -> Scan<'a> {
    let pass = |reading: Reading, closers: Option<Closers>| {
        let mut scanner = Scanner::new(lines, settings, reading, closers);
        (settings..lines.len()).for_each(|at| scanner.line(at));
        scanner.done()
    };
    let [nested, loose, strict] = READINGS;
    if unclosed == Unclosed::Strict {
        return pass(strict, None);
    }
    let first = pass(nested, None);
    if first.open_fence.is_none() {
        return first;
    }
    if unclosed == Unclosed::IsText {
        return pass(loose, Some(Closers::find(lines)));
    }
    let second = pass(loose, None);
    if second.open_fence.is_none() { second } else { pass(strict, None) }
}

/// For each line, how long the longest fence is that could close code there or below: with backticks, with tildes.
struct Closers(Vec<[usize; 2]>);

impl Closers {
    fn find(lines: &[&str]) -> Closers {
        let mut longest = [0; 2];
        let mut all: Vec<[usize; 2]> = (lines.iter().rev())
            .map(|line| {
                if let Some(mark) = Mark::parse(line).filter(|mark| !mark.labelled) {
                    let kind = &mut longest[usize::from(mark.tilde)];
                    *kind = mark.length.max(*kind);
                }
                longest
            })
            .collect();
        all.reverse();
        Closers(all)
    }

    fn is_closed(&self, at: usize, mark: Mark) -> bool {
        self.0.get(at + 1).is_some_and(|longest| longest[usize::from(mark.tilde)] >= mark.length)
    }
}

/// What lines may stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Quote,
    /// This many columns are its own.
    Item(usize),
}

/// Only a document made for the purpose is nested deeper; what is deeper is text.
const CONTAINERS_MAX: usize = 32;

/// Columns that make a line code.
const CODE_INDENT: usize = 4;

/// What the last line was, if the next one may be part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Leaf {
    None,
    Paragraph,
    Indented,
    /// The line it began in, and the fences that are open, innermost last.
    Fence(usize, Vec<Mark>),
    /// Up to this line.
    Comment(usize),
}

struct Scanner<'l, 'a> {
    lines: &'l [&'a str],
    reading: Reading,
    closers: Option<Closers>,
    containers: Vec<Container>,
    /// Whether the last line began an item and nothing else; one more without text ends it.
    bare_item: bool,
    leaf: Leaf,
    scan: Scan<'a>,
    comment_ends: NextLine,
    gaps: NextLine,
}

impl<'l, 'a> Scanner<'l, 'a> {
    fn new(lines: &'l [&'a str], settings: usize, reading: Reading, closers: Option<Closers>) -> Self {
        let mut places = Vec::with_capacity(lines.len());
        places.resize(settings, LinePlace::Settings);
        Scanner {
            lines,
            reading,
            closers,
            containers: Vec::new(),
            bare_item: false,
            leaf: Leaf::None,
            scan: Scan { places, blocks: Vec::new(), open_fence: None, open_comment: None },
            comment_ends: NextLine::default(),
            gaps: NextLine::default(),
        }
    }

    fn line(&mut self, at: usize) {
        let mut cursor = Cursor::new(self.lines[at]);
        let matched = self.matched(&mut cursor);
        let indented = self.leaf == Leaf::Indented;
        let place = match self.goes_on(at, cursor, matched) {
            Some(place) => place,
            None => self.begins(at, cursor, matched),
        };
        if indented && self.leaf != Leaf::Indented {
            self.end_indented();
        }
        self.scan.places.push(place);
    }

    /// Blank lines after indented code are not part of it.
    fn end_indented(&mut self) {
        let blank = |line: &&&str| line.trim().is_empty();
        let count = self.lines[..self.scan.places.len()].iter().rev().take_while(blank).count();
        let start = self.scan.places.len() - count;
        self.scan.places[start..].fill(LinePlace::Text);
    }

    fn done(mut self) -> Scan<'a> {
        if let Leaf::Fence(start, _) = self.leaf {
            self.end_block(start, self.lines.len(), false);
        } else if self.leaf == Leaf::Indented {
            self.end_indented();
        }
        self.scan
    }

    /// How many of the containers a line continues; the cursor is moved past their marks.
    fn matched(&self, cursor: &mut Cursor<'a>) -> usize {
        let goes_on = |container: &&Container| match container {
            Container::Quote => cursor.quote(),
            Container::Item(_) if cursor.is_blank() => true,
            Container::Item(columns) => cursor.indent() >= *columns && cursor.skip(*columns),
        };
        self.containers.iter().take_while(goes_on).count()
    }

    /// The place of a line that continues a fenced block or a comment.
    fn goes_on(&mut self, at: usize, cursor: Cursor<'a>, matched: usize) -> Option<LinePlace> {
        if !matches!(self.leaf, Leaf::Fence(..) | Leaf::Comment(_)) {
            return None;
        }
        let left = &self.containers[matched..];
        let inside = left.is_empty() || self.reading.loose && !left.contains(&Container::Quote);
        match &mut self.leaf {
            Leaf::Fence(start, open) if inside => {
                let mark = Mark::parse(cursor.text())
                    .filter(|_| self.reading.loose || cursor.indent() < CODE_INDENT);
                let start = *start;
                match (mark, open.last().copied()) {
                    (Some(mark), Some(last)) if mark.can_close(last) => {
                        open.pop();
                        if open.is_empty() {
                            self.leaf = Leaf::None;
                            self.end_block(start, at + 1, true);
                            return Some(LinePlace::Fence);
                        }
                    }
                    (Some(mark), Some(last)) if self.reading.nested && mark.can_stand_in(last) => {
                        open.push(mark)
                    }
                    _ => {}
                }
                Some(LinePlace::Code)
            }
            Leaf::Comment(end) if inside => {
                if *end == at {
                    self.leaf = Leaf::None;
                }
                Some(LinePlace::Comment)
            }
            Leaf::Fence(start, _) => {
                let start = *start;
                self.leaf = Leaf::None;
                self.end_block(start, at, false);
                None
            }
            Leaf::Comment(_) | Leaf::None | Leaf::Paragraph | Leaf::Indented => {
                self.leaf = Leaf::None;
                None
            }
        }
    }

    fn end_block(&mut self, start: usize, end: usize, closed: bool) {
        let quoted = self.containers.contains(&Container::Quote);
        if !closed && !quoted {
            self.scan.open_fence.get_or_insert(start);
        }
        let opening = Cursor::new(self.lines[start]).text();
        let from = opening.find(['`', '~']).unwrap_or(0);
        self.scan.blocks.push(Block { lines: start..end, label: fence::label(&opening[from..]), closed });
    }

    /// The place of a line that begins something, or is text.
    fn begins(&mut self, at: usize, mut cursor: Cursor<'a>, mut matched: usize) -> LinePlace {
        let bare_item = core::mem::take(&mut self.bare_item);
        if cursor.is_blank() {
            return self.blank(matched, bare_item);
        }
        while self.containers.len() < CONTAINERS_MAX {
            let text = cursor.text();
            let near = cursor.indent() < CODE_INDENT;
            let in_item = || self.containers.iter().any(|container| matches!(container, Container::Item(_)));
            if near && text.starts_with('>') {
                self.containers.truncate(matched);
                cursor.quote();
                self.containers.push(Container::Quote);
            } else if let Some(mark) = line::list_mark(text)
                && (near || self.reading.loose && self.leaf != Leaf::Indented && in_item())
                && !line::is_rule(text)
                && !(self.in_paragraph(matched) && self.is_too_weak(mark, text))
            {
                let indent = cursor.indent();
                self.containers.truncate(matched);
                let columns = indent + cursor.item(mark);
                self.containers.push(Container::Item(columns));
            } else {
                break;
            }
            self.leaf = Leaf::None;
            matched = self.containers.len();
        }
        self.leaf_at(at, cursor, matched)
    }

    /// Whether a line that continues this many containers could continue a paragraph.
    fn in_paragraph(&self, matched: usize) -> bool {
        self.leaf == Leaf::Paragraph && matched == self.containers.len()
    }

    /// Whether the mark of an item is part of the paragraph above it: without text, as an underline, and, where CommonMark
    /// holds, with a number that no list begins with.
    fn is_too_weak(&self, mark: &str, text: &str) -> bool {
        let counts_on = mark.len() > 1 && !matches!(mark, "1." | "1)" | "•");
        mark == text || underline(text).is_some() || counts_on && !self.reading.loose
    }

    /// The place of a line, determined by the text after the marks of lists and quotations.
    fn leaf_at(&mut self, at: usize, cursor: Cursor<'a>, matched: usize) -> LinePlace {
        let (text, indent) = (cursor.text(), cursor.indent());
        if text.is_empty() {
            self.bare_item = matches!(self.containers.last(), Some(Container::Item(_)));
            return LinePlace::Text;
        }
        let in_item = self.containers.iter().any(|container| matches!(container, Container::Item(_)));
        let deep = indent >= CODE_INDENT;
        let mark = Mark::parse(text).filter(|_| !deep || self.reading.loose && self.leaf != Leaf::Indented);
        if deep && mark.is_none() && self.leaf != Leaf::Paragraph && !in_item {
            self.containers.truncate(matched);
            self.leaf = Leaf::Indented;
            return LinePlace::Code;
        }
        if let Some(mark) = mark.filter(|mark| self.opens(at, *mark, matched)) {
            self.containers.truncate(matched);
            self.leaf = Leaf::Fence(at, vec![mark]);
            return LinePlace::Fence;
        }
        if let Some(place) = self.comment(at, text, matched) {
            return place;
        }
        let alone = line::atx(text).is_some()
            || line::is_rule(text)
            || self.in_paragraph(matched) && underline(text).is_some();
        let lazy = self.leaf == Leaf::Paragraph && !alone;
        // A line indented this far belongs to the item above it, even where the item's text begins still further in.
        if !(lazy || deep && in_item) {
            self.containers.truncate(matched);
        }
        self.leaf = if alone { Leaf::None } else { Leaf::Paragraph };
        self.comment_in_text(at, text);
        LinePlace::Text
    }

    fn blank(&mut self, matched: usize, bare_item: bool) -> LinePlace {
        self.containers.truncate(matched - usize::from(bare_item && matched == self.containers.len()));
        if self.leaf == Leaf::Indented {
            return LinePlace::Code;
        }
        self.leaf = Leaf::None;
        LinePlace::Text
    }

    fn opens(&self, at: usize, mark: Mark, matched: usize) -> bool {
        let quoted = self.containers[..matched].contains(&Container::Quote);
        quoted || self.closers.as_ref().is_none_or(|closers| closers.is_closed(at, mark))
    }

    /// The place of a line that begins with a comment and holds nothing else.
    fn comment(&mut self, at: usize, text: &str, matched: usize) -> Option<LinePlace> {
        let inside = text.strip_prefix(COMMENT)?;
        match inside.find(COMMENT_END) {
            Some(end) if end + COMMENT_END.len() == inside.len() => self.leaf = Leaf::None,
            Some(_) => return None,
            None => match self.comment_ends.after(at, self.lines, |line| line.contains(COMMENT_END)) {
                Some(end) => self.leaf = Leaf::Comment(end),
                None => {
                    self.scan.open_comment.get_or_insert(at);
                    return None;
                }
            },
        }
        self.containers.truncate(matched);
        Some(LinePlace::Comment)
    }

    /// Text may end in a comment, which then goes on to the end of the paragraph at most.
    fn comment_in_text(&mut self, at: usize, text: &str) {
        if !text.contains('<') || !text.contains(COMMENT) {
            return;
        }
        let prose = super::span::without_code(text);
        if prose.rfind(COMMENT).is_none_or(|start| prose[start..].contains(COMMENT_END)) {
            return;
        }
        let end = self.comment_ends.after(at, self.lines, |line| line.contains(COMMENT_END));
        let gap = self.gaps.after(at, self.lines, |line| line.trim().is_empty());
        match end {
            Some(end) if gap.is_none_or(|gap| end < gap) => self.leaf = Leaf::Comment(end),
            Some(_) => {}
            None => {
                self.scan.open_comment.get_or_insert(at);
            }
        }
    }
}

const COMMENT: &str = "<!--";
const COMMENT_END: &str = "-->";

/// The next line of a kind, asked for from top to bottom, so that every line is looked at once.
#[derive(Default)]
struct NextLine {
    /// The last one that was found, or the number of lines.
    found: Option<usize>,
}

impl NextLine {
    fn after(&mut self, at: usize, lines: &[&str], is_one: impl Fn(&str) -> bool) -> Option<usize> {
        let found = self.found.filter(|found| *found > at);
        let next = found.unwrap_or_else(|| {
            let below = lines.iter().skip(at + 1).position(|line| is_one(line));
            below.map_or(lines.len(), |below| at + 1 + below)
        });
        self.found = Some(next);
        (next < lines.len()).then_some(next)
    }
}
