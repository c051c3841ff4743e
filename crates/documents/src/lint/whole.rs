//! Rules about a document as a whole: that it is there, readable, finished and merged.

use super::page::{Page, after_list_mark};
use super::{Faults, Rule};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

pub(super) fn check(page: &Page<'_>, faults: &mut Faults<'_>) {
    if page.lines.iter().all(|line| line.text.trim().is_empty()) {
        return faults.add(Rule::Empty, 0, "the file is empty".to_owned(), "write the document into it");
    }
    conflict_markers(page, faults);
    if let Some(line) = page.page.open_fence {
        faults.add(
            Rule::UnclosedFence,
            line,
            "the code fence opened here is never closed".to_owned(),
            "close it with a line of its own; a fence around another one needs more backticks than the inner one",
        );
    } else {
        cut_off(page, faults);
    }
    if page.headings.is_empty() {
        let hint = "give each part a heading such as `## Requirements`";
        faults.add(Rule::NoHeading, 0, "there is no heading".to_owned(), hint);
    }
}

/// One fault for each conflict, at its first marker that is left.
fn conflict_markers(page: &Page<'_>, faults: &mut Faults<'_>) {
    let mut open = false;
    for (at, line) in page.texts() {
        let begins = |marker: &str| {
            line.text.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let found = if begins("<<<<<<<") {
            open = true;
            true
        } else {
            begins(">>>>>>>") && !core::mem::replace(&mut open, false)
        };
        if found {
            let hint = "keep one side, or both as one text, and remove the marker lines";
            faults.add(Rule::ConflictMarker, at, "a merge conflict was left in the text".to_owned(), hint);
        }
    }
}

/// Only endings that no finished document has. A last sentence without a full stop is a matter of style.
fn cut_off(page: &Page<'_>, faults: &mut Faults<'_>) {
    let Some(at) = page.lines.iter().rposition(|line| !line.text.trim().is_empty()) else { return };
    let hint = "finish the document, or remove what was only begun";
    if let Some(line) = page.page.open_comment {
        let message = "the comment opened here is never closed, so the rest of the document is hidden";
        return faults.add(Rule::CutOff, line, message.to_owned(), "close it with `-->`");
    }
    if !page.lines[at].is_text() {
        return;
    }
    if let Some(heading) =
        page.headings.last().filter(|heading| heading.line == at || is_under(page, heading.line, at))
    {
        // A document of one heading is short, not cut off.
        if page.headings.len() > 1 {
            let title = one_line(heading.title, TITLE_CHARS_MAX);
            let message = format!("the document ends with the heading `{title}` and nothing below it");
            faults.add(Rule::CutOff, heading.line, message, hint);
        }
        return;
    }
    let before = at.checked_sub(1).map_or("", |before| page.lines[before].text);
    if let Some(what) = unfinished(page.lines[at].text.trim(), before.trim()) {
        faults.add(Rule::CutOff, at, format!("the document ends {what}"), hint);
    }
}

const TITLE_CHARS_MAX: usize = 60;

/// Whether a line is the underline of the heading above it.
fn is_under(page: &Page<'_>, heading: usize, at: usize) -> bool {
    let text = page.lines[at].text.trim();
    at == heading + 1 && (text.chars().all(|c| c == '=') || text.chars().all(|c| c == '-'))
}

/// How a last line shows that more was to follow.
fn unfinished(line: &str, before: &str) -> Option<&'static str> {
    if line.starts_with('|') {
        let is_row = before.starts_with('|') && before.ends_with('|');
        return (is_row && !line.ends_with('|')).then_some("in the middle of a table row");
    }
    if matches!(line, "-" | "*" | "+" | "- [ ]" | "* [ ]") || is_bare_number(line) {
        return Some("with an empty list item");
    }
    let bare = line.trim_end_matches(['*', '_', '~', ' ']);
    let text = after_list_mark(bare);
    if bare.ends_with("...") || bare.ends_with('…') {
        return Some("with an ellipsis");
    }
    if text.ends_with([',', '，', '、']) {
        return Some("with a comma");
    }
    // `:rocket:` is a picture.
    let is_picture =
        text.rsplit(char::is_whitespace).next().is_some_and(|word| word.len() > 1 && word.starts_with(':'));
    if text.ends_with([':', '：']) && !is_picture {
        return Some("with a colon and nothing after it");
    }
    bare.ends_with(['(', '（', '[', '「']).then_some("with an opening bracket")
}

fn is_bare_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && line.len() <= 4 && matches!(rest, "." | ")")
}
