//! Ids, tasks and references, in one document and across those of a feature.

use super::{check, check_feature, check_named, feature};
use crate::lint::*;
use redraft_facts::prelude::*;

const SPEC: &str =
    "# Spec\n\n## Requirements\n\n- **FR-1:** a\n- **FR-2:** b\n- **FR-3:** c\n\n## Acceptance\n\nyes\n";

#[test]
fn an_id_that_is_defined_twice_in_one_place_is_a_duplicate() {
    check("# S\n\n### FR-1: one\n\nx\n\n### FR-1: two\n\ny\n", &["7 duplicate-id"]);
    check("# S\n\n- **AC-1:** one\n- **AC-2:** two\n- **AC-01:** three\n", &["5 duplicate-id"]);
    check("# S\n\n- ТР-1: раз\n- ТР-1: два\n", &["4 duplicate-id"]);
    check("# S\n\n- 要件1：甲\n- 要件1：乙\n", &["4 duplicate-id"]);
    check("# S\n\n| ID | Requirement |\n|---|---|\n| R1 | a |\n| R1 | b |\n", &["6 duplicate-id"]);
    let tasks =
        "# T\n\n## One\n\n### Task 1.1: read the file\n\nx\n\n## Two\n\n### Task 1.1: send a letter\n\ny\n";
    check_named("tasks.md", tasks, &["11 duplicate-id"]);
}

#[test]
fn an_id_that_is_named_again_is_no_duplicate() {
    for text in [
        "# S\n\n## Parts\n\n### C1: parser\n\nx\n\n## Interfaces\n\n### C1: parser\n\ny\n",
        "# S\n\n### C1: parser\n\nx\n\n### C1 → C2: calls\n\ny\n",
        "# S\n\n## Review history\n\n- **FR-1:** made shorter\n- **FR-1:** made longer\n",
        "# S\n\n- FR-1 is hard\n- FR-1 is important\n",
        "# S\n\n- **AC-1:** a\n\nThe second story:\n\n- **AC-1:** b\n",
        "# S\n\n- story\n  - AC-1: a\n- story\n  - AC-1: b\n",
        "# S\n\n| Risk | Step |\n|---|---|\n| R1 | a |\n| R1 | b |\n",
        "# S\n\n- **F1 opens** the door\n- **F1 closes** the door\n",
        "# S\n\n- **C1:** a\n- **C10:** b\n- **C1a:** c\n- **C1-x:** d\n",
    ] {
        check(text, &[]);
    }
    let tasks = "# T\n\n## Overview\n\n- [ ] T1: read the file\n\n## Details\n\n### T1: read the file\n\n## Checks\n\n- [ ] T1: green\n";
    check_named("tasks.md", tasks, &[]);
}

#[test]
fn a_list_without_tasks_is_told_with_its_nearest_headings() {
    let text = "# Work\n\n## Part 1\n\n- [ ] write the store\n- [ ] read it\n";
    check_named("tasks.md", text, &["1 no-tasks"]);
    let faults =
        super::super::check(&Documents::of_one("tasks.md", text.to_owned()), &LintSettings::default());
    assert_eq!(
        faults[0].message,
        "no task is found; 2 items with a check box but no id; the nearest headings are line 1 `Work`, line 3 `Part 1`"
    );
    // Only a list of tasks must have some, and a fault that hides them is reported alone.
    check_named("plan.md", "# Plan\n\n## Steps\n\nfirst this, then that\n", &[]);
    check_named("tasks.md", " \n", &["1 empty"]);
    check_named("tasks.md", "# T\n\n```\n### T1: a\n", &["3 unclosed-fence"]);
}

