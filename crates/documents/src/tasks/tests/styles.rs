//! Lists in the styles of other tools, read as their authors mean them.

use super::*;
use crate::trace;

/// `id | title | lines | form | done | depends on | refers to` of each task.
fn told(text: &str) -> Vec<String> {
    let list = read(text).unwrap();
    let one = |task: &Task| {
        let refs: Vec<String> = task
            .refs
            .iter()
            .filter(|one| one.basis == trace::CountsWhen::Plain)
            .map(|one| format!("{} {}", one.kind.name(), one.id))
            .collect();
        let done = task.done.as_ref().map_or("", |done| done.text.as_str());
        let lines = format!("{}-{}", task.line, task.end_line);
        let needs = task.depends_on.join(" ");
        [&task.id, &task.title, &lines, &task.form.name(), done, &needs, &refs.join(", ")]
            .join(" | ")
            .trim_end()
            .to_owned()
    };
    list.tasks.iter().map(one).collect()
}

#[test]
fn a_list_by_user_story_has_its_tags_read_and_its_strategy_left_out() {
    let text = "# Tasks: Bookmarks\n\n## Format: `[ID] [P?] [Story] Description`\n\n- **[P]**: in parallel\n\n## Phase 1: User Story 1 - Save (Priority: P1)\n\n**Independent Test**: save one:\n1. it is there\n\n- [x] T001 [P] [US1] Write the store in src/store.rs (FR-001)\n- [ ] T002-TEST [TEST] [US1] Test it\n- [ ] T002 [US1] Save (depends on T001)\n- [ ] T003 Tidy (after T002)\n\n**Checkpoint**: it works\n\n## Dependencies & Execution Order\n\n- T001 before T002\n\n```bash\n- [ ] T099 an example\n```\n\n### MVP First\n\n1. Complete Phase 1\n2. **STOP**\n";
    assert_eq!(
        told(text),
        [
            "T001 | Write the store in src/store.rs (FR-001) | 12-12 | checkbox |  |  | spec US1, spec FR-001",
            "T002-TEST | Test it | 13-13 | checkbox |  |  | spec US1",
            "T002 | Save (depends on T001) | 14-14 | checkbox |  | T001 | spec US1",
            "T003 | Tidy (after T002) | 15-15 | checkbox |  | T002 |",
        ]
    );
}

#[test]
fn a_plan_of_numbered_boxes_refers_to_requirements_by_their_numbers() {
    let text = "# Implementation Plan\n\n- [x] 1. Watch\n  - [x] 1.1 Add the backend\n    - Emit events\n    - _Requirements: 1.1, 1.2_\n  - [ ]* 1.2 Test it\n    - **Validates: Requirements 1.1**\n\n- [-] 2. Reload\n  - Keep the address\n  - _Requirements: 2.1_\n\n- [ ]* 2.1 Test that\n";
    assert_eq!(
        told(text),
        [
            "1.1 | Add the backend | 4-6 | checkbox |  |  | spec 1.1, spec 1.2",
            "1.2 | Test it | 7-8 | checkbox |  |  | spec 1.1",
            "2 | Reload | 10-12 | checkbox |  |  | spec 2.1",
            "2.1 | Test that | 14-14 | checkbox |  |  |",
        ]
    );
}

#[test]
fn a_list_under_numbered_chapters_has_criteria_below_its_items() {
    let text = "## 1. Model\n- [x] 1.1 Add the column\n\n## 2. Code\n- [ ] 2.1 Read labels\n  - Acceptance criteria:\n    - GIVEN a file\n    - THEN it is read\n  - Test plan:\n    - Run: `make test`\n- [ ] 2.2 Show them; depends on 1.1-2.1\n";
    assert_eq!(
        told(text),
        [
            "1.1 | Add the column | 2-2 | checkbox |  |  |",
            "2.1 | Read labels | 5-10 | checkbox | - GIVEN a file\n- THEN it is read |  |",
            "2.2 | Show them; depends on 1.1-2.1 | 11-11 | checkbox |  | 1.1 2.1 |",
        ]
    );
}

#[test]
fn a_story_names_criteria_and_sources_in_brackets() {
    let text = "# Story 2.3: Reset\n\n## Acceptance Criteria\n\n1. A mail is sent.\n2. The link works once.\n\n## Tasks / Subtasks\n\n- [ ] Task 1: Send it (AC: 1)\n  - [ ] Subtask 1.1: queue\n- [x] Task 2 - Make the link (AC: #1, #2)\n- [ ] Task 3: End sessions [Source: design.md#Sessions]\n\n## Dev Notes\n\n1. Task 1 needs a server.\n";
    assert_eq!(
        told(text),
        [
            "1 | Send it (AC: 1) | 10-11 | checkbox |  |  | spec AC1",
            "2 | Make the link (AC: #1, #2) | 12-12 | checkbox |  |  | spec AC1, spec AC2",
            "3 | End sessions | 13-13 | checkbox |  |  | design #Sessions",
        ]
    );
}

