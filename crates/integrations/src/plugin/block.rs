//! Finds and replaces our part of somebody else's file: the lines between two edges, and the edges.
//!
//! What stands outside of them is never changed. A file whose edges do not pair is not touched at all.

use redraft_facts::prelude::*;

/// The lines that enclose what is ours.
#[derive(Debug, PartialEq, Eq)]
pub struct Edges {
    pub begin: &'static str,
    pub end: &'static str,
}

pub(super) static MARKDOWN: Edges = Edges {
    begin: "<!-- redraft:begin (written by `redraft plugin export`) -->",
    end: "<!-- redraft:end -->",
};
pub(super) static TOML: Edges =
    Edges { begin: "# redraft:begin (written by `redraft plugin export`)", end: "# redraft:end" };

/// Edges that do not pair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadBlock {
    pub line: usize,
    pub what: &'static str,
}

/// A file with one block in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) before: &'a str,
    /// With its edges.
    pub(super) block: &'a str,
    pub(super) after: &'a str,
}

/// A text between edges, as it is written.
pub(super) fn marked(text: &str, edges: &Edges) -> String {
    format!("{}\n{}\n{}\n", edges.begin, text.trim(), edges.end)
}

/// Where the block stands, if there is one.
pub(super) fn find<'a>(text: &'a str, edges: &Edges) -> Result<Option<Parts<'a>>, BadBlock> {
    let bad = |line: usize, what| Err(BadBlock { line, what });
    let (mut begin, mut found) = (None, None);
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        match line.trim() {
            trimmed if trimmed == edges.begin => {
                if begin.is_some() || found.is_some() {
                    return bad(number, "a second block of redraft begins here");
                }
                begin = Some((at, number));
            }
            trimmed if trimmed == edges.end => match begin.take() {
                Some((start, _)) => found = Some((start, at + line.len())),
                None => return bad(number, "a block of redraft ends here that never began"),
            },
            _ => {}
        }
        at += line.len();
    }
    if let Some((_, number)) = begin {
        return bad(number, "the block of redraft that begins here never ends");
    }
    Ok(found.map(|(start, end)| Parts {
        before: &text[..start],
        block: &text[start..end],
        after: &text[end..],
    }))
}

/// The same file with `block` in place of the one it has, or at its end.
pub(super) fn put(text: &str, block: &str, edges: &Edges) -> Result<String, BadBlock> {
    let block = as_ended(block, text);
    Ok(match find(text, edges)? {
        Some(parts) => format!("{}{block}{}", parts.before, parts.after),
        None if text.is_empty() => block,
        None => {
            let newline = newline_of(text);
            let gap = if text.ends_with('\n') { "" } else { newline };
            format!("{text}{gap}{newline}{block}")
        }
    })
}

/// The same file without its block, and without the empty line that came with it.
pub(super) fn take_out(parts: &Parts<'_>) -> String {
    let newline = newline_of(parts.before);
    let before = match parts.before.strip_suffix(newline) {
        Some(shorter) if shorter.is_empty() || shorter.ends_with('\n') => shorter,
        _ => parts.before,
    };
    format!("{before}{}", parts.after)
}

/// Whether two blocks say the same, however their lines end.
pub(super) fn same(one: &str, other: &str) -> bool {
    plain(one) == plain(other)
}

/// With the line ends that every machine counts alike.
pub(super) fn plain(block: &str) -> String {
    block.replace("\r\n", "\n").trim_end().to_owned()
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The block with the line ends of the file it goes into.
fn as_ended(block: &str, text: &str) -> String {
    match newline_of(text) {
        "\n" => block.to_owned(),
        newline => block.replace('\n', newline),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    static EDGES: Edges = Edges { begin: "<b>", end: "<e>" };

    #[test]
    fn what_stands_around_a_block_is_left_as_it_is() {
        let block = marked("ours\n", &EDGES);
        for (text, whole) in [
            ("", "<b>\nours\n<e>\n"),
            ("theirs\n", "theirs\n\n<b>\nours\n<e>\n"),
            ("theirs", "theirs\n\n<b>\nours\n<e>\n"),
            ("a\r\nb\r\n", "a\r\nb\r\n\r\n<b>\r\nours\r\n<e>\r\n"),
            ("a\n<b>\nold\nolder\n<e>\nz\n", "a\n<b>\nours\n<e>\nz\n"),
        ] {
            assert_eq!(put(text, &block, &EDGES).unwrap(), whole);
        }
    }

    #[test]
    fn edges_that_do_not_pair_are_told_with_their_line() {
        for (text, line) in
            [("x\n<b>\n", 2), ("<e>\n", 1), ("<b>\n<e>\n<b>\n<e>\n", 3), ("<b>\n<b>\n<e>\n", 2)]
        {
            assert_eq!(find(text, &EDGES).unwrap_err().line, line, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_block_that_was_put_is_found_and_taken_out_again(text in "([a-z<>]{0,4}\r?\n){0,6}") {
            prop_assume!(find(&text, &EDGES) == Ok(None));
            let block = marked("ours", &EDGES);
            let whole = put(&text, &block, &EDGES).unwrap();
            prop_assert_eq!(put(&whole, &block, &EDGES).unwrap(), whole.clone(), "twice is once");
            let parts = find(&whole, &EDGES).unwrap().unwrap();
            prop_assert!(same(parts.block, &block));
            prop_assert_eq!(take_out(&parts), text);
        }
    }
}
