//! Lists of tasks as people write them.

mod forms;
mod needs;
mod styles;

use super::*;
use crate::trace;

/// `id | title | lines | form` of each task.
pub(super) fn told(text: &str) -> Vec<String> {
    let list = read(text).unwrap();
    let one = |task: &Task| {
        format!("{} | {} | {}-{} | {}", task.id, task.title, task.line, task.end_line, task.form.name())
    };
    list.tasks.iter().map(one).collect()
}

pub(super) fn ids(text: &str) -> Vec<String> {
    read(text).map(|list| list.tasks.into_iter().map(|task| task.id).collect()).unwrap_or_default()
}

pub(super) fn first(text: &str) -> Task {
    read(text).unwrap().tasks.remove(0)
}

#[test]
fn ac_1_every_task_heading_of_the_template_is_one_task_in_document_order() {
    let text = "# Tasks\n\n## Phase 1\n\n#### Task 1.1: Add a store\n\nText.\n\n#### Task 1.2: Use it\n- **Why:** Plan 1\n\n---\n\n## Summary\n\n2 tasks\n";
    assert_eq!(told(text), ["1.1 | Add a store | 5-7 | h4", "1.2 | Use it | 9-10 | h4"]);
}

#[test]
fn headings_of_any_level_with_and_without_the_word_are_tasks() {
    for (heading, wanted) in [
        ("## Task 3: Send it", "3 | Send it"),
        ("### T1.1: Send it", "T1.1 | Send it"),
        ("### T05b Send it", "T05b | Send it"),
        ("### 1.1 Send it", "1.1 | Send it"),
        ("### 1.2a: Send it", "1.2a | Send it"),
        ("##### Task A.1 — Send it", "A.1 | Send it"),
        ("### Task Final.1: Send it", "Final.1 | Send it"),
        ("### T1.Final: Send it", "T1.Final | Send it"),
        ("### TA.1: Send it", "TA.1 | Send it"),
        ("### TASK-004: Send it", "TASK-004 | Send it"),
        ("### [x] Task 2 - Send it", "2 | Send it"),
        ("### ✅ **Task 2**: Send it", "2 | Send it"),
        ("### Task #7: Send it", "7 | Send it"),
        ("### Aufgabe 2.1: Send it", "2.1 | Send it"),
        ("### Task 2.1: Send it [RED]", "2.1 | Send it"),
        ("### Task 2.1: Send it (Simple)", "2.1 | Send it"),
        ("### Task 2.1: Send it (~10 min)", "2.1 | Send it"),
        ("### Task 2.1: Send it (twice)", "2.1 | Send it (twice)"),
        ("### T10 (T-RUN-2.2): Send it", "T10 | Send it"),
        ("### Task 1-3: Send it", "1 | Send it"),
        ("### Task 3/4 - Send it", "3 | Send it"),
        ("### Task 6.1 through 6.N: Send it", "6.1 | Send it"),
    ] {
        let text = format!("# Tasks\n\n{heading}\n\nSome text.\n");
        let found = told(&text);
        assert_eq!(found.len(), 1, "{heading}");
        assert!(found[0].starts_with(&format!("{wanted} | 3-5 | h")), "{heading}: {found:?}");
    }
    assert_eq!(first("### T10 (T-RUN-2.2): Send it\n").aliases, ["T-RUN-2.2"]);
}

#[test]
fn a_task_is_ticked_where_it_has_boxes_and_all_of_them_are() {
    let text = "# Tasks\n\n- [x] **T1** one\n- [ ] **T2** two\n- [X] **T3** three\n  - [x] a step\n  - [ ] another\n\
                - [✓] **T4** four\n  ```\n  - [ ] code\n  ```\n- [x] **T5** see `[ ]`\n";
    let ticked = |text: &str| {
        let outline = crate::sections::Outline::parse(text);
        let tasks = read(text).unwrap().tasks;
        tasks.into_iter().filter(|task| task.is_ticked(&outline)).map(|task| task.id).collect::<Vec<_>>()
    };
    assert_eq!(ticked(text), ["T1", "T4", "T5"]);
    let headings = "### Task 1.1: A\n\n- [x] one\n- [x] two\n\n### Task 1.2: B\n\n- [x] one\n- [ ] two\n\n### Task 1.3: C\n\nText.\n";
    assert_eq!(ticked(headings), ["1.1"]);
}