#[test]
fn a_task_that_does_not_say_when_it_is_done_is_told_where_most_others_do() {
    let task = |id: u32| format!("### Task {id}: do {id}\n\n");
    let done = "**Done when:** it passes\n\n";
    let list = |missing: &[u32], all: u32| -> String {
        let one = |id: u32| task(id) + if missing.contains(&id) { "text\n\n" } else { done };
        format!("# T\n\n{}", (1..=all).map(one).collect::<String>())
    };
    check_named("tasks.md", &list(&[2], 4), &["7 no-done-criterion"]);
    check_named("tasks.md", &list(&[1, 4], 5), &["3 no-done-criterion", "15 no-done-criterion"]);
    // Fewer than three show no habit, nor does half of them, and other documents have other habits.
    for (missing, all) in [(&[2][..], 2), (&[1, 2], 4), (&[1, 2, 3], 3), (&[], 4)] {
        check_named("tasks.md", &list(missing, all), &[]);
    }
    check_named("plan.md", &format!("# P\n\n## Steps\n\n{}", list(&[2], 4)), &[]);
    // Tasks of another form are written in another way, and work that is ticked off is over.
    let boxes = "# T\n\n- [ ] **1.1** a\n  - Done when: x\n- [ ] **1.2** b\n  - Done when: x\n- [ ] **1.3** c\n  - Done when: x\n";
    check_named("tasks.md", &format!("{boxes}- [ ] **1.4** d\n"), &["9 no-done-criterion"]);
    check_named("tasks.md", &format!("{boxes}- [x] **1.4** d\n"), &[]);
    check_named("tasks.md", &format!("{boxes}\n### Task 2: other\n\ntext\n"), &[]);
    // So is what was taken out, and what has a line that could be a criterion.
    for other in [
        "### Task 9: (REMOVED, merged into 8)\n\ntext\n",
        "### Task 9: the same as 8 for b\n\ntext\n",
        "### Task 9: a\n\n- Verified by hand: it runs\n",
    ] {
        check_named("tasks.md", &format!("{}{other}", list(&[], 4)), &[]);
    }
}

#[test]
fn tasks_that_wait_for_each_other_are_reported_once() {
    let tasks = "# T\n\n### T1: a\n\n**Depends on:** T3\n\n### T2: b\n\n- Depends on: Task 1\n\n### T3: c\n\n**Dependencies**: T2 (the parser)\n";
    check_named("tasks.md", tasks, &["9 dependency-cycle"]);
    check_named("tasks.md", "# T\n\n- [ ] **1.1** a\n  - `requires: 1.1`\n", &["4 dependency-cycle"]);
    let german =
        "# T\n\n### Aufgabe 1: a\n\nAbhängig von: Aufgabe 2\n\n### Aufgabe 2: b\n\nAbhängig von: Aufgabe 1\n";
    check_named("tasks.md", german, &["9 dependency-cycle"]);
    let faults =
        super::super::check(&Documents::of_one("tasks.md", tasks.to_owned()), &LintSettings::default());
    assert_eq!(faults[0].message, "tasks depend on each other in a circle: T1 → T3 → T2 → T1");
}

#[test]
fn what_is_no_dependency_makes_no_circle() {
    for tasks in [
        "# T\n\n### T1: a\n\n**Depends on:** none (T2 can run beside it)\n\n### T2: b\n\n**Depends on:** T1\n",
        "# T\n\n### T1: a\n\n**Blocks:** T2\n\n### T2: b\n\n**Depends on:** T1\n",
        "# T\n\n### 1.1 a\n\n**Depends on:** 1.2-1.4 of feature 030\n\n### 1.2 b\n\n**Depends on:** 1.1\n",
        "# T\n\n### T1: a\n\nx\n\n## Notes\n\nDepends on: T1\n",
    ] {
        check_named("tasks.md", tasks, &[]);
    }
}

#[test]
fn a_dependency_on_a_task_that_does_not_exist_is_an_unknown_reference() {
    let tasks =
        |needs: &str| format!("# T\n\n### Task 1.1: a\n\nx\n\n### Task 1.2: b\n\n**Depends on:** {needs}\n");
    for needs in ["Task 1.3", "1.1, 1.9", "Tasks 1.1 and 4.2", "Task 9"] {
        check_named("tasks.md", &tasks(needs), &["9 unknown-reference"]);
    }
    for needs in [
        "1.1",
        "Task 1",
        "Phase 7",
        "Step 9",
        "none",
        "Task 3.1 of feature 030",
        "1.1 and Python 3.14",
        "T1.1",
    ] {
        check_named("tasks.md", &tasks(needs), &[]);
    }
}

#[test]
fn the_steps_of_a_plan_are_held_to_the_same_rules_as_tasks() {
    let plan = "# P\n\n## Steps\n\n### Step 1.1: Write the store\n\n**Depends on:** 1.2\n\n### Step 1.2: Use it\n\n\
                **Depends on:** 1.1, 7.7\n\n### Step 1.2: Print\n\nx\n";
    check_named("plan.md", plan, &["11 dependency-cycle", "11 unknown-reference", "13 duplicate-id"]);
}

