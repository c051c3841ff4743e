//! A Markdown document as the checks read it: lines with their kind, their section and their prose.
//!
//! It knows Markdown's shape, not what a specification is. Start at [`Document::parse`]. Lines are numbered from
//! 0 here; people are told `index + 1`. Nothing is reformatted: an index always leads back to the exact line.

use super::prose::mask;
use std::ops::Range;

/// Markers below real headings: a bold or short line of its own that ends in a colon heads what follows it.
const LABEL: u8 = 7;

#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) headings: Vec<Heading>,
}

#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Without its line ending.
    pub(super) raw: &'a str,
    pub(super) kind: Kind,
    /// The innermost heading above the line, or the heading the line is.
    pub(super) heading: Option<usize>,
    /// `raw` with code, links, file names and identifiers blanked out byte by byte, so that offsets agree.
    pub(super) prose: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Heading,
    /// A list item: how far it is indented and at which byte its text starts.
    Item {
        indent: usize,
        text: usize,
    },
    /// A row of a table.
    Row,
    /// The line of dashes below a table's head.
    Divider,
    Text,
    /// Inside a fence, a comment or front matter.
    Code,
}

#[derive(Debug)]
pub(super) struct Heading {
    pub(super) title: String,
    pub(super) level: u8,
    pub(super) line: usize,
    parent: Option<usize>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str) -> Self {
        let mut document = Document { lines: Vec::new(), headings: Vec::new() };
        let mut opaque = Opaque::at_start(text);
        for raw in text.lines() {
            let kind = if opaque.takes(raw) { Kind::Code } else { kind_of(raw) };
            document.push(raw, kind);
        }
        document
    }

    fn push(&mut self, raw: &'a str, mut kind: Kind) {
        let at = self.lines.len();
        let mut level = if kind == Kind::Heading { hashes(raw) } else { 0 };
        let mut title = raw.trim().trim_matches('#').trim().to_owned();
        if kind == Kind::Text {
            if let Some(underlined) = self.underline(raw) {
                level = underlined;
                title = self.lines[at - 1].raw.trim().to_owned();
                self.lines[at - 1].kind = Kind::Heading;
                kind = Kind::Blank;
            } else if let Some(label) = self.label(raw) {
                (level, title, kind) = (LABEL, label, Kind::Heading);
            }
        }
        if level > 0 {
            let parent = self.headings.iter().rposition(|above| above.level < level);
            let line = if kind == Kind::Blank { at - 1 } else { at };
            self.headings.push(Heading { title: plain(&title), level, line, parent });
            if kind == Kind::Blank {
                self.lines[at - 1].heading = self.headings.len().checked_sub(1);
            }
        }
        let prose = if kind == Kind::Code { " ".repeat(raw.len()) } else { mask(raw) };
        self.lines.push(Line { raw, kind, heading: self.headings.len().checked_sub(1), prose });
    }

    /// The level a line of `===` or `---` gives to the text above it.
    fn underline(&self, raw: &str) -> Option<u8> {
        let above = self.lines.last().filter(|line| line.kind == Kind::Text)?;
        let bar = raw.trim();
        let only = |c: char| bar.len() >= 3 && bar.chars().all(|x| x == c);
        let alone = self.lines.len() < 2 || self.lines[self.lines.len() - 2].kind == Kind::Blank;
        match () {
            () if above.raw.starts_with(' ') || !alone => None,
            () if only('=') => Some(1),
            () if only('-') => Some(2),
            () => None,
        }
    }

    fn label(&self, raw: &str) -> Option<String> {
        let line = raw.trim();
        let after_gap = self.lines.last().is_none_or(|line| matches!(line.kind, Kind::Blank | Kind::Heading));
        let bold = ["**", "__"].iter().any(|mark| {
            let inner =
                line.trim_end_matches(':').strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
            inner.is_some_and(|inner| !inner.contains(mark) && inner.split_whitespace().count() <= 8)
        });
        let colon = line.ends_with(':') && after_gap && line.split_whitespace().count() <= 4;
        let capital = line.trim_start_matches(['*', '_']).starts_with(char::is_uppercase);
        (bold || (colon && capital)).then(|| plain(line).trim_end_matches(':').to_owned())
    }

    /// The title of the section a line stands in, for people.
    pub(super) fn section(&self, line: usize) -> &str {
        let divides = |at: &usize| self.divides(*at);
        self.chain(line).find(divides).map_or("", |at| self.headings[at].title.as_str())
    }

    /// A number for that section, so that two lines can be compared.
    pub(super) fn section_index(&self, line: usize) -> Option<usize> {
        self.chain(line).find(|at| self.divides(*at))
    }

    /// Whether a heading makes a section: a real one, or a label where there are no others to speak of.
    fn divides(&self, heading: usize) -> bool {
        let real = self.headings.iter().filter(|heading| heading.level < LABEL).count();
        self.headings[heading].level < LABEL || real <= 2
    }

    /// The titles above a line (or of the line, if it is a heading), innermost first. The title of the whole
    /// document is left out, because it says what the feature is, not what the section holds.
    pub(super) fn titles(&self, line: usize) -> impl Iterator<Item = &str> {
        let whole = self.headings.first().filter(|first| {
            first.level == 1 && self.headings.iter().filter(|heading| heading.level == 1).count() == 1
        });
        let skipped = usize::from(whole.is_some() && self.headings.len() > 1);
        self.chain(line).filter(move |at| *at >= skipped).map(|at| self.headings[at].title.as_str())
    }

    fn chain(&self, line: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.lines[line].heading, |at| self.headings[*at].parent)
    }

    /// The lines that belong to a heading: up to the next one that is not below it.
    pub(super) fn block_of_heading(&self, heading: usize) -> Range<usize> {
        let Heading { level, line, .. } = self.headings[heading];
        let next = self.headings[heading + 1..].iter().find(|next| next.level <= level);
        line..next.map_or(self.lines.len(), |next| next.line)
    }

    /// A list item with its continuation and nested lines, without blank lines at its end.
    pub(super) fn block_of_item(&self, line: usize) -> Range<usize> {
        let Kind::Item { indent, .. } = self.lines[line].kind else { return line..line + 1 };
        let mut end = line + 1;
        let mut gap = false;
        for (at, next) in self.lines.iter().enumerate().skip(line + 1) {
            match next.kind {
                Kind::Blank => gap = true,
                Kind::Item { indent: deeper, .. } if deeper > indent => end = at + 1,
                Kind::Text | Kind::Code | Kind::Row if !gap || depth(next.raw) > indent => end = at + 1,
                _ => break,
            }
        }
        line..end
    }

    /// Raw lines of a range as one text.
    pub(super) fn text(&self, range: Range<usize>) -> String {
        self.lines[range].iter().map(|line| line.raw).collect::<Vec<_>>().join("\n")
    }

    /// What a line says without its list marker, as plain text.
    pub(super) fn said(&self, line: usize) -> &'a str {
        let Line { raw, kind, .. } = self.lines[line];
        match kind {
            Kind::Item { text, .. } => raw[text..].trim_end(),
            _ => raw.trim(),
        }
    }

    /// The head of the table a row stands in, if it has one.
    pub(super) fn table_head(&self, row: usize) -> Option<usize> {
        let inside = |line: &Line<'_>| matches!(line.kind, Kind::Row | Kind::Divider);
        let start = (0..row).rev().take_while(|at| inside(&self.lines[*at])).last()?;
        (self.lines.get(start + 1)?.kind == Kind::Divider).then_some(start)
    }

    /// Whether a line is the head of a table rather than one of its rows.
    pub(super) fn is_table_head(&self, line: usize) -> bool {
        self.lines.get(line + 1).is_some_and(|next| next.kind == Kind::Divider)
    }
}