#[test]
fn items_with_a_box_are_tasks_and_their_headings_are_groups() {
    let text = "# Tasks\n\n### 1.1 The store\n\n- [ ] **T1.1.1: Write a test**\n  It fails.\n  ```py\n- [ ] **T9: no task**\n  ```\n- [x] **T1.1.2** Make it pass. `[green]`\n\n  - [ ] a step\n\nText at the margin.\n";
    assert_eq!(
        told(text),
        ["T1.1.1 | Write a test | 5-9 | checkbox", "T1.1.2 | Make it pass. `[green]` | 10-12 | checkbox"]
    );
    let plain = "# Tasks\n\n- [ ] 1. Set up\n  - [ ] 1.1 Make a folder\n  - [ ] 1.2 Fill it\n- [ ] 2. Tidy\n";
    assert_eq!(ids(plain), ["1.1", "1.2", "2"]);
    assert_eq!(ids("- [ ] T001 [P] [US1] Create it\n- [ ] T002 Test it\n"), ["T001", "T002"]);
    assert_eq!(first("- [ ] T001 [P] [US1] Create it\n").title, "Create it");
}

#[test]
fn rows_of_a_table_are_tasks_where_nothing_else_is() {
    let table = "# Tasks\n\n| ID | Title | Depends on |\n|---|---|---|\n| T1 | Write it | none |\n| **T2** | `send` it | T1 |\n";
    assert_eq!(told(table), ["T1 | Write it | 5-5 | table_row", "T2 | `send` it | 6-6 | table_row"]);
    // What has a chapter of its own is only listed in the index; what has none is a task there.
    let index =
        format!("{table}| Q1 | Run all tests | T1 |\n\n## T1: Write it\n\nx\n\n## T2: Send it\n\ny\n");
    assert_eq!(ids(&index), ["Q1", "T1", "T2"]);
    // A column that is not headed as one of ids counts where there is nothing else, and only with plain ids.
    assert_eq!(ids("| Work | Use |\n|---|---|\n| T1 | x |\n| 2 | y |\n"), ["T1"]);
    assert_eq!(ids("### T5: a\n\n| Work | Use |\n|---|---|\n| T5 | x |\n| T6 | y |\n"), ["T5"]);
}

#[test]
fn list_items_are_tasks_where_nothing_else_is() {
    assert_eq!(
        told("- **Task 1.1:** Write it\n- **Task 1.2:** Send it\n"),
        ["1.1 | Write it | 1-1 | list_item", "1.2 | Send it | 2-2 | list_item"]
    );
    let overview = "## Order\n\n- Task 1.1: Write it\n- Task 1.2: Send it\n\n## Details\n\n### Task 1.1: Write it\n\n### Task 1.2: Send it\n";
    assert_eq!(told(overview).len(), 2);
    assert!(told(overview)[0].ends_with("h3"));
}

