//! A program as text: finds its functions, where they begin and end, and adds or replaces parts.
//!
//! Knows the forms of functions in the languages people write, line by line, and runs nothing. Start at
//! [`functions`].

use std::ops::Range;

/// A function and the lines it takes, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) lines: Range<usize>,
}

/// The functions of a text that begin in the first column, whatever the language.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = defined(line) else { continue };
        let ends = |line: &&str| matches!(line.trim_end(), "}" | ")" | "};");
        let end = lines.iter().skip(at).position(ends).map_or(lines.len(), |more| at + more + 1);
        // One that ends on the line it begins on.
        let end = if line.trim_end().ends_with('}') && line.contains('{') { at + 1 } else { end };
        found.push(Function { name, lines: at..end });
    }
    found
}

/// Whether a text has a function of this name.
pub(super) fn has(text: &str, name: &str) -> bool {
    functions(text).iter().any(|function| function.name == name)
}

/// The text with a block at its end, after an empty line.
pub(super) fn with(text: &str, block: &str) -> String {
    let joint = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{joint}{block}")
}

/// The text with other lines in the place of these.
pub(super) fn exchanged(text: &str, lines: Range<usize>, new: &str) -> String {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let end = lines.end.min(all.len());
    let start = lines.start.min(end);
    [all[..start].concat(), new.to_owned(), all[end..].concat()].concat()
}

/// The number of the first line that holds these words, from 1; 0 where none does.
pub(super) fn line_of(text: &str, words: &str) -> usize {
    text.lines().position(|line| line.contains(words)).map_or(0, |at| at + 1)
}

/// Whether a path is that of tests.
pub(super) fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let folder = lower.split('/').any(|part| matches!(part, "test" | "tests" | "spec" | "__tests__"));
    let name = lower.rsplit('/').next().unwrap_or_default();
    folder
        || name.starts_with("test_")
        || name.contains("_test.")
        || name.contains(".test.")
        || name.contains("tests.")
}

/// What a comment says; none for another line.
pub(super) fn comment(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let marks = ["//!", "///", "//", "#!", "#", "--", "/*", "*"];
    marks.into_iter().find_map(|mark| bare.strip_prefix(mark)).map(str::trim)
}

/// The function that a line begins: `name() {` of a shell, `fn`, `def`, `func`, `function`.
fn defined(line: &str) -> Option<String> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let name_of = |text: &str| {
        let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (!name.is_empty()).then_some(name)
    };
    let worded = [
        "pub fn ",
        "pub(crate) fn ",
        "fn ",
        "def ",
        "func ",
        "export function ",
        "async function ",
        "function ",
    ];
    if let Some(rest) = worded.into_iter().find_map(|word| line.strip_prefix(word)) {
        return name_of(rest);
    }
    let (name, rest) = line.split_once("()")?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    let opens = matches!(rest.trim(), "{" | "(" | "") || rest.trim_start().starts_with("{ ");
    (plain && opens).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_with_their_lines() {
        let text = "#!/bin/sh\na() {\n  b\n}\n\nc() (\n  d() {\n    e\n  }\n)\nc\nf() { true; }\n";
        let found: Vec<(String, Range<usize>)> =
            functions(text).into_iter().map(|function| (function.name, function.lines)).collect();
        assert_eq!(found, [("a".to_owned(), 1..4), ("c".to_owned(), 5..10), ("f".to_owned(), 11..12)]);
        assert!(has("pub fn one(x: u8) -> u8 {\n    x\n}\n", "one"));
        assert!(!has("# c() is called\n  c() {\n", "c"));
    }

    #[test]
    fn a_block_is_added_or_exchanged_and_the_rest_stays() {
        assert_eq!(with("a\n", "b\n"), "a\n\nb\n");
        assert_eq!(with("a", "b\n"), "a\n\nb\n");
        assert_eq!(with("", "b\n"), "b\n");
        assert_eq!(exchanged("a\nb\nc\n", 1..2, "x\ny\n"), "a\nx\ny\nc\n");
    }

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in ["tests/a/turns.sh", "src/x_test.go", "src/a.test.js", "pkg/test_a.py", "src/tests.rs"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/turns.sh", "src/contest.rs", "src/attested/a.rs"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
