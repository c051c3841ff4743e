//! Tasks as forms, where every line is a heading: `# Task ID: 3`, then `# Title: …`, `# Status: …`.
//!
//! Knows how far such a form goes and what its title is. Start at [`find`].

use super::title;
use crate::sections::Section;
use redraft_facts::prelude::*;

/// The title and the end of the form that begins with the first of some headings; none if that does not begin a form.
pub(super) fn find(headings: &[&Section<'_>]) -> Option<(String, usize)> {
    let (first, rest) = headings.split_first()?;
    let (label, name) = rest.first().filter(|next| next.level == first.level)?.title.split_once(':')?;
    if !label.trim().eq_ignore_ascii_case("title") {
        return None;
    }
    let entries = rest.iter().take_while(|next| next.level > first.level || is_entry(next.title));
    let end = entries.last().map_or(first.lines.end, |last| last.lines.end);
    Some((title::trimmed(name), end))
}

/// `Status: done`, `Test Strategy:`.
fn is_entry(title: &str) -> bool {
    const WORDS_MAX: usize = 3;
    title.split_once(':').is_some_and(|(label, _)| {
        let counted = label.contains(|c: char| c.is_ascii_digit());
        let next = label.trim().to_lowercase().ends_with(" id");
        !counted && !next && label.split_whitespace().count() <= WORDS_MAX
    })
}