#[test]
fn forms_of_headings_go_up_to_the_next_one() {
    let text = "# Task ID: 1\n# Title: Begin\n# Status: done\n# Dependencies: None\n# Details:\nOne crate.\n\n# Task ID: 2\n# Title: Settings\n# Dependencies: 1\n# Details:\n1. Look here.\n";
    assert_eq!(told(text), ["1 | Begin | 1-6 | h1 |  |  |", "2 | Settings | 8-12 | h1 |  | 1 |"]);
}

#[test]
fn a_numbered_list_is_tasks_where_a_heading_says_so() {
    let text = "# Tasks\n\nIn order.\n\n1. Create `a.rs`.\n   Plan: Step 1.\n2. **Use it.** Everywhere.\n   - Depends on: 1\n   - Done when: all do\n3. Fake it\n   1. one that stands\n";
    assert_eq!(
        told(text),
        [
            "1 | Create `a.rs`. | 5-6 | list_item |  |  | plan Step 1",
            "2 | Use it. Everywhere. | 7-9 | list_item | all do | 1 |",
            "3 | Fake it | 10-11 | list_item |  |  |",
        ]
    );
    for text in [
        "# Notes\n\n1. one\n2. two\n",
        "# Work\n\n## Task overview\n\n1. one\n",
        "# Tasks\n\n## Rollback\n\n1. stop\n",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn numbers_are_tasks_in_the_chapter_of_tasks_before_any_other() {
    let text = "# Installer\n\n## 0. Before you start\n\n1. Install it.\n\n## 1. Tasks\n\n### 1a Unpack into `C:\\App`\n\nNeeds: 1b\n\n### 1b Keys\n\n#### Definition of done\n\n- [ ] they go\n\n### 2 Sign [P]\n\nDepends on: 1\n\n## Out of scope\n\n### 4. Silence\n";
    assert_eq!(
        told(text),
        [
            "1a | Unpack into `C:\\App` | 9-11 | h3 |  | 1b |",
            "1b | Keys | 13-17 | h3 | - [ ] they go |  |",
            "2 | Sign | 19-21 | h3 |  | 1a 1b |",
        ]
    );
}

#[test]
fn the_columns_of_a_table_are_the_fields_of_its_rows() {
    let text = "# Tasks\n\n| Phase | Tasks |\n|---|---|\n| 1 | T-01, T-02 |\n\n## Phase 1\n\n| ID | Task | Depends on | Design ref | FR/AC | **Done when** |\n|---|---|---|---|---|---|\n| T-01 | Count | — | C1 | FR-2, AC-1 | it counts |\n| T-02 | Export | T-01 | C2 | | `/metrics` answers |\n";
    assert_eq!(
        told(text),
        [
            "T-01 | Count | 11-11 | table_row | it counts |  | design C1, spec FR-2, spec AC-1",
            "T-02 | Export | 12-12 | table_row | `/metrics` answers | T-01 | design C2",
        ]
    );
}

#[test]
fn other_languages_have_their_words_for_all_of_it() {
    let german = "\u{feff}# Aufgaben — Lauf\r\n\r\n### Aufgabe A.1 — Tabelle\r\n\r\n**Plan:** Schritt 1\r\n**Fertig, wenn:** sie da ist\r\n\r\n### Aufgabe A.2 — Lauf\r\n\r\n**Abhängig von:** A.1\r\n**Entwurf:** K2\r\n**Akzeptanzkriterien:**\r\n- ohne Fehler\r\n";
    assert_eq!(
        told(german),
        [
            "A.1 | Tabelle | 3-6 | h3 | sie da ist |  | plan Step 1",
            "A.2 | Lauf | 8-13 | h3 | - ohne Fehler | A.1 | design K2",
        ]
    );
    let japanese = "# タスク一覧\n\n### タスク 1.1：読む\n\n- **完了条件:** 通る\n- **要件:** FR-1\n\n### タスク 1.2：書く\n\n- **依存:** 1.1\n- **設計:** C2\n";
    assert_eq!(
        told(japanese),
        ["1.1 | 読む | 3-6 | h3 | 通る |  | spec FR-1", "1.2 | 書く | 8-11 | h3 |  | 1.1 | design C2"]
    );
}
