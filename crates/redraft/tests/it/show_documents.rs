//! `redraft show tasks`, `show section` and `show context` on folders without a repository.

use super::world::*;
use redraft_testkit::Scratch;
use serde_json::{Value, json};

const TASKS: &str = "# Tasks\n\n### Task 1.1: Write the store\n\n- **Why:** Plan 2.1 / Design C1\n- **Done when:** the test passes\n\n### Task 1.2: Use it\n\n- **Depends on:** 1.1\n- **Why:** because\n";
const DESIGN: &str = "# Design\n\n## C1: Store\n\nOne file.\n\n## C10: Reader\n\nLater.\n";
const PLAN: &str = "# Plan\n\n## Step 2.1: Store\n\nFirst.\n\n## Step 2.2: Reader\n\nThen.\n";

/// A folder outside of any repository.
fn scratch() -> Scratch {
    let scratch = Scratch::empty(PROGRAM);
    scratch.write("f/tasks.md", TASKS);
    scratch.write("f/design.md", DESIGN);
    scratch.write("f/plan.md", PLAN);
    scratch.write("f/spec.md", "# Spec\n\n- **FR-1:** x\n");
    scratch
}

fn object<const N: usize>(scratch: &Scratch, args: [&str; N]) -> Value {
    serde_json::from_str(&scratch.run(args).expect(0).stdout).unwrap()
}

#[test]
fn tasks_are_listed_without_a_repository() {
    let scratch = scratch();
    let wanted = json!({
        "v": 1,
        "tasks": [
            {
                "id": "1.1", "title": "Write the store", "line": 3, "end_line": 6, "form": "h3",
                "done": {"field": "Done when", "text": "the test passes"},
                "depends_on": [],
                "refs": [
                    {"raw": "Plan 2.1", "kind": "plan", "id": "2.1"},
                    {"raw": "Design C1", "kind": "design", "id": "C1"}
                ]
            },
            {
                "id": "1.2", "title": "Use it", "line": 8, "end_line": 11, "form": "h3",
                "done": null, "depends_on": ["1.1"], "refs": []
            }
        ],
        "notes": []
    });
    assert_eq!(object(&scratch, ["show", "tasks", "f/tasks.md", "--json"]), wanted);
    assert_eq!(object(&scratch, ["show", "tasks", "f", "--json"]), wanted);
    let text = scratch.run(["show", "tasks", "f"]).expect(0).stdout;
    assert!(text.contains("1.2  Use it  (lines 8-11)\n    depends on 1.1"), "{text}");
}

#[test]
fn a_section_is_found_by_its_id_and_absent_ones_are_null() {
    let scratch = scratch();
    assert_eq!(
        object(&scratch, ["show", "section", "f/design.md", "C1", "--json"]),
        json!({"v": 1, "id": "C1", "file": "f/design.md", "line": 3, "end_line": 5, "match": "heading"})
    );
    assert_eq!(
        scratch.run(["show", "section", "f/design.md", "C1"]).expect(0).stdout,
        "## C1: Store\n\nOne file.\n"
    );
    let absent = scratch.run(["show", "section", "f/design.md", "C2", "--json"]).expect(1);
    assert_eq!(
        serde_json::from_str::<Value>(&absent.stdout).unwrap(),
        json!({"v": 1, "id": "C2", "file": "f/design.md", "line": null, "end_line": null, "match": null})
    );
}

#[test]
fn a_section_without_an_id_is_a_usage_error() {
    let scratch = scratch();
    for id in ["", "  ", "§"] {
        let said = scratch.run(["show", "section", "f/design.md", id]).expect(2);
        assert!(
            said.stderr.contains("the id of the section is missing") && said.stdout.is_empty(),
            "{said:?}"
        );
    }
}

#[test]
fn the_context_of_a_task_is_told_with_reasons() {
    let scratch = scratch();
    let found = object(&scratch, ["show", "context", "f", "--task", "T1.1", "--json"]);
    let modes: Vec<&Value> = found["artifacts"].as_array().unwrap().iter().map(|one| &one["mode"]).collect();
    assert_eq!(modes, ["full", "scoped", "scoped"]);
    assert_eq!(found["artifacts"][1]["sections"], json!([{"line": 3, "end_line": 5, "ref": "Design C1"}]));
    assert_eq!(found["notes"], json!([]));
    let all = object(&scratch, ["show", "context", "f", "--task", "1.2", "--json"]);
    assert!(all["artifacts"].as_array().unwrap().iter().all(|one| one["mode"] == "full"), "{all}");
    assert_eq!(all["notes"], json!(["`Why: because` names no part of a document"]));
    let unknown = scratch.run(["show", "context", "f", "--task", "9"]).expect(2).stderr;
    assert!(
        unknown.contains("there is no task `9` in f/tasks.md") && unknown.contains("1.1, 1.2"),
        "{unknown}"
    );
}

#[test]
fn what_cannot_be_read_names_the_file_and_the_way_out() {
    let scratch = scratch();
    std::fs::write(scratch.root().join("binary"), [0xff, 0xfe, 0x00]).unwrap();
    scratch.write("empty.md", "");
    for (args, code, wanted) in [
        (["show", "tasks", "binary"], 2, "binary is not UTF-8 text"),
        (["show", "tasks", "gone.md"], 2, "gone.md: it cannot be read"),
        (["show", "tasks", "empty.md"], 1, "empty.md: no task is found"),
        (["show", "tasks", "f/spec.md"], 1, "the nearest headings are line 1 `Spec`"),
    ] {
        let said = scratch.run(args).expect(code).stderr;
        assert!(said.contains(wanted) && said.contains("hint: "), "{said}");
    }
}
