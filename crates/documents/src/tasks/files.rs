//! Reads which files a task declares: `**Files:** `src/a.rs`, `tests/a.rs` (new)`, or a list of them below the label.
//!
//! A task without files overlaps every other task, so only what is surely a list of files and nothing else is one: a
//! field with a word that is neither a path, what is done to it, nor a remark on it declares nothing. Start at
//! [`declared`].

use super::field::{self, Wanted};
use crate::page::line;
use crate::sections::Outline;
use redraft_facts::prelude::*;

/// Labels of the field, in lower case.
const LABELS: [&str; 21] = [
    "file",
    "files",
    "file(s)",
    "file path",
    "file paths",
    "path",
    "paths",
    "files touched",
    "files changed",
    "files affected",
    "affected files",
    "files to change",
    "files to touch",
    "files to modify",
    "files to edit",
    "files to create",
    "files to create or modify",
    "files to create/modify",
    "touches",
    "dateien",
    "datei",
];

/// What is done to a file: said before it, or behind it.
const ACTIONS: [&str; 22] = [
    "create", "creates", "created", "new", "add", "adds", "modify", "modifies", "modified", "change",
    "changes", "edit", "edits", "update", "updates", "delete", "deletes", "remove", "removes", "test",
    "tests", "existing",
];

const JOINTS: [&str; 4] = ["and", "und", "plus", "also"];

/// Far more than a task of a reasonable size writes.
const FILES_MAX: usize = 200;