#[test]
fn two_headings_with_one_id_are_two_tasks_however_short_their_titles_are() {
    for (one, other) in [("Add tests", "Add docs"), ("B", "C"), ("写打印机", "发送邮件给用户")] {
        let tasks = format!("# T\n\n### Task 1.1: {one}\n\nx\n\n### Task 1.1: {other}\n\nx\n");
        check_named("tasks.md", &tasks, &["7 duplicate-id"]);
    }
    check_named("tasks.md", "# T\n\n### Task 1.1: Store\n\nx\n\n### Task 1.1: Store it all\n\nx\n", &[]);
}

#[test]
fn a_link_to_a_heading_that_does_not_exist_is_an_unknown_reference() {
    let page = |link: &str| {
        format!("# Überblick: der `Kern`\n\n## Two [parts](x.md) {{#second}}\n\n<a id=\"own\"></a> {link}\n")
    };
    for link in [
        "[a](#%C3%BCberblick-der-kern)",
        "[a](#überblick-der-kern)",
        "[a](#two-parts)",
        "[a](#second)",
        "[a](#own)",
        "[a](other.md#x)",
        "`[a](#x)`",
        "[a](https://x.org/#x)",
    ] {
        check(&page(link), &[]);
    }
    check(&page("[a](#elsewhere)"), &["5 unknown-reference"]);
}

#[test]
fn a_section_that_another_document_does_not_have_is_an_unknown_reference() {
    let design = "# D\n\n## 1 Overview\n\nx\n\n## 2. Components\n\n### 2.1 Parser\n\nx\n";
    let plan = |text: &str| format!("# P\n\n## Steps\n\n{text}\n");
    for text in [
        "as design §2.2 says",
        "per design.md section 4",
        "(Design Section 7)",
        "see section 9 of design.md",
        "section 2.2 of the design",
        "(Section 7 in design.md)",
    ] {
        check_feature(&[("design.md", design), ("plan.md", &plan(text))], &["plan.md 5 unknown-reference"]);
    }
    for text in [
        "as design §2.1 says",
        "see design section 2",
        "114 design §9",
        "the OpenAPI spec §9",
        "`x.md` §9",
        "design §2b",
        "section 2.1 of design.md",
        "section 9 of x.md",
        "section 9 of RFC 2119",
        "section 9 of the OpenAPI spec",
    ] {
        check_feature(&[("design.md", design), ("plan.md", &plan(text))], &[]);
    }
}

#[test]
fn a_short_japanese_document_is_not_held_to_the_headings_of_another_language() {
    let spec = "# 仕様\n\n## 要件\n\n- 利用者は鍵を停止できる。\n- 停止は一秒以内に有効になる。\n- 結果は記録される。\n";
    check_feature(&[("spec.md", spec)], &[]);
}

#[test]
fn an_id_that_no_later_document_names_is_a_warning_where_its_siblings_are_named() {
    let plan = |text: &str| format!("# P\n\n## Steps\n\n{text}\n");
    let unnamed = &["spec.md 7 unreferenced-id"];
    check_feature(&[("spec.md", SPEC), ("plan.md", &plan("FR-1 and FR-2"))], unnamed);
    for text in [
        "FR-1..FR-3",
        "FR-1, 2, 3",
        "FR-1 to FR-3",
        "FR1–3",
        "FR 1, FR 2/3",
        "FR-1, FR-2, FR-3a",
        "nothing",
        "FR-1",
    ] {
        check_feature(&[("spec.md", SPEC), ("plan.md", &plan(text))], &[]);
    }
    check_feature(&[("spec.md", SPEC), ("design.md", "# D\n\n## Components\n\nFR-1, FR-2\n")], &[]);
}

#[test]
fn a_contract_that_is_stated_again_otherwise_is_a_warning() {
    let spec = "# S\n\n## Requirements\n\n- **NFR-1:** an answer arrives within 200 ms of a request\n\n## Acceptance\n\nyes\n";
    let design = |text: &str| format!("# D\n\n## Components\n\n{text}\n");
    let other = design("- **NFR-1:** an answer arrives within 500 ms of a request");
    check_feature(&[("spec.md", spec), ("design.md", &other)], &["design.md 5 restated-differently"]);
    for same in
        ["- **NFR-1:** fast answers (see 4)", "- **NFR-1:** an answer arrives within 200 ms of a request"]
    {
        check_feature(&[("spec.md", spec), ("design.md", &design(same))], &[]);
    }
    let code = |parameters: &str| {
        format!("# X\n\n## Components and steps\n\n```py\ndef send({parameters}) -> int:\n```\n")
    };
    let declared = |one: &str, two: &str, expected: &[&str]| {
        check_feature(&[("design.md", &code(one)), ("plan.md", &code(two))], expected);
    };
    declared("a: int, b: str", "a: int", &["plan.md 6 restated-differently"]);
    declared("a: int | None", "a: int", &["plan.md 6 restated-differently"]);
    declared("a: int, b: str = 'x'", "a,\n    b,\n", &[]);
    declared("...", "a: int", &[]);
}

