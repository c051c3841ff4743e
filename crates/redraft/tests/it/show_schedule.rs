//! `redraft show schedule` on lists of tasks without a repository, and on a feature.

use super::built::planned;
use super::world::*;
use redraft_testkit::Scratch;
use serde_json::{Value, json};

const TASKS: &str = "# Tasks\n\n\
    ### Task 1.1: Write the store\n\n**Files:** `src/store.rs` (new)\n**Depends on:** none\n\n\
    ### Task 1.2: Read the settings\n\n**Files:** `src/settings.rs`, `tests/settings.rs` (new)\n**Depends on:** none\n\n\
    ### Task 1.3: Refuse an old store\n\n**Files:** `src/store.rs`, `tests/store.rs`\n**Depends on:** 1.1\n\n\
    ### Task 1.4: Describe both\n\n**Files:** `docs/**`\n**Depends on:** 1.2\n\n\
    ### Task 1.5: Name the page\n\n**Files:** `docs/settings.md`\n**Depends on:** 1.2\n\n\
    ### Task 1.6: Release\n\n**Depends on:** none\n";

const SHOWN: &str = "\
6 tasks of tasks.md to carry out, at most 2 at once

1.1  Write the store
    begins at once, job 1
1.2  Read the settings
    begins at once, job 2
1.3  Refuse an old store
    begins after 1 task, job 1
    waits for 1.1: needs it
1.4  Describe both
    begins after 1 task, job 2
    waits for 1.2: needs it
1.5  Name the page
    begins after 2 tasks, job 1
    waits for 1.2: needs it
    waits for 1.4: docs/settings.md overlaps its docs/**
1.6  Release
    begins after 3 tasks, job 1
    waits for 1.3: 1.6 declares no files
    waits for 1.5: 1.6 declares no files

critical path, which no number of jobs shortens: 1.2, 1.4, 1.5, 1.6

jobs     time  cost
   1  6 tasks  not known
   2  4 tasks  not known

no task was carried out here yet, so nothing is known of times and costs: a time of 3 tasks is that of three tasks, \
one after the other
";

fn scratch() -> Scratch {
    let scratch = Scratch::empty(PROGRAM);
    scratch.write("tasks.md", TASKS);
    scratch
}

#[test]
fn a_schedule_says_what_each_task_waits_for_and_how_long_jobs_take() {
    let scratch = scratch();
    let shown = scratch.run(["show", "schedule", "tasks.md", "--jobs", "2"]).expect(0).stdout;
    assert_eq!(shown, SHOWN);
    let folder = scratch.json(["show", "schedule", ".", "--jobs", "2"]);
    let shown = scratch.json(["show", "schedule", "tasks.md", "--jobs", "2"]);
    assert_eq!(folder["tasks"], shown["tasks"]);
    assert_eq!(
        shown["tasks"][4],
        json!({
            "id": "1.5", "title": "Name the page", "line": 23, "files": ["docs/settings.md"], "done": false,
            "waits": [
                {"task": "1.2", "why": "needs", "text": "needs it"},
                {"task": "1.4", "why": "shared_file", "text": "docs/settings.md overlaps its docs/**"}
            ],
            "begins": 2, "ends": 3, "job": 1
        })
    );
    let table = json!([
        {"jobs": 1, "length": 6, "cost_micro_usd": null, "at_least": false, "more_at_most_micro_usd": null},
        {"jobs": 2, "length": 4, "cost_micro_usd": null, "at_least": true, "more_at_most_micro_usd": null}
    ]);
    assert_eq!((&shown["v"], &shown["unit"], &shown["usual"]), (&json!(1), &json!("tasks"), &Value::Null));
    assert_eq!((&shown["table"], &shown["critical_path"]), (&table, &json!(["1.2", "1.4", "1.5", "1.6"])));
}

#[test]
fn a_long_list_and_needs_that_nothing_can_meet_are_shown() {
    let scratch = Scratch::empty(PROGRAM);
    let tasks: String = (1..=200).map(|nth| format!("### Task 1.{nth}: Do it\n\n")).collect();
    scratch.write("tasks.md", &format!("# Tasks\n\n{tasks}"));
    let shown = scratch.run(["show", "schedule", "tasks.md"]).expect(0).stdout;
    assert_eq!(shown.matches("\n    waits for ").count(), 199, "each only for the one before it: {shown}");
    assert!(shown.contains("   4  200 tasks  not known"), "{shown}");
    scratch.write(
        "tasks.md",
        "### Task 1: a\n**Files:** `a.rs`\n**Depends on:** Task 2\n\n### Task 2: b\n**Files:** `b.rs`\n\
         **Depends on:** Task 1\n\n### Task 3: c\n**Files:** `c.rs`\n**Depends on:** Task 9\n",
    );
    let shown = scratch.run(["show", "schedule", "tasks.md"]).expect(0).stdout;
    for wanted in [
        "    waits for 1: they wait for each other, so the order of the list counts",
        "    waits for 2: needs `9`, which is no other task of the list, so it waits for all before it",
        "note: line 1: these tasks wait for each other: 1 -> 2 -> 1",
    ] {
        assert!(shown.contains(wanted), "{shown}");
    }
}

#[test]
fn what_cannot_be_scheduled_names_the_way_out() {
    let scratch = scratch();
    scratch.write("empty.md", "");
    scratch.write("f/spec.md", "# Spec\n");
    for (args, code, wanted) in [
        (["show", "schedule", "empty.md"], 1, "empty.md: no task is found"),
        (["show", "schedule", "f"], 1, "f has no tasks.md yet"),
        (["show", "schedule", "gone.md"], 2, "there is no file, folder or feature `gone.md`"),
        (["show", "schedule", "9"], 2, "there is no feature 009"),
        (["show", "schedule", "--jobs=0"], 2, "0 is not in 1..=64"),
    ] {
        let said = scratch.run(args).expect(code).stderr;
        assert!(said.contains(wanted) && (said.contains("hint: ") || code == 2), "{said}");
    }
    let repository = feature("Let people export the monthly report as CSV");
    let said = repository.run(["show", "schedule"]).expect(1).stderr;
    assert!(
        said.contains("has no tasks.md yet") && said.contains("redraft run 001 --until create-tasks"),
        "{said}"
    );
}

#[test]
fn tasks_of_a_feature_that_are_done_are_no_longer_scheduled() {
    let scratch = planned("");
    let before = scratch.json(["show", "schedule", "001"]);
    let tasks = before["tasks"].as_array().unwrap();
    assert_eq!(before["feature"], "001");
    assert!(tasks.iter().all(|task| task["done"] == false && !task["files"].as_array().unwrap().is_empty()));
    scratch.run(["run", "--yes"]).expect(0);
    let after = scratch.json(["show", "schedule", "001"]);
    assert!(after["tasks"].as_array().unwrap().iter().all(|task| task["done"] == true), "{after}");
    assert_eq!(
        (&after["critical_path"], &after["usual"]),
        (&json!([]), &Value::Null),
        "rehearsals do not count"
    );
    let shown = scratch.run(["show", "schedule"]).expect(0).stdout;
    assert!(shown.starts_with("0 tasks of 001-"), "{shown}");
}
