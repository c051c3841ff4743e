//! The mark `⚠️ STALE` that other tools write into entries: found, and taken out again.

use core::ops::Range;
use redraft_facts::prelude::*;

/// Where the mark stands in a line, with brackets, stars and a remark in brackets that belong to it.
pub(super) fn stale_mark(line: &str) -> Option<Range<usize>> {
    let (sign, _) = line.char_indices().find(|(_, c)| *c == '\u{26a0}')?;
    let after_sign = &line[sign..].trim_start_matches(['\u{26a0}', '\u{fe0f}', ' ', '*', '_']);
    let word = after_sign.get(..5).filter(|word| word.eq_ignore_ascii_case("stale"))?;
    let rest = &after_sign[word.len()..];
    if rest.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let start = line[..sign].trim_end_matches(['*', '_', '[', '(']).len();
    let mut end = line.len() - rest.trim_start_matches(['*', '_', ']', ')', ':']).len();
    let remark = line[end..].trim_start();
    if remark.starts_with('(')
        && let Some(close) = remark.find(')')
    {
        end = line.len() - remark.len() + close + 1;
    }
    Some(start..end)
}

/// The line without the mark; none if nothing else stands in it.
pub(super) fn without_mark(line: &str, mark: Range<usize>) -> Option<String> {
    let (before, after) = (&line[..mark.start], &line[mark.end..]);
    let bare = before.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+' | '>'));
    if bare.is_empty() {
        return None;
    }
    if after.trim().is_empty() {
        return Some(format!(
            "{}{}",
            before.trim_end(),
            &after[after.trim_end_matches(['\n', '\r']).len()..]
        ));
    }
    Some(format!("{before}{}", after.trim_start()))
}

/// A text without the mark, for names and values.
pub(super) fn cleaned(text: &str) -> String {
    match stale_mark(text) {
        Some(mark) => format!("{}{}", &text[..mark.start], &text[mark.end..]).trim().to_owned(),
        None => text.to_owned(),
    }
}