/// The cells of a table row, trimmed.
pub(super) fn cells(raw: &str) -> Vec<&str> {
    let row = raw.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    row.split('|').map(str::trim).collect()
}

pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// A text without emphasis marks.
pub(super) fn plain(text: &str) -> String {
    text.replace("**", "").replace("__", "").replace('`', "").trim().to_owned()
}

/// What is no prose over several lines: fences, comments, front matter.
enum Opaque {
    No,
    Fence(char, usize),
    Comment,
    FrontMatter { opened: bool },
}

impl Opaque {
    fn at_start(text: &str) -> Self {
        let mut lines = text.lines();
        let opens = lines.next().is_some_and(|line| line.trim_end() == "---");
        let closes = lines.any(|line| line.trim_end() == "---");
        if opens && closes { Opaque::FrontMatter { opened: false } } else { Opaque::No }
    }

    /// Whether this line is inside, given all lines before it.
    fn takes(&mut self, raw: &str) -> bool {
        let line = raw.trim();
        match self {
            Opaque::FrontMatter { opened } if *opened && line == "---" => *self = Opaque::No,
            Opaque::FrontMatter { opened } => *opened = true,
            Opaque::Comment if line.contains("-->") => *self = Opaque::No,
            Opaque::Comment => {}
            Opaque::Fence(mark, length) => {
                let closing = line.chars().all(|c| c == *mark) && line.chars().count() >= *length;
                if closing && !line.is_empty() {
                    *self = Opaque::No;
                }
            }
            Opaque::No => {
                if let Some(fence) = fence_of(line) {
                    *self = fence;
                } else if line.starts_with("<!--") {
                    if !line.contains("-->") {
                        *self = Opaque::Comment;
                    }
                } else {
                    return false;
                }
            }
        }
        true
    }
}

