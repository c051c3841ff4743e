//! Changes to a text that leave every other byte as it was.
//!
//! Knows lines and their endings, nothing else. A new line takes the ending the text already uses.

use std::ops::Range;

/// Puts new lines behind a line, or at the top for none.
pub(super) fn insert_after(text: &str, line: Option<usize>, new: &[String]) -> String {
    let ending = ending(text);
    let mut out = String::with_capacity(text.len() + 200);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let keep = line.map_or(0, |line| line + 1).min(lines.len());
    out.push_str(&lines[..keep].concat());
    if keep > 0 && !out.ends_with('\n') {
        out.push_str(ending);
    }
    for line in new {
        out.push_str(line);
        out.push_str(ending);
    }
    out.push_str(&lines[keep..].concat());
    out
}

/// Replaces some bytes of one line.
pub(super) fn replace_in_line(text: &str, line: usize, at: Range<usize>, new: &str) -> String {
    let start = start_of(text, line);
    let mut out = text.to_owned();
    out.replace_range(start + at.start..start + at.end, new);
    out
}

/// Replaces a whole line, its ending kept.
pub(super) fn replace_line(text: &str, line: usize, new: &str) -> String {
    let length = text.lines().nth(line).map_or(0, str::len);
    replace_in_line(text, line, 0..length, new)
}

pub(super) fn remove_line(text: &str, line: usize) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    lines.filter(|(at, _)| *at != line).map(|(_, line)| line).collect()
}

fn start_of(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').take(line).map(str::len).sum()
}

fn ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_take_the_ending_of_the_text() {
        let new = ["x".to_owned()];
        assert_eq!(insert_after("a\r\nb\r\n", Some(0), &new), "a\r\nx\r\nb\r\n");
        assert_eq!(insert_after("a\nb", Some(1), &new), "a\nb\nx\n");
        assert_eq!(insert_after("a\n", None, &new), "x\na\n");
    }

    #[test]
    fn the_rest_of_a_line_and_of_the_text_is_kept() {
        assert_eq!(replace_in_line("a\r\nbcd\r\n", 1, 1..2, "XX"), "a\r\nbXXd\r\n");
        assert_eq!(replace_line("a\r\nb\r\n", 0, "c"), "c\r\nb\r\n");
        assert_eq!(remove_line("a\nb\nc", 1), "a\nc");
    }
}
