//! One changed file, as far as defects can be planted in it: which lines are new, which are code, which are tests.

use core::ops::Range;
use redraft_documents::delta::{Comparison, Delta, LineKind};
use redraft_facts::prelude::*;

/// The languages whose lines are understood well enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Python,
    /// JavaScript and TypeScript.
    Script,
    Go,
    Shell,
}

impl Language {
    fn detect(path: &str, text: &str) -> Option<Language> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let end = name.rsplit_once('.').map(|(_, end)| end);
        match end {
            Some("rs") => Some(Language::Rust),
            Some("py") => Some(Language::Python),
            Some("js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx") => Some(Language::Script),
            Some("go") => Some(Language::Go),
            Some("sh" | "bash") => Some(Language::Shell),
            Some(_) => None,
            None => {
                let first = text.lines().next().unwrap_or_default();
                let shell = first.starts_with("#!") && (first.ends_with("sh") || first.contains("bash"));
                shell.then_some(Language::Shell)
            }
        }
    }

    fn comment(self) -> &'static str {
        match self {
            Language::Rust | Language::Script | Language::Go => "//",
            Language::Python | Language::Shell => "#",
        }
    }
}

pub(super) struct Source<'a> {
    pub(super) language: Language,
    /// Without their ends.
    pub(super) lines: Vec<&'a str>,
    /// Each line with the contents of literals and comments blanked; the same bytes long. Empty where all of it is text.
    bare: Vec<String>,
    added: Vec<bool>,
    tests_from: usize,
}

impl<'a> Source<'a> {
    /// None where the file's language is not known, or its lines do not end as an edit would end them.
    pub(super) fn read(path: &str, before: &str, after: &'a str) -> Option<Source<'a>> {
        if after.contains('\r') {
            return None;
        }
        let language = Language::detect(path, after)?;
        let lines: Vec<&str> = after.lines().collect();
        let mut added = vec![false; lines.len()];
        for line in added_lines(before, after) {
            if let Some(added) = added.get_mut(line) {
                *added = true;
            }
        }
        let is_test = |part: &str| {
            ["test", "tests", "__tests__"].contains(&part)
                || ["test_", "test-"].iter().any(|begin| part.starts_with(begin))
                || ["_test.", ".test.", "-test.", ".spec.", "_spec.", "tests.rs"]
                    .iter()
                    .any(|end| part.contains(end))
        };
        let inner = lines.iter().position(|line| line.trim() == "#[cfg(test)]");
        let tests_from = if path.split('/').any(is_test) { 0 } else { inner.unwrap_or(usize::MAX) };
        let bare = bare(language, &lines);
        Some(Source { language, lines, bare, added, tests_from })
    }

    /// A line without literals and comments.
    pub(super) fn bare(&self, at: usize) -> &str {
        self.bare.get(at).map(String::as_str).unwrap_or_default()
    }

    pub(super) fn trimmed(&self, at: usize) -> &str {
        self.bare(at).trim()
    }

    pub(super) fn indent(&self, at: usize) -> &'a str {
        let line = self.lines.get(at).copied().unwrap_or_default();
        &line[..line.len() - line.trim_start().len()]
    }

    pub(super) fn is_new(&self, lines: Range<usize>) -> bool {
        !lines.is_empty() && self.added.get(lines).is_some_and(|lines| lines.iter().all(|added| *added))
    }

    pub(super) fn is_test(&self, at: usize) -> bool {
        at >= self.tests_from
    }

    /// Lines of new code that is not a test.
    pub(super) fn new_code(&self) -> impl Iterator<Item = usize> {
        self.new_lines().filter(|at| !self.is_test(*at))
    }

    pub(super) fn new_lines(&self) -> impl Iterator<Item = usize> {
        (0..self.lines.len()).filter(|at| self.added[*at] && !self.trimmed(*at).is_empty())
    }

    /// The names in some lines, the longest first.
    pub(super) fn names(&self, lines: Range<usize>) -> Vec<String> {
        let mut names: Vec<String> = lines.flat_map(|at| names(self.bare(at))).collect();
        names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        names.dedup();
        names.truncate(8);
        names
    }

    /// The lines of the block that a line opens, without that line and without the line that closes it.
    pub(super) fn block(&self, opening: usize) -> Option<Range<usize>> {
        let indent = self.indent(opening).len();
        let is_inside = |at: usize| self.lines[at].trim().is_empty() || self.indent(at).len() > indent;
        let mut end = opening + 1;
        while end < self.lines.len() && is_inside(end) {
            end += 1;
        }
        // Empty lines at its end are not part of it.
        while end > opening + 1 && self.lines[end - 1].trim().is_empty() {
            end -= 1;
        }
        (end > opening + 1).then_some(opening + 1..end)
    }
}