#[test]
fn a_constant_that_is_declared_with_another_value_is_a_warning() {
    let code = |lines: &str| format!("# X\n\n## Components and steps\n\n```\n{lines}\n```\n");
    let check = |design: &str, plan: &str, expected: &[&str]| {
        check_feature(&[("design.md", &code(design)), ("plan.md", &code(plan))], expected);
    };
    let differs = ["plan.md 6 restated-differently"];
    check("const MAX_TRIES: u32 = 3;", "MAX_TRIES = 5", &differs);
    check("#define MAX_TRIES 3", "static final int MAX_TRIES = 5; // for now", &differs);
    check("export const MAX_TRIES = 30", "pub const MAX_TRIES: usize = 30_000;", &differs);
    // The same in another form, or no declaration at all.
    check("MAX_BYTES = 1_000", "const MAX_BYTES: u64 = 1000;", &[]);
    check("MAX_BYTES = 8 * 1024", "MAX_BYTES = 8192", &[]);
    check("MAX_TRIES=3 ./run", "MAX_TRIES=5 ./run", &[]);
    check("MAX_TRIES = 3\nMAX_TRIES = 5", "MAX_TRIES = 5", &[]);
    check("tries = 3", "tries = 5", &[]);
}

#[test]
fn a_file_that_does_not_exist_is_a_warning_unless_it_is_to_be_made() {
    let text = "# D\n\n## Components\n\nReads `src/a.rs:12`, [this](docs/b.md#x) and `src/*.rs`.\nCreate `src/c.rs`.\n\n```\nsrc/d.rs\n```\n";
    let plan = "# P\n\n## Steps\n\nWe look at `src/c.rs` and `https://x.org/y.md`.\n";
    let mut documents = feature(&[("design.md", text), ("plan.md", plan)]);
    let named: Vec<String> = named_files(&documents).into_iter().collect();
    assert_eq!(named, ["docs/b.md", "src/a.rs"]);
    documents.absent_files = named_files(&documents);
    let faults = super::super::check(&documents, &LintSettings::default());
    let found: Vec<String> =
        faults.iter().map(|fault| format!("{} {} {}", fault.path, fault.line, fault.message)).collect();
    assert_eq!(
        found,
        ["design.md 5 there is no file `docs/b.md`", "design.md 5 there is no file `src/a.rs`"]
    );
}

#[test]
fn a_link_to_a_file_beside_the_document_is_looked_up_where_it_can_mean_nothing_else() {
    let text = "# D\n\n## Components\n\nSee [threats](threats.md), [notes](../notes/old.md#top), ![p](./p.png).\n\
        Not [a site](example.com), [x](https://x.org/y.md), [a page](page), [mail](mailto:a@b.md), [root](/a.md).\n\
        Not [the plan](plan.md), nor `[how](written.md)`. Create [this](made.md).\n\n```\n[in](code.md)\n```\n\n\
        Not [a page of a site](other.html), [the reviews](.review-history.md), [the record](.meta.json).\n";
    let documents = feature(&[("design.md", text)]);
    let named: Vec<String> = named_files(&documents).into_iter().collect();
    assert_eq!(named, ["../notes/old.md", "p.png", "threats.md"]);
}

#[test]
fn a_link_does_not_say_that_its_file_is_to_be_made() {
    for (line, expected) in [
        ("See [addresses](addresses.md).", vec!["addresses.md"]),
        ("See [the list](list.md \"New members\").", vec!["list.md"]),
        ("| [storage](storage.md) |", vec!["storage.md"]),
        ("We add [the list](list.md).", vec![]),
        ("[The list](list.md) is new.", vec![]),
        ("[a](a.md), new [b](b.md", vec![]),
    ] {
        let named = named_files(&feature(&[("notes.md", line)]));
        assert_eq!(Vec::from_iter(named), expected, "{line}");
    }
}

