use super::*;
use crate::lint::{self, Documents, LintSettings, Rule};
use crate::sections::Outline;
use crate::{bank, tasks};
use proptest::prelude::*;

/// Every task here says what its line must be: `Task 1N` is text, `Task 2N` code, `Task 3N` a comment. All readers must
/// agree, because all of them ask this one.
const CASES: &[(&str, &str)] = &[
    ("a fence", "```sh\n### Task 21: TBD\n```\n### Task 11: TBD\n"),
    ("a fence on a numbered item", "1. ```sh\n   ### Task 21: TBD\n   ```\n### Task 11: TBD\n"),
    ("a fence on an item with a bracket", "2) ```sh\n   ### Task 21: TBD\n   ```\n### Task 11: TBD\n"),
    ("a fence on an item with a star", "* ~~~sh\n  ### Task 21: TBD\n  ~~~\n\n### Task 11: TBD\n"),
    ("a fence on an item with a plus", "+ ```\n  ### Task 21: TBD\n  ```\n\n### Task 11: TBD\n"),
    ("a fence behind a tab", "-\t```sh\n### Task 21: TBD\n\t```\n### Task 11: TBD\n"),
    (
        "a fence on the second item",
        "1. one\n2. ```sh\n   ### Task 21: TBD\n   ```\n3. three\n\n### Task 11: TBD\n",
    ),
    ("a fence on an inner item", "- a\n  1. ```sh\n### Task 21: TBD\n     ```\n\n### Task 11: TBD\n"),
    ("a fence on an item of an item", "- 1. ```sh\n### Task 21: TBD\n     ```\n\n### Task 11: TBD\n"),
    ("a fence below an item", "- a\n\n  ```sh\n  ### Task 21: TBD\n  ```\n### Task 11: TBD\n"),
    ("code of an item at the margin", "- ```sh\n### Task 21: TBD\n```\n### Task 11: TBD\n"),
    ("an item that names a fence", "- ``` is a fence\n- so it is\n\n### Task 11: TBD\n"),
    ("a fence in a quotation", "> ```sh\n> code\n> ```\n### Task 11: TBD\n"),
    ("a quotation ends its fence", "> ```sh\n> code\n\n### Task 11: TBD\n"),
    ("a fence on an item in a quotation", "> - ```sh\n>   code\n>   ```\n\n### Task 11: TBD\n"),
    ("a quoted fence closes no other", "```\n> ```\n### Task 21: TBD\n```\n### Task 11: TBD\n"),
    ("tildes around backticks", "~~~\n```\n### Task 21: TBD\n~~~\n### Task 11: TBD\n"),
    ("a label of tildes may hold backticks", "~~~ `a`\n### Task 21: TBD\n~~~\n### Task 11: TBD\n"),
    ("a longer fence closes", "```\n### Task 21: TBD\n`````\n### Task 11: TBD\n"),
    ("a shorter fence does not", "````\n```\n### Task 21: TBD\n````\n### Task 11: TBD\n"),
    ("a labelled fence is nested", "```md\n```sh\na\n```\n### Task 21: TBD\n```\n### Task 11: TBD\n"),
    ("nested in an item", "1. ```md\n   ```sh\n   a\n   ```\n### Task 21: TBD\n   ```\n### Task 11: TBD\n"),
    ("a labelled fence that is not", "```text\n```sh\n### Task 21: TBD\n```\n### Task 11: TBD\n"),
    ("a fence never closed", "### Task 11: TBD\n```sh\n### Task 21: TBD\n"),
    ("one never closed in an item", "1. ```sh\n   ### Task 21: TBD\n2. two\n\n### Task 11: TBD\n"),
    ("one never closed in an inner item", "- a\n  - ```sh\n    code\n- b\n\n### Task 11: TBD\n"),
    ("code in a line", "```sh``` and more\n### Task 11: TBD\n"),
    ("a comment", "<!--\n### Task 31: TBD\n-->\n### Task 11: TBD\n"),
    ("a comment on an item", "- <!--\n### Task 31: TBD\n-->\n### Task 11: TBD\n"),
    ("a fence in a comment", "<!--\n```\n### Task 31: TBD\n-->\n### Task 11: TBD\n"),
    ("a comment in a fence", "```\n<!--\n### Task 21: TBD\n```\n### Task 11: TBD\n\n-->\n"),
    ("a comment of one line", "<!-- a -->\n### Task 11: TBD\n"),
    ("a comment never closed", "<!-- a\n### Task 11: TBD\n"),
    ("a comment behind text", "text <!-- a\n### Task 31: TBD\n-->\n### Task 11: TBD\n"),
    ("a comment behind text ends with it", "text <!-- a\n\n### Task 11: TBD\n\n-->\n"),
    ("a comment that is spoken about", "`<!--` begins one\n### Task 11: TBD\n\n-->\n"),
    ("indented code", "text\n\n    - [ ] Task 21: TBD\n\n- [ ] Task 11: TBD\n"),
    ("indented by a tab", "text\n\n\t- [ ] Task 21: TBD\n\n- [ ] Task 11: TBD\n"),
    ("indented below a heading", "# A\n    - [ ] Task 21: TBD\n\n- [ ] Task 11: TBD\n"),
    ("no indented code in a paragraph", "text\n    - [ ] Task 11: TBD\n"),
    ("no indented code in an item", "- a\n\n      - [ ] Task 11: TBD\n"),
    ("nor where its text begins further in", "-     a\n\n    - [ ] Task 11: TBD\n"),
    ("an indented fence", "text\n\n    ```\n### Task 21: TBD\n    ```\n### Task 11: TBD\n"),
    ("an underlined heading", "Task 11: TBD\n---\n"),
    ("an underlined line of code", "```\nTask 21: TBD\n---\n```\n\nTask 11: TBD\n===\n"),
    ("settings are no headings", "---\nname: x\n---\n### Task 11: TBD\n"),
    ("rules are no settings", "---\n### Task 11: TBD\n---\n"),
    ("breaks of two characters", "1. ```sh\r\n   ### Task 21: TBD\r\n   ```\r\n### Task 11: TBD\r\n"),
    ("a byte order mark", "\u{feff}```\n### Task 21: TBD\n```\n### Task 11: TBD\n"),
];

