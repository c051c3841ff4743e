//! Documents: nothing panics, lines and blocks agree, and where nothing is forgiven code between fences is that of
//! CommonMark.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use redraft_documents::page::{Page, line};

fuzz_target!(|text: &str| {
    for page in [Page::read(text), Page::read_past_open_fences(text), Page::read_as_commonmark(text)] {
        let whole: String = page.lines.iter().map(|line| line.whole).collect();
        assert_eq!(whole, text);
        let mut end = 0;
        for block in &page.blocks {
            assert!(block.lines.start >= end && block.lines.end <= page.lines.len());
            assert!(block.lines.clone().all(|at| page.is_code(at)));
            end = block.lines.end;
        }
        assert!(page.headings.iter().all(|heading| page.is_text(heading.line)));
    }
    assert_eq!(Page::read_past_open_fences(text).open_fence, None);
    if !is_decided(text) {
        assert_eq!(ours(text), theirs(text));
    }
});

/// Whether something stands in a text that is read in another way on purpose (docs/markdown.md), or that the parser reads
/// in a way of its own: tabs, and breaks that are no line feed.
fn is_decided(text: &str) -> bool {
    let deep_lists = text.contains("    ") && text.lines().any(|line| line.contains(['-', '+', '*', '.', ')']));
    let marks = text.lines().any(|line| line.matches(['>', '-', '+', '*', '.', ')']).count() > 20);
    let number = |line: &str| line::list_mark(line.trim()).is_some_and(|mark| mark.len() > 9);
    deep_lists
        || marks
        || text.contains(['\t', '\r', '<', '[', '•', '\0', '\u{feff}'])
        || text.chars().any(|c| c.is_whitespace() && !matches!(c, ' ' | '\n') || c.is_control() && c != '\n')
        || text.lines().any(number)
        || text.starts_with("---")
}

/// The lines of fenced blocks that are not blank.
fn ours(text: &str) -> Vec<usize> {
    let blocks = Page::read_as_commonmark(text).blocks;
    blocks.into_iter().flat_map(|block| block.lines).filter(|at| !is_blank(text, *at)).collect()
}

fn theirs(text: &str) -> Vec<usize> {
    let line_of = |byte: usize| text[..byte].matches('\n').count();
    let mut found = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event {
            let ended = usize::from(text[range.clone()].ends_with('\n'));
            found.extend(line_of(range.start)..=line_of(range.end - ended));
        }
    }
    found.retain(|at| !is_blank(text, *at));
    found
}

fn is_blank(text: &str, line: usize) -> bool {
    text.lines().nth(line).is_none_or(|line| line.trim_matches([' ', '>']).is_empty())
}