#[test]
fn groups_steps_overviews_and_fenced_text_are_no_tasks() {
    for (text, wanted) in [
        // Groups.
        ("## Phase 1: Base\n\n### Group A (parallel)\n\n#### Task 1.1: a\n", vec!["1.1"]),
        ("## Task 1: Base\n\n### Task 1.1: a\n\n### Task 1.2: b\n", vec!["1.1", "1.2"]),
        ("### Plan Item 1.1: Base\n\n#### Task 1.1.1: a\n", vec!["1.1.1"]),
        ("## T1 / T2 / T3\n\n### T1: a\n", vec!["T1"]),
        ("# Task 118: the title\n\n## Task 1: a\n", vec!["1"]),
        // Steps.
        ("### Task 1: a\n\n#### 1.1 first\n\n#### 1.2 then\n", vec!["1"]),
        ("### Task 1.1: a\n\n- [ ] 1.1.1 first\n- [ ] Step 2: then\n- [ ] AC-1 holds\n", vec!["1.1"]),
        ("### T1: a\n\n1. **Do** this\n2. Do that\n", vec!["T1"]),
        // Overviews and check lists.
        ("### T1: a\n\n## Checklist\n\n- [ ] T1 is done\n", vec!["T1"]),
        ("- [ ] **1.1** a\n\n## Summary\n\n- [ ] **1.1** again\n", vec!["1.1"]),
        // Other ids.
        ("### T1: a\n\n### FR-1: b\n\n## AC-2 c\n", vec!["T1"]),
        ("### T1: a\n\n### V1: check it\n\n## V2: a chapter\n", vec!["T1", "V1"]),
        ("### Task 1: a\n\n### 2026-11-15\n\n### UTF-8 everywhere\n\n### v1.2 changes\n", vec!["1"]),
        // Code, also nested.
        ("### T1: a\n\n````md\n### T2: b\n```yaml\n# T3: c\n```\n````\n\n### T4: d\n", vec!["T1", "T4"]),
        ("### T1: a\n\n```sh\n# T9: a comment\n```\n", vec!["T1"]),
    ] {
        assert_eq!(ids(text), wanted, "{text}");
    }
}

#[test]
fn where_nothing_is_called_a_task_steps_and_numbers_are() {
    assert_eq!(ids("# Work\n\n## Step 1: Write\n\n## Step 2: Send\n"), ["1", "2"]);
    assert_eq!(ids("# Work\n\n## 1. Write\n\n## 2. Send\n"), ["1", "2"]);
}

#[test]
fn a_list_without_tasks_is_an_error_that_shows_the_nearest_headings() {
    let error = read("# Work\n\n## Things\n\n## Task overview\n\n- do it\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no task is found; the nearest headings are line 1 `Work`, line 3 `Things`, line 5 `Task overview`"
    );
    assert_eq!(read("").unwrap_err().to_string(), "no task is found");
    let boxes = read("# Work\n\n- [ ] write it\n  - [ ] twice\n```\n- [ ] code\n```\n").unwrap_err();
    assert_eq!(
        boxes.to_string(),
        "no task is found; 2 items with a check box but no id; the nearest headings are line 1 `Work`"
    );
}

#[test]
fn duplicates_and_missing_titles_are_notes() {
    let list = read("### Task 1: a\n\n### Task 2: b\n\n### Task 1: c\n\n### Task 3\n").unwrap();
    let notes: Vec<String> = list.notes.iter().map(|note| format!("{}: {}", note.line, note.text)).collect();
    assert_eq!(
        notes,
        ["5: task 1 stands here a second time; the first is in line 1", "7: task 3 has no title"]
    );
}

#[test]
fn the_columns_of_a_table_are_its_fields() {
    let text = "# Tasks\n\n| ID | Task | Done when | Depends on (ids) | Refs |\n|---|---|---|---|---|\n| T1 | Store | it is written | - | Plan 2.1 |\n| T2 | Read | it is read | T1 | Design C1 |\n\n## More\n\n| # | Title | Acceptance | Deps | Implements |\n|---|---|---|---|---|\n| T3 | Show | it is seen | T1-T2 | FR-1 |\n\n| # | Title | Verify |\n|---|---|---|\n| T4 | Ship | `make ship` |\n";
    let list = read(text).unwrap();
    let told = |task: &Task| {
        let refs: Vec<&str> = task.refs.iter().map(|one| one.id.as_str()).collect();
        let done = task.done.as_ref().map_or("", |done| done.text.as_str());
        format!("{} {done}; {}; {}", task.id, task.depends_on.join(" "), refs.join(" "))
    };
    assert_eq!(
        list.tasks.iter().map(told).collect::<Vec<_>>(),
        [
            "T1 it is written; ; 2.1",
            "T2 it is read; T1; C1",
            "T3 it is seen; T1 T2; FR-1",
            "T4 `make ship`; ; "
        ]
    );
    assert_eq!(list.notes, []);
}