/// The number of a task that a line names.
fn named(line: &str) -> Option<u32> {
    let (_, rest) = line.split_once("Task ")?;
    rest.split(':').next()?.parse().ok()
}

#[test]
fn every_reader_takes_the_same_lines_for_code() {
    for (name, text) in CASES {
        let outline = Outline::parse(text);
        let found = tasks::read(text).map(|list| list.tasks).unwrap_or_default();
        let faults =
            lint::check(&Documents::of_one("notes.md", (*text).to_owned()), &LintSettings::default());
        let entries = bank::Bank::read(&[(bank::BankFile::Pattern, (*text).to_owned())]).entries;
        for (at, line) in text.lines().enumerate() {
            let Some(number) = named(line) else { continue };
            let place = Page::read(text).lines[at].place;
            let is_text = number / 10 == 1;
            let wanted = [LinePlace::Text, LinePlace::Code, LinePlace::Comment][number as usize / 10 - 1];
            assert_eq!(place, wanted, "page: {name}, line {}", at + 1);

            let is_section =
                outline.sections().iter().any(|section| section.level > 0 && section.own.start == at);
            let underlined = text.lines().nth(at + 1).is_some_and(|next| next == "---" || next == "===");
            let may_be = line.starts_with('#') || line.starts_with("   #") || underlined;
            assert_eq!(is_section, is_text && may_be, "sections: {name}, line {}", at + 1);

            let is_task = found.iter().any(|task| task.line as usize == at + 1);
            assert_eq!(is_task, is_text, "tasks: {name}, line {}", at + 1);

            let fault =
                faults.iter().find(|fault| fault.line as usize == at + 1 && fault.message.contains("TBD"));
            let rule = if place == LinePlace::Code { Rule::PlaceholderInCode } else { Rule::Placeholder };
            assert_eq!(fault.map(|fault| fault.rule), Some(rule), "lint: {name}, line {}", at + 1);

            // An entry needs text below it, and an open fence hides none.
            let is_entry = entries.iter().any(|entry| entry.line as usize == at + 1);
            assert!(!is_entry || is_text || name.contains("never closed"), "bank: {name}, line {}", at + 1);
        }
    }
}

#[test]
fn a_list_goes_on_behind_code_that_begins_on_an_item() {
    let text =
        "## Tasks\n\n1. ```sh\n   make\n   ```\n2. Second\n\n### Task 1: One\n\n- [ ] a\n\n### Task 2: Two\n";
    let ids: Vec<String> = tasks::read(text).unwrap().tasks.into_iter().map(|task| task.id).collect();
    assert_eq!(ids, ["1", "2"]);
    let faults = lint::check(&Documents::of_one("tasks.md", text.to_owned()), &LintSettings::default());
    assert!(faults.iter().all(|fault| fault.rule != Rule::UnclosedFence), "{faults:?}");
}

