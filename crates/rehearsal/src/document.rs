//! A Markdown document as the checks read it: lines with their kind, their section and their prose.
//!
//! It knows Markdown's shape, not what a specification is. Start at [`Document::parse`]. Lines are numbered from
//! 0 here; people are told `index + 1`. Nothing is reformatted: an index always leads back to the exact line.

pub(super) use super::kinds::Kind;
use super::kinds::kind_of;
use super::pace::{Pace, Stopped};
use super::prose::mask;
use redraft_core::page::{self, Page, line};
use std::ops::Range;

/// Markers below real headings: a bold or short line of its own that ends in a colon heads what follows it.
const LABEL: u8 = 7;

#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) headings: Vec<Heading>,
    /// Headings whose sections still run, the innermost last; their levels rise.
    open: Vec<usize>,
    /// Headings above this level do not divide the document.
    dividing: u8,
    /// How many headings only say what the whole document is about.
    skipped: usize,
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
    /// The head of the table the line is a row of.
    table: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Heading {
    pub(super) title: String,
    pub(super) level: u8,
    pub(super) line: usize,
    parent: Option<usize>,
    /// Where its section ends: the line of the next heading that is not below it.
    end: usize,
}

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let mut document = Document {
            lines: Vec::new(),
            headings: Vec::new(),
            open: Vec::new(),
            dividing: LABEL,
            skipped: 0,
        };
        let page = Page::read(text);
        let mut headings = page.headings.iter().filter(|heading| !heading.title.is_empty()).peekable();
        let mut underlined = false;
        for (at, line) in page.lines.iter().enumerate() {
            pace.step()?;
            let heading = headings.next_if(|heading| heading.line == at).copied();
            let kind = if underlined { Kind::Blank } else { kind_of(line) };
            document.push(line.text, kind, heading);
            underlined = heading.is_some() && line::atx(line.text).is_none();
        }
        document.finish();
        Ok(document)
    }

    fn push(&mut self, raw: &'a str, mut kind: Kind, heading: Option<page::Heading<'_>>) {
        let at = self.lines.len();
        if let Some(page::Heading { level, title, .. }) = heading {
            self.head(plain(title), level, at);
            kind = Kind::Heading;
        } else if let Some(label) = self.label(raw).filter(|_| kind == Kind::Text) {
            self.head(plain(&label), LABEL, at);
            kind = Kind::Heading;
        }
        let prose = if kind == Kind::Code { " ".repeat(raw.len()) } else { mask(raw) };
        let heading = self.headings.len().checked_sub(1);
        let table = self.table(at, kind);
        self.lines.push(Line { raw, kind, heading, prose, table });
    }

    /// Begins a section and ends those that are not above it.
    fn head(&mut self, title: String, level: u8, line: usize) {
        while let Some(last) = self.open.pop_if(|last| self.headings[*last].level >= level) {
            self.headings[last].end = line;
        }
        let parent = self.open.last().copied();
        self.open.push(self.headings.len());
        self.headings.push(Heading { title, level, line, parent, end: usize::MAX });
    }

    /// The first line of the table a line continues, if there is one.
    fn table(&self, at: usize, kind: Kind) -> Option<usize> {
        let inside = |kind: Kind| matches!(kind, Kind::Row | Kind::Divider);
        let above = self.lines.last().filter(|above| inside(kind) && inside(above.kind))?;
        above.table.or(Some(at - 1))
    }

    fn finish(&mut self) {
        let lines = self.lines.len();
        for heading in std::mem::take(&mut self.open) {
            self.headings[heading].end = lines;
        }
        let of = |levels: Range<u8>| self.headings.iter().filter(|h| levels.contains(&h.level)).count();
        self.dividing = if of(0..LABEL) <= 2 { u8::MAX } else { LABEL };
        let titled = self.headings.first().is_some_and(|first| first.level == 1) && of(1..2) == 1;
        self.skipped = usize::from(titled && self.headings.len() > 1);
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
        self.headings[heading].level < self.dividing
    }

    /// The titles above a line (or of the line, if it is a heading), innermost first. The title of the whole
    /// document is left out, because it says what the feature is, not what the section holds.
    pub(super) fn titles(&self, line: usize) -> impl Iterator<Item = &str> {
        self.titles_of(self.lines[line].heading)
    }

    /// The same for a heading: its own title first.
    pub(super) fn titles_of(&self, heading: Option<usize>) -> impl Iterator<Item = &str> {
        let up = std::iter::successors(heading, |at| self.headings[*at].parent);
        up.filter(|at| *at >= self.skipped).map(|at| self.headings[at].title.as_str())
    }

    /// The heading a line is, if it is one.
    pub(super) fn heading_at(&self, line: usize) -> Option<usize> {
        self.lines[line].heading.filter(|at| self.headings[*at].line == line)
    }

    fn chain(&self, line: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.lines[line].heading, |at| self.headings[*at].parent)
    }

    /// The lines that belong to a heading: up to the next one that is not below it.
    pub(super) fn block_of_heading(&self, heading: usize) -> Range<usize> {
        let Heading { line, end, .. } = self.headings[heading];
        line..end
    }

    /// The line of the next heading that is no label, or the end of the document.
    pub(super) fn next_real_heading(&self, line: usize) -> usize {
        let behind = self.headings.partition_point(|heading| heading.line <= line);
        let next = self.headings[behind..].iter().find(|heading| heading.level < LABEL);
        next.map_or(self.lines.len(), |heading| heading.line)
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
                Kind::Text | Kind::Code | Kind::Row if !gap || line::indent(next.raw) > indent => {
                    end = at + 1
                }
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
        self.lines[row].table.filter(|start| self.is_table_head(*start))
    }

    /// Whether a line is the head of a table rather than one of its rows.
    pub(super) fn is_table_head(&self, line: usize) -> bool {
        self.lines.get(line + 1).is_some_and(|next| next.kind == Kind::Divider)
    }
}

/// The cells of a table row, trimmed.
pub(super) fn cells(raw: &str) -> Vec<&str> {
    line::cells(raw).unwrap_or_else(|| vec![raw.trim()])
}

pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// A text without emphasis marks.
pub(super) fn plain(text: &str) -> String {
    text.replace("**", "").replace("__", "").replace('`', "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Document<'_> {
        Document::parse(text, &Pace::calm()).unwrap()
    }

    fn kinds(text: &str) -> Vec<Kind> {
        parse(text).lines.iter().map(|line| line.kind).collect()
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
        let document = parse("# A\n## B\nx\n**Label:**\ny\n## C\nz\n\nD\n===\nw\n");
        assert_eq!(document.titles(2).collect::<Vec<_>>(), ["B", "A"]);
        assert_eq!(document.titles(4).collect::<Vec<_>>(), ["Label", "B", "A"]);
        assert_eq!(parse("# A\n## B\nx\n").titles(2).collect::<Vec<_>>(), ["B"]);
        assert_eq!(document.section(4), "B");
        assert_eq!(document.section(6), "C");
    }

    #[test]
    fn an_item_owns_what_is_indented_below_it() {
        let document = parse("- a\n  more\n  - b\n\n  para\n- c\ntext\n\nout\n");
        assert_eq!(document.block_of_item(0), 0..5);
        assert_eq!(document.block_of_item(5), 5..7);
    }
}
