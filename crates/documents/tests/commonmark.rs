//! Compares the reader of documents with a parser of CommonMark: every difference is a decision, and all of those are
//! here.

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use redraft_documents::page::Page;

/// What the parser makes of a document, line by line.
#[derive(Debug, PartialEq, Eq)]
struct Lines {
    /// Lines of code with their fences; blank ones are left out, because indented code may end in them or not.
    code: Vec<usize>,
    /// Lines that begin a heading outside of lists and quotations.
    headings: Vec<(usize, u8)>,
}

fn theirs(text: &str) -> Lines {
    let mut lines = Lines { code: Vec::new(), headings: Vec::new() };
    let line_of = |byte: usize| text[..byte].matches('\n').count();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter()
    {
        match event {
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => depth += 1,
            Event::End(pulldown_cmark::TagEnd::List(_) | pulldown_cmark::TagEnd::BlockQuote(_)) => depth -= 1,
            Event::Start(Tag::CodeBlock(kind)) => {
                let mut end = range.end;
                while matches!(kind, CodeBlockKind::Indented)
                    && text[..end].ends_with(['\n', ' ', '\t', '\r'])
                {
                    end -= 1;
                }
                let last = if text[range.start..end].ends_with('\n') { end - 1 } else { end };
                lines.code.extend(line_of(range.start)..=line_of(last));
            }
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                lines.headings.push((line_of(range.start), level as u8));
            }
            _ => {}
        }
    }
    lines.code.retain(|at| !is_blank(text, *at));
    lines
}

fn ours(text: &str) -> Lines {
    let page = Page::read(text);
    Lines {
        code: (0..page.lines.len()).filter(|at| page.is_code(*at) && !is_blank(text, *at)).collect(),
        headings: page.headings.iter().map(|heading| (heading.line, heading.level)).collect(),
    }
}

/// Nothing but blanks and marks of quotations.
fn is_blank(text: &str, line: usize) -> bool {
    text.lines().nth(line).is_none_or(|line| line.trim_matches([' ', '\t', '>', '\r']).is_empty())
}

/// Why a document is read in another way, with the smallest one for which it is. `docs/markdown.md` lists the same.
const DECISIONS: &[(&str, &str)] = &[
    ("a labelled fence inside a block of the same length is nested", "```md\n```sh\na\n```\nb\n```\n# C\n"),
    ("fences stand at any indentation", "a\n    ```\n    # b\n    ```\n"),
    ("code of a list item may stand at the margin", "- ```sh\n# a\n```\n"),
    ("indented lines in a list item are text", "- a\n\n      b\n"),
    ("indented lines below a list item are its text", "-     a\n\n    b\n"),
    ("every number begins an item", "a\n2. ```sh\n   b\n   ```\n"),
    ("`•` begins an item", "• ```sh\n  a\n  ```\n"),
    ("a comment that is never closed hides nothing", "<!-- a\n# B\n"),
    ("only comments are HTML", "<div>\n# A\n</div>\n"),
    ("a heading below a list item is one of the document", "- a\n\n  # B\n"),
    ("only a paragraph of one line is underlined", "a\nb\n---\n"),
    ("a line that begins with a mark is not underlined", "**a**\n---\n"),
    ("settings need a setting", "---\n- a\n# B\n---\n"),
    ("what refers to nothing is text", "[a]: b\n===\n"),
    ("lists are followed to a depth of 32", DEEP),
];

const DEEP: &str = "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - ```\n";

#[test]
fn every_decision_is_a_difference_and_is_documented() {
    let page = include_str!("../../../docs/markdown.md");
    for (reason, text) in DECISIONS {
        assert_ne!(ours(text), theirs(text), "{reason} is no difference: {text:?}");
        assert!(page.contains(reason), "docs/markdown.md does not list: {reason}");
    }
}

/// A document as people should write it: blocks one after another, each closed, with blank lines between them.
fn document() -> impl Strategy<Value = String> {
    let code =
        prop::sample::select(vec!["x = 1", "# comment", "- item", "", "> y", "    deep", "<!--", "---"]);
    let body = proptest::collection::vec(code, 0..4);
    let fence = prop::sample::select(vec!["```", "~~~", "`````", "~~~~"]);
    let label = prop::sample::select(vec!["", "sh", " json a"]);
    let leader =
        prop::sample::select(vec!["", "- ", "1. ", "12) ", "* ", "> ", "- - ", "> - ", "1. > ", "-\t"]);
    let block = (leader, fence, label, body).prop_map(|(leader, fence, label, body)| {
        let rest: String = leader.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect();
        let lines = [format!("{fence}{label}")].into_iter().chain(body.iter().map(ToString::to_string));
        let lines: Vec<String> = lines.chain([fence.to_owned()]).collect();
        format!("{leader}{}\n", lines.join(&format!("\n{rest}")))
    });
    let text = prop::sample::select(vec![
        "# Title\n",
        "## Sub ##\n",
        "some text\nover two lines\n",
        "Under\n=====\n",
        "- a\n- b\n  - c\n\n  d\n",
        "1. a\n\n   b\n",
        "> quoted\ngoes on\n",
        "<!-- a\n# b\n-->\n",
        "    indented\n\n    code\n",
        "| a | b |\n|---|---|\n",
        "***\n",
        "text `code`\n",
    ]);
    let part = prop_oneof![block, text.prop_map(ToOwned::to_owned)];
    // A line of text between two parts ends lists, so that indented code is not part of one.
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.join("\nbetween\n\n"))
}

/// Any lines that lists, quotations and fences are made of, in any order.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "# a",
        "text",
        "",
        "- a",
        "  b",
        "1. ```sh",
        "   ```",
        "```",
        "```md",
        "~~~",
        "> ```",
        "> a",
        ">",
        "    c",
        "\tc",
        "- - ```",
        "***",
        "```` x",
        "     - d",
        "* ",
        "10) e",
        "      ```",
        "2. f",
        "  ~~~",
        "> - ```",
        "-",
        "+\t```",
        "> > x",
        "   # h",
        "=",
        "``` a`b",
    ]);
    proptest::collection::vec(line, 1..9).prop_map(|lines| lines.join("\n") + "\n")
}

/// The lines of fenced blocks alone.
fn fenced(text: &str) -> Vec<usize> {
    let blocks = Page::read_as_commonmark(text).blocks;
    blocks.into_iter().flat_map(|block| block.lines).filter(|at| !is_blank(text, *at)).collect()
}

fn fenced_by_them(text: &str) -> Vec<usize> {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn where_nothing_is_forgiven_fences_are_those_of_commonmark(text in lines()) {
        prop_assert_eq!(fenced(&text), fenced_by_them(&text), "{:?}", text);
    }

    #[test]
    fn what_is_written_as_it_should_be_is_read_as_commonmark_does(text in document()) {
        prop_assert_eq!(ours(&text), theirs(&text), "{}", text);
    }
}
