//! The prose of one line: what is left when code, links, file names and identifiers are blanked out.
//!
//! Knows a line of Markdown and nothing around it.

use redraft_core::page::span::spans;
use std::ops::Range;

/// Blanks what is not prose. The result has the same length in bytes.
pub(super) fn mask(raw: &str) -> String {
    let mut bytes = raw.as_bytes().to_vec();
    for range in spans(raw).into_iter().map(|span| span.whole).chain(targets(raw)) {
        bytes[range].fill(b' ');
    }
    let partly = String::from_utf8(bytes).unwrap_or_else(|_| " ".repeat(raw.len()));
    let mut bytes = partly.as_bytes().to_vec();
    let mut start = 0;
    for word in partly.split_inclusive(char::is_whitespace) {
        if is_name(word.trim()) {
            bytes[start..start + word.len()].fill(b' ');
        }
        start += word.len();
    }
    String::from_utf8(bytes).unwrap_or(partly)
}

/// Where links point to, and tags.
fn targets(raw: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (open, close) in [("](", ')'), ("<", '>')] {
        // The end that was found for one opening is the end for all before it, so nothing is searched twice.
        let mut end = 0;
        for (at, _) in raw.match_indices(open) {
            let inside = at + open.len();
            if end < inside {
                let Some(length) = raw[inside..].find(close) else { break };
                end = inside + length;
            }
            let tag = open != "<" || raw[inside..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
            if tag {
                found.push(inside - 1..end + 1);
            }
        }
    }
    found
}

/// Whether a word is an address, a file name or an identifier.
fn is_name(word: &str) -> bool {
    let word =
        word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '.' | '~' | '_' | '@')));
    let word = word.trim_end_matches('.');
    if ["e.g", "i.e", "a.m", "p.m"].contains(&word) {
        return false;
    }
    let dotted = word.split_once('.').is_some_and(|(name, suffix)| {
        let letters = suffix.chars().all(|c| c.is_ascii_alphabetic() || c == '.' || c == '/');
        name.chars().any(char::is_alphabetic) && letters && !suffix.is_empty()
    });
    word.contains("://")
        || word.contains('@')
        || word.contains('_')
        || word.starts_with(['/', '~'])
        || word.starts_with("./")
        || word.matches('/').count() > 1
        || dotted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_links_and_names_are_no_prose() {
        let raw =
            "See `log-in` at https://x.org/log-in, [log in](a/log-in.md), src/login.rs and my_login; log on.";
        let line = mask(raw);
        assert_eq!(line.len(), raw.len());
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words.join(" "), "See at [log in] , and log on.");
    }
}