fn fence_of(line: &str) -> Option<Opaque> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let label = &line[length..];
    (length >= 3 && !(mark == '`' && label.contains('`'))).then_some(Opaque::Fence(mark, length))
}

fn kind_of(raw: &str) -> Kind {
    let line = raw.trim();
    if line.is_empty() {
        return Kind::Blank;
    }
    let level = hashes(raw);
    if (1..=6).contains(&level) && line[usize::from(level)..].starts_with([' ', '\t']) {
        return Kind::Heading;
    }
    if line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
        return Kind::Divider;
    }
    if line.starts_with('|') && line.len() > 1 {
        return Kind::Row;
    }
    item(raw).unwrap_or(Kind::Text)
}

fn hashes(raw: &str) -> u8 {
    let count = raw.trim_start().bytes().take_while(|b| *b == b'#').count();
    u8::try_from(count).unwrap_or(u8::MAX)
}

fn item(raw: &str) -> Option<Kind> {
    let indent = depth(raw);
    let start = raw.len() - raw.trim_start().len();
    let line = &raw[start..];
    let marker = match line.as_bytes().first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            matches!(line.as_bytes().get(digits), Some(b'.' | b')')).then_some(digits + 1)?
        }
        _ => return None,
    };
    let rest = &line[marker..];
    let gap = rest.len() - rest.trim_start().len();
    if gap == 0 || rest.trim().is_empty() {
        return None;
    }
    let mut text = start + marker + gap;
    for tick in ["[ ] ", "[x] ", "[X] "] {
        if raw[text..].starts_with(tick) {
            text += tick.len();
        }
    }
    Some(Kind::Item { indent, text })
}

fn depth(raw: &str) -> usize {
    raw.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        Document::parse(text).lines.iter().map(|line| line.kind).collect()
    }

    #[test]
    fn lines_are_told_apart() {
        let text =
            "# T\n\n- a\n  1. [ ] b\n| x | y |\n|---|---|\n| 1 | 2 |\n```\n# no\n```\n<!-- c\n-->\nend\n";
        assert_eq!(
            kinds(text),
            [
                Kind::Heading,
                Kind::Blank,
                Kind::Item { indent: 0, text: 2 },
                Kind::Item { indent: 2, text: 9 },
                Kind::Row,
                Kind::Divider,
                Kind::Row,
                Kind::Code,
                Kind::Code,
                Kind::Code,
                Kind::Code,
                Kind::Code,
                Kind::Text
            ]
        );
        assert_eq!(kinds("---\na: b\n---\ntext\n")[..3], [Kind::Code; 3]);
        assert_eq!(kinds("*emphasis* here\n2026 was long\n-5 degrees\n"), [Kind::Text; 3]);
    }

    #[test]
    fn a_line_knows_the_headings_above_it() {
        let document = Document::parse("# A\n## B\nx\n**Label:**\ny\n## C\nz\n\nD\n===\nw\n");
        assert_eq!(document.titles(2).collect::<Vec<_>>(), ["B", "A"]);
        assert_eq!(document.titles(4).collect::<Vec<_>>(), ["Label", "B", "A"]);
        assert_eq!(Document::parse("# A\n## B\nx\n").titles(2).collect::<Vec<_>>(), ["B"]);
        assert_eq!(document.section(4), "B");
        assert_eq!(document.section(6), "C");
    }

    #[test]
    fn an_item_owns_what_is_indented_below_it() {
        let document = Document::parse("- a\n  more\n  - b\n\n  para\n- c\ntext\n\nout\n");
        assert_eq!(document.block_of_item(0), 0..5);
        assert_eq!(document.block_of_item(5), 5..7);
    }
}
