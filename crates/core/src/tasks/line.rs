//! The marks of a single line of Markdown: lists, check boxes, table cells, emphasis.
//!
//! Knows nothing of the lines around it, nor of ids. Start at [`Item::of`].

use crate::prelude::*;

/// A line that begins an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    /// Columns before the mark; a tab counts as four.
    pub(crate) indent: usize,
    /// The number of `3.` or `3)`.
    pub(crate) number: Option<&'a str>,
    pub(crate) checkbox: bool,
    /// What follows the marks.
    pub(crate) text: &'a str,
}

impl<'a> Item<'a> {
    pub(crate) fn of(line: &'a str) -> Option<Item<'a>> {
        let text = line.trim_start();
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = Some(&text[..text.len() - rest.len()]).filter(|number| !number.is_empty());
        let after = match number {
            Some(_) => rest.strip_prefix(['.', ')']),
            None => text.strip_prefix(['-', '*', '+', '•']),
        }?;
        let item = after.strip_prefix([' ', '\t'])?.trim();
        let text = after_checkbox(item);
        Some(Item { indent: indent(line), number, checkbox: text.is_some(), text: text.unwrap_or(item) })
    }
}

/// What follows `[ ]` or `[x]`, if a text begins with one.
pub(crate) fn after_checkbox(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('[')?;
    if let Some(rest) = rest.strip_prefix(']') {
        return Some(rest.trim_start());
    }
    let mut chars = rest.chars();
    chars.next().filter(|mark| " xX~-✓✔✅".contains(*mark))?;
    chars.as_str().strip_prefix(']').map(str::trim_start)
}

/// Columns before the first character that is no blank; a tab counts as four.
pub(crate) fn indent(line: &str) -> usize {
    const TAB: usize = 4;
    let blanks = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
    blanks.map(|c| if c == '\t' { TAB } else { 1 }).sum()
}

/// The cells of a table's row; none for other lines. A bar behind a backslash or in a code span is text.
pub(crate) fn cells(line: &str) -> Option<Vec<&str>> {
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
pub(crate) fn is_rule_of_table(cells: &[&str]) -> bool {
    let dashes = |cell: &&str| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':' | ' '));
    !cells.is_empty() && cells.iter().all(|cell| cell.is_empty() || dashes(cell)) && cells.iter().any(dashes)
}

/// `---`, `***` or `___`, alone on a line.
pub(crate) fn is_rule(line: &str) -> bool {
    const LENGTH_MIN: usize = 3;
    let bare: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
    bare.len() >= LENGTH_MIN && ['-', '*', '_'].iter().any(|mark| bare.iter().all(|c| c == mark))
}

/// A text without the marks of emphasis; code is left as it is.
pub(crate) fn without_emphasis(text: &str) -> String {
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
        let item = Item::of("  - [x] **T1** do it\r\n").unwrap();
        assert_eq!((item.indent, item.checkbox, item.text), (2, true, "**T1** do it"));
        let item = Item::of("12) twelve").unwrap();
        assert_eq!((item.number, item.checkbox, item.text), (Some("12"), false, "twelve"));
        for text in ["-no blank", "12.5 percent", "**bold**", "", "text - dash"] {
            assert_eq!(Item::of(text), None, "{text}");
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