/// The files, folders and patterns that the lines from `start` up to `end` declare, each once, as they are written; none
/// where it is not sure that these are all.
pub(super) fn declared(outline: &Outline<'_>, start: usize, end: usize, head: Option<usize>) -> Vec<String> {
    let wanted = Wanted { counts: is_label, inside: is_action };
    let fields = field::fields(outline, start, end, head, wanted);
    let mut files: Vec<String> = Vec::new();
    for field in fields {
        let Some(found) = of_field(&field.text) else { return Vec::new() };
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    if files.len() > FILES_MAX { Vec::new() } else { files }
}

fn is_label(label: &str) -> bool {
    LABELS.contains(&label.trim().to_lowercase().as_str())
}

fn is_action(word: &str) -> bool {
    ACTIONS.contains(&word.trim().to_lowercase().as_str())
}

fn of_field(text: &str) -> Option<Vec<String>> {
    let mut files = Vec::new();
    let is_step = |line: &str| line::Item::parse(line).is_some_and(|item| item.checkbox);
    // Where the list is over, its steps may follow.
    let steps = text.lines().next().is_some_and(is_step);
    for line in text.lines().take_while(|line| steps || !is_step(line)) {
        // What stands behind a dash is about what stands before it; so is what follows the colon of a path.
        let line = line::after_list_mark(line.trim()).replacen("`: ", "` — ", 1);
        let dashes = [" — ", " – ", " -- ", " - "];
        let dash = dashes.iter().filter_map(|dash| line.split_once(dash)).min_by_key(|(list, _)| list.len());
        let (list, remark) = dash.unwrap_or((&line, ""));
        let (list, mut remarks) = without_brackets(list)?;
        remarks.push(remark.to_owned());
        for remark in &remarks {
            files.extend(of_remark(remark)?);
        }
        files.extend(of_list(&list)?);
    }
    (!files.is_empty()).then_some(files)
}

/// The paths in a remark: one too many does no harm. None where it goes on with the list in other words.
fn of_remark(remark: &str) -> Option<Vec<String>> {
    let mut words =
        remark.split([' ', '\t', ',', ';', '`', '(', ')']).filter(|word| !word.is_empty()).peekable();
    let goes_on = words.peek().is_some_and(|first| JOINTS.contains(&first.to_lowercase().as_str()));
    let spans = remark.split('`').skip(1).step_by(2).filter_map(path);
    (!goes_on).then(|| spans.chain(words.filter_map(path).filter(|path| looks_like_one(path))).collect())
}

/// A text without what is in round brackets outside of backquotes, and that; none where one is not closed.
fn without_brackets(text: &str) -> Option<(String, Vec<String>)> {
    let (mut out, mut remarks) = (String::new(), Vec::new());
    let (mut in_code, mut depth) = (false, 0_usize);
    for c in text.chars() {
        match c {
            '`' => in_code = !in_code,
            '(' if !in_code => {
                if depth == 0 {
                    remarks.push(String::new());
                }
                depth += 1;
                continue;
            }
            ')' if !in_code => {
                depth = depth.checked_sub(1)?;
                out.push(' ');
                continue;
            }
            _ => {}
        }
        match remarks.last_mut().filter(|_| depth > 0) {
            Some(remark) => remark.push(c),
            None => out.push(c),
        }
    }
    (depth == 0 && !in_code).then_some((out, remarks))
}

/// What a list names; none where anything in it is no path.
fn of_list(list: &str) -> Option<Vec<String>> {
    let mut files = Vec::new();
    for (nth, part) in list.split('`').enumerate() {
        if nth % 2 == 1 {
            files.push(path(part)?);
            continue;
        }
        for word in part.split([' ', '\t', ',', ';', '，', '、', '|', '·', '+', '&']) {
            let word = word.trim_matches(['*', '_', ':', '：']);
            let lower = word.to_lowercase();
            if word.is_empty() || ACTIONS.contains(&lower.as_str()) || JOINTS.contains(&lower.as_str()) {
                continue;
            }
            // Without backquotes a word may be anything, so it has to look like a path.
            files.push(path(word).filter(|path| looks_like_one(path))?);
        }
    }
    Some(files)
}

fn looks_like_one(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let ends = |(before, end): (&str, &str)| {
        !before.is_empty() && (1..=8).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let has_end = name.rsplit_once('.').is_some_and(ends);
    let digits = word.chars().all(|c| c.is_ascii_digit() || c == '.');
    // `and/or` is none.
    let is_folder = word.len() > 1 && word.ends_with(['/', '*']);
    !digits && (has_end || is_folder)
}

/// A path without the lines that follow it: `src/a.rs:12-30`, `src/a.rs#L3`.
fn path(text: &str) -> Option<String> {
    let text = text.trim();
    let is_lines = |lines: &str| {
        let lines = lines.trim_start_matches(['L', 'l']);
        !lines.is_empty() && lines.chars().all(|c| c.is_ascii_digit() || "-–,Ll".contains(c))
    };
    let text =
        text.rsplit_once([':', '#']).filter(|(_, lines)| is_lines(lines)).map_or(text, |(path, _)| path);
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>:=\"'|;…()".contains(c);
    let named = text.contains(|c: char| c.is_alphanumeric() || "*.".contains(c));
    (named && !text.contains(odd) && !text.contains("...")).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::first;
    use super::*;

    fn check(text: &str, wanted: &str) {
        let task = first(&format!("### Task 1.1: a\n\n{text}\n"));
        assert_eq!(task.files.join(" "), wanted, "{text}");
    }

    #[test]
    fn files_are_read_in_the_forms_that_lists_have() {
        for (text, wanted) in [
            ("**Files:** `src/a.rs`, `tests/a.rs` (new)\n**Depends on:** none", "src/a.rs tests/a.rs"),
            ("**Files:** `src/a.rs`,\n`src/b.rs`\n", "src/a.rs src/b.rs"),
            ("- **Files**: src/a.rs and docs/", "src/a.rs docs/"),
            ("- Files: `Makefile`; `src/**` (edit)", "Makefile src/**"),
            ("**Files:** x/y.z | **Acceptance:** it runs in `z.rs`", "x/y.z"),
            ("Files: README.md, CHANGELOG.md\n\nMore about `it`.", "README.md CHANGELOG.md"),
            (
                "**Files:**\n- Create: `src/a.py`\n- Modify: `src/b.py:12-30`\n- Test: `tests/a.py`\n\n- [ ] Write `c`",
                "src/a.py src/b.py tests/a.py",
            ),
            (
                "**Files to modify:**\n\n- src/a.ts - adds the limit\n- src/b.ts — as `src/c.ts` does",
                "src/a.ts src/c.ts src/b.ts",
            ),
            ("**Files:** `a.rs` (with `b.rs`), `a.rs`", "b.rs a.rs"),
            ("**Files:** src/a.rs - new, src/b.rs - edit", "src/b.rs src/a.rs"),
            ("**Files:**\n- `src/a.rs`: adds the limit", "src/a.rs"),
            ("**Files:** `src/a.rs#L3-L9`\n**Files changed:** `src/{a,b}.rs`", "src/a.rs src/{a,b}.rs"),
            ("#### Files\n\n- `src/a.rs`\n\n#### Steps\n\n- `src/b.rs`", "src/a.rs"),
        ] {
            check(text, wanted);
        }
        let row = "| ID | Task | Files |\n|---|---|---|\n| T1 | a | `src/a.rs`, `src/b.rs` |\n| T2 | b | |\n";
        let list = super::super::read(row).unwrap();
        assert_eq!(list.tasks[0].files, ["src/a.rs", "src/b.rs"]);
        assert!(list.tasks[1].files.is_empty());
    }

    #[test]
    fn what_is_not_surely_all_of_it_declares_nothing() {
        for text in [
            "",
            "**Files:** none",
            "**Files:** n/a",
            "**Files:** `src/a.rs` and its callers",
            "**Files:** `src/a.rs` — and its callers",
            "**Files:** `src/a.rs` (and what it calls)",
            "**Files:** `src/a.rs`, …",
            "**Files:** `src/a.rs` etc.",
            "**Files:** all of `src/`",
            "**Files:** src",
            "**Files:** `src/<name>.rs`",
            "**Files:** `Gateway::admit`",
            "**Files:** 3",
            "**Files:** 1.2",
            "**Files:** `src/a.rs` (new",
            "**Files:** `src/a.rs`\n**Files touched:** whatever is needed",
            "**Files read:** `src/a.rs`",
            "**Files not to touch:** `src/a.rs`",
            "**Reference files:** `src/a.rs`",
            "The file: `src/a.rs` is long.",
            "```\nFiles: src/a.rs\n```",
        ] {
            check(text, "");
        }
    }
}
