//! When a task is done, and what it waits for.

use super::*;

#[test]
fn dependencies_on_no_task_and_circles_are_told() {
    let text = "### T1: A\n\n**Depends on:** T9\n\n### T2: B\n\n**Depends on:** T3\n\n### T3: C\n\n**Depends on:** T2, Phase 7\n";
    assert_eq!(
        notes(text),
        [
            "3 `T9` is named as a dependency and is no task of this list",
            "5 these tasks wait for each other: T2 -> T3 -> T2",
        ]
    );
}

#[test]
fn done_criteria_are_found_under_their_many_names() {
    for (text, field, wanted) in [
        ("**Done when:** it runs", "Done when", "it runs"),
        ("- **Done when**: it runs\n- **Files:** x", "Done when", "it runs"),
        ("- Done: it runs", "Done", "it runs"),
        ("**DoD:**\n```sh\nmake test\n```", "DoD", "make test"),
        (
            "**Definition of Done (pass/fail):**\n\n- it runs\n- it ends",
            "Definition of Done (pass/fail)",
            "- it runs\n- it ends",
        ),
        ("**Files:** x | **Acceptance:** it runs", "Acceptance", "it runs"),
        ("**Verify:** make test\n\n**Done when:** it runs\non two\n\nMore.", "Done when", "it runs\non two"),
        (
            "**Acceptance criteria:**\n1. it runs\n2. it ends\n\n**Files:** x",
            "Acceptance criteria",
            "1. it runs\n2. it ends",
        ),
        ("- **Done-when:**\n  - it runs\n- **Files:** x", "Done-when", "- it runs"),
        ("Done criterion: it runs", "Done criterion", "it runs"),
        (
            "**Done when**\n\n- **it runs**\n- it ends\n\n**Files**\n\n- x",
            "Done when",
            "- **it runs**\n- it ends",
        ),
        ("#### Acceptance criteria\n\n- it runs\n\n#### Files\n\n- x", "Acceptance criteria", "- it runs"),
    ] {
        let task = first(&format!("### Task 1: a\n\n{text}\n"));
        assert_eq!(task.done, Some(Done { field: field.to_owned(), text: wanted.to_owned() }), "{text}");
    }
    for text in ["**Fail criteria:** it stops", "It is done: no.", "**Files:** done.md", "**Do:** run it"] {
        assert_eq!(first(&format!("### Task 1: a\n\n{text}\n")).done, None, "{text}");
    }
}

#[test]
fn dependencies_are_the_tasks_that_are_named() {
    let list = |needs: &str| {
        format!(
            "### T1: a\n\n### T2: b\n\n### T3a: c\n\n### T3b: c\n\n### Task 4.1: e\n\n### Task 4.2: f\n\n### T9: g\n\n{needs}\n"
        )
    };
    for (needs, wanted) in [
        ("**Depends on:** T1, T2", vec!["T1", "T2"]),
        ("- **Deps:** Task 4.1 and T2 (the store)", vec!["T2", "4.1"]),
        ("**Depends on:** T1-T3a", vec!["T1", "T2", "T3a"]),
        ("**Depends on:** T1..T3b, T4.1", vec!["T1", "T2", "T3a", "T3b", "4.1"]),
        ("**Dependencies:** T2 (for its fixture), T3b", vec!["T2", "T3b"]),
        ("Size: 5 min. `requires: T2`", vec!["T2"]),
        ("**Files:** x | **Blocked by:** T1", vec!["T1"]),
        ("- Order: After T1, T2 are done", vec!["T1", "T2"]),
        ("**Depends on:** 4", vec!["4.1", "4.2"]),
        ("**Depends on:** none", vec![]),
        ("**Depends on:** Group 2", vec![]),
        ("**Depends on:** T1 of feature 030", vec![]),
        ("**Blocks:** T1", vec![]),
        ("**Why:** the flags. Depends on Task 4.1 for them.", vec!["4.1"]),
        ("**Depends on:** T3", vec!["T3a", "T3b"]),
        ("Look at the file (after T1 it is new).", vec!["T1"]),
        ("It runs after T1.", vec![]),
        ("**After:** T1", vec!["T1"]),
        ("A grid, depends on T2", vec!["T2"]),
        ("**Depends on:** 4.1-.2", vec!["4.1", "4.2"]),
        ("**Depends on:** 4.1/.2", vec!["4.1", "4.2"]),
        ("**Depends on:** 4.1-2", vec!["4.1", "4.2"]),
        ("**Depends on:** T1 to 2", vec!["T1", "T2"]),
    ] {
        let read = read(&list(needs)).unwrap();
        assert_eq!(read.tasks.last().unwrap().depends_on, wanted, "{needs}");
    }
}
