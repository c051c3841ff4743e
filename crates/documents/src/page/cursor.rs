//! A place in a line and the columns before it, where a tab may be taken in parts.

use super::line::next_tab;

#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    /// Of the first character of `rest`.
    column: usize,
    /// Blank columns before `rest` that are left of a tab.
    owed: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a str) -> Cursor<'a> {
        Cursor { rest: line, column: 0, owed: 0 }
    }

    /// What follows, without blanks around it.
    pub(super) fn text(&self) -> &'a str {
        self.rest.trim_start_matches([' ', '\t']).trim_end()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text().is_empty()
    }

    /// The blank columns before the text.
    pub(super) fn indent(&self) -> usize {
        let mut column = self.column;
        for byte in self.rest.bytes() {
            match byte {
                b' ' => column += 1,
                b'\t' => column = next_tab(column),
                _ => break,
            }
        }
        self.owed + column - self.column
    }

    /// Moves on by this many blank columns, or as many as there are.
    pub(super) fn skip(&mut self, columns: usize) -> bool {
        let owed = self.owed.min(columns);
        self.owed -= owed;
        let mut left = columns - owed;
        while left > 0 && self.rest.starts_with([' ', '\t']) {
            let next = if self.rest.starts_with('\t') { next_tab(self.column) } else { self.column + 1 };
            let width = next - self.column;
            self.owed = width.saturating_sub(left);
            left = left.saturating_sub(width);
            (self.rest, self.column) = (&self.rest[1..], next);
        }
        left == 0
    }

    /// Moves past the mark of a quotation, if there is one.
    pub(super) fn quote(&mut self) -> bool {
        const INDENT_MAX: usize = 3;
        if self.indent() > INDENT_MAX || !self.text().starts_with('>') {
            return false;
        }
        self.behind(1, 1);
        self.skip(1);
        true
    }

    /// Moves past the mark of a list item; returns how many columns mark and blanks take.
    pub(super) fn item(&mut self, mark: &str) -> usize {
        // This many blanks begin code inside the item.
        const BLANKS_MAX: usize = 4;
        let width = mark.chars().count();
        self.behind(mark.len(), width);
        let blanks = self.indent();
        let own = if self.is_blank() || blanks > BLANKS_MAX { 1 } else { blanks };
        self.skip(own);
        width + own
    }

    /// Moves past the first bytes of the text.
    fn behind(&mut self, bytes: usize, columns: usize) {
        self.skip(usize::MAX);
        self.rest = &self.rest[bytes..];
        self.column += columns;
    }
}
