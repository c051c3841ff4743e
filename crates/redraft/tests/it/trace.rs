//! The trace of a feature: from documents alone, from a ledger, and as a reason for a workflow to fail.

use crate::built::planned;
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

const SPEC: &str = "# S\n\n## Requirements\n\n- **FR-1:** a | <b>\n- **FR-2:** b\n";
const TASKS: &str = "# T\n\n### Task 1: Write it\n\n**Implements:** FR-1\n";

fn documents() -> Scratch {
    let scratch = Scratch::empty(PROGRAM);
    scratch.write("x/spec.md", SPEC);
    scratch.write("x/tasks.md", TASKS);
    scratch
}

fn rules(object: &Value) -> Vec<&str> {
    object["orphans"].as_array().unwrap().iter().map(|one| one["rule"].as_str().unwrap()).collect()
}

#[test]
fn a_folder_of_documents_is_traced_without_a_repository() {
    let scratch = documents();
    let object = scratch.json(["show", "trace", "x"]);
    assert_eq!(
        (&object["v"], &object["feature"], &object["built"]),
        (&1.into(), &Value::Null, &false.into())
    );
    assert_eq!((&object["requirements"], &object["reached"]), (&2.into(), &1.into()));
    assert_eq!(object["rows"][0]["works"], serde_json::json!(["1"]));
    assert_eq!(object["works"][0]["state"], "unknown");
    assert_eq!(rules(&object), ["untraced-requirement"]);
    let text = scratch.run(["show", "trace", "x"]).expect(0);
    assert!(text.stdout.contains("FR-1  a | <b>\n    task    1 Write it\n"), "{}", text.stdout);
    assert!(text.stderr.contains("1 of 2 requirements reached by a task; 1 orphan"), "{}", text.stderr);
    let only = scratch.json(["show", "trace", "x", "fr-2"]);
    assert_eq!(only["rows"].as_array().unwrap().len(), 1);
    let none = scratch.run(["show", "trace", "x", "FR-9"]).expect(1);
    assert!(none.stderr.contains("has the id `FR-9`"), "{}", none.stderr);
    scratch.run(["show", "trace", "nowhere", "FR-1"]).expect(2);
}

#[test]
fn a_page_and_a_table_hold_nothing_but_text_and_replace_no_file_of_somebody_else() {
    let scratch = documents();
    let page = scratch.run(["show", "trace", "x", "--html"]).expect(0).stdout;
    assert!(page.starts_with("<!doctype html>") && page.contains("a | &lt;b&gt;"), "{page}");
    assert!(!page.contains("<script") && !page.contains("://"), "it needs nothing else");
    scratch.run(["show", "trace", "x", "--html", "-o", "t.html"]).expect(0);
    assert_eq!(fs::read_to_string(scratch.root().join("t.html")).unwrap(), page);
    scratch.run(["show", "trace", "x", "--html", "-o", "t.html"]).expect(0);
    scratch.write("mine.html", "<!doctype html><p>mine");
    let refused = scratch.run(["show", "trace", "x", "--html", "-o", "mine.html"]).expect(2);
    assert!(refused.stderr.contains("is not a page of this command"), "{}", refused.stderr);
    scratch.run(["show", "trace", "x", "--html", "-o", "mine.html", "--force"]).expect(0);
    let table = scratch.run(["show", "trace", "x", "--markdown"]).expect(0).stdout;
    assert!(table.contains("| **FR-1** a \\| &lt;b&gt; |"), "{table}");
    scratch.run(["show", "trace", "x", "--html", "--json"]).expect(2);
}

#[test]
fn a_workflow_fails_on_orphans_at_the_level_the_project_gives_them() {
    let scratch = documents();
    scratch.write("docs/features/001-x/spec.md", SPEC);
    scratch.write("docs/features/001-x/tasks.md", TASKS);
    let ran = scratch.run(["lint", "--trace"]).expect(1);
    assert!(
        ran.stdout.starts_with("docs/features/001-x/spec.md:6: error [untraced-requirement]"),
        "{}",
        ran.stdout
    );
    let ran = scratch.run(["lint", "--trace", "--github", "x"]).expect(1);
    assert!(
        ran.stdout.starts_with("::error file=x/spec.md,line=6,title=untraced-requirement::"),
        "{}",
        ran.stdout
    );
    scratch.write("redraft.toml", "[lint.rules]\nuntraced-requirement = \"warning\"\n");
    let ran = scratch.run(["lint", "--trace", "x"]).expect(0);
    assert!(ran.stdout.contains("warning [untraced-requirement]"), "{}", ran.stdout);
    scratch.write("redraft.toml", "");
    scratch.write("x/tasks.md", &TASKS.replace("FR-1", "FR-1, FR-2"));
    scratch.run(["lint", "--trace", "x"]).expect(0);
}