#[test]
fn a_file_that_is_named_is_looked_for_from_the_top_and_from_the_document() {
    for (path, folder, expected) in [
        ("threats.md", "docs/a", vec!["docs/a/threats.md"]),
        ("src/a.rs", "docs/a", vec!["docs/a/src/a.rs", "src/a.rs"]),
        ("../b/x.md", "docs/a", vec!["docs/b/x.md"]),
        ("../x.md", "docs", vec!["x.md"]),
        ("src/a.rs", "", vec!["src/a.rs", "src/a.rs"]),
        ("../x.md", "", vec![]),
    ] {
        assert_eq!(places(path, folder), expected, "{path} in {folder}");
    }
}

#[test]
fn an_expected_part_is_found_under_many_headings_and_missed_otherwise() {
    let english = "The service is to answer, and that is not all of what is of use for the work.";
    check_named(
        "spec.md",
        &format!("# S\n\n## Colours\n\n{english}\n"),
        &["1 missing-section", "1 missing-section"],
    );
    check_named("spec.md", &format!("# S\n\n## What changes\n\n{english}\n\n**Done when:** green\n"), &[]);
    check_named("spec.md", "# S\n\n## Értékek\n\nEgy szöveg, amelyet senki sem ismer.\n", &[]);
    let mut settings = LintSettings::default();
    settings
        .sections
        .insert(ArtifactKind::Spec, vec![ExpectedPart::parse("Fees | Gebühren").expect("a part")]);
    let faults =
        super::super::check(&Documents::of_one("spec.md", "# S\n\n## X\n\ny\n".to_owned()), &settings);
    assert_eq!(faults[0].message, "no heading is about `Fees`");
}

#[test]
fn a_requirement_that_cannot_be_measured_is_a_warning() {
    let page = |heading: &str, text: &str| format!("# S\n\n## {heading}\n\n{text}\n");
    let english = "It is of use to the reader and is not long.\n\n- The answer must arrive quickly.\n";
    check_named("prd.md", &page("Goal", english), &["7 vague-word"]);
    for clear in [
        "It is of use to the reader and is not long.\n\n- The answer must arrive quickly (under 50 ms).\n",
        "It is of use to the reader and is not long. It was made quickly.\n",
        "Ez egy dokumentum.\n\n- R1: quickly\n",
    ] {
        check_named("prd.md", &page("Goal", clear), &[]);
    }
    // Other languages have the words that a project brings.
    let settings = LintSettings {
        vague_words: Some(vec!["zeitnah".into(), "尽快".into(), "быстро".into()]),
        ..LintSettings::default()
    };
    for (heading, text) in [
        ("Ziel", "Das ist der Text und die Antwort ist nicht lang.\n\n- Die Antwort muss zeitnah kommen.\n"),
        ("目标", "这是 一个 文档 说明 系统\n\n- 系统必须尽快响应\n"),
        ("Цель", "Это текст, и он не длинный, для тех, кто на работе.\n\n- Ответ должен приходить быстро.\n"),
    ] {
        check_named("prd.md", &page(heading, text), &[]);
        let faults = super::super::check(&Documents::of_one("prd.md", page(heading, text)), &settings);
        let found: Vec<(u32, Rule)> = faults.iter().map(|fault| (fault.line, fault.rule)).collect();
        assert_eq!(found, [(7, Rule::VagueWord)], "{text}");
    }
}

#[test]
fn what_is_absent_or_unreadable_is_an_error() {
    let document = |path: &str, content: LintedContent| Document { path: path.to_owned(), content };
    let documents = Documents {
        documents: vec![
            document("x/plan.md", LintedContent::Unreadable("it is not UTF-8 text".to_owned())),
            document("x/spec.md", LintedContent::Absent),
        ],
        absent_files: BTreeSet::new(),
    };
    let faults = super::super::check(&documents, &LintSettings::default());
    let found: Vec<(&str, Rule, LintLevel)> =
        faults.iter().map(|fault| (fault.path.as_str(), fault.rule, fault.level)).collect();
    assert_eq!(
        found,
        [("x/spec.md", Rule::Missing, LintLevel::Error), ("x/plan.md", Rule::Unreadable, LintLevel::Error)]
    );
}

#[test]
fn every_rule_has_a_name_of_its_own_and_is_found_by_it() {
    let names: BTreeSet<&str> = Rule::ALL.into_iter().map(Rule::name).collect();
    assert_eq!(names.len(), Rule::ALL.len());
    assert!(Rule::ALL.into_iter().all(|rule| rule.name().parse() == Ok(rule)));
}