#[test]
fn a_fence_left_open_is_told_where_it_opens_and_is_text_to_who_reads_past_it() {
    for (text, line) in [
        ("a\n```\nb\n", Some(1)),
        ("1. ```sh\n   b\n2. c\n", Some(0)),
        ("- a\n  - ```\n    b\n- c\n", Some(1)),
        ("> ```\n> b\n\nc\n", None),
        ("```\n```\n~~~\n", Some(2)),
        ("```\nb\n```\n", None),
    ] {
        assert_eq!(Page::read(text).open_fence, line, "{text:?}");
        let past = Page::read_past_open_fences(text);
        assert_eq!(past.open_fence, None, "{text:?}");
        assert!(line.is_none_or(|line| past.is_text(line)), "{text:?}");
    }
}

#[test]
fn a_comment_left_open_hides_nothing_and_is_told() {
    for (text, line) in [
        ("a\n<!-- b\nc\n", Some(1)),
        ("a <!-- b\nc\n", Some(0)),
        ("<!-- a -->\n<!-- b\n-->\n", None),
        ("```\n<!--\n```\n", None),
        ("`<!--`\n", None),
        ("<!-- a --> <!-- b\n", Some(0)),
    ] {
        assert_eq!(Page::read(text).open_comment, line, "{text:?}");
    }
}

#[test]
fn blocks_have_the_labels_of_their_fences_wherever_they_stand() {
    let text = "1. ```sh a\n   x\n   ```\n> ~~~ diff\n> +\n> ~~~\n- [ ] a\n  ```\n  x\n  ```\n";
    let page = Page::read(text);
    let blocks: Vec<_> = page.blocks.iter().map(|one| (one.lines.clone(), one.label, one.closed)).collect();
    assert_eq!(blocks, [(0..3, "sh a", true), (3..6, "diff", true), (7..10, "", true)]);
}

#[test]
fn tables_keep_bars_that_stand_in_code() {
    let text = "| ID | Task |\n|---|---|\n| T1 | Split `a | b` |\n| T2 | Join \\| them |\n";
    let titles: Vec<String> = tasks::read(text).unwrap().tasks.into_iter().map(|task| task.title).collect();
    assert_eq!(titles, ["Split `a | b`", "Join \\| them"]);
}

#[test]
fn code_in_a_line_is_between_equal_runs() {
    let contents = |line| span::contents(line).map(ToOwned::to_owned).collect::<Vec<_>>();
    assert_eq!(contents("a `b` ``c ` d`` `e"), ["b", "c ` d"]);
    assert_eq!(span::without_code("a `b` c ` d"), format!("a {} c ` d", span::CODE));
    assert_eq!(contents("``a` b`"), [" b"], "two that have no partner are text");
}

/// Lines that lists, quotations, fences and comments are made of.
fn document() -> impl Strategy<Value = String> {
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
        "<!--",
        "-->",
        "a <!-- b",
        "- - ```",
        "---",
        "```` x",
        "     - d",
        "* ",
        "10) e",
        "<!-- a -->",
        "      ```",
    ]);
    proptest::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn lines_and_blocks_agree_with_each_other(text in document()) {
        for page in [Page::read(&text), Page::read_past_open_fences(&text)] {
            let whole: String = page.lines.iter().map(|line| line.whole).collect();
            prop_assert_eq!(&whole, &text);
            let mut end = 0;
            for block in &page.blocks {
                prop_assert!(block.lines.start >= end && block.lines.end <= page.lines.len());
                end = block.lines.end;
                prop_assert_eq!(page.lines[block.lines.start].place, LinePlace::Fence);
                prop_assert!(block.lines.clone().all(|at| page.is_code(at)));
                prop_assert_eq!(block.closed, block.lines.len() > 1 && page.lines[end - 1].place == LinePlace::Fence);
            }
            let fences = page.lines.iter().filter(|line| line.place == LinePlace::Fence).count();
            let wanted: usize = page.blocks.iter().map(|block| 1 + usize::from(block.closed)).sum();
            prop_assert_eq!(fences, wanted);
            prop_assert!(page.headings.iter().all(|heading| page.is_text(heading.line)));
        }
        prop_assert_eq!(Page::read_past_open_fences(&text).open_fence, None);
    }

    #[test]
    fn what_stands_before_a_heading_and_is_closed_does_not_change_it(text in document()) {
        let page = Page::read(&text);
        prop_assume!(page.open_fence.is_none() && page.open_comment.is_none());
        let after = Page::read(&text).lines.len();
        let longer = format!("{text}\n\n# End\n");
        let read = Page::read(&longer);
        prop_assert!(read.headings.iter().any(|heading| heading.title == "End"), "{} lines", after);
    }
}