/// Names in code: long enough to tell something, and no word of the languages.
fn names(bare: &str) -> Vec<String> {
    const WORDS: [&str; 44] = [
        "and", "assert", "async", "await", "bool", "break", "case", "catch", "class", "const", "continue",
        "def", "defer", "elif", "else", "except", "exit", "false", "finally", "fn", "for", "func",
        "function", "impl", "import", "let", "match", "mut", "nil", "none", "not", "null", "pub", "raise",
        "return", "self", "some", "static", "struct", "then", "this", "throw", "true", "while",
    ];
    let words = bare.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let telling = words.filter(|word| word.len() > 2 && word.contains(|c: char| c.is_alphabetic()));
    telling.filter(|word| !WORDS.contains(&word.to_lowercase().as_str())).map(str::to_owned).collect()
}

/// Lines of the new text that the old one does not have, counted from 0.
fn added_lines(before: &str, after: &str) -> Vec<usize> {
    let diff = Comparison::new(before, after).unified("x");
    let mut added = Vec::new();
    for hunk in Delta::parse(&diff).files.iter().flat_map(|file| &file.hunks) {
        let mut at = (hunk.new_start as usize).saturating_sub(1);
        for line in &hunk.lines {
            match line.kind {
                LineKind::Added => {
                    added.push(at);
                    at += 1;
                }
                LineKind::Context => at += 1,
                LineKind::Removed => {}
            }
        }
    }
    added
}

/// What each line is without literals and comments.
fn bare(language: Language, lines: &[&str]) -> Vec<String> {
    let mut inside: Option<&str> = None;
    let mut out = Vec::new();
    for line in lines {
        if let Some(end) = inside {
            // A literal or a comment over several lines: none of these lines is code.
            if line.contains(end) {
                inside = None;
            }
            out.push(String::new());
            continue;
        }
        out.push(bare_line(language, line));
        inside = opened(language, line);
    }
    out
}

/// What ends the literal or comment that a line leaves open.
fn opened(language: Language, line: &str) -> Option<&'static str> {
    let odd = |mark: &str| !line.matches(mark).count().is_multiple_of(2);
    let open =
        |begin: &str, end: &str| line.rfind(begin).is_some_and(|at| !line[at + begin.len()..].contains(end));
    match language {
        Language::Python if odd("\"\"\"") => Some("\"\"\""),
        Language::Python if odd("'''") => Some("'''"),
        Language::Script | Language::Go if odd("`") => Some("`"),
        Language::Rust if open("r#\"", "\"#") => Some("\"#"),
        Language::Rust | Language::Script | Language::Go if open("/*", "*/") => Some("*/"),
        _ => None,
    }
}

fn bare_line(language: Language, line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        let blank = |out: &mut String| (0..c.len_utf8()).for_each(|_| out.push(' '));
        match quote {
            Some(mark) => {
                let ends = c == mark && !escaped;
                escaped = c == '\\' && !escaped;
                if ends {
                    quote = None;
                    out.push(c);
                } else {
                    blank(&mut out);
                }
            }
            None if line[at..].starts_with(language.comment())
                && (language != Language::Shell || at == 0 || line[..at].ends_with(' ')) =>
            {
                (at..line.len()).for_each(|_| out.push(' '));
                break;
            }
            // In Rust it also marks lifetimes.
            None if c == '"'
                || (c == '\'' && language != Language::Rust)
                || (c == '`' && language != Language::Shell) =>
            {
                quote = Some(c);
                out.push(c);
            }
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_no_code_and_keep_their_length() {
        let line = "if a < b { say(\"x < y\") } // a < b";
        let bare = bare_line(Language::Rust, line);
        assert_eq!((bare.len(), bare.matches('<').count()), (line.len(), 1));
        let text = "def f():\n    \"\"\"Says\n    if x < 1:\n    \"\"\"\n    if y < 2:\n        pass\n";
        let source = Source::read("a.py", "", text).unwrap_or_else(|| panic!("python"));
        assert_eq!((source.trimmed(2), source.trimmed(4)), ("", "if y < 2:"));
        assert_eq!(source.block(4), Some(5..6));
    }

    #[test]
    fn only_what_the_change_adds_is_new_and_tests_are_known() {
        let before = "fn a() {}\n";
        let after = "fn a() {}\nfn b() {}\n\n#[cfg(test)]\nmod tests {}\n";
        let source = Source::read("src/a.rs", before, after).unwrap_or_else(|| panic!("rust"));
        assert_eq!(source.new_code().collect::<Vec<_>>(), [1]);
        assert!(source.is_test(4) && !source.is_new(0..2) && source.is_new(1..2));
        assert!(Source::read("tests/a_test.go", "", "x").is_some_and(|source| source.is_test(0)));
        assert!(Source::read("a.txt", "", "x").is_none());
        assert!(Source::read("bin/tool", "", "#!/bin/sh\n").is_some());
    }
}