/// The notes of a list as `line text`.
fn notes(text: &str) -> Vec<String> {
    read(text).unwrap().notes.iter().map(|note| format!("{} {}", note.line, note.text)).collect()
}

#[test]
fn a_row_that_no_task_stands_for_is_told() {
    let tasks = "# Tasks\n\n### Task 1.1: A\n\nx\n\n### Task 1.2: B\n\ny\n\n## More\n\n";
    let table = |rows: &str| format!("{tasks}| ID | What |\n|---|---|\n{rows}");
    assert_eq!(
        notes(&table("| 2.1 | Write docs |\n| T9 | Release |\n")),
        [
            "15 the row `2.1` is not read as a task: the tasks of this list stand elsewhere",
            "16 the row `T9` is not read as a task: the tasks of this list stand elsewhere",
        ]
    );
    // A mention, a step, a group, a risk and a requirement are none; a row of an index is a task.
    for rows in
        ["| 1.1.1 | a step |\n", "| 1 | a group |\n", "| R1 | a risk |\n", "| FR-1 | a requirement |\n"]
    {
        assert_eq!(notes(&table(rows)), [""; 0], "{rows}");
    }
    let index = table("| 1.1 | A |\n| 2.1 | Write docs |\n");
    assert_eq!((ids(&index).len(), notes(&index).len()), (3, 0));
}

#[test]
fn a_task_knows_what_it_refers_to_and_where_it_stands() {
    let text = "# Tasks\n\n## Phase 1: Base\n\n### Step 4: Store\n\n#### Task 1.1: a\n\n- **Why:** Implements Plan 3.2 / Design C1, I2\n\n#### Task 1.2: b\n";
    let list = read(text).unwrap();
    let refs = |at: usize| -> Vec<String> {
        list.tasks[at]
            .refs
            .iter()
            .map(|one| format!("{} {} {}", one.kind.name(), one.id, one.inherited))
            .collect()
    };
    assert_eq!(refs(0), ["plan 3.2 false", "design C1 false", "design I2 false"]);
    assert_eq!(refs(1), ["plan Step 4 true"]);
    let groups: Vec<&str> = list.tasks[0].groups.iter().map(|group| group.title.as_str()).collect();
    assert_eq!(groups, ["Phase 1: Base", "Step 4: Store"]);
}

/// `kind id` of each reference of the last task, with a question mark where a document must define it.
pub(super) fn last_refs(text: &str) -> Vec<String> {
    let mark = |one: &Reference| if one.basis == trace::CountsWhen::Plain { "" } else { "?" };
    let refs = &read(text).unwrap().tasks.pop().unwrap().refs;
    refs.iter().map(|one| format!("{} {}{}", one.kind.name(), one.id, mark(one))).collect()
}

#[test]
fn titles_and_groups_add_what_the_fields_do_not_name() {
    for (text, wanted) in [
        ("### T1: Merge (FR-3, TD-3)\n", vec!["spec FR-3", "design TD-3?"]),
        ("### T1: Merge (TD-3)\n\n**Why:** Design C1\n", vec!["design C1"]),
        // Of each document the innermost group that names a part of it.
        (
            "## Stage 1 (plan Step 2)\n\n### Base (C1)\n\n#### T1: a\n\n**Why:** FR-1\n",
            vec!["spec FR-1", "plan Step 2", "design C1"],
        ),
        ("## Stage 1 (plan Step 2)\n\n#### T1: a\n\n**Why:** Plan 3\n", vec!["plan 3"]),
        // Ids of the list itself belong to no document, unless one is named.
        ("### Task PP-1: a\n\n### Task PP-2: b\n\n**Requirement:** R3, PP-1\n", vec!["spec R3"]),
        ("### T1: a\n\n### T2: b\n\n**Why:** design threat T1\n", vec!["design T1"]),
        // What the text names adds something, and is not enough alone.
        ("### T1: a\n\n**Why:** Plan 2\n\nSee design § Retries.\n", vec!["plan 2", "design § Retries?"]),
        ("### T1: a\n\nSee design § Retries.\n", vec![]),
    ] {
        assert_eq!(last_refs(text), wanted, "{text}");
    }
}

