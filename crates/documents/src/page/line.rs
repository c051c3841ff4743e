//! The marks of a single line: lists, check boxes, table cells, emphasis.
//!
//! Knows nothing about the lines around it, nor about ids. Start at [`Item::parse`].

use redraft_facts::prelude::*;

/// A line that begins an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// Columns before the mark.
    pub indent: usize,
    /// The number of `3.` or `3)`.
    pub number: Option<&'a str>,
    pub checkbox: bool,
    /// What follows the marks.
    pub text: &'a str,
}

impl<'a> Item<'a> {
    pub fn parse(line: &'a str) -> Option<Item<'a>> {
        let text = line.trim_start();
        let mark = list_mark(text)?;
        let number = mark.strip_suffix(['.', ')']);
        let item = text[mark.len()..].strip_prefix([' ', '\t'])?.trim();
        let text = after_checkbox(item);
        Some(Item { indent: indent(line), number, checkbox: text.is_some(), text: text.unwrap_or(item) })
    }
}

/// `## Title ##`, with at most three blanks before it.
pub fn atx(line: &str) -> Option<(u8, &str)> {
    /// What CommonMark knows: `#` to `######`.
    const LEVEL_MAX: usize = 6;
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

/// The line without its blanks, unless it is indented so far that it is code or belongs to a list.
pub(super) fn at_the_margin(line: &str) -> Option<&str> {
    const INDENT_MAX: usize = 3;
    (indent(line) <= INDENT_MAX).then(|| line.trim())
}

/// The mark of a list item that a text begins with: `-`, `*`, `+`, `•`, `12.` or `12)`, then a blank or nothing.
pub fn list_mark(text: &str) -> Option<&str> {
    const DIGITS_MAX: usize = 9;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let signs: &[char] = if digits > 0 { &['.', ')'] } else { &['-', '*', '+', '•'] };
    let rest = text[digits..].strip_prefix(signs).filter(|_| digits <= DIGITS_MAX)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| &text[..text.len() - rest.len()])
}

/// What follows the mark of a list item; the text itself where it begins with none.
pub fn after_list_mark(text: &str) -> &str {
    let rest = list_mark(text).map(|mark| &text[mark.len()..]);
    rest.filter(|rest| !rest.is_empty()).map_or(text, str::trim_start)
}

/// What follows `[ ]` or `[x]`, if a text begins with one.
pub fn after_checkbox(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('[')?;
    if let Some(rest) = rest.strip_prefix(']') {
        return Some(rest.trim_start());
    }
    let mut chars = rest.chars();
    chars.next().filter(|mark| " xX~-✓✔✅".contains(*mark))?;
    chars.as_str().strip_prefix(']').map(str::trim_start)
}

/// Columns before the first character that is no blank; a tab goes to the next multiple of four.
pub fn indent(line: &str) -> usize {
    let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.fold(0, |column, byte| if byte == b'\t' { next_tab(column) } else { column + 1 })
}

/// The column to which a tab in this column leads.
pub(super) fn next_tab(column: usize) -> usize {
    const TAB: usize = 4;
    column - column % TAB + TAB
}

/// The cells of a table's row; none for other lines. A bar after a backslash or in a code span is text.
pub fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.trim().strip_prefix('|')?;
    let mut cells = Vec::new();
    let last_tick = row.rfind('`').unwrap_or(0);
    let (mut start, mut code, mut escaped) = (0, false, false);
    for (at, c) in row.char_indices() {
        match c {
            '`' if !escaped => code = !code,
            '|' if !(escaped || code && at < last_tick) => {
                cells.push(row[start..at].trim());
                start = at + 1;
                code = false;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    let last = row[start..].trim();
    if !last.is_empty() {
        cells.push(last);
    }
    Some(cells)
}

/// Whether a row of cells is the line under a table's head.
pub fn is_rule_of_table(cells: &[&str]) -> bool {
    let dashes = |cell: &&str| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':' | ' '));
    !cells.is_empty() && cells.iter().all(|cell| cell.is_empty() || dashes(cell)) && cells.iter().any(dashes)
}

/// `---`, `***` or `___`, alone on a line.
pub fn is_rule(line: &str) -> bool {
    const LENGTH_MIN: usize = 3;
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let Some(mark) = marks.next().filter(|mark| matches!(mark, '-' | '*' | '_')) else { return false };
    let all = marks.try_fold(1, |count, other| (other == mark).then_some(count + 1));
    all.is_some_and(|count| count >= LENGTH_MIN)
}

/// A text without the marks of emphasis; code is left as it is.
pub fn without_emphasis(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        // Every other part is code.
        match at % 2 {
            0 => out.push_str(&part.replace("**", "").replace("__", "").replace("~~", "")),
            _ => out.push_str(part),
        }
    }
    let trimmed = out.trim();
    // A single mark around the whole.
    for mark in ['*', '_'] {
        if let Some(inner) = trimmed.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark))
            && !inner.contains(mark)
        {
            return inner.trim().to_owned();
        }
    }
    trimmed.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_told_from_text() {
        let item = Item::parse("  - [x] **T1** do it\r\n").unwrap();
        assert_eq!((item.indent, item.checkbox, item.text), (2, true, "**T1** do it"));
        let item = Item::parse("12) twelve").unwrap();
        assert_eq!((item.number, item.checkbox, item.text), (Some("12"), false, "twelve"));
        for text in ["-no blank", "12.5 percent", "**bold**", "", "text - dash"] {
            assert_eq!(Item::parse(text), None, "{text}");
        }
    }

    #[test]
    fn cells_may_hold_bars_as_code() {
        assert_eq!(cells("| T1 | `a | b` | x \\| y |").unwrap(), ["T1", "`a | b`", "x \\| y"]);
        assert_eq!(cells("| T1 | lone ` tick | x").unwrap(), ["T1", "lone ` tick", "x"]);
        assert_eq!(cells("no table | here"), None);
        assert!(is_rule_of_table(&cells("|:--|---|").unwrap()));
        assert!(!is_rule_of_table(&cells("| T1 | - |").unwrap()));
    }

    #[test]
    fn emphasis_goes_and_code_stays() {
        assert_eq!(without_emphasis("**Add `__init__`**"), "Add `__init__`");
        assert_eq!(without_emphasis("*all of it*"), "all of it");
        assert_eq!(without_emphasis("a * b"), "a * b");
    }
}