#[test]
fn a_feature_is_traced_to_commits_files_tests_and_their_last_run() {
    let scratch = planned("");
    let before = scratch.json(["show", "trace", "001"]);
    assert_eq!((&before["built"], rules(&before)), (&false.into(), Vec::new()));
    scratch.run(["run", "--yes"]).expect(0);
    let object = scratch.json(["show", "trace"]);
    assert_eq!((&object["feature"], &object["built"]), (&"001".into(), &true.into()));
    assert_eq!(object["requirements"], object["reached"]);
    assert_eq!(rules(&object), Vec::<&str>::new(), "{object:#}");
    let works = object["works"].as_array().unwrap();
    let tasks: Vec<&Value> = works.iter().filter(|work| work["kind"] == "task").collect();
    for task in &tasks {
        assert_eq!((&task["state"], &task["runs"][0]["passed"]), (&"done".into(), &true.into()), "{task}");
        let commit = task["commits"][0].as_str().unwrap();
        let files = scratch.git(["diff-tree", "--no-commit-id", "--name-only", "-r", commit]);
        let told: Vec<&str> =
            task["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
        assert_eq!(files.lines().collect::<Vec<_>>(), told);
    }
    assert!(works.iter().any(|work| work["kind"] == "fixes"), "what answered a finding belongs to somebody");
    scratch.run(["lint", "--trace", "001"]).expect(0);

    // By the beginning of a commit, and where the feature's worktree is gone.
    let commit = tasks[1]["commits"][0].as_str().unwrap().to_owned();
    let only = scratch.json(["show", "trace", "001", &commit[..12]]);
    assert_eq!(only["rows"][0]["works"].as_array().unwrap().len(), 1, "{only:#}");
    let worktree = scratch.worktree("001");
    scratch.git(["worktree", "remove", "--force", worktree.to_str().unwrap()]);
    let gone = scratch.json(["show", "trace", "001"]);
    assert_eq!((&gone["rows"], &gone["works"]), (&object["rows"], &object["works"]));
}

#[test]
fn a_file_that_belongs_to_no_task_and_a_task_gone_on_without_are_orphans() {
    let scratch = planned("[[rule]]\nticket = \"*/task-2.2/*\"\ndo = \"unchanged\"\n");
    scratch.run(["run", "--yes"]).expect(6);
    scratch.run(["decide", "001", "skip", "--why", "not now"]).expect(0);
    // A person changes something that was not planned.
    fs::write(scratch.worktree("001").join("notes.txt"), "mine\n").unwrap();
    scratch.run(["run", "--yes"]).expect(0);
    let object = scratch.json(["show", "trace", "001"]);
    assert_eq!(rules(&object), ["unbuilt-task", "untraced-file"], "{:#}", object["orphans"]);
    assert_eq!(object["orphans"][0]["id"], "2.2");
    assert!(object["orphans"][0]["message"].as_str().unwrap().contains("not now"));
    assert_eq!(object["orphans"][1]["file"], "notes.txt");
    let ran = scratch.run(["lint", "--trace", "001"]).expect(1);
    assert!(ran.stdout.contains("notes.txt:1: error [untraced-file]"), "{}", ran.stdout);
}

#[test]
fn without_a_task_list_the_specification_is_the_one_task_and_without_checks_no_test_was_run() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--lane", "express", "Let people export the monthly report as CSV"]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    let object = scratch.json(["show", "trace"]);
    let rows = object["rows"].as_array().unwrap();
    let wanted: Vec<&Value> = rows.iter().filter(|row| !row["requirement"].is_null()).collect();
    assert!(wanted.len() > 2 && wanted.iter().all(|row| row["via"] == "whole"), "{object:#}");
    let rules = rules(&object);
    assert!(!rules.is_empty() && rules.iter().all(|rule| *rule == "unrun-test"), "{rules:?}");
    let ran = scratch.run(["lint", "--trace"]).expect(1);
    assert!(ran.stdout.contains("error [unrun-test]"), "{}", ran.stdout);
}