#[test]
fn paragraphs_in_bold_and_lists_to_do_are_tasks() {
    let bold = "# Tasks\n\n## Sprint 1\n\n**Task 1: Label printer**\n- Done: it prints\n\n**Task 2: Scanner**\n\n- Depends on: 1\n\n## Later\n\n**Task 2 is last.** Really.\n";
    assert_eq!(told(bold), ["1 | Label printer | 5-6 | list_item", "2 | Scanner | 8-10 | list_item"]);
    assert_eq!(read(bold).unwrap().tasks[1].depends_on, ["1"]);
    assert_eq!(ids("### T1: a\n\n**T2: no task beside headings**\n"), ["T1"]);
    for heading in ["TODO", "To-do list", "Work items", "Action Items", "Backlog"] {
        let text = format!(
            "# {heading}\n\n1. **Ingest** (spec 2.1)\n   - after: 2\n2. Merge\n   - ready when: done\n"
        );
        assert_eq!(told(&text), ["1 | Ingest | 3-4 | list_item", "2 | Merge | 5-6 | list_item"], "{heading}");
        let list = read(&text).unwrap();
        assert_eq!(list.tasks[0].depends_on, ["2"], "{heading}");
        assert_eq!(list.tasks[1].done.as_ref().map(|done| done.text.as_str()), Some("done"), "{heading}");
    }
    assert!(read("# Items\n\n1. one\n").is_err());
    assert_eq!(first("### T1: a\n\n**Only when:** it rains\n").done, None);
}

#[test]
fn a_task_is_found_however_its_id_is_spelled() {
    let list = read("### Task 1.1: a\n\n### T10 (T-RUN-1): b\n").unwrap();
    for (asked, wanted) in
        [("1.1", "1.1"), ("T1.1", "1.1"), ("task 1.1", "1.1"), ("T010", "T10"), ("T-RUN-1", "T10")]
    {
        assert_eq!(list.find(asked).map(|task| task.id.as_str()), Some(wanted), "{asked}");
    }
    assert_eq!(list.find("1"), None);
    // What is counted as `1/2` does not take the place of the second.
    let counted = read("### Task 1/2: a\n\n### Task 2/2: b\n\n### Task 3: c\n\nDepends on: 2\n").unwrap();
    assert_eq!(counted.tasks[2].depends_on, ["2"]);
    assert_eq!(counted.find("T2").map(|task| task.title.as_str()), Some("b"));
}

#[test]
fn marks_of_other_systems_change_nothing() {
    let text = "\u{feff}# T\r\n\r\n### Task 1: a\r\n\r\n**Done when:** it runs\r\n\r\n### Task 2: b";
    assert_eq!(told(text), ["1 | a | 3-5 | h3", "2 | b | 7-7 | h3"]);
    assert_eq!(first(text).done.unwrap().text, "it runs");
}

#[test]
fn a_list_of_very_many_tasks_is_read_without_taking_its_square() {
    let many: String = (0..100)
        .flat_map(|at| {
            (1..100).map(move |part| format!("- [ ] **{at}.{part}** do it\n  - Deps: 0.1-{at}.{part}\n"))
        })
        .collect();
    let list = read(&many).unwrap();
    assert_eq!(list.tasks.len(), 100 * 99);
    assert!(list.tasks.iter().all(|task| task.depends_on.len() <= 201));
}
