//! Finds the headings of a document, and the settings before its first line.

use super::line::{self, at_the_margin, atx};
use super::{Heading, LinePlace};
use redraft_facts::prelude::*;

pub(super) fn headings<'a>(lines: &[&'a str], places: &[LinePlace]) -> Vec<Heading<'a>> {
    let mut found: Vec<Heading<'a>> = Vec::new();
    for (at, text) in lines.iter().enumerate() {
        if places[at] != LinePlace::Text {
            continue;
        }
        if let Some((level, title)) = atx(text) {
            found.push(Heading { line: at, level, title });
        } else if let Some(level) = underline(text)
            && let Some(title) = paragraph_of_one_line(lines, places, at)
        {
            found.push(Heading { line: at - 1, level, title });
        }
    }
    found
}

/// How many lines a block of settings between `---` at the very beginning takes. Its first line that is not a remark
/// must be a setting, else the `---` are rules.
pub(super) fn settings(lines: &[&str]) -> usize {
    let is_rule = |line: &&str| line.trim_end() == "---";
    if !lines.first().is_some_and(is_rule) {
        return 0;
    }
    let Some(end) = lines.iter().skip(1).position(is_rule) else { return 0 };
    let remark = |line: &&&str| !line.starts_with("# ") && **line != "#";
    let first = lines[1..=end].iter().find(remark).copied().unwrap_or_default();
    let is_setting = first.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '_'))
        && first.contains(':');
    if is_setting || end == 0 { end + 2 } else { 0 }
}

/// The level that a line of `=` or `-` gives to the title above it.
pub(super) fn underline(line: &str) -> Option<u8> {
    let text = at_the_margin(line)?;
    let all = |mark: char| !text.is_empty() && text.chars().all(|c| c == mark);
    if all('=') { Some(1) } else { all('-').then_some(2) }
}

/// The text above an underline, if it is a paragraph of one line: tables, lists and quotations end in such lines too.
fn paragraph_of_one_line<'a>(lines: &[&'a str], places: &[LinePlace], underline: usize) -> Option<&'a str> {
    let above = underline.checked_sub(1)?;
    let title = at_the_margin(lines[above])?;
    let alone = match above.checked_sub(1) {
        None => true,
        Some(before) => {
            places[before] != LinePlace::Text
                || lines[before].trim().is_empty()
                || atx(lines[before]).is_some()
        }
    };
    let other = title.is_empty()
        || places[above] != LinePlace::Text
        || title.starts_with(['|', '>', '-', '*', '+', '<', '#', '='])
        || title.contains(" | ")
        || line::Item::parse(title).is_some();
    (alone && !other).then_some(title)
}
